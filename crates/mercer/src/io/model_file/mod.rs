//! Fitted models in files: one safetensors file with a JSON header and a checksum, the same for every interface.
//! `docs/model-file.md` describes it byte by byte.
//!
//! A file is checked in this order, each step relying on the one before: the frame (lengths and byte ranges agree with
//! the bytes that are there), the checksum, the format version, the header, the tensors, and last the model as a whole.
//! The checksum finds damage. It is no signature: whoever alters a file can compute it anew, so every later step
//! distrusts the numbers all the same.

mod check;
mod classes_note;
mod detector;
mod features;
mod frame;
mod header;
mod kmeans;
mod landmarks;
mod notes;
mod pack;
mod packed_sums;
mod packet;
mod persist;
pub(super) mod read;
mod repair;
mod samples;
pub(super) mod svm;
mod tensors;
mod unique;
mod unpack;

#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;

use serde_json::{Map, Value};

use crate::context::available_memory;
use crate::error::{Error, Result};
use crate::io::atomic::{Staged, write_whole};
use crate::io::libsvm_model;
use crate::kernel::KernelSpec;
use crate::model::detector::Detector;
use crate::model::features::KernelFeatures;
use crate::model::kernel_kmeans::KernelKMeans;
use crate::model::kernel_pca::KernelPca;
use crate::model::kernel_ridge::KernelRidge;
use crate::model::pca::Pca;
use crate::model::svm::Svm;
use crate::model::validity::FittedRepair;
use crate::model::{Report, Scaling};
use crate::points::{AnySamples, Dtype};
#[doc(hidden)]
pub use packet::{packet_from_bytes, packet_to_bytes};
use persist::Persist;

/// The format that is written, and the newest that is read.
#[doc(hidden)]
pub const FORMAT: u64 = 1;

/// The key of the note that a model was read from a text file of LIBSVM, which does not contain the number of features.
#[doc(hidden)]
pub const LIBSVM_TEXT: &str = "libsvm_text";

/// A fitted model of any kind that can be saved.
#[derive(Clone)]
pub enum Model {
    /// PCA.
    Pca(Pca),
    /// Kernel PCA.
    KernelPca(KernelPca),
    /// Kernel ridge regression.
    KernelRidge(KernelRidge),
    /// A support vector machine.
    Svm(Svm),
    /// Kernel k-means.
    KernelKMeans(KernelKMeans),
    /// A detector of unusual samples.
    Detector(Detector),
    /// A repair of kernel matrices.
    Repair(FittedRepair),
    /// Features whose inner products approximate a kernel.
    KernelFeatures(KernelFeatures),
}

macro_rules! models {
    ($($variant:ident($model:ty)),*) => {
        $(impl From<$model> for Model {
            fn from(model: $model) -> Self {
                Model::$variant(model)
            }
        })*

        impl Model {
            /// The model as something that can be saved.
            fn persist(&self) -> &dyn Persist {
                match self {
                    $(Model::$variant(model) => model,)*
                }
            }

            fn persist_mut(&mut self) -> &mut dyn Persist {
                match self {
                    $(Model::$variant(model) => model,)*
                }
            }
        }
    };
}

models!(
    Pca(Pca),
    KernelPca(KernelPca),
    KernelRidge(KernelRidge),
    Svm(Svm),
    KernelKMeans(KernelKMeans),
    Detector(Detector),
    Repair(FittedRepair),
    KernelFeatures(KernelFeatures)
);

impl Model {
    /// Its kernel, and the samples that it keeps; nothing for a model without a kernel.
    #[doc(hidden)]
    pub fn kernel(&self) -> Option<(&KernelSpec, Option<&AnySamples>)> {
        self.persist().kernel()
    }

    /// The same, to be changed: what a file cannot store is put back.
    #[doc(hidden)]
    pub fn kernel_mut(&mut self) -> Option<(&mut KernelSpec, &mut Option<AnySamples>)> {
        self.persist_mut().kernel_mut()
    }

    /// The parameters of the fit, as JSON.
    #[doc(hidden)]
    pub fn params(&self) -> serde_json::Result<Value> {
        self.persist().params()
    }

    /// The estimator's name in files: `"pca"`, `"kernel_pca"`, `"kernel_ridge"`, `"svm"`, `"kernel_kmeans"`,
    /// `"kernel_pca_detector"`, `"kernel_repair"` or `"kernel_features"`.
    #[doc(hidden)]
    pub fn estimator(&self) -> &'static str {
        self.persist().metadata().estimator
    }

    /// The number type that the model works in.
    #[doc(hidden)]
    pub fn precision(&self) -> Dtype {
        self.persist().metadata().precision
    }

    /// Columns of the input: features or, for a model of a given kernel matrix, training samples.
    #[doc(hidden)]
    pub fn inputs(&self) -> usize {
        self.persist().metadata().d.unwrap_or(self.n())
    }

    /// Training samples.
    #[doc(hidden)]
    pub fn n(&self) -> usize {
        self.persist().metadata().n
    }

    /// Outputs: components, targets, decisions, or clusters.
    #[doc(hidden)]
    pub fn k(&self) -> usize {
        self.persist().metadata().k
    }

    /// The report of the fit.
    #[doc(hidden)]
    pub fn report(&self) -> &Report {
        self.persist().metadata().report
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (inputs, k) = (self.inputs(), self.k());
        write!(f, "Model({}: {inputs} columns → {k} outputs)", self.estimator())
    }
}

/// The content of a model file: a model with what is needed to use it on later tables.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// The model.
    pub model: Model,
    /// Applied to every column before the model sees it.
    pub scaling: Option<Scaling>,
    /// The names of the columns, as many as [`Model::inputs`].
    pub feature_names: Option<Vec<String>>,
    /// The number type of the samples it was fitted on, in which results are given back. It may differ from the type a
    /// model works in: PCA always works in double precision, and kernel PCA may work in single precision on demand.
    pub dtype: Dtype,
    /// A program's own notes, kept as they are. The header that carries them holds at most 1 MiB. The notes of the Python
    /// package and of the command line must have the form that `docs/model-file.md` describes.
    pub extra: Map<String, Value>,
}

impl ModelFile {
    /// A model without scaling, names and notes.
    pub fn new(model: Model, dtype: Dtype) -> Self {
        Self { model, scaling: None, feature_names: None, dtype, extra: Map::new() }
    }
}

/// Writes a model file, whole or not at all.
pub fn save(path: &Path, saved: &ModelFile) -> Result<()> {
    let packed = pack::pack(saved)?;
    write_whole(path, |out| written(path, packed.write_to(out)))
}

/// Prepares a model file among the other outputs of one run.
#[doc(hidden)]
pub fn stage_model(staged: &mut Staged, path: &Path, saved: &ModelFile) -> Result<()> {
    let packed = pack::pack(saved)?;
    staged.add(path, |out| written(path, packed.write_to(out)))
}

/// The content that [`save`] writes.
pub fn to_bytes(saved: &ModelFile) -> Result<Vec<u8>> {
    let packed = pack::pack(saved)?;
    let mut bytes = Vec::with_capacity(packed.len());
    let done = packed.write_to(&mut bytes).and_then(|()| bytes.flush());
    written(Path::new("memory"), done)?;
    Ok(bytes)
}

/// Reads a model file, also one of LIBSVM. What is neither is refused after its first bytes, however long it is.
pub fn load(path: &Path) -> Result<ModelFile> {
    load_within(path, available_memory())
}

/// As [`load`], within `max_bytes` of memory.
#[doc(hidden)]
pub fn load_within(path: &Path, max_bytes: u64) -> Result<ModelFile> {
    let bytes = read::whole(path, max_bytes)?;
    from_bytes_within(path, &bytes, max_bytes)
}

/// Reads a model from the content of a file, also of one of LIBSVM; `name` is for messages.
pub fn from_bytes(name: &Path, bytes: &[u8]) -> Result<ModelFile> {
    from_bytes_within(name, bytes, available_memory())
}

/// As [`from_bytes`], within `max_bytes` of memory beside the content.
#[doc(hidden)]
pub fn from_bytes_within(name: &Path, bytes: &[u8], max_bytes: u64) -> Result<ModelFile> {
    if libsvm_model::looks_like(bytes) {
        let model = libsvm_model::parse(name, bytes, max_bytes)?;
        let mut saved = ModelFile::new(Model::Svm(model), Dtype::F64);
        saved.extra.insert(LIBSVM_TEXT.into(), true.into());
        return Ok(saved);
    }
    unpack::unpack(bytes).map_err(|fault| Error::format(name, fault.text()))
}

fn written(path: &Path, done: std::io::Result<()>) -> Result<()> {
    done.map_err(|source| Error::file(path, source))
}
