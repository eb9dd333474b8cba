//! LIBSVM's model files: text that `svm-train` writes and `svm-predict` reads.
//!
//! A head of lines `key value …` ends in a line `SV`; then each support vector has a line `coef … index:value …`, or `coef …
//! 0:serial` where the kernel matrix was given. Two things are turned round on the way:
//!
//! - LIBSVM's classes are in the order in which they appeared, ours ascend.
//! - LIBSVM's decisions are positive for the first class of a pair; ours too, except with two classes in all.

mod body;
mod head;
mod read;
mod turn;
mod write;

#[cfg(test)]
mod tests;

use std::io::{BufWriter, Write};
use std::path::Path;

use super::atomic::{Staged, write_whole};
use super::model_file;
use crate::context::available_memory;
use crate::error::{Error, Result};
use crate::model::svm::Svm;

/// The word that every such file begins with.
const FIRST_WORD: &[u8] = b"svm_type";

/// Whether these first bytes of a file are those of a LIBSVM model.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    bytes
        .strip_prefix(FIRST_WORD)
        .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))
}

/// Reads a model of LIBSVM. What has no place in a support vector machine is mentioned in the notes of its report.
///
/// The file does not hold the number of features, but leaves zeros out: it is taken to be the last one that a support vector
/// has. Nor does it hold the training samples' number, in place of which stands that of the support vectors.
pub fn read_libsvm_model(path: &Path) -> Result<Svm> {
    let max_bytes = available_memory();
    parse(path, &model_file::read::text(path, max_bytes)?, max_bytes)
}

/// Reads a model from the content of a file; `path` is for messages.
pub(super) fn parse(path: &Path, bytes: &[u8], max_bytes: u64) -> Result<Svm> {
    read::parse(bytes, max_bytes).map_err(|fault| match fault {
        read::Fault::Text(message) => Error::format(path, message),
        read::Fault::Other(error) => error,
    })
}

/// Writes a model in LIBSVM's format, whole or not at all. What comes back are sentences about what the format could not
/// hold.
///
/// Refused are kernels that LIBSVM does not have, and classes whose names are no integers.
pub fn write_libsvm_model(path: &Path, model: &Svm) -> Result<Vec<String>> {
    let text = write::Text::of(model)?;
    write_whole(path, |out| written(path, &text, out))?;
    Ok(text.notes)
}

/// Prepares such a file among the other outputs of one run.
pub fn stage_libsvm_model(staged: &mut Staged, path: &Path, model: &Svm) -> Result<Vec<String>> {
    let text = write::Text::of(model)?;
    staged.add(path, |out| written(path, &text, out))?;
    Ok(text.notes)
}

fn written<W: Write>(path: &Path, text: &write::Text<'_>, out: &mut BufWriter<W>) -> Result<()> {
    text.write_to(out).map_err(|source| Error::file(path, source))
}
