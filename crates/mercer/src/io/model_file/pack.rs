//! A model as header and tensors.

use std::io::{self, Write};

use safetensors::tensor::{Dtype as TensorType, Metadata, TensorInfo};
use serde_json::Value;

use super::frame::{CHECKSUM, KEY, MAX_HEAD};
use super::header::Header;
use super::tensors::{Content, Tensor};
use super::{Dtype, FORMAT, Model, Saved, check, svm};
use crate::error::{Error, Result};
use crate::model::kernel_pca::KernelPca;
use crate::model::kernel_ridge::{KernelRidge, Selection};
use crate::model::pca::Pca;
use crate::real::Real;

/// A model that is ready to be written.
pub struct Packed<'a> {
    head: Vec<u8>,
    tensors: Vec<Tensor<'a>>,
}

/// Checks a model and lays its file out.
pub fn pack(saved: &Saved) -> Result<Packed<'_>> {
    let refuse = |why: String| Error::Shape(format!("the model cannot be saved: {why}"));
    check::check(saved).map_err(refuse)?;
    let mut tensors = match &saved.model {
        Model::Pca(model) => pca_tensors(model),
        Model::KernelPca32(model) => kernel_pca_tensors(model),
        Model::KernelPca64(model) => kernel_pca_tensors(model),
        Model::KernelRidge32(model) => kernel_ridge_tensors(model),
        Model::KernelRidge64(model) => kernel_ridge_tensors(model),
        Model::Svm32(model) => svm::pack::tensors(model),
        Model::Svm64(model) => svm::pack::tensors(model),
    };
    side_tensors(saved, &mut tensors);
    // Wide numbers first: every array then starts at a multiple of its numbers' size.
    tensors.sort_by_key(|tensor| std::cmp::Reverse(tensor.dtype().bitsize()));
    let json = header(saved).and_then(|header| serde_json::to_string(&header));
    let head = head(json.map_err(|error| refuse(error.to_string()))?, &tensors)?;
    Ok(Packed { head, tensors })
}

impl Packed<'_> {
    /// Bytes of the file.
    pub fn len(&self) -> usize {
        8 + self.head.len() + self.tensors.iter().map(Tensor::len).sum::<usize>() + 4
    }

    /// Writes the file.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let mut summed = Summed { out, sum: crc32fast::Hasher::new() };
        summed.write_all(&(self.head.len() as u64).to_le_bytes())?;
        summed.write_all(&self.head)?;
        self.tensors.iter().try_for_each(|tensor| tensor.write_to(&mut summed))?;
        let Summed { out, sum } = summed;
        out.write_all(&sum.finalize().to_le_bytes())
    }
}

/// Passes bytes on and keeps their checksum.
struct Summed<'a, W> {
    out: &'a mut W,
    sum: crc32fast::Hasher,
}

impl<W: Write> Write for Summed<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn header(saved: &Saved) -> serde_json::Result<Header> {
    let model = &saved.model;
    let (params, inverse, precision, d) = match model {
        Model::Pca(model) => {
            (serde_json::to_value(&model.params)?, None, Dtype::F64, Some(model.d()))
        }
        Model::KernelPca32(model) => kernel_pca_header(model, Dtype::F32)?,
        Model::KernelPca64(model) => kernel_pca_header(model, Dtype::F64)?,
        Model::KernelRidge32(model) => kernel_ridge_header(model, Dtype::F32)?,
        Model::KernelRidge64(model) => kernel_ridge_header(model, Dtype::F64)?,
        Model::Svm32(model) => svm::pack::header(model, Dtype::F32)?,
        Model::Svm64(model) => svm::pack::header(model, Dtype::F64)?,
    };
    let (selection, classes) = choices(model);
    Ok(Header {
        format: FORMAT,
        mercer: env!("CARGO_PKG_VERSION").into(),
        estimator: model.estimator().into(),
        params,
        inverse,
        precision,
        dtype: saved.dtype,
        n: model.n(),
        d,
        k: model.k(),
        report: svm::pack::short_report(model.report()),
        selection,
        classes,
        calibration: svm::pack::calibration_header(model),
        scaling: saved.scaling.as_ref().map(|scaling| scaling.kind),
        extra: saved.extra.clone(),
    })
}

pub(super) type KernelHeader = (Value, Option<Value>, Dtype, Option<usize>);

fn kernel_pca_header<T: Real>(
    model: &KernelPca<T>,
    precision: Dtype,
) -> serde_json::Result<KernelHeader> {
    let inverse = model.inverse.as_ref().map(|inverse| serde_json::to_value(&inverse.params));
    let d = model.anchors.as_ref().map(|anchors| anchors.d());
    Ok((serde_json::to_value(&model.params)?, inverse.transpose()?, precision, d))
}

fn kernel_ridge_header<T: Real>(
    model: &KernelRidge<T>,
    precision: Dtype,
) -> serde_json::Result<KernelHeader> {
    let d = model.anchors.as_ref().map(|anchors| anchors.d());
    Ok((serde_json::to_value(&model.params)?, None, precision, d))
}

/// How a regression was chosen, and the classes of a classifier.
fn choices(model: &Model) -> (Option<Selection>, Option<Vec<String>>) {
    match model {
        Model::KernelRidge32(model) => (model.selection.clone(), model.classes.clone()),
        Model::KernelRidge64(model) => (model.selection.clone(), model.classes.clone()),
        Model::Svm32(model) => (None, model.classes.clone()),
        Model::Svm64(model) => (None, model.classes.clone()),
        Model::Pca(_) | Model::KernelPca32(_) | Model::KernelPca64(_) => (None, None),
    }
}

fn kernel_ridge_tensors<T: Real>(model: &KernelRidge<T>) -> Vec<Tensor<'_>> {
    let mut tensors = vec![
        Tensor::matrix("coef", &model.coef),
        Tensor::real("offset", &[model.t()], &model.offset),
    ];
    tensors.extend(model.weights.iter().map(|w| Tensor::real("weights", &[model.n()], w)));
    tensors.extend(model.anchors.iter().map(|anchors| Tensor::points("anchors", anchors)));
    tensors
}

fn pca_tensors(model: &Pca) -> Vec<Tensor<'_>> {
    vec![
        Tensor::real("mean", &[model.d()], &model.mean),
        Tensor::matrix("components", &model.components),
        Tensor::real("variance", &[model.k()], &model.variance),
        Tensor::number("total_variance", &model.total_variance),
        Tensor::number("noise_variance", &model.noise_variance),
    ]
}

fn kernel_pca_tensors<T: Real>(model: &KernelPca<T>) -> Vec<Tensor<'_>> {
    let mut tensors = vec![
        Tensor::real("eigenvalues", &[model.k()], &model.eigenvalues),
        Tensor::matrix("coef", &model.coef),
        Tensor::real("offset", &[model.k()], &model.offset),
        Tensor::number("trace", &model.trace),
        Tensor::number("mean", &model.mean),
    ];
    tensors.extend(model.anchors.iter().map(|anchors| Tensor::points("anchors", anchors)));
    if let Some(inverse) = &model.inverse {
        tensors.push(Tensor::points("inverse.anchors", &inverse.anchors));
        tensors.push(Tensor::matrix("inverse.coef", &inverse.coef));
        tensors.push(Tensor::real("inverse.offset", &[inverse.offset.len()], &inverse.offset));
    }
    tensors
}

/// Scaling and names. They grow with the number of columns, so they are tensors and no part of the header.
fn side_tensors<'a>(saved: &'a Saved, tensors: &mut Vec<Tensor<'a>>) {
    if let Some(scaling) = &saved.scaling {
        tensors.push(Tensor::real("scaling.shift", &[scaling.shift.len()], &scaling.shift));
        tensors.push(Tensor::real("scaling.factor", &[scaling.factor.len()], &scaling.factor));
    }
    if let Some(names) = &saved.feature_names {
        let ends = names.iter().scan(0, |end, name| {
            *end += name.len() as u64;
            Some(*end)
        });
        let (ends, text) = (Content::Places(ends.collect()), names.concat().into_bytes());
        let (count, length) = (names.len(), text.len());
        tensors.push(Tensor { name: "feature_names.ends", shape: vec![count], content: ends });
        let content = Content::Bytes(text);
        tensors.push(Tensor { name: "feature_names", shape: vec![length], content });
    }
}

/// The head with its padding.
fn head(json: String, tensors: &[Tensor<'_>]) -> Result<Vec<u8>> {
    let mut start = 0;
    let mut place = |dtype, shape, len| {
        let data_offsets = (start, start + len);
        start += len;
        TensorInfo { dtype, shape, data_offsets }
    };
    let mut infos: Vec<_> = tensors
        .iter()
        .map(|t| (t.name.to_string(), place(t.dtype(), t.shape.clone(), t.len())))
        .collect();
    infos.push((CHECKSUM.to_string(), place(TensorType::U8, vec![4], 4)));
    let notes = [(KEY.to_string(), json)].into_iter().collect();
    let refuse = |why: String| Error::Shape(format!("the model cannot be saved: {why}"));
    let metadata = Metadata::new(Some(notes), infos).map_err(|error| refuse(error.to_string()))?;
    let mut head = serde_json::to_vec(&metadata).map_err(|error| refuse(error.to_string()))?;
    head.resize(head.len().next_multiple_of(8), b' ');
    if head.len() > MAX_HEAD {
        let (size, most) = (head.len() as u64, MAX_HEAD as u64);
        let (size, most) = (crate::error::bytes(size), crate::error::bytes(most));
        let why =
            format!("its header takes {size}, and at most {most} fit: keep fewer notes in it");
        return Err(refuse(why));
    }
    Ok(head)
}
