//! Model selection: closed-form leave-one-out, generalised cross-validation, and folds as views of one Gram matrix.

mod folds;
mod grid;
mod kernel_ridge;
mod left_out;
mod metric;
mod part;
mod progress;
mod svm;
mod table;

pub use folds::{Fold, folds};
pub use grid::widths;
#[doc(hidden)]
pub use grid::{Size, alphas_for};
pub use kernel_ridge::{Search, SearchParams, Validation, search};
pub use metric::{Accuracy, Metric, Score, SquaredError};
pub use svm::{SvmSearch, SvmSearchParams, svm_path, svm_search};
pub use table::{Chosen, Table};
