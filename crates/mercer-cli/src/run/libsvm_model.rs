//! LIBSVM models.

use mercer::Result;
use mercer::io::{LIBSVM_TEXT, Model, ModelFile, Table};
use mercer::{AnySamples, Dense};

/// A LIBSVM model, which does not store its number of columns, widened to match a LIBSVM table: missing
/// columns are zero. Any other model unchanged.
pub fn widened(mut saved: ModelFile, table: &Table) -> Result<ModelFile> {
    let is_text = table.label.is_some() && table.names.iter().flatten().all(|name| name != "x0");
    if !saved.extra.contains_key(LIBSVM_TEXT) || !is_text {
        return Ok(saved);
    }
    let width = saved.model.inputs().max(table.n_columns() - 1);
    if let Model::Svm(svm) = &mut saved.model
        && let Some(x) = svm.anchors.as_ref().and_then(AnySamples::get::<f64>)
        && let Some(x) = x.dense()
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
