//! The kernels that a search compares.

use mercer::points::Dense;
use mercer::real::Real;
use mercer::{KernelSpec, Result, select};

/// All kernels that `specs` stand for, each once. One whose width is left open stands for several.
pub fn every_width<T: Real>(specs: &[KernelSpec], x: &Dense<T>) -> Result<Vec<KernelSpec>> {
    let mut all: Vec<KernelSpec> = Vec::new();
    for spec in specs {
        let new = select::widths(spec, x)?;
        new.into_iter().for_each(|kernel| {
            if !all.contains(&kernel) {
                all.push(kernel);
            }
        });
    }
    Ok(all)
}
