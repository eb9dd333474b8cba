//! How good an approximation by landmarks is: the error against their number, and bounds of the variances.

use mercer::io::{Column, Table};
use mercer::model::landmarks::LandmarkReport;

use super::{Explanation, ReportTable};
use crate::facts::Facts;
use crate::plot::{self, Curve, Curves, Drawing, Mark, grouped};

/// The explanation, for a fit on landmarks.
pub fn explanation(facts: &Facts) -> Option<Explanation> {
    let landmarks = facts.report.landmarks.as_ref()?;
    let (count, rows) = (grouped(landmarks.landmarks), grouped(landmarks.rows as usize));
    let share = 100.0 * landmarks.residual_share();
    let text = format!(
        "{count} landmarks represent {rows} rows and leave {share:.3} % of the trace of the kernel matrix unexplained. No eigenvalue of that matrix exceeds the computed one by more than the unexplained part."
    );
    let pictures = (landmarks.curve.len() > 2).then(|| draw(landmarks)).into_iter().collect();
    let tables = bounds(landmarks, facts.rows).into_iter().collect();
    Some(Explanation { heading: "Landmarks", text, pictures, tables })
}

/// The share of the trace that is left, against the number of landmarks.
fn draw(landmarks: &LandmarkReport) -> Drawing {
    let after = landmarks.curve.iter().filter(|(count, _)| *count > 0);
    let points: Vec<[f64; 2]> =
        after.map(|&(count, share)| [count as f64, 100.0 * share]).collect();
    let mark = points.last().map(|last| Mark {
        index: points.len() - 1,
        text: format!("{}: {:.3} %", last[0], last[1]),
    });
    let name = "left".into();
    plot::curves(&Curves {
        title: "Error against number of landmarks",
        subtitle: &format!(
            "in the order of the choice, on {} rows",
            grouped(landmarks.rows as usize)
        ),
        x_title: "landmarks",
        y_title: "share of the trace that is left (%)",
        curves: vec![Curve { name, points, spreads: Vec::new(), mark }],
        baseline: None,
        is_error: true,
    })
}

/// The bounds of the variance along each component.
fn bounds(landmarks: &LandmarkReport, rows: usize) -> Option<ReportTable> {
    let (bounds, n) = (&landmarks.eigenvalue_bounds, rows.max(1) as f64);
    let column = |name: &str, values: Vec<f64>| (name.to_string(), Column::F64(values));
    let (names, columns) = [
        column("component", (1..=bounds.len()).map(|number| number as f64).collect()),
        column("at_least", bounds.iter().map(|(least, _)| least / n).collect()),
        column("at_most", bounds.iter().map(|(_, most)| most / n).collect()),
    ]
    .into_iter()
    .unzip();
    let caption = "Bounds of the variance of each component with all rows";
    (!bounds.is_empty()).then(|| ReportTable::all(caption, Table::new(names, columns)))
}
