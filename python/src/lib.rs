//! The extension module of the Python package: numpy arrays in and out, errors as exceptions, the interpreter released while
//! work is done. No mathematics lives here; `mercer/_core.pyi` lists what Python sees.

mod anchors;
mod arrays;
mod blocks;
mod contexts;
mod custom;
mod detector;
mod enter;
mod errors;
mod feature_map;
mod features;
mod fit;
mod gaussian_process;
mod hypothesis;
mod kernels;
mod kmeans;
mod landmarks;
mod model;
mod nystroem;
mod optimize;
mod passes;
mod posterior;
mod preimage;
mod ridge;
mod samples;
mod search;
mod sparse;
mod svm;
mod validity;

use pyo3::prelude::*;

/// The extension module of the package `mercer`; its functions are called by the Python modules of the package.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::blocks::{Blocks, TableScan, write_pieces};
    #[pymodule_export]
    use super::contexts::{available_memory, available_threads, vector_instructions};
    #[pymodule_export]
    use super::detector::{detector_facts, detector_scores, fit_detector, with_contamination};
    #[pymodule_export]
    use super::enter::is_stopping;
    #[cfg(debug_assertions)]
    #[pymodule_export]
    use super::enter::panic_on_purpose;
    #[pymodule_export]
    use super::errors::{FormatError, InternalError, OutOfTimeError};
    #[pymodule_export]
    use super::feature_map::{FeatureMap, TextMap};
    #[pymodule_export]
    use super::features::{
        feature_waves, features, features_facts, features_of_values, fit_features, sketch_hashes,
    };
    #[pymodule_export]
    use super::fit::{fit_kernel_pca, fit_pca};
    #[pymodule_export]
    use super::gaussian_process::{
        fit_gaussian_process, process_gradients, process_likelihood, process_parameters,
    };
    #[pymodule_export]
    use super::hypothesis::{column_tests, hsic, mmd, stein, witness};
    #[pymodule_export]
    use super::kernels::{
        canonical, families, fill_matrix, filled, purpose, resolve, shape, usual_scaling,
    };
    #[pymodule_export]
    use super::kmeans::{fit_kernel_kmeans, kmeans_distances, kmeans_facts, kmeans_labels};
    #[pymodule_export]
    use super::landmarks::{continue_fit, landmark_residuals};
    #[pymodule_export]
    use super::model::{Model, load};
    #[pymodule_export]
    use super::nystroem::{fit_landmark_features, landmark_normalization, measured_features};
    #[pymodule_export]
    use super::passes::{
        Pass, fit_svm_cell, fit_svm_cells, group_rows, merge_parts, remote_scaling,
    };
    #[pymodule_export]
    use super::posterior::PosteriorStd;
    #[pymodule_export]
    use super::preimage::{preimage_errors, preimages};
    #[pymodule_export]
    use super::ridge::{
        coefficients, fit_kernel_ridge, offsets, predict, remarks, sampled_widths, widths,
    };
    #[pymodule_export]
    use super::samples::Samples;
    #[pymodule_export]
    use super::search::{continue_search, search};
    #[pymodule_export]
    use super::svm::{
        calibrate_svm, fit_svm, read_libsvm, svm_classes, svm_coefficients, svm_decisions,
        svm_facts, svm_path, svm_search, write_libsvm,
    };

    #[pymodule_export]
    use super::validity::{
        asymmetry, check_matrix, check_memory, repair, repair_facts, repaired, repaired_diagonal,
    };

    #[pymodule_init]
    fn init(module: &super::Bound<'_, super::PyModule>) -> super::PyResult<()> {
        use pyo3::types::PyModuleMethods;
        // An invalid value of MERCER_SIMD is reported once, at import, and not in the middle of some work.
        mercer::linalg::simd::chosen()
            .map_err(|error| pyo3::exceptions::PyImportError::new_err(error.to_string()))?;
        mercer_cuda::provide();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
