//! The candidate kernels of a search.

use mercer::error::Param;
use mercer::{Error, Input, KernelSpec, Result, select};

use crate::args::Kernel;

/// The distinct candidates of `kernels`. A kernel without a width gives several; a precomputed matrix
/// gives one, which is not evaluated.
pub fn every_width(kernels: &[Kernel], x: &Input<'_>) -> Result<Vec<KernelSpec>> {
    let x = match x {
        Input::Samples(x) => x,
        _ if kernels.len() > 1 => {
            let message = "precomputed is given several times, but the table holds one matrix";
            return Err(Error::parameter(Param::Kernel, message));
        }
        _ => return Ok(vec![Kernel::Precomputed.spec()]),
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

/// The names of the candidates; a precomputed matrix has none.
pub fn names_of(kernels: &[KernelSpec]) -> Vec<String> {
    match kernels.is_empty() {
        true => vec![Kernel::Precomputed.to_string()],
        false => kernels.iter().map(KernelSpec::to_string).collect(),
    }
}
