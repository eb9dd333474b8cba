//! Whether a matrix that was typed in can be one of a kernel.

use mercer::model::validity::Validity;
use mercer::{Context, Mat};
use serde_json::{Value, json};

use crate::explore::compute::refused;
use crate::explore::query::{Answer, Query, refuse};

/// Rows at most.
const MOST: usize = 100;

/// The verdict on `matrix`, its eigenvalues, and a witness.
pub(in crate::explore) fn check(context: &Context, query: &Query) -> Answer {
    let found = query.more.get("matrix").cloned().unwrap_or_default();
    let rows: Vec<Vec<f64>> = match serde_json::from_value(found) {
        Ok(rows) => rows,
        Err(_) => return refuse("the matrix must be rows of numbers"),
    };
    let n = rows.len();
    if n == 0 || n > MOST || rows.iter().any(|row| row.len() != n) {
        return refuse(format!("the matrix must be square, with 1 to {MOST} rows"));
    }
    let matrix = Mat::from_fn(n, n, |i, j| rows[i][j]);
    let validity = Validity::of(context, matrix.view()).map_err(refused)?;
    let witness = validity.witness.as_ref().map(|witness| {
        json!({ "rows": witness.samples, "weights": witness.weights, "value": witness.value })
    });
    let verdict: Value = serde_json::to_value(validity.verdict).unwrap_or_default();
    Ok(json!({
        "isValid": validity.is_valid(), "text": validity.verdict.to_string(), "verdict": verdict,
        "eigenvalues": validity.eigenvalues, "asymmetry": validity.asymmetry, "witness": witness,
    }))
}
