//! Folds and draws of rows, from all classes alike.

use mercer::context::Stream;
use mercer::select::Fold;
use mercer::{Error, Result};

/// Folds of the inner cross-validation.
const INNER: usize = 3;

/// `count` folds. The rows of each stratum are shuffled and dealt to the folds in turn, so that each fold has its
/// share of all of them.
pub fn stratified(strata: &[Vec<usize>], count: usize, seed: u64) -> Vec<Fold> {
    let tests = dealt(strata, count, &mut Stream::new(seed, "outer folds"));
    let n = strata.iter().map(Vec::len).sum();
    tests.into_iter().map(|test| without(n, test)).collect()
}

/// Folds within a training set, for the choice of parameters. A class with a single row is in all training sets and
/// in no test set: a classifier must know all classes.
pub fn inner(strata: &[Vec<usize>], seed: u64) -> Result<Vec<Fold>> {
    let tested: Vec<Vec<usize>> = strata.iter().filter(|rows| rows.len() > 1).cloned().collect();
    let rows: usize = tested.iter().map(Vec::len).sum();
    if rows < 2 {
        let message = "too few rows in each class to choose parameters by cross-validation";
        return Err(Error::Shape(message.into()));
    }
    let tests = dealt(&tested, INNER.min(rows), &mut Stream::new(seed, "inner folds"));
    let n = strata.iter().map(Vec::len).sum();
    Ok(tests.into_iter().map(|test| without(n, test)).collect())
}

/// At most `most` rows, ascending: of each stratum its share, and two at least where it has them.
pub fn draw(strata: &[Vec<usize>], most: usize, seed: u64) -> Vec<usize> {
    let n: usize = strata.iter().map(Vec::len).sum();
    if n <= most {
        return (0..n).collect();
    }
    let mut stream = Stream::new(seed, "compared rows");
    let mut drawn = Vec::new();
    for rows in strata {
        let share = (rows.len() * most) as f64 / n as f64;
        let count = (share.floor() as usize).max(2).min(rows.len());
        drawn.extend(stream.sample(rows.len(), count).into_iter().map(|place| rows[place]));
    }
    drawn.sort_unstable();
    drawn
}

fn dealt(strata: &[Vec<usize>], count: usize, stream: &mut Stream) -> Vec<Vec<usize>> {
    let mut tests = vec![Vec::new(); count];
    let mut turn = 0;
    for rows in strata {
        let mut order = rows.clone();
        (1..order.len()).rev().for_each(|last| order.swap(last, stream.below(last + 1)));
        for row in order {
            tests[turn % count].push(row);
            turn += 1;
        }
    }
    tests
}

fn without(n: usize, mut test: Vec<usize>) -> Fold {
    test.sort_unstable();
    let train = (0..n).filter(|row| test.binary_search(row).is_err()).collect();
    Fold { train, test }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strata(sizes: &[usize]) -> Vec<Vec<usize>> {
        let start = |class: usize| sizes[..class].iter().sum::<usize>();
        (0..sizes.len())
            .map(|class| (start(class)..start(class) + sizes[class]).collect())
            .collect()
    }

    #[test]
    fn every_row_is_tested_once_and_classes_are_shared_out() {
        let folds = stratified(&strata(&[50, 50, 2]), 5, 0);
        let mut tested: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
        tested.sort_unstable();
        assert_eq!(tested, (0..102).collect::<Vec<_>>());
        for fold in &folds {
            let count = |range: std::ops::Range<usize>| {
                fold.test.iter().filter(|row| range.contains(row)).count()
            };
            assert_eq!((count(0..50), count(50..100)), (10, 10));
            assert!(count(100..102) < 2, "both rows of a class in one fold");
        }
        assert_ne!(folds, stratified(&strata(&[50, 50, 2]), 5, 1));
    }

    #[test]
    fn a_single_row_of_a_class_is_always_trained_on() {
        let folds = inner(&strata(&[20, 20, 1]), 0).unwrap();
        assert_eq!(folds.len(), 3);
        assert!(folds.iter().all(|fold| fold.train.contains(&40) && !fold.test.contains(&40)));
        assert!(inner(&strata(&[1, 1]), 0).is_err());
    }

    #[test]
    fn draws_have_rows_of_all_classes() {
        let rows = draw(&strata(&[600, 390, 10]), 100, 3);
        let count =
            |range: std::ops::Range<usize>| rows.iter().filter(|row| range.contains(row)).count();
        assert_eq!((count(0..600), count(600..990), count(990..1000)), (60, 39, 2));
        assert_eq!(draw(&strata(&[5, 5]), 10, 0), (0..10).collect::<Vec<_>>());
    }
}
