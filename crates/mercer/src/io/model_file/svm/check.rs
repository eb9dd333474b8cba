//! Whether the parts of a support vector machine fit together.

use crate::io::model_file::check::{Checked, count, finite, kernel, shape};
use crate::io::model_file::landmarks;
use crate::model::svm::{Calibration, Svm};

/// Refuses what does not fit together, in the words of what is wrong.
pub fn svm(model: &Svm) -> Checked {
    let of_machine = problems(model)?;
    let problems = of_machine.saturating_mul(cells(model)?);
    support(model)?;
    count("offsets", model.offset.len(), problems)?;
    finite("coefficients", model.coef.data())?;
    finite("offsets", &model.offset)?;
    parameters(model)?;
    if let Some(calibration) = &model.calibration {
        curves(calibration, of_machine)?;
    }
    let reported = model.report.machine.as_ref().map_or(0, |machine| machine.problems.len());
    if reported > 0 {
        let solved = if is_one_vs_rest(model) { model.counts.len() } else { problems };
        count("reports of problems", reported, solved)?;
    }
    on_landmarks(model, problems)?;
    match &model.anchors {
        None => Ok(()),
        Some(anchors) => {
            if model.landmarks.is_none() {
                let centres = if model.cells.is_some() { cells(model)? } else { 0 };
                count("support vectors", anchors.n(), model.support.len().saturating_add(centres))?;
            }
            kernel(&model.params.kernel, model.dtype)?;
            chosen(model)
        }
    }
}

/// How many machines there are.
fn cells(model: &Svm) -> Result<usize, String> {
    let Some(cells) = &model.cells else { return Ok(1) };
    let classes = model.classes.as_ref().map_or(1, Vec::len).max(1);
    let total = cells.counts.iter().try_fold(0_usize, |sum, &count| sum.checked_add(count));
    match cells.counts.len() / classes {
        _ if model.landmarks.is_some() => Err("it has landmarks and cells".into()),
        _ if model.anchors.is_none() => Err("it has cells, but no samples".into()),
        0 => Err("it has no cells".into()),
        count if count * classes != cells.counts.len() || total != Some(model.support.len()) => {
            Err("the counts of support vectors of its cells do not fit".into())
        }
        count => Ok(count),
    }
}

/// The kernel and the C of each cell, where they have some of their own.
fn chosen(model: &Svm) -> Checked {
    let kernels = model.params.cells.as_ref().map_or(&[][..], |cells| &cells.kernels);
    kernels.iter().try_for_each(|spec| kernel(spec, model.dtype))?;
    let own = model.cells.as_ref().map_or(&[][..], |state| &state.own);
    if own.is_empty() {
        return count("kernels of cells", kernels.len(), 0);
    }
    count("choices of cells", own.len(), cells(model)?)?;
    if own.iter().any(|choice| choice.kernel >= kernels.len()) {
        return Err("a cell has a kernel that is not there".into());
    }
    match own.iter().all(|choice| choice.c > 0.0 && choice.c.is_finite()) {
        true => Ok(()),
        false => Err("the C of a cell is not positive".into()),
    }
}

/// A machine on landmarks has coefficients of these for each problem, and dual coefficients beside.
fn on_landmarks(model: &Svm, problems: usize) -> Checked {
    let state = model.landmarks.as_ref().map(|state| &state.landmarks);
    let m = model.coef.cols();
    landmarks::check(state, model.report.landmarks.is_some(), m, 0)?;
    let Some(state) = &model.landmarks else { return Ok(()) };
    shape("coefficients", &model.coef, problems, m)?;
    finite("dual coefficients", state.dual.data())?;
    match &model.anchors {
        Some(anchors) => count("landmarks", anchors.n(), m),
        None => Err("it has coefficients of landmarks, but no landmarks".into()),
    }
}

/// How many problems the machine has. Its task and its classes must agree.
fn problems(model: &Svm) -> Result<usize, String> {
    match (&model.classes, model.params.task.is_classification()) {
        (Some(classes), true) if classes.len() >= 2 => {
            count("counts of support vectors", model.counts.len(), classes.len())?;
            let lines = classes.len() - usize::from(!is_one_vs_rest(model));
            shape("coefficients", model.dual_coef(), lines, model.support.len())?;
            if let Some(weights) = &model.class_weights {
                count("class weights", weights.len(), classes.len())?;
            }
            Ok(classes.len() * (classes.len() - 1) / 2)
        }
        (Some(classes), true) => {
            Err(format!("{} classes are too few for a classifier", classes.len()))
        }
        (None, false) => {
            count("counts of support vectors", model.counts.len(), 1)?;
            shape("coefficients", model.dual_coef(), 1, model.support.len())?;
            match (&model.class_weights, &model.calibration) {
                (None, None) => Ok(1),
                _ => Err("it has class weights or probabilities, but no classes".into()),
            }
        }
        (Some(_), false) => Err(format!("a model of task {} has no classes", task(model))),
        (None, true) => Err(format!("the classes of a model of task {} are missing", task(model))),
    }
}

/// Whether each of more than two classes was told from all others.
fn is_one_vs_rest(model: &Svm) -> bool {
    model.landmarks.is_some() && model.params.one_vs_rest && model.counts.len() > 2
}

fn task(model: &Svm) -> &'static str {
    model.params.task.name()
}

fn support(model: &Svm) -> Checked {
    let n = model.trained_on;
    if let Some(at) = model.support.iter().find(|at| **at >= n) {
        return Err(format!(
            "sample {at} (zero-based) is a support vector, but there were {n} samples"
        ));
    }
    // Counts of a file can be as large as numbers get: their sum must not wrap around.
    let sum = model.counts.iter().try_fold(0_usize, |sum, &count| sum.checked_add(count));
    if sum != Some(model.support.len()) {
        let found = model.support.len();
        return Err(format!("the counts of {found} support vectors do not add up to that number"));
    }
    Ok(())
}

/// The parameters must be such that they can be written and read back: JSON has no infinity.
fn parameters(model: &Svm) -> Checked {
    let params = &model.params;
    // An infinite C is written as a word.
    let c = if params.c == f64::INFINITY { 0.0 } else { params.c };
    finite("parameters", &[c, params.nu, params.epsilon, params.tolerance])?;
    let tube = model.report.machine.as_ref().and_then(|machine| machine.tube);
    finite("width of the tube", tube.as_slice())?;
    finite("parameters", params.max_seconds.as_slice())?;
    match &model.class_weights {
        Some(weights) if !weights.iter().all(|w| *w >= 0.0 && w.is_finite()) => {
            Err("the class weights are negative or not finite".into())
        }
        _ => Ok(()),
    }
}

fn curves(calibration: &Calibration, problems: usize) -> Checked {
    count("curves of the calibration", calibration.curves.len(), problems)?;
    let faults = calibration.curves.iter().map(|curve| curve.fault());
    match faults.enumerate().find_map(|(at, fault)| Some((at, fault?))) {
        None => Ok(()),
        Some((at, fault)) => Err(format!("curve {at} of the calibration is invalid: {fault}")),
    }
}
