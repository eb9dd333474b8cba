//! Which exact storage of the Gram matrix fits the memory budget, and why.

use super::packed::Packed;
use crate::context::Context;
use crate::error::{Error, Result, bytes};
use crate::real::Real;

/// An exact way to hold a Gram matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// The lower triangle in memory.
    Packed,
    /// Never stored: tiles are computed anew in each product.
    Tiled,
}

/// A storage and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The storage.
    pub storage: Storage,
    /// Bytes that storage and solver take together.
    pub bytes: u64,
    /// The choice in one sentence.
    pub reason: String,
}

/// Chooses a storage for n samples beside `workspace` bytes of the solver: the stored triangle if it fits the budget,
/// else tiles computed on the fly. Approximations are never chosen here.
pub fn plan<T: Real>(ctx: &Context, n: usize, workspace: u64) -> Result<Plan> {
    let budget = ctx.budget();
    let packed = Packed::<T>::bytes(n).saturating_add(workspace);
    if packed <= budget {
        let reason = format!(
            "the lower triangle of the {n} × {n} {} matrix and the solver take {}, within the budget of {}",
            T::NAME,
            bytes(packed),
            bytes(budget)
        );
        return Ok(Plan { storage: Storage::Packed, bytes: packed, reason });
    }
    if workspace > budget {
        return Err(Error::Memory {
            what: "the solver",
            needed: workspace,
            budget,
            hint: "ask for fewer components, fit on fewer rows, or raise the budget",
        });
    }
    let reason = format!(
        "storing the lower triangle of the {n} × {n} {} matrix would take {}, beyond the budget of {}: tiles are \
         computed anew in each pass",
        T::NAME,
        bytes(packed),
        bytes(budget)
    );
    Ok(Plan { storage: Storage::Tiled, bytes: workspace, reason })
}
