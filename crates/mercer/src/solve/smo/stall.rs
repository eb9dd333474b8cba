//! Whether a solver still makes progress.

/// Steps for each coefficient, and in any case, within which something must become better.
const PATIENCE: (u64, u64) = (200, 50_000);
/// The same in working sets.
const ROUNDS: u64 = 100;
/// By this share the violation must fall to count as better.
const BETTER: f64 = 0.9;
/// By this share of the sizes of its terms the objective must fall to count as better.
const FALL: f64 = 1e-11;

/// The best seen so far, and when.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    violation: f64,
    objective: Option<f64>,
    iterations: u64,
    rounds: u64,
}

impl Progress {
    pub fn new() -> Self {
        Self { violation: f64::INFINITY, objective: None, iterations: 0, rounds: 0 }
    }

    /// As `new`, after so many steps and working sets.
    pub fn from(iterations: u64, rounds: u64) -> Self {
        Self { iterations, rounds, ..Self::new() }
    }

    /// Whether nothing has become better for long. `objective` gives the objective and the sum of the sizes of its terms;
    /// it is asked for now and then.
    pub fn has_ended(
        &mut self,
        size: usize,
        (iterations, rounds): (u64, u64),
        violation: f64,
        objective: impl Fn() -> (f64, f64),
    ) -> bool {
        let is_better = violation < BETTER * self.violation;
        let patience = PATIENCE.0 * size as u64 + PATIENCE.1;
        let is_long = iterations - self.iterations >= patience || rounds - self.rounds >= ROUNDS;
        if !is_better && !is_long {
            return false;
        }
        let (now, terms) = objective();
        // NaN is no progress.
        let falls = self.objective.is_none_or(|before| now < before - FALL * terms);
        if !is_better && !falls {
            return true;
        }
        *self = Self {
            violation: self.violation.min(violation),
            objective: Some(self.objective.map_or(now, |before| before.min(now))),
            iterations,
            rounds,
        };
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rounds of 1,000 steps until progress ends; `f` gives violation and objective.
    fn rounds(f: impl Fn(f64) -> (f64, f64)) -> u64 {
        let mut progress = Progress::new();
        for round in 0..5000 {
            let (violation, objective) = f(round as f64);
            if progress.has_ended(10, (1000 * round, round), violation, || (objective, 1.0)) {
                return round;
            }
        }
        5000
    }

    #[test]
    fn either_of_violation_and_objective_is_progress_and_rounding_is_not() {
        assert_eq!(rounds(|r| ((-0.01 * r).exp(), 1.0)), 5000);
        assert_eq!(rounds(|r| (1.0, -1e-8 * r)), 5000);
        assert!(rounds(|r| (1.0 + (r * 0.7).sin() * 1e-3, 1.0 + 1e-14 * (r * 0.3).cos())) < 200);
        assert!(rounds(|_| (f64::NAN, f64::NAN)) < 200);
    }

    #[test]
    fn what_comes_to_a_halt_ends_soon_after() {
        let ended = rounds(|r| ((-0.05 * r.min(300.0)).exp(), -r.min(300.0)));
        assert!((301..=600).contains(&ended), "{ended}");
    }
}
