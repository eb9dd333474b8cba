//! Which coefficients belong to samples that are near each other, and working sets of those.
//!
//! Where kernel values fall off with distance, a coefficient acts on those of its neighbours and on few others. Solved together,
//! neighbours come to rest; solved apart, each moves whenever one of the others has moved.

use rayon::prelude::*;

use super::moves::Variable;
use super::working_set::Extremes;
use crate::context::{Context, try_pieces};
use crate::error::Result;
use crate::gram::Columns;
use crate::kernel::Tile;
use crate::real::Real;

/// Coefficients of a neighbourhood, about: a working set has several.
const SIZE: usize = 1024;
/// Neighbourhoods at most.
const MOST: usize = 1024;
/// Rows that are worked on at a time.
const ROWS: usize = 256;
/// Coefficients that are looked at at a time.
pub const PIECE: usize = 4096;

/// The neighbourhood of each row of a matrix.
pub struct Near {
    of: Vec<u32>,
    count: usize,
}

impl Near {
    /// Each row belongs to the nearest of some that are spread evenly: by distances from kernel values, ‖i − j‖² = K_ii + K_jj − 2 K_ij.
    pub fn new<S: Real>(ctx: &Context, source: &dyn Columns<S>) -> Result<Self> {
        let n = source.size();
        let count = n.div_ceil(SIZE).min(MOST);
        let centres: Vec<usize> = (0..count).map(|k| k * n / count).collect();
        // Less what all have in common, so that the smallest of kernel values still count beside it.
        let own = source.restrict(&centres).diagonal()?;
        let least = own.iter().copied().fold(f64::INFINITY, f64::min);
        let own: Vec<f64> = own.into_iter().map(|own| own - least).collect();
        let block = source.column_block(&centres);
        let mut of = vec![0_u32; n];
        try_pieces(&mut of, ROWS, &|piece, of| {
            ctx.poll()?;
            let mut values = vec![S::ZERO; of.len() * count];
            let rows = piece * ROWS..piece * ROWS + of.len();
            block.fill(rows, 0..count, Tile::new(&mut values, of.len(), count, count))?;
            for (of, line) in of.iter_mut().zip(values.chunks_exact(count)) {
                let distance = |k: usize| own[k] - 2.0 * line[k].to_f64();
                let nearer =
                    |best: usize, k: usize| if distance(k) < distance(best) { k } else { best };
                *of = (1..count).fold(0, nearer) as u32;
            }
            Ok(())
        })?;
        Ok(Self { of, count })
    }

    /// The neighbourhood of a row.
    fn of(&self, row: usize) -> usize {
        self.of[row] as usize
    }
}

/// The places of a working set of `size` at most, by group: the neighbourhoods in which a coefficient is furthest from balance, with all
/// that can move there. `rows` has the row of each place.
pub fn choose_near(
    (variables, f, group): (&[Variable], &[f64], &[u8]),
    extremes: &[Extremes],
    (near, rows): (&Near, &[usize]),
    last: &[usize],
    size: usize,
) -> Vec<Vec<usize>> {
    let balance = balances(variables, f, group, extremes);
    let away = |place: usize| {
        let (v, f, b) = (&variables[place], f[place], balance[usize::from(group[place])]);
        let away = (b - (f + v.add_up())).max(f + v.add_down() - b);
        if away > 0.0 || v.is_free() { away } else { f64::NEG_INFINITY }
    };
    let away: Vec<f64> =
        (0..variables.len()).into_par_iter().with_min_len(PIECE).map(away).collect();
    let mut worst = vec![f64::NEG_INFINITY; near.count];
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); near.count];
    for (place, &away) in away.iter().enumerate().filter(|(_, away)| **away > f64::NEG_INFINITY) {
        let own = near.of(rows[place]);
        worst[own] = worst[own].max(away);
        members[own].push(place);
    }
    let mut order: Vec<usize> = (0..near.count).collect();
    order.sort_by(|&a, &b| worst[b].total_cmp(&worst[a]));
    let mut chosen = vec![Vec::new(); extremes.len()];
    let mut taken = vec![false; variables.len()];
    let mut count = 0;
    let mut take = |places: &mut dyn Iterator<Item = usize>| {
        for place in places {
            if count < size && !std::mem::replace(&mut taken[place], true) {
                chosen[usize::from(group[place])].push(place);
                count += 1;
            }
        }
        size - count
    };
    let ends = extremes.iter().flat_map(|e| [e.up_at, e.down_at]);
    let mut room = take(&mut ends.filter(|&at| at < variables.len()));
    for own in order {
        let members = &mut members[own];
        if members.len() > room {
            // There is no room for all of them: the worst.
            members.sort_by(|&a, &b| away[b].total_cmp(&away[a]));
        }
        room = take(&mut members.iter().copied());
        if room == 0 {
            break;
        }
    }
    take(&mut last.iter().copied());
    chosen
}

/// The mean slope of the free coefficients of each group; without any, the middle between its extremes.
fn balances(variables: &[Variable], f: &[f64], group: &[u8], extremes: &[Extremes]) -> Vec<f64> {
    let piece = |(at, variables): (usize, &[Variable])| {
        let mut sums = vec![(0.0, 0_usize); extremes.len()];
        for (place, v) in (at * PIECE..).zip(variables).filter(|(_, v)| v.is_free()) {
            let sum = &mut sums[usize::from(group[place])];
            *sum = (sum.0 + f[place] + v.add_up(), sum.1 + 1);
        }
        sums
    };
    let found: Vec<Vec<(f64, usize)>> =
        variables.par_chunks(PIECE).enumerate().map(piece).collect();
    let of_group = |g: usize| {
        found.iter().fold((0.0, 0), |sum, found| (sum.0 + found[g].0, sum.1 + found[g].1))
    };
    let sums: Vec<(f64, usize)> = (0..extremes.len()).map(of_group).collect();
    let mean = |((sum, count), e): ((f64, usize), &Extremes)| match count {
        0 => 0.5 * (e.up + e.down),
        _ => sum / count as f64,
    };
    sums.into_iter().zip(extremes).map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Stored;
    use crate::linalg::view::Mat;

    /// Kernel values of points on a line in clumps far apart, as small as single precision has them between clumps.
    fn clumps(n: usize) -> (Mat<f32>, Vec<usize>) {
        let clump = |i: usize| i * 7 % 3;
        let near = |i: usize, j: usize| 1e-3 * (i % 5) as f32 + 1e-3 * (j % 5) as f32;
        let value = |i: usize, j: usize| match (i == j, clump(i).abs_diff(clump(j))) {
            (true, _) => 1.0,
            (_, 0) => 1e-20 * (1.0 - near(i, j)),
            (_, apart) => 1e-30 / apart as f32,
        };
        (Mat::from_fn(n, n, value), (0..n).map(clump).collect())
    }

    #[test]
    fn rows_belong_to_the_nearest_however_small_kernel_values_are() {
        let n = 2 * SIZE + 100;
        let (matrix, clumps) = clumps(n);
        let near = Near::new(&Context::new(2), &Stored::new(matrix.view()) as &dyn Columns<f32>);
        let near = near.unwrap();
        assert_eq!(near.count, 3);
        let centre = |k: usize| clumps[k * n / 3];
        let met = |clump: usize| (0..3).any(|k| centre(k) == clump);
        for row in (0..n).filter(|&row| met(clumps[row])) {
            assert_eq!(centre(near.of(row)), clumps[row], "{row}");
        }
    }

    #[test]
    fn the_worst_pair_is_always_among_the_chosen_and_none_twice() {
        let n = 3 * SIZE;
        let near = Near { of: (0..n as u32).map(|i| i / SIZE as u32).collect(), count: 3 };
        let variable = |i: usize| Variable {
            beta: if i.is_multiple_of(5) { 0.5 } else { 0.0 },
            lower: 0.0,
            upper: 1.0,
            linear: 0.0,
            kink: 0.0,
        };
        let variables: Vec<Variable> = (0..n).map(variable).collect();
        // The steepest that can fall is far from all others.
        let slope = |i: usize| if i == 3000 { 9.0 } else { -((i % 97) as f64) / 97.0 };
        let f: Vec<f64> = (0..n).map(slope).collect();
        let (group, rows) = (vec![0; n], (0..n).collect::<Vec<_>>());
        let extremes = super::super::working_set::scan(&variables, &f, &group, 1);
        for size in [2, 64, 1500] {
            let problem = (&variables[..], &f[..], &group[..]);
            let chosen = choose_near(problem, &extremes, (&near, &rows), &[7, 8, 9], size);
            assert_eq!(chosen[0].len(), size);
            assert!(chosen[0].contains(&extremes[0].up_at) && chosen[0].contains(&3000));
            let mut sorted = chosen[0].clone();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), size);
        }
    }
}
