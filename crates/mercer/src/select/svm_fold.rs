//! Predictions of support vector machines for the test samples of folds. A class without a training sample in a fold is never
//! predicted there.

use super::folds::Fold;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::model::svm::{Method, SharedKernel, Svm, SvmParams, one_vs_rest, votes};
use crate::model::{Input, Labels, Target, Targets};
use crate::points::{AnySamples, Points, with_samples};

/// Folds of a calibration, as LIBSVM has them.
const CALIBRATION_FOLDS: usize = 5;

/// Predictions for the test samples of a fold.
#[derive(Clone, Debug)]
pub struct OutOfFold {
    /// The predicted classes by place; none for a regression.
    pub places: Vec<usize>,
    /// The predicted values (m × 1) or the scores of classes: m × 1 for two, larger for the second, m × classes for more.
    pub scores: Mat<f64>,
}

/// The predictions for the test samples of each fold, by a model fitted on its training samples.
pub fn svm_out_of_fold<'a>(
    ctx: &Context,
    params: &SvmParams,
    input: impl Into<Input<'a>>,
    targets: &Targets,
    folds: &[Fold],
) -> Result<Vec<OutOfFold>> {
    out_of_fold(ctx, params, input.into(), targets, folds)
}

fn out_of_fold(
    ctx: &Context,
    params: &SvmParams,
    input: Input<'_>,
    targets: &Targets,
    folds: &[Fold],
) -> Result<Vec<OutOfFold>> {
    folds.iter().try_for_each(|fold| fold.check(input.n()))?;
    let shared_kernel = SharedKernel::new(ctx, params, &input)?;
    let mut found = Vec::with_capacity(folds.len());
    for (f, fold) in folds.iter().enumerate() {
        found.extend(predict(ctx, &shared_kernel, std::slice::from_ref(params), targets, fold)?);
        ctx.step(crate::context::Step::new("folds", (f + 1) as f64, folds.len() as f64))?;
    }
    Ok(found)
}

/// The predictions for the test samples of `fold` by models with each of `steps`, in the order of rising C.
pub(super) fn predict(
    ctx: &Context,
    shared_kernel: &SharedKernel<'_>,
    steps: &[SvmParams],
    targets: &Targets,
    fold: &Fold,
) -> Result<Vec<OutOfFold>> {
    let weights = training_weights(targets, fold);
    let present = present(targets, &weights);
    let quiet = ctx.without_steps();
    let decide =
        |targets: &Targets| shared_kernel.decisions_along(&quiet, steps, targets, &fold.test);
    match (&targets.target, &present[..]) {
        (Target::Classes { labels, .. }, [only]) => {
            Ok(vec![constant(fold.test.len(), *only, labels.names.len()); steps.len()])
        }
        (Target::Classes { labels, .. }, _) => {
            let known = among(targets, &present).with_weights(Some(weights));
            let named = |decisions: Mat<f64>| classes(decisions, &present, labels.names.len());
            Ok(decide(&known)?.into_iter().map(named).collect())
        }
        _ => {
            let known = targets.clone().with_weights(Some(weights));
            let values = |scores: Mat<f64>| OutOfFold { places: Vec::new(), scores };
            Ok(decide(&known)?.into_iter().map(values).collect())
        }
    }
}

/// The probabilities of all classes for the test samples of `fold` (m × classes), by models with each of `steps` that are fitted and
/// calibrated on its training samples.
pub(super) fn probabilities(
    ctx: &Context,
    (shared_kernel, input, method): (&SharedKernel<'_>, &Input<'_>, Method),
    steps: &[SvmParams],
    targets: &Targets,
    fold: &Fold,
) -> Result<Vec<Mat<f64>>> {
    let weights = training_weights(targets, fold);
    let (present, count) =
        (present(targets, &weights), targets.class_labels().map_or(0, |l| l.names.len()));
    let of_all = |own: &Mat<f64>| {
        let column = |class: usize| present.iter().position(|other| *other == class);
        Mat::from_fn(own.rows(), count, |i, class| column(class).map_or(0.0, |j| own[(i, j)]))
    };
    if present.len() == 1 {
        let certain = Mat::from_fn(fold.test.len(), 1, |_, _| 1.0);
        return Ok(vec![of_all(&certain); steps.len()]);
    }
    let (known, quiet) =
        (among(targets, &present).with_weights(Some(weights)), ctx.without_steps());
    let mut last: Option<Svm> = None;
    let mut found = Vec::with_capacity(steps.len());
    for params in steps {
        let mut model = shared_kernel.fit(&quiet, params, &known, last.as_ref())?;
        if model.was_interrupted() {
            return Err(Error::Interrupted);
        }
        model.calibrate(&quiet, input.clone(), &known, method, CALIBRATION_FOLDS, 0)?;
        found.push(of_all(&for_rows(&quiet, &model, input, &fold.test)?));
        last = Some(model);
    }
    Ok(found)
}

/// The probabilities of the classes of `model` for the rows `test` of `input`.
fn for_rows(ctx: &Context, model: &Svm, input: &Input<'_>, test: &[usize]) -> Result<Mat<f64>> {
    match input {
        Input::Samples(x) => {
            let some = with_samples!(x, x => AnySamples::from(x.select(test)));
            model.probabilities(ctx, &some)
        }
        Input::Precomputed { values, .. } => {
            let some = Mat::from_fn(test.len(), values.cols(), |i, j| values.at(test[i], j));
            model.probabilities(ctx, Input::precomputed(&some))
        }
        Input::Gram(_) => unreachable!("refused when the kernel was shared"),
    }
}

/// The weight of each sample in the fit without the test samples of `fold`.
fn training_weights(targets: &Targets, fold: &Fold) -> Vec<f64> {
    let n = match &targets.target {
        Target::Classes { labels, .. } => labels.places.len(),
        Target::Values(values) => values.rows(),
        Target::Unsupervised => unreachable!("refused when the search was made"),
    };
    let mut weights = vec![0.0; n];
    for &row in &fold.train {
        weights[row] = targets.weights.as_ref().map_or(1.0, |weights| weights[row]);
    }
    weights
}

/// The classes with a training sample.
fn present(targets: &Targets, weights: &[f64]) -> Vec<usize> {
    let Some(labels) = targets.class_labels() else { return Vec::new() };
    let mut seen = vec![false; labels.names.len()];
    let counted = labels.places.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
    counted.for_each(|(&place, _)| seen[place] = true);
    (0..seen.len()).filter(|&class| seen[class]).collect()
}

/// Targets of the classes `present` alone; samples of others, which have no weight, become samples of the first.
fn among(targets: &Targets, present: &[usize]) -> Targets {
    let Target::Classes { labels, weights } = &targets.target else { return targets.clone() };
    let place = |class: &usize| present.iter().position(|other| other == class).unwrap_or(0);
    let known = Labels {
        names: present.iter().map(|&class| labels.names[class].clone()).collect(),
        places: labels.places.iter().map(place).collect(),
    };
    let weights = weights.as_ref().map(|all| present.iter().map(|&class| all[class]).collect());
    Targets::labels(known).with_class_weights(weights)
}

/// The classes that decisions of pairs of `present` classes name, and a score for each of all `count` classes.
fn classes(decisions: Mat<f64>, present: &[usize], count: usize) -> OutOfFold {
    let k = present.len();
    let places = votes(&decisions, k).into_iter().map(|place| present[place]).collect();
    if count == 2 {
        return OutOfFold { places, scores: decisions };
    }
    let own = match k {
        2 => Mat::from_fn(decisions.rows(), 2, |i, j| [-1.0, 1.0][j] * decisions[(i, 0)]),
        _ => one_vs_rest(&decisions, k),
    };
    let column = |class: usize| present.iter().position(|other| *other == class);
    let scores = Mat::from_fn(own.rows(), count, |i, class| {
        column(class).map_or(f64::NEG_INFINITY, |j| own[(i, j)])
    });
    OutOfFold { places, scores }
}

/// The predictions where there is one class in the training set.
fn constant(rows: usize, class: usize, count: usize) -> OutOfFold {
    let places = vec![class; rows];
    let score = |_, j: usize| if j == class { 0.0 } else { f64::NEG_INFINITY };
    let columns = if count == 2 { 1 } else { count };
    let scores = if columns == 1 { Mat::zeros(rows, 1) } else { Mat::from_fn(rows, count, score) };
    OutOfFold { places, scores }
}
