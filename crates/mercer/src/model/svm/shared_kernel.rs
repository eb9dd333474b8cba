//! Samples or a matrix on which several models are fitted, with kernel values that all fits share.

use std::time::Instant;

use super::assemble::{Computed, assemble};
use super::check::Checked;
use super::exact_kernel::{ExactKernel, Given, Working};
use super::fit::Fit;
use super::precision::KernelPrecision;
use super::problem::{DualProblem, DualSolution};
use super::{Svm, SvmParams, notes};
use crate::context::{Context, Reservation, try_pieces};
use crate::error::{Error, Result};
use crate::gram::{ColumnBlock, Columns, Stored};
use crate::kernel::{KernelSpec, Tile};
use crate::linalg::alloc;
use crate::linalg::pairs::{LANES, add_rows};
use crate::linalg::view::Mat;
use crate::model::input::{Input, symmetric};
use crate::model::targets::Targets;
use crate::points::{AnySamples, Cost, Samples, with_matrix, with_samples};
use crate::real::Real;
use crate::solve::smo::{MemoryPlan, Solver, Stop, Variable};

/// A kernel on samples, or a matrix, shared by several exact fits.
pub(crate) struct ExactShared<'a> {
    source: Box<dyn ExactKernel + 'a>,
    /// The samples, with the kernel as it was resolved; `None` for a matrix.
    samples: Option<(AnySamples, KernelSpec)>,
    /// All kernel values, where they fit in memory.
    held: Option<AllValues>,
    _reservation: Option<Reservation>,
}

/// All kernel values, with what they take of the budget.
pub(super) struct Materialized<S> {
    pub matrix: Mat<S>,
    _reservation: Reservation,
}

/// All kernel values, in numbers of either type.
enum AllValues {
    Single(Materialized<f32>),
    Double(Materialized<f64>),
}

/// Rows of kernel values that are computed at a time.
const ROWS: usize = 64;

/// Bytes of all kernel values of n samples.
pub(crate) fn matrix_bytes<S>(n: usize) -> u64 {
    (n as u64).saturating_mul(n as u64).saturating_mul(size_of::<S>() as u64)
}

/// Numbers read for a kernel value up to which it is computed in the time that reading it would take.
const QUICK: usize = 16;
/// Samples from which on that counts: fewer are worked on all at once where kernel values are in memory.
const MANY: usize = 8192;
/// Rows and columns of a tile that is not kept.
const SIDE: usize = 256;

/// Whether kernel values are rather computed again than kept.
fn is_quick<S: Real>(columns: &dyn Columns<S>) -> bool {
    columns.size() >= MANY && columns.cost().eval_cost <= QUICK
}

/// All kernel values, if they take at most half of what is left of the budget, and if it pays to keep them.
pub(super) fn materialize<S: Real>(
    ctx: &Context,
    columns: &dyn Columns<S>,
) -> Result<Option<Materialized<S>>> {
    let n = columns.size();
    match is_quick(columns) || matrix_bytes::<S>(n) > ctx.budget() / 2 {
        true => Ok(None),
        false => Materialized::new(ctx, columns).map(Some),
    }
}

impl<S: Real> Materialized<S> {
    /// Evaluates all kernel values.
    pub fn new(ctx: &Context, columns: &dyn Columns<S>) -> Result<Self> {
        let n = columns.size();
        let hint = "fit on fewer rows or raise the memory budget";
        let reservation = ctx.reserve("the kernel matrix", matrix_bytes::<S>(n), hint)?;
        let mut matrix = Mat::try_zeros(n, n)?;
        let block = columns.column_block(&(0..n).collect::<Vec<_>>());
        ctx.install(|| {
            try_pieces(matrix.data_mut(), (ROWS * n).max(1), &|piece, lines| {
                ctx.poll()?;
                let rows = piece * ROWS..piece * ROWS + lines.len() / n;
                let tile = Tile::new(lines, rows.len(), n, n);
                block.fill(rows, 0..n, tile)
            })
        })?;
        Ok(Self { matrix, _reservation: reservation })
    }
}

/// Kernel values of test samples with training samples, row by row: stored, or recomputed each time.
struct Across<'a, S> {
    block: Box<dyn ColumnBlock<S> + 'a>,
    test: &'a [usize],
    width: usize,
    values: Option<(Vec<S>, Reservation)>,
}

/// Kernel values that are computed at a time where they are not kept.
const AT_ONCE: usize = 1 << 18;

impl<'a, S: Real> Across<'a, S> {
    /// All values are kept if they take at most a quarter of what is left of the budget.
    fn new(
        ctx: &Context,
        columns: &'a dyn Columns<S>,
        rows: &[usize],
        test: &'a [usize],
    ) -> Result<Self> {
        let width = rows.len();
        let mut across = Self { block: columns.column_block(rows), test, width, values: None };
        let bytes = across_bytes::<S>(test.len(), width);
        if bytes <= ctx.budget() / 4 {
            let reservation =
                ctx.reserve("the kernel matrix of a fold", bytes, "raise the memory budget")?;
            let mut values = alloc::zeros(test.len() * width)?;
            across.fill(test, &mut values)?;
            across.values = Some((values, reservation));
        }
        Ok(across)
    }

    fn fill(&self, rows: &[usize], out: &mut [S]) -> Result<()> {
        self.block.fill_rows(rows, Tile::new(out, rows.len(), self.width, self.width))
    }

    /// A number for each test sample, made of its kernel values.
    fn map(&self, of: impl Fn(&[S]) -> f64) -> Result<Vec<f64>> {
        let width = self.width.max(1);
        if let Some((values, _)) = &self.values {
            return Ok(values.chunks_exact(width).map(of).collect());
        }
        let mut out = Vec::with_capacity(self.test.len());
        let at_once = (AT_ONCE / width).max(1);
        let mut values = vec![S::ZERO; at_once.min(self.test.len()) * width];
        for rows in self.test.chunks(at_once) {
            let part = &mut values[..rows.len() * width];
            self.fill(rows, part)?;
            out.extend(part.chunks_exact(width).map(&of));
        }
        Ok(out)
    }
}

/// Σ by · column for the rows `test`, where columns are computed once.
fn sums<S: Real>(
    ctx: &Context,
    columns: &dyn Columns<S>,
    support: &[(usize, f64)],
    test: &[usize],
) -> Result<Vec<f64>> {
    let block = |some: &[(usize, f64)]| {
        let which: Vec<usize> = some.iter().map(|(row, _)| *row).collect();
        let mut steps: Vec<f64> = some.iter().map(|(_, by)| *by).collect();
        steps.resize(steps.len().next_multiple_of(LANES), 0.0);
        (columns.column_block(&which), which.len(), steps)
    };
    let blocks: Vec<_> = support.chunks(SIDE).map(block).collect();
    let mut sums = vec![0.0; test.len()];
    try_pieces(&mut sums, SIDE, &|piece, sums| {
        let rows = &test[piece * SIDE..][..sums.len()];
        for (block, width, steps) in &blocks {
            ctx.poll()?;
            let mut values = vec![S::ZERO; rows.len() * steps.len()];
            block.fill_rows(rows, Tile::new(&mut values, rows.len(), *width, steps.len()))?;
            add_rows(sums, &values, steps);
        }
        Ok(())
    })?;
    Ok(sums)
}

/// Bytes of the kernel values of `test` samples with `train` others.
fn across_bytes<S>(test: usize, train: usize) -> u64 {
    (test as u64).saturating_mul(train as u64).saturating_mul(size_of::<S>() as u64)
}

/// Bytes that a fold of n samples, `test` of them left out, takes where there is plenty.
pub(crate) fn fold_bytes(n: usize, test: usize, cost: Cost) -> u64 {
    let train = n.saturating_sub(test);
    MemoryPlan::wanted::<f32>(train, cost)
        .saturating_add(across_bytes::<f64>(test, train).saturating_mul(4))
}

/// The solution with the value of C before, and what C and the bounds of coefficients were.
struct Last {
    c: (f64, Vec<f64>),
    solved: DualSolution,
}

/// The largest size of a coefficient.
fn bound(variable: &Variable) -> f64 {
    variable.upper.max(-variable.lower)
}

impl Last {
    /// The same problem with another C, started from here. Where most coefficients are at their bound they stay there as it moves,
    /// and the others in proportion: with them their slopes do. Where few are, all stay where they are.
    fn lead_to(self, dual: DualProblem, now: (f64, &[f64]), samples: usize) -> DualProblem {
        let Self { c: (c, before), solved } = self;
        let most = 2 * solved.report.bounded > solved.report.support;
        let factor = if most { now.0 / c } else { 1.0 };
        let (mut beta, mut f) = (vec![0.0; samples], vec![0.0; samples]);
        for (place, &sample) in solved.samples.iter().enumerate() {
            let own = solved.beta[place];
            beta[sample] = match most && own.abs() >= before[place] {
                true => now.1[place].copysign(own),
                false => factor * own,
            };
            f[sample] = factor * solved.slopes[place];
        }
        dual.start_from(&beta).with_slopes(&beta, &f)
    }
}

impl<'a> ExactShared<'a> {
    /// Samples with the kernel of `params`, which is resolved here, or a matrix that the caller computed.
    pub fn new(ctx: &Context, params: &SvmParams, input: &'a Input<'_>) -> Result<Self> {
        match input {
            Input::Samples(x) => with_samples!(x, x => Self::of_samples(ctx, params, x)),
            Input::Precomputed { values, .. } => with_matrix!(values.view(), matrix => {
                symmetric(matrix)?;
                let source = Box::new(Given::new(matrix));
                Ok(Self { source, samples: None, held: None, _reservation: None })
            }),
            Input::Gram(_) => {
                let message = "a search needs samples or a kernel matrix that was computed";
                Err(Error::Shape(message.into()))
            }
        }
    }

    fn of_samples<T: Real>(ctx: &Context, params: &SvmParams, x: &Samples<T>) -> Result<Self> {
        let reservation = KernelPrecision::reserve(ctx, x)?;
        let spec = params.kernel.resolve(x)?;
        let source = ctx.install(|| KernelPrecision::new(&spec, x))?;
        let held = match source.columns() {
            Working::Single(columns) => materialize(ctx, &*columns)?.map(AllValues::Single),
            Working::Double(columns) => materialize(ctx, &*columns)?.map(AllValues::Double),
        };
        let samples = Some((x.into(), spec));
        Ok(Self { source: Box::new(source), samples, held, _reservation: Some(reservation) })
    }

    /// What it takes to compute a kernel value, and to copy a sample.
    pub fn cost(&self) -> Cost {
        self.columns().cost()
    }

    fn columns(&self) -> Working<'_> {
        match &self.held {
            Some(AllValues::Single(held)) => {
                Working::Single(Box::new(Stored::new(held.matrix.view())))
            }
            Some(AllValues::Double(held)) => {
                Working::Double(Box::new(Stored::new(held.matrix.view())))
            }
            None => self.source.columns(),
        }
    }

    /// Fits a model, as [`Svm::fit`] does.
    pub fn fit(
        &self,
        ctx: &Context,
        params: &SvmParams,
        targets: &Targets,
        start: Option<&Svm>,
    ) -> Result<Svm> {
        let started = Instant::now();
        let columns = self.columns();
        let n = columns.size();
        let checked = Checked::new(params, targets, n)?;
        let kept = columns.restrict(&checked.rows);
        let fit =
            Fit { rows: Some(&checked.rows), ..Fit::new(ctx, params, &checked, &*self.source) };
        let solved = ctx.install(|| fit.run(&kept, start))?;
        let mut model = assemble(params, &checked, solved, n, Computed::by(&*self.source));
        match &self.samples {
            None => {
                model.report.storage = "given".into();
                model.report.reason = "the kernel matrix was precomputed".into();
                notes::on_report(&mut model);
            }
            Some((x, spec)) => {
                model.anchors = Some(x.select(&model.support));
                model.params.kernel = spec.clone();
                with_samples!(x, x => notes::on_samples(&mut model, x));
            }
        }
        if let Some(held) = &self.held {
            model.report.storage = match held {
                AllValues::Single(_) => "whole matrix in single precision".into(),
                AllValues::Double(_) => "whole matrix in double precision".into(),
            };
            model.report.reason = "several fits share it".into();
        }
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// The decisions for the rows `test` of models with each of `steps`, fitted on the rows that count in `targets`, each
    /// from the one before.
    pub fn decisions_along(
        &self,
        ctx: &Context,
        steps: &[SvmParams],
        targets: &Targets,
        test: &[usize],
    ) -> Result<Vec<Mat<f64>>> {
        match self.columns() {
            Working::Single(columns) => self.along(ctx, &*columns, steps, targets, test),
            Working::Double(columns) => self.along(ctx, &*columns, steps, targets, test),
        }
    }

    fn along<S: Real>(
        &self,
        ctx: &Context,
        columns: &dyn Columns<S>,
        steps: &[SvmParams],
        targets: &Targets,
        test: &[usize],
    ) -> Result<Vec<Mat<f64>>> {
        let checked = Checked::new(&steps[0], targets, columns.size())?;
        let one = Fit {
            rows: Some(&checked.rows),
            is_certified: false,
            ..Fit::new(ctx, &steps[0], &checked, &*self.source)
        };
        let problems: Vec<Option<(usize, usize)>> = match one.pairs() {
            pairs if pairs.is_empty() => vec![None],
            pairs => pairs.into_iter().map(Some).collect(),
        };
        let sign = if problems.len() == 1 && problems[0].is_some() { -1.0 } else { 1.0 };
        let along = |ctx: &Context, problem: usize| -> Result<Vec<Vec<f64>>> {
            let pair = &problems[problem];
            let pose = |params: &SvmParams| match *pair {
                None => DualProblem::whole(params, &checked),
                Some((a, b)) => DualProblem::pair(params, &checked, a, b),
            };
            let samples = pose(&steps[0]).samples;
            let rows: Vec<usize> = samples.iter().map(|&sample| checked.rows[sample]).collect();
            let part = columns.restrict(&rows);
            let across = match is_quick(columns) {
                true => None,
                false => Some(Across::new(ctx, columns, &rows, test)?),
            };
            let mut solver = Solver::new(&*part);
            let mut last: Option<Last> = None;
            let mut decisions = Vec::new();
            for params in steps {
                let fit = Fit { params, started: Instant::now(), ..one };
                let dual = pose(params);
                let bounds: Vec<f64> = dual.problem.variables.iter().map(bound).collect();
                let dual = match last.take() {
                    None => dual,
                    Some(last) => last.lead_to(dual, (params.c, &bounds), checked.rows.len()),
                };
                let solved = fit.solve_with(&mut solver, dual, None, ctx)?;
                if solved.report.stop == Stop::Interrupted {
                    return Err(Error::Interrupted);
                }
                let places = 0..solved.beta.len();
                let support: Vec<usize> = places.filter(|&i| solved.beta[i] != 0.0).collect();
                // The matrix is one less what is taken off, and so are these values.
                let decide = |line: &[S]| {
                    let each = support.iter().map(|&i| line[i].to_f64() * solved.beta[i]);
                    sign * (each.sum::<f64>() + solved.working_offset)
                };
                decisions.push(match &across {
                    Some(across) => across.map(decide)?,
                    None => {
                        let support: Vec<(usize, f64)> =
                            support.iter().map(|&i| (rows[i], solved.beta[i])).collect();
                        let sums = sums(ctx, columns, &support, test)?;
                        sums.iter().map(|sum| sign * (sum + solved.working_offset)).collect()
                    }
                });
                last = Some(Last { c: (params.c, bounds), solved });
            }
            Ok(decisions)
        };
        let by_problem: Vec<Vec<Vec<f64>>> = ctx.side_by_side(
            problems.len(),
            fold_bytes(columns.size(), test.len(), columns.cost()),
            along,
        )?;
        let table = |step: usize| {
            Mat::from_fn(test.len(), by_problem.len(), |row, problem| {
                by_problem[problem][step][row]
            })
        };
        Ok((0..steps.len()).map(table).collect())
    }
}
