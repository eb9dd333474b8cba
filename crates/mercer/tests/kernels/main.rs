//! Points, kernels and their text form.

mod conformance;
mod families;
mod oracle;
mod points;
mod properties;
mod reference;
mod sparse;
mod spec;
mod support;
mod widths;
