//! Matrices of other libraries as input, and results as their matrices. Each is behind a feature of its name.
//!
//! | feature | in, without a copy | in, as samples | out |
//! |---|---|---|---|
//! | `ndarray` | `MatRef::try_from(array.view())`, for arrays in one piece | `Dense::try_from(array.view())` | `Array2::from(mat)` |
//! | `nalgebra` | `MatRef::from(&matrix)` | `Dense::try_from(&matrix)` | `DMatrix::from(mat)` |
//! | `faer` | – | `Dense::try_from(matrix.as_ref())` | `faer::Mat::from(mat)` |
//! | `arrow` | – | `Dense::try_from(&batch)` | `record_batch(&mat, &names)` |
//!
//! PCA and precomputed kernels read a `MatRef` in place; samples of kernel methods are stored by the model, so they are copied once.

#[cfg(feature = "arrow")]
mod arrow;
#[cfg(feature = "faer")]
mod faer;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;

#[cfg(feature = "arrow")]
pub use arrow::record_batch;
