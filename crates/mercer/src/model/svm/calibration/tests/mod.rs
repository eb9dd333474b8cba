//! Laws of curves and of coupled probabilities, on random and on extreme decisions, and naive oracles.

mod coupling;
mod curves;

use super::super::votes;
use super::{Calibration, Curve, Method};
use crate::context::Stream;
use crate::linalg::view::Mat;

const METHODS: [Method; 2] = [Method::Sigmoid, Method::Isotonic];

/// Decisions around ±1, right seven times in ten, with some equal ones.
fn training_data(seed: u64, n: usize) -> (Vec<f64>, Vec<bool>, Vec<f64>) {
    let mut random = Stream::new(seed, "calibration");
    let decisions: Vec<f64> = (0..n)
        .map(|_| {
            let f = random.normal() * 1.5 + 0.3;
            if random.uniform() < 0.3 { (f * 4.0).round() / 4.0 } else { f }
        })
        .collect();
    let positive = decisions.iter().map(|f| (*f > 0.0) == (random.uniform() < 0.7)).collect();
    let weights = (0..n).map(|_| (random.uniform() * 3.0).floor()).collect();
    (decisions, positive, weights)
}

#[test]
fn the_most_probable_class_is_the_one_that_is_voted_for() {
    let mut random = Stream::new(9, "decisions");
    let extreme = [0.0, -0.0, 1e300, -1e300, 1e-300, -1e-300, 1.0, -1.0, f64::MAX, f64::MIN];
    for case in 0..60 {
        let classes = 2 + case as usize % 6;
        let problems = classes * (classes - 1) / 2;
        let curves = (0..problems).map(|problem| {
            let (decisions, positive, weights) = training_data(case * 100 + problem as u64, 30);
            Curve::fit(METHODS[case as usize / 6 % 2], &decisions, &positive, Some(&weights))
        });
        let calibration = Calibration { curves: curves.collect(), folds: 5 };
        let mut draw = || match random.below(3) {
            0 => extreme[random.below(extreme.len())],
            _ => random.normal(),
        };
        let decisions = Mat::from_vec((0..40 * problems).map(|_| draw()).collect(), 40, problems);
        let probabilities = calibration.probabilities(&decisions, classes);
        for (i, &class) in votes(&decisions, classes).iter().enumerate() {
            let row = probabilities.row(i);
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{row:?}");
            assert!(row.iter().all(|p| (0.0..=1.0).contains(p)), "{row:?}");
            let below = |k: usize| k == class || (row[k] as f32) < row[class] as f32;
            assert!((0..classes).all(below), "{class} of {row:?} for {:?}", decisions.row(i));
        }
    }
}

#[test]
fn two_classes_have_the_value_of_the_curve() {
    let (decisions, positive, _) = training_data(2, 50);
    let curve = Curve::fit(Method::Sigmoid, &decisions, &positive, None);
    let calibration = Calibration { curves: vec![curve.clone()], folds: 5 };
    let rows = calibration.probabilities(&Mat::from_vec(vec![-2.0, 0.5, 3.0], 3, 1), 2);
    for (i, f) in [-2.0, 0.5, 3.0].into_iter().enumerate() {
        assert_eq!(rows.row(i), [1.0 - curve.at(f), curve.at(f)]);
    }
}

#[test]
fn a_platt_curve_may_name_another_class() {
    let curves = vec![Curve::Platt { a: -1.0, b: 2.0 }];
    let calibration = Calibration { curves, folds: 0 };
    let rows = calibration.probabilities(&Mat::from_vec(vec![0.5], 1, 1), 2);
    assert!(rows[(0, 1)] < 0.5, "{rows:?}");
}
