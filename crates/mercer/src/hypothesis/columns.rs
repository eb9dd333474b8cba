//! Which columns of two tables differ: a test for each column, with p-values adjusted for their number.
//!
//! The statistic of a column is its energy distance, 2 ∫ (F(t) − G(t))² dt with the distribution functions F and G of both tables: along the sorted values it is a
//! sum over gaps, for all permutations in one walk. Of a column that became several, such as indicators of categories, it is the sum over these, which is the energy
//! distance of their sums of absolute differences.

use std::ops::Range;

use rayon::prelude::*;

use super::mmd::{by_permutations, splits};
use super::{check_permutations, holm};
use crate::context::{Context, SharedProgress};
use crate::error::{Error, Result};
use crate::gram::Splits;
use crate::points::Dense;

/// The test of a column.
#[derive(Clone, Debug)]
pub struct ColumnTest {
    /// The energy distance of the column in both tables.
    pub statistic: f64,
    /// The p-value by permutations.
    pub p_value: f64,
    /// The p-value adjusted by Holm's method for the number of columns.
    pub adjusted: f64,
}

/// Splits that are walked at a time: the bits of a word.
const LANES: usize = 64;

/// Tests each of `groups` of columns of `x`, whose `first` rows are one table and whose others another.
pub fn columns(
    ctx: &Context,
    x: &Dense<f64>,
    groups: &[Range<usize>],
    first: usize,
    permutations: usize,
    seed: u64,
) -> Result<Vec<ColumnTest>> {
    check_permutations(permutations)?;
    let n = x.n();
    if first == 0 || first >= n {
        return Err(Error::Shape(format!("{first} of {n} rows leave one table empty")));
    }
    if let Some(group) = groups.iter().find(|group| group.end > x.d()) {
        return Err(Error::Shape(format!("columns {group:?} of {} do not exist", x.d())));
    }
    let bytes = Splits::bytes(n, permutations + 1) + 24 * (n * ctx.threads()) as u64;
    let hint = "use fewer permutations or rows, or raise the memory budget";
    let _reservation = ctx.reserve("the permutations of columns", bytes, hint)?;
    let splits = splits(ctx, n, first, permutations, seed)?;
    let progress = SharedProgress::new("columns", groups.len());
    let one = |group: &Range<usize>| {
        let mut forms = vec![0.0; permutations + 1];
        let mut largest = 0.0_f64;
        for column in group.clone() {
            let values: Vec<f64> = (0..n).map(|i| x.row(i)[column]).collect();
            let range = walk(ctx, &values, &splits, &mut forms)?;
            largest = largest.max(range);
        }
        progress.add(ctx, 1)?;
        let found = by_permutations(forms, 64.0 * f64::EPSILON * largest);
        Ok((found.statistic, found.p_value))
    };
    let found = ctx.install(|| groups.par_iter().map(one).collect::<Result<Vec<(f64, f64)>>>())?;
    let adjusted = holm(&found.iter().map(|(_, p)| *p).collect::<Vec<f64>>());
    let tests = found.into_iter().zip(adjusted);
    Ok(tests
        .map(|((statistic, p_value), adjusted)| ColumnTest { statistic, p_value, adjusted })
        .collect())
}

/// Adds 2 ∫ (F − G)² of every split to `forms`; returns the range of the values.
fn walk(ctx: &Context, values: &[f64], splits: &Splits, forms: &mut [f64]) -> Result<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_unstable_by(|&a, &b| values[a].total_cmp(&values[b]).then(a.cmp(&b)));
    let (low, high) = splits.values();
    for (word, forms) in forms.chunks_mut(LANES).enumerate() {
        ctx.poll()?;
        let (mut apart, mut sums) = ([0.0; LANES], [0.0; LANES]);
        for pair in order.windows(2) {
            let (gap, bits) = (values[pair[1]] - values[pair[0]], splits.word(pair[0], word));
            for lane in 0..LANES {
                apart[lane] += if bits >> lane & 1 == 1 { high } else { low };
                sums[lane] += gap * apart[lane] * apart[lane];
            }
        }
        forms.iter_mut().zip(sums).for_each(|(form, sum)| *form += 2.0 * sum);
    }
    Ok(values[order[order.len() - 1]] - values[order[0]])
}
