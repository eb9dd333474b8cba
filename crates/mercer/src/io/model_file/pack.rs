//! A model as header and tensors.

use std::io::{self, Write};

use safetensors::tensor::{Dtype as TensorType, Metadata, TensorInfo};

use super::frame::{CHECKSUM, KEY, MAX_HEAD};
use super::header::Header;
use super::tensors::{Content, Tensor};
use super::{FORMAT, ModelFile, check, svm};
use crate::error::{Error, Result};

/// A model that is ready to be written.
pub struct Packed<'a> {
    head: Vec<u8>,
    tensors: Vec<Tensor<'a>>,
}

/// Checks a model and lays its file out.
pub fn pack(saved: &ModelFile) -> Result<Packed<'_>> {
    let refuse = |why: String| Error::Shape(format!("the model cannot be saved: {why}"));
    check::check(saved).map_err(refuse)?;
    let mut tensors = saved.model.persist().tensors();
    side_tensors(saved, &mut tensors);
    // Wide numbers first: every array then starts at a multiple of its numbers' size.
    tensors.sort_by_key(|tensor| std::cmp::Reverse(tensor.dtype().bitsize()));
    let json = header(saved).and_then(|header| serde_json::to_string(&header));
    let head = head(json.map_err(|error| refuse(error.to_string()))?, &tensors)?;
    Ok(Packed { head, tensors })
}

/// A header in JSON and tensors as one file.
pub(super) fn laid_out(json: String, mut tensors: Vec<Tensor<'_>>) -> Result<Packed<'_>> {
    tensors.sort_by_key(|tensor| std::cmp::Reverse(tensor.dtype().bitsize()));
    let head = head(json, &tensors)?;
    Ok(Packed { head, tensors })
}

impl Packed<'_> {
    /// Bytes of the file.
    pub fn len(&self) -> usize {
        8 + self.head.len() + self.tensors.iter().map(Tensor::len).sum::<usize>() + 4
    }

    /// Writes the file.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        let mut writer = ChecksumWriter { out, sum: crc32fast::Hasher::new() };
        writer.write_all(&(self.head.len() as u64).to_le_bytes())?;
        writer.write_all(&self.head)?;
        self.tensors.iter().try_for_each(|tensor| tensor.write_to(&mut writer))?;
        let ChecksumWriter { out, sum } = writer;
        out.write_all(&sum.finalize().to_le_bytes())
    }
}

/// Passes bytes on and keeps their checksum.
struct ChecksumWriter<'a, W> {
    out: &'a mut W,
    sum: crc32fast::Hasher,
}

impl<W: Write> Write for ChecksumWriter<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.out.write(bytes)?;
        self.sum.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn header(saved: &ModelFile) -> serde_json::Result<Header> {
    let model = saved.model.persist();
    let metadata = model.metadata();
    Ok(Header {
        format: FORMAT,
        mercer: env!("CARGO_PKG_VERSION").into(),
        estimator: metadata.estimator.into(),
        params: model.params()?,
        inverse: model.inverse()?,
        precision: metadata.precision,
        dtype: saved.dtype,
        n: metadata.n,
        d: metadata.d,
        samples: metadata.samples,
        k: metadata.k,
        report: svm::pack::short_report(metadata.report),
        selection: model.selection(),
        classes: model.classes(),
        calibration: model.calibration(),
        scaling: saved.scaling.as_ref().map(|scaling| scaling.kind),
        extra: saved.extra.clone(),
    })
}

/// Scaling and names. They grow with the number of columns, so they are tensors and no part of the header.
fn side_tensors<'a>(saved: &'a ModelFile, tensors: &mut Vec<Tensor<'a>>) {
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
        tensors.push(Tensor {
            name: "feature_names.ends".into(),
            shape: vec![count],
            content: ends,
        });
        let content = Content::Bytes(text);
        tensors.push(Tensor { name: "feature_names".into(), shape: vec![length], content });
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
        let why = format!("its header takes {size}, but at most {most} fit: store fewer notes");
        return Err(refuse(why));
    }
    Ok(head)
}
