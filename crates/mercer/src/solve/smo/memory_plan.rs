//! How a solver shares out the memory it may take: the working set first, kernel columns in what is left.

use crate::points::Cost;

/// Bytes for the kernel values of coefficients that are worked on at a time: 2048 of them in single precision. The more, the
/// fewer working sets; their kernel values must stay in a cache.
const WORKING: usize = 2048 * 2048 * size_of::<f32>();
/// Up to so many bytes, all are worked on at once where kernel values are in memory anyway.
const ALL_STORED: usize = 4 * WORKING;
/// Coefficients that are worked on at a time at least.
const LEAST: usize = 64;
/// Numbers read for an entry from which on a column is worth keeping.
pub const WORTH_KEEPING: usize = 64;

/// Bytes for each coefficient beside kernel values: bounds, slopes, places and candidates, of all and of those not set aside.
const EACH: u64 = 320;

/// The sizes of what a solver holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// Coefficients worked on at a time.
    pub working: usize,
    /// Bytes for kernel columns.
    pub cache: u64,
    /// All bytes together.
    pub bytes: u64,
}

impl MemoryPlan {
    /// The largest sizes within `bytes` for a problem of n coefficients in `groups`: at most half of what is left beside
    /// vectors for the working set, which has so many of each group, and no more than `cache` for columns. Where not even
    /// the least fits, the least: it will be refused.
    pub fn within<S>(bytes: u64, n: usize, groups: usize, cost: Cost, cache: u64) -> Self {
        let fixed = fixed_bytes(n, cost);
        let free = bytes.saturating_sub(fixed);
        let (least, most) = (LEAST.min(n), working::<S>(n, cost));
        let fits = usize::try_from((free / 2 / 16).isqrt()).unwrap_or(usize::MAX) / groups;
        let working = fits.clamp(least, most);
        let set = working_bytes(groups * working);
        let worth_keeping = if cost.eval_cost >= WORTH_KEEPING { cache } else { 0 };
        let cache = worth_keeping.min(free.saturating_sub(set));
        Self { working, cache, bytes: fixed + set + cache }
    }

    /// Bytes that a problem of n coefficients takes at least.
    pub fn least(n: usize, cost: Cost) -> u64 {
        Self::within::<f64>(0, n, 1, cost, 0).bytes
    }

    /// Bytes that a problem of n coefficients takes without limit, kernel columns apart.
    pub fn wanted<S>(n: usize, cost: Cost) -> u64 {
        fixed_bytes(n, cost) + 2 * working_bytes(working::<S>(n, cost))
    }
}

/// Coefficients worked on at a time where memory does not matter.
fn working<S>(n: usize, cost: Cost) -> usize {
    let fitting = |bytes: usize| (bytes / size_of::<S>()).isqrt();
    let all = fitting(ALL_STORED);
    n.min(if cost.eval_cost <= 1 && n <= all { all } else { fitting(WORKING) })
}

/// Vectors, and copies of samples that are worked on.
fn fixed_bytes(n: usize, cost: Cost) -> u64 {
    (n as u64).saturating_mul(EACH.saturating_add(cost.bytes))
}

/// Kernel values of a working set in up to double precision, and as much again while they are computed.
fn working_bytes(size: usize) -> u64 {
    16 * (size as u64).pow(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(numbers: usize) -> Cost {
        Cost { eval_cost: numbers, bytes: 8 * numbers as u64 }
    }

    #[test]
    fn all_of_it_fits_or_is_the_least() {
        for n in [2, 100, 3000, 50_000] {
            for (groups, numbers) in [(1, 1), (1, 10), (2, 10), (1, 500)] {
                let cost = of(numbers);
                for bytes in [1, 1 << 20, 20 << 20, 1 << 32] {
                    let plan = MemoryPlan::within::<f32>(bytes, n, groups, cost, 2_000_000_000);
                    assert!(plan.bytes <= bytes || plan.working <= LEAST, "{n} {numbers} {plan:?}");
                    assert!((LEAST.min(n)..=n).contains(&plan.working), "{n} {numbers} {plan:?}");
                }
            }
        }
    }

    #[test]
    fn plenty_of_memory_gives_the_usual_sizes() {
        assert_eq!(MemoryPlan::within::<f32>(1 << 34, 20_000, 1, of(10), 1000).working, 2048);
        assert_eq!(MemoryPlan::within::<f32>(1 << 34, 4000, 1, Cost::STORED, 1000).working, 4000);
        let wanted = MemoryPlan::wanted::<f32>(20_000, of(10));
        assert_eq!(MemoryPlan::within::<f32>(wanted, 20_000, 1, of(10), 1000).working, 2048);
        assert_eq!(MemoryPlan::within::<f32>(1 << 34, 20_000, 1, of(100), 1000).cache, 1000);
    }
}
