//! Searches among low-rank fits on landmarks.
//!
//! A kernel costs one fit: its rows are added up once, and one decomposition of the landmarks' m × m matrix serves all penalties and targets. Generalised
//! cross-validation needs nothing more. Leave-one-out takes one more pass over the rows, for all penalties together, and is exact for landmarks that stay:
//! what leaving a row out would change in the choice of landmarks is not counted. Folds are fits of their own, landmarks included.

use std::time::Instant;

use super::criterion::Criterion;
use super::folds::Fold;
use super::grid::{Size, alphas_for};
use super::hits::Hits;
use super::kernel_ridge::{Search, SearchParams, Validation, record_selection};
use super::metric::{ACCURACY, Metric, SQUARED_ERROR, Score};
use super::part::{Part, check_count, check_penalties};
use super::progress::pass_of;
use super::squares::Squares;
use super::table::{Chosen, Table};
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::ExactSums;
use crate::linalg::view::Mat;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use crate::model::landmarks::{
    Basis, Beside, Checked, Evaluated, Fit, FullSystem, LandmarkParams, LandmarkRidge, Observed,
    Packet, RidgeRows, RowBlocks, Whole, Work, direct_bytes, prepared, required, rows_bytes,
    samples_of,
};
use crate::model::{Input, Targets};
use crate::points::{AnySamples, Dtype, with_dtype};
use crate::real::Real;

/// Penalties of a grid that is chosen from the data, at most: three per decade.
const PENALTIES: usize = 64;

/// The search over samples in memory.
pub(super) fn search(
    ctx: &Context,
    params: &SearchParams,
    input: Input<'_>,
    targets: &Targets,
    metric: &dyn Metric,
) -> Result<Search> {
    let x = samples_of(input)?;
    let part = Part::new(params, x.n(), targets)?;
    let values = targets.regressed()?;
    let weights = targets.weights.as_deref();
    let known = Judge::All(Known { x: &x, values: &values, weights, part: &part, metric });
    let mut source = Whole::new(x.clone(), Some(&values), weights);
    let mut found = with_dtype!(x.dtype(), T => run::<T>(ctx, params, &mut source, &known))?;
    found.model.classes = targets.class_labels().map(|labels| labels.names.clone());
    Ok(found)
}

/// A search over rows that come in blocks with their targets, by the squared error or, for classes, by the accuracy, which add up over rows; without folds. Each
/// kernel reads the rows two times, and once more for leave-one-out.
#[doc(hidden)]
pub fn search_blocks(
    ctx: &Context,
    params: &SearchParams,
    source: &mut dyn RowBlocks,
    dtype: Dtype,
    criterion: Criterion,
) -> Result<Search> {
    let started = Instant::now();
    check_penalties(params.alphas.as_deref())?;
    if let Validation::Folds(_) = params.validation {
        let message =
            "rows in blocks are compared by leave-one-out or generalised cross-validation";
        return Err(Error::parameter(Param::Folds, message));
    }
    let judge = match criterion {
        Criterion::Rmse => Judge::Squares,
        Criterion::Accuracy => Judge::Hits,
        other => {
            let message = format!(
                "rows in blocks are compared by the squared error or the accuracy, which add up over rows, not by {}",
                other.name()
            );
            return Err(Error::parameter(Param::Named("metric"), message));
        }
    };
    let mut found = with_dtype!(dtype, T => run::<T>(ctx, params, source, &judge))?;
    found.model.report.seconds = started.elapsed().as_secs_f64();
    Ok(found)
}

/// Goes on with a search by generalised cross-validation, which needs nothing but sums over the rows: those of a model that keeps them and those of a source. The
/// kernel and the landmarks stay, and the penalty is chosen anew, one for each target if wanted.
#[doc(hidden)]
pub fn continue_search(
    ctx: &Context,
    model: &KernelRidge,
    (alphas, per_target): (Option<Vec<f64>>, bool),
    source: &mut dyn RowBlocks,
) -> Result<Search> {
    let started = Instant::now();
    check_penalties(alphas.as_deref())?;
    let (kernels, validation) = (vec![model.params.kernel.clone()], Validation::Gcv);
    let model_params = model.params.clone();
    let params = SearchParams { model: model_params, kernels, alphas, validation, per_target };
    let mut found = with_dtype!(model.dtype, T => of_more::<T>(ctx, &params, model, source))?;
    found.model.forget_rows();
    found.model.report.seconds = started.elapsed().as_secs_f64();
    Ok(found)
}

fn of_more<T: Real>(
    ctx: &Context,
    params: &SearchParams,
    model: &KernelRidge,
    source: &mut dyn RowBlocks,
) -> Result<Search> {
    let landmarks = required(params.model.landmarks.as_ref())?;
    let of = OfKernel { params, landmarks, judge: &Judge::Squares, place: 0 };
    let ridge = LandmarkRidge::<T>::of_more(ctx, model, source)?;
    let alphas = of.alphas(&ridge);
    let scored = Scored::from(of.gcv(&ridge, alphas, ridge.landmarks.rows));
    let tables = vec![scored.table.clone()];
    let chosen = Chosen::among(&tables, params.per_target)?;
    let (mut model, _) = self::model(ctx, params, ridge, &scored, &chosen)?;
    let kernels = params.kernels.clone();
    record_selection(&mut model, params, Some(&kernels), &tables, &chosen, SQUARED_ERROR.into());
    Ok(Search { model, kernels, tables, chosen })
}

/// By what candidates are compared.
enum Judge<'a> {
    /// By a metric of all samples, which are in memory.
    All(Known<'a>),
    /// By squared errors, added up over rows.
    Squares,
    /// By the classes that are found, added up over rows.
    Hits,
}

impl Judge<'_> {
    /// The samples in memory, if they are.
    fn known(&self) -> Option<&Known<'_>> {
        match self {
            Judge::All(known) => Some(known),
            Judge::Squares | Judge::Hits => None,
        }
    }

    fn name(&self) -> String {
        match self {
            Judge::All(known) => known.metric.name(),
            Judge::Squares => SQUARED_ERROR.into(),
            Judge::Hits => ACCURACY.into(),
        }
    }
}

/// The names of the passes that compare penalties elsewhere.
const SQUARES: &str = "squares";
const HITS: &str = "hits";

/// Scores that are added up over rows.
enum Judged {
    Squares(Squares),
    Hits(Hits),
}

impl Judged {
    fn add(&mut self, rows: &Evaluated) {
        match self {
            Judged::Squares(squares) => squares.add(rows),
            Judged::Hits(hits) => hits.add(rows),
        }
    }

    fn sums(self) -> ExactSums {
        match self {
            Judged::Squares(squares) => squares.sums(),
            Judged::Hits(hits) => hits.sums(),
        }
    }

    fn with(self, t: usize, sums: ExactSums) -> Self {
        match self {
            Judged::Squares(_) => Judged::Squares(Squares::of(t, sums)),
            Judged::Hits(_) => Judged::Hits(Hits::of(t, sums)),
        }
    }

    fn count(&self) -> usize {
        match self {
            Judged::Squares(squares) => squares.count(),
            Judged::Hits(hits) => hits.count(),
        }
    }

    fn scores(&self, a: usize) -> Vec<Score> {
        match self {
            Judged::Squares(squares) => squares.scores(a),
            Judged::Hits(hits) => vec![hits.score(a)],
        }
    }
}

/// The pass that compares penalties on parts of the rows.
struct CompareWork<T: Real> {
    basis: Basis<T>,
    checked: Checked<T>,
    pass: Packet,
}

impl<T: Real> CompareWork<T> {
    fn new(ctx: &Context, pass: &Packet) -> Result<Self> {
        let (basis, checked) = (Basis::of_packet(ctx, pass)?, Checked::of_packet(pass)?);
        Ok(Self { basis, checked, pass: pass.clone() })
    }
}

impl<T: Real> Work for CompareWork<T> {
    fn part(
        &self,
        ctx: &Context,
        _: u64,
        source: &mut dyn RowBlocks,
        _: &Beside,
    ) -> Result<Packet> {
        let t = self.pass.reals("means")?.len();
        let penalties = self.pass.reals("offset")?.len() / t.max(1);
        let mut judged = match self.pass.name == HITS {
            true => Judged::Hits(Hits::new(penalties, t)?),
            false => Judged::Squares(Squares::new(penalties, t)?),
        };
        let with = (&self.basis, &self.checked, &self.pass);
        let (system, rows) = RidgeRows::part(ctx, with, source, &mut |rows| {
            judged.add(rows);
            Ok(())
        })?;
        Ok(Packet::new(&self.pass.name).with_sums(judged.sums().joined(system), rows))
    }
}

/// Prepares a pass over rows that lie elsewhere, of a fit or of a search.
#[doc(hidden)]
pub fn prepared_pass(ctx: &Context, pass: &Packet) -> Result<Box<dyn Work>> {
    if pass.name != SQUARES && pass.name != HITS {
        return prepared(ctx, pass);
    }
    with_dtype!(pass.samples("landmarks")?.dtype(), T => {
        Ok(Box::new(CompareWork::<T>::new(ctx, pass)?))
    })
}

/// What takes less memory than a search, whose decomposition serves all penalties.
const WITHOUT_SCORES: &str =
    "fit one kernel with one penalty without comparing any, by conjugate gradients";

/// What a search over samples in memory knows beside their rows.
struct Known<'a> {
    x: &'a AnySamples,
    values: &'a Mat<f64>,
    weights: Option<&'a [f64]>,
    part: &'a Part<'a>,
    metric: &'a dyn Metric,
}

/// The scores of a kernel, and what was found beside them.
struct Scored {
    table: Table,
    /// For each penalty and target.
    full_systems: Vec<FullSystem>,
    left_out_error: Option<f64>,
}

impl From<Table> for Scored {
    fn from(table: Table) -> Self {
        Self { table, full_systems: Vec::new(), left_out_error: None }
    }
}

fn run<T: Real>(
    ctx: &Context,
    params: &SearchParams,
    source: &mut dyn RowBlocks,
    judge: &Judge<'_>,
) -> Result<Search> {
    let landmarks = required(params.model.landmarks.as_ref())?;
    let count = params.kernels.len();
    if count == 0 {
        return Err(Error::parameter(Param::Kernel, "at least one kernel is required"));
    }
    let passes = if params.validation == Validation::LeaveOneOut { 3 } else { 2 };
    // Refused at once where the rows cannot be read so often.
    source.rewind(passes * count)?;
    let mut source = Observed::<T>::new(ctx, source, landmarks.seed);
    let (mut kernels, mut tables, mut best, mut is_whole) = (Vec::new(), Vec::new(), None, true);
    for place in 0..count {
        let of = OfKernel { params, landmarks, judge, place };
        let (ridge, scored) = match of.scored::<T>(ctx, &mut source) {
            Err(Error::Interrupted) if !tables.is_empty() && ctx.is_out_of_time() => {
                is_whole = false;
                break;
            }
            other => other?,
        };
        kernels.push(ridge.basis.spec.clone());
        tables.push(scored.table.clone());
        // A table without finite scores is never the best.
        let chosen = Chosen::among(&tables, params.per_target).ok();
        if let Some(chosen) = chosen.filter(|chosen| chosen.kernel == place) {
            best = Some(model(ctx, params, ridge, &scored, &chosen)?);
        }
    }
    let chosen = Chosen::among(&tables, params.per_target)?;
    let missing =
        || Error::Numeric("no combination of kernel and penalty has a finite score".into());
    let (mut model, norms) = best.ok_or_else(missing)?;
    let is_open = model.report.landmarks.as_ref().is_some_and(|found| found.full_system.is_none());
    // What was seen of rows in a pass that did not end is no sample of all of them.
    if is_open && is_whole {
        let ctx = ctx.without_steps().without_time_limit();
        model.certify(&ctx, &mut source, &norms)?;
    }
    record_selection(&mut model, params, Some(&kernels), &tables, &chosen, judge.name());
    Ok(Search { model, kernels, tables, chosen })
}

/// The model of a kernel with the penalties that were chosen, and ‖f‖² of its functions.
fn model<T: Real>(
    ctx: &Context,
    params: &SearchParams,
    mut ridge: LandmarkRidge<T>,
    scored: &Scored,
    chosen: &Chosen,
) -> Result<(KernelRidge, Vec<f64>)> {
    let alphas = &chosen.alphas;
    let alpha = alphas.iter().map(|&a| scored.table.alphas[a]).collect();
    let t = ridge.problem.t();
    let systems = (0..t).filter_map(|j| {
        let a = alphas[if alphas.len() == 1 { 0 } else { j }];
        scored.full_systems.get(a * t + j)
    });
    ridge.landmarks.full_system = systems.cloned().reduce(FullSystem::worse);
    ridge.landmarks.left_out_error = scored.left_out_error;
    let kernel = ridge.basis.spec.clone();
    let params = KernelRidgeParams { kernel, alpha, ..params.model.clone() };
    ridge.into_model(&ctx.without_time_limit(), &params)
}

/// One kernel of a search.
struct OfKernel<'a> {
    params: &'a SearchParams,
    landmarks: &'a LandmarkParams,
    judge: &'a Judge<'a>,
    place: usize,
}

impl OfKernel<'_> {
    /// The fit of the kernel for all penalties, and their scores.
    fn scored<T: Real>(
        &self,
        ctx: &Context,
        source: &mut Observed<'_, T>,
    ) -> Result<(LandmarkRidge<T>, Scored)> {
        let (kernel, intercept) = (&self.params.kernels[self.place], self.params.model.intercept);
        let first = self.share(ctx, 0);
        let needed = |fit: &Fit| self.bytes::<T>(fit);
        let ridge =
            LandmarkRidge::<T>::read(&first, kernel, self.landmarks, intercept, source, &needed)
                .map_err(|error| error.or_hint(WITHOUT_SCORES))?;
        let positive = source.positive()?;
        check_count(usize::try_from(positive).unwrap_or(usize::MAX))?;
        let alphas = self.alphas(&ridge);
        let scored = match &self.params.validation {
            Validation::Gcv => self.gcv(&ridge, alphas, positive).into(),
            Validation::LeaveOneOut => self.leave_one_out(ctx, &ridge, alphas, source)?,
            Validation::Folds(_) => self.folds::<T>(ctx, &ridge, alphas)?.into(),
        };
        Ok((ridge, scored))
    }

    /// Bytes of a fit, and of the pass for leave-one-out.
    fn bytes<T: Real>(&self, fit: &Fit) -> u64 {
        let penalties = self.params.alphas.as_ref().map_or(PENALTIES, Vec::len);
        let rows = match self.params.validation {
            Validation::LeaveOneOut => rows_bytes(fit.m, penalties, fit.t.max(1)),
            _ => 0,
        };
        direct_bytes::<T>(fit).saturating_add(rows)
    }

    /// A context that reports part `part` of the work of this kernel as a share of the whole search.
    fn share(&self, ctx: &Context, part: usize) -> Context {
        let parts = match &self.params.validation {
            Validation::Gcv => 1,
            Validation::LeaveOneOut => 2,
            Validation::Folds(folds) => 1 + folds.len(),
        };
        pass_of(ctx, self.place * parts + part, self.params.kernels.len() * parts)
    }

    /// The penalties to compare: those given, or a grid by the spread of the samples in feature space.
    fn alphas<T: Real>(&self, ridge: &LandmarkRidge<T>) -> Vec<f64> {
        if let Some(alphas) = &self.params.alphas {
            return alphas.clone();
        }
        let ((spread, mean), weight) = (ridge.sizes(), ridge.problem.reduced.weight);
        let (path, root) = (&ridge.problem.path, (ridge.landmarks.rows as f64).sqrt());
        let rounding = root * T::EPSILON * path.norm();
        let size = Size {
            spread,
            mean: if self.params.model.intercept { spread } else { mean },
            noise: rounding.max(path.noise(f64::EPSILON)),
        };
        alphas_for(size, weight.ceil() as usize)
    }

    fn table(&self, alphas: Vec<f64>, variances: Vec<f64>) -> Table {
        let unit = |v: f64| if v > 0.0 && v.is_finite() { v } else { 1.0 };
        match self.judge {
            Judge::All(known) => Table::new(alphas, known.metric),
            Judge::Squares => Table::with_units(alphas, variances.into_iter().map(unit).collect()),
            Judge::Hits => Table::with_units(alphas, Vec::new()),
        }
    }

    fn gcv<T: Real>(&self, ridge: &LandmarkRidge<T>, alphas: Vec<f64>, count: u64) -> Table {
        let errors = ridge.problem.gcv(&alphas, count);
        let mut table = self.table(alphas, ridge.variances());
        for a in 0..errors.rows() {
            let score = |v: &f64| Score { value: -v, std_error: f64::NAN };
            table.push(errors.row(a).iter().map(score).collect());
        }
        table
    }

    fn leave_one_out<T: Real>(
        &self,
        ctx: &Context,
        ridge: &LandmarkRidge<T>,
        alphas: Vec<f64>,
        source: &mut Observed<'_, T>,
    ) -> Result<Scored> {
        let t = ridge.problem.t();
        let checked = source.checked()?;
        let pass = RidgeRows::new(ctx, ridge, &alphas, true)?;
        let ctx = &self.share(ctx, 1);
        let mut table = self.table(alphas.clone(), ridge.variances());
        if let Some(workers) = source.workers() {
            let is_hits = matches!(self.judge, Judge::Hits);
            let (name, mut judged) = match is_hits {
                true => (HITS, Judged::Hits(Hits::new(alphas.len(), t)?)),
                false => (SQUARES, Judged::Squares(Squares::new(alphas.len(), t)?)),
            };
            let what = (name, judged.count());
            let (sums, found) = pass.read_elsewhere(ctx, workers, &checked, what)?;
            judged = judged.with(t, sums);
            (0..alphas.len()).for_each(|a| table.push(judged.scores(a)));
            let (full_systems, left_out_error) = (found.full_systems, found.left_out_error);
            return Ok(Scored { table, full_systems, left_out_error });
        }
        let found = match self.judge {
            Judge::All(known) if !known.metric.is_squared_error() => {
                let rows = known.part.rows(0..known.part.n());
                let hint = "use the squared error, which needs no predictions in memory, or fewer penalties";
                let bytes = 8 * (rows.len() * t * alphas.len()) as u64;
                let _reservation = ctx.reserve("the predictions of all penalties", bytes, hint)?;
                let mut all = Predictions::new(alphas.len(), rows.len(), t)?;
                let found = pass.read(ctx, source, Some(&checked), |rows| {
                    all.add(rows);
                    Ok(())
                })?;
                all.score(known.metric, &rows, &mut table)?;
                found
            }
            Judge::Hits => {
                let mut hits = Hits::new(alphas.len(), t)?;
                let found = pass.read(ctx, source, Some(&checked), |rows| {
                    hits.add(rows);
                    Ok(())
                })?;
                (0..alphas.len()).for_each(|a| table.push(vec![hits.score(a)]));
                found
            }
            Judge::All(_) | Judge::Squares => {
                let mut squares = Squares::new(alphas.len(), t)?;
                let found = pass.read(ctx, source, Some(&checked), |rows| {
                    squares.add(rows);
                    Ok(())
                })?;
                (0..alphas.len()).for_each(|a| table.push(squares.scores(a)));
                found
            }
        };
        let (full_systems, left_out_error) = (found.full_systems, found.left_out_error);
        Ok(Scored { table, full_systems, left_out_error })
    }

    /// Fits of their own to each fold, with landmarks chosen from its training samples.
    fn folds<T: Real>(
        &self,
        ctx: &Context,
        ridge: &LandmarkRidge<T>,
        alphas: Vec<f64>,
    ) -> Result<Table> {
        let known = self.judge.known();
        let known =
            known.ok_or_else(|| Error::parameter(Param::Folds, "at least one fold is required"))?;
        let mut tables = Vec::new();
        for (place, fold) in known.part.folds.iter().enumerate() {
            let ctx = self.share(ctx, 1 + place);
            tables.push(self.fold::<T>(&ctx, ridge, &alphas, (known, fold))?);
        }
        Ok(Table::mean(&tables))
    }

    fn fold<T: Real>(
        &self,
        ctx: &Context,
        ridge: &LandmarkRidge<T>,
        alphas: &[f64],
        (known, fold): (&Known<'_>, &Fold),
    ) -> Result<Table> {
        let (kernel, intercept) = (&ridge.basis.spec, self.params.model.intercept);
        let rows = |places: &[usize]| known.part.rows(places.iter().copied());
        let (train, test) = (rows(&fold.train), rows(&fold.test));
        let (y, weights) = known.of(&train);
        let mut source = Whole::new(known.x.select(&train), Some(&y), weights.as_deref());
        let needed = &direct_bytes::<T>;
        let landmarks = self.landmarks;
        let fitted =
            LandmarkRidge::<T>::read(ctx, kernel, landmarks, intercept, &mut source, needed)?;
        let (y, _) = known.of(&test);
        let mut source = Whole::new(known.x.select(&test), Some(&y), None);
        let mut all = Predictions::new(alphas.len(), test.len(), y.cols())?;
        let pass = RidgeRows::new(ctx, &fitted, alphas, false)?;
        pass.read(&ctx.without_steps(), &mut source, None, |rows| {
            all.add(rows);
            Ok(())
        })?;
        let mut table = Table::new(alphas.to_vec(), known.metric);
        all.score(known.metric, &test, &mut table)?;
        Ok(table)
    }
}

impl Known<'_> {
    /// The targets and weights of some rows.
    fn of(&self, rows: &[usize]) -> (Mat<f64>, Option<Vec<f64>>) {
        let y = Mat::from_fn(rows.len(), self.values.cols(), |i, j| self.values[(rows[i], j)]);
        (y, self.weights.map(|w| rows.iter().map(|&row| w[row]).collect()))
    }
}

/// The predictions of all penalties for the rows that count.
struct Predictions {
    /// For each penalty, rows × targets.
    all: Vec<Mat<f64>>,
    filled: usize,
}

impl Predictions {
    fn new(penalties: usize, rows: usize, t: usize) -> Result<Self> {
        let all = (0..penalties).map(|_| Mat::try_zeros(rows, t)).collect::<Result<_>>()?;
        Ok(Self { all, filled: 0 })
    }

    fn add(&mut self, rows: &Evaluated) {
        let t = rows.targets.cols();
        for (i, _) in rows.weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            for (to, from) in self.all.iter_mut().zip(rows.predicted.row(i).chunks_exact(t)) {
                to.row_mut(self.filled).copy_from_slice(from);
            }
            self.filled += 1;
        }
    }

    fn score(&self, metric: &dyn Metric, rows: &[usize], table: &mut Table) -> Result<()> {
        self.all.iter().try_for_each(|predicted| {
            table.push(metric.scores(rows, predicted)?);
            Ok(())
        })
    }
}
