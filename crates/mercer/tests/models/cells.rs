//! Folds on cells, and cells that choose kernel and C for themselves.

use mercer::context::Stream;
use mercer::io::{Model, ModelFile, from_bytes, to_bytes};
use mercer::model::svm::{CellParams, Svm, SvmParams, Task};
use mercer::prelude::*;
use mercer::select::{Fold, SvmSearch, SvmSearchParams, svm_out_of_fold, svm_search};

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

/// A search over three folds, by cells of at most so many rows or on all rows.
fn search(
    x: &Dense<f64>,
    targets: &Targets,
    rows: Option<usize>,
    kernels: &[&str],
) -> SvmSearchParams {
    let task = if targets.class_labels().is_some() { Task::CSvc } else { Task::EpsilonSvr };
    let mut model = SvmParams::new(task, "rbf(gamma=1)".parse().unwrap());
    model.tolerance = 1e-4;
    model.cells = rows.map(CellParams::new);
    let fold = |f: usize| Fold {
        train: (0..x.n()).filter(|i| i % 3 != f).collect(),
        test: (0..x.n()).filter(|i| i % 3 == f).collect(),
    };
    SvmSearchParams {
        model,
        kernels: kernels.iter().map(|text| text.parse().unwrap()).collect(),
        cs: vec![10.0, 0.5],
        folds: (0..3).map(fold).collect(),
        per_cell: rows.is_some(),
    }
}

fn run(threads: usize, params: &SvmSearchParams, x: &Dense<f64>, targets: &Targets) -> SvmSearch {
    svm_search(&Context::new(threads), params, x, targets).unwrap()
}

const KERNELS: [&str; 2] = ["rbf(gamma=0.2)", "rbf(gamma=2)"];

#[test]
fn one_cell_chooses_as_a_search_on_all_rows() {
    let (x, labels, values) = square();
    for targets in [Targets::classes(&labels), Targets::values(&values)] {
        let of = |rows| run(2, &search(&x, &targets, rows, &KERNELS), &x, &targets);
        let (all, one) = (of(None), of(Some(N)));
        for (a, b) in all.scores.iter().zip(&one.scores) {
            assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
            let apart = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-12);
        }
        assert_eq!(all.chosen, one.chosen);
        assert_eq!(one.cells.unwrap().chosen, [Some(one.chosen)]);
        let ctx = Context::new(1);
        let decide = |model: &Svm| model.decisions(&ctx, &x).unwrap();
        let (a, b) = (decide(&all.model), decide(&one.model));
        let apart = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs());
        assert!(apart.fold(0.0, f64::max) < 1e-3);
    }
}

/// Two clouds: in the left one classes alternate in narrow stripes, in the right one in wide ones, with errors.
fn two_scales() -> (Dense<f64>, Vec<usize>) {
    let mut stream = Stream::new(5, "two scales");
    let (mut data, mut labels) = (Vec::new(), Vec::new());
    for i in 0..600 {
        let (u, v) = (stream.uniform(), stream.uniform());
        let is_left = i % 2 == 0;
        data.extend([
            if is_left { u } else { 100.0 + 40.0 * u },
            if is_left { v } else { 40.0 * v },
        ]);
        let stripe = (if is_left { 8.0 * u } else { 3.0 * u }) as usize % 2;
        labels.push(if !is_left && stream.uniform() < 0.15 { 1 - stripe } else { stripe });
    }
    (Dense::from_vec(data, 600, 2).unwrap(), labels)
}

#[test]
fn cells_choose_for_themselves_and_files_hold_it() {
    let (x, labels) = two_scales();
    let targets = Targets::classes(&labels);
    let params = search(&x, &targets, Some(150), &["rbf"]);
    let found = run(2, &params, &x, &targets);
    let cells = found.cells.as_ref().unwrap();
    let state = found.model.cells.as_ref().unwrap();
    assert_eq!(state.own.len(), cells.chosen.len());
    let gamma = |choice: usize| {
        found.model.params.cells.as_ref().unwrap().kernels[choice]
            .as_leaf()
            .unwrap()
            .optional("gamma")
            .unwrap()
    };
    let widths: Vec<f64> = state.own.iter().map(|own| gamma(own.kernel)).collect();
    let (least, most) = (
        widths.iter().copied().fold(f64::MAX, f64::min),
        widths.iter().copied().fold(0.0, f64::max),
    );
    assert!(most > 100.0 * least, "{widths:?}");
    let mean = |folds: &[f64]| folds.iter().sum::<f64>() / folds.len() as f64;
    let shared = mean(found.scores[found.chosen.0].row(found.chosen.1));
    assert!(mean(&cells.scores) > shared - 0.02, "{:?} {shared}", cells.scores);
    // Each cell is the machine of its rows with its choice; files and threads change nothing.
    let one = run(1, &params, &x, &targets);
    let ctx = Context::new(2);
    let decide = |model: &Svm| model.decisions(&ctx, &x).unwrap();
    assert_eq!(decide(&one.model), decide(&found.model));
    assert_eq!(one.cells.unwrap().chosen, cells.chosen);
    let bytes = to_bytes(&ModelFile::new(Model::Svm(found.model.clone()), Dtype::F64)).unwrap();
    let read = from_bytes(std::path::Path::new("cells"), &bytes).unwrap();
    let Model::Svm(again) = read.model else { panic!("another model") };
    assert_eq!(decide(&again), decide(&found.model));
    assert_eq!((&again.params, &again.cells), (&found.model.params, &found.model.cells));
}

#[test]
fn cells_of_one_class_have_nothing_to_choose() {
    let mut stream = Stream::new(1, "clouds");
    let data: Vec<f64> = (0..200)
        .flat_map(|i| [if i < 100 { 0.0 } else { 100.0 } + stream.uniform(), stream.uniform()])
        .collect();
    let x = Dense::from_vec(data, 200, 2).unwrap();
    let labels: Vec<usize> = (0..200).map(|i| usize::from(i >= 150)).collect();
    let targets = Targets::classes(&labels);
    let mut params = search(&x, &targets, Some(100), &["rbf"]);
    params.model.cells.as_mut().unwrap().overlap = 0.0;
    let found = run(2, &params, &x, &targets);
    let cells = found.cells.unwrap();
    assert!(cells.chosen.iter().any(Option::is_none) && cells.chosen.iter().any(Option::is_some));
    assert!(found.model.report.reason.contains("samples of a single class"));
}

#[test]
fn what_cells_cannot_choose_is_refused() {
    let (x, labels, _) = square();
    let targets = Targets::classes(&labels);
    let mut params = search(&x, &targets, Some(60), &["rbf"]);
    params.model.cells = None;
    let refused = |params: &SvmSearchParams| {
        svm_search(&Context::new(1), params, &x, &targets)
            .err()
            .map(|error| error.to_string())
            .unwrap()
    };
    assert!(refused(&params).contains("cells"));
}
