//! Samples or a matrix on which several machines are fitted, with kernel values that all of them share.

use std::time::Instant;

use rayon::prelude::*;

use super::check::Checked;
use super::fit::{Fit, check_symmetric};
use super::fold::fold;
use super::problem::Posed;
use super::source::Source;
use super::{Lesson, Svm, SvmParams, notes};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::{Columns, Stored};
use crate::kernel::Tile;
use crate::linalg::view::{Mat, MatRef};
use crate::points::Samples;
use crate::real::Real;
use crate::solve::smo::{Solver, Stop};

/// Where machines with one kernel are fitted.
pub struct Ground<'a, T: Real> {
    kind: Kind<'a, T>,
    /// All kernel values, where they fit.
    held: Option<Mat<f32>>,
}

enum Kind<'a, T: Real> {
    Samples(Samples<T>, Source<T>),
    Matrix(MatRef<'a, T>),
}

/// Rows of kernel values that are computed at a time.
const ROWS: usize = 64;

/// All kernel values in single precision, if they take at most an eighth of the budget: several may be held at a time.
pub(super) fn hold(ctx: &Context, columns: &dyn Columns) -> Result<Option<Mat<f32>>> {
    let n = columns.size();
    let bytes = (n as u64).saturating_mul(n as u64).saturating_mul(size_of::<f32>() as u64);
    if bytes > ctx.budget() / 8 {
        return Ok(None);
    }
    let mut matrix = Mat::zeros(n, n);
    let picked = columns.pick(&(0..n).collect::<Vec<_>>());
    ctx.install(|| {
        matrix.data_mut().par_chunks_mut(ROWS * n).enumerate().try_for_each(|(piece, lines)| {
            ctx.poll()?;
            let rows = piece * ROWS..piece * ROWS + lines.len() / n;
            let tile = Tile::new(lines, rows.len(), n, n);
            picked.fill(rows, 0..n, tile)
        })
    })?;
    Ok(Some(matrix))
}

impl<'a, T: Real> Ground<'a, T> {
    /// Samples with the kernel of `params`, which is resolved here.
    pub fn of_samples(ctx: &Context, params: &SvmParams, x: impl Into<Samples<T>>) -> Result<Self> {
        let x = x.into();
        let source = Source::new(&params.kernel.resolve(&x)?, &x)?;
        let held = hold(ctx, &*source.columns())?;
        Ok(Self { kind: Kind::Samples(x, source), held })
    }

    /// A kernel matrix that the caller computed.
    pub fn of_matrix(matrix: MatRef<'a, T>) -> Result<Self> {
        check_symmetric(matrix)?;
        Ok(Self { kind: Kind::Matrix(matrix), held: None })
    }

    fn columns(&self) -> Box<dyn Columns + '_> {
        match (&self.held, &self.kind) {
            (Some(matrix), _) => Box::new(Stored::new(matrix.view())),
            (None, Kind::Samples(_, source)) => source.columns(),
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
            Kind::Samples(x, source) => {
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
        let checked = Checked::new(&steps[0], lesson, columns.size())?;
        let one = Fit { ctx, params: &steps[0], checked: &checked, started: Instant::now() };
        let problems: Vec<Option<(usize, usize)>> = match one.pairs() {
            pairs if pairs.is_empty() => vec![None],
            pairs => pairs.into_iter().map(Some).collect(),
        };
        let sign = if problems.len() == 1 && problems[0].is_some() { -1.0 } else { 1.0 };
        let along = |pair: &Option<(usize, usize)>| -> Result<Vec<Vec<f64>>> {
            let pose = |params: &SvmParams| match *pair {
                None => Posed::whole(params, &checked),
                Some((a, b)) => Posed::pair(params, &checked, a, b),
            };
            let samples = pose(&steps[0]).samples;
            let rows: Vec<usize> = samples.iter().map(|&sample| checked.rows[sample]).collect();
            let part = columns.restrict(&rows);
            let across = columns.pick(&rows);
            let mut values = vec![0.0; test.len() * rows.len()];
            let tile = Tile::new(&mut values, test.len(), rows.len(), rows.len());
            across.fill_rows(test, tile)?;
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
                decisions.push(values.chunks_exact(rows.len()).map(decide).collect());
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
            ctx.install(|| problems.par_iter().map(along).collect::<Result<_>>())?;
        let table = |step: usize| {
            Mat::from_fn(test.len(), by_problem.len(), |row, problem| {
                by_problem[problem][step][row]
            })
        };
        Ok((0..steps.len()).map(table).collect())
    }
}
