//! Coupled probabilities solve their problem, and the class that is preferred leads.

use super::super::coupling::{Accuracy, couple, prefer};
use crate::context::Stream;
use crate::linalg::view::Mat;
use crate::model::svm::decode::pairs;

/// The minimum of pᵀQp with Σ p = 1 by elimination in [Q 1; 1ᵀ 0] [p; b] = [0; 1].
fn eliminated(r: &Mat<f64>) -> Vec<f64> {
    let k = r.rows();
    let mut rows = vec![vec![0.0; k + 2]; k + 1];
    for i in 0..k {
        for j in (0..k).filter(|&j| j != i) {
            rows[i][i] += r[(j, i)] * r[(j, i)];
            rows[i][j] = -r[(j, i)] * r[(i, j)];
        }
        rows[i][k] = 1.0;
        rows[k][i] = 1.0;
    }
    rows[k][k + 1] = 1.0;
    for c in 0..=k {
        let pivot = (c..=k).max_by(|&a, &b| rows[a][c].abs().total_cmp(&rows[b][c].abs()));
        rows.swap(c, pivot.unwrap());
        for i in (0..=k).filter(|&i| i != c) {
            let factor = rows[i][c] / rows[c][c];
            for j in c..k + 2 {
                rows[i][j] -= factor * rows[c][j];
            }
        }
    }
    (0..k).map(|i| rows[i][k + 1] / rows[i][i]).collect()
}

fn random_pairs(
    random: &mut Stream,
    classes: usize,
    mut draw: impl FnMut(&mut Stream) -> f64,
) -> Mat<f64> {
    let mut r = Mat::zeros(classes, classes);
    for (i, j) in pairs(classes) {
        r[(i, j)] = draw(random).clamp(1e-7, 1.0 - 1e-7);
        r[(j, i)] = 1.0 - r[(i, j)];
    }
    r
}

#[test]
fn coupling_solves_its_linear_system() {
    let mut random = Stream::new(1, "coupling");
    for case in 0..300 {
        let classes = 3 + case % 8;
        let extreme = case % 3 == 0;
        let r = random_pairs(&mut random, classes, |random| match extreme {
            true => [0.0, 0.5, 1.0][random.below(3)],
            false => random.uniform(),
        });
        let mut p = vec![0.0; classes];
        couple(&r, Accuracy::Rounding, &mut p);
        for (found, exact) in p.iter().zip(eliminated(&r)) {
            assert!((found - exact).abs() < 1e-6, "{classes} classes: {p:?}, not {exact}");
        }
        couple(&r, Accuracy::Libsvm, &mut p);
        assert!(p.iter().all(|share| (0.0..=1.0).contains(share)), "{p:?}");
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{p:?}");
    }
}

#[test]
fn pairs_that_agree_are_coupled_to_what_they_came_from() {
    let truth = [0.5, 0.3, 0.15, 0.05];
    let r = Mat::from_fn(4, 4, |i, j| truth[i] / (truth[i] + truth[j]));
    let mut p = [0.0; 4];
    couple(&r, Accuracy::Rounding, &mut p);
    p.iter().zip(truth).for_each(|(found, truth)| assert!((found - truth).abs() < 1e-9, "{p:?}"));
}

#[test]
fn preferring_is_a_projection_with_a_lead() {
    let mut p = [0.5, 0.1, 0.28, 0.12];
    prefer(&mut p, 3);
    // 0.12 is pooled with 0.5 and then, as the mean is 0.31, with nobody else.
    assert!((p[3] - 0.31).abs() < 1e-6 && p[3] > p[0] && p[0] > 0.3099, "{p:?}");
    assert_eq!((p[1], p[2]), (0.1, 0.28));
    let mut clear = [0.7, 0.2, 0.1];
    prefer(&mut clear, 0);
    assert_eq!(clear, [0.7, 0.2, 0.1]);
}
