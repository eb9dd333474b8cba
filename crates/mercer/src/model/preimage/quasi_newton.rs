//! Steps of a quasi-Newton method that remembers its last steps (L-BFGS; Nocedal, 1980).
//!
//! From steps s and changes y of the gradient along them, the two-loop recursion multiplies a gradient by an estimate of
//! the inverse of the matrix of second derivatives, without ever forming it.

use std::collections::VecDeque;

/// Steps that are remembered.
const STEPS: usize = 8;

/// Steps and what they did to the gradient, oldest first.
#[derive(Default)]
pub(super) struct Memory {
    pairs: VecDeque<Pair>,
    /// The length of the last step, in case none is remembered.
    last: f64,
}

struct Pair {
    step: Vec<f64>,
    turn: Vec<f64>,
    /// stepᵀturn.
    curvature: f64,
}

impl Memory {
    /// Remembers a step and the change of the gradient along it. Where ρ curves downwards there is no lowest point to
    /// be foretold: such a step is not kept.
    pub fn remember(&mut self, step: Vec<f64>, turn: Vec<f64>) {
        let curvature = dot(&step, &turn);
        self.last = length(&step);
        if curvature > 1e-10 * self.last * length(&turn) {
            if self.pairs.len() == STEPS {
                self.pairs.pop_front();
            }
            self.pairs.push_back(Pair { step, turn, curvature });
        } else {
            self.pairs.clear();
        }
    }

    /// The step from a point with the given gradient to where the gradient would vanish; downhill in any case. With
    /// nothing remembered it is twice as long as the last, along the gradient.
    pub fn direction(&self, gradient: &[f64]) -> Vec<f64> {
        let mut p: Vec<f64> = gradient.iter().map(|g| -g).collect();
        let Some(newest) = self.pairs.back() else {
            let factor = 2.0 * self.last / length(gradient);
            p.iter_mut().for_each(|p| *p *= factor);
            return p;
        };
        let mut shares = Vec::with_capacity(self.pairs.len());
        for pair in self.pairs.iter().rev() {
            let share = dot(&pair.step, &p) / pair.curvature;
            add(&mut p, -share, &pair.turn);
            shares.push(share);
        }
        let scale = newest.curvature / dot(&newest.turn, &newest.turn);
        p.iter_mut().for_each(|p| *p *= scale);
        for (pair, share) in self.pairs.iter().zip(shares.iter().rev()) {
            let back = dot(&pair.turn, &p) / pair.curvature;
            add(&mut p, share - back, &pair.step);
        }
        p
    }
}

/// xᵀy, in eight partial sums that the compiler can keep in vector registers.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (x, y) in x.chunks_exact(8).zip(y.chunks_exact(8)) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    let rest = x.len() / 8 * 8;
    let tail: f64 = x[rest..].iter().zip(&y[rest..]).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + tail
}

pub(super) fn length(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_steps_as_features_find_the_lowest_point_of_a_bowl() {
        // ½ zᵀA z − bᵀz with A = diag(1, 10, 100): conjugate steps by exact line search end in three.
        let (a, b) = ([1.0, 10.0, 100.0], [1.0, -2.0, 3.0]);
        let gradient = |z: &[f64]| -> Vec<f64> { (0..3).map(|i| a[i] * z[i] - b[i]).collect() };
        let mut memory = Memory::default();
        let (mut z, mut p) =
            (vec![0.0; 3], gradient(&[0.0; 3]).iter().map(|g| -g).collect::<Vec<_>>());
        for _ in 0..3 {
            let g = gradient(&z);
            let bend: f64 = (0..3).map(|i| a[i] * p[i] * p[i]).sum();
            let share = -dot(&g, &p) / bend;
            let step: Vec<f64> = p.iter().map(|p| share * p).collect();
            add(&mut z, 1.0, &step);
            let turn = gradient(&z).iter().zip(&g).map(|(to, from)| to - from).collect();
            memory.remember(step, turn);
            p = memory.direction(&gradient(&z));
        }
        assert!((0..3).all(|i| (z[i] - b[i] / a[i]).abs() < 1e-12), "{z:?}");
    }

    #[test]
    fn without_curvature_the_step_goes_downhill() {
        let mut memory = Memory::default();
        memory.remember(vec![1.0, 0.0], vec![-1.0, 0.0]);
        assert_eq!(memory.direction(&[0.0, 4.0]), [0.0, -2.0]);
    }
}
