//! Any number of components of samples of low rank: a search that runs out of directions ends, and what is beyond the rank
//! is zero.

use mercer::Context;
use mercer::Input;
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::pca::{Decomposition, Pca, PcaParams};
use mercer::real::Real;
use mercer::solve::eigen::Solver;

use crate::naive::{dense, normal};

/// n × d numbers of the given rank.
fn of_rank(n: usize, d: usize, rank: usize) -> Vec<f64> {
    let (left, right) = (normal(n, rank, 5), normal(rank, d, 6));
    let entry = |at: usize| -> f64 {
        let (i, j) = (at / d, at % d);
        (0..rank).map(|r| left[i * rank + r] * right[r * d + j]).sum()
    };
    (0..n * d).map(entry).collect()
}

fn kernel_pca<T: Real>(n: usize, rank: usize, components: Components, solver: Solver) {
    let ctx = Context::new(2);
    let d = 6;
    let x = dense::<T>(&of_rank(n, d, rank), n, d);
    let kernel = "linear".parse().unwrap();
    let p = KernelPcaParams::new(kernel).components(components).solver(solver);
    let model = KernelPca::fit(&ctx, &p, &x).unwrap();
    let what = format!("{n} × {d} of rank {rank}, {components:?}, {solver:?}, {}", T::NAME);
    assert!(model.report.converged, "{what}: {:?}", model.report);
    let alive = model.eigenvalues.iter().filter(|eta| **eta > 0.0).count();
    match components {
        Components::Count(count) => {
            assert_eq!((model.k(), alive), (count, rank.min(count)), "{what}")
        }
        _ => assert!(model.k() == alive && alive <= rank, "{what}: {alive}"),
    }
    let mut out = Mat::<T>::zeros(n, model.k());
    model.transform_into(&ctx, &x, out.view_mut()).unwrap();
    assert!(out.data().iter().all(|v| v.is_finite()), "{what}");
}

#[test]
fn kernel_pca_takes_any_number_of_components() {
    for solver in [Solver::Auto, Solver::Full, Solver::Krylov] {
        for rank in 1..=5 {
            for count in [1, rank, rank + 1, 16, 17, 40, 99, 100] {
                kernel_pca::<f64>(100, rank, Components::Count(count), solver);
                kernel_pca::<f32>(100, rank, Components::Count(count), solver);
            }
            for share in [0.5, 0.9, 0.999] {
                kernel_pca::<f64>(100, rank, Components::Share(share), solver);
                kernel_pca::<f32>(100, rank, Components::Share(share), solver);
            }
        }
        kernel_pca::<f64>(1200, 3, Components::Count(200), solver);
        kernel_pca::<f32>(1200, 3, Components::Count(200), solver);
    }
}

/// Sizes around those of blocks.
#[test]
fn kernel_pca_takes_any_number_of_samples() {
    for n in [2, 3, 15, 16, 17, 31, 33] {
        for count in [1, n / 2 + 1, n - 1, n] {
            kernel_pca::<f64>(n, 1, Components::Count(count), Solver::Krylov);
        }
    }
}

fn pca<T: Real>(
    n: usize,
    d: usize,
    rank: usize,
    components: Components,
    decomposition: Decomposition,
) {
    let ctx = Context::new(2);
    let data: Vec<T> = of_rank(n, d, rank).iter().map(|&v| T::from_f64(v + 3.0)).collect();
    let p = PcaParams::default().components(components).decomposition(decomposition);
    let model = Pca::fit(&ctx, &p, MatRef::new(&data, n, d, d)).unwrap();
    let what = format!("{n} × {d} of rank {rank}, {components:?}, {decomposition:?}, {}", T::NAME);
    assert!(model.report.converged, "{what}");
    let small = 100.0 * T::EPSILON * T::EPSILON.max(1e-13) + 1e-13;
    for (c, variance) in model.variance.iter().enumerate() {
        let share = variance / model.total_variance;
        assert_eq!(share > small, c < rank, "{what}: {c} has {share:e}");
    }
    for a in 0..model.k() {
        for b in 0..=a {
            let rows = model.components.row(a).iter().zip(model.components.row(b));
            let product: f64 = rows.map(|(x, y)| x * y).sum();
            let want = if a == b { 1.0 } else { 0.0 };
            assert!((product - want).abs() < 1e-6, "{what}: {a} and {b} give {product}");
        }
    }
}

#[test]
fn pca_takes_any_number_of_components_by_every_decomposition() {
    for rank in 1..=5 {
        for (n, d) in [(60, 20), (20, 60), (40, 40)] {
            for count in [1, rank, rank + 1, 16, 19, 20] {
                for decomposition in [
                    Decomposition::Auto,
                    Decomposition::Primal,
                    Decomposition::Dual,
                    Decomposition::Truncated,
                ] {
                    pca::<f64>(n, d, rank, Components::Count(count), decomposition);
                    pca::<f32>(n, d, rank, Components::Count(count), decomposition);
                }
            }
            for decomposition in [Decomposition::Auto, Decomposition::Primal, Decomposition::Dual] {
                pca::<f64>(n, d, rank, Components::Share(0.999), decomposition);
            }
        }
    }
}

/// Every eigenvalue of the centred unit matrix but one is 1: a search that finds its first block invariant goes on.
#[test]
fn equal_eigenvalues_are_all_found() {
    let ctx = Context::new(2);
    let n = 120;
    let k = Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
    let kernel = "linear".parse().unwrap();
    let p = KernelPcaParams::new(kernel).components(Components::Count(n)).solver(Solver::Krylov);
    let model = KernelPca::fit(&ctx, &p, Input::precomputed(k.view())).unwrap();
    assert!(model.eigenvalues[..n - 1].iter().all(|eta| (eta - 1.0).abs() < 1e-10));
    assert_eq!(model.eigenvalues[n - 1], 0.0);
}
