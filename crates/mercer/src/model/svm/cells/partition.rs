//! Samples divided among centres: each belongs to the one that is nearest in feature space.

use std::collections::HashMap;

use super::CellParams;
use crate::context::{Context, Stream};
use crate::error::Result;
use crate::gram;
use crate::kernel::{Kernel, KernelSpec, SpecKernel};
use crate::linalg::view::Mat;
use crate::points::{Points, Samples, Span};
use crate::real::Real;

/// Samples whose distances are computed at a time, and distances at most.
const CHUNK: usize = 4096;
const VALUES: usize = 1 << 22;
/// Neighbours of a cell that it takes samples from.
const NEIGHBOURS: usize = 8;

/// The cells of samples.
pub struct Partition<T: Real> {
    kernel: SpecKernel<T>,
    x: Samples<T>,
    /// The rows that are centres.
    pub centres: Vec<usize>,
    /// The rows of each cell.
    pub members: Vec<Vec<usize>>,
    /// Samples of neighbours that a cell learns from at most.
    more: usize,
}

impl<T: Real> Partition<T> {
    /// Cells of at most so many samples. Centres are drawn at random, more of them where cells are too large.
    pub fn new(
        ctx: &Context,
        spec: &KernelSpec,
        x: &Samples<T>,
        params: &CellParams,
    ) -> Result<Self> {
        let kernel = SpecKernel::<T>::new(spec)?;
        let mut stream = Stream::new(params.seed, "cells");
        let n = x.n();
        let mut nearest = vec![(f64::INFINITY, 0_usize); n];
        let mut centres = Vec::new();
        let mut fresh = stream.sample(n, n.div_ceil(params.rows));
        // The sizes of cells that were to be divided: equal samples stay together.
        let mut tried: HashMap<usize, usize> = HashMap::new();
        while !fresh.is_empty() {
            add_centres(ctx, &kernel, x, (centres.len(), &fresh), &mut nearest)?;
            centres.append(&mut fresh);
            let members = members(&nearest, centres.len());
            for (cell, own) in members.iter().enumerate() {
                let is_large = own.len() > params.rows;
                if is_large && tried.insert(cell, own.len()) != Some(own.len()) {
                    let some = stream.sample(own.len(), own.len() / params.rows);
                    fresh.extend(some.into_iter().map(|place| own[place]));
                }
            }
        }
        let members = members(&nearest, centres.len());
        let (centres, members) =
            centres.into_iter().zip(members).filter(|(_, members)| !members.is_empty()).unzip();
        let more = (params.overlap * params.rows as f64) as usize;
        Ok(Self { kernel, x: x.clone(), centres, members, more })
    }

    /// How many cells there are.
    pub fn count(&self) -> usize {
        self.centres.len()
    }

    /// The rows that a cell learns from, ascending: its own, and the nearest of its neighbours.
    pub fn training(&self, ctx: &Context, cell: usize) -> Result<Vec<usize>> {
        let mut rows = self.members[cell].clone();
        let mut others: Vec<usize> = (0..self.count()).filter(|&c| c != cell).collect();
        let centres: Vec<usize> = others.iter().map(|&c| self.centres[c]).collect();
        let far = self.distances(ctx, &centres, self.centres[cell])?;
        nearest_of(&mut others, &far, NEIGHBOURS);
        let mut beside: Vec<usize> =
            others.iter().flat_map(|&c| self.members[c].iter().copied()).collect();
        beside.sort_unstable();
        let far = self.distances(ctx, &beside, self.centres[cell])?;
        nearest_of(&mut beside, &far, self.more);
        rows.extend(beside);
        rows.sort_unstable();
        Ok(rows)
    }

    /// How far rows are from another, but for what all have in common.
    fn distances(&self, ctx: &Context, rows: &[usize], from: usize) -> Result<Vec<f64>> {
        let (some, one) = (self.x.select(rows), self.x.select(&[from]));
        let mut values = Mat::<T>::try_zeros(rows.len(), 1)?;
        gram::fill_kernel_values(ctx, &self.kernel, Span::all(&some), &one, &mut values)?;
        let mut diagonal = vec![T::ZERO; rows.len()];
        self.kernel.diag(Span::all(&some), &mut diagonal)?;
        let each = diagonal.iter().zip(values.data());
        Ok(each.map(|(own, value)| own.to_f64() - 2.0 * value.to_f64()).collect())
    }
}

/// Keeps the `count` places with the smallest distances, of equal ones the first.
fn nearest_of(places: &mut Vec<usize>, far: &[f64], count: usize) {
    let mut order: Vec<usize> = (0..places.len()).collect();
    if count < order.len() {
        order.select_nth_unstable_by(count, |&a, &b| far[a].total_cmp(&far[b]).then(a.cmp(&b)));
        order.truncate(count);
    }
    *places = order.into_iter().map(|k| places[k]).collect();
}

fn members(nearest: &[(f64, usize)], count: usize) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); count];
    nearest.iter().enumerate().for_each(|(row, (_, cell))| members[*cell].push(row));
    members
}

/// Gives samples to centres that are nearer than those they belong to.
fn add_centres<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    x: &Samples<T>,
    (before, fresh): (usize, &[usize]),
    nearest: &mut [(f64, usize)],
) -> Result<()> {
    let centres = x.select(fresh);
    each_distance(ctx, kernel, x, &centres, |row, distances| {
        for (c, &far) in distances.iter().enumerate() {
            if far < nearest[row].0 {
                nearest[row] = (far, before + c);
            }
        }
    })
}

/// The squared distance of each sample from each centre in feature space, less k(x, x).
fn each_distance<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    x: &Samples<T>,
    centres: &Samples<T>,
    mut take: impl FnMut(usize, &[f64]),
) -> Result<()> {
    let mut diagonal = vec![T::ZERO; centres.n()];
    kernel.diag(Span::all(centres), &mut diagonal)?;
    let chunk = (VALUES / centres.n().max(1)).clamp(1, CHUNK).min(x.n().max(1));
    let bytes = (chunk * centres.n() * size_of::<T>()) as u64;
    let hint = "choose larger cells, or raise the memory budget";
    let _reservation = ctx.reserve("the distances from cells", bytes, hint)?;
    let mut values = Mat::<T>::try_zeros(chunk, centres.n())?;
    let mut distances = vec![0.0; centres.n()];
    for from in (0..x.n()).step_by(chunk) {
        ctx.poll()?;
        let span = Span::new(x, from..(from + chunk).min(x.n()));
        if span.len() < values.rows() {
            values = Mat::try_zeros(span.len(), centres.n())?;
        }
        gram::fill_kernel_values(ctx, kernel, span, centres, &mut values)?;
        for i in 0..span.len() {
            let each = distances.iter_mut().zip(values.row(i)).zip(&diagonal);
            each.for_each(|((far, v), own)| *far = own.to_f64() - 2.0 * v.to_f64());
            take(from + i, &distances);
        }
    }
    Ok(())
}

/// The place of the nearest centre of each sample; of equal ones, the first.
pub fn route<T: Real>(
    ctx: &Context,
    kernel: &SpecKernel<T>,
    x: &Samples<T>,
    centres: &Samples<T>,
) -> Result<Vec<usize>> {
    let mut cells = vec![0; x.n()];
    each_distance(ctx, kernel, x, centres, |row, distances| {
        let nearer = |best: usize, c: usize| if distances[c] < distances[best] { c } else { best };
        cells[row] = (0..distances.len()).fold(0, nearer);
    })?;
    Ok(cells)
}
