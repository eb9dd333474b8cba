//! The centres of groups, by the sums of columns over their samples.

use rayon::prelude::*;

use super::Problem;
use crate::context::Context;
use crate::error::Result;
use crate::gram::{Groups, Move, nearest};

/// Where the groups of some labels have their centres.
#[derive(Clone, Debug)]
pub struct Centres {
    /// The weight of each group.
    pub sizes: Vec<f64>,
    /// ‖μ_c‖².
    pub norms: Vec<f64>,
    /// For groups without samples: the sample that is their centre.
    pub stand_ins: Vec<(usize, usize)>,
    /// Σ_i w_i ‖φ_i − μ_{label i}‖².
    pub objective: f64,
    groups: Groups,
}

/// Samples that a task looks at.
const PIECE: usize = 1024;

impl Centres {
    /// The centres of the groups of `labels`.
    pub(super) fn new(ctx: &Context, problem: &Problem<'_>, labels: &[usize]) -> Result<Self> {
        let groups = problem.gram.group(ctx, labels, problem.weights, problem.k)?;
        Ok(Self::of(problem, labels, groups))
    }

    /// The centres after `moves`, by sums brought up to date or, if `full`, computed anew.
    pub(super) fn moved(
        &self,
        ctx: &Context,
        problem: &Problem<'_>,
        labels: &[usize],
        moves: &[Move],
        full: bool,
    ) -> Result<Self> {
        if full {
            return Self::new(ctx, problem, labels);
        }
        let mut groups = self.groups.clone();
        problem.gram.regroup(ctx, moves, &mut groups)?;
        Ok(Self::of(problem, labels, groups))
    }

    fn of(problem: &Problem<'_>, labels: &[usize], groups: Groups) -> Self {
        let Problem { diagonal, weights, k, .. } = *problem;
        let (mut sizes, mut inner, mut own) = (vec![0.0; k], vec![0.0; k], 0.0);
        for (i, &c) in labels.iter().enumerate() {
            sizes[c] += weights[i];
            inner[c] += weights[i] * groups.at(i, c);
            own += weights[i] * diagonal[i];
        }
        let mut norms = vec![0.0; k];
        let mut objective = own;
        for c in (0..k).filter(|&c| sizes[c] > 0.0) {
            norms[c] = inner[c] / (sizes[c] * sizes[c]);
            objective -= inner[c] / sizes[c];
        }
        // A group of weight nothing stands where the first sample does, until it is given one of its own.
        let stand_ins: Vec<(usize, usize)> =
            (0..k).filter(|&c| sizes[c] == 0.0).map(|c| (c, 0)).collect();
        stand_ins.iter().for_each(|&(c, i)| norms[c] = diagonal[i]);
        Self { sizes, norms, stand_ins, objective, groups }
    }

    /// The squared distance of sample i to centre c; without end for a group without samples.
    pub fn distance(&self, problem: &Problem<'_>, i: usize, c: usize) -> f64 {
        match self.sizes[c] > 0.0 {
            true => {
                problem.diagonal[i] - 2.0 * self.groups.at(i, c) / self.sizes[c] + self.norms[c]
            }
            false => f64::INFINITY,
        }
    }

    /// The nearest centre of every sample, and how many groups that had lost all samples were given one.
    pub(super) fn assign(
        &self,
        ctx: &Context,
        problem: &Problem<'_>,
        before: &[usize],
    ) -> Result<(Vec<usize>, usize)> {
        ctx.poll()?;
        let noise = problem.noise();
        let place = |i: usize| nearest((0..problem.k).map(|c| self.distance(problem, i, c)), noise);
        let mut found = vec![(0, 0.0); before.len()];
        ctx.install(|| {
            found.par_chunks_mut(PIECE).enumerate().for_each(|(piece, found)| {
                found.iter_mut().enumerate().for_each(|(i, to)| *to = place(piece * PIECE + i));
            });
        });
        let (mut labels, mut distances): (Vec<usize>, Vec<f64>) = found.into_iter().unzip();
        let reseeded = reseed(problem, &mut labels, &mut distances, noise);
        Ok((labels, reseeded))
    }

    /// The squared distances between these centres and those `after` a round, summed.
    pub(super) fn shift(&self, problem: &Problem<'_>, labels: &[usize], after: &Centres) -> f64 {
        let mut inner = vec![0.0; problem.k];
        for (i, &c) in labels.iter().enumerate() {
            inner[c] += problem.weights[i] * self.groups.at(i, c);
        }
        let shift = |c: usize| match (self.sizes[c] > 0.0, after.sizes[c] > 0.0) {
            (true, true) => {
                let both = inner[c] / (self.sizes[c] * after.sizes[c]);
                (self.norms[c] + after.norms[c] - 2.0 * both).max(0.0)
            }
            (false, false) => 0.0,
            _ => f64::INFINITY,
        };
        (0..problem.k).map(shift).sum()
    }

    /// The mean squared distance of the samples from their mean.
    pub(super) fn spread(&self, problem: &Problem<'_>) -> f64 {
        let all: f64 = problem.weights.iter().sum();
        let (mut own, mut inner) = (0.0, 0.0);
        for (i, w) in problem.weights.iter().enumerate() {
            own += w * problem.diagonal[i];
            inner += w * (0..problem.k).map(|c| self.groups.at(i, c)).sum::<f64>();
        }
        (own / all - inner / (all * all)).max(0.0)
    }
}

/// Gives every group without samples the one that lies farthest from its centre and is not alone there. Groups stay empty
/// if all samples lie on their centres.
fn reseed(problem: &Problem<'_>, labels: &mut [usize], distances: &mut [f64], noise: f64) -> usize {
    let mut members = vec![0_usize; problem.k];
    let counts = |i: &usize| problem.weights[*i] > 0.0;
    (0..labels.len()).filter(counts).for_each(|i| members[labels[i]] += 1);
    let mut reseeded = 0;
    for c in 0..problem.k {
        if members[c] > 0 {
            continue;
        }
        let free = |i: &usize| counts(i) && members[labels[*i]] > 1 && distances[*i] > noise;
        let cost = |i: usize| problem.weights[i] * distances[i];
        let farther = |a: usize, b: usize| if cost(b) > cost(a) { b } else { a };
        let Some(farthest) = (0..labels.len()).filter(free).reduce(farther) else { break };
        members[labels[farthest]] -= 1;
        members[c] = 1;
        (labels[farthest], distances[farthest]) = (c, 0.0);
        reseeded += 1;
    }
    reseeded
}
