//! Fits on a device beside fits on the processor. Without a device these tests say so and end.

use std::ops::ControlFlow;

use mercer::device::{self, Device};
use mercer::io::ModelFile;
use mercer::linalg::view::Mat;
use mercer::model::NoteCode;
use mercer::model::kernel_pca::KernelPcaParams;
use mercer::model::kernel_ridge::KernelRidgeParams;
use mercer::prelude::*;
use mercer::solve::ridge::Solver;

const CUDA: Device = Device::Cuda(0);

/// Whether there is a device to test.
fn there_is_one() -> bool {
    mercer_cuda::provide();
    match device::list() {
        Ok(devices) => !devices.is_empty(),
        Err(error) => {
            eprintln!("skipped, no device: {error}");
            false
        }
    }
}

/// Numbers between 0 and 1 that repeat from run to run.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    (0..count).map(|_| next()).collect()
}

fn rows(n: usize, d: usize, seed: u64) -> Dense<f64> {
    Dense::from_vec(numbers(n * d, seed), n, d).unwrap()
}

fn pca(kernel: &str, k: usize) -> KernelPcaParams {
    KernelPca::params(kernel.parse().unwrap()).components(k)
}

fn ridge(kernel: &str, alpha: f64) -> KernelRidgeParams {
    KernelRidge::params(kernel.parse().unwrap()).alpha(alpha)
}

fn largest(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, |m, v| if v > m || v.is_nan() { v } else { m })
}

const KERNELS: [&str; 22] = [
    "linear",
    "poly(degree=3, gamma=0.5, coef0=1)",
    "rbf(gamma=0.7)",
    "laplacian(gamma=0.3)",
    "matern(nu=0.5, length=1.5)",
    "matern(nu=1.5, length=1.5)",
    "matern(nu=2.5, length=1.5)",
    "rational_quadratic(alpha=0.5, length=2)",
    "rational_quadratic(alpha=1, length=2)",
    "periodic(period=1.7, length=2)",
    "cosine",
    "hellinger",
    "intersection",
    "additive_chi2",
    "chi2(gamma=0.4)",
    "jensen_shannon",
    "gower",
    "overlap",
    "0.5*rbf(gamma=0.2) + 2*linear",
    "rbf(gamma=0.2)*poly(degree=2, gamma=1, coef0=1) + constant",
    "normalize(poly(degree=2, gamma=1, coef0=1))",
    "normalize(linear + chi2(gamma=1))*(rbf(gamma=0.1) + laplacian(gamma=0.1))",
];

/// Sizes that are no multiples of tiles, one row, one column, many columns.
const SIZES: [(usize, usize); 6] = [(1, 1), (7, 1), (65, 3), (130, 64), (129, 65), (70, 1000)];

#[test]
fn ridge_regression_is_that_of_the_processor() {
    if !there_is_one() {
        return;
    }
    let ctx = Context::default();
    for kernel in KERNELS {
        for (n, d) in SIZES {
            let (x, new) = (rows(n, d, 1), rows(67, d, 2));
            let y = Mat::from_vec(numbers(2 * n, 3), n, 2);
            let targets = Targets::matrix(y);
            let params = ridge(kernel, 0.5);
            let here = KernelRidge::fit(&ctx, &params, &x, &targets, None).unwrap();
            let there = KernelRidge::fit(&ctx, &params.clone().device(CUDA), &x, &targets, None);
            let there = there.unwrap_or_else(|error| panic!("{kernel} {n} × {d}: {error}"));
            assert!(there.report.residual < 1e-10, "{kernel} {n} × {d}: {}", there.report.residual);
            let (a, b) = (here.predict(&ctx, &new).unwrap(), there.predict(&ctx, &new).unwrap());
            let size = a.data().iter().fold(1.0_f64, |m, v| m.max(v.abs()));
            assert!(largest(a.data(), b.data()) < 1e-8 * size, "{kernel} {n} × {d}");
        }
    }
}

#[test]
fn components_are_those_of_the_processor() {
    if !there_is_one() {
        return;
    }
    let ctx = Context::default();
    for kernel in KERNELS {
        for (n, d) in [(65, 3), (130, 64), (129, 65), (70, 1000)] {
            let (x, new) = (rows(n, d, 4), rows(67, d, 5));
            let here = KernelPca::fit(&ctx, &pca(kernel, 3), &x).unwrap();
            let there = KernelPca::fit(&ctx, &pca(kernel, 3).device(CUDA), &x);
            let there = there.unwrap_or_else(|error| panic!("{kernel} {n} × {d}: {error}"));
            let top = here.eigenvalues[0];
            assert!(
                largest(&here.eigenvalues, &there.eigenvalues) < 1e-10 * top,
                "{kernel} {n} × {d}"
            );
            let (a, b) =
                (here.transform(&ctx, &new).unwrap(), there.transform(&ctx, &new).unwrap());
            // The products of scores do not depend on the choice of vectors in a space of equal eigenvalues.
            if here.eigenvalues.windows(2).all(|w| w[0] - w[1] > 1e-3 * top) {
                assert!(largest(a.data(), b.data()) < 1e-6, "{kernel} {n} × {d}");
            }
        }
    }
}

#[test]
fn several_panels_and_many_rows() {
    if !there_is_one() {
        return;
    }
    let ctx = Context::default();
    let (x, new) = (rows(5000, 6, 6), rows(9001, 6, 7));
    let y = numbers(5000, 8);
    let targets = Targets::values(&y);
    for solver in [Solver::Auto, Solver::Cholesky, Solver::Cg] {
        let params = ridge("rbf(gamma=2)", 0.01).solver(solver);
        let here = KernelRidge::fit(&ctx, &params, &x, &targets, None).unwrap();
        let there = KernelRidge::fit(&ctx, &params.device(CUDA), &x, &targets, None).unwrap();
        assert!(there.report.residual < 1e-10 && there.report.converged);
        let (a, b) = (here.predict(&ctx, &new).unwrap(), there.predict(&ctx, &new).unwrap());
        assert!(largest(a.data(), b.data()) < 1e-8, "{solver:?}");
    }
    let here = KernelPca::fit(&ctx, &pca("rbf(gamma=2)", 12), &x).unwrap();
    let there = KernelPca::fit(&ctx, &pca("rbf(gamma=2)", 12).device(CUDA), &x).unwrap();
    assert!(largest(&here.eigenvalues, &there.eigenvalues) < 1e-10 * here.eigenvalues[0]);
    assert!(
        there.report.converged && there.report.storage.contains("cuda:0"),
        "{:?}",
        there.report
    );
}

#[test]
fn weights_an_intercept_and_single_precision() {
    if !there_is_one() {
        return;
    }
    let ctx = Context::default();
    let x = rows(400, 5, 9);
    let narrow: Dense<f32> = x.convert().unwrap();
    let targets = Targets::values(&numbers(400, 10)).with_weights(Some(numbers(400, 11)));
    for intercept in [false, true] {
        let params = ridge("rbf(gamma=1)", 0.1).intercept(intercept);
        let here = KernelRidge::fit(&ctx, &params, &x, &targets, None).unwrap();
        let there =
            KernelRidge::fit(&ctx, &params.clone().device(CUDA), &x, &targets, None).unwrap();
        let (a, b) = (here.predict(&ctx, &x).unwrap(), there.predict(&ctx, &x).unwrap());
        assert!(largest(a.data(), b.data()) < 1e-8);
        let single = KernelRidge::fit(&ctx, &params.device(CUDA), &narrow, &targets, None).unwrap();
        let c = single.predict(&ctx, &narrow).unwrap();
        assert!(largest(a.data(), c.data()) < 1e-5 && single.dtype == Dtype::F32);
    }
}

#[test]
fn rows_far_from_the_origin() {
    if !there_is_one() {
        return;
    }
    let ctx = Context::default();
    for d in [5, 80] {
        let near = rows(300, d, 12);
        let far = near.data().iter().map(|v| v + 1e6).collect();
        let far = Dense::from_vec(far, 300, d).unwrap();
        for kernel in ["rbf(gamma=0.5)", "linear", "linear + rbf(gamma=0.01)"] {
            let here = KernelPca::fit(&ctx, &pca(kernel, 3), &far).unwrap();
            let there = KernelPca::fit(&ctx, &pca(kernel, 3).device(CUDA), &far).unwrap();
            let top = here.eigenvalues[0];
            assert!(
                largest(&here.eigenvalues, &there.eigenvalues) < 1e-10 * top,
                "{kernel}, d = {d}"
            );
            let (a, b) =
                (here.transform(&ctx, &far).unwrap(), there.transform(&ctx, &far).unwrap());
            assert!(largest(a.data(), b.data()) < 1e-5, "{kernel}, d = {d}");
        }
        let refused = KernelPca::fit(&ctx, &pca("poly(degree=2)", 3).device(CUDA), &far);
        assert!(refused.err().unwrap().to_string().contains("subtract the means"));
    }
}

#[test]
fn fits_repeat_to_the_last_bit_also_side_by_side() {
    if !there_is_one() {
        return;
    }
    let (x, targets) = (rows(3000, 7, 13), Targets::values(&numbers(3000, 14)));
    let fit = || {
        let ctx = Context::default();
        let components = KernelPca::fit(&ctx, &pca("rbf(gamma=1)", 5).device(CUDA), &x).unwrap();
        let params = ridge("laplacian(gamma=1)", 0.01).device(CUDA);
        let model = KernelRidge::fit(&ctx, &params, &x, &targets, None).unwrap();
        (components.coef.data().to_vec(), model.coef.data().to_vec())
    };
    let first = fit();
    assert_eq!(first, fit());
    std::thread::scope(|scope| {
        let both = [scope.spawn(fit), scope.spawn(fit)];
        for other in both {
            assert_eq!(first, other.join().unwrap());
        }
    });
}

#[test]
fn what_has_no_factor_is_solved_all_the_same() {
    if !there_is_one() {
        return;
    }
    let ctx = Context::default();
    let twice: Vec<f64> = rows(40, 2, 15).data().iter().copied().cycle().take(160).collect();
    let (x, targets) = (Dense::from_vec(twice, 80, 2).unwrap(), Targets::values(&numbers(80, 16)));
    let params = ridge("rbf(gamma=1)", 0.0);
    let here = KernelRidge::fit(&ctx, &params, &x, &targets, None).unwrap();
    let there = KernelRidge::fit(&ctx, &params.device(CUDA), &x, &targets, None).unwrap();
    assert_eq!(here.report.notes.len(), there.report.notes.len());
    let (a, b) = (here.predict(&ctx, &x).unwrap(), there.predict(&ctx, &x).unwrap());
    // Which directions are lost in rounding depends on the rounding.
    assert!(largest(a.data(), b.data()) < 1e-2, "{}", largest(a.data(), b.data()));
}

#[test]
fn a_stored_model_predicts_without_the_device() {
    if !there_is_one() {
        return;
    }
    let ctx = Context::default();
    let (x, targets) = (rows(200, 4, 17), Targets::values(&numbers(200, 18)));
    let params = ridge("matern(nu=1.5, length=1)", 0.1).device(CUDA);
    let there = KernelRidge::fit(&ctx, &params, &x, &targets, None).unwrap();
    let path = std::env::temp_dir().join(format!("mercer-device-{}.mercer", std::process::id()));
    mercer::io::save(&path, &ModelFile::new(there.clone().into(), Dtype::F64)).unwrap();
    let loaded = mercer::io::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let mercer::io::Model::KernelRidge(loaded) = loaded.model else { panic!("another model") };
    assert_eq!(loaded.params.device, Device::Cpu);
    let (a, b) = (loaded.predict(&ctx, &x).unwrap(), there.predict(&ctx, &x).unwrap());
    assert!(largest(a.data(), b.data()) < 1e-10);
}

#[test]
fn what_only_the_processor_computes_is_refused_or_goes_there() {
    mercer_cuda::provide();
    let ctx = Context::default();
    let texts = Strings::new(["ab", "abc", "bcd", "cda", "dab"]).unwrap();
    let params = pca("spectrum(p=2)", 2);
    let here = KernelPca::fit(&ctx, &params, &texts).unwrap();
    let auto = KernelPca::fit(&ctx, &params.clone().device(Device::Auto), &texts).unwrap();
    assert_eq!(here.coef.data(), auto.coef.data());
    assert!(auto.report.notes.iter().any(|note| note.code == NoteCode::Device));
    let refused = KernelPca::fit(&ctx, &params.device(CUDA), &texts).err().unwrap().to_string();
    let reasons =
        ["on the processor only", "no CUDA driver was found", "finds no device", "cuBLAS"];
    assert!(reasons.iter().any(|reason| refused.contains(reason)), "{refused}");
    let x = rows(50, 3, 19);
    let landmarks = pca("rbf(gamma=1)", 2).landmarks(10).device(CUDA);
    let refused = KernelPca::fit(&ctx, &landmarks, &x).err().unwrap().to_string();
    assert_eq!(refused, "device: landmarks are computed on the processor only: use device cpu");
}

#[test]
fn a_device_that_is_not_there_is_named() {
    mercer_cuda::provide();
    let (ctx, x) = (Context::default(), rows(20, 2, 20));
    let refused = KernelPca::fit(&ctx, &pca("rbf(gamma=1)", 2).device(Device::Cuda(99)), &x);
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("cuda:99") || refused.contains("use device cpu"), "{refused}");
}

#[test]
fn work_that_is_stopped_ends() {
    if !there_is_one() {
        return;
    }
    struct Stop;
    impl mercer::context::Monitor for Stop {
        fn step(&self, _: &mercer::context::Step) -> ControlFlow<()> {
            ControlFlow::Break(())
        }

        fn poll(&self) -> ControlFlow<()> {
            ControlFlow::Break(())
        }
    }
    let ctx = Context::default().with_monitor(std::sync::Arc::new(Stop));
    let fit = KernelPca::fit(&ctx, &pca("rbf(gamma=1)", 2).device(CUDA), &rows(3000, 3, 21));
    assert!(matches!(fit.err(), Some(Error::Interrupted)));
}
