use mercer::linalg::view::{Mat, MatRef};
use mercer::model::Components;
use mercer::model::pca::{Decomposition, Pca, PcaParams};
use mercer::real::Real;
use mercer::{Context, Error};

use crate::naive::{difference, difference_up_to_sign, eigen, normal};

/// n × d numbers with a mean far from 0 and columns of different spread.
fn data(n: usize, d: usize, seed: u64) -> Vec<f64> {
    let mut x = normal(n, d, seed);
    for (at, v) in x.iter_mut().enumerate() {
        let j = at % d;
        *v = *v * (1.0 + j as f64).sqrt().recip() + 100.0 * (j as f64 + 1.0);
    }
    x
}

fn fit(x: &[f64], n: usize, d: usize, params: &PcaParams) -> Pca {
    Pca::fit(&Context::new(2), params, MatRef::new(x, n, d, d)).unwrap()
}

fn with(components: Components, decomposition: Decomposition) -> PcaParams {
    PcaParams::default().components(components).decomposition(decomposition)
}

fn transform(model: &Pca, x: &[f64], m: usize) -> Vec<f64> {
    let mut out = Mat::zeros(m, model.k());
    model
        .transform_into(&Context::new(2), MatRef::new(x, m, model.d(), model.d()), out.view_mut())
        .unwrap();
    out.into_vec()
}

fn covariance(x: &[f64], n: usize, d: usize) -> Vec<Vec<f64>> {
    let mean: Vec<f64> =
        (0..d).map(|j| (0..n).map(|i| x[i * d + j]).sum::<f64>() / n as f64).collect();
    let c = |a: usize, b: usize| -> f64 {
        (0..n).map(|i| (x[i * d + a] - mean[a]) * (x[i * d + b] - mean[b])).sum::<f64>()
            / (n as f64 - 1.0)
    };
    (0..d).map(|a| (0..d).map(|b| c(a, b)).collect()).collect()
}

#[test]
fn every_decomposition_agrees_with_the_definition() {
    for (n, d) in [(90, 7), (600, 20), (30, 60)] {
        let x = data(n, d, 1);
        let (values, vectors) = eigen(&covariance(&x, n, d));
        let k = 3;
        let components: Vec<f64> = (0..k * d).map(|at| vectors[at % k][at / k]).collect();
        for decomposition in [
            Decomposition::Auto,
            Decomposition::Primal,
            Decomposition::Dual,
            Decomposition::Truncated,
        ] {
            let model = fit(&x, n, d, &with(Components::Count(k), decomposition));
            assert!(
                difference(&model.variance, &values[..k]) < 1e-10 * values[0],
                "{decomposition:?}"
            );
            let total: f64 = values.iter().sum();
            assert!((model.total_variance - total).abs() < 1e-10 * total, "{decomposition:?}");
            let got: Vec<f64> = (0..k * d).map(|at| model.components[(at % k, at / k)]).collect();
            assert!(
                difference_up_to_sign(&got, &components, k) < 1e-6,
                "{decomposition:?} {n} × {d}"
            );
            let noise = values[k..n.min(d)].iter().map(|v| v.max(0.0)).sum::<f64>();
            let noise = noise / (n.min(d) - k) as f64;
            assert!((model.noise_variance - noise).abs() < 1e-9 * total, "{decomposition:?}");
        }
    }
}

#[test]
fn eckart_young() {
    for (n, d, k) in [(200, 8, 3), (40, 100, 5), (50, 6, 6)] {
        let x = data(n, d, 2);
        let model = fit(&x, n, d, &with(Components::Count(k), Decomposition::Auto));
        let scores = transform(&model, &x, n);
        let scores = MatRef::new(&scores, n, k, k);
        let back = model.inverse_transform(&Context::new(2), scores).unwrap();
        let mean_square: f64 =
            back.data().iter().zip(&x).map(|(a, b)| (a - b).powi(2)).sum::<f64>() / n as f64;
        assert!((mean_square - model.reconstruction_error()).abs() < 1e-9, "{n} × {d}");
    }
}

#[test]
fn scores_are_uncorrelated_and_whitening_makes_their_variance_one() {
    let (n, d) = (300, 6);
    let x = data(n, d, 3);
    let model = fit(&x, n, d, &with(Components::All, Decomposition::Auto));
    let spread = covariance(&transform(&model, &x, n), n, d);
    let white = fit(&x, n, d, &with(Components::All, Decomposition::Auto).whiten(true));
    let white_scores = transform(&white, &x, n);
    let white_spread = covariance(&white_scores, n, d);
    for i in 0..d {
        for j in 0..d {
            let (want, one) = if i == j { (model.variance[i], 1.0) } else { (0.0, 0.0) };
            assert!((spread[i][j] - want).abs() < 1e-10);
            assert!((white_spread[i][j] - one).abs() < 1e-9);
        }
    }
    let mut back = Mat::zeros(n, d);
    white
        .inverse_transform_into(
            &Context::new(1),
            MatRef::new(&white_scores, n, d, d),
            back.view_mut(),
        )
        .unwrap();
    assert!(difference(back.data(), &x) < 1e-9);
}

#[test]
fn a_share_of_the_variance_takes_the_fewest_components() {
    let (n, d) = (100, 12);
    let x = data(n, d, 4);
    for share in [0.05, 0.5, 0.9, 0.99999] {
        let ratio = fit(&x, n, d, &with(Components::Share(share), Decomposition::Auto))
            .explained_variance_ratio();
        let sum: f64 = ratio.iter().sum();
        assert!(sum >= share && sum - ratio.last().unwrap() < share, "{share}: {sum}");
    }
}

#[test]
fn components_are_orthonormal_even_without_variance() {
    // Rank 2 in 50 dimensions, 10 samples: the dual decomposition must fill up with directions of no variance.
    let (n, d) = (10, 50);
    let base = normal(2, d, 5);
    let weights = normal(n, 2, 6);
    let x: Vec<f64> = (0..n * d)
        .map(|at| (0..2).map(|r| weights[at / d * 2 + r] * base[r * d + at % d]).sum())
        .collect();
    for decomposition in [Decomposition::Primal, Decomposition::Dual] {
        let model = fit(&x, n, d, &with(Components::All, decomposition));
        assert_eq!(model.k(), n);
        for a in 0..n {
            for b in 0..n {
                let dot: f64 = model
                    .components
                    .row(a)
                    .iter()
                    .zip(model.components.row(b))
                    .map(|(u, v)| u * v)
                    .sum();
                let want = if a == b { 1.0 } else { 0.0 };
                assert!((dot - want).abs() < 1e-9, "{decomposition:?} {a} {b}: {dot}");
            }
        }
    }
    let constant = vec![5.0; 40];
    let model = fit(&constant, 10, 4, &with(Components::All, Decomposition::Auto));
    assert_eq!(model.variance, [0.0; 4]);
    assert!(transform(&model, &constant, 10).iter().all(|v| v.abs() < 1e-12));
}

#[test]
fn strides_threads_and_precision() {
    let (n, d) = (1300, 9);
    let x = data(n, d, 7);
    let p = with(Components::Count(4), Decomposition::Auto);
    let two = fit(&x, n, d, &p);
    let one = Pca::fit(&Context::new(1), &p, MatRef::new(&x, n, d, d)).unwrap();
    assert_eq!(two.components, one.components);
    assert_eq!(two.variance, one.variance);
    let columns: Vec<f64> = (0..n * d).map(|at| x[(at % n) * d + at / n]).collect();
    let by_columns = MatRef::strided(&columns, 0, n, d, 1, n as isize).unwrap();
    assert_eq!(Pca::fit(&Context::new(2), &p, by_columns).unwrap().components, two.components);
    let reversed: Vec<f64> = x.iter().rev().copied().collect();
    let backwards = MatRef::strided(&reversed, n * d - 1, n, d, -(d as isize), -1).unwrap();
    assert_eq!(Pca::fit(&Context::new(2), &p, backwards).unwrap().components, two.components);
    let single: Vec<f32> = x.iter().map(|&v| f32::from_f64(v)).collect();
    let single = Pca::fit(&Context::new(2), &p, MatRef::new(&single, n, d, d)).unwrap();
    for (a, b) in two.variance.iter().zip(&single.variance) {
        assert!((a - b).abs() < 1e-3 * a, "{a} {b}");
    }
}

#[test]
fn a_large_mean_does_not_cancel() {
    let (n, d) = (400, 3);
    let mut x = normal(n, d, 8);
    let plain = fit(&x, n, d, &with(Components::All, Decomposition::Primal));
    x.iter_mut().for_each(|v| *v += 1e7);
    let shifted = fit(&x, n, d, &with(Components::All, Decomposition::Primal));
    assert!(difference(&plain.variance, &shifted.variance) < 1e-7);
}

#[test]
fn bad_samples_are_refused() {
    let ctx = Context::new(2);
    let check = |x: &[f64], n: usize, d: usize, components, part: &str| {
        let view = MatRef::new(x, n, d, d);
        for decomposition in [Decomposition::Auto, Decomposition::Primal, Decomposition::Dual] {
            let error =
                Pca::fit(&ctx, &with(components, decomposition), view).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    };
    check(&[], 0, 3, Components::All, "minimum of 2");
    check(&[1.0, 2.0], 1, 2, Components::All, "minimum of 2");
    check(&[], 4, 0, Components::All, "0 feature(s)");
    check(&[1.0; 8], 4, 2, Components::Count(3), "at most 2");
    let mut x = normal(700, 2, 9);
    x[2 * 651 + 1] = f64::NAN;
    check(&x, 700, 2, Components::All, "NaN at row 651, column 1");
    x[2 * 651 + 1] = f64::INFINITY;
    check(&x, 700, 2, Components::All, "infinity at row 651, column 1");
    let model = fit(&[1.0, 2.0, 3.0, 5.0], 2, 2, &with(Components::Count(1), Decomposition::Auto));
    let error = model.transform(&ctx, MatRef::new(&[1.0, 2.0, 3.0], 1, 3, 3)).unwrap_err();
    assert!(matches!(error, Error::Features { expected: 2, found: 3 }));
}
