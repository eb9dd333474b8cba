//! The candidate kernels of a search.

use mercer::error::Param;
use mercer::{AnySamples, Error, Input, KernelSpec, Result, select};

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

/// The same for rows that are not held at once: what depends on the data depends on a `sample` of them, which is drawn only if something does.
pub fn every_width_in_blocks(
    kernels: &[Kernel],
    sample: impl FnOnce() -> Result<AnySamples>,
) -> Result<Vec<KernelSpec>> {
    let mut all: Vec<KernelSpec> = Vec::new();
    for spec in kernels.iter().map(Kernel::spec) {
        if !spec.is_resolved() {
            return every_width(kernels, &Input::Samples(sample()?));
        }
        if !all.contains(&spec) {
            all.push(spec);
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
