//! Pre-images: from a point of the embedding back to a row.

use mercer::Mat;
use mercer::model::preimage::{Method, PreimageParams};
use serde_json::json;

use crate::explore::compute::{Task, refused};
use crate::explore::query::{Answer, refuse};

/// The row whose image is nearest to the point `scores`.
pub(in crate::explore) fn preimage(task: &Task<'_>) -> Answer {
    let (Some(values), Some(scaling)) = (&task.rows.values, &task.rows.scaling) else {
        return refuse("pre-images need samples that are rows of numbers");
    };
    let scores = task.query.numbers("scores")?;
    let k = task.query.count("components", 1, 60)?;
    if scores.len() != k || !scores.iter().all(|score| score.is_finite()) {
        return refuse("a point needs one number for each component");
    }
    let model = task.kernel_pca(k)?;
    if model.k() != k {
        return refuse(format!("the kernel has {} components only", model.k()));
    }
    let method = match task.kernel.family().map(|family| family.name) {
        Some("rbf") => Method::FixedPoint,
        _ => Method::Neighbours,
    };
    let params = PreimageParams::new(method);
    let scores = Mat::from_vec(scores, 1, k);
    let found = model.preimages(&task.context, &params, &scores).map_err(refused)?;
    let mut row = found.samples.into_vec();
    scaling.undo(&mut row, values.cols()).map_err(refused)?;
    let name = if method == Method::FixedPoint {
        "fixed-point iteration"
    } else {
        "weights of neighbours"
    };
    Ok(json!({ "row": row, "converged": found.converged == 1, "method": name }))
}
