//! A description as something that can be evaluated: members of families, and what sums, products, normalisation and groups of columns
//! make of them, inside a tile.

mod compile;
mod evaluate;
mod recentred;
mod row_kernel;

pub use evaluate::SpecKernel;
pub use recentred::Recentred;
pub use row_kernel::RowKernel;

pub(super) use compile::Node;
pub(super) use evaluate::{fill, fill_diag};
