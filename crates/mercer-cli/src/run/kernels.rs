//! The kernels that a search compares.

use mercer::real::Real;
use mercer::{Error, KernelSpec, Result, select};

use crate::args::Kernel;
use crate::data::Basis;

/// All kernels that `kernels` stand for, each once. One whose width is left open stands for several;
/// of given values there is one, which is not evaluated.
pub fn every_width<T: Real>(kernels: &[Kernel], x: &Basis<T>) -> Result<Vec<KernelSpec>> {
    let x = match x {
        Basis::Samples(x) => x,
        Basis::Matrix(_) if kernels.len() > 1 => {
            let message = "precomputed is there several times, and the table holds one matrix";
            return Err(Error::parameter("kernel", message));
        }
        Basis::Matrix(_) => return Ok(vec![Kernel::Precomputed.spec()]),
    };
    let mut all: Vec<KernelSpec> = Vec::new();
    for kernel in kernels {
        for width in select::widths(&kernel.spec(), x)? {
            if !all.contains(&width) {
                all.push(width);
            }
        }
    }
    Ok(all)
}

/// The names of kernels that were compared; of given values there are none.
pub fn names_of(kernels: &[KernelSpec]) -> Vec<String> {
    match kernels.is_empty() {
        true => vec![Kernel::Precomputed.to_string()],
        false => kernels.iter().map(KernelSpec::to_string).collect(),
    }
}
