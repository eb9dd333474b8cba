//! Support vector machines in files.

use std::path::Path;

use serde_json::json;

use super::super::{Dtype, Model, ModelFile, from_bytes, to_bytes};
use super::hostile::{Parts, check, set, start};
use super::{D, N, data, points};
use crate::linalg::view::Mat;
use crate::model::svm::{Calibration, Curve, ProblemReport, Stop, Svm, SvmParams, SvmReport, Task};
use crate::model::{Prepared, Report};
use crate::points::{Dense, Points};
use crate::real::Real;

/// Three classes, five support vectors, everything that a file can hold.
fn classifier<T: Real>() -> Svm {
    let support = vec![0, 7, 2, 3, 8];
    let steps = Curve::Steps { at: vec![-1.5, 0.0, 0.1], value: vec![0.25, 0.5, 0.875] };
    let curves =
        vec![Curve::Slopes { below: 0.1, above: 3.0 }, steps, Curve::Platt { a: -1.25, b: 0.5 }];
    let problem = |i: u64| ProblemReport {
        iterations: i << 40,
        objective: -0.1 * i as f64,
        gap: if i == 1 { None } else { Some(1e-300) },
        violation: 1e-3 / 3.0,
        rounding: if i == 2 { None } else { Some(1e-9 / 3.0) },
        rows: 1 << 33,
        certified_rows: 6 + i as usize,
        precision: ["f32", "f64", ""][i as usize].into(),
        support: 5,
        bounded: 2,
        stop: [Stop::Stalled, Stop::Time, Stop::Interrupted][i as usize],
    };
    let machine = SvmReport {
        choice: None,
        problems: (0..3).map(problem).collect(),
        precision: "f64".into(),
        tube: None,
        columns_used: u64::MAX,
        cache_hits: 3,
    };
    let params = SvmParams {
        c: f64::INFINITY,
        nu: 0.1,
        cache: Some(1 << 40),
        max_iterations: Some(u64::MAX),
        max_seconds: Some(0.1),
        ..SvmParams::new(Task::CSvc, "rbf(gamma=0.3)".parse().unwrap())
    };
    Svm {
        params,
        anchors: Some(points::<T>().select(&support).into()),
        dtype: Dtype::of::<T>(),
        computed_in: Dtype::F64,
        support,
        trained_on: N,
        counts: vec![2, 1, 2],
        landmarks: None,
        cells: None,
        coef: Mat::from_fn(2, 5, |i, j| ((i * 5 + j) as f64).sin() / 3.0),
        offset: vec![0.1, -0.2, 1e-300],
        classes: Some(["a", "größe", ""].map(String::from).to_vec()),
        class_weights: Some(vec![1.0, 2.5, 0.1]),
        calibration: Some(Calibration { curves, folds: 5 }),
        prepared: Prepared::default(),
        report: Report { machine: Some(machine), ..Report::default() },
    }
}

/// A regression on a kernel matrix that the user computed.
fn regression() -> Svm {
    Svm {
        params: SvmParams::new(Task::NuSvr, "linear".parse().unwrap()),
        support: vec![3, 1],
        anchors: None,
        dtype: Dtype::F64,
        computed_in: Dtype::F64,
        trained_on: 4,
        counts: vec![2],
        landmarks: None,
        cells: None,
        coef: Mat::from_vec(vec![0.5, -0.5], 1, 2),
        offset: vec![2.0],
        classes: None,
        class_weights: None,
        calibration: None,
        prepared: Prepared::default(),
        report: Report {
            machine: Some(SvmReport {
                choice: None,
                tube: Some(0.1 / 3.0),
                ..SvmReport::default()
            }),
            ..Report::default()
        },
    }
}

/// A regression that is the same everywhere needs no support vectors.
fn constant() -> Svm {
    Svm {
        support: vec![],
        anchors: Some(Dense::<f64>::empty(D).into()),
        counts: vec![0],
        landmarks: None,
        cells: None,
        coef: Mat::zeros(1, 0),
        ..regression()
    }
}

fn saved(model: Svm) -> ModelFile {
    ModelFile::new(Model::Svm(model), Dtype::F64)
}

pub fn all() -> Vec<ModelFile> {
    let narrow = ModelFile::new(Model::Svm(classifier::<f32>()), Dtype::F32);
    vec![saved(classifier::<f64>()), narrow, saved(regression()), saved(constant())]
}

fn again(model: ModelFile) -> ModelFile {
    from_bytes(Path::new("again"), &to_bytes(&model).unwrap()).unwrap()
}

/// All that a machine holds, to the last bit.
fn report_text(model: &Svm) -> String {
    let anchors = (model.dtype, model.computed_in, data(model.anchors.as_ref()));
    format!(
        "{:?}\n{:?}\n{anchors:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        model.params,
        (&model.support, model.trained_on),
        model.counts,
        model.coef,
        model.offset,
        model.classes,
        model.class_weights,
        model.calibration,
        model.report,
    )
}

#[test]
fn machines_give_the_same_bits() {
    for model in [classifier::<f64>(), regression(), constant()] {
        let Model::Svm(read) = again(saved(model.clone())).model else { panic!("another kind") };
        assert_eq!(report_text(&read), report_text(&model));
    }
    let model = classifier::<f32>();
    let read = again(ModelFile::new(Model::Svm(model.clone()), Dtype::F32));
    assert_eq!((read.model.inputs(), read.model.n(), read.model.k()), (D, N, 3));
    let Model::Svm(read) = read.model else { panic!("another kind") };
    assert_eq!(report_text(&read), report_text(&model));
    assert_eq!(saved(regression()).model.inputs(), 4);
}

#[test]
fn many_classes_have_room() {
    let classes = 400;
    let problems = classes * (classes - 1) / 2;
    let one = classifier::<f64>();
    let report = one.report.machine.as_ref().unwrap().problems[0].clone();
    let machine = SvmReport { problems: vec![report; problems], ..SvmReport::default() };
    let curves = vec![Curve::Slopes { below: 0.1, above: 3.0 }; problems];
    let mut counts = vec![0; classes];
    counts[7] = 5;
    let model = Svm {
        counts,
        landmarks: None,
        cells: None,
        coef: Mat::zeros(classes - 1, 5),
        offset: vec![0.25; problems],
        classes: Some((0..classes).map(|class| class.to_string()).collect()),
        class_weights: None,
        calibration: Some(Calibration { curves, folds: 5 }),
        prepared: Prepared::default(),
        report: Report { machine: Some(machine), ..Report::default() },
        ..one
    };
    let Model::Svm(read) = again(saved(model.clone())).model else { panic!("another kind") };
    assert!(report_text(&read) == report_text(&model));
}

#[test]
fn machines_that_do_not_fit_together_are_not_written() {
    let check = |change: fn(&mut Svm), part: &str| {
        let mut model = classifier::<f64>();
        change(&mut model);
        let message = to_bytes(&saved(model)).unwrap_err().to_string();
        assert!(message.contains("cannot be saved") && message.contains(part), "{message}");
    };
    check(|m| m.support[4] = N, "sample 9 (zero-based) is a support vector");
    check(|m| m.counts[0] = 3, "do not add up");
    check(|m| m.counts = vec![5], "1 counts of support vectors, expected 3");
    check(|m| m.counts[0] = usize::MAX, "do not add up");
    check(|m| m.coef = Mat::zeros(3, 5), "3 × 5, expected 2 × 5");
    check(|m| m.coef[(1, 1)] = f64::NAN, "coefficients is NaN");
    check(|m| m.offset[2] = f64::INFINITY, "offsets is inf");
    check(|m| m.offset.truncate(2), "2 offsets, expected 3");
    check(|m| m.classes = None, "classes of a model of task c_svc are missing");
    check(|m| m.params.task = Task::OneClass, "task one_class has no classes");
    check(|m| m.classes.as_mut().unwrap().truncate(1), "1 classes are too few");
    check(|m| m.class_weights = Some(vec![1.0]), "1 class weights, expected 3");
    check(|m| m.class_weights.as_mut().unwrap()[1] = -1.0, "negative or not finite");
    check(|m| m.params.c = f64::NEG_INFINITY, "parameters is -inf");
    check(|m| m.params.nu = f64::INFINITY, "parameters is inf");
    check(|m| m.params.kernel = "rbf(gamma=scale)".parse().unwrap(), "depends on the data");
    check(|m| m.anchors = Some(points::<f64>().into()), "9 support vectors, expected 5");
    check(|m| m.calibration.as_mut().unwrap().curves.truncate(2), "2 curves of the calibration");
    check(
        |m| m.calibration.as_mut().unwrap().curves[1] = Curve::Slopes { below: -1.0, above: 1.0 },
        "curve 1 of the calibration is invalid: its slopes are not positive",
    );
    check(|m| m.report.machine.as_mut().unwrap().problems.truncate(2), "2 reports of problems");
}

#[test]
fn hostile_machines_are_refused() {
    let file = to_bytes(&saved(classifier::<f64>())).unwrap();
    check(&file, set("/params/task", json!("nu_svc2")), "parameters cannot be read");
    check(&file, set("/params/task", json!("one_class")), "task one_class has no classes");
    check(&file, set("/params/c", json!(null)), "parameters cannot be read");
    check(&file, set("/params/kernel", json!("rbf(gamma=scale)")), "depends on the data");
    check(&file, set("/classes", json!(["a", "b"])), "'counts'");
    check(&file, set("/classes", json!([])), "'counts'");
    check(&file, set("/n", json!(8)), "is a support vector, but there were 8");
    check(&file, set("/k", json!(u64::MAX)), "its tensor 'offset'");
    check(&file, set("/d", json!(null)), "\"anchors\" that does not belong there");
    check(&file, set("/d", json!(u64::MAX)), "its tensor 'anchors'");
    check(&file, set("/calibration", json!(null)), "that does not belong there");
    check(&file, set("/calibration", json!({})), "cannot be read");
    check(&file, set("/report/machine", json!(null)), "that does not belong there");
    let empty = to_bytes(&saved(constant())).unwrap();
    check(&empty, set("/d", json!(0)), "its tensor 'anchors'");
}

#[test]
fn hostile_numbers_of_machines_are_refused() {
    let file = to_bytes(&saved(classifier::<f64>())).unwrap();
    let put = |name: &'static str, place: usize, bits: u64| {
        move |parts: &mut Parts| {
            let at = start(parts, name) + 8 * place;
            parts.data[at..at + 8].copy_from_slice(&bits.to_le_bytes());
        }
    };
    let number = |value: f64| value.to_bits();
    check(&file, put("support", 0, u64::MAX), "is a support vector, but there were 9");
    check(&file, put("counts", 1, u64::MAX), "do not add up");
    check(&file, put("coef", 3, number(f64::NAN)), "'coef' is not finite");
    check(&file, put("offset", 1, number(f64::INFINITY)), "'offset' is not finite");
    check(&file, put("class_weights", 0, number(-2.0)), "negative or not finite");
    check(&file, put("curves.kind", 0, 3), "a curve of unknown kind");
    check(&file, put("curves.kind", 1, 0), "a curve of unknown kind");
    check(&file, put("curves.ends", 0, u64::MAX), "ends out of order");
    check(&file, put("curves.ends", 1, 0), "ends out of order");
    check(&file, put("curves.ends", 2, 8), "of unknown kind");
    check(&file, put("curves.numbers", 0, number(-1.0)), "slopes are not positive");
    check(&file, put("curves.numbers", 2, number(0.05)), "decisions are not ascending");
    check(&file, put("curves.numbers", 6, number(0.4)), "not below 1/2 left of 0");
    check(&file, put("curves.numbers", 7, number(0.3)), "probabilities decrease");
    check(&file, put("curves.numbers", 0, number(f64::NAN)), "'curves.numbers' is not finite");
    check(&file, put("problems.counts", 3, 6), "stopped for an unknown reason");
}
