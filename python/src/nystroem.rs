//! Nyström features: kernel PCA along the directions of landmarks.

use mercer::io::{Model as Fitted, ModelFile};
use mercer::model::inverse::InverseParams;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::{KernelSpec, Mat};
use mercer_guard::guarded;
use numpy::PyArray2;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arrays::{OutputArray, copied, with_output};
use crate::enter::{Run, enter};
use crate::fit::dtype_named;
use crate::kernels::KernelArg;
use crate::landmarks::LandmarkSettings;
use crate::model::Model;
use crate::samples::{Given, Samples};

/// The parameters of Nyström features, from a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct FeatureSettings<'py> {
    kernel: KernelArg<'py>,
    landmarks: LandmarkSettings<'py>,
    /// The penalty of the inverse map, if there is to be one.
    inverse: Option<f64>,
    dtype: String,
}

impl FeatureSettings<'_> {
    fn params(&self, py: Python<'_>) -> PyResult<KernelPcaParams> {
        let (kernel, landmarks) = (self.kernel.spec(py)?, self.landmarks.params()?);
        let mut params = KernelPcaParams::landmark_features(kernel, landmarks);
        params.inverse = self.inverse.map(|alpha| InverseParams {
            kernel: KernelSpec::linear(),
            alpha: Some(alpha),
            center: true,
        });
        Ok(params)
    }
}

/// Fits features on samples, which may come in blocks; without `measured`, what the report says of all samples is left to `measured_features`.
#[guarded]
#[pyfunction]
pub fn fit_landmark_features(
    py: Python<'_>,
    x: Given<'_>,
    settings: FeatureSettings<'_>,
    measured: bool,
    run: Run,
) -> PyResult<Model> {
    let params = settings.params(py)?;
    let model = match &x {
        Given::Blocks(blocks) => {
            let (mut rows, dtype) = (blocks.get().rows(py), blocks.get().dtype);
            enter(py, &run, |ctx| KernelPca::fit_blocks(ctx, &params, &mut rows, dtype))?
        }
        Given::Samples(x) if !measured => {
            let x = x.get().samples();
            enter(py, &run, |ctx| KernelPca::choose_landmarks(ctx, &params, x))?
        }
        x => {
            let input = x.input()?;
            enter(py, &run, |ctx| KernelPca::fit(ctx, &params, input))?
        }
    };
    Ok(Model::holding(ModelFile::new(model.into(), dtype_named(&settings.dtype))))
}

/// Writes the features of the training samples, and returns the model with a complete report.
#[guarded]
#[pyfunction]
pub fn measured_features(
    py: Python<'_>,
    model: &Bound<'_, Model>,
    x: &Bound<'_, Samples>,
    out: OutputArray<'_>,
    run: Run,
) -> PyResult<Model> {
    let saved = model.get().saved();
    let (mut next, x) = (features_of(&saved.model)?.clone(), x.get().samples());
    with_output!(out, out => enter(py, &run, |ctx| next.features_of_rows(ctx, x, out)))?;
    Ok(Model::holding(ModelFile { model: next.into(), ..saved.clone() }))
}

/// L⁻¹ (m × m), which kernel values with the landmarks are multiplied by.
#[guarded]
#[pyfunction]
pub fn landmark_normalization<'py>(
    py: Python<'py>,
    model: &Bound<'py, Model>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let coef = &features_of(&model.get().saved().model)?.coef;
    Ok(copied(py, &Mat::from_fn(coef.cols(), coef.rows(), |i, j| coef[(j, i)])))
}

fn features_of(model: &Fitted) -> PyResult<&KernelPca> {
    match model {
        Fitted::KernelPca(model) => Ok(model),
        _ => Err(PyTypeError::new_err("this model has no landmarks")),
    }
}
