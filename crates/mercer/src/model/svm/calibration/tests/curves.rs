//! Curves rise through ½ whatever they were fitted to, and are the best that do.

use super::{METHODS, training_data};
use crate::model::svm::{Curve, Method};

/// Places to look at, ascending, the extreme ones among them.
fn places() -> Vec<f64> {
    let mut places: Vec<f64> = (-400..=400).map(|i| f64::from(i) / 100.0).collect();
    for e in [-300, -12, 3, 50, 300] {
        places.extend([10f64.powi(e), -(10f64.powi(e))]);
    }
    places.extend([f64::MAX, f64::MIN, f64::MIN_POSITIVE, -f64::MIN_POSITIVE]);
    places.sort_by(f64::total_cmp);
    places
}

fn check_curve(curve: &Curve) {
    assert_eq!(curve.fault(), None, "{curve:?}");
    assert_eq!((curve.at(0.0), curve.at(-0.0)), (0.5, 0.5), "{curve:?}");
    let mut before = 0.0;
    for f in places() {
        let p = curve.at(f);
        assert!((0.0..=1.0).contains(&p) && p >= before, "{p} at {f} after {before}: {curve:?}");
        assert!(if f < 0.0 { p <= 0.5 } else { p >= 0.5 }, "{p} at {f}: {curve:?}");
        before = p;
    }
}

#[test]
fn curves_rise_through_one_half_whatever_they_were_fitted_to() {
    let mut lessons: Vec<(Vec<f64>, Vec<bool>)> = (0..40)
        .map(|seed| {
            let (decisions, positive, _) = training_data(seed, 1 + seed as usize * 3);
            (decisions, positive)
        })
        .collect();
    for f in [0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, 5e-324, f64::MAX] {
        lessons.push((vec![f], vec![true]));
        lessons.push((vec![f], vec![false]));
        lessons.push((vec![f; 9], (0..9).map(|i| i % 3 == 0).collect()));
        lessons.push((vec![f, -f, f / 2.0, 1.0], vec![true, false, false, true]));
    }
    // Nothing, one side only, all right, all wrong.
    lessons.push((vec![], vec![]));
    let rising: Vec<f64> = (1..50).map(f64::from).collect();
    lessons.push((rising.clone(), vec![true; 49]));
    lessons.push((rising.clone(), vec![false; 49]));
    let both: Vec<f64> = rising.iter().flat_map(|f| [*f, -f]).collect();
    lessons.push((both.clone(), both.iter().map(|f| *f > 0.0).collect()));
    lessons.push((both.clone(), both.iter().map(|f| *f < 0.0).collect()));
    for (decisions, positive) in &lessons {
        for method in METHODS {
            check_curve(&Curve::fit(method, decisions, positive, None));
        }
    }
}

#[test]
fn a_sigmoid_strictly_rises() {
    let (decisions, positive, _) = training_data(3, 60);
    for flip in [false, true] {
        // Turned round, the best slopes would be negative.
        let positive: Vec<bool> = positive.iter().map(|p| p ^ flip).collect();
        let curve = Curve::fit(Method::Sigmoid, &decisions, &positive, None);
        let values: Vec<f64> = (-30..=30).map(|i| curve.at(f64::from(i) / 10.0)).collect();
        assert!(values.is_sorted_by(|a, b| a < b), "{curve:?}");
    }
}

#[test]
fn slopes_are_where_the_cross_entropy_is_least() {
    let (decisions, positive, weights) = training_data(11, 200);
    let Curve::Slopes { below, above } =
        Curve::fit(Method::Sigmoid, &decisions, &positive, Some(&weights))
    else {
        panic!("another kind of curve")
    };
    let count =
        |class| -> f64 { (0..200).filter(|&i| positive[i] == class).map(|i| weights[i]).sum() };
    let (high, low) = (1.0 - 1.0 / (count(true) + 2.0), 1.0 / (count(false) + 2.0));
    let entropy = |below: f64, above: f64| -> f64 {
        let one = |i: usize| {
            let (f, t) = (decisions[i], if positive[i] { high } else { low });
            let p = 1.0 / (1.0 + (-f * if f < 0.0 { below } else { above }).exp());
            -weights[i] * (t * p.ln() + (1.0 - t) * (1.0 - p).ln())
        };
        (0..200).map(one).sum()
    };
    let best = entropy(below, above);
    for factor in [0.99, 0.9999, 1.0001, 1.01] {
        assert!(entropy(below * factor, above) > best, "below {below}, factor {factor}");
        assert!(entropy(below, above * factor) > best, "above {above}, factor {factor}");
    }
}

#[test]
fn a_slope_follows_the_unit_of_the_decisions() {
    let (decisions, positive, _) = training_data(5, 90);
    let slopes = |unit: f64| {
        let scaled: Vec<f64> = decisions.iter().map(|f| f * unit).collect();
        match Curve::fit(Method::Sigmoid, &scaled, &positive, None) {
            Curve::Slopes { below, above } => (below * unit, above * unit),
            other => panic!("{other:?}"),
        }
    };
    let (one, far, near) = (slopes(1.0), slopes(1e200), slopes(1e-200));
    for other in [far, near] {
        assert!((other.0 / one.0 - 1.0).abs() < 1e-9, "{one:?} {other:?}");
        assert!((other.1 / one.1 - 1.0).abs() < 1e-9, "{one:?} {other:?}");
    }
}

#[test]
fn a_side_without_samples_mirrors_the_other() {
    let (f, positive) = ([0.5, 1.0, 1.5, 2.0, 3.0], [false, true, false, true, true]);
    for method in METHODS {
        let curve = Curve::fit(method, &f, &positive, None);
        for at in [0.1, 0.75, 1.0, 2.5, 9.0] {
            assert!((curve.at(at) + curve.at(-at) - 1.0).abs() < 1e-15, "{curve:?}");
        }
        let nothing = Curve::fit(method, &[], &[], None);
        assert_eq!(nothing, Curve::Slopes { below: 1.0, above: 1.0 });
    }
}

#[test]
fn a_weight_of_two_is_a_sample_twice_and_of_zero_none() {
    let (decisions, positive, weights) = training_data(21, 80);
    let again = |i: usize| std::iter::repeat_n(i, weights[i] as usize);
    let rows: Vec<usize> = (0..80).flat_map(again).collect();
    let f: Vec<f64> = rows.iter().map(|&i| decisions[i]).collect();
    let of: Vec<bool> = rows.iter().map(|&i| positive[i]).collect();
    for method in METHODS {
        let weighted = Curve::fit(method, &decisions, &positive, Some(&weights));
        let repeated = Curve::fit(method, &f, &of, None);
        for at in places() {
            assert!((weighted.at(at) - repeated.at(at)).abs() < 1e-9, "at {at}");
        }
    }
}

/// The bounded isotonic fit by its min–max formula: of all means from a place at or before to one at or after, on the side.
#[test]
fn steps_are_the_bounded_isotonic_fit() {
    for seed in 0..20 {
        let (decisions, positive, weights) = training_data(100 + seed, 60);
        let curve = Curve::fit(Method::Isotonic, &decisions, &positive, Some(&weights));
        let total: f64 = weights.iter().sum();
        let mean = |from: f64, to: f64| {
            let there = |i: &usize| (from..=to).contains(&decisions[*i]) && weights[*i] > 0.0;
            let all: f64 = (0..60).filter(there).map(|i| weights[i]).sum();
            let of: f64 = (0..60).filter(there).filter(|&i| positive[i]).map(|i| weights[i]).sum();
            of / all
        };
        for sign in [-1.0, 1.0] {
            let counted = (0..60).filter(|&i| decisions[i] * sign > 0.0 && weights[i] > 0.0);
            let side: Vec<f64> = counted.map(|i| decisions[i]).collect();
            for &f in &side {
                let best = side.iter().filter(|from| **from <= f).map(|&from| {
                    let ends = side.iter().filter(|to| **to >= f);
                    ends.map(|&to| mean(from, to)).fold(f64::INFINITY, f64::min)
                });
                let value = best.fold(f64::NEG_INFINITY, f64::max);
                let value = value.clamp(1.0 / (total + 2.0), 1.0 - 1.0 / (total + 2.0));
                let value = if sign < 0.0 { value.min(0.5 - 1e-6) } else { value.max(0.5 + 1e-6) };
                assert!((curve.at(f) - value).abs() < 1e-12, "{} at {f}, not {value}", curve.at(f));
            }
        }
    }
}

#[test]
fn platt_curves_are_taken_at_their_word() {
    let curve = Curve::Platt { a: -2.0, b: 0.5 };
    assert!((curve.at(1.0) - 1.0 / (1.0 + (-1.5f64).exp())).abs() < 1e-15);
    assert_eq!((curve.at(1e300), curve.at(-1e300)), (1.0, 0.0));
}

#[test]
fn numbers_that_make_no_curve_are_found() {
    let steps = |at: &[f64], value: &[f64]| Curve::Steps { at: at.into(), value: value.into() };
    let wrong = [
        Curve::Slopes { below: 1.0, above: f64::NAN },
        Curve::Slopes { below: 0.0, above: 1.0 },
        Curve::Platt { a: f64::INFINITY, b: 0.0 },
        steps(&[], &[]),
        steps(&[0.0], &[0.5, 0.6]),
        steps(&[0.0, f64::NAN], &[0.5, 0.6]),
        steps(&[0.0, 2.0, 1.0], &[0.5, 0.6, 0.7]),
        steps(&[0.0, 1.0, 2.0], &[0.5, 0.7, 0.6]),
        steps(&[-1.0, 1.0], &[0.4, 0.7]),
        steps(&[-1.0, 0.0, 1.0], &[0.5, 0.5, 0.7]),
        steps(&[-1.0, 0.0, 1.0], &[0.4, 0.5, 1.5]),
        steps(&[-1.0, 0.0, 1.0], &[0.4, 0.6, 0.7]),
    ];
    for curve in &wrong {
        assert!(curve.fault().is_some(), "{curve:?}");
    }
    assert_eq!(steps(&[-1.0, 0.0, 1.0], &[0.4, 0.5, 0.7]).fault(), None);
}
