//! Bytes as a model: refused, or written again as the same bytes, and evaluated.

use std::path::Path;

use mercer::Dense;
use mercer::MatRef;
use mercer::io::{Model, ModelFile, from_bytes_within, to_bytes};
use serde_json::Value;
use serde_json::de::Deserializer;

use crate::{BUDGET, context};

/// Columns, and numbers of a result, up to which a model is evaluated.
const MOST: usize = 1 << 12;

/// A model file. Lengths and checksum are repaired first, so that changes of the content reach the checks behind them.
pub fn model_file(data: &[u8]) {
    read(&repaired(data));
}

/// A model of LIBSVM.
pub fn libsvm_model(data: &[u8]) {
    read(data);
}

fn read(bytes: &[u8]) {
    let Ok(saved) = from_bytes_within(Path::new("input"), bytes, BUDGET) else { return };
    let written = to_bytes(&saved).expect("a model that was read can be written");
    let again = from_bytes_within(Path::new("written"), &written, 64 * BUDGET).expect("and read");
    assert!(to_bytes(&again).expect("written") == written, "a model changed on its way");
    evaluate(&saved);
}

/// The bytes with the length of the head, the length of the tensors and the checksum put right.
fn repaired(data: &[u8]) -> Vec<u8> {
    let Some(rest) = data.get(8..) else { return data.to_vec() };
    let mut heads = Deserializer::from_slice(rest).into_iter::<Value>();
    let Some(Ok(head)) = heads.next() else { return data.to_vec() };
    let (text, tensors) = rest.split_at(heads.byte_offset());
    let length = tensor_bytes(&head).unwrap_or(tensors.len());
    let mut bytes = (text.len() as u64).to_le_bytes().to_vec();
    bytes.extend(text);
    bytes.extend(tensors.iter().copied().chain(std::iter::repeat(0)).take(length));
    if let Some(end) = bytes.len().checked_sub(4).filter(|_| length >= 4) {
        bytes.truncate(end);
        bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    }
    bytes
}

/// The bytes that the tensors of a head take together, if that is a small number.
fn tensor_bytes(head: &Value) -> Option<usize> {
    let end = |info: &Value| info["data_offsets"][1].as_u64();
    let last = head.as_object()?.values().filter_map(end).max()?;
    usize::try_from(last).ok().filter(|last| *last <= 1 << 16)
}

/// Asks the model for what it is for. An error is fine, a panic is not.
fn evaluate(saved: &ModelFile) {
    let (ctx, model) = (context(), &saved.model);
    if model.inputs() > MOST || model.k() > MOST {
        return;
    }
    match model {
        Model::Pca(pca) => {
            let x = vec![0.5; pca.d()];
            drop(pca.transform(ctx, MatRef::new(&x, 1, pca.d(), pca.d())));
        }
        Model::KernelPca(pca) => drop(pca.transform(ctx, row(model))),
        Model::KernelRidge(ridge) => drop(ridge.predict(ctx, row(model))),
        Model::Svm(svm) => drop(svm.decisions(ctx, row(model))),
        Model::KernelKMeans(clusters) => drop(clusters.predict(ctx, row(model))),
        Model::Detector(detector) => drop(detector.scores(ctx, row(model))),
        Model::KernelFeatures(features) => drop(features.transform(ctx, row(model))),
        Model::Repair(repair) => {
            let n = repair.correction.samples;
            let x = vec![0.5; n];
            let _ = repair.correction.apply(MatRef::new(&x, 1, n, n));
            let _ = repair.correction.diagonal(MatRef::new(&x, 1, n, n), &[1.0]);
        }
    }
}

fn row(model: &Model) -> Dense<f64> {
    let d = model.inputs().max(1);
    Dense::from_vec(vec![0.5; d], 1, d).expect("finite rows")
}
