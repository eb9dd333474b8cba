//! Estimators: parameters, fit (resolve → plan → solve → assemble) and prediction.

mod builders;
#[doc(hidden)]
pub mod classes;
mod components;
pub mod detector;
#[doc(hidden)]
pub mod features;
pub mod gaussian_process;
mod indefinite;
mod input;
pub mod inverse;
pub mod kernel_kmeans;
pub(crate) mod kernel_on;
pub mod kernel_pca;
pub mod kernel_ridge;
pub mod landmarks;
mod minka;
mod normal;
mod note;
mod on_device;
pub mod optimize;
#[doc(hidden)]
pub mod origin;
pub mod pca;
pub mod posterior;
pub mod preimage;
mod prepared;
pub(crate) mod regression;
mod report;
mod scaling;
mod scaling_passes;
pub mod svm;
mod targets;
#[doc(hidden)]
pub mod terms;
mod validate;
pub mod validity;

pub use crate::solve::eigen::Solver as EigenSolver;
pub use crate::solve::ridge::Solver as RidgeSolver;
pub use components::Components;
pub use input::Input;
pub(crate) use input::symmetric;
pub use note::{Note, NoteCode, Severity};
#[doc(hidden)]
pub use prepared::Prepared;
pub use report::{ClusterReport, Report, SystemReport};
#[doc(hidden)]
pub use scaling::{Scaling, ScalingKind};
#[doc(hidden)]
pub use scaling_passes::ScalingPasses;
pub use targets::{Labels, Target, Targets};
