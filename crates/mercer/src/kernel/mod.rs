//! Kernels: pure functions of two samples, evaluated tile by tile. No caches and threads
//! here, and nothing of size n × n.
//!
//! A kernel on vectors is a *pairing* of two rows (dot product, squared distance, …) followed by a
//! *profile*, a function of that one number. Each family is one short file under `vector/`;
//! [`KernelSpec`] combines families, as text or as Rust expressions, and [`SpecKernel`] evaluates
//! the result.

pub mod conformance;
mod custom;
mod expression;
mod family;
mod feature_map;
mod hyperparameters;
mod registry;
mod relative;
mod spec;
mod string;
mod tile;
mod vector;

#[doc(hidden)]
pub use custom::Custom;
#[doc(hidden)]
pub use custom::{CustomKernel, ItemBlock};
pub use expression::SpecKernel;
#[doc(hidden)]
pub use expression::{Recentred, RowKernel};
pub use family::Family;
#[doc(hidden)]
pub use family::{Definite, Domain, Input, Parameter, Rule, Value};
pub use feature_map::{FeatureMap, FeatureMapOptions, Frequencies, RandomFeatures};
#[doc(hidden)]
pub use feature_map::{Fourier, MOST_FEATURES, Rows, Sketch};
#[doc(hidden)]
pub use hyperparameters::TunedKernel;
pub use registry::families;
#[doc(hidden)]
pub use relative::Relative;
pub use spec::KernelSpec;
pub(crate) use spec::nearest;
#[doc(hidden)]
pub use spec::{Filled, Hyperparameter, Leaf, Shape};
pub use string::StringMap;
#[doc(hidden)]
pub use string::StringMember;
pub use tile::Tile;
#[doc(hidden)]
pub use vector::{Formula, Gradients, Measured};

use crate::error::Result;
use crate::points::{Points, Span};
use crate::real::Real;

/// A symmetric function of two samples of a set `P`, with values of type `T`.
///
/// Contract: the value for a pair depends on the two samples alone, not on the tile it is computed
/// in (up to rounding), and is the same with the samples exchanged. [`conformance::check`] tests an
/// implementation.
pub trait Kernel<P: Points, T: Real>: Send + Sync {
    /// Writes k(row i, column j) to place (i, j) of `out`, whose shape is `rows.len()` ×
    /// `cols.len()`.
    fn tile(&self, rows: Span<'_, P>, cols: Span<'_, P>, out: Tile<'_, T>) -> Result<()>;

    /// Writes k(x, x) of every sample to `out`, of length `points.len()`.
    fn diag(&self, points: Span<'_, P>, out: &mut [T]) -> Result<()> {
        for (i, value) in out.iter_mut().enumerate() {
            let one = points.part(i..i + 1);
            self.tile(one, one, Tile::new(std::slice::from_mut(value), 1, 1, 1))?;
        }
        Ok(())
    }

    /// The description this kernel can be rebuilt from; `None` for a user-defined function.
    fn spec(&self) -> Option<KernelSpec> {
        None
    }
}
