//! Calibration: out-of-fold decision values, and probability curves fitted to them.

use super::check::Checked;
use super::decode::pairs;
use super::exact_kernel::{ExactKernel, Given, Working};
use super::fit::Fit;
use super::low_rank::LowRank;
use super::precision::KernelPrecision;
use super::problem::DualProblem;
use super::shared_kernel::{materialize, matrix_bytes};
use super::{Calibration, Curve, Method, Svm};
use crate::context::{Context, Stream};
use crate::error::{Error, Param, Result};
use crate::gram::{Columns, Stored};
use crate::linalg::view::MatRef;
use crate::model::input::{Input, all_columns, symmetric};
use crate::model::landmarks::samples_of;
use crate::model::targets::Targets;
use crate::points::{AnySamples, Cost, Points, Samples, with_matrix, with_samples};
use crate::real::Real;
use crate::solve::smo::MemoryPlan;

/// How out-of-fold decision values are computed.
#[derive(Clone, Copy)]
struct Settings {
    method: Method,
    folds: usize,
    seed: u64,
}

impl Svm {
    /// Sets `calibration` from out-of-fold decision values: `folds` fits, each from the coefficients of
    /// this one. `input` and `targets` are those of the fit.
    pub fn calibrate<'a>(
        &mut self,
        ctx: &Context,
        input: impl Into<Input<'a>>,
        targets: &Targets,
        method: Method,
        folds: usize,
        seed: u64,
    ) -> Result<()> {
        self.calibrate_input(ctx, input.into(), targets, method, folds, seed)
    }

    fn calibrate_input(
        &mut self,
        ctx: &Context,
        input: Input<'_>,
        targets: &Targets,
        method: Method,
        folds: usize,
        seed: u64,
    ) -> Result<()> {
        let settings = Settings { method, folds, seed };
        if self.cells.is_some() {
            let text = "an SVM on cells is calibrated on samples that it was not fitted on";
            return Err(Error::parameter(Param::Cells, text));
        }
        if self.landmarks.is_some() {
            return self.calibrate_on_landmarks(ctx, &samples_of(input)?, targets, settings);
        }
        match input {
            Input::Samples(x) => {
                with_samples!(&x, x => self.calibrate_samples(ctx, x, targets, settings))
            }
            Input::Precomputed { values, .. } => {
                with_matrix!(values.view(), x => self.calibrate_matrix(ctx, x, targets, settings))
            }
            Input::Gram(gram) => {
                let (matrix, _reservation) = all_columns(ctx, gram)?;
                self.calibrate_matrix(ctx, matrix.view(), targets, settings)
            }
        }
    }

    fn calibrate_samples<T: Real>(
        &mut self,
        ctx: &Context,
        x: &Samples<T>,
        targets: &Targets,
        settings: Settings,
    ) -> Result<()> {
        let checked = self.check(targets, x.n())?;
        let kept = if checked.rows.len() < x.n() { x.select(&checked.rows) } else { x.clone() };
        let _reservation = KernelPrecision::reserve(ctx, x)?;
        let source = ctx.install(|| KernelPrecision::new(&self.params.kernel, &kept))?;
        let params = self.params.clone();
        let fit = Fit::new(ctx, &params, &checked, &source);
        self.calibrate_by(fit, &source.columns(), settings)
    }

    fn calibrate_matrix<T: Real>(
        &mut self,
        ctx: &Context,
        matrix: MatRef<'_, T>,
        targets: &Targets,
        settings: Settings,
    ) -> Result<()> {
        symmetric(matrix)?;
        let checked = self.check(targets, matrix.rows())?;
        let given = Given::new(matrix);
        let (columns, params) = (given.columns(), self.params.clone());
        let fit = Fit { rows: Some(&checked.rows), ..Fit::new(ctx, &params, &checked, &given) };
        self.calibrate_by(fit, &columns.restrict(&checked.rows), settings)
    }

    fn check(&self, targets: &Targets, n: usize) -> Result<Checked> {
        if !self.is_classifier() {
            return Err(Error::Shape("only classifiers have probabilities".into()));
        }
        if n != self.trained_on {
            return Err(Error::Shape(format!(
                "calibration needs the {} training samples of the fit, got {n}",
                self.trained_on
            )));
        }
        Checked::new(&self.params, targets, n)
    }

    fn calibrate_by(
        &mut self,
        fit: Fit<'_>,
        columns: &Working<'_>,
        settings: Settings,
    ) -> Result<()> {
        check_folds(settings.folds)?;
        let fit = Fit { is_certified: false, ..fit };
        match columns {
            Working::Single(columns) => self.calibrate_on(fit, &**columns, settings),
            Working::Double(columns) => self.calibrate_on(fit, &**columns, settings),
        }
    }

    fn calibrate_on<S: Real>(
        &mut self,
        fit: Fit<'_>,
        columns: &dyn Columns<S>,
        settings: Settings,
    ) -> Result<()> {
        let (ctx, checked, params) = (fit.ctx, fit.checked, fit.params);
        let pairs = fit.pairs();
        let decide = |ctx: &Context, problem: usize, folds: &Folds<'_>| -> Result<Vec<f64>> {
            let (a, b) = pairs[problem];
            let dual = || DualProblem::pair(params, checked, a, b);
            let samples = dual().samples;
            let part = columns.restrict(&samples);
            let held = materialize(ctx, &*part)?;
            let held = held.as_ref().map(|held| Stored::new(held.matrix.view()));
            let part: &dyn Columns<S> = held.as_ref().map_or(&*part, |stored| stored);
            folds.decisions(ctx, &samples, checked.rows.len(), |is_left_out| {
                let seen = dual().without(|sample| is_left_out[sample]);
                Ok(fit.solve_part(part, seen, Some(folds.start.to_vec()), ctx)?.decisions)
            })
        };
        let bytes = pair_bytes::<S>(checked, columns.cost());
        self.calibrate_with(ctx, checked, settings, bytes, &decide)
    }

    fn calibrate_on_landmarks(
        &mut self,
        ctx: &Context,
        x: &AnySamples,
        targets: &Targets,
        settings: Settings,
    ) -> Result<()> {
        check_folds(settings.folds)?;
        let checked = self.check(targets, x.n())?;
        let kept = if checked.rows.len() < x.n() { x.select(&checked.rows) } else { x.clone() };
        let low_rank = LowRank::of_model(ctx, self, &kept)?;
        let params = self.params.clone();
        let decide = |ctx: &Context, problem: usize, folds: &Folds<'_>| {
            low_rank.out_of_fold(ctx, (&params, &checked), problem, folds)
        };
        let bytes = low_rank.bytes_of_problem();
        self.calibrate_with(ctx, &checked, settings, bytes, &decide)
    }

    /// Fits a curve to the out-of-fold decisions of each problem.
    fn calibrate_with(
        &mut self,
        ctx: &Context,
        checked: &Checked,
        settings: Settings,
        bytes: u64,
        decide: &Decide<'_>,
    ) -> Result<()> {
        let pairs: Vec<(usize, usize)> = pairs(checked.classes.len()).collect();
        let two = pairs.len() == 1;
        let curve = |ctx: &Context, problem: usize| -> Result<Curve> {
            let (a, b) = pairs[problem];
            let samples = DualProblem::pair(&self.params, checked, a, b).samples;
            let start = self.coefficients_of(problem, &checked.rows, &checked.places);
            let of = deal(checked, &samples, settings.folds, settings.seed);
            let folds = Folds { start: &start, of: &of, count: settings.folds };
            let mut decisions = decide(ctx, problem, &folds)?;
            let sign = if two { -1.0 } else { 1.0 };
            decisions.iter_mut().for_each(|decision| *decision *= sign);
            let speaks_for = if two { b } else { a };
            let positive: Vec<bool> =
                samples.iter().map(|&sample| checked.places[sample] == speaks_for).collect();
            let weights: Vec<f64> = samples.iter().map(|&sample| checked.weights[sample]).collect();
            let is_weighted = weights.iter().any(|w| *w != 1.0);
            Ok(Curve::fit(settings.method, &decisions, &positive, is_weighted.then_some(&weights)))
        };
        let curves: Vec<Curve> = ctx.side_by_side(pairs.len(), bytes, curve)?;
        self.calibration = Some(Calibration { curves, folds: settings.folds });
        Ok(())
    }
}

/// The out-of-fold decisions of the problem at a place, for its samples.
type Decide<'a> = dyn Fn(&Context, usize, &Folds<'_>) -> Result<Vec<f64>> + Sync + 'a;

/// The folds of one problem, and where its fits start.
pub(super) struct Folds<'a> {
    /// Coefficients of all samples that count.
    pub start: &'a [f64],
    /// The fold of each sample of the problem.
    of: &'a [usize],
    count: usize,
}

impl Folds<'_> {
    /// The decision of each sample of a problem by the fit without its fold. `fit` gets which of all `n` samples are left out.
    pub fn decisions(
        &self,
        ctx: &Context,
        samples: &[usize],
        n: usize,
        fit: impl Fn(&[bool]) -> Result<Vec<f64>>,
    ) -> Result<Vec<f64>> {
        let mut decisions = vec![0.0; samples.len()];
        for fold in 0..self.count {
            let mut is_left_out = vec![false; n];
            let each = samples.iter().zip(self.of);
            each.for_each(|(&sample, &own)| is_left_out[sample] = own == fold);
            if !is_left_out.contains(&true) {
                continue;
            }
            let found = fit(&is_left_out)?;
            ctx.poll()?;
            let own = (0..samples.len()).filter(|&place| self.of[place] == fold);
            own.for_each(|place| decisions[place] = found[place]);
        }
        Ok(decisions)
    }
}

fn check_folds(folds: usize) -> Result<()> {
    match folds < 2 {
        true => Err(Error::parameter(Param::Folds, format!("must be at least 2, got {folds}"))),
        false => Ok(()),
    }
}

/// Bytes that the problem of two classes takes where there is plenty.
fn pair_bytes<S>(checked: &Checked, cost: Cost) -> u64 {
    let mut sizes = vec![0; checked.classes.len()];
    checked.places.iter().for_each(|&place| sizes[place] += 1);
    sizes.sort_unstable();
    let n = sizes.iter().rev().take(2).sum();
    matrix_bytes::<S>(n).saturating_mul(2).saturating_add(MemoryPlan::wanted::<S>(n, cost))
}

/// The fold of each sample: every class is shuffled and dealt out by itself, so that no fold lacks one.
fn deal(checked: &Checked, samples: &[usize], folds: usize, seed: u64) -> Vec<usize> {
    let mut stream = Stream::new(seed, "calibration");
    let mut fold_of = vec![0; samples.len()];
    let mut classes: Vec<usize> = samples.iter().map(|&sample| checked.places[sample]).collect();
    classes.dedup();
    for class in classes {
        let mut own: Vec<usize> =
            (0..samples.len()).filter(|&p| checked.places[samples[p]] == class).collect();
        (1..own.len()).rev().for_each(|last| own.swap(last, stream.below(last + 1)));
        // A class of fewer samples than folds is never left out as a whole.
        let folds = folds.min(own.len());
        own.into_iter().enumerate().for_each(|(turn, place)| {
            fold_of[place] = if folds < 2 { usize::MAX } else { turn % folds };
        });
    }
    fold_of
}
