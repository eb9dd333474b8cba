//! Law: the scores of the training samples are what `transform` gives for them, and every eigenvector sums to 0, for every
//! kernel, storage and precision, whatever offset the samples have.

use mercer::Input;
use mercer::kernel::{Kernel, KernelSpec, SpecKernel};
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::points::{Dense, Span};
use mercer::real::Real;
use mercer::solve::eigen::Solver;
use mercer::{Context, KernelSpec as Spec};

use crate::naive::{dense, normal};

const KERNELS: [&str; 14] = [
    "linear",
    "poly(degree=2)",
    "poly(degree=3, gamma=0.1)",
    "rbf(gamma=0.3)",
    "rbf(gamma=1e-7)",
    "laplacian(gamma=0.2)",
    "matern(nu=1.5, length=2)",
    "rational_quadratic(alpha=1.5, length=1)",
    "cosine",
    "sigmoid(gamma=0.01, coef0=0)",
    "normalize(poly(degree=3))",
    "0.5*rbf(gamma=0.1) + linear",
    "intersection",
    "chi2(gamma=0.1)",
];

fn params(kernel: &str, count: usize) -> KernelPcaParams {
    let kernel: Spec = kernel.parse().unwrap();
    KernelPcaParams::new(kernel).components(Components::Count(count))
}

/// n × d numbers, not negative where a kernel asks for that, all moved by `offset`.
fn samples<T: Real>(kernel: &str, n: usize, d: usize, offset: f64) -> Dense<T> {
    let histograms = ["intersection", "chi2"].iter().any(|name| kernel.contains(name));
    let shape = |v: f64| if histograms { v.abs() + offset.abs() } else { v + offset };
    let data: Vec<f64> = normal(n, d, (n + d) as u64).into_iter().map(shape).collect();
    dense(&data, n, d)
}

/// The largest, over the components, of ‖transform − scores‖ · η_i / (η_1 ‖scores‖), in units of rounding and residual.
/// Kernel values carry roundings of their own size, so `largest` of them stands for η_1 where it is larger.
fn error<T: Real>(model: &KernelPca, transformed: &Mat<T>, largest: f64) -> f64 {
    let scores = model.training_scores();
    let unit = model.dtype.epsilon() + model.report.residual;
    let column = |c: usize| -> f64 {
        let apart = |i: usize| (transformed[(i, c)].to_f64() - scores[(i, c)]).powi(2);
        let apart: f64 = (0..scores.rows()).map(apart).sum();
        let eta = model.eigenvalues[c];
        if eta == 0.0 { apart.sqrt() / unit } else { apart.sqrt() * eta.sqrt() }
    };
    let scale = model.eigenvalues[0].max(largest).max(f64::MIN_POSITIVE);
    (0..model.k()).map(column).fold(0.0, f64::max) / scale / unit
}

/// The largest |Σ v| of unit eigenvectors.
fn largest_sum(model: &KernelPca) -> f64 {
    let vectors = model.eigenvectors();
    let sum = |c: usize| (0..vectors.rows()).map(|i| vectors[(i, c)]).sum::<f64>().abs();
    (0..vectors.cols()).map(sum).fold(0.0, f64::max)
}

fn check<T: Real>(what: &str, model: &KernelPca, transformed: &Mat<T>, largest: f64) {
    let error = error(model, transformed, largest);
    assert!(error < 60.0, "{what}: {error:.1} units, eigenvalues {:?}", model.eigenvalues);
    assert!(largest_sum(model) < 1e-13, "{what}: Σv = {:e}", largest_sum(model));
}

fn by_samples<T: Real>(ctx: &Context, p: &KernelPcaParams, x: &Dense<T>, storage: &str) {
    let model = KernelPca::fit(ctx, p, x).unwrap();
    assert_eq!(model.report.storage, storage);
    // A copy, so that nothing can be known from the samples being the same.
    let copy = Dense::from_rows(x.data(), x.n(), x.d()).unwrap();
    let out = model.transform(ctx, &copy).unwrap();
    let what = format!("{} {} × {} {} {storage}", p.kernel, x.n(), x.d(), T::NAME);
    check(&what, &model, &out, largest(&p.kernel, x));
}

/// The largest kernel value of a sample with itself.
fn largest<T: Real>(kernel: &KernelSpec, x: &Dense<T>) -> f64 {
    let kernel = SpecKernel::<T>::new(&kernel.resolve(x).unwrap()).unwrap();
    let mut own = vec![T::ZERO; x.n()];
    kernel.diag(Span::all(x), &mut own).unwrap();
    own.iter().fold(0.0, |most, v| most.max(v.to_f64().abs()))
}

fn by_matrix<T: Real>(ctx: &Context, p: &KernelPcaParams, x: &Dense<T>) {
    let kernel = SpecKernel::<T>::new(&p.kernel.resolve(x).unwrap()).unwrap();
    let n = x.n();
    let mut k = Mat::<T>::zeros(n, n);
    mercer::gram::matrix(ctx, &kernel, x, None, k.view_mut()).unwrap();
    let model = KernelPca::fit(ctx, p, Input::precomputed(k.view())).unwrap();
    let out = model.transform(ctx, Input::precomputed(k.view())).unwrap();
    check(
        &format!("{} {n} × {} {} given", p.kernel, x.d(), T::NAME),
        &model,
        &out,
        largest(&p.kernel, x),
    );
}

fn law<T: Real>(offsets: &[f64]) {
    let ctx = Context::new(2);
    for kernel in KERNELS {
        for &offset in offsets {
            // Square, wide and tall; the tall ones go by products.
            for (n, d, count) in [(60, 5, 6), (40, 90, 8), (400, 3, 4)] {
                let x = samples::<T>(kernel, n, d, offset);
                let solver = if n == 400 { Solver::Krylov } else { Solver::Auto };
                let p = params(kernel, count).solver(solver);
                by_samples(&ctx, &p, &x, "packed");
                by_matrix(&ctx, &p, &x);
                if n == 400 {
                    let small = Context::new(2).with_budget(2_100_000);
                    by_samples(&small, &p, &x, "tiled");
                }
            }
        }
    }
}

#[test]
fn transform_gives_the_training_scores_in_double_precision() {
    law::<f64>(&[0.0, 10.0, 1e4]);
}

#[test]
fn transform_gives_the_training_scores_in_single_precision() {
    law::<f32>(&[0.0, 10.0, 300.0]);
}

#[test]
fn constant_samples_have_no_components() {
    let ctx = Context::new(1);
    for kernel in ["linear", "poly(degree=3)", "rbf(gamma=1)", "cosine"] {
        for value in [0.0, 1.5, 1e5] {
            let x = dense::<f64>(&[value; 60], 20, 3);
            let model = KernelPca::fit(&ctx, &params(kernel, 4), &x).unwrap();
            assert_eq!(model.eigenvalues, [0.0; 4], "{kernel} {value}");
            let mut out = Mat::from_fn(20, 4, |_, _| 1.0);
            model.transform_into(&ctx, &x, out.view_mut()).unwrap();
            assert!(out.data().iter().all(|&v| v == 0.0));
        }
    }
}

/// Components beyond the rank are rounding errors, of which nothing may be made.
#[test]
fn components_beyond_the_rank_are_zero_whatever_the_offset() {
    let ctx = Context::new(2);
    for offset in [0.0, 100.0, 1e5] {
        for kernel in ["linear", "poly(degree=2, gamma=1, coef0=1)"] {
            let x = samples::<f64>(kernel, 150, 3, offset);
            let rank = if kernel == "linear" { 3 } else { 9 };
            let model = KernelPca::fit(&ctx, &params(kernel, 14), &x).unwrap();
            let alive = model.eigenvalues.iter().filter(|eta| **eta > 0.0).count();
            assert!(alive <= rank, "{kernel} + {offset}: {:?}", model.eigenvalues);
            assert!(kernel != "linear" || alive == 3, "{kernel} + {offset}");
            assert!(model.report.notes.iter().any(|n| n.contains("zero variance")));
            let out = model.transform(&ctx, &x).unwrap();
            let largest = largest(&model.params.kernel, &x);
            check(&format!("{kernel} + {offset}"), &model, &out, largest);
        }
    }
}

/// An offset of the samples changes nothing of a kernel PCA with a linear kernel: it is PCA.
#[test]
fn an_offset_does_not_change_linear_scores() {
    let ctx = Context::new(2);
    let (n, d) = (80, 4);
    let plain = normal(n, d, 9);
    // Rounded so that adding the offset and taking it away are exact.
    let plain: Vec<f64> = plain.iter().map(|v| (v * 256.0).round() / 256.0).collect();
    let moved: Vec<f64> = plain.iter().map(|v| v + 4096.0).collect();
    fn scores<T: Real>(ctx: &Context, data: &[f64], n: usize, d: usize) -> Vec<f64> {
        let x = dense::<T>(data, n, d);
        let model = KernelPca::fit(ctx, &params("linear", 4), &x).unwrap();
        let mut out = Mat::<T>::zeros(n, 4);
        model.transform_into(ctx, &x, out.view_mut()).unwrap();
        out.data().iter().map(|v| v.to_f64()).collect()
    }
    let want = scores::<f64>(&ctx, &plain, n, d);
    let apart = |got: Vec<f64>| crate::naive::difference_up_to_sign(&want, &got, 4);
    assert!(apart(scores::<f64>(&ctx, &moved, n, d)) < 1e-12);
    assert!(apart(scores::<f32>(&ctx, &moved, n, d)) < 2e-5);
}

/// New samples, against the definition in double precision, for samples with an offset.
#[test]
fn new_samples_agree_with_the_definition_for_samples_with_an_offset() {
    let ctx = Context::new(2);
    let (n, m, d, k) = (50, 9, 3, 3);
    for kernel in ["linear", "poly(degree=2)", "0.5*rbf(gamma=0.1) + linear", "rbf(gamma=1e-5)"] {
        let all: Vec<f64> = normal(n + m, d, 21).into_iter().map(|v| v + 50.0).collect();
        let (x, new) = (dense::<f64>(&all[..n * d], n, d), dense::<f64>(&all[n * d..], m, d));
        let model = KernelPca::fit(&ctx, &params(kernel, k), &x).unwrap();
        assert!(model.origin.is_some(), "{kernel} has an offset");
        let both = dense::<f64>(&all, n + m, d);
        let spec: KernelSpec = kernel.parse().unwrap();
        let mut matrix = Mat::zeros(n + m, n + m);
        let kernel_of = SpecKernel::<f64>::new(&spec).unwrap();
        mercer::gram::matrix(&ctx, &kernel_of, &both, None, matrix.view_mut()).unwrap();
        let got = model.transform(&ctx, &new).unwrap();
        let errors = model.reconstruction_error(&ctx, &new).unwrap();
        let mean = |i: usize| (0..n).map(|j| matrix[(i, j)]).sum::<f64>() / n as f64;
        let total = (0..n).map(mean).sum::<f64>() / n as f64;
        assert!((model.mean - total).abs() < 1e-12 * total.abs());
        let scale = model.eigenvalues[0];
        for i in 0..m {
            let bar = |j: usize| matrix[(n + i, j)] - mean(n + i) - mean(j) + total;
            for c in 0..k {
                let want: f64 = (0..n).map(|j| model.coef[(j, c)] * bar(j)).sum();
                let unit = scale / model.eigenvalues[c].sqrt();
                assert!((got[(i, c)] - want).abs() < 1e-8 * unit, "{kernel}: {want}");
            }
            let own = matrix[(n + i, n + i)] - 2.0 * mean(n + i) + total;
            let want = own - (0..k).map(|c| got[(i, c)].powi(2)).sum::<f64>();
            assert!((errors[i] - want.max(0.0)).abs() < 1e-9 * matrix[(0, 0)], "{kernel}");
        }
        // The same from kernel values that the caller computed.
        let training = Mat::from_fn(n, n, |i, j| matrix[(i, j)]);
        let given =
            KernelPca::fit(&ctx, &params(kernel, k), Input::precomputed(training.view())).unwrap();
        let rows = &matrix.data()[n * (n + m)..];
        let rows = MatRef::new(rows, m, n + m, n + m).col_range(0, n);
        let again = given.transform(&ctx, Input::precomputed(rows)).unwrap();
        let apart = crate::naive::difference_up_to_sign(got.data(), again.data(), k);
        assert!(apart < 1e-6 * scale.sqrt(), "{kernel}: {apart:e}");
    }
}
