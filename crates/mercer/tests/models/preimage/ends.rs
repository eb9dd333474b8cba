//! Where the searches end.

use mercer::Context;
use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::inverse::InverseParams;
use mercer::model::preimage::{Method, PreimageParams};

use super::{
    SEARCHES, errors, find, fit, fit_with, naive_errors, params_of, points, ring, scores_of,
};
use crate::naive::{dense, difference, normal};

fn off_ring(z: &[f64]) -> f64 {
    let squares = z.chunks(2).map(|p| ((p[0] * p[0] + p[1] * p[1]).sqrt() - 1.0).powi(2));
    (2.0 * squares.sum::<f64>() / z.len() as f64).sqrt()
}

#[test]
fn every_method_comes_nearer_than_the_nearest_sample() {
    let x = ring(120, 0.08, 5);
    let noisy = ring(50, 0.15, 6);
    let kernels = [
        "rbf(gamma=2)",
        "matern(nu=2.5, length=1)",
        "rational_quadratic(alpha=1, length=0.7)",
        "poly(degree=3)",
        "normalize(poly(degree=2)) + 0.5*rbf(gamma=1)",
        "laplacian(gamma=1)",
    ];
    for kernel in kernels {
        for center in [true, false] {
            let components = Components::Count(6);
            let model = fit_with(params_of(kernel).components(components).center(center), &x);
            let y = scores_of(&model, &noisy);
            let mut nearest = vec![f64::INFINITY; noisy.n()];
            for i in 0..x.n() {
                let same = Mat::from_fn(noisy.n(), 2, |_, j| x.row(i)[j]);
                for (best, e) in nearest.iter_mut().zip(errors(&model, &y, &same)) {
                    *best = best.min(e);
                }
            }
            let estimate = errors(&model, &y, &find(&model, Method::Neighbours, &y).samples);
            for method in SEARCHES {
                let params = PreimageParams::new(method);
                let Ok(found) = model.preimages(&Context::new(2), &params, &y) else {
                    assert!(method != Method::Neighbours);
                    continue;
                };
                for (r, e) in errors(&model, &y, &found.samples).into_iter().enumerate() {
                    assert!(e <= nearest[r] + 1e-9, "{kernel} {method:?}: {e} {}", nearest[r]);
                    assert!(e <= estimate[r] + 1e-9, "{kernel} {method:?}: {e} {}", estimate[r]);
                }
            }
        }
    }
}

#[test]
fn noise_is_taken_from_a_ring() {
    let (x, noisy) = (ring(200, 0.08, 7), ring(100, 0.15, 8));
    let before = off_ring(noisy.data());
    for kernel in ["rbf(gamma=4)", "matern(nu=1.5, length=0.5)"] {
        let inverse = InverseParams {
            kernel: "rbf(sigma=median)".parse().unwrap(),
            alpha: None,
            center: true,
        };
        let components = Components::Count(8);
        let params = params_of(kernel).components(components).inverse(inverse);
        let model = fit_with(params, &x);
        let y = scores_of(&model, &noisy);
        for method in [Method::Ridge, Method::Neighbours, Method::FixedPoint, Method::Gradient] {
            if method == Method::FixedPoint && !kernel.starts_with("rbf") {
                continue;
            }
            let found = find(&model, method, &y);
            let after = off_ring(found.samples.data());
            // The learned map aims at training samples, with their noise.
            let goal = if method == Method::Ridge { before } else { 0.5 * before };
            assert!(after < goal, "{kernel} {method:?}: {before} {after}");
        }
    }
}

#[test]
fn fixed_point_and_gradient_find_the_same_end() {
    let x = dense::<f64>(&normal(80, 5, 11), 80, 5);
    let model = fit("rbf(gamma=0.05)", Components::Count(20), &x);
    let y = scores_of(&model, &dense::<f64>(&normal(30, 5, 12), 30, 5));
    let params = |method| {
        let mut changed = PreimageParams::new(method);
        changed.tolerance = 1e-9;
        changed
    };
    let ctx = Context::new(2);
    let one = model.preimages(&ctx, &params(Method::FixedPoint), &y).unwrap();
    let other = model.preimages(&ctx, &params(Method::Gradient), &y).unwrap();
    assert_eq!((one.converged, other.converged), (30, 30));
    assert!(difference(one.samples.data(), other.samples.data()) < 1e-6);
}

#[test]
fn a_gradient_vanishes_at_its_end() {
    let x = dense::<f64>(&normal(60, 4, 13), 60, 4);
    for kernel in [
        "poly(degree=2, gamma=0.5)",
        "cosine",
        "rbf(gamma=0.1)*poly(degree=2)",
        "sigmoid(gamma=0.2, coef0=0.1)",
    ] {
        let model = fit(kernel, Components::Count(6), &x);
        let y = scores_of(&model, &dense::<f64>(&normal(12, 4, 14), 12, 4));
        let params = {
            let mut changed = PreimageParams::new(Method::Gradient);
            changed.tolerance = 1e-8;
            changed
        };
        let found = model.preimages(&Context::new(2), &params, &y).unwrap();
        assert!(found.converged >= 11, "{kernel}: {found:?}");
        // Of an indefinite kernel an error may be negative, so it is taken from two loops, which do not cut it off.
        let lowest = naive_errors(&model, &y, &points(&found.samples));
        for j in 0..4 {
            for step in [1e-3, -1e-3] {
                let mut moved = found.samples.clone();
                (0..12).for_each(|r| moved[(r, j)] += step);
                for (r, (e, low)) in
                    naive_errors(&model, &y, &points(&moved)).iter().zip(&lowest).enumerate()
                {
                    assert!(found.unconverged.contains(&r) || *e >= low - 1e-10, "{kernel}");
                }
            }
        }
    }
}
