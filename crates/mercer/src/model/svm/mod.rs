//! Support vector machines: classification, regression and the support of a distribution.
//!
//! All five tasks are one quadratic problem (`solve::smo`) with different bounds and linear terms; what comes out is an
//! expansion over the few training samples whose coefficient is not zero, the support vectors.

mod assemble;
mod auto;
mod calibrate;
mod calibrate_held_out;
mod calibration;
mod cells;
mod check;
mod class_blocks;
mod decide;
mod decode;
mod exact_kernel;
mod fit;
mod low_rank;
mod notes;
mod precision;
mod problem;
mod report;
mod settle;
mod shared;
mod shared_kernel;

use serde::{Deserialize, Serialize};

pub use auto::{ModeChoice, ModeEstimate};
pub use calibration::{Calibration, Curve, Method};
pub use cells::{CellChoice, CellParams, CellState};
pub(crate) use cells::{CellGrid, Compared, Split};
pub use decode::{one_vs_rest, votes};
pub use low_rank::{LowRankState, SampledLoss};
pub use report::{ProblemReport, Stop, SvmReport};
pub(crate) use shared::SharedKernel;
pub(crate) use shared_kernel::{fold_bytes, matrix_bytes};

use super::landmarks::LandmarkParams;
use super::prepared::Prepared;
use super::report::Report;
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::points::{AnySamples, Dtype};

/// The task of a support vector machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Task {
    /// Classification, with the penalty `c` for samples on the wrong side of their margin.
    CSvc,
    /// Classification, with the fraction `nu` of samples that may be on the wrong side.
    NuSvc,
    /// Regression, with the penalty `c` for targets farther than `epsilon` from the function.
    EpsilonSvr,
    /// Regression, with the fraction `nu` of targets that may be outside of a tube whose width is found.
    NuSvr,
    /// The support of the distribution: all but about the fraction `nu` of the samples.
    OneClass,
}

impl Task {
    /// All tasks.
    pub const ALL: [Task; 5] =
        [Task::CSvc, Task::NuSvc, Task::EpsilonSvr, Task::NuSvr, Task::OneClass];

    /// The name in model files: `c_svc`, `nu_svc`, `epsilon_svr`, `nu_svr` or `one_class`.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            Task::CSvc => "c_svc",
            Task::NuSvc => "nu_svc",
            Task::EpsilonSvr => "epsilon_svr",
            Task::NuSvr => "nu_svr",
            Task::OneClass => "one_class",
        }
    }

    /// Whether samples belong to classes.
    #[doc(hidden)]
    pub fn is_classification(self) -> bool {
        matches!(self, Task::CSvc | Task::NuSvc)
    }
}

/// Parameters of a support vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SvmParams {
    /// The task.
    pub task: Task,
    /// The kernel; widths that depend on the data are resolved in fit.
    pub kernel: KernelSpec,
    /// The penalty of a unit on the wrong side, above 0; for `CSvc`, `EpsilonSvr` and `NuSvr`. Infinite for the first two: no sample may
    /// be on the wrong side.
    #[serde(with = "infinite")]
    pub c: f64,
    /// A share, above 0 and at most 1; for `NuSvc`, `NuSvr` and `OneClass`.
    pub nu: f64,
    /// Half the width of the tube, not negative; for `EpsilonSvr`.
    pub epsilon: f64,
    /// The violation of the optimality conditions at which the solver stops.
    pub tolerance: f64,
    /// Whether to use the shrinking heuristic: samples that will keep their coefficient are set aside.
    pub shrinking: bool,
    /// The size of the cache of kernel columns in bytes; `None` for 1.86 GiB (2·10⁹ bytes), or the memory budget if that is less.
    pub cache: Option<u64>,
    /// The maximum number of iterations, for each pair of classes; `None` for no limit.
    pub max_iterations: Option<u64>,
    /// The time limit in seconds; `None` for no limit.
    pub max_seconds: Option<f64>,
    /// The landmarks of a low-rank fit; `None` for an exact one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landmarks: Option<LandmarkParams>,
    /// Whether a fit on landmarks goes on to the exact machine, from the coefficients that it found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub polish: bool,
    /// Whether more than two classes are each told from all others, of a fit on landmarks: a problem for each class in the place of one for each pair. The class with the
    /// largest value is predicted, and decisions of pairs are differences of these values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_vs_rest: bool,
    /// The sizes of cells that have a machine each; `None` for one machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cells: Option<CellParams>,
    /// Whether to choose among an exact machine, landmarks and cells, by estimates of what they take and small machines on a sample of the
    /// rows. The parameters of the model are those that were chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub auto: bool,
}

/// JSON has no infinity: an infinite number is the text `"inf"`.
mod infinite {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Text(String),
    }

    pub fn serialize<S: Serializer>(number: &f64, out: S) -> Result<S::Ok, S::Error> {
        match *number == f64::INFINITY {
            true => out.serialize_str("inf"),
            false => out.serialize_f64(*number),
        }
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(input: D) -> Result<f64, D::Error> {
        match Written::deserialize(input)? {
            Written::Number(number) => Ok(number),
            Written::Text(text) if text == "inf" => Ok(f64::INFINITY),
            Written::Text(text) => Err(D::Error::custom(format!("'{text}' is not a number"))),
        }
    }
}

impl SvmParams {
    /// Parameters with `kernel` for `task`, and the defaults of LIBSVM for the rest.
    #[doc(hidden)]
    pub fn new(task: Task, kernel: KernelSpec) -> Self {
        Self {
            task,
            kernel,
            c: 1.0,
            nu: 0.5,
            epsilon: 0.1,
            tolerance: 1e-3,
            shrinking: true,
            cache: None,
            max_iterations: None,
            max_seconds: None,
            landmarks: None,
            polish: false,
            one_vs_rest: false,
            cells: None,
            auto: false,
        }
    }
}

/// A fitted support vector machine.
#[derive(Clone)]
pub struct Svm {
    /// The parameters, with the kernel as it was resolved.
    pub params: SvmParams,
    /// The rows of the training set that are support vectors; of classes, those of the first class first.
    pub support: Vec<usize>,
    /// The support vectors, in that order, and then the centres of cells, or the landmarks alone; `None` if the kernel matrix was precomputed.
    pub anchors: Option<AnySamples>,
    /// The number type of the samples or of the kernel matrix that it was fitted on.
    pub dtype: Dtype,
    /// The number type in which kernel values were computed for the solver.
    pub computed_in: Dtype,
    /// The size of the training set.
    pub trained_on: usize,
    /// How many support vectors each class has; without classes, one number.
    pub counts: Vec<usize>,
    /// (classes − 1) × support, or 1 × support without classes. Of a support vector of class a, row r belongs to the problem
    /// of a against the r-th of the other classes. On landmarks, problems × landmarks.
    pub coef: Mat<f64>,
    /// What a machine on landmarks has more than an exact one.
    #[doc(hidden)]
    pub landmarks: Option<LowRankState>,
    /// The cells that have a machine each.
    #[doc(hidden)]
    pub cells: Option<CellState>,
    /// A constant for each problem: pairs of classes (0, 1), (0, 2), …, (1, 2), …; without classes, one.
    ///
    /// A positive decision value is a vote for the first class of a pair, except that with two classes in all it is a vote
    /// for the second.
    pub offset: Vec<f64>,
    /// The names of the classes.
    pub classes: Option<Vec<String>>,
    /// The weight of each class, a factor of `c`.
    pub class_weights: Option<Vec<f64>>,
    /// How decision values become probabilities, if that was requested.
    pub calibration: Option<Calibration>,
    /// What decision values are computed with.
    pub prepared: Prepared,
    /// The report of the fit; its `machine` has a report for every problem.
    pub report: Report,
}

impl Svm {
    /// Half the width of the tube that a model of task `NuSvr` found; within it, errors cost nothing.
    #[doc(hidden)]
    pub fn tube(&self) -> Option<f64> {
        self.report.machine.as_ref().and_then(|machine| machine.tube)
    }

    /// The dual coefficients of the support vectors: (classes − 1) × support, or 1 × support without classes. Of an exact machine, these are
    /// `coef`; of one that tells each class from all others, there is a line for each class.
    #[doc(hidden)]
    pub fn dual_coef(&self) -> &Mat<f64> {
        self.landmarks.as_ref().map_or(&self.coef, |state| &state.dual)
    }
}
