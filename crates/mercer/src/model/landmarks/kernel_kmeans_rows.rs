//! Passes of kernel k-means over rows: what landmarks leave of them, their clusters, and kernel values of single ones.

use super::basis::Basis;
use super::packet::Packet;
use super::rows::{RowBlock, RowBlocks};
use super::workers::{Beside, MEASURE, ROUND, VALUES, Work, Workers};
use crate::context::{Context, Step};
use crate::error::{Error, Result};
use crate::gram::{
    CHUNK, ClusterRows, ClusterTotal, ExactSums, Far, SpanCentres, UNASSIGNED, features,
    kernel_values,
};
use crate::linalg::view::Mat;
use crate::model::validate::check_weights;
use crate::points::{Points, Samples, Span};
use crate::real::Real;

/// What is known of the rows before the first round.
pub(super) struct Measured {
    /// Σ w ‖φ̂‖², Σ w k(x, x), Σ w, and what each landmark explains beside those before it.
    pub sums: ExactSums,
    /// The largest k(x, x).
    pub largest: f64,
    /// ‖φ̂(x)‖² of every row.
    pub squares: Vec<f64>,
}

impl Measured {
    /// Of no rows, for m landmarks.
    pub fn empty(m: usize) -> Result<Self> {
        Ok(Self { sums: ExactSums::empty(3 + m)?, largest: 0.0, squares: Vec::new() })
    }

    /// Adds a block, whose first row is `first` and whose samples are `x` as the kernel takes them.
    pub fn add<T: Real>(
        &mut self,
        ctx: &Context,
        (basis, factor): (&Basis<T>, &Mat<T>),
        (first, x, block): (usize, &Samples<T>, &RowBlock<'_>),
        total: Option<usize>,
    ) -> Result<()> {
        let weights = block.weights.as_deref();
        weights.map_or(Ok(()), |weights| check_block(weights, x.n()))?;
        for from in (0..x.n()).step_by(CHUNK) {
            let samples = Span::new(x, from..(from + CHUNK).min(x.n()));
            let kernel = &*basis.on.kernel;
            let rows = features(ctx, kernel, (&basis.on.anchors, factor), samples)?;
            let mut diagonal = vec![T::ZERO; samples.len()];
            kernel.diag(samples, &mut diagonal)?;
            let mut part = vec![0.0; self.sums.len()];
            for (i, own) in diagonal.iter().enumerate() {
                let weight = weights.map_or(1.0, |weights| weights[from + i]);
                let own = finite(own.to_f64(), first + from + i)?;
                let mut square = 0.0;
                for (added, v) in part[3..].iter_mut().zip(rows.row(i)) {
                    let v = v.to_f64().powi(2);
                    square += v;
                    *added += weight * v;
                }
                part[0] += weight * square;
                part[1] += weight * own;
                part[2] += weight;
                self.largest = self.largest.max(own.abs());
                self.squares.push(square);
            }
            self.sums.add_few(&part);
            match total {
                Some(n) => ctx.step(Step::new("rows", self.squares.len() as f64, n as f64))?,
                None => ctx.poll()?,
            }
        }
        Ok(())
    }

    /// The same of rows that lie elsewhere.
    pub fn of_workers<T: Real>(
        ctx: &Context,
        basis: &Basis<T>,
        workers: &mut dyn Workers,
    ) -> Result<Self> {
        let mut all = Self::empty(basis.m())?;
        for mut found in workers.run(ctx, &basis.packet(MEASURE)?, false)? {
            all.sums.merge(ctx, &found.take_sums(3 + basis.m())?);
            all.largest = found.reals("largest")?.iter().fold(all.largest, |a, b| a.max(*b));
            all.squares.extend(found.reals("squares")?);
        }
        Ok(all)
    }
}

fn finite(own: f64, row: usize) -> Result<f64> {
    match own.is_finite() {
        true => Ok(own),
        false => Err(Error::Numeric(format!(
            "k(x, x) is {own} for row {row}: scale the data down, choose a smaller gamma or degree, or use double precision"
        ))),
    }
}

/// Refuses invalid weights; a block may have none above 0.
fn check_block(weights: &[f64], n: usize) -> Result<()> {
    match weights.iter().any(|w| *w != 0.0) {
        true => check_weights(weights, n),
        false => Ok(()),
    }
}

/// A round over rows that lie elsewhere, whose labels and ‖φ̂‖² are sent along.
pub(super) fn round_of_workers<T: Real>(
    ctx: &Context,
    (basis, workers): (&Basis<T>, &mut dyn Workers),
    centres: Option<&SpanCentres>,
    (k, noise, squares): (usize, f64, &[f64]),
    labels: &mut [usize],
) -> Result<ClusterTotal> {
    let pass = basis.packet(ROUND)?.with_places("k", [k as u64]).with_reals("noise", [noise]);
    let pass = match centres {
        Some(centres) => {
            pass.with_reals("coef", centres.coef.data()).with_reals("norms", &centres.norms[..])
        }
        None => pass,
    };
    let numbers = labels.iter().map(|label| u32::try_from(*label).unwrap_or(u32::MAX));
    let beside = Beside::default()
        .with(numbers.map(u32::to_le_bytes))
        .with(squares.iter().map(|v| v.to_le_bytes()));
    let (mut total, mut at) = (ClusterTotal::empty(k, basis.m())?, 0);
    for mut found in workers.run_beside(ctx, &pass, false, &beside)? {
        for label in found.places("labels")? {
            labels[at] = *label as usize;
            at += 1;
        }
        total.merge(ctx, &total_of(&mut found, (k, basis.m()))?);
    }
    Ok(total)
}

/// The kernel values of some rows that lie elsewhere with the landmarks.
pub(super) fn values_of_workers<T: Real>(
    ctx: &Context,
    (basis, workers): (&Basis<T>, &mut dyn Workers),
    rows: &[usize],
) -> Result<Mat<f64>> {
    let at: Vec<u64> = rows.iter().map(|&row| row as u64).collect();
    let mut values = Mat::zeros(rows.len(), basis.m());
    for found in workers.run(ctx, &basis.packet(VALUES)?.with_places("at", at), false)? {
        let own = found.reals("values")?.chunks_exact(basis.m());
        for (place, row) in found.places("found")?.iter().zip(own) {
            values.row_mut(*place as usize).copy_from_slice(row);
        }
    }
    Ok(values)
}

fn total_of(found: &mut Packet, (k, m): (usize, usize)) -> Result<ClusterTotal> {
    let sums = found.take_sums(k * (m + 1))?;
    let members = found.places("members")?.iter().map(|&v| v as usize).collect();
    let (costs, weights) = (found.reals("costs")?, found.reals("weights")?);
    let places = found.places("far")?.as_chunks::<3>().0.iter();
    let far = places.zip(costs).zip(weights).map(|((&[row, label, before], &cost), &weight)| Far {
        cost,
        row: row as usize,
        weight,
        label: label as usize,
        before: before as usize,
    });
    Ok(ClusterTotal::of((k, m), (sums, members), found.place("moved")?, far.collect()))
}

fn packet_of(total: &ClusterTotal, labels: &[usize]) -> Packet {
    let (sums, members, moved, far) = total.parts();
    let places = far.iter().flat_map(|far| [far.row, far.label, far.before]);
    let mut found = Packet::new(ROUND)
        .with_places("members", members.iter().map(|&v| v as u64).collect::<Vec<_>>())
        .with_places("moved", [moved])
        .with_places("far", places.map(|v| v as u64).collect::<Vec<_>>())
        .with_reals("costs", far.iter().map(|far| far.cost).collect::<Vec<_>>())
        .with_reals("weights", far.iter().map(|far| far.weight).collect::<Vec<_>>())
        .with_places("labels", labels.iter().map(|&v| v as u64).collect::<Vec<_>>());
    found.sums = Some(sums.clone());
    found
}

/// One of the passes over parts of the rows.
pub(super) struct ClusterWork<T: Real> {
    basis: Basis<T>,
    factor: Mat<T>,
    pass: Packet,
}

impl<T: Real> ClusterWork<T> {
    /// As the packet says.
    pub fn new(basis: Basis<T>, pass: &Packet) -> Result<Self> {
        let m = basis.m();
        let factor = Mat::from_fn(m, m, |i, j| T::from_f64(basis.factor[(i, j)]));
        Ok(Self { basis, factor, pass: pass.clone() })
    }

    /// Runs `work` on every block with its first row and its samples as the kernel takes them.
    fn each(
        &self,
        first: u64,
        source: &mut dyn RowBlocks,
        mut work: impl FnMut(usize, &Samples<T>, &RowBlock<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut row = first as usize;
        while let Some(block) = source.next()? {
            let x = block.samples.to_type::<T>()?;
            self.basis.landmarks.check_like(&x)?;
            work(row, &self.basis.on.moved(&x)?, &block)?;
            row += x.n();
        }
        Ok(())
    }

    fn measure(&self, ctx: &Context, first: u64, source: &mut dyn RowBlocks) -> Result<Packet> {
        let mut found = Measured::empty(self.basis.m())?;
        let with = (&self.basis, &self.factor);
        self.each(first, source, |row, x, block| found.add(ctx, with, (row, x, block), None))?;
        let rows = found.squares.len() as u64;
        Ok(Packet::new(MEASURE)
            .with_reals("largest", [found.largest])
            .with_reals("squares", found.squares)
            .with_sums(found.sums, rows))
    }

    fn round(
        &self,
        ctx: &Context,
        first: u64,
        source: &mut dyn RowBlocks,
        beside: &Beside,
    ) -> Result<Packet> {
        let (k, m) = (self.pass.place("k")? as usize, self.basis.m());
        let label = |bytes| match u32::from_le_bytes(bytes) {
            u32::MAX => UNASSIGNED,
            label => label as usize,
        };
        let (mut labels, squares) = (beside.list(0, label), beside.list(1, f64::from_le_bytes));
        let noise = self.pass.reals("noise")?.first().copied().unwrap_or(0.0);
        let centres = match self.pass.reals.get("norms") {
            Some(norms) => {
                Some(SpanCentres { coef: self.pass.matrix("coef", k)?, norms: norms.clone() })
            }
            None => None,
        };
        let mut total = ClusterTotal::empty(k, m)?;
        let on = &self.basis.on;
        self.each(first, source, |row, x, block| {
            let own = row - first as usize..row - first as usize + x.n();
            if own.end > labels.len() || own.end > squares.len() {
                return Err(Error::Shape("the rows changed while they were read".into()));
            }
            let (samples, weights) = (Span::all(x), block.weights.as_deref());
            let squares = &squares[own.clone()];
            let rows = ClusterRows { samples, weights, squares, first: row, noise };
            let with = (&rows, &mut labels[own]);
            total.add(ctx, &*on.kernel, &on.anchors, centres.as_ref(), with)
        })?;
        Ok(packet_of(&total, &labels))
    }

    fn values(&self, ctx: &Context, first: u64, source: &mut dyn RowBlocks) -> Result<Packet> {
        let rows = self.pass.places("at")?;
        let (mut found, mut values) = (Vec::new(), Vec::new());
        let on = &self.basis.on;
        self.each(first, source, |row, x, _| {
            let own = row as u64..(row + x.n()) as u64;
            let places: Vec<usize> = (0..rows.len()).filter(|&i| own.contains(&rows[i])).collect();
            if places.is_empty() {
                return Ok(());
            }
            let chosen: Vec<usize> = places.iter().map(|&i| rows[i] as usize - row).collect();
            let some = x.select(&chosen);
            let own = kernel_values(ctx, &*on.kernel, &on.anchors, Span::all(&some))?;
            found.extend(places.iter().map(|&place| place as u64));
            values.extend(own.data().iter().map(|v| v.to_f64()));
            Ok(())
        })?;
        Ok(Packet::new(VALUES).with_places("found", found).with_reals("values", values))
    }
}

impl<T: Real> Work for ClusterWork<T> {
    fn part(
        &self,
        ctx: &Context,
        first: u64,
        source: &mut dyn RowBlocks,
        beside: &Beside,
    ) -> Result<Packet> {
        match self.pass.name.as_str() {
            MEASURE => self.measure(ctx, first, source),
            ROUND => self.round(ctx, first, source, beside),
            _ => self.values(ctx, first, source),
        }
    }
}
