//! Estimators: parameters, fit (resolve → plan → solve → assemble) and prediction.

pub mod classes;
mod components;
pub mod detector;
mod indefinite;
pub mod inverse;
pub mod kernel_kmeans;
pub(crate) mod kernel_on;
pub mod kernel_pca;
pub mod kernel_ridge;
mod minka;
pub mod origin;
pub mod pca;
pub mod posterior;
pub mod preimage;
pub(crate) mod regression;
mod report;
mod scaling;
pub mod svm;
mod validate;
pub mod validity;

pub use components::Components;
pub use report::{ClusterReport, Report, SystemReport, asymmetric};
pub use scaling::{Scaling, ScalingKind};
