//! Which coefficients to work on next: those that violate the optimality conditions most, beside some of the last ones.

use rayon::prelude::*;

use super::moves::Variable;
use super::near::PIECE;

/// What a scan over all coefficients of a group finds.
#[derive(Clone, Copy, Debug)]
pub struct Extremes {
    /// The least slope of a coefficient that can rise.
    pub up: f64,
    /// The largest slope of a coefficient that can fall.
    pub down: f64,
    /// Their places; [`NOWHERE`] if there are none.
    pub up_at: usize,
    pub down_at: usize,
}

/// The place of nothing.
const NOWHERE: usize = usize::MAX;

impl Extremes {
    /// By how much the best pair violates the optimality conditions; −∞ or less than 0 if none does.
    pub fn violation(self) -> f64 {
        self.down - self.up
    }
}

/// The extremes of each group.
pub fn scan(variables: &[Variable], f: &[f64], group: &[u8], groups: usize) -> Vec<Extremes> {
    let none =
        Extremes { up: f64::INFINITY, down: f64::NEG_INFINITY, up_at: NOWHERE, down_at: NOWHERE };
    let piece = |(at, variables): (usize, &[Variable])| {
        let mut found = vec![none; groups];
        for (place, variable) in (at * PIECE..).zip(variables) {
            let found = &mut found[usize::from(group[place])];
            let (up, down) = (f[place] + variable.add_up(), f[place] + variable.add_down());
            if up < found.up {
                (found.up, found.up_at) = (up, place);
            }
            if down > found.down {
                (found.down, found.down_at) = (down, place);
            }
        }
        found
    };
    let found: Vec<Vec<Extremes>> = variables.par_chunks(PIECE).enumerate().map(piece).collect();
    let mut all = vec![none; groups];
    for (g, found) in found.iter().flat_map(|found| found.iter().enumerate()) {
        if found.up < all[g].up {
            (all[g].up, all[g].up_at) = (found.up, found.up_at);
        }
        if found.down > all[g].down {
            (all[g].down, all[g].down_at) = (found.down, found.down_at);
        }
    }
    all
}

/// A violator: its place and its slope.
type Candidate = (f64, usize);

/// The places of a working set of `size` at most, by group. Up to half of it are free ones of the `last`
/// set; the rest are violators, half of them able to rise and half able to fall.
pub fn choose(
    variables: &[Variable],
    f: &[f64],
    group: &[u8],
    extremes: &[Extremes],
    last: &[usize],
    size: usize,
) -> Vec<Vec<usize>> {
    let mut chosen = vec![Vec::new(); extremes.len()];
    if size == variables.len() {
        (0..size).for_each(|place| chosen[usize::from(group[place])].push(place));
        return chosen;
    }
    let mut taken = vec![false; variables.len()];
    let mut count = 0;
    let mut take = |place: usize, count: &mut usize| {
        if !taken[place] && *count < size {
            taken[place] = true;
            chosen[usize::from(group[place])].push(place);
            *count += 1;
        }
    };
    let free = last.iter().filter(|&&place| variables[place].is_free());
    free.take(size / 2).for_each(|&place| take(place, &mut count));
    let room = (size - count).div_ceil(2 * extremes.len());
    for (g, extremes) in extremes.iter().enumerate() {
        let own = |&place: &usize| usize::from(group[place]) == g;
        let places = || (0..variables.len()).into_par_iter().with_min_len(PIECE).filter(own);
        let mut up: Vec<Candidate> = places()
            .map(|place| (f[place] + variables[place].add_up(), place))
            .filter(|candidate| candidate.0 < extremes.down)
            .collect();
        let mut down: Vec<Candidate> = places()
            .map(|place| (-(f[place] + variables[place].add_down()), place))
            .filter(|candidate| -candidate.0 > extremes.up)
            .collect();
        for candidates in [&mut up, &mut down] {
            spread(candidates, room);
            candidates.iter().for_each(|&(_, place)| take(place, &mut count));
        }
    }
    last.iter().for_each(|&place| take(place, &mut count));
    chosen
}

/// Leaves `count` candidates: half of them the worst, the others from all over. The worst alone are often alike, and a
/// working set of them oversteps again and again.
fn spread(candidates: &mut Vec<Candidate>, count: usize) {
    let worst = count / 2;
    if candidates.len() <= count || worst == 0 {
        return candidates.truncate(count);
    }
    let order = |a: &Candidate, b: &Candidate| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    candidates.select_nth_unstable_by(worst - 1, order);
    let others = &mut candidates[worst..];
    others.sort_unstable_by_key(|candidate| candidate.1);
    let (from, wanted) = (others.len(), count - worst);
    // Ascending, so that no candidate is overwritten before it is read.
    (0..wanted).for_each(|k| others[k] = others[k * from / wanted]);
    candidates.truncate(count);
}
