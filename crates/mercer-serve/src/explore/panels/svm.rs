//! A support vector classifier.

use mercer::model::svm::{Svm, SvmParams, one_vs_rest, votes};
use mercer::{Mat, Targets};
use serde_json::json;

use crate::explore::compute::{Task, column, refused, short};
use crate::explore::plane;
use crate::explore::query::{Answer, Refusal};

/// Steps of the solver at most: a page is not the place to wait for a C that is far too large.
const STEPS: u64 = 2_000_000;

pub(super) fn fit(task: &Task<'_>) -> Result<Svm, Refusal> {
    let labels = task.labels()?;
    let c = task.query.number("c", 1e-6, 1e6)?;
    let mut params = Svm::classifier(task.kernel.clone()).c(c).max_iterations(STEPS);
    params.landmarks = task.landmarks();
    let targets = Targets::classes(&labels.decode(&labels.places));
    fitted(task, &params, &targets)
}

fn fitted(task: &Task<'_>, params: &SvmParams, targets: &Targets) -> Result<Svm, Refusal> {
    Svm::fit(&task.context, params, &task.rows.x, targets, None).map_err(refused)
}

/// Decisions over the plane, support vectors with their coefficients, and errors on the rows.
pub(in crate::explore) fn svm(task: &Task<'_>) -> Answer {
    let machine = fit(task)?;
    let names = machine.classes.clone().unwrap_or_default();
    let decisions = machine.decisions(&task.context, &task.rows.x).map_err(refused)?;
    let places = votes(&decisions, names.len());
    let labels = task.labels()?;
    let wrong: Vec<usize> =
        (0..task.n()).filter(|&i| names[places[i]] != labels.names[labels.places[i]]).collect();
    let c = machine.params.c;
    let largest = |i: usize| {
        let all = (0..machine.coef.rows()).map(|r| machine.coef[(r, i)].abs());
        all.fold(0.0, f64::max)
    };
    let alphas: Vec<f64> = match machine.landmarks {
        Some(_) => Vec::new(),
        None => (0..machine.support.len()).map(largest).collect(),
    };
    let at_bound = alphas.iter().filter(|alpha| **alpha >= c * (1.0 - 1e-9)).count();
    let over = match plane::grid(task.query, &task.rows)? {
        None => None,
        Some(grid) => {
            let decisions = machine.decisions(&task.context, &grid).map_err(refused)?;
            Some(drawn(&decisions, names.len()))
        }
    };
    let problems = machine.report.machine.iter().flat_map(|report| &report.problems);
    Ok(json!({
        "kernel": task.kernel.to_string(),
        "classes": names,
        "support": machine.support,
        "alphas": short(alphas),
        "atBound": at_bound,
        "wrong": wrong,
        "converged": machine.report.converged,
        "gap": problems.filter_map(|problem| problem.gap).fold(None, |most: Option<f64>, gap| Some(most.unwrap_or(0.0).max(gap))),
        "plane": over,
        "decisions": (names.len() == 2).then(|| column(&decisions, 0)),
        "method": task.method(),
    }))
}

/// The class of each point of the plane, and for two classes the decision values.
fn drawn(decisions: &Mat<f64>, classes: usize) -> serde_json::Value {
    if classes == 2 {
        return json!({ "decisions": column(decisions, 0) });
    }
    let places = votes(decisions, classes);
    let scores = one_vs_rest(decisions, classes);
    let lead = |i: usize| {
        let mut row: Vec<f64> = (0..classes).map(|j| scores[(i, j)]).collect();
        row.sort_by(|a, b| b.total_cmp(a));
        row[0] - row[1]
    };
    json!({ "classes": places, "lead": short((0..places.len()).map(lead)) })
}
