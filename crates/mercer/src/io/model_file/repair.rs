//! The file form of a repair of kernel matrices.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Dtype;
use super::check::{Checked, finite};
use super::frame::Fault;
use super::header::{self, Header};
use super::persist::{Metadata, Persist};
use super::tensors::{Tensor, Tensors};
use super::unpack::params;
use crate::model::validity::{Correction, FittedRepair, Repair};

/// The parameters of a repair.
#[derive(Serialize, Deserialize)]
struct RepairParams {
    method: Repair,
    /// Whether values are kept beside what is added to them.
    keep: bool,
}

impl Persist for FittedRepair {
    fn metadata(&self) -> Metadata<'_> {
        Metadata {
            estimator: header::KERNEL_REPAIR,
            n: self.correction.samples,
            d: None,
            samples: None,
            k: self.correction.samples,
            precision: Dtype::F64,
            report: &self.report,
        }
    }

    fn params(&self) -> serde_json::Result<Value> {
        let (keep, _) = self.correction.parts();
        serde_json::to_value(RepairParams { method: self.correction.method, keep })
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let (n, r) = (self.correction.samples, self.correction.rank());
        let (_, [left, right, diagonal]) = self.correction.parts();
        vec![
            Tensor::real("left", &[n, r], left),
            Tensor::real("right", &[r, n], right),
            Tensor::real("own", &[diagonal.len()], diagonal),
            Tensor::number("shift", &self.correction.shift),
            Tensor::number("change", &self.change),
        ]
    }

    fn check(&self) -> Checked {
        if self.correction.samples == 0 {
            return Err("a repair needs at least one sample".into());
        }
        let (_, parts) = self.correction.parts();
        parts.into_iter().try_for_each(|part| finite("numbers of the repair", part))?;
        finite("shift and change", &[self.correction.shift, self.change])
    }
}

/// A repair. Whether its parts fit together is checked here.
pub fn unpack(header: &Header, tensors: &mut Tensors<'_>) -> Result<FittedRepair, Fault> {
    let RepairParams { method, keep } = params(&header.params)?;
    let n = header.n;
    let rank = tensors.columns("left")?;
    let weights = tensors.length("own")?;
    let parts = [
        tensors.real("left", &[n, rank])?,
        tensors.real("right", &[rank, n])?,
        tensors.real("own", &[weights])?,
    ];
    let shift = tensors.number("shift")?;
    let correction =
        Correction::from_parts(method, n, shift, keep, parts).map_err(Fault::Invalid)?;
    if header.k != n {
        return Err(Fault::Invalid(format!("a repair of {n} samples has {} outputs", header.k)));
    }
    Ok(FittedRepair {
        correction,
        change: tensors.number("change")?,
        report: header.report.clone(),
    })
}
