//! Gradients against central differences of the objectives, and the objectives against naive oracles.

use super::*;
use crate::context::Stream;
use crate::kernel::SpecKernel;
use crate::kernel::{Kernel, Tile};
use crate::model::Targets;
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use crate::points::{Dense, Points, Samples as Set, Span};

const OBJECTIVES: [Objective; 3] =
    [Objective::LeaveOneOut, Objective::Evidence, Objective::Alignment];

fn samples(n: usize, d: usize) -> (Dense<f64>, Mat<f64>) {
    let mut stream = Stream::new(1, "optimise");
    let x =
        Dense::from_rows(&(0..n * d).map(|_| stream.normal()).collect::<Vec<_>>(), n, d).unwrap();
    let y = Mat::from_fn(n, 1, |i, _| {
        let row = x.row(i);
        (2.0 * row[0]).sin() + 0.3 * row[1] + 0.1 * (i as f64 * 7.0).sin()
    });
    (x, y)
}

fn kernel_matrix(spec: &KernelSpec, x: &Set<f64>) -> Mat<f64> {
    let (n, kernel) = (x.len(), SpecKernel::<f64>::new(spec).unwrap());
    let mut out = Mat::zeros(n, n);
    kernel.tile(Span::all(x), Span::all(x), Tile::new(out.data_mut(), n, n, n)).unwrap();
    out
}

#[test]
fn gradients_are_limits_of_differences() {
    let (x, one) = samples(40, 3);
    let x: AnySamples = x.into();
    let two = Mat::from_fn(40, 2, |i, j| if j == 0 { one[(i, 0)] } else { (i as f64).cos() });
    let weights: Vec<f64> = (0..40).map(|i| 0.5 + f64::from(i % 4)).collect();
    let kernel: KernelSpec = "2*rbf(sigma=[1, 2, 3]) + 0.5*linear".parse().unwrap();
    for (objective, intercept, weighted) in OBJECTIVES.iter().flat_map(|&objective| {
        [(false, false), (true, true), (true, false)].map(|(i, w)| (objective, i, w))
    }) {
        let weights = (weighted && objective != Objective::Alignment).then_some(&weights[..]);
        let samples = Samples { x: &x, targets: &two, weights };
        let params = OptimizeParams::new(objective);
        let ctx = Context::new(2);
        let at = |kernel: &KernelSpec, alpha: f64| {
            evaluate(&ctx, &params, kernel, alpha, intercept, samples).unwrap()
        };
        let (_, gradient) = at(&kernel, 0.3);
        let size = objective == Objective::Evidence;
        let all = kernel.hyperparameters(size);
        let step = 1e-5_f64;
        for (p, found) in gradient.iter().enumerate() {
            let moved = |to: f64| {
                let mut values: Vec<f64> = all.iter().map(|parameter| parameter.value).collect();
                let mut alpha = 0.3;
                *values.get_mut(p).unwrap_or(&mut alpha) *= to.exp();
                at(&kernel.with_hyperparameters(size, &values), alpha).0
            };
            let want = (moved(step) - moved(-step)) / (2.0 * step);
            assert!(
                (found - want).abs() < 1e-6 * want.abs().max(1.0),
                "{objective:?} {p}: {found} {want}"
            );
        }
    }
}

#[test]
fn the_leave_one_out_error_is_that_of_refitting() {
    let (x, y) = samples(25, 2);
    let kernel: KernelSpec = "rbf(sigma=1.3)".parse().unwrap();
    for intercept in [false, true] {
        let params =
            KernelRidgeParams { intercept, ..KernelRidge::params(kernel.clone()).alpha(0.2) };
        let mut error = 0.0;
        for i in 0..25 {
            let others: Vec<usize> = (0..25).filter(|&j| j != i).collect();
            let targets = Mat::from_fn(24, 1, |r, _| y[(others[r], 0)]);
            let model = params.fit(&x.select(&others), &Targets::matrix(targets)).unwrap();
            let found = model.predict(&Context::new(1), &x.select(&[i])).unwrap();
            error += (found[(0, 0)] - y[(i, 0)]).powi(2) / 25.0;
        }
        let samples = Samples { x: &x.clone().into(), targets: &y, weights: None };
        let loo = OptimizeParams::new(Objective::LeaveOneOut);
        let (found, _) =
            evaluate(&Context::new(2), &loo, &kernel, 0.2, intercept, samples).unwrap();
        assert!((found - error).abs() < 1e-9 * error, "{found} {error}");
    }
}

/// ln N(y | 0, K + α) by elimination, and the alignment by its formula with the centring matrix.
#[test]
fn evidence_and_alignment_are_their_formulas() {
    let (x, y) = samples(12, 2);
    let kernel: KernelSpec = "1.5*rbf(sigma=1.3)".parse().unwrap();
    let k = kernel_matrix(&kernel, &Set::from(&x));
    let any: AnySamples = x.into();
    let samples = Samples { x: &any, targets: &y, weights: None };
    let n = 12;
    let mut rows: Vec<Vec<f64>> =
        (0..n)
            .map(|i| {
                (0..=n)
                    .map(|j| {
                        if j == n {
                            y[(i, 0)]
                        } else {
                            k[(i, j)] + f64::from(u8::from(i == j)) * 0.2
                        }
                    })
                    .collect()
            })
            .collect();
    let (mut log_det, mut explained) = (0.0, 0.0);
    for p in 0..n {
        let pivot = rows[p].clone();
        log_det += pivot[p].ln();
        explained += pivot[n] * pivot[n] / pivot[p];
        for row in &mut rows[p + 1..] {
            let share = row[p] / pivot[p];
            row.iter_mut().zip(&pivot).for_each(|(v, by)| *v -= share * by);
        }
    }
    let want = -0.5 * (explained + log_det + n as f64 * std::f64::consts::TAU.ln());
    let ctx = Context::new(1);
    let evidence = OptimizeParams::new(Objective::Evidence);
    let (found, _) = evaluate(&ctx, &evidence, &kernel, 0.2, false, samples).unwrap();
    assert!((found - want).abs() < 1e-10 * want.abs(), "{found} {want}");

    let centre = |m: &dyn Fn(usize, usize) -> f64, i: usize, j: usize| -> f64 {
        let row = |i: usize| (0..n).map(|j| m(i, j)).sum::<f64>() / n as f64;
        m(i, j) - row(i) - row(j) + (0..n).map(row).sum::<f64>() / n as f64
    };
    let of_targets = |i: usize, j: usize| y[(i, 0)] * y[(j, 0)];
    let of_kernel = |i: usize, j: usize| k[(i, j)];
    let sum = |a: &dyn Fn(usize, usize) -> f64, b: &dyn Fn(usize, usize) -> f64| -> f64 {
        (0..n * n).map(|at| centre(a, at / n, at % n) * centre(b, at / n, at % n)).sum()
    };
    let want = sum(&of_kernel, &of_targets)
        / (sum(&of_kernel, &of_kernel) * sum(&of_targets, &of_targets)).sqrt();
    let alignment = OptimizeParams::new(Objective::Alignment);
    let (found, _) = evaluate(&ctx, &alignment, &kernel, 0.2, false, samples).unwrap();
    assert!((found - want).abs() < 1e-12, "{found} {want}");
}

#[test]
fn a_search_finds_what_matters_and_is_the_same_for_any_number_of_threads() {
    let (x, y) = samples(300, 3);
    let x: AnySamples = x.into();
    let samples = Samples { x: &x, targets: &y, weights: None };
    let kernel: KernelSpec = "rbf(sigma=1)".parse().unwrap();
    for objective in OBJECTIVES {
        let mut params = OptimizeParams::new(objective);
        params.per_column = true;
        params.max_evaluations = 40;
        let found = |threads: usize| {
            optimize(&Context::new(threads), &params, &kernel, 0.1, false, samples).unwrap()
        };
        let (one, two) = (found(1), found(2));
        assert_eq!((one.kernel.clone(), one.alpha), (two.kernel, two.alpha));
        let sigma: Vec<f64> = one
            .report
            .parameters
            .iter()
            .filter(|(name, _)| name.contains("sigma"))
            .map(|p| p.1)
            .collect();
        // The third column does not matter.
        assert!(sigma.len() == 3 && sigma[2] > 3.0 * sigma[0], "{objective:?}: {:?}", one.report);
    }
}

#[test]
fn a_bound_is_reported_and_so_is_an_early_end() {
    let (x, y) = samples(60, 2);
    let x: AnySamples = x.into();
    let samples = Samples { x: &x, targets: &y, weights: None };
    let kernel: KernelSpec = "rbf(sigma=0.01)".parse().unwrap();
    let mut params = OptimizeParams::new(Objective::Evidence);
    params.bounds = (0.5, 2.0);
    let ctx = Context::new(2);
    let found = optimize(&ctx, &params, &kernel, 0.1, false, samples).unwrap().report;
    assert!(found.at_bounds.contains(&"rbf.sigma".to_string()), "{found:?}");
    let params = OptimizeParams { max_evaluations: 2, bounds: (1e-5, 1e5), ..params };
    let found = optimize(&ctx, &params, &kernel, 0.1, false, samples).unwrap().report;
    assert!(!found.converged && found.evaluations == 2, "{found:?}");
}

#[test]
fn a_plateau_is_no_optimum() {
    let (x, y) = samples(40, 2);
    let x: AnySamples = x.into();
    let samples = Samples { x: &x, targets: &y, weights: None };
    let params = OptimizeParams::new(Objective::LeaveOneOut);
    let kernel: KernelSpec = "rbf(sigma=1e-4)".parse().unwrap();
    let found = optimize(&Context::new(1), &params, &kernel, 0.1, false, samples).unwrap().report;
    assert!(!found.converged && found.evaluations == 1, "{found:?}");
}

#[test]
fn more_starts_never_come_to_less() {
    let (x, y) = samples(50, 2);
    let x: AnySamples = x.into();
    let samples = Samples { x: &x, targets: &y, weights: None };
    let kernel: KernelSpec = "rbf(sigma=30)".parse().unwrap();
    let value = |restarts: usize| {
        let params = OptimizeParams { restarts, ..OptimizeParams::new(Objective::Evidence) };
        let found = optimize(&Context::new(2), &params, &kernel, 0.1, false, samples).unwrap();
        assert_eq!(found.report.starts.len(), restarts + 1);
        found.report.value
    };
    assert!(value(4) >= value(0));
}

#[test]
fn what_cannot_be_optimised_is_refused_by_name() {
    let (x, y) = samples(20, 2);
    let x: AnySamples = x.into();
    let refused = |kernel: &str, alpha: f64, objective: Objective, weights: Option<&[f64]>| {
        let samples = Samples { x: &x, targets: &y, weights };
        let params = OptimizeParams::new(objective);
        let spec = kernel.parse().unwrap();
        optimize(&Context::new(1), &params, &spec, alpha, false, samples).unwrap_err().to_string()
    };
    let evidence = Objective::Evidence;
    assert!(refused("sigmoid(gamma=1)", 1.0, evidence, None).contains("positive definite"));
    assert!(refused("rbf(gamma=1)", 0.0, evidence, None).contains("alpha"));
    assert!(refused("linear", 1.0, Objective::Alignment, None).contains("no parameters"));
    let weights = [1.0; 20];
    assert!(refused("rbf", 1.0, Objective::Alignment, Some(&weights)).contains("weights"));
    assert!(refused("rbf", f64::NAN, evidence, None).contains("alpha"));
    let budget = Context::new(1).with_budget(10_000);
    let samples = Samples { x: &x, targets: &y, weights: None };
    let params = OptimizeParams::new(evidence);
    let error =
        optimize(&budget, &params, &"rbf".parse().unwrap(), 1.0, false, samples).unwrap_err();
    assert!(matches!(error, crate::Error::Memory { .. }), "{error}");
}
