use super::{dense, distance_from_uniform, normal};
use crate::context::Context;
use crate::hypothesis::stein_kernel::{SteinKernel, with_scores};
use crate::hypothesis::{Stein, SteinParams};
use crate::kernel::{Kernel, Tile};
use crate::linalg::view::Mat;
use crate::points::{Dense, Span};

fn params(text: &str, draws: usize) -> SteinParams {
    let mut params = SteinParams::new(text.parse().unwrap());
    params.draws = draws;
    params
}

/// Scores of the standard normal distribution.
fn standard(x: &Dense<f64>) -> Mat<f64> {
    Mat::from_fn(x.n(), x.d(), |i, k| -x.row(i)[k])
}

type Radial = fn(f64) -> f64;
const KERNELS: [(&str, Radial); 3] = [
    ("rbf(gamma=0.6)", |t| (-0.6 * t).exp()),
    ("rbf(sigma=1.3)", |t| (-t / (2.0 * 1.69)).exp()),
    ("rational_quadratic(alpha=0.5, length=0.8)", |t| (1.0 + t / 0.64).powf(-0.5)),
];

/// The Stein kernel with derivatives by differences of φ.
fn naive(phi: Radial, x: &[f64], y: &[f64], s: &[f64], r: &[f64]) -> f64 {
    let k = |x: &[f64], y: &[f64]| phi(x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum());
    let step = 1e-4;
    let moved = |x: &[f64], i: usize, by: f64| {
        let mut x = x.to_vec();
        x[i] += by;
        x
    };
    let mut sum = k(x, y) * s.iter().zip(r).map(|(a, b)| a * b).sum::<f64>();
    for i in 0..x.len() {
        let by_y =
            |x: &[f64]| (k(x, &moved(y, i, step)) - k(x, &moved(y, i, -step))) / (2.0 * step);
        let by_x = (k(&moved(x, i, step), y) - k(&moved(x, i, -step), y)) / (2.0 * step);
        let both = (by_y(&moved(x, i, step)) - by_y(&moved(x, i, -step))) / (2.0 * step);
        sum += s[i] * by_y(x) + r[i] * by_x + both;
    }
    sum
}

#[test]
fn the_stein_kernel_is_that_of_its_derivatives() {
    let x = dense(normal(6, 3, 0.0, 1), 3);
    let scores = Mat::from_vec(normal(6, 3, 0.2, 2), 6, 3);
    let rows = with_scores(&x, scores.view()).unwrap();
    for (text, phi) in KERNELS {
        let kernel = SteinKernel::new(&text.parse().unwrap()).unwrap();
        let mut values = vec![0.0; 36];
        kernel.tile(Span::all(&rows), Span::all(&rows), Tile::new(&mut values, 6, 6, 6)).unwrap();
        for i in 0..6 {
            for j in 0..6 {
                let expected = naive(phi, x.row(i), x.row(j), scores.row(i), scores.row(j));
                assert!((values[6 * i + j] - expected).abs() < 1e-6, "{text} {i} {j}");
            }
        }
        let mut diagonal = vec![0.0; 6];
        kernel.diag(Span::all(&rows), &mut diagonal).unwrap();
        (0..6).for_each(|i| assert!((diagonal[i] - values[7 * i]).abs() < 1e-14));
    }
}

/// One sample at 0 and one at 1 of a standard normal, rbf(gamma=0.5): by hand. See the guide.
#[test]
fn the_worked_number() {
    let x = dense(vec![0.0, 1.0], 1);
    let found =
        Stein::test(&Context::new(1), &params("rbf(gamma=0.5)", 9), &x, standard(&x).view());
    let found = found.unwrap();
    // u(0, 0) = 1, u(1, 1) = 2, u(0, 1) = −e^(−½).
    let across = -(-0.5_f64).exp();
    assert!((found.outcome.statistic - (3.0 + 2.0 * across) / 4.0).abs() < 1e-15);
    assert!((found.unbiased - across).abs() < 1e-15);
    let parts: f64 = found.contributions.iter().sum();
    assert!((parts / 2.0 - found.outcome.statistic).abs() < 1e-15);
}

#[test]
fn levels_are_kept_and_misfits_found() {
    let ctx = Context::new(2);
    let p = |shift: f64, stretch: f64, seed: u64| {
        let values = normal(60, 2, 0.0, 300 + seed).iter().map(|v| stretch * v + shift).collect();
        let x = dense(values, 2);
        let mut params = params("rational_quadratic(alpha=0.5, length=median)", 99);
        params.seed = seed;
        Stein::test(&ctx, &params, &x, standard(&x).view()).unwrap().outcome.p_value
    };
    let levels: Vec<f64> = (0..400).map(|seed| p(0.0, 1.0, seed)).collect();
    assert!(distance_from_uniform(&levels) < 0.09, "{}", distance_from_uniform(&levels));
    for (shift, stretch) in [(0.6, 1.0), (0.0, 1.8)] {
        let found = (0..40).filter(|&seed| p(shift, stretch, seed) <= 0.05).count();
        assert!(found >= 28, "{shift} {stretch}: {found}");
    }
}

#[test]
fn normality_is_tested_whatever_mean_and_covariance() {
    let ctx = Context::new(2);
    let run = |x: &Dense<f64>| {
        let spec = params("rational_quadratic(alpha=0.5, length=1)", 99);
        Stein::normal(&ctx, &spec, x).unwrap().outcome
    };
    let sample = |seed: u64| dense(normal(50, 2, 0.0, 400 + seed), 2);
    let x = sample(1);
    let turned: Vec<f64> = (0..50)
        .flat_map(|i| [3.0 + 7.0 * x.row(i)[0], -2.0 + 0.1 * x.row(i)[1] + x.row(i)[0]])
        .collect();
    let (a, b) = (run(&x), run(&dense(turned, 2)));
    assert!((a.statistic - b.statistic).abs() < 1e-10, "{} {}", a.statistic, b.statistic);
    let levels: Vec<f64> = (0..200).map(|seed| run(&sample(seed)).p_value).collect();
    assert!(distance_from_uniform(&levels) < 0.12, "{}", distance_from_uniform(&levels));
    let skewed = dense(normal(200, 1, 0.0, 5).iter().map(|v| v.exp()).collect(), 1);
    assert_eq!(run(&skewed).p_value, 0.01);
}

#[test]
fn chains_need_slow_signs() {
    let mut noise = normal(1200, 1, 0.0, 6);
    (1..noise.len()).for_each(|i| noise[i] = 0.9 * noise[i - 1] + 0.19_f64.sqrt() * noise[i]);
    let x = dense(noise, 1);
    let p = |change: f64| {
        let mut params = params("rbf(gamma=0.5)", 199);
        params.change = change;
        Stein::test(&Context::new(2), &params, &x, standard(&x).view()).unwrap().outcome.p_value
    };
    assert!(p(0.02) > p(0.5), "{} {}", p(0.02), p(0.5));
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let (ctx, x) = (Context::new(1), dense(normal(20, 2, 0.0, 7), 2));
    let refuse = |params: &SteinParams, x: &Dense<f64>, scores: &Mat<f64>, part: &str| {
        let error = Stein::test(&ctx, params, x, scores.view()).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refuse(&params("laplacian(gamma=1)", 99), &x, &standard(&x), "rbf or rational_quadratic");
    refuse(&params("rbf(gamma=1) + linear", 99), &x, &standard(&x), "rbf or rational_quadratic");
    refuse(&params("rbf(gamma=1)", 5), &x, &standard(&x), "at least 9");
    refuse(&params("rbf(gamma=1)", 99), &x, &Mat::zeros(20, 1), "must be 20 × 2");
    let mut chain = params("rbf(gamma=1)", 99);
    chain.change = 0.7;
    refuse(&chain, &x, &standard(&x), "at most 0.5");
    let flat = dense((0..40).map(|i| f64::from(i / 2)).collect(), 2);
    let error = Stein::normal(&ctx, &params("rbf(gamma=1)", 99), &flat).unwrap_err().to_string();
    assert!(error.contains("singular"), "{error}");
}
