//! Kernel k-means, round by round.

use mercer::KernelKMeans;
use mercer::model::kernel_kmeans::KernelKMeansParams;
use serde_json::json;

use crate::explore::compute::{Task, refused};
use crate::explore::plane;
use crate::explore::query::{Answer, Refusal};

pub(super) fn fit(task: &Task<'_>) -> Result<KernelKMeans, Refusal> {
    let k = task.query.count("clusters", 1, 20)?.min(task.n());
    let rounds = task.query.count("rounds", 1, 300)?;
    let seed = task.query.count("seed", 0, 1_000_000)? as u64;
    // One start, so that rounds follow each other.
    let mut params =
        KernelKMeansParams::new(k, task.kernel.clone()).starts(1).max_rounds(rounds).seed(seed);
    params.landmarks = task.landmarks();
    KernelKMeans::fit(&task.context, &params, &task.rows.x, None).map_err(refused)
}

/// The cluster of each row after so many rounds, the objective after each, and the regions.
pub(in crate::explore) fn clusters(task: &Task<'_>) -> Answer {
    let model = fit(task)?;
    let regions = match plane::grid(task.query, &task.rows)? {
        None => None,
        Some(grid) => Some(model.predict(&task.context, &grid).map_err(refused)?),
    };
    let objectives = model.report.clusters.as_ref().map(|clusters| clusters.objectives.clone());
    Ok(json!({
        "kernel": task.kernel.to_string(),
        "labels": model.labels,
        "objective": model.inertia,
        "objectives": objectives,
        "rounds": model.rounds,
        "converged": model.report.converged,
        "sizes": model.sizes(),
        "plane": regions,
        "method": task.method(),
    }))
}
