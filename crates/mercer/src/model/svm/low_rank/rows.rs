//! The training samples themselves, which few things are asked of once a machine on landmarks is solved.

use crate::context::Context;
use crate::error::Result;
use crate::gram;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::points::{AnySamples, Points, Samples, Span};
use crate::real::Real;

/// Rows whose support vectors are evaluated at a time. They begin at multiples of this, so that sums do not depend on how rows are divided.
const GROUP: usize = 1024;

/// Σ β k(x, x_i), which is wanted of some samples.
pub struct WantedSum {
    /// The places of the samples x among those that were looked at.
    pub of: Vec<usize>,
    /// Rows of the training samples x_i, ascending, with β.
    pub beta: Vec<(usize, f64)>,
}

/// Training samples in memory or elsewhere.
pub trait TrainingRows {
    /// Some of them, in ascending order.
    fn samples(&self, ctx: &Context, rows: &[usize]) -> Result<AnySamples>;

    /// Sums of kernel values between `looked` and all samples: for each of `wanted` one for each of its samples.
    fn sums(
        &self,
        ctx: &Context,
        looked: &AnySamples,
        wanted: &[WantedSum],
    ) -> Result<Vec<Vec<f64>>>;
}

/// Samples in memory.
pub struct Held<T: Real> {
    pub on: KernelOn<T>,
    /// As the kernel takes them.
    pub moved: Samples<T>,
    /// As they came.
    pub given: AnySamples,
}

impl<T: Real> TrainingRows for Held<T> {
    fn samples(&self, _: &Context, rows: &[usize]) -> Result<AnySamples> {
        Ok(self.given.select(rows))
    }

    fn sums(
        &self,
        ctx: &Context,
        looked: &AnySamples,
        wanted: &[WantedSum],
    ) -> Result<Vec<Vec<f64>>> {
        let mut adding = Adding::new(&self.on, looked, wanted)?;
        adding.add(ctx, 0, &self.moved)?;
        Ok(adding.sums)
    }
}

/// Sums that training samples are being added to.
pub struct Adding<'a, T: Real> {
    on: &'a KernelOn<T>,
    /// The samples of each sum, as the kernel takes them.
    looked: Vec<Samples<T>>,
    wanted: &'a [WantedSum],
    pub sums: Vec<Vec<f64>>,
}

impl<'a, T: Real> Adding<'a, T> {
    /// Sums over no samples yet.
    pub fn new(on: &'a KernelOn<T>, looked: &AnySamples, wanted: &'a [WantedSum]) -> Result<Self> {
        let all = on.moved(&looked.to_type()?)?;
        let looked = wanted.iter().map(|wanted| all.select(&wanted.of)).collect();
        let sums = wanted.iter().map(|wanted| vec![0.0; wanted.of.len()]).collect();
        Ok(Self { on, looked, wanted, sums })
    }

    /// Adds samples, as the kernel takes them, the first of which is the training sample `from`, a multiple of 1,024.
    pub fn add(&mut self, ctx: &Context, from: usize, x: &Samples<T>) -> Result<()> {
        for (place, wanted) in self.wanted.iter().enumerate() {
            let below = |row: usize| wanted.beta.partition_point(|(at, _)| *at < row);
            let own = &wanted.beta[below(from)..below(from + x.n())];
            for group in own.chunk_by(|a, b| a.0 / GROUP == b.0 / GROUP) {
                let rows: Vec<usize> = group.iter().map(|(row, _)| row - from).collect();
                self.add_group(ctx, place, &x.select(&rows), group)?;
            }
        }
        Ok(())
    }

    fn add_group(
        &mut self,
        ctx: &Context,
        place: usize,
        support: &Samples<T>,
        beta: &[(usize, f64)],
    ) -> Result<()> {
        let looked = &self.looked[place];
        let mut values = Mat::<T>::try_zeros(looked.n(), beta.len())?;
        let kernel = &*self.on.kernel;
        gram::fill_kernel_values(ctx, kernel, Span::all(looked), support, &mut values)?;
        for (i, sum) in self.sums[place].iter_mut().enumerate() {
            let each = values.row(i).iter().zip(beta);
            *sum += each.map(|(v, (_, b))| v.to_f64() * b).sum::<f64>();
        }
        Ok(())
    }
}
