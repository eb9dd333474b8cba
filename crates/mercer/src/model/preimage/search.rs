//! All rows, block by block: neighbours first, then the iteration from several starting points.

use rayon::prelude::*;

use super::near::nearest;
use super::neighbours::estimates;
use super::space::{ROWS, Space, Target};
use super::{Method, PreimageParams, Preimages, descent, fixed_point};
use crate::context::{Context, SharedProgress};
use crate::error::Result;
use crate::linalg::view::Mat;
use crate::model::kernel_pca::KernelPca;
use crate::points::Dense;
use crate::real::Real;

/// An iteration so near to a known end, as a share of the spread, is led there too and need not go on: half of its rounds
/// are saved.
const SAME: f64 = 1e-3;

/// Where an iteration for one row ended.
#[derive(Clone)]
pub(super) struct End {
    pub z: Vec<f64>,
    /// ρ(z).
    pub rho: f64,
    pub rounds: usize,
    pub converged: bool,
}

/// Pre-images of `scores` (m × k) by any method but the learned map.
pub(super) fn preimages<T: Real>(
    ctx: &Context,
    model: &KernelPca,
    anchors: &Dense<T>,
    params: &PreimageParams,
    scores: &Dense<T>,
) -> Result<Preimages> {
    ctx.install(|| {
        let space = Space::new(ctx, model, anchors)?;
        let m = scores.n();
        let progress = SharedProgress::new("pre-images", m);
        let block = |start: usize| -> Result<Vec<End>> {
            let count = ROWS.min(m - start);
            let y = Mat::from_fn(count, scores.d(), |r, c| scores.row(start + r)[c].to_f64());
            let ends = of_block(ctx, &space, params, &y)?;
            progress.add(ctx, count)?;
            Ok(ends)
        };
        let starts: Vec<usize> = (0..m).step_by(ROWS).collect();
        let blocks = starts.into_par_iter().map(block).collect::<Result<Vec<_>>>()?;
        Ok(gather(blocks.into_iter().flatten().collect(), &space.point))
    })
}

/// What was found, with `point` (d numbers) put back that was taken from the samples.
fn gather(ends: Vec<End>, point: &[f64]) -> Preimages {
    let numbers = ends.iter().flat_map(|end| end.z.iter().zip(point).map(|(v, p)| v + p));
    let numbers = numbers.collect();
    let open = |r: &usize| !ends[*r].converged;
    let unconverged: Vec<usize> = (0..ends.len()).filter(open).collect();
    Preimages {
        samples: Mat::from_vec(numbers, ends.len(), point.len()),
        rounds: ends.iter().map(|end| end.rounds).max().unwrap_or(0),
        converged: ends.len() - unconverged.len(),
        unconverged,
    }
}

/// Pre-images of the block `scores` (rows × k).
fn of_block(
    ctx: &Context,
    space: &Space<'_>,
    params: &PreimageParams,
    scores: &Mat<f64>,
) -> Result<Vec<End>> {
    let target = space.target(scores);
    let near = nearest(space, &target, params.neighbours);
    let first = estimates(ctx, space, &target, &near)?;
    let run = match params.method {
        Method::FixedPoint => fixed_point::run,
        Method::Gradient => descent::run,
        Method::Neighbours | Method::Ridge => return Ok(as_they_are(&first)),
    };
    let Target { gamma, .. } = target;
    let mut best = run(ctx, space, params, &gamma, &first, &[])?;
    for rank in ranks(params.restarts, near[0].len()) {
        let start =
            Mat::from_fn(first.rows(), first.cols(), |r, j| space.anchors.row(near[r][rank])[j]);
        let ends = run(ctx, space, params, &gamma, &start, &best)?;
        best.iter_mut().zip(ends).for_each(|(best, end)| best.keep_better(end));
    }
    Ok(best)
}

fn as_they_are(z: &Mat<f64>) -> Vec<End> {
    let end = |r: usize| End { z: z.row(r).to_vec(), rho: 0.0, rounds: 0, converged: true };
    (0..z.rows()).map(end).collect()
}

/// Which neighbours are starting points beside the first estimate: the nearest, and others spread evenly to the farthest,
/// as near samples lie close together and lead to the same end.
fn ranks(restarts: usize, neighbours: usize) -> Vec<usize> {
    let more = (restarts - 1).min(neighbours);
    let last = neighbours - 1;
    (0..more).map(|s| if more == 1 { 0 } else { s * last / (more - 1) }).collect()
}

impl End {
    /// Whether an iteration at `z` is on its way to this end. It is then stopped, with an infinite ρ that never wins.
    pub fn awaits(&self, z: &[f64], space: &Space<'_>) -> bool {
        let squares = self.z.iter().zip(z).map(|(end, z)| (end - z).powi(2));
        self.converged && squares.sum::<f64>().sqrt() <= SAME * space.spread
    }

    /// Takes `other` where it ended nearer to P. Ends that differ by rounding alone are the same, and the first is kept
    /// unless only the other converged.
    fn keep_better(&mut self, other: End) {
        let rounds = self.rounds.max(other.rounds);
        let same = 1e-12 * (1.0 + self.rho.abs());
        let instead = match (self.converged, other.converged) {
            (false, true) => other.rho <= self.rho + same,
            _ => other.rho < self.rho - same,
        };
        if instead {
            *self = other;
        }
        self.rounds = rounds;
    }
}

#[cfg(test)]
mod tests {
    use super::ranks;

    #[test]
    fn starting_points_are_the_nearest_and_others_spread_over_the_neighbours() {
        assert_eq!(ranks(1, 10), [0; 0]);
        assert_eq!(ranks(2, 10), [0]);
        assert_eq!(ranks(3, 10), [0, 9]);
        assert_eq!(ranks(4, 10), [0, 4, 9]);
        assert_eq!(ranks(9, 3), [0, 1, 2]);
        assert_eq!(ranks(9, 1), [0]);
    }
}
