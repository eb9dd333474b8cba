//! Devices beside the processor, which compute and hold kernel matrices.
//!
//! Which device a fit uses is a parameter ([`Device`]), since results differ in their last bits. What computes there is a [`Backend`], which a crate
//! beside this one provides once in a process ([`provide`]); this crate knows no device by itself. A backend is given kernels of rows of
//! numbers ([`RowKernel`]) and nothing else: what samples are, and what is done to them first, is settled before.

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram::Gram;
use crate::kernel::RowKernel;
use crate::linalg::view::{Mat, MatMut};

/// Where kernel values are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Device {
    /// On the processor.
    #[default]
    Cpu,
    /// On the CUDA device with this number.
    Cuda(u32),
    /// On the first CUDA device, if there is one and it computes the kernel; else on the processor.
    Auto,
}

impl Device {
    pub(crate) fn is_cpu(&self) -> bool {
        *self == Self::Cpu
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(0) => f.write_str("cuda"),
            Self::Cuda(number) => write!(f, "cuda:{number}"),
            Self::Auto => f.write_str("auto"),
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let number = |text: &str| text.strip_prefix("cuda:").and_then(|n| n.parse().ok());
        match text {
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda(0)),
            "auto" => Ok(Self::Auto),
            _ => number(text).map(Self::Cuda).ok_or_else(|| {
                let message =
                    format!("must be cpu, cuda, cuda:1 (or another number) or auto, got '{text}'");
                Error::parameter(Param::Device, message)
            }),
        }
    }
}

impl From<Device> for String {
    fn from(device: Device) -> Self {
        device.to_string()
    }
}

impl TryFrom<String> for Device {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

/// A kernel matrix that a backend computes.
#[doc(hidden)]
pub struct OnDevice {
    /// The matrix.
    pub gram: Box<dyn Gram>,
    /// How and where it is held, in one sentence.
    pub reason: String,
    /// Whether a Cholesky factor fits beside it.
    pub factor_fits: bool,
}

/// What computes on a device. Kernel values are in double precision.
#[doc(hidden)]
pub trait Backend: Send + Sync {
    /// The device's name.
    fn name(&self) -> String;

    /// The matrix of a kernel between rows and the same rows, whose values of each row with itself are `diagonal`.
    fn gram(&self, ctx: &Context, kernel: RowKernel, diagonal: Vec<f64>) -> Result<OnDevice>;

    /// Writes k(x, y) · coef + offset (n × t) for the n rows and m columns of a kernel, given coefficients (m × t).
    fn scores(
        &self,
        ctx: &Context,
        kernel: &RowKernel,
        coef: &Mat<f64>,
        offset: &[f64],
        out: MatMut<'_, f64>,
    ) -> Result<()>;
}

/// What is known of a device that is there.
#[doc(hidden)]
#[derive(Clone, Debug, Serialize)]
pub struct DeviceInfo {
    /// The parameter that means it, such as `cuda:0`.
    pub device: String,
    /// Its name.
    pub name: String,
    /// Bytes of its memory.
    pub memory: u64,
    /// Bytes of these that are free.
    pub free: u64,
    /// Its compute capability.
    pub capability: String,
}

/// What finds devices and opens them.
#[doc(hidden)]
pub trait Driver: Send + Sync {
    /// The device with a number.
    fn open(&self, number: u32) -> Result<Arc<dyn Backend>>;

    /// All devices, or why there are none.
    fn list(&self) -> Result<Vec<DeviceInfo>>;
}

static DRIVER: OnceLock<&'static dyn Driver> = OnceLock::new();

/// Makes devices available to all fits of this process. The first call counts.
#[doc(hidden)]
pub fn provide(driver: &'static dyn Driver) {
    DRIVER.get_or_init(|| driver);
}

fn driver() -> Result<&'static dyn Driver> {
    DRIVER.get().copied().ok_or_else(|| {
        Error::Device(
            "this program was built without support for CUDA devices: use device cpu".into(),
        )
    })
}

/// All devices, or why there are none.
#[doc(hidden)]
pub fn list() -> Result<Vec<DeviceInfo>> {
    driver()?.list()
}

/// The backend of a device; none for the processor. Of `auto`, why there is none is no error: [`Choice::reason`] says it.
pub(crate) fn choose(device: Device) -> Result<Choice> {
    let open = |number| driver().and_then(|driver| driver.open(number));
    match device {
        Device::Cpu => Ok(Choice { backend: None, reason: None }),
        Device::Cuda(number) => Ok(Choice { backend: Some(open(number)?), reason: None }),
        Device::Auto => Ok(match open(0) {
            Ok(backend) => Choice { backend: Some(backend), reason: None },
            Err(error) => Choice { backend: None, reason: Some(error.to_string()) },
        }),
    }
}

/// What was found for a device.
pub(crate) struct Choice {
    /// What computes there.
    pub backend: Option<Arc<dyn Backend>>,
    /// Why the processor computes where a device might have.
    pub reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for (text, device) in [
            ("cpu", Device::Cpu),
            ("cuda", Device::Cuda(0)),
            ("cuda:3", Device::Cuda(3)),
            ("auto", Device::Auto),
        ] {
            assert_eq!(text.parse::<Device>().unwrap(), device);
            assert_eq!(device.to_string(), text);
        }
        assert_eq!("cuda:0".parse::<Device>().unwrap(), Device::Cuda(0));
        let refused = "gpu".parse::<Device>().unwrap_err().to_string();
        assert_eq!(
            refused,
            "device: must be cpu, cuda, cuda:1 (or another number) or auto, got 'gpu'"
        );
        assert!("cuda:".parse::<Device>().is_err() && "cuda:-1".parse::<Device>().is_err());
    }
}
