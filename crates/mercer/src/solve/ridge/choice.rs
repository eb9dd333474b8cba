//! Which solver costs least. The figures were measured on one computer; only their ratios matter.

use super::super::{cg, path};
use super::Solver;

/// What the choice depends on.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Rows of the matrix.
    pub n: usize,
    /// Right-hand sides.
    pub sides: usize,
    /// Different ridges.
    pub ridges: usize,
    /// Whether all ridges are positive, as products need.
    pub positive: bool,
}

/// A way to solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The way: never `Auto`.
    pub solver: Solver,
    /// For conjugate gradients: the passes after which a Cholesky factor is cheaper, where there is memory for one.
    pub trial: Option<usize>,
    /// Why, in words.
    pub reason: &'static str,
}

/// Passes over the matrix that conjugate gradients usually take.
const PASSES: f64 = 35.0;

impl Shape {
    /// The way that `solver` stands for within `budget` bytes.
    pub fn choose(self, solver: Solver, budget: u64) -> Choice {
        let choice = |solver, trial, reason| Choice { solver, trial, reason };
        if solver != Solver::Auto {
            return choice(solver, None, "the solver was requested");
        }
        let fits = |solver| self.workspace_bytes(solver, budget) <= budget;
        let ridges = self.ridges as f64;
        let (factors, eigen) = (ridges * self.factor(), self.eigen());
        if self.positive && !fits(Solver::Cholesky) {
            return choice(
                Solver::Cg,
                None,
                "a factorisation of the matrix does not fit the memory budget",
            );
        }
        if self.positive && 1.5 * PASSES * self.pass() * ridges < factors.min(eigen) {
            let trial = (factors.min(eigen) / (ridges * self.pass())) as usize;
            let reason = "for this many rows and this few targets, matrix products cost less than a factorisation";
            return choice(Solver::Cg, Some(trial), reason);
        }
        if eigen < factors && fits(Solver::Eigen) {
            let reason = "for this many penalties, one eigendecomposition costs less than a factorisation for each";
            return choice(Solver::Eigen, None, reason);
        }
        choice(
            Solver::Cholesky,
            None,
            "for this many rows and targets, a factorisation costs least",
        )
    }

    /// Bytes beside the matrix, within `budget` where there is a choice.
    pub fn workspace_bytes(self, solver: Solver, budget: u64) -> u64 {
        let (n, sides) = (self.n as u64, self.sides as u64);
        let square = n.saturating_mul(n).saturating_mul(8);
        let own = match solver {
            Solver::Auto | Solver::Cholesky => square.saturating_add(8 * 512 * n),
            Solver::Eigen => path::workspace_bytes(self.n),
            Solver::Cg => cg::workspace_bytes(self.n, landmarks(self.n, budget)),
        };
        own.saturating_add(8 * 2 * n * sides)
    }

    // Seconds.

    fn pass(self) -> f64 {
        0.3e-9 * (self.n as f64).powi(2) * self.sides.div_ceil(16) as f64
    }

    fn factor(self) -> f64 {
        4e-12 * (self.n as f64).powi(3)
    }

    fn eigen(self) -> f64 {
        140e-12 * (self.n as f64).powi(3)
    }
}

/// The columns that the preconditioner of conjugate gradients knows: half of the budget is theirs.
fn landmarks(n: usize, budget: u64) -> usize {
    cg::landmarks_within(n, budget / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(n: usize, sides: usize, ridges: usize, budget: u64) -> Choice {
        Shape { n, sides, ridges, positive: true }.choose(Solver::Auto, budget)
    }

    #[test]
    fn size_sides_ridges_and_memory_decide() {
        let plenty = 1 << 40;
        assert_eq!(chosen(500, 1, 1, plenty).solver, Solver::Cholesky);
        assert_eq!(chosen(5_000, 100, 1, plenty).solver, Solver::Cholesky);
        assert_eq!(chosen(1_000, 100, 100, plenty).solver, Solver::Eigen);
        let large = chosen(10_000, 1, 1, plenty);
        assert!(large.solver == Solver::Cg && large.trial.is_some_and(|t| t > 60), "{large:?}");
        let tight = chosen(40_000, 1, 1, 2 << 30);
        assert_eq!((tight.solver, tight.trial), (Solver::Cg, None));
        let zero = Shape { n: 10_000, sides: 1, ridges: 1, positive: false };
        assert_eq!(zero.choose(Solver::Auto, plenty).solver, Solver::Cholesky);
        assert_eq!(zero.choose(Solver::Cg, plenty).solver, Solver::Cg);
    }
}
