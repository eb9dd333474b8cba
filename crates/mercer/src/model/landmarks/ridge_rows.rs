//! One more pass over the rows of a regression on landmarks: for every penalty the predictions, exactly those of fits without each row if wanted, and
//! how nearly the function solves the system of all rows.
//!
//! With landmarks and penalty fixed, the residual of row i in a fit without it is (y_i − f_i) / (1 − h_ii), exactly, with
//! h_ii = w_i (z_iᵀ (M + α)⁻¹ z_i + 1 / W), where 1 / W is the share of an intercept.

use super::FullSystem;
use super::basis::Basis;
use super::full_system::{Functions, SystemCheck, part};
use super::kernel_ridge::{LandmarkRidge, offsets};
use super::observed::Checked;
use super::packet::Packet;
use super::rows::{RowBlock, RowBlocks};
use super::workers::Workers;
use crate::context::{Context, Reservation, Step};
use crate::error::{Error, Result};
use crate::gram::{CHUNK, ExactSums, LandmarkRows, Leverages, RowScratch, RowValues};
use crate::linalg::view::Mat;
use crate::points::{Samples, Span};
use crate::real::Real;

/// Landmarks from which on single precision saves time: below, kernel values take most of it.
const SINGLE_FROM: usize = 256;
/// Relative errors of left-out residuals that single precision may make.
const SINGLE_ERROR: f64 = 1e-5;

/// The pass, for some penalties.
pub(crate) struct RidgeRows<'a, T: Real> {
    basis: &'a Basis<T>,
    /// The means of the targets, and the share of an intercept in the leverage of a sample of weight 1.
    means: Vec<f64>,
    share: f64,
    /// The penalty of every function.
    alphas: Vec<f64>,
    coef: Mat<f64>,
    offset: Vec<f64>,
    /// α ‖f‖² of every function.
    penalties: Vec<f64>,
    /// What it takes to leave rows out.
    leverages: Option<Leverages>,
    _reservation: Reservation,
}

/// Some consecutive rows.
pub(crate) struct Evaluated {
    /// Their targets: rows × t.
    pub targets: Mat<f64>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// Their predictions, those of all targets for one penalty after the other: rows × (alphas · t).
    pub predicted: Mat<f64>,
}

/// What the pass finds about all rows.
pub(crate) struct Found {
    /// For each penalty and target, as predictions.
    pub full_systems: Vec<FullSystem>,
    /// The largest relative error by single precision that was measured, if it was used.
    pub left_out_error: Option<f64>,
}

/// Bytes of the pass with m landmarks, so many penalties, and t targets.
pub(crate) fn bytes(m: usize, penalties: usize, t: usize) -> u64 {
    let p = penalties * t;
    let chunk = CHUNK as u64 * (m + 3 * p) as u64;
    let bytes = 8 * (2 * (m * p) as u64).saturating_add(2 * chunk);
    bytes.saturating_add(2 * Leverages::bytes(m, penalties))
}

impl<'a, T: Real> RidgeRows<'a, T> {
    /// Prepares a pass; with `left_out`, each row is predicted by a fit without it.
    pub fn new(
        ctx: &Context,
        ridge: &'a LandmarkRidge<T>,
        alphas: &[f64],
        left_out: bool,
    ) -> Result<Self> {
        let hint = "use generalised cross-validation, fewer landmarks or penalties, or raise the memory budget";
        let bytes = bytes(ridge.basis.m(), alphas.len(), ridge.problem.t());
        let _reservation = ctx.reserve("the pass over rows", bytes, hint)?;
        let problem = &ridge.problem;
        let beta = problem.solutions(alphas);
        let offset = offsets(&problem.reduced, &beta);
        let penalties = problem.penalties(alphas, &beta);
        let leverages = left_out.then(|| problem.leverages(ctx, alphas)).transpose()?;
        let coef = problem.reduced.to_coef(&ctx.without_steps(), beta)?;
        let alphas = alphas.iter().flat_map(|&alpha| vec![alpha; problem.t()]).collect();
        let (means, share) = (problem.reduced.target_means.clone(), problem.intercept_share());
        let basis = &ridge.basis;
        Ok(Self { basis, means, share, alphas, coef, offset, penalties, leverages, _reservation })
    }

    fn t(&self) -> usize {
        self.means.len()
    }

    fn functions(&self) -> Functions<'_, T> {
        Functions {
            on: &self.basis.on,
            coef: &self.coef,
            offset: &self.offset,
            alphas: &self.alphas,
            penalties: &self.penalties,
            t: self.t(),
        }
    }

    fn rows(&self, single: bool) -> LandmarkRows<'_> {
        let (coef, offset) = (&self.coef, &self.offset[..]);
        LandmarkRows { coef, offset, leverages: self.leverages.as_ref(), single }
    }

    /// Reads all rows of the source, and gives them to `each` in parts; of the rows `checked` it finds how nearly the functions solve the whole system.
    pub fn read(
        &self,
        ctx: &Context,
        source: &mut dyn RowBlocks,
        checked: Option<&Checked<T>>,
        mut each: impl FnMut(&Evaluated) -> Result<()>,
    ) -> Result<Found> {
        let mut left_out_error = None;
        let (mut whole, _reserved) = SystemCheck::within(ctx, self.functions(), checked)?.unzip();
        source.rewind(1)?;
        self.read_rows(ctx, source, (&mut whole, &mut left_out_error, true), &mut each)?;
        let full_systems = whole.map(|whole| whole.certify(ctx)).transpose()?;
        Ok(Found { full_systems: full_systems.unwrap_or_default(), left_out_error })
    }

    /// Reads the rows of a source from where it stands. The first of them show whether leverages may be in single precision if `asks`, else `left_out_error` does.
    fn read_rows(
        &self,
        ctx: &Context,
        source: &mut dyn RowBlocks,
        (whole, left_out_error, asks): (&mut Option<SystemCheck<'_, T>>, &mut Option<f64>, bool),
        each: &mut dyn FnMut(&Evaluated) -> Result<()>,
    ) -> Result<()> {
        let (basis, total) = (self.basis, source.rows());
        let mut rows = self.rows(left_out_error.is_some());
        let (mut before, mut scratch) = (0, RowScratch::default());
        while let Some(block) = source.next()? {
            let x = block.samples.to_type::<T>()?;
            basis.landmarks.check_like(&x)?;
            let x = basis.on.moved(&x)?;
            for from in (0..x.n()).step_by(CHUNK) {
                ctx.poll()?;
                let samples = Span::new(&x, from..(from + CHUNK).min(x.n()));
                if before + from == 0 && asks {
                    *left_out_error = self.single_error(ctx, &block, samples, &mut scratch)?;
                    rows.single = left_out_error.is_some();
                }
                let found = self.evaluate(ctx, &rows, samples, &mut scratch)?;
                let mut part = part(&block, samples, self.t(), found.predicted)?;
                if let Some(whole) = whole {
                    whole.add(ctx, samples, &part)?;
                }
                self.leave_out(&mut part, &found.leverages);
                each(&part)?;
                if let Some(n) = total {
                    ctx.step(Step::new("rows", (before + samples.end) as f64, n as f64))?;
                }
            }
            before += x.n();
        }
        Ok(())
    }

    /// The same of rows that lie elsewhere: what the pass `name` sums up of the rows, `count` sums for each of which parts of the rows give a number.
    pub fn read_elsewhere(
        &self,
        ctx: &Context,
        workers: &mut dyn Workers,
        checked: &Checked<T>,
        (name, count): (&str, usize),
    ) -> Result<(ExactSums, Found)> {
        let left_out_error = self.first_error(ctx, &workers.head()?)?;
        let pass = self.packet(name, left_out_error)?;
        let mut system = SystemCheck::new(self.functions(), checked)?;
        let mut found = workers.sum(ctx, &checked.packet(pass))?;
        let mut sums = found.take_sums(count + system.len())?;
        system.merge(ctx, &sums.split_off(count));
        Ok((sums, Found { full_systems: system.certify(ctx)?, left_out_error }))
    }

    /// The error by single precision among the first rows, as in a pass over all of them.
    fn first_error(&self, ctx: &Context, head: &RowBlock<'_>) -> Result<Option<f64>> {
        let x = self.basis.on.moved(&head.samples.to_type::<T>()?)?;
        let samples = Span::new(&x, 0..CHUNK.min(x.n()));
        self.single_error(ctx, head, samples, &mut RowScratch::default())
    }

    fn packet(&self, name: &str, left_out_error: Option<f64>) -> Result<Packet> {
        let pass = self.functions().packet(self.basis.packet(name)?);
        let pass = pass.with_reals("means", &self.means[..]).with_reals("share", [self.share]);
        let pass = pass.with_reals("left_out_error", Vec::from_iter(left_out_error));
        Ok(match self.leverages.as_ref().map(Leverages::parts) {
            Some((rotation, shift, inverse)) => pass
                .with_reals("rotation", rotation.data())
                .with_reals("shift", shift)
                .with_reals("inverse", inverse.data()),
            None => pass,
        })
    }

    /// The pass that a packet describes.
    fn of_packet(ctx: &Context, basis: &'a Basis<T>, pass: &Packet) -> Result<Self> {
        let (m, offset) = (basis.m(), pass.reals("offset")?.to_vec());
        let means = pass.reals("means")?.to_vec();
        let penalties = offset.len() / means.len().max(1);
        let hint = "use generalised cross-validation, fewer landmarks or penalties, or raise the memory budget";
        let bytes = bytes(m, penalties, means.len());
        let _reservation = ctx.reserve("the pass over rows", bytes, hint)?;
        let leverages = pass.reals.contains_key("rotation").then(|| {
            let (rotation, inverse) =
                (pass.matrix("rotation", m)?, pass.matrix("inverse", penalties)?);
            Result::Ok(Leverages::new(rotation, pass.reals("shift")?.to_vec(), inverse))
        });
        Ok(Self {
            basis,
            share: pass.reals("share")?.first().copied().unwrap_or(0.0),
            alphas: pass.reals("alphas")?.to_vec(),
            coef: pass.matrix("coef", offset.len())?,
            penalties: pass.reals("penalties")?.to_vec(),
            leverages: leverages.transpose()?,
            means,
            offset,
            _reservation,
        })
    }

    /// Makes the pass that a packet describes over parts of the rows: each of them is given to `each`, and what the system of all rows needs is returned.
    pub fn part(
        ctx: &Context,
        (basis, checked, pass): (&Basis<T>, &Checked<T>, &Packet),
        source: &mut dyn RowBlocks,
        each: &mut dyn FnMut(&Evaluated) -> Result<()>,
    ) -> Result<(ExactSums, u64)> {
        let rows = RidgeRows::of_packet(ctx, basis, pass)?;
        let mut system = Some(SystemCheck::new(rows.functions(), checked)?);
        let mut error = pass.reals("left_out_error")?.first().copied();
        rows.read_rows(ctx, source, (&mut system, &mut error, false), each)?;
        let none = || Error::Shape("there are no rows".into());
        system.map(|system| system.into_sums(ctx)).ok_or_else(none)
    }

    fn evaluate(
        &self,
        ctx: &Context,
        rows: &LandmarkRows<'_>,
        samples: Span<'_, Samples<T>>,
        scratch: &mut RowScratch<T>,
    ) -> Result<RowValues> {
        let on = &self.basis.on;
        rows.evaluate(ctx, &*on.kernel, (samples, &on.anchors), scratch)
    }

    /// h_ii for a sample of this weight.
    fn hat(&self, weight: f64, leverage: f64) -> f64 {
        weight * (leverage + self.share)
    }

    /// Turns predictions into those of fits without each sample.
    fn leave_out(&self, part: &mut Evaluated, leverages: &Mat<f64>) {
        if leverages.cols() == 0 {
            return;
        }
        let t = self.t();
        // Below, 1 − h is lost in rounding: nothing but the row itself predicts it, and the mean of the others is left.
        let (means, least) = (&self.means, self.basis.m() as f64 * f64::EPSILON);
        for (i, weight) in part.weights.iter().enumerate() {
            let targets = part.targets.row(i);
            let predicted = part.predicted.row_mut(i).chunks_exact_mut(t);
            for (predicted, leverage) in predicted.zip(leverages.row(i)) {
                let left = 1.0 - self.hat(*weight, *leverage);
                for ((f, y), mean) in predicted.iter_mut().zip(targets).zip(means) {
                    *f = if left > least { y - (y - *f) / left } else { *mean };
                }
            }
        }
    }

    /// The largest relative error of left-out residuals by single precision among some samples, if that is small enough, and worth it.
    fn single_error(
        &self,
        ctx: &Context,
        block: &RowBlock<'_>,
        samples: Span<'_, Samples<T>>,
        scratch: &mut RowScratch<T>,
    ) -> Result<Option<f64>> {
        let basis = self.basis;
        let is_double = T::EPSILON < f64::from(f32::EPSILON);
        if self.leverages.is_none() || !is_double || basis.m() < SINGLE_FROM {
            return Ok(None);
        }
        let mut by = |single: bool| self.evaluate(ctx, &self.rows(single), samples, scratch);
        let (double, single) = (by(false)?.leverages, by(true)?.leverages);
        let weight = |i: usize| block.weights.as_ref().map_or(1.0, |w| w[samples.start + i]);
        let mut worst: f64 = 0.0;
        for i in 0..double.rows() {
            for (a, b) in double.row(i).iter().zip(single.row(i)) {
                let error = (weight(i) * (a - b)).abs() / (1.0 - self.hat(weight(i), *a));
                worst = worst.max(if error >= 0.0 { error } else { f64::INFINITY });
            }
        }
        Ok(Some(worst).filter(|worst| *worst <= SINGLE_ERROR))
    }
}
