use super::{dense, distance_from_uniform, normal};
use crate::Input;
use crate::context::{Context, Stream};
use crate::hypothesis::{Hsic, HsicParams, Null};
use crate::linalg::view::Mat;
use crate::points::{Dense, Strings};

fn params(x: &str, y: &str, null: Null) -> HsicParams {
    let mut params = HsicParams::new(x.parse().unwrap(), y.parse().unwrap());
    params.null = null;
    params
}

fn rbf(x: &Dense<f64>, gamma: f64) -> Mat<f64> {
    let entry = |i: usize, j: usize| {
        let apart: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2)).sum();
        (-gamma * apart).exp()
    };
    Mat::from_fn(x.n(), x.n(), entry)
}

/// 1/n² tr(K J L J) with J written out.
fn naive(k: &Mat<f64>, l: &Mat<f64>) -> f64 {
    let n = k.rows();
    let centre = |a: &Mat<f64>, i: usize, j: usize| {
        let row = |i: usize| a.row(i).iter().sum::<f64>() / n as f64;
        a[(i, j)] - row(i) - row(j) + a.data().iter().sum::<f64>() / (n * n) as f64
    };
    let mut sum = 0.0;
    for i in 0..n {
        (0..n).for_each(|j| sum += centre(k, i, j) * centre(l, i, j));
    }
    sum / (n * n) as f64
}

/// y is |x| plus noise: without correlation, and dependent.
fn pairs(n: usize, strength: f64, seed: u64) -> (Dense<f64>, Dense<f64>) {
    let (x, noise) = (normal(n, 1, 0.0, seed), normal(n, 1, 0.0, seed + 900));
    let y = x.iter().zip(&noise).map(|(x, e)| strength * x.abs() + e).collect();
    (dense(x, 1), dense(y, 1))
}

#[test]
fn statistics_are_those_of_the_definition_by_both_ways() {
    let (x, y) = pairs(70, 1.0, 3);
    let (k, l) = (rbf(&x, 0.5), rbf(&y, 0.8));
    let expected = naive(&k, &l);
    let size = (naive(&k, &k) * naive(&l, &l)).sqrt();
    for null in [Null::Permutations(19), Null::Gamma] {
        for budget in [1 << 30, 300_000] {
            let params = params("rbf(gamma=0.5)", "rbf(gamma=0.8)", null);
            let ctx = Context::new(2).with_budget(budget);
            let found = Hsic::test(&ctx, &params, &x, &y).unwrap();
            assert!((found.outcome.statistic - expected).abs() < 1e-14, "{null:?}");
            assert!((found.correlation - expected / size).abs() < 1e-12);
            assert_eq!(found.outcome.kernels.len(), 2);
        }
        let params = params("linear", "linear", null);
        let given = [Input::precomputed(&k), Input::precomputed(&l)];
        let found = Hsic::test(&Context::new(1), &params, &given[0], &given[1]).unwrap();
        assert!((found.outcome.statistic - expected).abs() < 1e-14, "{null:?}");
    }
}

/// Distance covariance of four points on a line with themselves, by hand.
#[test]
fn the_worked_number() {
    let x = dense(vec![0.0, 1.0], 1);
    let found =
        Hsic::test(&Context::new(1), &params("energy", "energy", Null::Permutations(9)), &x, &x);
    // Centred distances are ∓½: their mean square is ¼.
    let found = found.unwrap();
    assert!((found.outcome.statistic - 0.25).abs() < 1e-15);
    assert_eq!((found.correlation, found.outcome.p_value), (1.0, 1.0));
}

#[test]
fn the_linear_kernel_is_the_squared_covariance() {
    let (x, y) = pairs(50, 0.7, 5);
    let params = params("linear", "linear", Null::Permutations(9));
    let found = Hsic::test(&Context::new(1), &params, &x, &y).unwrap();
    let mean = |v: &Dense<f64>| v.data().iter().sum::<f64>() / 50.0;
    let (a, b) = (mean(&x), mean(&y));
    let covariance: f64 =
        x.data().iter().zip(y.data()).map(|(x, y)| (x - a) * (y - b)).sum::<f64>() / 50.0;
    assert!((found.outcome.statistic - covariance.powi(2)).abs() < 1e-14);
}

#[test]
fn permutations_have_the_moments_that_are_computed() {
    let (x, y) = pairs(60, 0.0, 7);
    let exact =
        Hsic::test(&Context::new(2), &params("rbf(gamma=1)", "energy", Null::Gamma), &x, &y);
    let (mean, deviation) = exact.unwrap().outcome.moments.unwrap();
    let drawn = params("rbf(gamma=1)", "energy", Null::Permutations(4000));
    let null = Hsic::test(&Context::new(2), &drawn, &x, &y).unwrap().outcome.null;
    let average = null.iter().sum::<f64>() / 4000.0;
    let spread = (null.iter().map(|v| (v - average).powi(2)).sum::<f64>() / 4000.0).sqrt();
    assert!((average - mean).abs() < 5.0 * deviation / 4000f64.sqrt(), "{average} {mean}");
    assert!((spread / deviation - 1.0).abs() < 0.1, "{spread} {deviation}");
}

#[test]
fn threads_change_nothing() {
    let (x, y) = pairs(300, 0.3, 9);
    for null in [Null::Permutations(29), Null::Gamma] {
        let run = |threads: usize| {
            let params = params("rbf(sigma=median)", "rbf(sigma=median)", null);
            Hsic::test(&Context::new(threads), &params, &x, &y).unwrap().outcome
        };
        let (one, three) = (run(1), run(3));
        assert_eq!(
            (one.statistic, one.p_value, one.null),
            (three.statistic, three.p_value, three.null)
        );
    }
}

#[test]
fn levels_are_kept_and_dependence_without_correlation_found() {
    let ctx = Context::new(2);
    for null in [Null::Permutations(99), Null::Gamma] {
        let p = |strength: f64, seed: u64| {
            let (x, y) = pairs(50, strength, 200 + seed);
            let mut params = params("rbf(sigma=median)", "rbf(sigma=median)", null);
            params.seed = seed;
            Hsic::test(&ctx, &params, &x, &y).unwrap().outcome.p_value
        };
        let levels: Vec<f64> = (0..400).map(|seed| p(0.0, seed)).collect();
        assert!(distance_from_uniform(&levels) < 0.08, "{null:?}");
        let found = (0..50).filter(|&seed| p(2.0, seed) <= 0.05).count();
        assert!(found >= 40, "{null:?}: {found}");
    }
}

#[test]
fn texts_stand_beside_numbers() {
    let mut stream = Stream::new(1, "words");
    let values: Vec<f64> = (0..60).map(|_| stream.uniform()).collect();
    let words: Vec<&str> =
        values.iter().map(|&v| if v > 0.5 { "aababa" } else { "ccdcdc" }).collect();
    let (x, y) = (Strings::new(words).unwrap(), dense(values, 1));
    let params = params("spectrum(p=2)", "rbf(sigma=median)", Null::Permutations(99));
    assert_eq!(Hsic::test(&Context::new(2), &params, &x, &y).unwrap().outcome.p_value, 0.01);
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let (x, y) = pairs(30, 0.0, 11);
    let short = dense(vec![1.0, 2.0], 1);
    let refuse = |null: Null, y: &Dense<f64>, budget: u64, part: &str| {
        let params = params("rbf(gamma=1)", "rbf(gamma=1)", null);
        let ctx = Context::new(1).with_budget(budget);
        let error = Hsic::test(&ctx, &params, &x, y).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refuse(Null::Gamma, &short, 1 << 30, "they must be pairs");
    refuse(Null::Permutations(3), &y, 1 << 30, "at least 9");
    refuse(Null::Permutations(99), &y, 20_000, "use the Gamma distribution");
}
