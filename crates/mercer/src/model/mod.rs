//! Estimators: parameters, fit (resolve → plan → solve → fold) and decoding.

mod components;
pub mod inverse;
pub mod kernel_pca;
mod minka;
pub mod pca;
mod report;
mod scaling;

pub use components::Components;
pub use report::Report;
pub use scaling::{Scaling, ScalingKind};
