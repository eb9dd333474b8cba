//! Kernel matrices on CUDA devices.
//!
//! [`provide`] makes them available to the fits of a process, as `device="cuda"`. The driver of the device and cuBLAS are loaded when a device is
//! asked for; without them every other fit works as before.
//!
//! ```no_run
//! use mercer::device::Device;
//! use mercer::prelude::*;
//!
//! # fn main() -> mercer::Result<()> {
//! mercer_cuda::provide();
//! let x = Dense::from_rows(&[0.0, 0.1, 1.0, 1.1, 2.0, 2.1], 6, 1)?;
//! let model = KernelPca::params("rbf(gamma=0.5)".parse()?).components(2).device(Device::Cuda(0)).fit(&x)?;
//! println!("{} on {}", model.report.residual, model.report.storage);
//! # Ok(())
//! # }
//! ```

mod blas;
mod driver;
mod engine;
mod factor;
mod gram;
mod kernel;
mod memory;
mod scores;

/// Makes CUDA devices available to all fits of this process.
pub fn provide() {
    mercer::device::provide(&driver::Cuda);
}
