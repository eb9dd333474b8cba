//! Folds that respect classes, groups of samples or the order of time.

use super::folds::Fold;
use crate::context::Stream;
use crate::error::{Error, Param, Result};

/// `count` folds of samples of classes, shuffled: every class is spread over the folds as evenly as possible. A class of fewer
/// samples than folds is missing in some test sets; one of a single sample is missing in one training set.
pub fn stratified_folds(classes: &[usize], count: usize, seed: u64) -> Result<Vec<Fold>> {
    check(count, classes.len(), "samples")?;
    let mut stream = Stream::new(seed, "stratified folds");
    let mut fold_of = vec![0; classes.len()];
    // Turns go on from class to class, so that folds are of equal size.
    let mut turn = 0;
    for class in 0..=classes.iter().copied().max().unwrap_or(0) {
        let rows: Vec<usize> = (0..classes.len()).filter(|&row| classes[row] == class).collect();
        for place in shuffled(rows.len(), &mut stream) {
            fold_of[rows[place]] = turn % count;
            turn += 1;
        }
    }
    Ok(by_fold(&fold_of, count))
}

/// `count` folds in which all samples of a group are in the same test set: the largest groups first, each to the smallest fold
/// so far; groups of equal size at random.
pub fn grouped_folds(groups: &[usize], count: usize, seed: u64) -> Result<Vec<Fold>> {
    let mut sizes = vec![0_usize; groups.iter().map(|group| group + 1).max().unwrap_or(0)];
    groups.iter().for_each(|&group| sizes[group] += 1);
    let present = sizes.iter().filter(|size| **size > 0).count();
    check(count, present, "groups")?;
    let mut order = shuffled(sizes.len(), &mut Stream::new(seed, "grouped folds"));
    order.sort_by_key(|&group| std::cmp::Reverse(sizes[group]));
    let (mut fold_of_group, mut filled) = (vec![0; sizes.len()], vec![0; count]);
    for group in order.into_iter().filter(|&group| sizes[group] > 0) {
        let smallest = (0..count).min_by_key(|&fold| filled[fold]).unwrap_or(0);
        fold_of_group[group] = smallest;
        filled[smallest] += sizes[group];
    }
    let fold_of: Vec<usize> = groups.iter().map(|&group| fold_of_group[group]).collect();
    Ok(by_fold(&fold_of, count))
}

/// `count` folds of samples in the order of time: n is cut into count + 1 parts, and each but the first is tested by what comes
/// before it.
pub fn time_ordered_folds(n: usize, count: usize) -> Result<Vec<Fold>> {
    check(count, n.saturating_sub(1), "samples but the first")?;
    let start = |part: usize| part * n / (count + 1);
    let fold = |part: usize| Fold {
        train: (0..start(part)).collect(),
        test: (start(part)..start(part + 1)).collect(),
    };
    Ok((1..=count).map(fold).collect())
}

/// The folds of `repeats` shuffles, one after the other, each by its own seed from `seed` on.
pub fn repeated(
    repeats: usize,
    seed: u64,
    folds: impl Fn(u64) -> Result<Vec<Fold>>,
) -> Result<Vec<Fold>> {
    let shuffle = |repeat: usize| folds(seed.wrapping_add(repeat as u64));
    let all: Vec<Vec<Fold>> = (0..repeats.max(1)).map(shuffle).collect::<Result<_>>()?;
    Ok(all.concat())
}

/// The numbers below n in random order.
fn shuffled(n: usize, stream: &mut Stream) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    (1..n).rev().for_each(|last| order.swap(last, stream.below(last + 1)));
    order
}

fn check(count: usize, most: usize, what: &str) -> Result<()> {
    if count >= 2 && count <= most {
        return Ok(());
    }
    let message = format!("must be between 2 and the number of {what} ({most}), got {count}");
    Err(Error::parameter(Param::Folds, message))
}

fn by_fold(fold_of: &[usize], count: usize) -> Vec<Fold> {
    let rows = |is_in: &dyn Fn(usize) -> bool| {
        (0..fold_of.len()).filter(|&row| is_in(fold_of[row])).collect()
    };
    let fold = |f: usize| Fold { train: rows(&|own| own != f), test: rows(&|own| own == f) };
    (0..count).map(fold).collect()
}

#[cfg(test)]
mod tests {
    use super::super::folds::folds;
    use super::*;

    fn is_partition(folds: &[Fold], n: usize) -> bool {
        let mut tested: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
        tested.sort_unstable();
        folds.iter().all(|fold| fold.check(n).is_ok()) && tested == (0..n).collect::<Vec<_>>()
    }

    #[test]
    fn classes_are_spread_evenly() {
        let classes: Vec<usize> =
            (0..102).map(|i| if i < 50 { 0 } else { 1 + usize::from(i >= 100) }).collect();
        let folds = stratified_folds(&classes, 5, 0).unwrap();
        assert!(is_partition(&folds, 102));
        for fold in &folds {
            let count =
                |class: usize| fold.test.iter().filter(|&&row| classes[row] == class).count();
            assert_eq!((count(0), count(1)), (10, 10));
            assert!(count(2) <= 1 && (20..=21).contains(&fold.test.len()));
        }
        assert_ne!(folds, stratified_folds(&classes, 5, 1).unwrap());
        assert!(stratified_folds(&[0, 1], 3, 0).is_err());
    }

    #[test]
    fn groups_stay_together() {
        let groups: Vec<usize> = (0..60).map(|i| i * i % 7).collect();
        let folds = grouped_folds(&groups, 3, 4).unwrap();
        assert!(is_partition(&folds, 60));
        for fold in &folds {
            let is_apart =
                |row: &usize| fold.train.iter().all(|&other| groups[other] != groups[*row]);
            assert!(fold.test.iter().all(is_apart));
        }
        let pairs: Vec<usize> = (0..60).map(|i| i / 2).collect();
        assert_ne!(grouped_folds(&pairs, 3, 0).unwrap(), grouped_folds(&pairs, 3, 1).unwrap());
        let error = grouped_folds(&[0, 0, 3, 3], 3, 0).unwrap_err().to_string();
        assert!(error.contains("number of groups (2)"), "{error}");
    }

    #[test]
    fn training_samples_come_before_test_samples() {
        let folds = time_ordered_folds(20, 4).unwrap();
        for fold in &folds {
            fold.check(20).unwrap();
            assert!(fold.train.iter().max() < fold.test.iter().min());
        }
        assert_eq!(folds[3].test, [16, 17, 18, 19]);
        assert!(time_ordered_folds(3, 3).is_err());
    }

    #[test]
    fn repeats_are_different_shuffles() {
        let all = repeated(3, 5, |seed| folds(10, 2, seed)).unwrap();
        assert_eq!(all.len(), 6);
        assert!(all[..2] == folds(10, 2, 5).unwrap() && all[0] != all[2] && all[2] != all[4]);
    }
}
