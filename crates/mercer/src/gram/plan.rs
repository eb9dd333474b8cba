//! Which exact storage of the Gram matrix fits the memory budget, and why.

use super::Gram;
use super::matrix_free::MatrixFree;
use super::packed::Packed;
use super::tiles::product_bytes;
use super::with_copy::WithCopy;
use crate::context::Context;
use crate::error::{Result, bytes};
use crate::kernel::Kernel;
use crate::points::Points;
use crate::real::Real;

/// An exact storage of a Gram matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Storage {
    /// The lower triangle in memory.
    Packed,
    /// Never stored: tiles are recomputed in each product.
    MatrixFree,
}

/// A storage and the reason for it.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    storage: Storage,
    /// Whether a copy of the lower triangle in single precision is held too, which products read in half the time.
    copy: bool,
    /// Bytes that storage and solver take together.
    pub bytes: u64,
    /// The choice in one sentence.
    pub reason: String,
}

/// Chooses a storage for n samples beside `workspace` bytes of the solver: the stored triangle if it fits the budget,
/// else tiles computed on the fly. Approximations are never chosen here.
#[doc(hidden)]
pub fn plan<T: Real>(ctx: &Context, n: usize, workspace: u64) -> Result<Plan> {
    let budget = ctx.budget();
    let workspace = workspace.saturating_add(product_bytes(n));
    let packed = Packed::<T>::bytes(n).saturating_add(workspace);
    if packed <= budget {
        let reason = format!(
            "the lower triangle of the {n} × {n} {} matrix and the solver take {}, within the budget of {}",
            T::NAME,
            bytes(packed),
            bytes(budget)
        );
        return Ok(Plan { storage: Storage::Packed, copy: false, bytes: packed, reason });
    }
    if workspace > budget {
        let hint =
            "request fewer components or targets, fit on fewer rows, or raise the memory budget";
        ctx.need("the solver", workspace, hint)?;
    }
    let reason = format!(
        "storing the lower triangle of the {n} × {n} {} matrix would take {}, beyond the budget of {}: tiles are \
         recomputed in each pass",
        T::NAME,
        bytes(packed),
        bytes(budget)
    );
    Ok(Plan { storage: Storage::MatrixFree, copy: false, bytes: workspace, reason })
}

/// From this size on, a copy in single precision pays.
const COPY_FROM: usize = 2000;

impl Plan {
    /// The plan for a precomputed matrix.
    #[doc(hidden)]
    pub fn given() -> Self {
        let reason = "the kernel matrix was precomputed".to_string();
        Self { storage: Storage::Packed, copy: false, bytes: 0, reason }
    }

    /// The Gram matrix of `x`, stored as planned. This is the only place that knows the storages apart.
    pub fn build<'a, P: Points + 'a, T: Real>(
        &self,
        ctx: &Context,
        kernel: &'a dyn Kernel<P, T>,
        x: &P,
    ) -> Result<Box<dyn Gram + 'a>> {
        Ok(match (self.storage, self.copy) {
            (Storage::Packed, false) => Box::new(Packed::fill(ctx, kernel, x)?),
            (Storage::Packed, true) => {
                let gram = Packed::fill(ctx, kernel, x)?;
                let copy = gram.map::<f32>(ctx, |_| ())?;
                Box::new(WithCopy { gram, copy })
            }
            (Storage::MatrixFree, false) => Box::new(MatrixFree::new(kernel, x.clone())),
            (Storage::MatrixFree, true) => {
                let copy = Packed::<f32>::fill_rounded(ctx, kernel, x)?;
                Box::new(WithCopy { gram: MatrixFree::new(kernel, x.clone()), copy })
            }
        })
    }

    /// The storage in a few words.
    #[doc(hidden)]
    pub fn words(&self) -> String {
        let storage = match self.storage {
            Storage::Packed => "packed",
            Storage::MatrixFree => "tiled",
        };
        let copy = if self.copy { " and a copy in single precision" } else { "" };
        format!("{storage}{copy}")
    }
}

/// As [`plan`], for a solver that multiplies with the matrix many times and corrects what it finds: such a one can do most
/// of its work on a copy in single precision, and gains most where the matrix itself does not fit the budget.
pub fn plan_with_copy<T: Real>(ctx: &Context, n: usize, workspace: u64) -> Result<Plan> {
    let mut plan = plan::<T>(ctx, n, workspace)?;
    let copy = Packed::<f32>::bytes(n);
    let total = plan.bytes.saturating_add(copy);
    if T::EPSILON < 1e-10 && n >= COPY_FROM && total <= ctx.budget() {
        plan.copy = true;
        plan.bytes = total;
        plan.reason += &format!("; a copy in single precision takes {}", bytes(copy));
    }
    Ok(plan)
}
