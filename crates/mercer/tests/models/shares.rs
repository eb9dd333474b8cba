//! A share of the variance: the search goes on from what it has, within the budget or not at all.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::context::{Monitor, Step};
use mercer::kernel::KernelSpec;
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::solve::eigen::Solver;
use mercer::{Context, Error};

use crate::naive::{dense, difference, normal};

fn params(kernel: &str, share: f64, solver: Solver) -> KernelPcaParams {
    let kernel: KernelSpec = kernel.parse().unwrap();
    KernelPcaParams::new(kernel).components(Components::Share(share)).solver(solver)
}

#[test]
fn products_find_as_many_components_as_decomposition() {
    let ctx = Context::new(2);
    let x = dense::<f64>(&normal(500, 4, 31), 500, 4);
    for (kernel, share) in
        [("rbf(gamma=0.05)", 0.99), ("rbf(gamma=0.5)", 0.9), ("rbf(gamma=0.5)", 0.99)]
    {
        let full = KernelPca::fit(&ctx, &params(kernel, share, Solver::Full), &x).unwrap();
        let products = KernelPca::fit(&ctx, &params(kernel, share, Solver::Krylov), &x).unwrap();
        assert_eq!(full.k(), products.k(), "{kernel} {share}");
        assert!(difference(&full.eigenvalues, &products.eigenvalues) < 1e-6 * full.eigenvalues[0]);
        assert!(products.report.converged && products.report.solver == "krylov");
        let reached: f64 = products.explained_variance_ratio().iter().sum();
        let last = products.explained_variance_ratio()[products.k() - 1];
        assert!(reached >= share - 1e-9 && reached - last < share, "{kernel} {share}: {reached}");
    }
}

/// Going on takes hardly more passes than to look for all at once.
#[test]
fn growing_does_not_begin_afresh() {
    let ctx = Context::new(2);
    let x = dense::<f64>(&normal(600, 4, 32), 600, 4);
    let grown = KernelPca::fit(&ctx, &params("rbf(gamma=0.3)", 0.97, Solver::Krylov), &x).unwrap();
    let k = grown.k();
    assert!(k > 64, "{k} components need at least one step of growth");
    let count = params("rbf(gamma=0.3)", 0.97, Solver::Krylov).components(Components::Count(k));
    let at_once = KernelPca::fit(&ctx, &count, &x).unwrap();
    let (grown, at_once) = (grown.report.passes, at_once.report.passes);
    assert!(grown <= 2 * at_once + 8, "{grown} passes instead of {at_once}");
}

/// Counts passes of the search for eigenvectors.
struct Passes(AtomicUsize);

impl Monitor for Passes {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        self.0.fetch_add(usize::from(step.stage == "eigenvectors"), Ordering::Relaxed);
        ControlFlow::Continue(())
    }
}

/// Narrow kernels have flat spectra: that nine tenths of the variance need most of all components is known after one pass.
#[test]
fn what_cannot_fit_the_budget_is_refused_at_once() {
    let n = 3000;
    let x = dense::<f64>(&normal(n, 8, 33), n, 8);
    let passes = Arc::new(Passes(AtomicUsize::new(0)));
    let ctx = Context::new(2).with_budget(13 << 20).with_monitor(passes.clone());
    let error = KernelPca::fit(&ctx, &params("rbf(gamma=3)", 0.9, Solver::Auto), &x).err().unwrap();
    let passes = passes.0.load(Ordering::Relaxed);
    assert!(passes <= 4, "{passes} passes");
    match &error {
        Error::Memory { needed, budget, .. } => assert!(needed > budget),
        other => panic!("{other}"),
    }
    let text = error.to_string();
    assert!(text.contains("fraction"), "{text}");
}
