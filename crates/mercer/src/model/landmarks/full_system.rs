//! How nearly a regression on landmarks solves the system of all samples: K a on a sample of the rows, in one more pass over all of them.

use super::basis::{Basis, packet_of};
use super::observed::{Checked, Observed};
use super::packet::Packet;
use super::ridge_rows::Evaluated;
use super::rows::{RowBlock, RowBlocks};
use super::workers::{Beside, SYSTEM, Work};
use super::{FullSystem, kernel_at, phase};
use crate::context::{Context, Reservation, Step};
use crate::error::{Error, Result};
use crate::gram::{CHUNK, ExactSums, GROUP, LandmarkRows, RowScratch, add_products};
use crate::kernel::SpecKernel;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::kernel_ridge::KernelRidge;
use crate::points::{Samples, Span};
use crate::real::Real;

/// Functions f(x) = Σ_i c_i k(x, z_i) + b on landmarks, those of all targets for one penalty after the other.
#[derive(Clone, Copy)]
pub(super) struct Functions<'a, T: Real> {
    /// The kernel with the landmarks.
    pub on: &'a KernelOn<T>,
    /// c: m × p.
    pub coef: &'a Mat<f64>,
    /// b: p.
    pub offset: &'a [f64],
    /// The penalty of each: p.
    pub alphas: &'a [f64],
    /// α ‖f‖² of each: p.
    pub penalties: &'a [f64],
    /// Targets: a divisor of p.
    pub t: usize,
}

impl<T: Real> Functions<'_, T> {
    /// Their values: rows × p.
    pub fn values(
        &self,
        ctx: &Context,
        samples: Span<'_, Samples<T>>,
        scratch: &mut RowScratch<T>,
    ) -> Result<Mat<f64>> {
        let Self { on, coef, offset, .. } = *self;
        let rows = LandmarkRows { coef, offset, leverages: None, single: false };
        let found = rows.evaluate(ctx, &*on.kernel, (samples, &on.anchors), scratch)?;
        Ok(found.predicted)
    }
}

/// K a on a sample of the rows, added up.
pub(super) struct SystemCheck<'a, T: Real> {
    functions: Functions<'a, T>,
    checked: &'a Checked<T>,
    /// The samples as the kernel takes them.
    moved: Samples<T>,
    /// K a over the rows of a group: rows of the sample × p.
    products: Mat<f64>,
    /// Σ w (y − f)² of each function, over the rows of a group.
    squares: Vec<f64>,
    /// Both over the groups before, and the rows of the last one.
    groups: ExactSums,
    in_group: usize,
    rows: u64,
}

impl<'a, T: Real> SystemCheck<'a, T> {
    /// Of no rows yet.
    pub fn new(functions: Functions<'a, T>, checked: &'a Checked<T>) -> Result<Self> {
        let moved = functions.on.moved(&checked.samples)?;
        let p = functions.coef.cols();
        let products = Mat::try_zeros(moved.n(), p)?;
        let groups = ExactSums::empty((moved.n() + 1) * p)?;
        let (squares, in_group, rows) = (vec![0.0; p], 0, 0);
        Ok(Self { functions, checked, moved, products, squares, groups, in_group, rows })
    }

    /// The same with the memory that it takes set aside; none where there is not enough: a fit is complete without it.
    pub fn within(
        ctx: &Context,
        functions: Functions<'a, T>,
        checked: Option<&'a Checked<T>>,
    ) -> Result<Option<(Self, Reservation)>> {
        let Some(checked) = checked else { return Ok(None) };
        let (s, p) = (checked.samples.n() as u64, functions.coef.cols() as u64);
        let samples: u64 = (0..checked.samples.n()).map(|i| checked.samples.bytes_of(i)).sum();
        let bytes = 8 * (CHUNK as u64 * (s + p) + s * p) + samples;
        let bytes = bytes + ExactSums::bytes((s + 1) * p);
        let hint = "use fewer landmarks or raise the memory budget";
        match ctx.reserve("the residual of the full system", bytes, hint) {
            Err(error) if error.is_memory() => Ok(None),
            reserved => Ok(Some((Self::new(functions, checked)?, reserved?))),
        }
    }

    /// Adds rows with their values of the functions.
    pub fn add(
        &mut self,
        ctx: &Context,
        samples: Span<'_, Samples<T>>,
        part: &Evaluated,
    ) -> Result<()> {
        let p = self.functions.coef.cols();
        let mut coef = Mat::zeros(samples.len(), p);
        for (i, weight) in part.weights.iter().enumerate() {
            let targets = part.targets.row(i).iter().cycle();
            let known = part.predicted.row(i).iter().zip(targets).zip(&mut self.squares);
            for (place, ((f, y), sum)) in coef.row_mut(i).iter_mut().zip(known) {
                *place = weight * (y - f);
                *sum += *place * (y - f);
            }
            let with_penalties = coef.row_mut(i).iter_mut().zip(self.functions.alphas);
            with_penalties.for_each(|(v, alpha)| *v /= alpha);
        }
        let kernel = &*self.functions.on.kernel;
        add_products(ctx, kernel, (&self.moved, samples), &coef, &mut self.products)?;
        self.in_group += samples.len();
        self.rows += samples.len() as u64;
        if self.in_group >= GROUP {
            self.end_group(ctx);
        }
        Ok(())
    }

    fn end_group(&mut self, ctx: &Context) {
        self.groups.add(ctx, &[self.products.data(), &self.squares].concat());
        self.products.data_mut().fill(0.0);
        self.squares.fill(0.0);
        self.in_group = 0;
    }

    /// What was added up, over so many rows.
    pub fn into_sums(mut self, ctx: &Context) -> (ExactSums, u64) {
        self.end_group(ctx);
        (self.groups, self.rows)
    }

    /// How many sums there are.
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Adds what was added up elsewhere.
    pub fn merge(&mut self, ctx: &Context, sums: &ExactSums) {
        self.groups.merge(ctx, sums);
    }

    /// How nearly each function solves the system of all rows.
    pub fn certify(mut self, ctx: &Context) -> Result<Vec<FullSystem>> {
        self.end_group(ctx);
        let Self { functions, checked, moved, groups, .. } = self;
        let (p, mut products) = (functions.coef.cols(), groups.values());
        let squares = products.split_off(moved.n() * p);
        let products = Mat::from_vec(products, moved.n(), p);
        let f = functions.values(ctx, Span::all(&moved), &mut RowScratch::default())?;
        let share = checked.of as f64 / moved.n() as f64;
        let one = |c: usize| {
            let b = functions.offset[c];
            let (mut left, mut targets, mut gap) = (0.0, 0.0, 0.0);
            for (i, w) in checked.weights.iter().enumerate() {
                let y = checked.targets[(i, c % functions.t)];
                let r = f[(i, c)] - b - products[(i, c)];
                left += w * r * r;
                targets += w * (y - b) * (y - b);
                gap -= w * (y - f[(i, c)]) * r;
            }
            let objective = squares[c] + functions.penalties[c];
            let ratio = |part: f64, of: f64| if of > 0.0 { part / of } else { 0.0 };
            FullSystem {
                rows: moved.n(),
                residual: ratio(left.sqrt(), targets.sqrt()),
                // A share of a sum over a sample may come out negative; the gap is not.
                gap: ratio((share * gap).max(0.0), objective),
            }
        };
        Ok((0..functions.coef.cols()).map(one).collect())
    }
}

impl KernelRidge {
    /// Adds to the report how nearly the functions solve the system of all rows of a source that was just read, given ‖f‖² of each. Without a penalty there is no such
    /// system. Rows that cannot be read again, the end of the time and too little memory leave it unknown: the fit is complete without it.
    pub(crate) fn certify<T: Real>(
        &mut self,
        ctx: &Context,
        source: &mut Observed<'_, T>,
        norms: &[f64],
    ) -> Result<()> {
        match self.add_full_system(&ctx.phase(phase::EVALUATE), source, norms) {
            Err(error) if error.is_memory() => Ok(()),
            // The caller's own interruption goes on.
            Err(Error::Interrupted) if ctx.is_out_of_time() => ctx.without_time_limit().poll(),
            done => done,
        }
    }

    fn add_full_system<T: Real>(
        &mut self,
        ctx: &Context,
        source: &mut Observed<'_, T>,
        norms: &[f64],
    ) -> Result<()> {
        let checked = source.checked()?;
        let (t, given) = (self.t(), &self.params.alpha);
        let alphas = if given.len() == t { given.clone() } else { vec![given[0]; t] };
        if alphas.contains(&0.0) || source.is_once() {
            return Ok(());
        }
        let (Some(anchors), Some(state)) = (&self.anchors, &self.landmarks) else {
            return Ok(());
        };
        let m = anchors.n() as u64;
        let (chunk, s) = (CHUNK as u64, checked.samples.n() as u64);
        // Kernel values of a chunk, or of the sample, with the landmarks, and of both with each other.
        let bytes = 8 * ((chunk + s) * (m + 4 * t as u64) + chunk * s);
        let hint = "use fewer landmarks or raise the memory budget";
        let _reservation = ctx.reserve("the residual of the full system", bytes, hint)?;
        source.rewind(1)?;
        let landmarks = anchors.to_type::<T>()?;
        let kernel = SpecKernel::<T>::new(&self.params.kernel)?;
        let on = &kernel_at(&kernel, &landmarks, state)?;
        let penalties: Vec<f64> = norms.iter().zip(&alphas).map(|(v, alpha)| v * alpha).collect();
        let (coef, offset) = (&self.coef, &self.offset[..]);
        let functions = Functions { on, coef, offset, alphas: &alphas, penalties: &penalties, t };
        let pass = source
            .workers()
            .is_some()
            .then(|| packet_of(SYSTEM, &self.params.kernel, anchors.clone(), state.point.clone()));
        if let Some(pass) = pass.transpose()? {
            let pass = functions.packet(checked.packet(pass));
            let mut system = SystemCheck::new(functions, &checked)?;
            if let Some(workers) = source.workers() {
                let sums = workers.sum(ctx, &pass)?.take_sums(system.len())?;
                system.merge(ctx, &sums);
            }
            let found = system.certify(ctx)?;
            if let Some(landmarks) = &mut self.report.landmarks {
                landmarks.full_system = found.into_iter().reduce(FullSystem::worse);
            }
            return Ok(());
        }
        let found = checked_on(ctx, functions, source, &checked)?;
        if let Some(landmarks) = &mut self.report.landmarks {
            landmarks.full_system = found.into_iter().reduce(FullSystem::worse);
        }
        Ok(())
    }
}

/// The pass over parts of the rows.
pub(super) struct SystemWork<T: Real> {
    basis: Basis<T>,
    checked: Checked<T>,
    coef: Mat<f64>,
    pass: Packet,
}

impl<T: Real> SystemWork<T> {
    /// As the packet says.
    pub fn new(basis: Basis<T>, pass: &Packet) -> Result<Self> {
        let p = pass.reals("offset")?.len();
        let (coef, checked) = (pass.matrix("coef", p)?, Checked::of_packet(pass)?);
        Ok(Self { basis, checked, coef, pass: pass.clone() })
    }

    fn functions(&self) -> Result<Functions<'_, T>> {
        Ok(Functions {
            on: &self.basis.on,
            coef: &self.coef,
            offset: self.pass.reals("offset")?,
            alphas: self.pass.reals("alphas")?,
            penalties: self.pass.reals("penalties")?,
            t: self.pass.place("t")? as usize,
        })
    }
}

impl<T: Real> Work for SystemWork<T> {
    fn part(
        &self,
        ctx: &Context,
        _: u64,
        source: &mut dyn RowBlocks,
        _: &Beside,
    ) -> Result<Packet> {
        let functions = self.functions()?;
        let mut system = SystemCheck::new(functions, &self.checked)?;
        read(ctx, functions, source, &mut system)?;
        let (sums, rows) = system.into_sums(ctx);
        Ok(Packet::new(SYSTEM).with_sums(sums, rows))
    }
}

impl<T: Real> Functions<'_, T> {
    /// As other machines need them.
    pub fn packet(&self, pass: Packet) -> Packet {
        pass.with_reals("coef", self.coef.data())
            .with_reals("offset", self.offset)
            .with_reals("alphas", self.alphas)
            .with_reals("penalties", self.penalties)
            .with_places("t", [self.t as u64])
    }
}

/// Reads the rows of a source from where it stands.
fn checked_on<T: Real>(
    ctx: &Context,
    functions: Functions<'_, T>,
    source: &mut dyn RowBlocks,
    checked: &Checked<T>,
) -> Result<Vec<FullSystem>> {
    let mut system = SystemCheck::new(functions, checked)?;
    read(ctx, functions, source, &mut system)?;
    system.certify(ctx)
}

fn read<T: Real>(
    ctx: &Context,
    functions: Functions<'_, T>,
    source: &mut dyn RowBlocks,
    system: &mut SystemCheck<'_, T>,
) -> Result<()> {
    let (mut before, mut scratch, total) = (0, RowScratch::default(), source.rows());
    while let Some(block) = source.next()? {
        let x = block.samples.to_type::<T>()?;
        functions.on.anchors.check_like(&x)?;
        let x = functions.on.moved(&x)?;
        for from in (0..x.n()).step_by(CHUNK) {
            ctx.poll()?;
            let samples = Span::new(&x, from..(from + CHUNK).min(x.n()));
            let predicted = functions.values(ctx, samples, &mut scratch)?;
            system.add(ctx, samples, &part(&block, samples, functions.t, predicted)?)?;
            if let Some(n) = total {
                ctx.step(Step::new("rows", (before + samples.end) as f64, n as f64))?;
            }
        }
        before += x.n();
    }
    Ok(())
}

/// Samples of a block with their targets, weights and predictions.
pub(super) fn part<T: Real>(
    block: &RowBlock<'_>,
    samples: Span<'_, Samples<T>>,
    t: usize,
    predicted: Mat<f64>,
) -> Result<Evaluated> {
    let (from, n) = (samples.start, samples.len());
    let y = block.targets.as_deref().filter(|y| y.cols() == t && y.rows() >= samples.end);
    let y = y.ok_or_else(|| {
        Error::Shape("the rows have other targets than when they were read before".into())
    })?;
    let weight = |i: usize| block.weights.as_ref().map_or(1.0, |w| w[from + i]);
    Ok(Evaluated {
        targets: Mat::from_fn(n, t, |i, j| y[(from + i, j)]),
        weights: (0..n).map(weight).collect(),
        predicted,
    })
}
