//! Anything that acts as the symmetric n × n matrix of kernel values, stored or not.
//!
//! A storage only says how to come by a tile of the lower triangle ([`Tiles`]); products, diagonals and copies are
//! written once on top of that. Vectors are f64 throughout; tiles are f32 or f64.

mod assembled;
mod centred;
mod cluster_sums;
mod columns;
mod covariance;
mod exact_sums;
mod groups;
mod landmark_rows;
mod landmark_sketch;
mod landmark_sums;
mod landmark_total;
mod lines;
mod low_rank;
mod matrix;
mod matrix_free;
mod packed;
mod parameter_sums;
mod patches;
mod plan;
mod precomputed;
mod restricted;
mod scaled;
mod splits;
mod subset;
mod tiles;
mod weighted_centred;
mod with_copy;

#[doc(hidden)]
pub use assembled::Assembled;
#[doc(hidden)]
pub use centred::Centred;
#[doc(hidden)]
pub use cluster_sums::{ClusterRows, ClusterSums, ClusterTotal, Far, SpanCentres, UNASSIGNED};
#[doc(hidden)]
pub use columns::{ColumnBlock, Columns, Evaluated, Stored};
#[doc(hidden)]
pub use covariance::Covariance;
#[doc(hidden)]
pub use exact_sums::ExactSums;
#[doc(hidden)]
pub use groups::{Groups, Move, nearest};
pub(crate) use landmark_rows::add_products;
#[doc(hidden)]
pub use landmark_rows::{LandmarkRows, Leverages, RowScratch, RowValues};
#[doc(hidden)]
pub use landmark_sketch::{LandmarkSketch, add_image};
#[doc(hidden)]
pub use landmark_sums::{Batch, CHUNK, LandmarkSums, features, fill_kernel_values, kernel_values};
#[doc(hidden)]
pub use landmark_total::{GROUP, LandmarkTotal};
#[doc(hidden)]
pub use lines::Lines;
#[doc(hidden)]
pub use low_rank::LowRank;
pub use matrix::matrix;
#[doc(hidden)]
pub use matrix::matrix_bytes;
#[doc(hidden)]
pub use matrix_free::MatrixFree;
#[doc(hidden)]
pub use packed::Packed;
#[doc(hidden)]
pub use parameter_sums::{TileWeights, parameter_sums};
#[doc(hidden)]
pub use patches::{Patches, Reach};
#[doc(hidden)]
pub use plan::plan_with_copy;
#[doc(hidden)]
pub use plan::{Plan, plan};
#[doc(hidden)]
pub use precomputed::Precomputed;
#[doc(hidden)]
pub use restricted::Restricted;
#[doc(hidden)]
pub use scaled::Scaled;
#[doc(hidden)]
pub use splits::Splits;
#[doc(hidden)]
pub use tiles::{TILE, Tiles, product_bytes};
#[doc(hidden)]
pub use weighted_centred::WeightedCentred;

use crate::context::Context;
use crate::error::Result;
pub use crate::linalg::block::Block;
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;
use crate::points::Dtype;

/// A symmetric matrix that can be multiplied with a block of vectors.
pub trait Operator: Send + Sync {
    /// Rows, which is columns.
    fn n(&self) -> usize;
    /// `out ← A · v`.
    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()>;
}

/// A symmetric matrix whose entries can be read. A new storage implements [`Operator`] and `diag`; what it can do in a better way than by products, it
/// overrides.
pub trait Gram: Operator {
    /// The diagonal.
    fn diag(&self, ctx: &Context) -> Result<Vec<f64>>;
    /// The columns `which`: n × which.len(). By default, products with unit vectors.
    fn columns(&self, ctx: &Context, which: &[usize]) -> Result<Mat<f64>> {
        let mut units = Mat::try_zeros(self.n(), which.len())?;
        which.iter().enumerate().for_each(|(column, &row)| units[(row, column)] = 1.0);
        times_by_blocks(self, ctx, &units)
    }
    /// An n × n matrix whose lower triangle is this one's; the part above the diagonal is undefined.
    #[doc(hidden)]
    fn lower(&self, ctx: &Context) -> Result<Mat<f64>> {
        self.columns(ctx, &(0..self.n()).collect::<Vec<_>>())
    }
    /// The same in single precision, for factors that are corrected afterwards.
    #[doc(hidden)]
    fn lower_f32(&self, ctx: &Context) -> Result<Mat<f32>> {
        let values = self.lower(ctx)?.into_vec();
        Ok(Mat::from_vec(values.into_iter().map(|v| v as f32).collect(), self.n(), self.n()))
    }
    /// A Cholesky factor of this matrix with `ridge` added to its diagonal, where the matrix makes one itself.
    #[doc(hidden)]
    fn factor(&self, _ctx: &Context, _ridge: f64) -> Option<Result<Box<dyn Factor>>> {
        None
    }

    /// The number type of the entries: how far they are rounded.
    fn dtype(&self) -> Dtype {
        Dtype::F64
    }

    /// A matrix that is nearly this one and quicker to multiply with, for solvers that correct what they find.
    #[doc(hidden)]
    fn rough(&self) -> Option<&dyn Gram> {
        None
    }

    /// K · x for x of any number of columns: n × m.
    #[doc(hidden)]
    fn times(&self, ctx: &Context, x: &Mat<f64>) -> Result<Mat<f64>> {
        times_by_blocks(self, ctx, x)
    }

    /// xᵀKx for the vectors x of all splits.
    #[doc(hidden)]
    fn forms(&self, ctx: &Context, splits: &Splits) -> Result<Vec<f64>> {
        splits::by_blocks(self, ctx, splits)
    }

    /// The sums of columns over k groups, sample j being in group `labels[j]` with weight `weights[j]`.
    #[doc(hidden)]
    fn group(&self, ctx: &Context, labels: &[usize], weights: &[f64], k: usize) -> Result<Groups> {
        groups::by_products(self, ctx, labels, weights, k)
    }

    /// Updates such sums after some samples went from one group to another.
    #[doc(hidden)]
    fn regroup(&self, ctx: &Context, moves: &[Move], groups: &mut Groups) -> Result<()> {
        groups::by_columns(self, ctx, moves, groups)
    }

    /// Whether that takes less time than recomputing the sums.
    #[doc(hidden)]
    fn regrouping_pays(&self, moved: usize, k: usize) -> bool {
        4 * moved < self.n() / 2 * k.div_ceil(WIDTH)
    }
}

/// L of L·Lᵀ = K + ridge, wherever it is held.
#[doc(hidden)]
pub trait Factor {
    /// Replaces `right` (n × m) by (K + ridge)⁻¹ · right.
    fn solve(&self, ctx: &Context, right: &mut Mat<f64>) -> Result<()>;
    /// The diagonal of L.
    fn diagonal(&self) -> Vec<f64>;
}

/// A · x, sixteen columns at a time.
fn times_by_blocks<A: Operator + ?Sized>(a: &A, ctx: &Context, x: &Mat<f64>) -> Result<Mat<f64>> {
    let (n, m) = (x.rows(), x.cols());
    let mut out = Mat::try_zeros(n, m)?;
    for from in (0..m).step_by(WIDTH) {
        let width = WIDTH.min(m - from);
        let v = Block::from_fn(n, |i, c| if c < width { x[(i, from + c)] } else { 0.0 });
        let mut image = Block::try_zeros(n)?;
        a.apply(ctx, &v, &mut image)?;
        for (i, lane) in image.lanes().iter().enumerate() {
            out.row_mut(i)[from..from + width].copy_from_slice(&lane[..width]);
        }
    }
    Ok(out)
}
