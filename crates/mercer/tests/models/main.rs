//! Models proved by laws, by naive oracles and by the worked numbers of the mathematics they implement.

mod batches;
mod certificate;
mod continued;
mod definite;
mod detector;
mod kernel_kmeans;
mod kernel_pca;
mod kernel_ridge;
mod kinds;
mod landmark_features;
mod landmark_means;
mod landmark_search;
mod landmarks;
mod low_rank;
mod naive;
mod outside;
mod pca;
mod preimage;
mod projection_law;
mod reports;
mod run;
mod search;
mod shares;
mod streams;
mod svm;
mod time_limit;
