//! From decisions of pairs of classes to classes.

use super::SvmParams;
use crate::linalg::view::Mat;

/// The class, by place, that most pairs speak for; of several, the first, as in LIBSVM. `decisions` is m × problems.
#[doc(hidden)]
pub fn votes(decisions: &Mat<f64>, classes: usize) -> Vec<usize> {
    (0..decisions.rows()).map(|i| vote(decisions.row(i), classes)).collect()
}

/// The class that one row of decisions names.
pub(super) fn vote(decisions: &[f64], classes: usize) -> usize {
    if classes == 2 {
        // LIBSVM's decision is the negative of this one, and one that is not positive speaks for the second class.
        return usize::from(decisions[0] >= 0.0);
    }
    let mut votes = vec![0_usize; classes];
    for ((first, second), &decision) in pairs(classes).zip(decisions) {
        votes[if decision > 0.0 { first } else { second }] += 1;
    }
    (0..classes).fold(0, |best, class| if votes[class] > votes[best] { class } else { best })
}

/// A number for each class (m × classes, more than two): its votes, and where votes are equal, the sum of its decisions,
/// squeezed so that it never outweighs a vote.
///
/// To the last bit what scikit-learn makes of the decisions of LIBSVM. There, unlike in [`votes`], a decision of exactly 0
/// is a vote for the first class of its pair.
#[doc(hidden)]
pub fn one_vs_rest(decisions: &Mat<f64>, classes: usize) -> Mat<f64> {
    let mut numbers = Mat::zeros(decisions.rows(), classes);
    let mut sums = vec![0.0; classes];
    for i in 0..decisions.rows() {
        sums.fill(0.0);
        let row = numbers.row_mut(i);
        for ((first, second), &decision) in pairs(classes).zip(decisions.row(i)) {
            sums[first] += decision;
            sums[second] -= decision;
            row[if decision < 0.0 { second } else { first }] += 1.0;
        }
        for (number, sum) in row.iter_mut().zip(&sums) {
            *number += sum / (3.0 * (sum.abs() + 1.0));
        }
    }
    numbers
}

/// The pairs of classes in the order of their problems: (0, 1), (0, 2), …, (1, 2), …
pub(super) fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |first| (first + 1..classes).map(move |second| (first, second)))
}

/// Whether more than two classes are each told from all others.
pub(super) fn is_one_vs_rest(params: &SvmParams, classes: usize) -> bool {
    params.one_vs_rest && classes > 2
}

/// Decisions of pairs of classes (m × pairs), given a value for each class (m × classes): the differences, so that the largest value has the most votes.
pub(super) fn differences(values: &Mat<f64>) -> Mat<f64> {
    let all: Vec<(usize, usize)> = pairs(values.cols()).collect();
    Mat::from_fn(values.rows(), all.len(), |i, p| values[(i, all[p].0)] - values[(i, all[p].1)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_pairs_name_the_class_and_the_first_of_equals_wins() {
        // Pairs (0, 1), (0, 2), (1, 2); the third row is a circle of one vote each.
        let rows = [[1.0, 1.0, 5.0], [-1.0, 2.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, -0.1]];
        let decisions = Mat::from_fn(4, 3, |i, j| rows[i][j]);
        assert_eq!(votes(&decisions, 3), [0, 1, 0, 2]);
    }

    #[test]
    fn a_decision_of_zero_speaks_for_the_second_class() {
        let decisions = Mat::from_vec(vec![0.0, -0.0, 1e-300, -1e-300], 4, 1);
        assert_eq!(votes(&decisions, 2), [1, 1, 1, 0]);
        assert_eq!(votes(&Mat::from_vec(vec![0.0; 3], 1, 3), 3), [2]);
    }

    #[test]
    fn the_largest_value_has_the_most_votes() {
        let rows = [[0.2, -1.0, 0.1], [-3.0, -2.0, -2.5], [1.0, 2.0, 2.0]];
        let found = votes(&differences(&Mat::from_fn(3, 3, |i, j| rows[i][j])), 3);
        // Of equal values the decision is 0, which speaks for the second of the pair.
        assert_eq!(found, [0, 1, 2]);
    }

    #[test]
    fn no_pairs_leave_the_only_class() {
        assert_eq!(votes(&Mat::zeros(2, 0), 1), [0, 0]);
    }

    #[test]
    fn one_number_for_each_class_is_that_of_scikit_learn() {
        let decisions = Mat::from_vec(vec![1.0, -0.5, 2.0, 0.0, 0.25, -3.0], 2, 3);
        let numbers = one_vs_rest(&decisions, 3);
        // _ovr_decision_function(dec < 0, -dec, 3) of scikit-learn, written out.
        let squeezed = |sum: f64| sum / (3.0 * (sum.abs() + 1.0));
        let first = [1.0 + squeezed(0.5), 1.0 + squeezed(1.0), 1.0 + squeezed(-1.5)];
        let second = [2.0 + squeezed(0.25), 0.0 + squeezed(-3.0), 1.0 + squeezed(2.75)];
        assert_eq!(numbers.row(0), first);
        assert_eq!(numbers.row(1), second);
    }

    #[test]
    fn sums_of_decisions_never_outweigh_a_vote() {
        // Class 0 wins both of its pairs by a hair and class 1 wins its own by far.
        let decisions = Mat::from_vec(vec![1e-9, 1e-9, 1e300], 1, 3);
        let numbers = one_vs_rest(&decisions, 3);
        assert!(numbers[(0, 0)] > numbers[(0, 1)], "{:?}", numbers.row(0));
    }
}
