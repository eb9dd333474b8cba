//! Samples or a matrix on which several machines are fitted, with kernel values that all of them share.

use std::time::Instant;

use rayon::prelude::*;

use super::check::Checked;
use super::fit::{Fit, check_symmetric};
use super::fold::fold;
use super::problem::Posed;
use super::source::Source;
use super::truth::{Given, Truth, Working};
use super::{Lesson, Svm, SvmParams, notes};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::{Columns, Stored};
use crate::kernel::{KernelSpec, Tile};
use crate::linalg::view::{Mat, MatRef};
use crate::points::{Points, Samples};
use crate::real::Real;
use crate::solve::smo::{Solver, Stop};

/// Where machines with one kernel are fitted.
pub struct Ground<'a, T: Real> {
    kind: Kind<'a, T>,
    /// All kernel values, where they fit.
    held: Option<Held>,
}

enum Kind<'a, T: Real> {
    Samples(Samples<T>, KernelSpec, Source<T>),
    Matrix(Given<'a, T>),
}

/// All kernel values.
enum Held {
    Single(Mat<f32>),
    Double(Mat<f64>),
}

/// Rows of kernel values that are computed at a time.
const ROWS: usize = 64;

/// All kernel values, if they take at most an eighth of the budget: several may be held at a time.
pub(super) fn hold<S: Real>(ctx: &Context, columns: &dyn Columns<S>) -> Result<Option<Mat<S>>> {
    let n = columns.size();
    let bytes = (n as u64).saturating_mul(n as u64).saturating_mul(size_of::<S>() as u64);
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
        let spec = params.kernel.resolve(&x)?;
        let source = ctx.install(|| Source::new(&spec, &x))?;
        let held = match source.columns() {
            Working::Single(columns) => hold(ctx, &*columns)?.map(Held::Single),
            Working::Double(columns) => hold(ctx, &*columns)?.map(Held::Double),
        };
        Ok(Self { kind: Kind::Samples(x, spec, source), held })
    }

    /// A kernel matrix that the caller computed.
    pub fn of_matrix(matrix: MatRef<'a, T>) -> Result<Self> {
        check_symmetric(matrix)?;
        Ok(Self { kind: Kind::Matrix(Given::new(matrix)), held: None })
    }

    fn columns(&self) -> Working<'_> {
        match (&self.held, &self.kind) {
            (Some(Held::Single(matrix)), _) => {
                Working::Single(Box::new(Stored::new(matrix.view())))
            }
            (Some(Held::Double(matrix)), _) => {
                Working::Double(Box::new(Stored::new(matrix.view())))
            }
            (None, Kind::Samples(_, _, source)) => source.columns(),
            (None, Kind::Matrix(given)) => given.columns(),
        }
    }

    fn truth(&self) -> &dyn Truth {
        match &self.kind {
            Kind::Samples(_, _, source) => source,
            Kind::Matrix(given) => given,
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
        let fit =
            Fit { rows: Some(&checked.rows), ..Fit::new(ctx, params, &checked, self.truth()) };
        let solved = ctx.install(|| fit.run(&kept, start))?;
        let mut model = fold(params, &checked, solved, n, self.truth());
        match &self.kind {
            Kind::Matrix(_) => {
                model.report.storage = "given".into();
                model.report.reason = "the kernel matrix was given".into();
                notes::on_report(&mut model);
            }
            Kind::Samples(x, spec, _) => {
                model.anchors = Some(x.select(&model.support));
                model.params.kernel = spec.clone();
                notes::on_samples(&mut model, x);
            }
        }
        if let Some(held) = &self.held {
            model.report.storage = match held {
                Held::Single(_) => "whole matrix in single precision".into(),
                Held::Double(_) => "whole matrix in double precision".into(),
            };
            model.report.reason = "several machines share it".into();
        }
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
        match self.columns() {
            Working::Single(columns) => self.along(ctx, &*columns, steps, lesson, test),
            Working::Double(columns) => self.along(ctx, &*columns, steps, lesson, test),
        }
    }

    fn along<S: Real>(
        &self,
        ctx: &Context,
        columns: &dyn Columns<S>,
        steps: &[SvmParams],
        lesson: Lesson<'_>,
        test: &[usize],
    ) -> Result<Vec<Mat<f64>>> {
        let checked = Checked::new(&steps[0], lesson, columns.size())?;
        let one = Fit {
            rows: Some(&checked.rows),
            is_certified: false,
            ..Fit::new(ctx, &steps[0], &checked, self.truth())
        };
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
            let mut values = vec![S::ZERO; test.len() * rows.len()];
            let tile = Tile::new(&mut values, test.len(), rows.len(), rows.len());
            across.fill_rows(test, tile)?;
            let mut solver = Solver::new(&*part);
            let mut start: Option<(Vec<f64>, Vec<f64>)> = None;
            let mut decisions = Vec::new();
            for params in steps {
                let fit = Fit { params, started: Instant::now(), ..one };
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
                // The matrix is one less what is taken off, and so are these values.
                let decide = |line: &[S]| {
                    let each = support.iter().map(|&i| line[i].f64() * solved.beta[i]);
                    sign * (each.sum::<f64>() + solved.own_offset)
                };
                decisions.push(values.chunks_exact(rows.len()).map(decide).collect());
                let mut beta = vec![0.0; checked.rows.len()];
                let mut f = vec![0.0; checked.rows.len()];
                for (place, &sample) in solved.samples.iter().enumerate() {
                    beta[sample] = solved.beta[place];
                    f[sample] = solved.slopes[place];
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
