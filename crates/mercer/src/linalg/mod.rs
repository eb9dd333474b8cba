//! Dense and sparse linear algebra: products, factorisations, elementwise functions. The only module that uses faer, and
//! the only one with unsafe code.

#![allow(unsafe_code)]

pub mod alloc;
pub mod block;
pub mod cholesky;
pub mod convolution;
pub mod division;
pub mod edit_distance;
pub mod eigen;
pub mod fourier;
pub mod gathered;
pub mod hamming;
pub mod inverse;
pub mod inverted_index;
pub mod nonzeros;
pub mod orthonormal;
pub mod packing;
pub mod pairing;
pub mod pairs;
pub mod pivots;
pub mod product;
pub mod rows;
pub mod scatter;
mod shared;
pub mod simd;
pub mod skinny;
pub mod sparse;
pub mod strips;
pub mod subsequences;
pub mod symmetric;
pub mod view;
pub mod vmath;
pub mod waves;
