//! Solving: free functions that see an operator or a Gram matrix and return coefficients. No kernels, points or models.

pub mod cg;
pub mod dual_descent;
pub mod eigen;
pub mod krylov;
pub mod landmark_cg;
pub mod lbfgs;
pub mod lloyd;
pub mod nystrom;
pub mod nystrom_path;
pub mod path;
pub mod pivoted_cholesky;
pub mod ridge;
pub mod share;
pub mod smo;
pub mod threshold;
