//! All families of kernels, whatever they compare.

use std::sync::LazyLock;

use super::{Family, string, vector};

static FAMILIES: LazyLock<Vec<&'static Family>> =
    LazyLock::new(|| [vector::families(), &string::families()].concat());

/// All families of kernels.
pub fn families() -> &'static [&'static Family] {
    &FAMILIES
}
