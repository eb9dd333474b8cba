//! Header and tensors as a model.

use safetensors::tensor::Dtype as TensorType;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::frame::{Fault, Frame};
use super::header::{self, Header};
use super::tensors::Tensors;
use super::{Model, ModelFile, check, detector, features, kmeans, landmarks, repair, samples, svm};
use crate::model::inverse::{Inverse, InverseParams};
use crate::model::kernel_pca::{KernelPca, KernelPcaParams};
use crate::model::kernel_ridge::KernelRidge;
use crate::model::origin::Origin;
use crate::model::pca::Pca;
use crate::model::{Prepared, Scaling};
use crate::points::{AnySamples, Dtype, with_dtype};
use crate::real::Real;

/// Reads the content of a model file.
pub fn unpack(bytes: &[u8]) -> Result<ModelFile, Fault> {
    let frame = Frame::parse(bytes)?;
    let header = Header::parse(&frame.header)?;
    let mut tensors = Tensors::new(&frame);
    let model = model(&header, &mut tensors)?;
    let inputs = header.d.unwrap_or(header.n);
    let scaling = scaling(&header, &mut tensors, inputs)?;
    let feature_names = feature_names(&mut tensors, inputs)?;
    tensors.finish()?;
    let saved =
        ModelFile { model, scaling, feature_names, dtype: header.dtype, extra: header.extra };
    check::check(&saved).map_err(Fault::Invalid)?;
    Ok(saved)
}

fn model(header: &Header, tensors: &mut Tensors<'_>) -> Result<Model, Fault> {
    Ok(match header.estimator.as_str() {
        header::PCA => Model::Pca(pca(header, tensors)?),
        header::KERNEL_PCA => Model::KernelPca(kernel_pca(header, tensors)?),
        header::KERNEL_RIDGE => Model::KernelRidge(kernel_ridge(header, tensors)?),
        header::SVM => Model::Svm(svm::unpack::svm(header, tensors)?),
        header::KERNEL_KMEANS => Model::KernelKMeans(kmeans::unpack(header, tensors)?),
        header::DETECTOR => Model::Detector(detector::unpack(header, tensors)?),
        header::KERNEL_REPAIR => Model::Repair(repair::unpack(header, tensors)?),
        header::KERNEL_FEATURES => Model::KernelFeatures(features::unpack(header, tensors)?),
        other => return Err(Fault::Invalid(format!("unknown estimator {other:?}"))),
    })
}

fn pca(header: &Header, tensors: &mut Tensors<'_>) -> Result<Pca, Fault> {
    let no_features = || Fault::Invalid("its number of features is missing".into());
    let (d, k) = (header.d.ok_or_else(no_features)?, header.k);
    Ok(Pca {
        params: params(&header.params)?,
        n: header.n,
        mean: tensors.real("mean", &[d])?,
        components: tensors.matrix("components", k, d)?,
        variance: tensors.real("variance", &[k])?,
        total_variance: tensors.number("total_variance")?,
        noise_variance: tensors.number("noise_variance")?,
        report: header.report.clone(),
    })
}

fn kernel_pca(header: &Header, tensors: &mut Tensors<'_>) -> Result<KernelPca, Fault> {
    components(header, tensors, params(&header.params)?)
}

/// Kernel PCA with parameters that were read already.
pub(super) fn components(
    header: &Header,
    tensors: &mut Tensors<'_>,
    params: KernelPcaParams,
) -> Result<KernelPca, Fault> {
    let (n, k) = (header.n, header.k);
    // Components of samples in single precision may have been computed in double: the report of the file says so.
    let in_double = header.report.precision == f64::NAME;
    let center = params.center;
    Ok(KernelPca {
        params,
        eigenvalues: tensors.real("eigenvalues", &[k])?,
        coef: tensors.matrix("coef", n, k)?,
        offset: tensors.real("offset", &[k])?,
        trace: tensors.number("trace")?,
        mean: tensors.number("mean")?,
        origin: origin(tensors, n)?,
        landmarks: landmarks::unpack(header, tensors, n, 0, center)?,
        anchors: samples::anchors(header, tensors, n)?,
        dtype: header.precision,
        computed_in: if in_double { Dtype::F64 } else { header.precision },
        inverse: inverse(header, tensors)?,
        prepared: Prepared::default(),
        report: header.report.clone(),
    })
}

/// The sample that kernel values are taken relative to; files of models without an offset have none.
fn origin(tensors: &mut Tensors<'_>, n: usize) -> Result<Option<Origin>, Fault> {
    if !tensors.has("origin") {
        return Ok(None);
    }
    let sample = tensors.places("origin", &[1])?[0];
    let sample = usize::try_from(sample).unwrap_or(usize::MAX);
    let row = tensors.has("origin.row").then(|| tensors.real("origin.row", &[n])).transpose()?;
    Ok(Some(Origin { sample, mean: tensors.number("origin.mean")?, row }))
}

fn kernel_ridge(header: &Header, tensors: &mut Tensors<'_>) -> Result<KernelRidge, Fault> {
    let (n, t) = (header.n, header.k);
    let weights = tensors.has("weights").then(|| tensors.real("weights", &[n]));
    Ok(KernelRidge {
        params: params(&header.params)?,
        coef: tensors.matrix("coef", n, t)?,
        offset: tensors.real("offset", &[t])?,
        weights: weights.transpose()?,
        landmarks: landmarks::unpack(header, tensors, n, t, false)?,
        anchors: samples::anchors(header, tensors, n)?,
        dtype: header.precision,
        classes: header.classes.clone(),
        selection: header.selection.clone(),
        prepared: Prepared::default(),
        report: header.report.clone(),
    })
}

fn inverse(header: &Header, tensors: &mut Tensors<'_>) -> Result<Option<Inverse>, Fault> {
    let Some(value) = &header.inverse else { return Ok(None) };
    let Some(d) = header.d else {
        return Err(Fault::Invalid("it has an inverse map, but no samples".into()));
    };
    let (n, k) = (header.n, header.k);
    let params: InverseParams = params(value)?;
    let anchors: AnySamples = with_dtype!(header.precision, T => {
        tensors.dense::<T>("inverse.anchors", n, k)?.into()
    });
    let coef = tensors.matrix("inverse.coef", n, d)?;
    Ok(Some(Inverse { params, anchors, coef, offset: tensors.real("inverse.offset", &[d])? }))
}

pub(super) fn params<P: DeserializeOwned>(value: &Value) -> Result<P, Fault> {
    P::deserialize(value)
        .map_err(|error| Fault::Invalid(format!("its parameters cannot be read: {error}")))
}

fn scaling(
    header: &Header,
    tensors: &mut Tensors<'_>,
    inputs: usize,
) -> Result<Option<Scaling>, Fault> {
    let Some(kind) = header.scaling else { return Ok(None) };
    let shift = tensors.real("scaling.shift", &[inputs])?;
    let factor = tensors.real("scaling.factor", &[inputs])?;
    Ok(Some(Scaling { kind, shift, factor }))
}

/// Names lie one after another in one text, with the place where each ends.
fn feature_names(tensors: &mut Tensors<'_>, inputs: usize) -> Result<Option<Vec<String>>, Fault> {
    if !tensors.has("feature_names") && !tensors.has("feature_names.ends") {
        return Ok(None);
    }
    let ends = tensors.places("feature_names.ends", &[inputs])?;
    let bytes = tensors.bytes("feature_names", TensorType::U8, None)?;
    let wrong = |what: &str| Fault::Invalid(format!("its names of columns {what}"));
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("are not UTF-8"))?;
    let mut start = 0;
    let mut name = |end: u64| {
        let end = usize::try_from(end).ok()?;
        let name = text.get(start..end)?;
        start = end;
        Some(name.to_owned())
    };
    let names: Option<Vec<_>> = ends.iter().map(|&end| name(end)).collect();
    let names = names.ok_or_else(|| wrong("have ends out of order"))?;
    if start != text.len() {
        return Err(wrong("have trailing bytes"));
    }
    Ok(Some(names))
}
