//! A model whose parameters were chosen by cross-validation within its training rows.

use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::svm::{Svm, SvmParams, Task};
use mercer::select::{
    self, Accuracy, Metric, SearchParams, SquaredError, SvmSearchParams, Validation,
};
use mercer::{Context, Input, Result};

use super::candidates::Method;
use super::folds;
use super::neighbours::Neighbours;
use super::truth::{Answers, Truth};
use crate::args::Kernel;
use crate::run::candidate_kernels::every_width;
use crate::scores::{in_short, variance};

/// The half-width of the tube of a regression, in standard deviations of the target: the default of `mercer svr`.
const TUBE: f64 = 0.1;

/// A fitted model.
pub enum Tuned {
    /// The most frequent class, or the mean.
    Constant(Answers),
    /// Nearest neighbours.
    Neighbours(Box<Neighbours>),
    /// Kernel ridge regression.
    Ridge(Box<KernelRidge>),
    /// A support vector machine, and its cost as it is written on the command line.
    Machine(Box<Svm>, f64),
}

impl Method {
    /// Chooses the parameters on the rows `x` alone, and fits the model on them.
    pub fn fit(&self, ctx: &Context, x: &Input<'_>, truth: &Truth, seed: u64) -> Result<Tuned> {
        let tuned = match self {
            Method::Constant => Tuned::Constant(constant(&truth.answers)),
            Method::Neighbours(kernel) => {
                let folds = folds::inner(&truth.strata(), seed)?;
                let model = Neighbours::fit(ctx, kernel, x, &truth.answers, &folds)?;
                Tuned::Neighbours(Box::new(model))
            }
            Method::Ridge(kernels) => Tuned::Ridge(Box::new(ridge(ctx, kernels, x, truth)?)),
            Method::Machine(kernels, costs) => machine(ctx, (kernels, costs), x, truth, seed)?,
        };
        // An interrupted fit returns a model too, which is not wanted here.
        ctx.poll()?;
        Ok(tuned)
    }
}

/// Kernel, width and penalty by leave-one-out, as `mercer krr` chooses them.
fn ridge(ctx: &Context, kernels: &[Kernel], x: &Input<'_>, truth: &Truth) -> Result<KernelRidge> {
    let kernels = every_width(kernels, x)?;
    let mut model = KernelRidgeParams::new(kernels[0].clone());
    model.intercept = true;
    let validation = Validation::LeaveOneOut;
    let params = SearchParams { model, kernels, alphas: None, validation, per_target: false };
    let targets = truth.targets();
    let values = targets.regressed()?;
    let metric: &dyn Metric = match truth.is_classes() {
        true => &Accuracy { targets: &values, weights: None },
        false => &SquaredError { targets: &values, weights: None },
    };
    Ok(select::search(ctx, &params, x, &targets, metric)?.model)
}

/// Kernel, width and cost by stratified folds, as `mercer search` chooses them.
fn machine(
    ctx: &Context,
    (kernels, costs): (&[Kernel], &[f64]),
    x: &Input<'_>,
    truth: &Truth,
    seed: u64,
) -> Result<Tuned> {
    let (task, unit) = match &truth.answers {
        Answers::Classes(_) => (Task::CSvc, 1.0),
        Answers::Values(values) => (Task::EpsilonSvr, spread(values)),
    };
    let kernels = every_width(kernels, x)?;
    let mut model = SvmParams::new(task, kernels[0].clone());
    model.epsilon = TUBE * unit;
    let params = SvmSearchParams {
        model,
        kernels,
        cs: costs.iter().map(|cost| cost * unit).collect(),
        folds: folds::inner(&truth.strata(), seed)?,
        per_cell: false,
    };
    let found = select::svm_search(ctx, &params, x, &truth.targets())?;
    Ok(Tuned::Machine(Box::new(found.model), costs[found.chosen.1]))
}

/// The standard deviation; 1 where all values are the same.
fn spread(values: &[f64]) -> f64 {
    let variance = variance(values, None).filter(|v| v.is_finite() && *v > 0.0);
    variance.map_or(1.0, f64::sqrt)
}

/// The most frequent class, of equally frequent ones the first; or the mean.
fn constant(answers: &Answers) -> Answers {
    match answers {
        Answers::Classes(places) => {
            let count = |class: usize| places.iter().filter(|&&place| place == class).count();
            let classes = 0..=places.iter().copied().max().unwrap_or(0);
            let best =
                classes.reduce(|best, class| if count(class) > count(best) { class } else { best });
            Answers::Classes(vec![best.unwrap_or(0)])
        }
        Answers::Values(values) => {
            Answers::Values(vec![values.iter().sum::<f64>() / values.len() as f64])
        }
    }
}

impl Tuned {
    /// The predictions for new rows; `truth` knows the classes.
    pub fn predict(&self, ctx: &Context, x: &Input<'_>, truth: &Truth) -> Result<Answers> {
        let predicted = match self {
            Tuned::Constant(one) => one.take(&vec![0; x.n()]),
            Tuned::Neighbours(model) => model.predict(ctx, x)?,
            Tuned::Ridge(model) if truth.is_classes() => truth.places(&model.labels(ctx, x)?),
            Tuned::Ridge(model) => Answers::Values(model.predict(ctx, x)?.into_vec()),
            Tuned::Machine(model, _) if truth.is_classes() => truth.places(&model.labels(ctx, x)?),
            Tuned::Machine(model, _) => Answers::Values(model.decisions(ctx, x)?.into_vec()),
        };
        Ok(predicted)
    }

    /// The parameters that were chosen, in short.
    pub fn chosen(&self) -> Option<String> {
        match self {
            Tuned::Constant(_) => None,
            Tuned::Neighbours(model) => Some(format!("k={}", model.k)),
            Tuned::Ridge(model) => {
                Some(format!("{}, alpha={}", model.params.kernel, in_short(model.params.alpha[0])))
            }
            Tuned::Machine(model, cost) => Some(format!("{}, C={cost}", model.params.kernel)),
        }
    }
}
