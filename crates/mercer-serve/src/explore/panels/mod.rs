//! A file for each panel of the page: what it draws.

mod check;
mod clusters;
mod components;
mod gram;
mod model;
mod preimage;
mod ridge;
mod shape;
mod svm;

pub(super) use check::check;
pub(super) use clusters::clusters;
pub(super) use components::{components, contours, project};
pub(super) use gram::gram;
pub(super) use model::model;
pub(super) use preimage::preimage;
pub(super) use ridge::ridge;
pub(super) use shape::shape;
pub(super) use svm::svm;
