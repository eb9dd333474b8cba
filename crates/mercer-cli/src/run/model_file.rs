//! Opening a model file: one of this house, or a text file of LIBSVM.

use std::io::Read;
use std::path::Path;

use mercer::io::{Model, Saved, Table, load};
use mercer::points::{Dense, Samples};
use mercer::{Error, Result};

/// The word that every text model of LIBSVM begins with.
const FIRST_WORD: &[u8] = b"svm_type";
/// The key of the note that a model came from such a file.
const NOTE: &str = "libsvm_text";

/// Opens the model in `path`.
pub fn open(path: &Path) -> Result<Saved> {
    let mut saved = load(path)?;
    if is_libsvm(path)? {
        saved.extra.insert(NOTE.into(), true.into());
    }
    Ok(saved)
}

fn is_libsvm(path: &Path) -> Result<bool> {
    let mut first = Vec::new();
    let file = std::fs::File::open(path).map_err(|source| Error::file(path, source))?;
    let read = file.take(FIRST_WORD.len() as u64).read_to_end(&mut first);
    read.map_err(|source| Error::file(path, source))?;
    Ok(first == FIRST_WORD)
}

/// A model of LIBSVM, which does not say how many columns it wants, made to fit LIBSVM text: what
/// either leaves out is zero. Any other model as it is.
pub fn widened(mut saved: Saved, table: &Table) -> Result<Saved> {
    let is_text = table.label.is_some() && table.names.iter().flatten().all(|name| name != "x0");
    if !saved.extra.contains_key(NOTE) || !is_text {
        return Ok(saved);
    }
    let width = saved.model.inputs().max(table.n_columns() - 1);
    if let Model::Svm64(svm) = &mut saved.model
        && let Some(Samples::Dense(x)) = &svm.anchors
    {
        svm.anchors = Some(with_zeros(x, width)?.into());
    }
    saved.feature_names = Some((1..=width).map(|index| format!("x{index}")).collect());
    Ok(saved)
}

/// Samples with columns of zeros added up to `width`.
fn with_zeros(x: &Dense<f64>, width: usize) -> Result<Dense<f64>> {
    let zeros = vec![0.0; width - x.d()];
    let rows = (0..x.n()).flat_map(|i| x.row(i).iter().chain(&zeros).copied());
    Dense::from_vec(rows.collect(), x.n(), width)
}
