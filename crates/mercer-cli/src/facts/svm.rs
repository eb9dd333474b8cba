//! What a support vector machine says of itself.

use mercer::io::ModelFile;
use mercer::model::svm::Task;
use serde::{Deserialize, Serialize};

use super::{Facts, bare, target_names};
use crate::machine::{Machine, curve_name};
use crate::scores::{Scored, Scores};

/// The key of [`FitNotes`] among the notes of a model file.
const NOTES: &str = "fit";

/// A support vector machine in numbers and words.
#[derive(Debug, Clone, Serialize)]
pub struct SvmFacts {
    /// `c_svc`, `nu_svc`, `epsilon_svr`, `nu_svr` or `one_class`.
    pub task: &'static str,
    /// The name of the column that it predicts; none for `one_class`.
    pub targets: Vec<String>,
    /// The price of a unit on the wrong side, where the task has one.
    pub c: Option<f64>,
    /// The share of rows on the wrong side, where the task has one.
    pub nu: Option<f64>,
    /// Half the width of the tube, where the task has one.
    pub epsilon: Option<f64>,
    /// Half the width of the tube that was found, where the task finds one.
    pub tube: Option<f64>,
    /// The violation at which the solver was to stop.
    pub tolerance: f64,
    /// The names of the classes, if it tells classes apart.
    pub classes: Option<Vec<String>>,
    /// The price of each as a multiple of C.
    pub class_weights: Option<Vec<f64>>,
    /// Support vectors.
    pub support: usize,
    /// Support vectors of each class.
    pub support_of_classes: Option<Vec<usize>>,
    /// The constant of each problem.
    pub offsets: Vec<f64>,
    /// How decisions become probabilities.
    pub calibration: Option<CalibrationFacts>,
    /// How well it fits the rows it learned from, and how it was chosen.
    pub fit: Option<FitNotes>,
}

/// How decisions become probabilities.
#[derive(Debug, Clone, Serialize)]
pub struct CalibrationFacts {
    /// `sigmoid`, `isotonic` or `platt`, the curve of LIBSVM.
    pub curve: &'static str,
    /// Folds that the decisions came from; 0 where that is not known.
    pub folds: usize,
}

/// What this command knows of a fit beside the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitNotes {
    /// Rows that counted.
    pub rows: usize,
    /// Of predictions for these rows.
    pub scores: Option<Scores>,
    /// Of these rows, how many lie outside, where that is what was learned.
    pub outside: Option<usize>,
    /// Of those outside, how many are as near to the boundary as the solver's tolerance.
    pub nearly: Option<usize>,
    /// How kernel and cost were chosen, if they were.
    pub search: Option<SearchNotes>,
}

/// How kernel and cost were chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SearchNotes {
    /// Parts of the rows.
    pub folds: usize,
    /// Kernels that were compared.
    pub kernels: usize,
    /// Costs that were compared.
    pub costs: usize,
    /// The mean over the folds of what was chosen.
    pub score: Scored,
}

impl SvmFacts {
    /// The kind of model in words.
    pub fn method(&self) -> &'static str {
        let task = Task::ALL.into_iter().find(|task| task.name() == self.task);
        machine_in_words(task.unwrap_or(Task::OneClass))
    }
}

/// The kind of machine that does `task`.
pub fn machine_in_words(task: Task) -> &'static str {
    match task {
        Task::CSvc => "support vector classification",
        Task::NuSvc => "nu-support vector classification",
        Task::EpsilonSvr => "support vector regression",
        Task::NuSvr => "nu-support vector regression",
        Task::OneClass => "one-class support vector machine",
    }
}

pub(super) fn of_machine(machine: &Machine<'_>, saved: &ModelFile) -> Facts {
    let (params, task) = (machine.params, machine.params.task);
    let has = |tasks: &[Task], value: f64| tasks.contains(&task).then_some(value);
    let noted = saved.extra.get(NOTES).cloned();
    let facts = SvmFacts {
        task: task.name(),
        targets: if task == Task::OneClass { Vec::new() } else { target_names(saved, 1) },
        c: has(&[Task::CSvc, Task::EpsilonSvr, Task::NuSvr], params.c),
        nu: has(&[Task::NuSvc, Task::NuSvr, Task::OneClass], params.nu),
        epsilon: has(&[Task::EpsilonSvr], params.epsilon),
        tube: machine.report.machine.as_ref().and_then(|report| report.tube),
        tolerance: params.tolerance,
        classes: machine.classes.map(<[String]>::to_vec),
        class_weights: machine.class_weights.map(<[f64]>::to_vec),
        support: machine.support.len(),
        support_of_classes: machine.classes.map(|_| machine.counts.to_vec()),
        offsets: machine.offsets.to_vec(),
        calibration: machine
            .calibration
            .map(|c| CalibrationFacts { curve: curve_name(c), folds: c.folds }),
        fit: noted.and_then(|value| serde_json::from_value(value).ok()),
    };
    Facts { svm: Some(facts), ..bare(machine.rows, machine.report) }
}

/// Notes down in `saved` how the fit went.
pub fn note_fit(saved: &mut ModelFile, notes: &FitNotes) {
    let value = serde_json::to_value(notes).expect("numbers and words have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}
