//! Finds the devices and opens each once.

#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::CudaContext;
use mercer::device::{Backend, DeviceInfo, Driver};
use mercer::{Error, Result};

use crate::engine::{Engine, failed};
use crate::scores::OpenDevice;

/// CUDA, if its libraries are there.
pub struct Cuda;

/// Devices that were opened. They stay open: what they load takes longer than most fits.
static OPEN: Mutex<BTreeMap<u32, Arc<Engine>>> = Mutex::new(BTreeMap::new());

impl Driver for Cuda {
    fn open(&self, number: u32) -> Result<Arc<dyn Backend>> {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = open.get(&number) {
            return Ok(Arc::new(OpenDevice(engine.clone())));
        }
        let count = count()?;
        if number >= count {
            let message =
                format!("there is no device cuda:{number}: {count} CUDA devices were found");
            return Err(Error::Device(message));
        }
        let engine = Arc::new(Engine::new(number)?);
        open.insert(number, engine.clone());
        Ok(Arc::new(OpenDevice(engine)))
    }

    fn list(&self) -> Result<Vec<DeviceInfo>> {
        (0..count()?).map(info).collect()
    }
}

/// How many devices there are. Loading a missing library panics, so each is looked for first.
fn count() -> Result<u32> {
    // SAFETY: loads the library, whose initialisers are those of the driver, and nothing else.
    if !unsafe { cudarc::driver::sys::is_culib_present() } {
        let message = "no CUDA driver was found (libcuda.so): install the driver of the graphics card, or use device cpu";
        return Err(Error::Device(message.into()));
    }
    let count = CudaContext::device_count().map_err(failed)?;
    if count < 1 {
        return Err(Error::Device("the CUDA driver finds no device: use device cpu".into()));
    }
    Ok(count as u32)
}

fn info(number: u32) -> Result<DeviceInfo> {
    let context = CudaContext::new(number as usize).map_err(failed)?;
    let (free, total) = context.mem_get_info().map_err(failed)?;
    let (major, minor) = context.compute_capability().map_err(failed)?;
    Ok(DeviceInfo {
        device: format!("cuda:{number}"),
        name: context.name().map_err(failed)?,
        memory: total as u64,
        free: free as u64,
        capability: format!("{major}.{minor}"),
    })
}

/// Refuses to go on without cuBLAS.
pub(crate) fn need_cublas() -> Result<()> {
    // SAFETY: as above, of cuBLAS.
    match unsafe { cudarc::cublas::sys::is_culib_present() } {
        true => Ok(()),
        false => Err(Error::Device(
            "cuBLAS was not found (libcublas.so): install it with `pip install mercer[cuda]` for Python, or with the CUDA toolkit, \
             and see that LD_LIBRARY_PATH has its directory; or use device cpu"
                .into(),
        )),
    }
}
