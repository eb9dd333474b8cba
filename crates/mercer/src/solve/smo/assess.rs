//! How good coefficients are, given K β.

use super::moves::Variable;
use super::working_set::scan;

/// What is known of coefficients β with slopes K β.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The largest violation of the optimality conditions by two coefficients of a group; 0 if there is none.
    pub violation: f64,
    /// The objective.
    pub objective: f64,
    /// How far the objective is from its minimum at most; none where a coefficient may grow without bound.
    pub gap: Option<f64>,
    /// The slope at which each group is in balance.
    pub balance: Vec<f64>,
}

impl Assessment {
    /// Of coefficients in groups, with K β.
    pub fn new(variables: &[Variable], f: &[f64], group: &[u8]) -> Self {
        let groups = group.iter().max().map_or(1, |&g| g + 1);
        let extremes = scan(variables, f, group, usize::from(groups));
        let balance: Vec<f64> = (0..groups).map(|g| balance(variables, f, group, g)).collect();
        Self {
            violation: extremes.iter().map(|e| e.violation()).fold(0.0, f64::max),
            objective: objective(variables, f).0,
            gap: gap(variables, f, group, &balance),
            balance,
        }
    }

    /// The same with errors of f known for some rows, as (row, error): violation and sums are corrected by these
    /// of all rows.
    pub fn corrected(
        self,
        variables: &[Variable],
        f: &[f64],
        group: &[u8],
        errors: &[(usize, f64)],
    ) -> Self {
        let count = errors.len().max(1) as f64;
        let mean = errors.iter().map(|(_, e)| e).sum::<f64>() / count;
        let largest = errors.iter().map(|(_, e)| e - mean).fold(0.0, f64::max);
        let least = errors.iter().map(|(_, e)| e - mean).fold(0.0, f64::min);
        let share = variables.len() as f64 / count;
        let of_sum = |&(i, e): &(usize, f64)| 0.5 * variables[i].beta * (e - mean);
        let of_gap = |&(i, e): &(usize, f64)| {
            let balance = self.balance[usize::from(group[i])];
            gain(&variables[i], f[i] + e - mean, balance) - gain(&variables[i], f[i], balance)
        };
        let added: f64 = errors.iter().map(of_gap).sum();
        Self {
            violation: self.violation + (largest - least),
            objective: self.objective + share * errors.iter().map(of_sum).sum::<f64>(),
            gap: self.gap.map(|gap| (gap + share * added).max(0.0)),
            balance: self.balance,
        }
    }
}

/// The objective, and the sum of the sizes of its terms.
pub fn objective(variables: &[Variable], f: &[f64]) -> (f64, f64) {
    let terms = variables.iter().zip(f).map(|(v, f)| (0.5 * v.beta * f, v.cost()));
    terms.fold((0.0, 0.0), |(sum, size), (a, b)| (sum + (a + b), size + a.abs() + b.abs()))
}

/// The mean slope of the free coefficients of a group; without any, the middle between those that hold each other.
fn balance(variables: &[Variable], f: &[f64], group: &[u8], g: u8) -> f64 {
    let (mut sum, mut count) = (0.0, 0_usize);
    let (mut up, mut down) = (f64::INFINITY, f64::NEG_INFINITY);
    for ((v, f), _) in variables.iter().zip(f).zip(group).filter(|(_, group)| **group == g) {
        if v.is_free() {
            sum += f + v.add_up();
            count += 1;
        }
        up = up.min(f + v.add_up());
        down = down.max(f + v.add_down());
    }
    match count {
        0 if up.is_finite() && down.is_finite() => 0.5 * (up + down),
        0 if up.is_finite() => up,
        0 if down.is_finite() => down,
        0 => 0.0,
        _ => sum / count as f64,
    }
}

/// How far the objective is from its minimum at most. With a price on the sum of each group in place of its being fixed, every
/// coefficient can go where it likes best by itself: to an end of its range, or to its kink. What all of them gain by that is
/// the gap between this objective and the dual one. Without ends there is no such bound.
fn gap(variables: &[Variable], f: &[f64], group: &[u8], balance: &[f64]) -> Option<f64> {
    let is_bounded = |v: &Variable| v.lower.is_finite() && v.upper.is_finite();
    variables.iter().all(is_bounded).then(|| {
        let each = variables.iter().zip(f).zip(group);
        each.map(|((v, &f), &group)| gain(v, f, balance[usize::from(group)])).sum()
    })
}

/// What a coefficient with bounds gains by going where it likes best.
fn gain(v: &Variable, f: f64, balance: f64) -> f64 {
    let at = |beta: f64| {
        let moved = Variable { beta, ..*v };
        (balance - f) * (beta - v.beta) - (moved.cost() - v.cost())
    };
    at(v.lower).max(at(v.upper)).max(at(0.0_f64.clamp(v.lower, v.upper))).max(0.0)
}
