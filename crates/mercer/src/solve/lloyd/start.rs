//! Where rounds begin: samples that are the first centres.

use super::Problem;
use crate::context::{Context, Stream};
use crate::error::Result;
use crate::linalg::view::Mat;

/// How the first centres are chosen among the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    /// One after another, each with a chance proportional to its squared distance from those before; of a few drawn, the one
    /// that leaves the smallest sum of distances.
    PlusPlus,
    /// Any.
    Random,
}

/// Distances to the centres chosen so far.
struct Chosen {
    centres: Vec<usize>,
    /// Of each sample, to the nearest centre, and which that is.
    distance: Vec<f64>,
    label: Vec<usize>,
}

/// Labels of the samples by the nearest of k samples chosen by `chooser`.
pub fn choose(
    ctx: &Context,
    problem: &Problem<'_>,
    chooser: Chooser,
    stream: &mut Stream,
) -> Result<Vec<usize>> {
    match chooser {
        Chooser::PlusPlus => plus_plus(ctx, problem, stream),
        Chooser::Random => {
            let alive: Vec<usize> = positive(problem.weights).collect();
            let drawn = stream.sample(alive.len(), problem.k);
            around(ctx, problem, &drawn.iter().map(|&i| alive[i]).collect::<Vec<_>>())
        }
    }
}

/// Labels of the samples by the nearest of the samples `centres`.
pub fn around(ctx: &Context, problem: &Problem<'_>, centres: &[usize]) -> Result<Vec<usize>> {
    let mut chosen = Chosen::none(problem);
    for some in centres.chunks(64) {
        let columns = problem.gram.columns(ctx, some)?;
        (0..some.len()).for_each(|c| chosen.add(problem, some[c], &columns, c));
    }
    Ok(chosen.label)
}

fn plus_plus(ctx: &Context, problem: &Problem<'_>, stream: &mut Stream) -> Result<Vec<usize>> {
    let mut chosen = Chosen::none(problem);
    let trials = 2 + (problem.k as f64).ln() as usize;
    let weights = problem.weights;
    let first = draw(weights.iter().copied(), stream.uniform()).unwrap_or(0);
    chosen.add(problem, first, &problem.gram.columns(ctx, &[first])?, 0);
    while chosen.centres.len() < problem.k {
        ctx.poll()?;
        let chance = |i: usize| weights[i] * chosen.distance[i];
        let draws =
            (0..trials).filter_map(|_| draw((0..weights.len()).map(chance), stream.uniform()));
        let mut candidates: Vec<usize> = draws.collect();
        if candidates.is_empty() {
            // All samples lie on centres: the groups that are left have none to begin with.
            break;
        }
        candidates.sort_unstable();
        candidates.dedup();
        let columns = problem.gram.columns(ctx, &candidates)?;
        let left: Vec<f64> = (0..candidates.len())
            .map(|c| chosen.left(problem, candidates[c], &columns, c))
            .collect();
        let least = left.iter().copied().fold(f64::INFINITY, f64::min);
        let best = left.iter().position(|&v| v == least).unwrap_or(0);
        chosen.add(problem, candidates[best], &columns, best);
    }
    Ok(chosen.label)
}

impl Chosen {
    fn none(problem: &Problem<'_>) -> Self {
        let n = problem.weights.len();
        Self { centres: Vec::new(), distance: vec![f64::INFINITY; n], label: vec![0; n] }
    }

    /// The weighted sum of distances if `sample`, whose column is column c of `columns`, became a centre.
    fn left(&self, problem: &Problem<'_>, sample: usize, columns: &Mat<f64>, c: usize) -> f64 {
        let to = |i: usize| distance(problem, i, sample, columns[(i, c)]);
        let nearer = |i: usize| problem.weights[i] * self.distance[i].min(to(i));
        (0..self.distance.len()).map(nearer).sum()
    }

    fn add(&mut self, problem: &Problem<'_>, sample: usize, columns: &Mat<f64>, c: usize) {
        let (place, noise) = (self.centres.len(), problem.noise());
        for i in 0..self.distance.len() {
            let to = distance(problem, i, sample, columns[(i, c)]);
            let to = if to <= noise { 0.0 } else { to };
            if to < self.distance[i] {
                (self.distance[i], self.label[i]) = (to, place);
            }
        }
        self.centres.push(sample);
    }
}

fn distance(problem: &Problem<'_>, i: usize, j: usize, value: f64) -> f64 {
    problem.diagonal[i] + problem.diagonal[j] - 2.0 * value
}

fn positive(weights: &[f64]) -> impl Iterator<Item = usize> {
    weights.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(i, _)| i)
}

/// The place that `uniform`, in [0, 1), falls on when places are as wide as `chances`; none if all are 0.
fn draw(chances: impl Iterator<Item = f64> + Clone, uniform: f64) -> Option<usize> {
    let all: f64 = chances.clone().sum();
    let mut left = uniform * all;
    let mut last = None;
    for (place, chance) in chances.enumerate().filter(|(_, chance)| *chance > 0.0) {
        last = Some(place);
        left -= chance;
        if left < 0.0 {
            break;
        }
    }
    last
}
