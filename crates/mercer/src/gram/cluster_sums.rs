//! Sums over clusters of samples of their kernel values with m landmarks: what a round of k-means in the landmarks' span needs of the samples.
//!
//! With centres μ_c = Σ_z a_zc φ(z), the squared distance of a sample's projection φ̂(x) to centre c is ‖φ̂(x)‖² − 2 k_Z(x)ᵀ a_c + ‖μ_c‖². So a round computes the
//! kernel values of a piece of samples with the landmarks, assigns the samples, and adds their kernel values to the sums of their clusters while they are in the cache: neither
//! the n × m values nor the features are ever held. Sums are those of chunks of a fixed size, added in order, so that threads change no bit, nor do blocks of
//! a stream whose size is a multiple of a chunk.

use rayon::prelude::*;

use super::exact_sums::ExactSums;
use super::groups::nearest;
use super::landmark_sums::{CHUNK, TILE};
use crate::context::Context;
use crate::error::Result;
use crate::kernel::{Kernel, Tile};
use crate::linalg::skinny::{Lane, TileRef, WIDTH, multiply};
use crate::linalg::view::Mat;
use crate::points::{Points, Span};
use crate::real::Real;

/// The label of a sample that has no cluster yet.
pub const UNASSIGNED: usize = usize::MAX;
/// Chunks for each thread that are worked on side by side.
const CHUNKS: usize = 4;

/// Centres in the landmarks' span.
#[derive(Clone, Debug)]
pub struct SpanCentres {
    /// The centres as sums over landmarks: m × k.
    pub coef: Mat<f64>,
    /// ‖μ_c‖²; infinite for a cluster without samples.
    pub norms: Vec<f64>,
}

/// Consecutive samples.
pub struct ClusterRows<'a, P> {
    /// The samples.
    pub samples: Span<'a, P>,
    /// Their weights; `None` for 1.
    pub weights: Option<&'a [f64]>,
    /// ‖φ̂(x)‖² of each.
    pub squares: &'a [f64],
    /// The row of the first of them in the source.
    pub first: usize,
    /// Differences of squared distances that are lost in rounding.
    pub noise: f64,
}

/// A sample far from its centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Far {
    /// Its weighted squared distance.
    pub cost: f64,
    /// Its row in the source.
    pub row: usize,
    /// Its weight.
    pub weight: f64,
    /// Its cluster, and that before the round.
    pub label: usize,
    /// The cluster before the round.
    pub before: usize,
}

/// What a round finds out about the samples.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSums {
    /// Σ w k_Z(x) over the samples of each cluster: k × m.
    pub sums: Mat<f64>,
    /// The weight of each cluster.
    pub sizes: Vec<f64>,
    /// The samples of positive weight of each cluster.
    pub members: Vec<usize>,
    /// Samples whose cluster changed.
    pub moved: u64,
    /// The k samples of the highest costs, in descending order.
    pub far: Vec<Far>,
}

impl ClusterSums {
    /// Sums over no samples, for k clusters and m landmarks.
    pub fn empty(k: usize, m: usize) -> Result<Self> {
        let sums = Mat::try_zeros(k, m)?;
        Ok(Self { sums, sizes: vec![0.0; k], members: vec![0; k], moved: 0, far: Vec::new() })
    }

    /// Bytes that a round takes on so many threads, for kernel values of type T.
    pub fn bytes<T: Real>(k: usize, m: usize, threads: usize) -> u64 {
        let (k, m) = (k as u64, m as u64);
        let sums = (CHUNKS * threads + 2) as u64 * 8 * k * (m + 8);
        let sums = sums + ExactSums::bytes(k * (m + 1));
        let pieces = (threads * TILE.0 * size_of::<T>()) as u64 * (m + k + WIDTH as u64);
        sums + pieces + 2 * 8 * m * (k + WIDTH as u64)
    }

    /// Counts a sample, whose kernel values with the landmarks are `values`.
    fn enter<T: Real>(&mut self, label: usize, weight: f64, values: &[T]) {
        self.sizes[label] += weight;
        self.members[label] += usize::from(weight > 0.0);
        let sums = self.sums.row_mut(label).iter_mut().zip(values);
        sums.for_each(|(sum, v)| *sum += weight * v.to_f64());
    }

    /// Notes a sample if it is among the k of the highest costs.
    fn note(&mut self, far: Far) {
        note(&mut self.far, self.sizes.len(), far);
    }

    /// Moves a sample with the kernel values `values` to cluster `c`, which has none.
    pub fn send(&mut self, far: &Far, values: &[f64], c: usize) {
        self.members[far.label] -= 1;
        self.sizes[far.label] -= far.weight;
        let left = self.sums.row_mut(far.label).iter_mut().zip(values);
        left.for_each(|(sum, v)| *sum -= far.weight * v);
        self.enter(c, far.weight, values);
        self.moved -= u64::from(far.label != far.before);
        self.moved += u64::from(c != far.before);
    }
}

/// Notes a sample if it is among the k of the highest costs; of equal ones, the first come first.
fn note(all: &mut Vec<Far>, k: usize, far: Far) {
    if all.len() == k && all.last().is_some_and(|last| last.cost >= far.cost) {
        return;
    }
    let place = all.partition_point(|other| other.cost >= far.cost);
    all.insert(place, far);
    all.truncate(k);
}

/// What a round finds out about many samples, chunk by chunk: sums do not depend on where chunks are added up.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterTotal {
    /// k and m.
    shape: (usize, usize),
    /// The sums of clusters, then their weights.
    sums: ExactSums,
    members: Vec<usize>,
    moved: u64,
    far: Vec<Far>,
}

impl ClusterTotal {
    /// Over no samples, for k clusters and m landmarks.
    pub fn empty(k: usize, m: usize) -> Result<Self> {
        let sums = ExactSums::empty(k * (m + 1))?;
        Ok(Self { shape: (k, m), sums, members: vec![0; k], moved: 0, far: Vec::new() })
    }

    /// Of k clusters and m landmarks, with these parts.
    pub fn of(
        shape: (usize, usize),
        (sums, members): (ExactSums, Vec<usize>),
        moved: u64,
        far: Vec<Far>,
    ) -> Self {
        Self { shape, sums, members, moved, far }
    }

    /// Its parts, as they travel.
    pub fn parts(&self) -> (&ExactSums, &[usize], u64, &[Far]) {
        (&self.sums, &self.members, self.moved, &self.far)
    }

    /// Adds samples, whose labels become the nearest of the centres; without centres, they stay as they are.
    pub fn add<P: Points, T: Real>(
        &mut self,
        ctx: &Context,
        kernel: &dyn Kernel<P, T>,
        z: &P,
        centres: Option<&SpanCentres>,
        (rows, labels): (&ClusterRows<'_, P>, &mut [usize]),
    ) -> Result<()> {
        let centres = centres.map(Functions::new);
        let round = Round { kernel, z, rows, centres, shape: self.shape };
        let wave = CHUNK * CHUNKS * ctx.threads();
        for (number, labels) in labels.chunks_mut(wave).enumerate() {
            ctx.poll()?;
            let parts = ctx.install(|| {
                let chunks = labels.par_chunks_mut(CHUNK).enumerate();
                let one = |(chunk, labels)| round.chunk(ctx, number * wave + chunk * CHUNK, labels);
                chunks.map(one).collect::<Result<Vec<_>>>()
            })?;
            parts.iter().for_each(|part| self.add_chunk(ctx, part));
        }
        Ok(())
    }

    fn add_chunk(&mut self, ctx: &Context, chunk: &ClusterSums) {
        self.sums.add(ctx, &[chunk.sums.data(), &chunk.sizes].concat());
        self.count(&chunk.members, chunk.moved, &chunk.far);
    }

    /// Adds samples that come after these.
    pub fn merge(&mut self, ctx: &Context, other: &Self) {
        self.sums.merge(ctx, &other.sums);
        self.count(&other.members, other.moved, &other.far);
    }

    fn count(&mut self, members: &[usize], moved: u64, far: &[Far]) {
        self.members.iter_mut().zip(members).for_each(|(a, b)| *a += b);
        self.moved += moved;
        far.iter().for_each(|one| note(&mut self.far, self.shape.0, one.clone()));
    }

    /// The sums, rounded.
    pub fn finish(self) -> ClusterSums {
        let (k, m) = self.shape;
        let mut sums = self.sums.values();
        let sizes = sums.split_off(k * m);
        let sums = Mat::from_vec(sums, k, m);
        ClusterSums { sums, sizes, members: self.members, moved: self.moved, far: self.far }
    }
}

/// Centres as products with kernel values take them.
struct Functions<'a, T> {
    /// For each 16 clusters, a lane for each landmark.
    lanes: Vec<Vec<Lane<T>>>,
    norms: &'a [f64],
}

impl<'a, T: Real> Functions<'a, T> {
    fn new(centres: &'a SpanCentres) -> Self {
        let (m, k) = (centres.coef.rows(), centres.coef.cols());
        let entry =
            |i: usize, c: usize| if c < k { T::from_f64(centres.coef[(i, c)]) } else { T::ZERO };
        let block = |b: usize| {
            let lane = |i: usize| std::array::from_fn(|c| entry(i, b * WIDTH + c));
            (0..m).map(lane).collect()
        };
        Self { lanes: (0..k.div_ceil(WIDTH)).map(block).collect(), norms: &centres.norms }
    }
}

/// A round over some samples.
struct Round<'a, P, T: Real> {
    kernel: &'a dyn Kernel<P, T>,
    z: &'a P,
    rows: &'a ClusterRows<'a, P>,
    centres: Option<Functions<'a, T>>,
    /// k and m.
    shape: (usize, usize),
}

impl<P: Points, T: Real> Round<'_, P, T> {
    /// The sums over the samples from `start` on, and their labels.
    fn chunk(&self, ctx: &Context, start: usize, labels: &mut [usize]) -> Result<ClusterSums> {
        let (k, m) = self.shape;
        let mut found = ClusterSums::empty(k, m)?;
        let mut values = vec![T::ZERO; TILE.0.min(labels.len()) * m];
        let mut distances = vec![0.0; TILE.0 * k];
        for (piece, labels) in labels.chunks_mut(TILE.0).enumerate() {
            ctx.poll()?;
            let from = start + piece * TILE.0;
            let values = &mut values[..labels.len() * m];
            self.fill(from, labels.len(), values)?;
            if let Some(centres) = &self.centres {
                self.distances(centres, from, values, &mut distances);
            }
            for (i, (label, values)) in labels.iter_mut().zip(values.chunks_exact(m)).enumerate() {
                let weight = self.rows.weights.map_or(1.0, |weights| weights[from + i]);
                if self.centres.is_some() {
                    let own = distances[i * k..(i + 1) * k].iter().copied();
                    self.assign(&mut found, (from + i, weight), own, label);
                }
                found.enter(*label, weight, values);
            }
        }
        Ok(found)
    }

    /// The kernel values of samples with the landmarks.
    fn fill(&self, from: usize, count: usize, values: &mut [T]) -> Result<()> {
        let (own, all) = (self.rows.samples.part(from..from + count), Span::all(self.z));
        let m = self.shape.1;
        for first in (0..m).step_by(TILE.1) {
            let some = all.part(first..(first + TILE.1).min(m));
            let tile = Tile::new(&mut values[first..], count, some.len(), m);
            self.kernel.tile(own, some, tile)?;
        }
        Ok(())
    }

    /// The squared distances of samples to the centres, k for each.
    fn distances(&self, centres: &Functions<'_, T>, from: usize, values: &[T], out: &mut [f64]) {
        let (k, m) = self.shape;
        let rows = values.len() / m;
        for (block, lanes) in centres.lanes.iter().enumerate() {
            let mut sums = [[0.0; WIDTH]; TILE.0];
            for first in (0..m).step_by(TILE.1) {
                let cols = TILE.1.min(m - first);
                let tile = TileRef { data: &values[first..], rows, cols, stride: m };
                multiply(tile, &lanes[first..first + cols], &mut sums[..rows]);
            }
            for (i, sums) in sums[..rows].iter().enumerate() {
                let own = self.rows.squares[from + i];
                for c in block * WIDTH..k.min((block + 1) * WIDTH) {
                    out[i * k + c] = own - 2.0 * sums[c % WIDTH] + centres.norms[c];
                }
            }
        }
    }

    /// Assigns a sample to the nearest centre.
    fn assign(
        &self,
        found: &mut ClusterSums,
        (place, weight): (usize, f64),
        distances: impl Iterator<Item = f64> + Clone,
        label: &mut usize,
    ) {
        let before = *label;
        let (nearest, distance) = nearest(distances, self.rows.noise);
        *label = nearest;
        found.moved += u64::from(nearest != before);
        if weight > 0.0 && distance > self.rows.noise {
            let (cost, row) = (weight * distance, self.rows.first + place);
            found.note(Far { cost, row, weight, label: nearest, before });
        }
    }
}
