//! The file form of a fitted feature map.

use serde_json::Value;

use super::check::{Checked, count, finite, kernel};
use super::frame::Fault;
use super::header::{self, Header};
use super::persist::{Metadata, Persist};
use super::tensors::{Content, Tensor, Tensors};
use super::unpack::params;
use crate::kernel::{FeatureMap, Fourier, MOST_FEATURES, Sketch};
use crate::model::features::{ApproximationError, KernelFeatures, KernelFeaturesParams};

impl Persist for KernelFeatures {
    fn metadata(&self) -> Metadata<'_> {
        Metadata {
            estimator: header::KERNEL_FEATURES,
            n: self.n,
            d: Some(self.d()),
            samples: None,
            k: self.k(),
            precision: self.dtype,
            report: &self.report,
        }
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let mut tensors = Vec::new();
        if let Some(fourier) = self.map.as_fourier() {
            tensors.push(Tensor::matrix("frequencies", &fourier.frequencies));
            tensors.push(Tensor::real("phases", &[fourier.phases.len()], &fourier.phases));
        }
        if let Some(sketch) = self.map.as_sketch() {
            let shape = [sketch.places.len(), sketch.places.first().map_or(0, Vec::len)];
            let places = sketch.places.iter().flatten().map(|&place| u64::from(place));
            tensors.push(Tensor::places("places", &shape, places));
            let content = Content::Made(sketch.signs.concat());
            tensors.push(Tensor { name: "signs".into(), shape: shape.to_vec(), content });
        }
        if let Some(error) = self.error {
            let numbers = [error.pairs as f64, error.mean, error.rms, error.max, error.kernel_rms];
            let content = Content::Made(numbers.to_vec());
            tensors.push(Tensor { name: "error".into(), shape: vec![5], content });
        }
        tensors
    }

    fn check(&self) -> Checked {
        if self.n == 0 {
            return Err("a feature map needs at least one sample".into());
        }
        kernel(&self.params.kernel, self.dtype)?;
        if let Some(fourier) = self.map.as_fourier() {
            finite("frequencies", fourier.frequencies.data())?;
            finite("phases", &fourier.phases)?;
        }
        if let Some(sketch) = self.map.as_sketch() {
            check_sketch(sketch, self.d())?;
        }
        match self.error {
            None => Ok(()),
            Some(error) => finite("error", &[error.mean, error.rms, error.max, error.kernel_rms]),
        }
    }
}

fn check_sketch(sketch: &Sketch, d: usize) -> Checked {
    let entries = d + usize::from(sketch.coef0 > 0.0);
    for (places, signs) in sketch.places.iter().zip(&sketch.signs) {
        count("places", places.len(), entries)?;
        count("signs", signs.len(), entries)?;
        if let Some(place) = places.iter().find(|place| **place as usize >= sketch.components) {
            return Err(format!("there is no feature {place}: there are {}", sketch.components));
        }
        if let Some(sign) = signs.iter().find(|sign| sign.abs() != 1.0) {
            return Err(format!("a sign is {sign}, neither 1 nor -1"));
        }
    }
    Ok(())
}

/// A fitted feature map. Whether its parts fit together is checked here, as far as the map itself needs it.
pub fn unpack(header: &Header, tensors: &mut Tensors<'_>) -> Result<KernelFeatures, Fault> {
    let invalid = |text: &str| Fault::Invalid(text.into());
    let params: KernelFeaturesParams = params(&header.params)?;
    let d = header.d.ok_or_else(|| invalid("its number of features is missing"))?;
    if d == 0 || header.k == 0 || header.k > MOST_FEATURES {
        return Err(invalid("its number of columns or features is impossible"));
    }
    let map = match (tensors.has("frequencies"), tensors.has("places")) {
        (true, _) => FeatureMap::from_fourier(fourier(header, tensors, d)?, d),
        (_, true) => FeatureMap::from_sketch(sketch(header, tensors, &params, d)?, d),
        _ if params.random.is_some() => return Err(invalid("its random features are missing")),
        _ => FeatureMap::new(&params.kernel, d, &params.options(None)),
    };
    let map = map.map_err(|error| Fault::Invalid(error.to_string()))?;
    if map.dimension() != header.k {
        return Err(Fault::Invalid(format!(
            "its map has {} features, not {}",
            map.dimension(),
            header.k
        )));
    }
    let error = tensors.has("error").then(|| error(tensors)).transpose()?;
    let (n, dtype, report) = (header.n, header.precision, header.report.clone());
    Ok(KernelFeatures { params, map, n, dtype, error, report })
}

fn fourier(header: &Header, tensors: &mut Tensors<'_>, d: usize) -> Result<Fourier, Fault> {
    let singles = tensors.length("phases")?;
    let pairs = header.k.checked_sub(singles).filter(|paired| paired % 2 == 0);
    let pairs = pairs.ok_or_else(|| Fault::Invalid("its phases do not fit its features".into()))?;
    let frequencies = tensors.matrix("frequencies", d, pairs / 2 + singles)?;
    Ok(Fourier { frequencies, phases: tensors.real("phases", &[singles])? })
}

fn sketch(
    header: &Header,
    tensors: &mut Tensors<'_>,
    params: &KernelFeaturesParams,
    d: usize,
) -> Result<Sketch, Fault> {
    let leaf = params.kernel.as_leaf().filter(|leaf| leaf.family().name == "poly");
    let leaf = leaf.ok_or_else(|| Fault::Invalid("only poly has a sketch".into()))?;
    let number = |name: &str| {
        let found = leaf.optional(name);
        found.ok_or_else(|| Fault::Invalid(format!("its kernel has no number for {name}")))
    };
    let (degree, coef0) = (number("degree")? as usize, number("coef0")?);
    let shape = [degree, d + usize::from(coef0 > 0.0)];
    let places = tensors.places("places", &shape)?;
    let signs: Vec<f64> = tensors.real("signs", &shape)?;
    let places = places.iter().map(|&place| u32::try_from(place).unwrap_or(u32::MAX));
    let places: Vec<u32> = places.collect();
    Ok(Sketch {
        gamma: number("gamma")?,
        coef0,
        components: header.k,
        places: places.chunks(shape[1]).map(<[u32]>::to_vec).collect(),
        signs: signs.chunks(shape[1]).map(<[f64]>::to_vec).collect(),
    })
}

fn error(tensors: &mut Tensors<'_>) -> Result<ApproximationError, Fault> {
    let numbers: Vec<f64> = tensors.real("error", &[5])?;
    let [pairs, mean, rms, max, kernel_rms] = numbers[..] else {
        return Err(Fault::Invalid("its error has not five numbers".into()));
    };
    Ok(ApproximationError { pairs: pairs as usize, mean, rms, max, kernel_rms })
}
