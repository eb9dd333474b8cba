//! Every field of the reports of PCA, kernel PCA, detectors and kernel k-means, each against a number had otherwise.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use mercer::Context;
use mercer::Input;
use mercer::context::{Monitor, Step};
use mercer::kernel::SpecKernel;
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::Components;
use mercer::model::detector::{Detector, DetectorParams, OutlierScore};
use mercer::model::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::pca::{Decomposition, Pca, PcaParams};
use mercer::points::Dense;
use mercer::solve::eigen::Solver;

use crate::naive::{centred, dense, normal};

fn params(components: Components, solver: Solver) -> KernelPcaParams {
    let kernel = "rbf(gamma=0.2)".parse().unwrap();
    KernelPcaParams::new(kernel).components(components).solver(solver)
}

fn centred_matrix(x: &Dense<f64>) -> Vec<Vec<f64>> {
    let n = x.n();
    let kernel = SpecKernel::<f64>::new(&"rbf(gamma=0.2)".parse().unwrap()).unwrap();
    let mut k = Mat::zeros(n, n);
    mercer::gram::matrix(&Context::new(1), &kernel, x, None, k.view_mut()).unwrap();
    centred(&(0..n).map(|i| k.row(i).to_vec()).collect::<Vec<_>>())
}

/// The largest ‖K̄v − ηv‖ / η_1, by two loops.
fn residual(k: &[Vec<f64>], model: &KernelPca) -> f64 {
    let (n, v) = (k.len(), model.eigenvectors());
    let of = |c: usize| -> f64 {
        let at = |i: usize| -> f64 {
            let product: f64 = (0..n).map(|j| k[i][j] * v[(j, c)]).sum();
            product - model.eigenvalues[c] * v[(i, c)]
        };
        (0..n).map(|i| at(i).powi(2)).sum::<f64>().sqrt()
    };
    (0..model.k()).map(of).fold(0.0, f64::max) / model.eigenvalues[0]
}

/// Counts steps of the stage "eigenvectors".
struct Counter(AtomicUsize);

impl Monitor for Counter {
    fn step(&self, step: &Step) -> ControlFlow<()> {
        if step.stage == "eigenvectors" {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
        ControlFlow::Continue(())
    }
}

#[test]
fn kernel_pca_by_products() {
    let n = 400;
    let x = dense::<f64>(&normal(n, 4, 41), n, 4);
    let k = centred_matrix(&x);
    // A tolerance so loose that the residual is far from rounding.
    let p = params(Components::Count(6), Solver::Krylov).tolerance(1e-4);
    let counter = Arc::new(Counter(AtomicUsize::new(0)));
    let ctx = Context::new(2).with_monitor(counter.clone());
    let started = Instant::now();
    let model = KernelPca::fit(&ctx, &p, &x).unwrap();
    let report = &model.report;
    assert!(report.seconds > 0.0 && report.seconds <= started.elapsed().as_secs_f64());
    let by_hand = residual(&k, &model);
    assert!((report.residual / by_hand - 1.0).abs() < 0.01, "{} {by_hand}", report.residual);
    assert!(report.residual <= 1e-4 && report.converged);
    assert_eq!(report.passes, counter.0.load(Ordering::Relaxed));
    assert_eq!((report.solver.as_str(), report.storage.as_str()), ("krylov", "packed"));
    assert!(report.reason.contains("400 × 400 f64"), "{}", report.reason);
    assert_eq!((report.precision.as_str(), report.notes.len()), ("f64", 0));
    assert!(report.system.is_none() && report.machine.is_none() && report.clusters.is_none());
    let trace: f64 = (0..n).map(|i| k[i][i]).sum();
    assert!((model.trace / trace - 1.0).abs() < 1e-12);
}

#[test]
fn kernel_pca_that_is_stopped_early_says_so() {
    let n = 400;
    let x = dense::<f64>(&normal(n, 4, 42), n, 4);
    let p = params(Components::Count(6), Solver::Krylov).tolerance(1e-12).max_passes(3);
    let model = KernelPca::fit(&Context::new(2), &p, &x).unwrap();
    assert!(!model.report.converged && model.report.passes == 3);
    let by_hand = residual(&centred_matrix(&x), &model);
    assert!((model.report.residual / by_hand - 1.0).abs() < 0.01 && by_hand > 1e-12);
    let note = &model.report.notes[0];
    assert!(note.contains("did not converge") && note.contains("after 3 passes"), "{note}");
}

#[test]
fn kernel_pca_by_decomposition_tiles_and_single_precision() {
    let n = 300;
    let x = dense::<f64>(&normal(n, 4, 43), n, 4);
    let full = params(Components::Count(200), Solver::Full);
    let model = KernelPca::fit(&Context::new(2), &full, &x).unwrap();
    assert_eq!((model.report.solver.as_str(), model.report.passes), ("full", 0));
    assert!(model.report.converged && model.report.residual < 1e-13);
    assert!(model.report.residual > 0.0 && residual(&centred_matrix(&x), &model) < 1e-13);
    let p = params(Components::Count(4), Solver::Krylov);
    let tight = Context::new(2).with_budget(1_640_000);
    let tiled = KernelPca::fit(&tight, &p, &x).unwrap();
    assert_eq!(tiled.report.storage, "tiled");
    assert!(tiled.report.reason.contains("beyond the budget"), "{}", tiled.report.reason);
    let single = dense::<f32>(&normal(n, 4, 43), n, 4);
    let single = KernelPca::fit(&Context::new(2), &p, &single).unwrap();
    assert_eq!(single.report.precision, "f32");
    assert!(single.report.residual <= 1e-6 && single.report.converged);
    let mut k = Mat::from_fn(n, n, |i, j| if i == j { 1.0 } else { 0.0 });
    k[(3, 200)] = 0.5;
    let given = KernelPca::fit(&Context::new(2), &p, Input::precomputed(k.view())).unwrap();
    assert_eq!(
        (given.report.storage.as_str(), given.report.reason.as_str()),
        ("given", "the kernel matrix was precomputed")
    );
    assert!(given.report.notes.iter().any(|note| note.contains("not symmetric")));
}

/// Kernel values beyond the range are refused, not certified.
#[test]
fn overflow_is_an_error_and_never_converges() {
    let x = dense::<f32>(&normal(50, 3, 44).iter().map(|v| v * 1e10).collect::<Vec<_>>(), 50, 3);
    for solver in [Solver::Full, Solver::Krylov] {
        let kernel = "poly(degree=3)".parse().unwrap();
        let p = KernelPcaParams::new(kernel).components(Components::Count(3)).solver(solver);
        let text = KernelPca::fit(&Context::new(1), &p, &x).err().unwrap().to_string();
        assert!(text.contains("scale the data down"), "{text}");
    }
}

#[test]
fn pca_by_every_decomposition() {
    let (n, d) = (300, 200);
    let data = normal(n, d, 45);
    let mean: Vec<f64> =
        (0..d).map(|j| (0..n).map(|i| data[i * d + j]).sum::<f64>() / n as f64).collect();
    let at = |i: usize, j: usize| data[i * d + j] - mean[j];
    let scatter = |a: usize, b: usize| (0..n).map(|i| at(i, a) * at(i, b)).sum::<f64>();
    let scatter = Mat::from_fn(d, d, scatter);
    let words = [
        (Decomposition::Primal, "primal", "covariance"),
        (Decomposition::Dual, "dual", "300 × 300"),
        (Decomposition::Truncated, "truncated", "only products"),
    ];
    for (decomposition, storage, reason) in words {
        let p = PcaParams::default()
            .components(Components::Count(3))
            .decomposition(decomposition)
            .tolerance(0.02);
        let started = Instant::now();
        let model = Pca::fit(&Context::new(2), &p, MatRef::new(&data, n, d, d)).unwrap();
        let report = &model.report;
        assert!(report.seconds > 0.0 && report.seconds <= started.elapsed().as_secs_f64());
        assert_eq!(report.storage, storage);
        assert!(report.reason.contains(reason), "{}", report.reason);
        assert_eq!((report.precision.as_str(), report.notes.len()), ("f64", 0));
        assert!(report.converged && report.residual <= 0.02);
        let truncated = decomposition == Decomposition::Truncated;
        assert_eq!(report.solver, if truncated { "krylov" } else { "full" });
        assert_eq!(report.passes > 0, truncated);
        let eta: Vec<f64> = model.variance.iter().map(|v| v * (n as f64 - 1.0)).collect();
        let of = |c: usize| -> f64 {
            let row = model.components.row(c);
            let apart =
                |a: usize| (0..d).map(|b| scatter[(a, b)] * row[b]).sum::<f64>() - eta[c] * row[a];
            (0..d).map(|a| apart(a).powi(2)).sum::<f64>().sqrt() / eta[0]
        };
        let by_hand = (0..3).map(of).fold(0.0, f64::max);
        match truncated {
            true => assert!((report.residual / by_hand - 1.0).abs() < 0.01, "{by_hand}"),
            false => assert!(report.residual < 1e-13 && by_hand < 1e-12, "{by_hand}"),
        }
    }
    let p = PcaParams::default()
        .components(Components::Count(3))
        .decomposition(Decomposition::Truncated)
        .tolerance(1e-13)
        .max_passes(1);
    let stopped = Pca::fit(&Context::new(2), &p, MatRef::new(&data, n, d, d)).unwrap().report;
    assert!(!stopped.converged && stopped.passes == 1);
    assert!(stopped.notes[0].contains("did not converge"), "{:?}", stopped.notes);
}

#[test]
fn detectors_report_their_components_and_what_rounding_leaves() {
    let ctx = Context::new(2);
    let x = dense::<f64>(&normal(80, 3, 46), 80, 3);
    let mut p = DetectorParams::new("linear".parse().unwrap());
    p.pca.components = Components::Count(2);
    let two = Detector::fit(&ctx, &p, &x).unwrap();
    assert!(two.report().notes.is_empty() && two.report().converged);
    assert_eq!((two.report().solver.as_str(), two.report().precision.as_str()), ("full", "f64"));
    // Three components explain all of three features.
    p.pca.components = Components::Count(3);
    let three = Detector::fit(&ctx, &p, &x).unwrap();
    let note = three.report().notes.iter().find(|note| note.contains("below rounding")).unwrap();
    assert!(note.contains("80 of 80"), "{note}");
    p.score = OutlierScore::Projections;
    let projections = Detector::fit(&ctx, &p, &x).unwrap();
    assert!(projections.report().notes.is_empty());
}

#[test]
fn kernel_k_means_by_its_definition() {
    let (n, k, d) = (200, 3, 2);
    let data: Vec<f64> =
        normal(n, d, 47).iter().enumerate().map(|(at, v)| v + 2.0 * (at / d % 3) as f64).collect();
    let x = dense::<f64>(&data, n, d);
    let start: Vec<usize> = (0..n).map(|i| i * 7 % k).collect();
    let p = KernelKMeansParams::new(k, "linear".parse().unwrap()).init(Init::Labels(start.clone()));
    let began = Instant::now();
    let model = KernelKMeans::fit(&Context::new(2), &p, &x, None).unwrap();
    let report = &model.report;
    assert!(report.seconds > 0.0 && report.seconds <= began.elapsed().as_secs_f64());
    let found = report.clusters.as_ref().unwrap();
    // Lloyd's rounds by hand: the objective before each, and who moved.
    let (mut labels, mut objectives, mut moved, mut rounds) = (start, Vec::new(), 0, 0);
    loop {
        let centre = |c: usize, j: usize| {
            let members = (0..n).filter(|&i| labels[i] == c);
            let (sum, count) =
                members.fold((0.0, 0.0), |(sum, count), i| (sum + data[i * d + j], count + 1.0));
            sum / count
        };
        let centres: Vec<f64> = (0..k * d).map(|at| centre(at / d, at % d)).collect();
        let to = |i: usize, c: usize| -> f64 {
            (0..d).map(|j| (data[i * d + j] - centres[c * d + j]).powi(2)).sum()
        };
        objectives.push((0..n).map(|i| to(i, labels[i])).sum::<f64>());
        let nearest = |i: usize| (0..k).min_by(|&a, &b| to(i, a).total_cmp(&to(i, b))).unwrap();
        let next: Vec<usize> = (0..n).map(nearest).collect();
        let went = (0..n).filter(|&i| next[i] != labels[i]).count();
        if went == 0 {
            break;
        }
        moved += went as u64;
        rounds += 1;
        labels = next;
    }
    assert_eq!(model.labels, labels);
    assert_eq!((found.starts, found.moved, found.reseeded), (1, moved, 0));
    assert!(found.rounds == rounds || found.rounds == rounds + 1, "{} {rounds}", found.rounds);
    for (said, want) in found.objectives.iter().zip(&objectives) {
        assert!((said / want - 1.0).abs() < 1e-9, "{:?} {objectives:?}", found.objectives);
    }
    assert!(found.objectives.len() >= objectives.len());
    assert!((found.objective / objectives[objectives.len() - 1] - 1.0).abs() < 1e-9);
    assert!((1..=found.rounds + 1).contains(&found.full_passes));
    assert_eq!((report.storage.as_str(), report.converged), ("samples", true));
    let short = p.max_rounds(1);
    let short = KernelKMeans::fit(&Context::new(2), &short, &x, None).unwrap().report;
    assert!(!short.converged && short.clusters.unwrap().rounds == 1);
    assert!(short.notes.iter().any(|note| note.contains("did not converge")), "{:?}", short.notes);
}
