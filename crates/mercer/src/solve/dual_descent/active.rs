//! Which coefficients to work on in a round, and how exactly.

use super::Search;
use crate::context::Stream;
use crate::solve::smo::{Assessment, Variable};

/// Up to so many coefficients, all are worked on at once.
const FEW: usize = 4096;
/// The share of them that the first round works on.
const SAMPLE: usize = 16;
/// The largest distance from the margin at which coefficients are worked on that keep the optimality conditions.
const NEAR: f64 = 0.2;
/// The tolerance of the first round, as a share of the violation found.
const FIRST: f64 = 0.1;
/// The share of the violation that a round leaves.
const LEFT: f64 = 0.2;
/// The tolerance of a round in tolerances of the whole, at least.
const FINEST: f64 = 0.4;

/// The places of a round's coefficients.
pub struct Active {
    pub places: Vec<usize>,
    is_first: bool,
}

impl Active {
    /// Those that violate the optimality conditions or are near to it; a random sample in the first round of a large problem.
    pub fn choose(search: &Search<'_>, stream: &mut Stream) -> Self {
        let n = search.rows.len();
        let most = search.features.most();
        let is_first = search.rounds == 0;
        if n <= FEW.min(most) {
            return Self { places: (0..n).collect(), is_first };
        }
        let places = match is_first {
            true => sample(&search.problem.variables, most, stream),
            false => near(search, most),
        };
        Self { places, is_first }
    }

    /// How exactly a round is worth being solved.
    pub fn tolerance(&self, assessment: &Assessment, wanted: f64) -> f64 {
        let share = if self.is_first { FIRST } else { LEFT };
        (share * assessment.violation).max(FINEST * wanted)
    }
}

/// All coefficients that are not 0, and a share of the others, up to `most`.
fn sample(variables: &[Variable], most: usize, stream: &mut Stream) -> Vec<usize> {
    let is_in = |v: &Variable, stream: &mut Stream| v.beta != 0.0 || stream.below(SAMPLE) == 0;
    let mut places: Vec<usize> =
        (0..variables.len()).filter(|&i| is_in(&variables[i], stream)).collect();
    if places.len() > most {
        let kept = stream.sample(places.len(), most);
        places = kept.into_iter().map(|k| places[k]).collect();
    }
    places
}

/// The coefficients with the largest violations, and those that are nearest to one.
fn near(search: &Search<'_>, most: usize) -> Vec<usize> {
    let assessment = &search.assessment;
    let margin = (2.0 * assessment.violation).min(NEAR).max(10.0 * search.params.tolerance);
    let balance = |i: usize| assessment.balance[usize::from(search.problem.group[i])];
    let excess = |i: usize| violation(&search.problem.variables[i], search.f[i] - balance(i));
    let all = 0..search.rows.len();
    let mut found: Vec<(f64, usize)> =
        all.map(|i| (excess(i), i)).filter(|(excess, _)| *excess > -margin).collect();
    if found.len() > most {
        found.select_nth_unstable_by(most, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(most);
    }
    let mut places: Vec<usize> = found.into_iter().map(|(_, i)| i).collect();
    places.sort_unstable();
    places
}

/// By how much a coefficient violates the optimality conditions; negative: by how much it keeps them.
pub fn violation(v: &Variable, slope: f64) -> f64 {
    (-(slope + v.add_up())).max(slope + v.add_down())
}
