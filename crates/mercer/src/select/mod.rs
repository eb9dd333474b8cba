//! Model selection: closed-form leave-one-out, generalised cross-validation, and folds as views of one Gram matrix.

mod classification;
mod cluster_count;
mod criterion;
mod edges;
mod folds;
mod grid;
mod hits;
mod kernel_ridge;
mod landmarks;
mod left_out;
mod metric;
mod part;
mod probability;
mod progress;
mod ranking;
mod refine;
mod splits;
mod squares;
mod svm;
mod svm_cells;
mod svm_fold;
mod table;

#[doc(hidden)]
pub use classification::{accuracy, balanced_accuracy, confusion, macro_f1, majority, matthews};
#[doc(hidden)]
pub use cluster_count::{ClusterCriterion, ClusterScores, cluster_scores};
#[doc(hidden)]
pub use criterion::{ByClasses, ByValues, Criterion};
pub use folds::{Fold, folds};
pub use grid::widths;
#[doc(hidden)]
pub use grid::{Size, alphas_for};
pub use kernel_ridge::{Search, SearchParams, Validation, search};
#[doc(hidden)]
pub use landmarks::{continue_search, prepared_pass, search_blocks};
pub use metric::{Accuracy, Metric, Score, SquaredError};
#[doc(hidden)]
pub use probability::{
    CalibrationBin, absolute_error, brier, calibration_curve, calibration_error, interval_loss,
    log_loss, mean, pinball_loss,
};
#[doc(hidden)]
pub use ranking::{
    auc, auc_of_classes, average_precision, class_against_rest, precision_recall_curve, roc_curve,
};
#[doc(hidden)]
pub use refine::{edge_of_widths, refined, refined_widths};
#[doc(hidden)]
pub use splits::{grouped_folds, repeated, stratified_folds, time_ordered_folds};
#[doc(hidden)]
pub use svm::svm_search_by;
pub use svm::{SvmSearch, SvmSearchParams, svm_path, svm_search};
#[doc(hidden)]
pub use svm_cells::CellChoices;
#[doc(hidden)]
pub use svm_fold::{OutOfFold, svm_out_of_fold};
pub use table::{Chosen, Table};

use crate::kernel::KernelSpec;
use crate::points::Samples;
use crate::real::Real;

/// The samples that a kernel compares: of groups of columns, those that it names. A search compares kernels on different
/// groups, and the model of the best needs no others.
fn compared<T: Real>(x: &Samples<T>, kernel: &KernelSpec) -> Samples<T> {
    match x {
        Samples::Parts(parts) => {
            parts.only(&kernel.columns()).map_or_else(|| x.clone(), Samples::Parts)
        }
        _ => x.clone(),
    }
}
