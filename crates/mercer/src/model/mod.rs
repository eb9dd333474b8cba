//! Estimators: parameters, fit (resolve → plan → solve → fold) and decoding.

mod components;
pub mod inverse;
pub mod kernel_pca;
mod report;

pub use components::Components;
pub use report::Report;
