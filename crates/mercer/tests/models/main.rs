//! Models proved by laws, by naive oracles and by the worked numbers of the mathematics they implement.

mod certificate;
mod detector;
mod kernel_kmeans;
mod kernel_pca;
mod kernel_ridge;
mod kinds;
mod naive;
mod pca;
mod preimage;
mod run;
mod search;
mod svm;
