//! The built command, run as a user runs it.

mod bad_input;
mod check;
mod demo;
mod doctor;
mod examples;
mod fit;
mod folder;
mod found_bad_input;
mod given_matrix;
#[cfg(unix)]
mod interrupt;
mod kmeans;
mod krr;
mod mixed;
mod outliers;
mod precomputed;
mod predict;
mod report;
mod sparse;
mod svm_bad_input;
mod svm_fit;
mod svm_pictures;
mod svm_predict;
mod svm_search;
mod terminal_plots;
mod texts;
mod transform;
mod usage;
