//! The fit: a search over kernels and penalties, or a single fit.

use mercer::error::Param;
use mercer::io::{Column, Model, Table};
use mercer::model::Scaling;
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::landmarks::{Whole, sampled};
use mercer::model::optimize::{Optimized, Samples, optimize};
use mercer::select::{self, Criterion, Metric, SearchParams, Validation};
use mercer::{Error, Input, KernelSpec, Mat, Result, Targets};

use super::left_out::{LeftOut, Recorder};
use crate::args::KrrArgs;
use crate::data::Prepared;
use crate::run::Session;
use crate::run::candidate_kernels::{every_width, every_width_in_blocks, names_of};
use crate::scores::{Measure, Scored, Scores, variance};

/// The task.
pub struct Task<'a> {
    /// The command line.
    pub args: &'a KrrArgs,
    /// The targets.
    pub targets: Targets,
    /// What is regressed on: n × targets, or n × classes.
    pub values: Mat<f64>,
    /// The variance of each; none where it is constant.
    pub variances: Vec<Option<f64>>,
    /// The group of each row, if a column names groups.
    pub groups: Option<Vec<usize>>,
}

/// The fitted model.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The scaling of its rows.
    pub scaling: Option<Scaling>,
    /// The scores of all candidates; or why there are none.
    pub grid: std::result::Result<Grid, String>,
    /// Predictions for the training set, if requested.
    pub training: Option<Mat<f64>>,
}

/// The scores of all candidates.
pub struct Grid {
    /// The kernels.
    pub kernels: Vec<String>,
    /// Their scores.
    pub tables: Vec<select::Table>,
    /// The choice.
    pub chosen: select::Chosen,
    /// The leave-one-out predictions of the chosen candidate, where they were computed.
    pub left_out: Option<LeftOut>,
    /// What is unusual about the folds.
    pub notes: Vec<String>,
}

impl<'a> Task<'a> {
    /// The task with these targets.
    pub fn new(args: &'a KrrArgs, targets: Targets, groups: Option<Vec<usize>>) -> Result<Self> {
        let (values, weights) = (targets.regressed()?, targets.weights.as_deref());
        let column = |j: usize| (0..values.rows()).map(|i| values[(i, j)]).collect::<Vec<f64>>();
        let variances = (0..values.cols()).map(|j| variance(&column(j), weights)).collect();
        Ok(Self { args, targets, values, variances, groups })
    }

    /// The names of the classes, of a classifier.
    pub fn classes(&self) -> Option<&[String]> {
        self.targets.class_labels().map(|labels| &labels.names[..])
    }

    /// The metric.
    pub fn measure(&self) -> Measure {
        match (self.classes(), self.args.search.gcv) {
            (Some(_), true) => Measure::RmseOfClasses,
            _ => self.criterion().into(),
        }
    }

    /// The scores of the chosen candidate.
    pub fn scores(&self, grid: &Grid) -> Scores {
        let (measure, chosen) = (self.measure(), &grid.chosen);
        let table = &grid.tables[chosen.kernel];
        let of = |j: usize| {
            let a = chosen.alphas[if chosen.alphas.len() == 1 { 0 } else { j }];
            let (value, spread) = (table.scores[(a, j)], table.std_errors[(a, j)]);
            Scored::of(measure, select::Score { value, std_error: spread }, self.variances[j])
        };
        let is_number = self.classes().is_none();
        let only = self.variances.first().copied().flatten().filter(|_| self.values.cols() == 1);
        Scores {
            overall: Scored::of(measure, chosen.score, only.filter(|_| measure == Measure::Rmse)),
            targets: match self.values.cols() {
                t if is_number && t > 1 => (0..t).map(of).collect(),
                _ => Vec::new(),
            },
            kernels: Some(grid.kernels.len()),
            constant: is_number && self.variances == [None],
        }
    }

    /// All kernels with their best penalties, the best first.
    pub fn best(&self, grid: &Grid) -> Table {
        let measure = self.measure();
        let scored = |table: &select::Table, a: usize| Scored::of(measure, table.score(a), None);
        let mut rows: Vec<(&str, [f64; 3])> = grid
            .kernels
            .iter()
            .zip(&grid.tables)
            .enumerate()
            .map(|(place, (kernel, table))| {
                // Of ties the search's own choice counts, otherwise the first.
                let best = match place == grid.chosen.kernel {
                    true => grid.chosen.alphas[0],
                    false => (0..table.alphas.len()).fold(0, |best, a| {
                        let is_better = table.compared(a) > table.compared(best);
                        if is_better || table.compared(best).is_nan() { a } else { best }
                    }),
                };
                let Scored { value, spread, .. } = scored(table, best);
                (kernel.as_str(), [table.alphas[best], value, spread.unwrap_or(f64::NAN)])
            })
            .collect();
        let sign = if measure.is_error() { 1.0 } else { -1.0 };
        rows.sort_by(|(_, a), (_, b)| (sign * a[1]).total_cmp(&(sign * b[1])));
        let names = ["kernel", "alpha", measure.name(), "standard error"];
        let kernels = rows.iter().map(|(kernel, _)| kernel.to_string()).collect();
        let mut columns = vec![Column::Text(kernels)];
        columns.extend(
            (0..3).map(|j| Column::F64(rows.iter().map(|(_, numbers)| numbers[j]).collect())),
        );
        Table::new(names.map(String::from).into(), columns)
    }

    /// Fits `rows`.
    pub fn fit(&self, session: &Session, rows: Prepared) -> Result<Fitted> {
        let (x, scaling) = (rows.input, rows.scaling);
        let (model, grid) = match self.optimized(session, &x)? {
            Some(found) => self.with_optimized(session, found, &x)?,
            None => {
                let kernels = self.kernels(session, &x)?;
                self.check(&kernels)?;
                self.searched(session, kernels, &x)?
            }
        };
        let is_requested = self.args.output.is_some()
            || self.args.page.report.is_some()
            || self.args.explain.explain;
        let training = match is_requested {
            true => Some(model.predict(&session.context, &x)?),
            false => None,
        };
        Ok(Fitted { model: Model::KernelRidge(model), scaling, grid, training })
    }

    /// Kernel and penalty as a search by gradient finds them, if one is requested.
    fn optimized(&self, session: &Session, x: &Input<'_>) -> Result<Option<Optimized>> {
        let search = &self.args.search;
        let Some(params) = self.args.optimize.params(search.seed) else { return Ok(None) };
        let ([kernel], Input::Samples(x)) = (&search.kernel[..], x) else {
            let message = "starts from a single kernel: give one --kernel, on samples";
            return Err(Error::parameter("--optimize", message));
        };
        if search.alpha.len() > 1 {
            let message = "starts from a single penalty: give one --alpha";
            return Err(Error::parameter("--optimize", message));
        }
        let alpha = search.alpha.first().copied().unwrap_or(1.0);
        let weights = self.targets.weights.as_deref();
        let samples = Samples { x, targets: &self.values, weights };
        let intercept = !self.args.ridge.no_intercept;
        // Of a kernel without a width, one in the middle of what suits the rows.
        let mut widths = select::widths(&kernel.spec(), x)?;
        let spec = widths.swap_remove(widths.len() / 2);
        optimize(&session.context, &params, &spec, alpha, intercept, samples).map(Some)
    }

    /// The model with the kernel and the penalty that were found, and its score.
    fn with_optimized(
        &self,
        session: &Session,
        found: Optimized,
        x: &Input<'_>,
    ) -> Result<(KernelRidge, std::result::Result<Grid, String>)> {
        let mut params = self.params(&found.kernel);
        params.alpha = vec![found.alpha];
        let (mut model, grid) = match self.unscored() {
            Some(why) => {
                let fit = KernelRidge::fit(&session.context, &params, x, &self.targets, None)?;
                (fit, Err(why))
            }
            None => {
                let (model, grid) = self.search(session, vec![found.kernel], &params, x)?;
                (model, Ok(grid))
            }
        };
        found.report.attach(&mut model.report);
        Ok((model, grid))
    }

    /// The candidate kernels. On landmarks, what depends on the data depends on the rows that they are chosen among.
    fn kernels(&self, session: &Session, x: &Input<'_>) -> Result<Vec<KernelSpec>> {
        let landmarks = self.args.landmarks.params(self.args.search.seed);
        match (landmarks, x) {
            (Some(landmarks), Input::Samples(x)) => {
                let weights = self.targets.weights.as_deref();
                let mut rows = Whole::new(x, Some(&self.values), weights);
                let quiet = session.context.without_steps();
                let sample = || sampled(&quiet, &landmarks, &mut rows, x.dtype());
                every_width_in_blocks(&self.args.search.kernel, sample)
            }
            _ => every_width(&self.args.search.kernel, x),
        }
    }

    /// Refuses flags that contradict the table.
    pub(super) fn check(&self, kernels: &[KernelSpec]) -> Result<()> {
        let search = &self.args.search;
        let (count, alphas) = (kernels.len(), search.alpha.len());
        let is_single = count == 1 && alphas == 1;
        if search.alpha_per_target && (self.values.cols() == 1 || self.classes().is_some()) {
            let message = "requires several numeric targets";
            return Err(Error::parameter("--alpha-per-target", message));
        }
        let metric = search.validation.metric.filter(|metric| *metric != Criterion::Rmse);
        if search.alpha_per_target && metric.is_some() {
            let message = "penalties of single targets are chosen by their squared errors: drop it, or --alpha-per-target";
            return Err(Error::parameter("--metric", message));
        }
        if search.alpha_per_target && alphas == 1 {
            let message = "requires several values of --alpha";
            return Err(Error::parameter("--alpha-per-target", message));
        }
        if search.no_score && !is_single {
            let message = format!(
                "requires a single candidate, but there are {count} kernels and {alphas} penalties: name one kernel with \
                 its width, such as 'rbf(gamma=scale)', and one --alpha"
            );
            return Err(Error::parameter("--no-score", message));
        }
        if search.alpha == [0.0] && !is_single {
            let message = format!(
                "alpha=0 cannot be cross-validated to choose among {count} kernels: name one with its width, \
                 such as 'rbf(gamma=scale)'"
            );
            return Err(Error::parameter(Param::Alpha, message));
        }
        if search.alpha == [0.0] && !self.args.plot.is_empty() {
            let message =
                "there are no scores to plot: cross-validation requires --alpha greater than 0";
            return Err(Error::parameter("--plot", message));
        }
        Ok(())
    }

    /// The model, and the scores or why there are none.
    fn searched(
        &self,
        session: &Session,
        kernels: Vec<KernelSpec>,
        x: &Input<'_>,
    ) -> Result<(KernelRidge, std::result::Result<Grid, String>)> {
        let is_single = kernels.len() == 1 && self.args.search.alpha.len() == 1;
        let params = self.params(&kernels[0]);
        let plain = |why: String| {
            let model = KernelRidge::fit(&session.context, &params, x, &self.targets, None)?;
            Ok((model, Err(why)))
        };
        if let Some(why) = self.unscored() {
            return plain(why);
        }
        match self.search(session, kernels, &params, x) {
            // A single candidate can be fitted where memory does not allow cross-validation.
            Err(error) if error.is_memory() && is_single && self.args.plot.is_empty() => {
                plain(format!("not available: {error}"))
            }
            other => other.map(|(model, grid)| (model, Ok(grid))),
        }
    }

    /// Why no candidate is scored, if none is.
    pub(super) fn unscored(&self) -> Option<String> {
        let search = &self.args.search;
        match () {
            () if search.no_score => Some("not computed (--no-score)".into()),
            () if search.alpha == [0.0] => {
                Some("not available: cross-validation requires --alpha greater than 0".into())
            }
            () => None,
        }
    }

    /// What a search by `validation` compares.
    pub(super) fn search_params(
        &self,
        model: &KernelRidgeParams,
        kernels: Vec<KernelSpec>,
        validation: Validation,
    ) -> SearchParams {
        let args = &self.args.search;
        SearchParams {
            model: model.clone(),
            kernels,
            alphas: match self.args.optimize.optimize {
                Some(_) => Some(model.alpha.clone()),
                None => (!args.alpha.is_empty()).then(|| args.alpha.clone()),
            },
            validation,
            per_target: args.alpha_per_target,
        }
    }

    fn search(
        &self,
        session: &Session,
        kernels: Vec<KernelSpec>,
        model: &KernelRidgeParams,
        x: &Input<'_>,
    ) -> Result<(KernelRidge, Grid)> {
        let args = &self.args.search;
        let folds = self.folds(x.n())?;
        let validation = match (&folds, args.gcv) {
            (Some(folds), _) => Validation::Folds(folds.folds.clone()),
            (None, true) => Validation::Gcv,
            (None, false) => Validation::LeaveOneOut,
        };
        let params = self.search_params(model, kernels, validation);
        let metric = self.metric();
        let recorder = Recorder::new(&*metric);
        let is_one_by_one = matches!(params.validation, Validation::LeaveOneOut);
        let judge: &dyn Metric = if is_one_by_one { &recorder } else { &*metric };
        let select::Search { mut model, kernels, tables, chosen } =
            select::search(&session.context, &params, x, &self.targets, judge)?;
        let left_out = recorder.of(&tables, &chosen);
        let kernels = names_of(&kernels);
        let mut grid = Grid { kernels, tables, chosen, left_out, notes: Vec::new() };
        if let Some(folds) = folds {
            grid.describe(&mut model, folds);
        }
        Ok((model, grid))
    }

    /// The parameters of a fit with `kernel`.
    pub(super) fn params(&self, kernel: &KernelSpec) -> KernelRidgeParams {
        let (search, ridge) = (&self.args.search, &self.args.ridge);
        {
            let mut changed = KernelRidgeParams::new(kernel.clone());
            changed.alpha = vec![search.alpha.first().copied().unwrap_or(1.0)];
            changed.intercept = !ridge.no_intercept;
            changed.solver = ridge.solver.into();
            changed.tolerance = ridge.tolerance;
            changed.seed = search.seed;
            changed.landmarks = self.args.landmarks.params(search.seed);
            changed
        }
    }
}
