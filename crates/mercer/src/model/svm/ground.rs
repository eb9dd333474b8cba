//! Samples or a matrix on which several machines are fitted, with kernel values that all of them share.

use std::time::Instant;

use rayon::prelude::*;

use super::check::Checked;
use super::fit::{Fit, check_symmetric};
use super::fold::fold;
use super::problem::Posed;
use super::source::Source;
use super::{Lesson, Svm, SvmParams, notes};
use crate::context::{Context, Reservation};
use crate::error::{Error, Result};
use crate::gram::{Columns, Picked, Stored};
use crate::kernel::Tile;
use crate::linalg::alloc;
use crate::linalg::view::{Mat, MatRef};
use crate::points::Samples;
use crate::real::Real;
use crate::solve::smo::{Room, Solver, Stop};

/// Where machines with one kernel are fitted.
pub struct Ground<'a, T: Real> {
    kind: Kind<'a, T>,
    /// All kernel values, where they fit.
    held: Option<Held>,
}

/// All kernel values in single precision.
pub(super) struct Held {
    pub matrix: Mat<f32>,
    _room: Reservation,
}

enum Kind<'a, T: Real> {
    Samples(Samples<T>, Source<T>, #[expect(dead_code, reason = "it is held")] Reservation),
    Matrix(MatRef<'a, T>),
}

/// Rows of kernel values that are computed at a time.
const ROWS: usize = 64;

/// Bytes of all kernel values of n samples in single precision.
pub(crate) fn held_bytes(n: usize) -> u64 {
    (n as u64).saturating_mul(n as u64).saturating_mul(size_of::<f32>() as u64)
}

/// All kernel values in single precision, if they take at most half of what is left of the budget.
pub(super) fn hold(ctx: &Context, columns: &dyn Columns) -> Result<Option<Held>> {
    match held_bytes(columns.size()) > ctx.budget() / 2 {
        true => Ok(None),
        false => Held::new(ctx, columns).map(Some),
    }
}

impl Held {
    /// Evaluates all kernel values.
    pub fn new(ctx: &Context, columns: &dyn Columns) -> Result<Self> {
        let n = columns.size();
        let hint = "fit on fewer rows or raise the budget";
        let room = ctx.reserve("the kernel matrix", held_bytes(n), hint)?;
        let mut matrix = Mat::try_zeros(n, n)?;
        let picked = columns.pick(&(0..n).collect::<Vec<_>>());
        ctx.install(|| {
            let pieces = matrix.data_mut().par_chunks_mut((ROWS * n).max(1)).enumerate();
            pieces.try_for_each(|(piece, lines)| {
                ctx.poll()?;
                let rows = piece * ROWS..piece * ROWS + lines.len() / n;
                let tile = Tile::new(lines, rows.len(), n, n);
                picked.fill(rows, 0..n, tile)
            })
        })?;
        Ok(Self { matrix, _room: room })
    }
}

/// Kernel values of test samples with those that were learned from, row by row: at hand, or computed anew each time.
struct Across<'a> {
    picked: Box<dyn Picked + 'a>,
    test: &'a [usize],
    width: usize,
    values: Option<(Vec<f32>, Reservation)>,
}

/// Kernel values that are computed at a time where they are not kept.
const AT_ONCE: usize = 1 << 18;

impl<'a> Across<'a> {
    /// All values are kept if they take at most a quarter of what is left of the budget.
    fn new(
        ctx: &Context,
        columns: &'a dyn Columns,
        rows: &[usize],
        test: &'a [usize],
    ) -> Result<Self> {
        let width = rows.len();
        let mut across = Self { picked: columns.pick(rows), test, width, values: None };
        let bytes = across_bytes(test.len(), width);
        if bytes <= ctx.budget() / 4 {
            let room = ctx.reserve("the kernel matrix of a fold", bytes, "raise the budget")?;
            let mut values = alloc::zeros(test.len() * width)?;
            across.fill(test, &mut values)?;
            across.values = Some((values, room));
        }
        Ok(across)
    }

    fn fill(&self, rows: &[usize], out: &mut [f32]) -> Result<()> {
        self.picked.fill_rows(rows, Tile::new(out, rows.len(), self.width, self.width))
    }

    /// A number for each test sample, made of its kernel values.
    fn map(&self, of: impl Fn(&[f32]) -> f64) -> Result<Vec<f64>> {
        let width = self.width.max(1);
        if let Some((values, _)) = &self.values {
            return Ok(values.chunks_exact(width).map(of).collect());
        }
        let mut out = Vec::with_capacity(self.test.len());
        let at_once = (AT_ONCE / width).max(1);
        let mut values = vec![0.0; at_once.min(self.test.len()) * width];
        for rows in self.test.chunks(at_once) {
            let part = &mut values[..rows.len() * width];
            self.fill(rows, part)?;
            out.extend(part.chunks_exact(width).map(&of));
        }
        Ok(out)
    }
}

/// Bytes of the kernel values of `test` samples with `train` others.
fn across_bytes(test: usize, train: usize) -> u64 {
    (test as u64).saturating_mul(train as u64).saturating_mul(size_of::<f32>() as u64)
}

/// Bytes that a fold of n samples, `test` of them left out, takes where there is plenty.
pub(crate) fn fold_bytes(n: usize, test: usize, effort: usize) -> u64 {
    let train = n.saturating_sub(test);
    Room::wanted(train, effort).saturating_add(across_bytes(test, train).saturating_mul(4))
}

impl<'a, T: Real> Ground<'a, T> {
    /// Samples with the kernel of `params`, which is resolved here.
    pub fn of_samples(ctx: &Context, params: &SvmParams, x: impl Into<Samples<T>>) -> Result<Self> {
        let x = x.into();
        let room = Source::reserve(ctx, &x)?;
        let source = Source::new(&params.kernel.resolve(&x)?, &x)?;
        let held = hold(ctx, &*source.columns())?;
        Ok(Self { kind: Kind::Samples(x, source, room), held })
    }

    /// A kernel matrix that the caller computed.
    pub fn of_matrix(matrix: MatRef<'a, T>) -> Result<Self> {
        check_symmetric(matrix)?;
        Ok(Self { kind: Kind::Matrix(matrix), held: None })
    }

    /// Numbers that are read for a kernel value: 1 where all are at hand.
    pub(crate) fn effort(&self) -> usize {
        self.columns().effort()
    }

    fn columns(&self) -> Box<dyn Columns + '_> {
        match (&self.held, &self.kind) {
            (Some(held), _) => Box::new(Stored::new(held.matrix.view())),
            (None, Kind::Samples(_, source, _)) => source.columns(),
            (None, Kind::Matrix(matrix)) => Box::new(Stored::new(*matrix)),
        }
    }

    /// Fits a machine, as [`Svm::fit`] does.
    pub fn fit(
        &self,
        ctx: &Context,
        params: &SvmParams,
        lesson: Lesson<'_>,
        start: Option<&Svm<T>>,
    ) -> Result<Svm<T>> {
        let started = Instant::now();
        let columns = self.columns();
        let n = columns.size();
        let checked = Checked::new(params, lesson, n)?;
        let kept = columns.restrict(&checked.rows);
        let fit = Fit { ctx, params, checked: &checked, started };
        let solved = ctx.install(|| fit.run(&*kept, start))?;
        let mut model = fold(params, &checked, solved, n);
        match &self.kind {
            Kind::Matrix(_) => notes::on_report(&mut model),
            Kind::Samples(x, source, _) => {
                source.tell(&mut model, x, &params.kernel)?;
                notes::on_samples(&mut model, x);
            }
        }
        model.report.storage = "whole matrix in single precision".into();
        model.report.reason = "several machines share it".into();
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }

    /// The decisions for the rows `test` of machines with each of `steps`, fitted on the rows that count in `lesson`, each
    /// from the one before.
    pub fn decisions_along(
        &self,
        ctx: &Context,
        steps: &[SvmParams],
        lesson: Lesson<'_>,
        test: &[usize],
    ) -> Result<Vec<Mat<f64>>> {
        let columns = self.columns();
        let n = columns.size();
        let checked = Checked::new(&steps[0], lesson, n)?;
        let one = Fit { ctx, params: &steps[0], checked: &checked, started: Instant::now() };
        let problems: Vec<Option<(usize, usize)>> = match one.pairs() {
            pairs if pairs.is_empty() => vec![None],
            pairs => pairs.into_iter().map(Some).collect(),
        };
        let sign = if problems.len() == 1 && problems[0].is_some() { -1.0 } else { 1.0 };
        let along = |ctx: &Context, problem: usize| -> Result<Vec<Vec<f64>>> {
            let pair = &problems[problem];
            let pose = |params: &SvmParams| match *pair {
                None => Posed::whole(params, &checked),
                Some((a, b)) => Posed::pair(params, &checked, a, b),
            };
            let samples = pose(&steps[0]).samples;
            let rows: Vec<usize> = samples.iter().map(|&sample| checked.rows[sample]).collect();
            let part = columns.restrict(&rows);
            let across = Across::new(ctx, &*columns, &rows, test)?;
            let mut solver = Solver::new(&*part);
            let mut start: Option<(Vec<f64>, Vec<f64>)> = None;
            let mut decisions = Vec::new();
            for params in steps {
                let fit = Fit { ctx, params, checked: &checked, started: Instant::now() };
                let posed = match start.take() {
                    None => pose(params),
                    Some((beta, f)) => pose(params).start_from(&beta).with_slopes(&beta, &f),
                };
                let solved = fit.solve_with(&mut solver, posed, None, ctx)?;
                if solved.report.stop == Stop::Interrupted {
                    return Err(Error::Interrupted);
                }
                let places = 0..solved.beta.len();
                let support: Vec<usize> = places.filter(|&i| solved.beta[i] != 0.0).collect();
                let decide = |line: &[f32]| {
                    let each = support.iter().map(|&i| f64::from(line[i]) * solved.beta[i]);
                    sign * (each.sum::<f64>() + solved.offset)
                };
                decisions.push(across.map(decide)?);
                let mut beta = vec![0.0; checked.rows.len()];
                let mut f = vec![0.0; checked.rows.len()];
                for (place, &sample) in solved.samples.iter().enumerate() {
                    beta[sample] = solved.beta[place];
                    f[sample] = solved.decisions[place] - solved.offset;
                }
                start = Some((beta, f));
            }
            Ok(decisions)
        };
        let by_problem: Vec<Vec<Vec<f64>>> =
            ctx.side_by_side(problems.len(), fold_bytes(n, test.len(), columns.effort()), along)?;
        let table = |step: usize| {
            Mat::from_fn(test.len(), by_problem.len(), |row, problem| {
                by_problem[problem][step][row]
            })
        };
        Ok((0..steps.len()).map(table).collect())
    }
}
