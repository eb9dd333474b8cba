//! Kernel PCA: the embedding, the spectrum, outlier scores, and components over the plane.

use mercer::{AnySamples, KernelPca, Mat, Strings};
use serde_json::json;

use crate::explore::compute::{Task, column, refused, short};
use crate::explore::plane;
use crate::explore::query::{Answer, refuse, scaled};

/// Components of an embedding at most.
const MOST: usize = 10;
/// Eigenvalues of a spectrum at most.
const SPECTRUM: usize = 60;

/// Components of all rows, eigenvalues, and how unusual each row is.
pub(in crate::explore) fn components(task: &Task<'_>) -> Answer {
    let k = task.query.count("components", 1, MOST)?;
    // The same fit for the spectrum and the embedding.
    let model = task.kernel_pca(SPECTRUM)?;
    let scores = model.transform(&task.context, &task.rows.x).map_err(refused)?;
    let shown = k.min(model.k());
    let leading = truncated(&model, shown);
    let errors = leading.reconstruction_error(&task.context, &task.rows.x).map_err(refused)?;
    let f = |i: usize| (0..shown).map(|j| scores[(i, j)].abs()).sum::<f64>();
    let ratios = model.explained_variance_ratio();
    let k90 = cumulative(&ratios).position(|sum| sum >= 0.9).map(|place| place + 1);
    Ok(json!({
        "kernel": task.kernel.to_string(),
        "definite": task.kernel.positive_definite(),
        "scores": (0..model.k().min(MOST)).map(|j| column(&scores, j)).collect::<Vec<_>>(),
        "eigenvalues": short(model.eigenvalues.iter().copied()),
        "ratios": short(ratios.iter().copied()),
        "k90": k90,
        "residual": 1.0 - ratios.iter().take(shown).sum::<f64>(),
        "trace": model.trace,
        "errors": short(errors),
        "f": short((0..task.n()).map(f)),
        "method": task.method(),
        "notes": notes(&model),
    }))
}

fn cumulative(ratios: &[f64]) -> impl Iterator<Item = f64> + '_ {
    ratios.iter().scan(0.0, |sum, ratio| {
        *sum += ratio;
        Some(*sum)
    })
}

fn notes(model: &KernelPca) -> Vec<String> {
    model.report.notes.iter().map(ToString::to_string).collect()
}

/// The model with its first `k` components alone.
fn truncated(model: &KernelPca, k: usize) -> KernelPca {
    let mut leading = model.clone();
    leading.coef = Mat::from_fn(model.coef.rows(), k, |i, j| model.coef[(i, j)]);
    leading.eigenvalues.truncate(k);
    leading.offset.truncate(k);
    leading
}

/// The first components over the plane, and how unusual its points are.
pub(in crate::explore) fn contours(task: &Task<'_>) -> Answer {
    let k = task.query.count("components", 1, MOST)?;
    let Some(grid) = plane::grid(task.query, &task.rows)? else {
        return refuse("this panel needs samples that are rows of numbers");
    };
    let model = task.kernel_pca(SPECTRUM)?;
    let leading = truncated(&model, k.min(model.k()));
    let scores = leading.transform(&task.context, &grid).map_err(refused)?;
    let errors = leading.reconstruction_error(&task.context, &grid).map_err(refused)?;
    let f = |i: usize| (0..leading.k()).map(|j| scores[(i, j)].abs()).sum::<f64>();
    Ok(json!({
        "components": (0..leading.k()).map(|j| column(&scores, j)).collect::<Vec<_>>(),
        "errors": short(errors),
        "f": short((0..scores.rows()).map(f)),
    }))
}

/// Where a new row, or a new text, lies.
pub(in crate::explore) fn project(task: &Task<'_>) -> Answer {
    let new: AnySamples = match (task.query.text("text"), &task.rows.scaling) {
        (Some(text), None) if text.len() <= 10_000 => Strings::new([text]).map_err(refused)?.into(),
        (Some(_), None) => return refuse("the text is too long"),
        (_, Some(scaling)) => {
            let row = task.query.numbers("row")?;
            if row.len() != scaling.shift.len() {
                return refuse("the row has a different number of columns");
            }
            let d = row.len();
            scaled(Mat::from_vec(row, 1, d), scaling)?
        }
        _ => return refuse("a text is needed"),
    };
    let model = task.kernel_pca(SPECTRUM)?;
    let scores = model.transform(&task.context, &new).map_err(refused)?;
    Ok(json!({ "scores": short((0..model.k().min(MOST)).map(|j| scores[(0, j)])) }))
}
