//! Pre-images: laws, two-loop oracles, curves restored from noise, and what is refused.

mod ends;
mod penalty;
mod refused;

use mercer::Context;
use mercer::context::Stream;
use mercer::kernel::{Kernel, KernelSpec, SpecKernel, Tile};
use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::inverse::InverseParams;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::preimage::{Method, PreimageParams, Preimages};
use mercer::points::{Dense, Span};
use mercer::real::Real;

use crate::naive::{dense, difference, normal};

const SEARCHES: [Method; 3] = [Method::FixedPoint, Method::Neighbours, Method::Gradient];

fn fit<T: Real>(kernel: &str, components: Components, x: &Dense<T>) -> KernelPca {
    fit_with(params_of(kernel).components(components), x)
}

fn params_of(kernel: &str) -> KernelPcaParams {
    KernelPcaParams::new(kernel.parse().unwrap())
}

fn fit_with<T: Real>(params: KernelPcaParams, x: &Dense<T>) -> KernelPca {
    KernelPca::fit(&Context::new(2), &params, x).unwrap()
}

fn scores_of<T: Real>(model: &KernelPca, x: &Dense<T>) -> Dense<f64> {
    let scores = model.transform(&Context::new(2), x).unwrap();
    Dense::from_vec(scores.into_vec(), x.n(), model.k()).unwrap()
}

fn find<T: Real>(model: &KernelPca, method: Method, scores: &Dense<T>) -> Preimages {
    model.preimages(&Context::new(2), &PreimageParams::new(method), scores).unwrap()
}

fn points<T: Real>(mat: &Mat<T>) -> Dense<T> {
    Dense::from_vec(mat.data().to_vec(), mat.rows(), mat.cols()).unwrap()
}

fn errors<T: Real>(model: &KernelPca, scores: &Dense<T>, z: &Mat<T>) -> Vec<f64> {
    model.preimage_errors(&Context::new(2), scores, &points(z)).unwrap()
}

/// All kernel values, by the kernel's own tiles.
fn values(spec: &KernelSpec, x: &Dense<f64>, y: &Dense<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(x.n(), y.n());
    let tile = Tile::new(out.data_mut(), x.n(), y.n(), y.n());
    SpecKernel::new(spec).unwrap().tile(Span::all(x), Span::all(y), tile).unwrap();
    out
}

/// ‖φ(z) − Σ γ_i φ(x_i)‖² of each row by loops over all pairs.
fn naive_errors(model: &KernelPca, scores: &Dense<f64>, z: &Dense<f64>) -> Vec<f64> {
    let x = &model.anchors.as_ref().unwrap().to_type::<f64>().unwrap();
    let x = x.dense().unwrap();
    let (n, k) = (x.n(), model.k());
    let among = values(&model.params.kernel, x, x);
    let cross = values(&model.params.kernel, z, x);
    let own = values(&model.params.kernel, z, z);
    let share = if model.params.center { 1.0 / n as f64 } else { 0.0 };
    let error = |r: usize| {
        let gamma =
            |i: usize| share + (0..k).map(|c| model.coef[(i, c)] * scores.row(r)[c]).sum::<f64>();
        let gamma: Vec<f64> = (0..n).map(gamma).collect();
        let mut sum = own[(r, r)];
        for i in 0..n {
            sum -= 2.0 * gamma[i] * cross[(r, i)];
            sum += (0..n).map(|j| gamma[i] * gamma[j] * among[(i, j)]).sum::<f64>();
        }
        sum
    };
    (0..z.n()).map(error).collect()
}

/// A circle of radius 1 with noise.
fn ring(n: usize, noise: f64, seed: u64) -> Dense<f64> {
    let mut stream = Stream::new(seed, "ring");
    let mut data = Vec::new();
    for _ in 0..n {
        let angle = std::f64::consts::TAU * stream.uniform();
        data.push(angle.cos() + noise * stream.normal());
        data.push(angle.sin() + noise * stream.normal());
    }
    dense(&data, n, 2)
}

#[test]
fn a_linear_kernel_restores_samples_and_their_mean() {
    let x =
        dense::<f64>(&normal(30, 4, 1).iter().map(|v| 3.0 * v + 7.0).collect::<Vec<_>>(), 30, 4);
    let mean: Vec<f64> = (0..4).map(|j| (0..30).map(|i| x.row(i)[j]).sum::<f64>() / 30.0).collect();
    let all = fit("linear", Components::Count(4), &x);
    let few = fit("linear", Components::Count(2), &x);
    let zero = dense::<f64>(&[0.0, 0.0], 1, 2);
    for method in SEARCHES {
        let back = find(&all, method, &scores_of(&all, &x));
        assert!(difference(back.samples.data(), x.data()) < 1e-11, "{method:?}");
        assert_eq!((back.converged, back.unconverged.len()), (30, 0));
        let back = find(&few, method, &zero);
        assert!(difference(back.samples.data(), &mean) < 1e-13, "{method:?}");
    }
    let plain = fit_with(params_of("linear").center(false), &x);
    let back = find(&plain, Method::Gradient, &scores_of(&plain, &x));
    assert!(difference(back.samples.data(), x.data()) < 1e-11);
    for alpha in [Some(1e-8), Some(1.0), Some(1e4), None] {
        let inverse = InverseParams { kernel: KernelSpec::linear(), alpha, center: true };
        let components = Components::Count(2);
        let params = params_of("linear").inverse(inverse).components(components);
        let back = find(&fit_with(params, &x), Method::Ridge, &zero);
        assert!(difference(back.samples.data(), &mean) < 1e-13, "{alpha:?}");
    }
}

#[test]
fn other_spellings_of_the_linear_kernel_are_found_by_descent() {
    let x = dense::<f64>(&normal(25, 3, 9), 25, 3);
    for kernel in ["2*linear", "poly(degree=1, gamma=0.5, coef0=3)"] {
        let model = fit(kernel, Components::Count(3), &x);
        let back = find(&model, Method::Gradient, &scores_of(&model, &x));
        assert!(difference(back.samples.data(), x.data()) < 1e-6, "{kernel}");
    }
}

#[test]
fn errors_are_those_of_two_loops() {
    let x = dense::<f64>(&normal(20, 3, 2), 20, 3);
    let z = dense::<f64>(&normal(6, 3, 3), 6, 3);
    for kernel in ["rbf(gamma=0.3)", "poly(degree=2)", "laplacian(gamma=0.4)"] {
        for center in [true, false] {
            let components = Components::Count(5);
            let model = fit_with(params_of(kernel).components(components).center(center), &x);
            let y = dense::<f64>(&normal(6, 5, 4), 6, 5);
            let found = model.preimage_errors(&Context::new(1), &y, &z).unwrap();
            assert!(difference(&found, &naive_errors(&model, &y, &z)) < 1e-9, "{kernel}");
        }
    }
}

#[test]
fn threads_do_not_change_a_bit_and_order_of_samples_only_rounding() {
    let data = normal(300, 6, 15);
    let x = dense::<f64>(&data, 300, 6);
    let turned: Vec<f64> = data.chunks(6).rev().flatten().copied().collect();
    let turned = dense::<f64>(&turned, 300, 6);
    let model = fit("rbf(gamma=0.05)", Components::Count(15), &x);
    let other = fit("rbf(gamma=0.05)", Components::Count(15), &turned);
    let new = dense::<f64>(&normal(200, 6, 16), 200, 6);
    let (y, also) = (scores_of(&model, &new), scores_of(&other, &new));
    for method in SEARCHES {
        let params = PreimageParams::new(method);
        let one = model.preimages(&Context::new(1), &params, &y).unwrap();
        let two = model.preimages(&Context::new(2), &params, &y).unwrap();
        assert_eq!(one.samples, two.samples, "{method:?}");
        let turned = other.preimages(&Context::new(2), &params, &also).unwrap();
        assert!(difference(one.samples.data(), turned.samples.data()) < 1e-4, "{method:?}");
    }
}

#[test]
fn single_precision_finds_nearly_the_same() {
    let data = normal(100, 5, 17);
    let (x, single) = (dense::<f64>(&data, 100, 5), dense::<f32>(&data, 100, 5));
    let (model, other) = (
        fit("rbf(gamma=0.1)", Components::Count(10), &x),
        fit("rbf(gamma=0.1)", Components::Count(10), &single),
    );
    let new = normal(20, 5, 18);
    for method in SEARCHES {
        let one = find(&model, method, &scores_of(&model, &dense::<f64>(&new, 20, 5)));
        let two = find(&other, method, &scores_of(&other, &dense::<f32>(&new, 20, 5)));
        assert!(difference(one.samples.data(), two.samples.data()) < 1e-2, "{method:?}");
    }
}

#[test]
fn too_few_rounds_are_reported() {
    let x = dense::<f64>(&normal(80, 5, 19), 80, 5);
    let model = fit("rbf(gamma=0.2)", Components::Count(20), &x);
    let y = scores_of(&model, &dense::<f64>(&normal(70, 5, 20), 70, 5));
    for method in [Method::FixedPoint, Method::Gradient] {
        let mut params = PreimageParams::new(method);
        params.max_rounds = 2;
        let found = model.preimages(&Context::new(2), &params, &y).unwrap();
        assert_eq!(found.rounds, 2);
        assert!(found.unconverged.len() > 60 && found.unconverged.is_sorted(), "{method:?}");
        assert_eq!(found.converged + found.unconverged.len(), 70);
        let all = find(&model, method, &y);
        assert!(all.rounds > 2 && all.unconverged.is_empty(), "{method:?}: {:?}", all.unconverged);
    }
}
