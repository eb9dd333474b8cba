//! Splits of samples into training sets and test sets.

use crate::context::Stream;
use crate::error::{Error, Param, Result};

/// One split, by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// Rows of the training set.
    pub train: Vec<usize>,
    /// Rows of the test set.
    pub test: Vec<usize>,
}

/// `count` folds of n rows, shuffled: each row is in one test set.
pub fn folds(n: usize, count: usize, seed: u64) -> Result<Vec<Fold>> {
    if count < 2 || count > n {
        let message = format!("must be between 2 and the number of samples ({n}), got {count}");
        return Err(Error::parameter(Param::Folds, message));
    }
    let mut stream = Stream::new(seed, "folds");
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|last| order.swap(last, stream.below(last + 1)));
    let fold = |f: usize| {
        let own = f * n / count..(f + 1) * n / count;
        let mut test = order[own.clone()].to_vec();
        let mut train = [&order[..own.start], &order[own.end..]].concat();
        test.sort_unstable();
        train.sort_unstable();
        Fold { train, test }
    };
    Ok((0..count).map(fold).collect())
}

impl Fold {
    /// Whether both parts have rows, all below n, and share none.
    #[doc(hidden)]
    pub fn check(&self, n: usize) -> Result<()> {
        let mut seen = vec![0_u8; n];
        for &row in &self.train {
            *seen.get_mut(row).ok_or_else(|| beyond(row, n))? |= 1;
        }
        for &row in &self.test {
            let place = seen.get_mut(row).ok_or_else(|| beyond(row, n))?;
            if *place & 1 == 1 {
                let message = format!("row {row} is in both the training set and the test set");
                return Err(Error::parameter(Param::Folds, message));
            }
        }
        if self.train.is_empty() || self.test.is_empty() {
            return Err(Error::parameter(
                Param::Folds,
                "a fold has an empty training set or an empty test set",
            ));
        }
        Ok(())
    }
}

fn beyond(row: usize, n: usize) -> Error {
    Error::parameter(Param::Folds, format!("there is no row {row}: there are only {n}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_tested_once() {
        for (n, count) in [(2, 2), (10, 3), (101, 5)] {
            let folds = folds(n, count, 7).unwrap();
            let mut tested: Vec<usize> = folds.iter().flat_map(|f| f.test.clone()).collect();
            tested.sort_unstable();
            assert_eq!(tested, (0..n).collect::<Vec<_>>());
            for fold in &folds {
                fold.check(n).unwrap();
                assert_eq!(fold.train.len() + fold.test.len(), n);
            }
        }
        let (one, other) = (folds(100, 2, 1).unwrap(), folds(100, 2, 2).unwrap());
        assert!(one != other && one[0].test != (0..50).collect::<Vec<_>>(), "not shuffled");
        assert!(folds(5, 1, 0).is_err() && folds(5, 6, 0).is_err());
        let shared = Fold { train: vec![0, 1], test: vec![1] };
        assert!(shared.check(3).unwrap_err().to_string().contains("row 1"));
        assert!(Fold { train: vec![5], test: vec![0] }.check(3).is_err());
    }
}
