//! A prediction does not depend on the batch it is made in, on the number of threads, or on predictions made before.

use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::svm::{Svm, SvmParams, Task};
use mercer::{Context, Dense, KernelSpec};
use mercer::{Labels, Target, Targets};

use crate::naive::{dense, normal};

/// Samples that models are fitted on, and new ones: enough that 200 of them are shared between threads.
const N: usize = 700;
const M: usize = 600;
const D: usize = 3;

fn new_rows(from: usize, count: usize, shift: f64) -> Dense<f64> {
    let rows: Vec<f64> = normal(M, D, 2).iter().map(|v| v + shift).collect();
    dense(&rows[from * D..(from + count) * D], count, D)
}

/// Compares batches of all sizes with all rows at once, on a model that has predicted before and on a fresh clone.
fn check<M2: Clone>(
    model: &M2,
    shift: f64,
    predict: impl Fn(&M2, &Context, &Dense<f64>) -> Mat<f64>,
) {
    let all = predict(model, &Context::new(1), &new_rows(0, M, shift));
    for threads in [1, 4] {
        let ctx = Context::new(threads);
        for (count, model) in
            [(1, model), (7, model), (48, model), (200, &model.clone()), (256, model)]
        {
            for from in [0, M - count] {
                let found = predict(model, &ctx, &new_rows(from, count, shift));
                for i in 0..count {
                    assert_eq!(
                        found.row(i),
                        all.row(from + i),
                        "{count} rows from {from}, row {i}"
                    );
                }
            }
        }
    }
}

fn kernel() -> KernelSpec {
    "rbf(gamma=0.4)".parse().unwrap()
}

#[test]
fn kernel_pca() {
    let x: Dense<f64> = dense(&normal(N, D, 1), N, D);
    let params = KernelPcaParams::new(kernel()).components(Components::Count(5));
    let model = KernelPca::fit(&Context::new(2), &params, &x).unwrap();
    check(&model, 0.0, |model, ctx, x| model.transform(ctx, x).unwrap());
}

#[test]
fn kernel_ridge_also_far_from_the_origin() {
    for (text, shift) in [("rbf(gamma=0.4)", 0.0), ("poly(degree=2)", 1e4)] {
        let rows: Vec<f64> = normal(N, D, 1).iter().map(|v| v + shift).collect();
        let x: Dense<f64> = dense(&rows, N, D);
        let y = Mat::from_fn(N, 1, |i, _| (x.row(i)[0] - shift).sin());
        let params = KernelRidgeParams::new(text.parse().unwrap()).intercept(true);
        let targets = &Targets::matrix(y.clone());
        let model = KernelRidge::fit(&Context::new(2), &params, &x, targets, None).unwrap();
        check(&model, shift, |model, ctx, x| model.predict(ctx, x).unwrap());
    }
}

#[test]
fn machines_of_several_classes_also_far_from_the_origin() {
    let classes: Vec<String> = (0..4).map(|c| c.to_string()).collect();
    for (text, shift) in [("rbf(gamma=0.4)", 0.0), ("linear", 1e4)] {
        let rows: Vec<f64> = normal(N, D, 1).iter().map(|v| v + shift).collect();
        let x: Dense<f64> = dense(&rows, N, D);
        let places: Vec<usize> = (0..N).map(|i| i % 4).collect();
        let target = Target::Classes {
            labels: Labels { names: classes.to_vec(), places: places.to_vec() },
            weights: None,
        };
        let params = SvmParams::new(Task::CSvc, text.parse().unwrap());
        let supervision = &Targets { target, weights: None };
        let model = Svm::fit(&Context::new(2), &params, &x, supervision, None).unwrap();
        assert!(200 * model.support.len() > 1 << 16, "{} support vectors", model.support.len());
        check(&model, shift, |model, ctx, x| model.decisions(ctx, x).unwrap());
    }
}
