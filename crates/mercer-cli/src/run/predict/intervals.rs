//! Intervals of predicted values and sets of predicted classes, from residuals of rows that the model was not fitted on; or intervals
//! from the posterior of kernel ridge regression.

use mercer::io::{Column, ModelFile};
use mercer::linalg::view::Mat;
use mercer::model::posterior::PosteriorStd;
use mercer::{Error, Result};

use crate::args::IntervalArgs;
use crate::facts::{self, Residuals};
use crate::prediction::Prediction;
use crate::results::Predictions;
use crate::run::Session;
use crate::run::prediction::with_noise;

/// What intervals or sets of one level did on rows whose true values are known.
pub struct Coverage {
    /// The share of true values within their intervals or sets.
    pub share: f64,
    /// Rows.
    pub rows: usize,
    /// The mean number of classes of a set.
    pub set_size: Option<f64>,
}

/// What is added to predictions.
pub enum Region {
    /// For each target, the ends of the interval of each row.
    Intervals(Vec<Vec<(f64, f64)>>),
    /// The places of the classes of the set of each row.
    Sets(Vec<Vec<usize>>),
}

impl Region {
    /// The intervals or sets that `args` request, if any. By the posterior, `prediction` has standard deviations.
    pub fn requested(
        session: &Session,
        args: &IntervalArgs,
        saved: &ModelFile,
        prediction: &Prediction,
    ) -> Result<Option<Self>> {
        match (args.level, args.posterior_level(), prediction) {
            (None, ..) => Ok(None),
            (_, Some(level), Prediction::Values { values, deviations: Some(deviations) }) => {
                let deviations = with_noise(session, &saved.model, deviations)?;
                Ok(Some(Self::by_posterior(values, &deviations, level)))
            }
            (Some(level), ..) => Self::by_residuals(saved, prediction, level).map(Some),
        }
    }

    /// The intervals of probability `level` of normal distributions.
    fn by_posterior(values: &Mat<f64>, deviations: &Mat<f64>, level: f64) -> Self {
        let reach = PosteriorStd::reach(level);
        let ends = |i: usize, j: usize| {
            let reach = reach * deviations[(i, j)];
            (values[(i, j)] - reach, values[(i, j)] + reach)
        };
        let target = |j: usize| (0..values.rows()).map(|i| ends(i, j)).collect();
        Region::Intervals((0..values.cols()).map(target).collect())
    }

    /// The intervals or sets of `level` from residuals.
    fn by_residuals(saved: &ModelFile, prediction: &Prediction, level: f64) -> Result<Self> {
        match prediction {
            Prediction::Values { values, .. } => {
                let reach = quantile(facts::residuals(saved), level)?;
                let value = |row: usize| values[(row, 0)];
                let ends = |row: usize| (value(row) - reach, value(row) + reach);
                Ok(Region::Intervals(vec![(0..values.rows()).map(ends).collect()]))
            }
            Prediction::Classes { places, scores, .. } => {
                let limit = quantile(facts::margins(saved), level)?;
                let classes = scores.cols().max(2);
                // The predicted class belongs to its set even where all classes are unlikely.
                let set = |row: usize| {
                    let is_in =
                        |&c: &usize| c == places[row] || facts::margin(scores, row, c) <= limit;
                    (0..classes).filter(is_in).collect()
                };
                Ok(Region::Sets((0..places.len()).map(set).collect()))
            }
            _ => {
                let message = "requires a model that predicts numbers or classes";
                Err(Error::parameter("--interval", message))
            }
        }
    }

    /// Adds its columns to `predictions`, each after the prediction that it is about.
    pub fn add_to(&self, predictions: &mut Predictions, classes: &[String]) {
        match self {
            Region::Intervals(targets) => {
                // A target has equally many columns as any other. From the last on, so that places stay.
                let each = predictions.columns.len() / targets.len();
                for (j, bounds) in targets.iter().enumerate().rev() {
                    insert_ends(predictions, j * each, bounds);
                }
            }
            Region::Sets(sets) => {
                let name = predictions.columns[0].0.clone();
                let text = |set: &Vec<usize>| {
                    let names = set.iter().map(|&class| classes[class].as_str());
                    names.collect::<Vec<_>>().join("|")
                };
                let column = (format!("{name}_set"), Column::Text(sets.iter().map(text).collect()));
                predictions.columns.insert(1, column);
            }
        }
    }

    /// The share of true values within; none where none is known.
    pub fn coverage(&self, truth: &[Column], classes: &[String]) -> Option<Coverage> {
        let (inside, set_size): (Vec<bool>, _) = match self {
            Region::Intervals(targets) => {
                let all = truth.iter().zip(targets);
                (all.flat_map(|(truth, bounds)| held(truth, bounds)).collect(), None)
            }
            Region::Sets(sets) => {
                let places = facts::class_places(classes, truth.first()?);
                let sizes: usize = sets.iter().map(Vec::len).sum();
                let mean = sizes as f64 / sets.len().max(1) as f64;
                let is_inside = |(set, place): (&Vec<usize>, &usize)| set.contains(place);
                (sets.iter().zip(&places).map(is_inside).collect(), Some(mean))
            }
        };
        let rows = inside.len();
        let share = inside.iter().filter(|is_inside| **is_inside).count() as f64 / rows as f64;
        (rows > 0).then_some(Coverage { share, rows, set_size })
    }
}

/// Adds the ends of intervals after the column `place`.
fn insert_ends(predictions: &mut Predictions, place: usize, bounds: &[(f64, f64)]) {
    let name = predictions.columns[place].0.clone();
    let (lower, upper): (Vec<f64>, Vec<f64>) = bounds.iter().copied().unzip();
    let ends = [(format!("{name}_lower"), lower), (format!("{name}_upper"), upper)];
    let ends = ends.into_iter().map(|(name, values)| (name, Column::F64(values)));
    predictions.columns.splice(place + 1..place + 1, ends);
}

/// Whether intervals hold the true values that are known.
fn held(truth: &Column, bounds: &[(f64, f64)]) -> Vec<bool> {
    let is_inside = |(row, (low, high)): (usize, &(f64, f64))| {
        let value = truth.number(row).filter(|value| value.is_finite())?;
        Some((*low..=*high).contains(&value))
    };
    bounds.iter().enumerate().filter_map(is_inside).collect()
}

/// The quantile of residuals for `level`.
fn quantile(residuals: Option<Residuals>, level: f64) -> Result<f64> {
    let refuse = |message: String| Err(Error::parameter("--interval", message));
    let Some(residuals) = residuals else {
        let message = "the model has no residuals of rows that it was not fitted on: fit it with --test, with --intervals (svc, svr, \
                       search), or by `mercer krr` with one target and leave-one-out, without --weights, --folds and --gcv";
        return refuse(message.into());
    };
    match residuals.reach(level) {
        Some(reach) => Ok(reach),
        None => refuse(format!(
            "intervals of {level} need at least {} training rows, but the model has residuals of {}",
            Residuals::fewest(level),
            residuals.count
        )),
    }
}
