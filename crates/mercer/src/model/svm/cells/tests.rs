//! Laws of machines on cells.

use super::CellParams;
use crate::context::{Context, Stream};
use crate::linalg::view::Mat;
use crate::model::svm::{Stop, Svm, SvmParams, Task};
use crate::model::targets::Targets;
use crate::points::{AnySamples, Dense, Samples};

/// Points of a square; classes are its stripes, values vary over it.
fn square(n: usize, classes: usize) -> (AnySamples, Vec<usize>, Vec<f64>) {
    let mut stream = Stream::new(3, "square");
    let data: Vec<f64> = (0..2 * n).map(|_| 4.0 * stream.uniform()).collect();
    let labels = (0..n).map(|i| (data[2 * i] * classes as f64 / 4.0) as usize % classes).collect();
    let values = (0..n).map(|i| data[2 * i].sin() + data[2 * i + 1]).collect();
    let rows = Samples::Dense(Dense::from_vec(data, n, 2).unwrap());
    (rows.into(), labels, values)
}

fn targets(task: Task, labels: &[usize], values: &[f64]) -> Targets {
    let names: Vec<String> = labels.iter().map(|label| format!("c{label}")).collect();
    match task {
        Task::CSvc | Task::NuSvc => Targets::classes(&names),
        Task::EpsilonSvr | Task::NuSvr => Targets::values(values),
        Task::OneClass => Targets::unsupervised(),
    }
}

fn params(task: Task, rows: Option<usize>) -> SvmParams {
    let kernel = "rbf(gamma=1)".parse().unwrap();
    let cells = rows.map(CellParams::new);
    SvmParams { cells, nu: 0.2, c: 10.0, tolerance: 1e-4, ..SvmParams::new(task, kernel) }
}

const TASKS: [Task; 4] = [Task::CSvc, Task::EpsilonSvr, Task::NuSvr, Task::OneClass];

fn largest(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn one_cell_is_the_exact_machine() {
    let ctx = Context::new(2);
    for task in TASKS {
        for classes in [2, 3] {
            let (x, labels, values) = square(200, classes);
            let targets = targets(task, &labels, &values);
            let fit = |rows| Svm::fit(&ctx, &params(task, rows), &x, &targets, None).unwrap();
            let (exact, one) = (fit(None), fit(Some(200)));
            let decide = |model: &Svm| model.decisions(&ctx, &x).unwrap();
            assert_eq!(largest(&decide(&exact), &decide(&one)), 0.0, "{task:?}");
            assert_eq!((one.support, one.counts), (exact.support, exact.counts));
        }
    }
}

#[test]
fn cells_decide_nearly_as_one_machine() {
    let (ctx, new) = (Context::new(2), square(500, 2).0);
    for classes in [2, 3] {
        let (x, labels, values) = square(3000, classes);
        let classes_of = targets(Task::CSvc, &labels, &values);
        let fit = |rows| Svm::fit(&ctx, &params(Task::CSvc, rows), &x, &classes_of, None).unwrap();
        let (exact, cells) = (fit(None), fit(Some(400)));
        assert!(
            cells.report.converged
                && cells.anchors.as_ref().unwrap().n() >= cells.support.len() + 8
        );
        let (a, b) = (exact.labels(&ctx, &new).unwrap(), cells.labels(&ctx, &new).unwrap());
        let same = a.iter().zip(&b).filter(|(a, b)| a == b).count();
        assert!(same >= 490, "{same} of 500");
    }
    let (x, labels, values) = square(3000, 2);
    let numbers = targets(Task::EpsilonSvr, &labels, &values);
    let fit = |rows| Svm::fit(&ctx, &params(Task::EpsilonSvr, rows), &x, &numbers, None).unwrap();
    let (a, b) = (fit(None), fit(Some(400)));
    let apart = largest(&a.decisions(&ctx, &new).unwrap(), &b.decisions(&ctx, &new).unwrap());
    assert!(apart < 0.25, "{apart}");
}

#[test]
fn threads_change_no_bit() {
    let (x, labels, values) = square(1000, 3);
    let targets = targets(Task::CSvc, &labels, &values);
    let of = |threads| {
        let ctx = Context::new(threads);
        let model = Svm::fit(&ctx, &params(Task::CSvc, Some(150)), &x, &targets, None).unwrap();
        (model.decisions(&ctx, &x).unwrap(), model.support, model.offset)
    };
    assert_eq!(of(1), of(2));
}

#[test]
fn a_cell_of_one_class_predicts_it() {
    let ctx = Context::new(2);
    // Two clouds far apart, each with one class; in the second, a third class beside.
    let mut stream = Stream::new(1, "clouds");
    let data: Vec<f64> = (0..200)
        .flat_map(|i| {
            let x = if i < 100 { 0.0 } else { 100.0 } + stream.uniform();
            [x, stream.uniform()]
        })
        .collect();
    let labels: Vec<usize> =
        (0..200).map(|i| if i < 100 { 0 } else { 1 + usize::from(data[2 * i] > 100.5) }).collect();
    let x = AnySamples::from(Samples::Dense(Dense::from_vec(data, 200, 2).unwrap()));
    let names: Vec<String> = labels.iter().map(|label| format!("c{label}")).collect();
    let cells = CellParams { overlap: 0.0, ..CellParams::new(100) };
    let params = SvmParams { cells: Some(cells), ..params(Task::CSvc, None) };
    let model = Svm::fit(&ctx, &params, &x, &Targets::classes(&names), None).unwrap();
    let found = model.labels(&ctx, &x).unwrap();
    let wrong = found.iter().zip(&names).filter(|(a, b)| *a != b).count();
    assert!(wrong <= 4, "{wrong}");
    assert!(found[..100].iter().all(|label| *label == "c0"));
    let problems = &model.report.machine.as_ref().unwrap().problems;
    assert!(problems.iter().all(|problem| problem.stop == Stop::Converged));
}

#[test]
fn equal_samples_stay_together() {
    let ctx = Context::new(2);
    let data: Vec<f64> = (0..3001).flat_map(|i| [f64::from(u8::from(i == 0)), 0.0]).collect();
    let x = AnySamples::from(Samples::Dense(Dense::from_vec(data, 3001, 2).unwrap()));
    let labels: Vec<usize> = (0..3001).map(|i| usize::from(i % 5 == 0)).collect();
    let values = vec![0.0; 3001];
    let targets = targets(Task::CSvc, &labels, &values);
    let model = Svm::fit(&ctx, &params(Task::CSvc, Some(20)), &x, &targets, None).unwrap();
    assert!(model.report.converged);
    assert_eq!(model.labels(&ctx, &x.select(&[1, 2])).unwrap(), ["c0", "c0"]);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let ctx = Context::new(1);
    let (x, labels, values) = square(100, 2);
    let refused = |params: SvmParams| {
        let targets = targets(params.task, &labels, &values);
        Svm::fit(&ctx, &params, &x, &targets, None).err().map(|error| error.to_string()).unwrap()
    };
    assert!(refused(params(Task::CSvc, Some(3))).contains("at least 10"));
    assert!(refused(params(Task::NuSvc, Some(50))).contains("use C"));
    let both = SvmParams { landmarks: Some(20.into()), ..params(Task::CSvc, Some(50)) };
    assert!(refused(both).contains("choose one"));
}
