//! Description of a support vector machine.

use mercer::io::{LIBSVM_TEXT, ModelFile};
use mercer::model::svm::{Svm, Task};
use serde::{Deserialize, Serialize};

use super::{Facts, bare, is_zero, target_names};
use crate::machine::curve_name;
use crate::scores::{Scored, Scores};

/// The key of [`FitNotes`] among the notes of a model file.
const NOTES: &str = "fit";

/// A support vector machine.
#[derive(Debug, Clone, Serialize)]
pub struct SvmFacts {
    /// `c_svc`, `nu_svc`, `epsilon_svr`, `nu_svr` or `one_class`.
    pub task: &'static str,
    /// The name of the column that it predicts; none for `one_class`.
    pub targets: Vec<String>,
    /// The cost C, where the task has one.
    pub c: Option<f64>,
    /// The parameter nu, where the task has one.
    pub nu: Option<f64>,
    /// Half the width of the tube, where the task has one.
    pub epsilon: Option<f64>,
    /// Half the width of the tube that was found, where the task finds one.
    pub tube: Option<f64>,
    /// The stopping tolerance; none of a LIBSVM model, which does not hold it.
    pub tolerance: Option<f64>,
    /// The names of the classes, of a classifier.
    pub classes: Option<Vec<String>>,
    /// Whether each of more than two classes was told from all others.
    pub one_vs_rest: bool,
    /// The class weights, multiples of C.
    pub class_weights: Option<Vec<f64>>,
    /// Support vectors.
    pub support: usize,
    /// Support vectors of each class.
    pub support_of_classes: Option<Vec<usize>>,
    /// The constant of each problem.
    pub offsets: Vec<f64>,
    /// Calibration of decision values to probabilities.
    pub calibration: Option<CalibrationFacts>,
    /// Training scores, and the search.
    pub fit: Option<FitNotes>,
}

/// Calibration of decision values to probabilities.
#[derive(Debug, Clone, Serialize)]
pub struct CalibrationFacts {
    /// `sigmoid`, `isotonic` or `platt`, the curve of LIBSVM.
    pub curve: &'static str,
    /// Folds that the decisions came from; 0 where that is not known.
    pub folds: usize,
}

/// What the command line stores of a fit beside the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitNotes {
    /// Rows that counted.
    pub rows: usize,
    /// The scores on these rows.
    pub scores: Option<Scores>,
    /// Rows outside, for one-class models.
    pub outside: Option<usize>,
    /// Rows outside by less than the solver's tolerance.
    pub nearly: Option<usize>,
    /// The search, if there was one.
    pub search: Option<SearchNotes>,
}

/// A search over kernels and costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchNotes {
    /// Number of folds.
    pub folds: usize,
    /// Kernels that were compared.
    pub kernels: usize,
    /// Costs that were compared.
    pub costs: usize,
    /// The cross-validation score of the chosen candidate.
    pub score: Scored,
    /// The folds in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Candidates of the second, finer grid.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refined: usize,
}

impl SvmFacts {
    /// The name of the method.
    pub fn method(&self) -> &'static str {
        let task = Task::ALL.into_iter().find(|task| task.name() == self.task);
        svm_method(task.unwrap_or(Task::OneClass))
    }
}

/// The name of the method of `task`.
pub fn svm_method(task: Task) -> &'static str {
    match task {
        Task::CSvc => "support vector classification",
        Task::NuSvc => "nu-support vector classification",
        Task::EpsilonSvr => "support vector regression",
        Task::NuSvr => "nu-support vector regression",
        Task::OneClass => "one-class support vector machine",
        _ => "support vector machine",
    }
}

pub(super) fn of_machine(machine: &Svm, saved: &ModelFile) -> Facts {
    let (params, task) = (&machine.params, machine.params.task);
    // A file of LIBSVM holds neither parameters nor the number of rows.
    let is_text = saved.extra.contains_key(LIBSVM_TEXT);
    let has = |tasks: &[Task], value: f64| (tasks.contains(&task) && !is_text).then_some(value);
    let noted = saved.extra.get(NOTES).cloned();
    let facts = SvmFacts {
        task: task.name(),
        targets: if task == Task::OneClass { Vec::new() } else { target_names(saved, 1) },
        c: has(&[Task::CSvc, Task::EpsilonSvr, Task::NuSvr], params.c),
        nu: has(&[Task::NuSvc, Task::NuSvr, Task::OneClass], params.nu),
        epsilon: has(&[Task::EpsilonSvr], params.epsilon),
        tube: machine.report.machine.as_ref().and_then(|report| report.tube),
        tolerance: (!is_text).then_some(params.tolerance),
        classes: machine.classes.clone(),
        one_vs_rest: machine.params.one_vs_rest && machine.counts.len() > 2,
        class_weights: machine.class_weights.clone(),
        support: machine.support.len(),
        support_of_classes: machine.classes.as_ref().map(|_| machine.counts.clone()),
        offsets: machine.offset.clone(),
        calibration: machine
            .calibration
            .as_ref()
            .map(|c| CalibrationFacts { curve: curve_name(c), folds: c.folds }),
        fit: noted.and_then(|value| serde_json::from_value(value).ok()),
    };
    let rows = if is_text { 0 } else { machine.trained_on };
    Facts { svm: Some(facts), ..bare(rows, &machine.report) }
}

/// Stores `notes` in `saved`.
pub fn note_fit(saved: &mut ModelFile, notes: &FitNotes) {
    let value = serde_json::to_value(notes).expect("numbers and words have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}
