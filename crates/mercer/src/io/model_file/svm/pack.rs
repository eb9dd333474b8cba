//! A support vector machine as header and tensors.

use serde_json::Value;

use super::{PLATT, SLOPES, STEPS, STOPS};
use crate::io::model_file::check::Checked;
use crate::io::model_file::header::{self, CalibrationHeader};
use crate::io::model_file::landmarks;
use crate::io::model_file::persist::{Metadata, Persist};
use crate::io::model_file::samples::{self, SampleKind};
use crate::io::model_file::tensors::{Content, Tensor};
use crate::kernel::KernelSpec;
use crate::model::Report;
use crate::model::svm::{Calibration, CellState, Curve, ProblemReport, Svm};
use crate::points::AnySamples;

impl Persist for Svm {
    fn metadata(&self) -> Metadata<'_> {
        Metadata {
            estimator: header::SVM,
            n: self.trained_on,
            d: self.anchors.as_ref().map(AnySamples::features),
            samples: self.anchors.as_ref().and_then(SampleKind::of),
            k: self.offset.len(),
            precision: self.dtype,
            report: &self.report,
        }
    }

    fn kernel(&self) -> Option<(&KernelSpec, Option<&AnySamples>)> {
        Some((&self.params.kernel, self.anchors.as_ref()))
    }

    fn kernel_mut(&mut self) -> Option<(&mut KernelSpec, &mut Option<AnySamples>)> {
        Some((&mut self.params.kernel, &mut self.anchors))
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        tensors(self)
    }

    fn check(&self) -> Checked {
        super::check::svm(self)
    }

    fn classes(&self) -> Option<Vec<String>> {
        self.classes.clone()
    }

    fn calibration(&self) -> Option<CalibrationHeader> {
        let calibration = self.calibration.as_ref();
        calibration.map(|calibration| CalibrationHeader { folds: calibration.folds })
    }
}

/// The report without its list of problems, which lies in tensors.
pub fn short_report(report: &Report) -> Report {
    let mut short = report.clone();
    if let Some(machine) = &mut short.machine {
        machine.problems.clear();
    }
    short
}

fn tensors(model: &Svm) -> Vec<Tensor<'_>> {
    let mut tensors = vec![
        Tensor::places(
            "support",
            &[model.support.len()],
            model.support.iter().map(|&at| at as u64),
        ),
        Tensor::places(
            "counts",
            &[model.counts.len()],
            model.counts.iter().map(|&count| count as u64),
        ),
        Tensor::matrix("coef", &model.coef),
        Tensor::real("offset", &[model.offset.len()], &model.offset),
    ];
    if let Some(state) = &model.landmarks {
        tensors.extend(landmarks::tensors(&state.landmarks));
        tensors.push(Tensor::matrix("landmarks.dual", &state.dual));
    }
    tensors.extend(model.cells.iter().flat_map(cells));
    tensors.extend(model.anchors.iter().flat_map(|anchors| samples::tensors("anchors", anchors)));
    let weights = model.class_weights.iter();
    tensors.extend(weights.map(|w| Tensor::real("class_weights", &[w.len()], w)));
    tensors.extend(model.calibration.iter().flat_map(curves));
    let machine = model.report.machine.as_ref();
    let problems = machine.map_or(&[][..], |machine| &machine.problems);
    tensors.extend((!problems.is_empty()).then(|| report_tensors(problems)).into_iter().flatten());
    tensors
}

/// The support vectors of cells, and what was chosen for each.
fn cells<'a>(cells: &CellState) -> Vec<Tensor<'a>> {
    let CellState { counts, own } = cells;
    let counts =
        Tensor::places("cells.counts", &[counts.len()], counts.iter().map(|&count| count as u64));
    if own.is_empty() {
        return vec![counts];
    }
    let kernels = own.iter().map(|choice| choice.kernel as u64);
    let cs = own.iter().map(|choice| choice.c).collect();
    vec![
        counts,
        Tensor::places("cells.kernel", &[own.len()], kernels),
        owned("cells.c", vec![own.len()], cs),
    ]
}

/// Curves one after another in one list of numbers, with the kind of each and the place where its numbers end.
fn curves<'a>(calibration: &Calibration) -> [Tensor<'a>; 3] {
    let mut numbers: Vec<f64> = Vec::new();
    let (mut kinds, mut ends) = (Vec::new(), Vec::new());
    for curve in &calibration.curves {
        let kind = match curve {
            Curve::Slopes { below, above } => {
                numbers.extend([below, above]);
                SLOPES
            }
            Curve::Steps { at, value } => {
                numbers.extend(at.iter().chain(value));
                STEPS
            }
            Curve::Platt { a, b } => {
                numbers.extend([a, b]);
                PLATT
            }
        };
        kinds.push(kind);
        ends.push(numbers.len() as u64);
    }
    let count = kinds.len();
    [
        Tensor::places("curves.kind", &[count], kinds.into_iter()),
        Tensor::places("curves.ends", &[count], ends.into_iter()),
        owned("curves.numbers", vec![numbers.len()], numbers),
    ]
}

/// The certificates of all problems.
fn report_tensors<'a>(problems: &[ProblemReport]) -> [Tensor<'a>; 4] {
    let stop = |problem: &ProblemReport| {
        STOPS.iter().position(|stop| *stop == problem.stop).expect("all reasons are listed")
    };
    let counts = problems.iter().flat_map(|problem| {
        let (support, bounded) = (problem.support as u64, problem.bounded as u64);
        [problem.iterations, support, bounded, stop(problem) as u64]
    });
    let number = |number: Option<f64>| number.unwrap_or(f64::NAN);
    let numbers = problems.iter().flat_map(|p| [p.objective, number(p.gap), p.violation]);
    let rounding = problems.iter().map(|problem| number(problem.rounding));
    let bits = |name: &str| name.strip_prefix('f').and_then(|bits| bits.parse().ok()).unwrap_or(0);
    let certified =
        problems.iter().flat_map(|p| [p.rows as u64, p.certified_rows as u64, bits(&p.precision)]);
    [
        Tensor::places("problems.counts", &[problems.len(), 4], counts),
        owned("problems.numbers", vec![problems.len(), 3], numbers.collect()),
        Tensor::places("problems.certified", &[problems.len(), 3], certified),
        owned("problems.rounding", vec![problems.len()], rounding.collect()),
    ]
}

fn owned<'a>(name: &'static str, shape: Vec<usize>, numbers: Vec<f64>) -> Tensor<'a> {
    Tensor { name: name.into(), shape, content: Content::Made(numbers) }
}
