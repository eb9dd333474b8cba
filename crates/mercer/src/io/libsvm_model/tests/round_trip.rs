//! What is written is read back to the last bit, and what cannot be written is refused or noted.

use std::path::Path;

use super::super::{read_libsvm_model, write_libsvm_model};
use super::{ALL, ONE_CLASS, PRECOMPUTED, REGRESSION, THREE, TWO, numbers, read, written};
use crate::io::{Model, from_bytes, load};
use crate::linalg::view::Mat;
use crate::model::svm::{Calibration, Curve, Svm, Task};
use crate::points::{Dense, Dtype};

fn report_text(model: &Svm) -> String {
    let anchors = model.anchors.as_ref().map(numbers);
    format!(
        "{:?} {:?} {anchors:?} {:?} {:?} {:?} {:?} {:?}",
        model.params,
        (&model.support, model.trained_on),
        model.counts,
        model.coef,
        model.offset,
        model.classes,
        model.calibration,
    )
}

#[test]
fn machines_survive() {
    for text in ALL {
        let model = read(text);
        let again = written(&model);
        assert_eq!(report_text(&read(&again)), report_text(&model), "{text}\nbecame\n{again}");
        assert_eq!(written(&read(&again)), again);
    }
}

#[test]
fn a_model_in_ascending_order_is_written_as_it_was() {
    let regression = REGRESSION.replace("probA 0.125\n", "");
    let one_class = ONE_CLASS.replace("prob_density_marks 1 2 3 4 5 6 7 8 9 10\n", "");
    for text in [PRECOMPUTED, &regression, &one_class] {
        let trimmed: Vec<String> =
            written(&read(text)).lines().map(|line| line.trim_end().to_owned()).collect();
        assert_eq!(trimmed.join("\n") + "\n", text);
    }
}

#[test]
fn regressions_and_densities_lose_what_we_do_not_have() {
    let model = read(REGRESSION);
    assert_eq!((model.params.task, &model.offset[..]), (Task::EpsilonSvr, &[-0.5][..]));
    assert_eq!(model.params.kernel.to_string(), "sigmoid(gamma=0.25, coef0=-1)");
    assert!(model.calibration.is_none() && model.classes.is_none());
    assert!(model.report.notes[0].contains("probA"), "{:?}", model.report.notes);
    let model = read(ONE_CLASS);
    assert!(model.report.notes[0].contains("prob_density_marks"), "{:?}", model.report.notes);
    assert!(read(THREE).report.notes.is_empty());
}

#[test]
fn extreme_numbers_survive() {
    let mut model = read(THREE);
    let extreme = [0.1, 1.0 / 3.0, 1e-300, -5e-324, 1e150, 2f64.powi(60) + 4096.0];
    model.coef = Mat::from_fn(2, 6, |i, j| extreme[(i + j) % 6]);
    model.offset = vec![f64::MAX, -1e-17, -0.1];
    let data = (0..18).map(|i| extreme[i % 6] * 3.0).collect();
    model.anchors = Some(Dense::from_vec(data, 6, 3).unwrap().into());
    assert_eq!(report_text(&read(&written(&model))), report_text(&model));
}

#[test]
fn features_that_are_all_zero_are_counted() {
    let mut model = read(THREE);
    let wide = |j: usize| if j % 5 == 1 { j as f64 } else { 0.0 };
    model.anchors = Some(Dense::from_vec((0..30).map(wide).collect(), 6, 5).unwrap().into());
    assert_eq!(report_text(&read(&written(&model))), report_text(&model));
}

#[test]
fn single_precision_is_written_exactly() {
    let wide = read(TWO);
    let x = wide.anchors.as_ref().unwrap().to_type::<f32>().unwrap();
    let model = Svm {
        anchors: Some(x.into()),
        dtype: Dtype::F32,
        class_weights: None,
        calibration: None,
        ..wide
    };
    let data = |text: &str| numbers(&read(text).anchors.unwrap());
    assert_eq!(data(&written(&model)), data(TWO));
}

#[test]
fn kernels_of_the_same_form_are_written() {
    for (kernel, lines) in [
        ("linear", "kernel_type linear\nnr_class"),
        ("rbf(sigma=2)", "kernel_type rbf\ngamma 0.125\nnr_class"),
        ("rbf(width=2)", "kernel_type rbf\ngamma 0.25\nnr_class"),
        (
            "poly(degree=2, gamma=0.5, coef0=0)",
            "polynomial\ndegree 2\ngamma 0.5\ncoef0 0\nnr_class",
        ),
        ("sigmoid(gamma=1e-7, coef0=-2)", "sigmoid\ngamma 1e-7\ncoef0 -2\nnr_class"),
    ] {
        let mut model = read(THREE);
        model.params.kernel = kernel.parse().unwrap();
        let text = written(&model);
        assert!(text.contains(lines), "{kernel}: {text}");
        read(&text);
    }
}

fn refused(change: impl Fn(&mut Svm), parts: &[&str]) {
    let mut model = read(THREE);
    change(&mut model);
    let path = std::env::temp_dir().join(format!("mercer-refused-{}", std::process::id()));
    let message = write_libsvm_model(&path, &model).unwrap_err().to_string();
    parts.iter().for_each(|part| assert!(message.contains(part), "no {part:?} in: {message}"));
    assert!(!path.exists());
}

#[test]
fn what_the_format_has_no_words_for_is_refused() {
    let kernels =
        ["laplacian(gamma=1)", "2*rbf(gamma=1)", "linear + rbf(gamma=1)", "matern(length=2)"];
    for kernel in kernels {
        let change = |model: &mut Svm| model.params.kernel = kernel.parse().unwrap();
        refused(change, &["LIBSVM has no kernel", kernel.split('(').next().unwrap(), ".mercer"]);
    }
    for name in ["red", "1.5", "", "4294967296"] {
        let change = |model: &mut Svm| model.classes.as_mut().unwrap()[1] = name.into();
        refused(
            change,
            &["classes:", &format!("{name:?} is not a 32-bit integer"), "integer class labels"],
        );
    }
    let twice = |model: &mut Svm| model.classes = Some(["1", "01", "2"].map(Into::into).into());
    refused(twice, &["same integer"]);
    refused(|model| model.offset[0] = f64::NAN, &["cannot be written", "offsets"]);
}

#[test]
fn a_calibration_with_two_slopes_is_left_out_and_told() {
    let mut model = read(THREE);
    let curves = vec![Curve::Slopes { below: 1.0, above: 2.0 }; 3];
    model.calibration = Some(Calibration { curves, folds: 5 });
    let path = std::env::temp_dir().join(format!("mercer-slopes-{}", std::process::id()));
    let notes = write_libsvm_model(&path, &model).unwrap();
    let read = read_libsvm_model(&path).unwrap();
    // The same file opens where a model of ours is expected.
    let loaded = load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(notes.len() == 1 && notes[0].contains("calibration was omitted"), "{notes:?}");
    assert!(read.calibration.is_none());
    assert_eq!(loaded.model.estimator(), "svm");
}

#[test]
fn a_loader_of_models_knows_the_text_by_its_first_word() {
    let saved = from_bytes(Path::new("m"), TWO.as_bytes()).unwrap();
    let Model::Svm(model) = saved.model else { panic!("another kind") };
    assert_eq!(report_text(&model), report_text(&read(TWO)));
    let error = from_bytes(Path::new("m"), b"svm_typed\n").unwrap_err().to_string();
    assert!(error.contains("is not a mercer model"), "{error}");
}
