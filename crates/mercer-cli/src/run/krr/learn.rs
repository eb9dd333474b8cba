//! The fit: by a search over kernels and penalties, or plain where there is nothing to choose.

use mercer::io::{Column, Model, Table};
use mercer::linalg::view::Mat;
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams, Targets};
use mercer::model::{Scaling, classes};
use mercer::real::Real;
use mercer::select::{self, Accuracy, Metric, SearchParams, SquaredError, Validation};
use mercer::{Error, KernelSpec, Result};

use crate::args::KrrArgs;
use crate::data::{Basis, Prepared};
use crate::run::Session;
use crate::run::columns::{self, Wanted};
use crate::run::evaluate::predictions;
use crate::run::kernels::{every_width, names_of};
use crate::scores::{Measure, Scored, Scores, variance};

/// What is to be learned, in numbers.
pub struct Lesson {
    /// n × targets, or n × classes.
    pub values: Mat<f64>,
    /// The names of the classes.
    pub classes: Option<Vec<String>>,
    /// How much each row counts.
    pub weights: Option<Vec<f64>>,
}

/// What is learned.
pub struct Task<'a> {
    /// The command line.
    pub args: &'a KrrArgs,
    /// The targets.
    pub wanted: Lesson,
    /// The variance of each; none where it is constant.
    pub variances: Vec<Option<f64>>,
}

/// What was learned.
pub struct Learned {
    /// The model.
    pub model: Model,
    /// The scaling of its rows.
    pub scaling: Option<Scaling>,
    /// The scores of all that was compared; or why there are none.
    pub grid: std::result::Result<Grid, String>,
    /// Predictions for the rows it learned from, if they are asked for.
    pub fitted: Option<Mat<f64>>,
}

/// The scores of all that was compared.
pub struct Grid {
    /// The kernels.
    pub kernels: Vec<String>,
    /// Their scores.
    pub tables: Vec<select::Table>,
    /// The choice.
    pub chosen: select::Chosen,
}

impl Lesson {
    fn of(wanted: Wanted) -> Result<Self> {
        let (classes, values) = match wanted.targets {
            columns::Targets::Classes(names) => {
                let (classes, values) = classes::encode(&names)?;
                (Some(classes), values)
            }
            columns::Targets::Values(values) => {
                let n = values.first().map_or(0, Vec::len);
                (None, Mat::from_fn(n, values.len(), |i, j| values[j][i]))
            }
            columns::Targets::Nothing => unreachable!("a regression has a target"),
        };
        Ok(Self { values, classes, weights: wanted.weights })
    }
}

impl<'a> Task<'a> {
    /// The task to learn what is `wanted`.
    pub fn new(args: &'a KrrArgs, wanted: Wanted) -> Result<Self> {
        let wanted = Lesson::of(wanted)?;
        let (values, weights) = (&wanted.values, wanted.weights.as_deref());
        let column = |j: usize| (0..values.rows()).map(|i| values[(i, j)]).collect::<Vec<f64>>();
        let variances = (0..values.cols()).map(|j| variance(&column(j), weights)).collect();
        Ok(Self { args, wanted, variances })
    }

    /// What scores count.
    pub fn measure(&self) -> Measure {
        match (&self.wanted.classes, self.args.search.gcv) {
            (None, _) => Measure::Rmse,
            (Some(_), true) => Measure::RmseOfClasses,
            (Some(_), false) => Measure::Accuracy,
        }
    }

    /// The scores of what was chosen.
    pub fn scores(&self, grid: &Grid) -> Scores {
        let (measure, chosen) = (self.measure(), &grid.chosen);
        let table = &grid.tables[chosen.kernel];
        let of = |j: usize| {
            let a = chosen.alphas[if chosen.alphas.len() == 1 { 0 } else { j }];
            let (value, spread) = (table.scores[(a, j)], table.std_errors[(a, j)]);
            Scored::of(measure, select::Score { value, std_error: spread }, self.variances[j])
        };
        let is_number = measure == Measure::Rmse;
        let only =
            self.variances.first().copied().flatten().filter(|_| self.wanted.values.cols() == 1);
        Scores {
            overall: Scored::of(measure, chosen.score, only.filter(|_| is_number)),
            targets: match self.wanted.values.cols() {
                t if is_number && t > 1 => (0..t).map(of).collect(),
                _ => Vec::new(),
            },
            kernels: Some(grid.kernels.len()),
            constant: is_number && self.variances == [None],
        }
    }

    /// All kernels that were compared, each with its best penalty, the best first.
    pub fn best(&self, grid: &Grid) -> Table {
        let measure = self.measure();
        let scored = |table: &select::Table, a: usize| Scored::of(measure, table.score(a), None);
        let mut rows: Vec<(&str, [f64; 3])> = grid
            .kernels
            .iter()
            .zip(&grid.tables)
            .enumerate()
            .map(|(place, (kernel, table))| {
                // Of equals the search knows which it took, and else the first is as good as others.
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

    /// Learns from `rows`.
    pub fn learn<T: Real>(
        &self,
        session: &Session,
        rows: Prepared<T>,
        wrap: impl FnOnce(KernelRidge<T>) -> Model,
    ) -> Result<Learned> {
        let (x, scaling) = (rows.basis, rows.scaling);
        let kernels = every_width(&self.args.search.kernel, &x)?;
        self.check(&kernels)?;
        let (mut model, grid) = self.found(session, kernels, &x)?;
        model.classes = self.wanted.classes.clone();
        let is_wanted = self.args.output.is_some() || self.args.page.report.is_some();
        let fitted = match is_wanted {
            true => Some(predictions(session, &model, &x)?),
            false => None,
        };
        Ok(Learned { model: wrap(model), scaling, grid, fitted })
    }

    /// Refuses flags that contradict what the table holds.
    fn check(&self, kernels: &[KernelSpec]) -> Result<()> {
        let search = &self.args.search;
        let (count, alphas) = (kernels.len(), search.alpha.len());
        let is_single = count == 1 && alphas == 1;
        if search.alpha_per_target
            && (self.wanted.values.cols() == 1 || self.wanted.classes.is_some())
        {
            let message = "there is one target, or classes, which share a penalty";
            return Err(Error::parameter("--alpha-per-target", message));
        }
        if search.alpha_per_target && alphas == 1 {
            let message = "there is one --alpha, and nothing to choose";
            return Err(Error::parameter("--alpha-per-target", message));
        }
        if search.no_score && !is_single {
            let message = format!(
                "there are {count} kernels and {alphas} penalties to choose from: name one kernel with its width, such \
                 as 'rbf(gamma=scale)', and one --alpha"
            );
            return Err(Error::parameter("--no-score", message));
        }
        if search.alpha == [0.0] && !is_single {
            let message = format!(
                "0 cannot be cross-validated, so it does not choose among {count} kernels: name one with its width, \
                 such as 'rbf(gamma=scale)'"
            );
            return Err(Error::parameter("alpha", message));
        }
        if search.alpha == [0.0] && !self.args.plot.is_empty() {
            let message = "there are no scores to draw: cross-validation needs an --alpha above 0";
            return Err(Error::parameter("--plot", message));
        }
        Ok(())
    }

    /// The model, and the scores or the reason why there are none.
    fn found<T: Real>(
        &self,
        session: &Session,
        kernels: Vec<KernelSpec>,
        x: &Basis<T>,
    ) -> Result<(KernelRidge<T>, std::result::Result<Grid, String>)> {
        let search = &self.args.search;
        let is_single = kernels.len() == 1 && search.alpha.len() == 1;
        let params = self.params(&kernels[0]);
        let plain = |why: String| {
            let (context, targets) = (&session.context, self.rows());
            let model = match x {
                Basis::Samples(x) => KernelRidge::fit(context, &params, x, targets, None)?,
                Basis::Matrix(values) => {
                    KernelRidge::fit_gram(context, &params, values.view(), targets, None)?
                }
            };
            Ok((model, Err(why)))
        };
        if search.no_score {
            return plain("not looked into".into());
        }
        if search.alpha == [0.0] {
            return plain("none, because cross-validation needs an --alpha above 0".into());
        }
        match self.search(session, kernels, &params, x) {
            // One candidate can be fitted where there is no room to judge it.
            Err(error) if error.is_memory() && is_single && self.args.plot.is_empty() => {
                plain(format!("none, because {error}"))
            }
            other => other.map(|(model, grid)| (model, Ok(grid))),
        }
    }

    fn search<T: Real>(
        &self,
        session: &Session,
        kernels: Vec<KernelSpec>,
        model: &KernelRidgeParams,
        x: &Basis<T>,
    ) -> Result<(KernelRidge<T>, Grid)> {
        let args = &self.args.search;
        let validation = match (args.folds, args.gcv) {
            (Some(count), _) => Validation::Folds(select::folds(x.n(), count as usize, args.seed)?),
            (None, true) => Validation::Gcv,
            (None, false) => Validation::LeaveOneOut,
        };
        let params = SearchParams {
            model: model.clone(),
            kernels,
            alphas: (!args.alpha.is_empty()).then(|| args.alpha.clone()),
            validation,
            per_target: args.alpha_per_target,
        };
        let (targets, weights) = (&self.wanted.values, self.wanted.weights.as_deref());
        let judge: &dyn Metric = match self.wanted.classes {
            None => &SquaredError { targets, weights },
            Some(_) => &Accuracy { targets, weights },
        };
        let (context, rows) = (&session.context, self.rows());
        let select::Search { model, kernels, tables, chosen } = match x {
            Basis::Samples(x) => select::search(context, &params, x, rows, judge)?,
            Basis::Matrix(values) => {
                select::search_gram(context, &params, values.view(), rows, judge)?
            }
        };
        Ok((model, Grid { kernels: names_of(&kernels), tables, chosen }))
    }

    fn rows(&self) -> Targets<'_> {
        Targets { values: &self.wanted.values, weights: self.wanted.weights.as_deref() }
    }

    fn params(&self, kernel: &KernelSpec) -> KernelRidgeParams {
        let (search, ridge) = (&self.args.search, &self.args.ridge);
        KernelRidgeParams {
            alpha: vec![search.alpha.first().copied().unwrap_or(1.0)],
            intercept: !ridge.no_intercept,
            solver: ridge.solver.into(),
            tolerance: ridge.tolerance,
            seed: search.seed,
            ..KernelRidgeParams::new(kernel.clone())
        }
    }
}
