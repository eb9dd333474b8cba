//! Targets and parameters of support vector machines, as Python passes them.

use mercer::model::svm::{CellParams, Method, SvmParams, Task};
use mercer::{Labels, Targets};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::arrays::rows;
use crate::fit::unknown;
use crate::kernels::KernelArg;
use crate::landmarks::LandmarkSettings;

/// The parameters of a support vector machine, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SvmSettings<'py> {
    task: String,
    kernel: KernelArg<'py>,
    c: f64,
    nu: f64,
    epsilon: f64,
    tolerance: f64,
    shrinking: bool,
    cache: Option<u64>,
    max_iterations: Option<u64>,
    max_seconds: Option<f64>,
    /// How decisions become probabilities, if they shall.
    pub calibration: Option<CalibrationArgs>,
    /// The number type of results.
    pub dtype: String,
    landmarks: Option<LandmarkSettings<'py>>,
    polish: bool,
    /// Whether each class is told from all others.
    one_vs_rest: bool,
    /// Rows, overlap and seed.
    cells: Option<(usize, f64, u64)>,
    /// Whether to choose among exact, landmarks and cells.
    auto: bool,
}

impl SvmSettings<'_> {
    /// The parameters, with the task's name as model files have it.
    pub fn params(&self, py: Python<'_>) -> PyResult<SvmParams> {
        let named = |task: &Task| task.name() == self.task;
        let task = Task::ALL.into_iter().find(named).ok_or_else(|| unknown("task", &self.task))?;
        Ok({
            let mut changed = SvmParams::new(task, self.kernel.spec(py)?);
            changed.c = self.c;
            changed.nu = self.nu;
            changed.epsilon = self.epsilon;
            changed.tolerance = self.tolerance;
            changed.shrinking = self.shrinking;
            changed.cache = self.cache;
            changed.max_iterations = self.max_iterations;
            changed.max_seconds = self.max_seconds;
            changed.landmarks =
                self.landmarks.as_ref().map(LandmarkSettings::params).transpose()?;
            changed.polish = self.polish;
            changed.one_vs_rest = self.one_vs_rest;
            changed.cells = self.cells.map(|(rows, overlap, seed)| {
                let mut cells = CellParams::new(rows);
                (cells.overlap, cells.seed) = (overlap, seed);
                cells
            });
            changed.auto = self.auto;
            changed
        })
    }
}

/// The name of a curve, the number of folds (none for samples that the machine was not fitted on), and the seed that samples are
/// dealt to folds by.
#[derive(FromPyObject)]
pub struct CalibrationArgs(String, Option<usize>, u64);

/// A calibration to be made.
#[derive(Clone, Copy)]
pub struct Calibration {
    /// The shape of the curves.
    pub method: Method,
    /// Parts that the samples are dealt to; none for samples that the machine was not fitted on.
    pub folds: Option<usize>,
    /// By which seed.
    pub seed: u64,
}

impl CalibrationArgs {
    /// The calibration that the name stands for.
    pub fn read(&self) -> PyResult<Calibration> {
        let method = match self.0.as_str() {
            "sigmoid" => Method::Sigmoid,
            "isotonic" => Method::Isotonic,
            name => return Err(unknown("calibration", name)),
        };
        Ok(Calibration { method, folds: self.1, seed: self.2 })
    }
}

/// The targets, if any, and weights of samples.
#[derive(FromPyObject)]
pub struct TargetArrays<'py>(Option<TargetArray<'py>>, Option<PyReadonlyArray1<'py, f64>>);

/// The names of classes, the place of each sample's class, and a weight per class; or a value per sample.
#[derive(FromPyObject)]
enum TargetArray<'py> {
    Classes(Vec<String>, PyReadonlyArray1<'py, i64>, Vec<f64>),
    Values(PyReadonlyArray1<'py, f64>),
}

impl TargetArrays<'_> {
    /// Copies of everything.
    pub fn read(&self) -> PyResult<Targets> {
        let targets = match &self.0 {
            None => Targets::unsupervised(),
            Some(TargetArray::Values(values)) => Targets::values(values.as_slice()?),
            Some(TargetArray::Classes(names, places, weights)) => {
                Targets::labels(Labels { names: names.clone(), places: rows(places)? })
                    .with_class_weights(Some(weights.clone()))
            }
        };
        let weights = self.1.as_ref().map(|weights| weights.as_slice().map(<[f64]>::to_vec));
        Ok(targets.with_weights(weights.transpose()?))
    }
}
