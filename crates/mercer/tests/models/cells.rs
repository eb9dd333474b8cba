//! Folds on cells.

use mercer::context::Stream;
use mercer::model::svm::{CellParams, SvmParams, Task};
use mercer::prelude::*;
use mercer::select::{Fold, svm_out_of_fold};

const N: usize = 240;

/// Points of a square, with its stripes as classes and a number that varies over it.
fn square() -> (Dense<f64>, Vec<usize>, Vec<f64>) {
    let mut stream = Stream::new(3, "square");
    let data: Vec<f64> = (0..2 * N).map(|_| 4.0 * stream.uniform()).collect();
    let labels = (0..N).map(|i| (data[2 * i] * 0.75) as usize).collect();
    let values = (0..N).map(|i| data[2 * i].sin() + data[2 * i + 1]).collect();
    (Dense::from_vec(data, N, 2).unwrap(), labels, values)
}

#[test]
fn folds_of_one_cell_are_those_of_the_exact_machine() {
    let (ctx, (x, labels, values)) = (Context::new(2), square());
    let fold = |f: usize| Fold {
        train: (0..N).filter(|i| i % 3 != f).collect(),
        test: (0..N).filter(|i| i % 3 == f).collect(),
    };
    let folds: Vec<Fold> = (0..3).map(fold).collect();
    for task in [Task::CSvc, Task::EpsilonSvr] {
        let targets = match task {
            Task::CSvc => Targets::classes(&labels),
            _ => Targets::values(&values),
        };
        let of = |rows: Option<usize>| {
            let mut params = SvmParams::new(task, "rbf(gamma=1)".parse().unwrap());
            (params.c, params.tolerance) = (10.0, 1e-4);
            params.cells = rows.map(CellParams::new);
            svm_out_of_fold(&ctx, &params, &x, &targets, &folds).unwrap()
        };
        for (a, b) in of(None).iter().zip(&of(Some(N))) {
            assert_eq!(a.places, b.places);
            let apart = a.scores.data().iter().zip(b.scores.data()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 5e-3);
        }
        assert!(of(Some(60)).iter().all(|fold| fold.scores.data().iter().all(|v| v.is_finite())));
    }
}
