//! What distinguishes clusters, for a report. It costs one pass over the table, so that it needs no flag.

use crate::explain;
use crate::report::{Explanation, ReportTable};
use crate::run::columns::Chosen;

/// The profile of the clusters, and how they agree with the label.
pub fn explain(
    chosen: &Chosen,
    labels: &[usize],
    clusters: usize,
    is_weighted: bool,
) -> Vec<Explanation> {
    let weights = if is_weighted { " All rows count the same here." } else { "" };
    let profile = explain::profile(&chosen.features, labels, clusters).map(|table| Explanation {
        heading: "Profile of the clusters",
        text: format!(
            "Mean ± standard deviation of each column in each cluster; in parentheses the distance of that mean from the mean of \
             all rows, in standard deviations of all rows. Columns that distinguish clusters most come first.{weights}"
        ),
        pictures: Vec::new(),
        tables: vec![ReportTable::all("", table)],
    });
    let agreement = chosen.label.as_ref().and_then(|(name, cells)| {
        let table = explain::labels(cells, labels, clusters)?;
        Some(Explanation {
            heading: "Clusters and labels",
            text: format!("Rows of each cluster (in rows) with each value of {name} (in columns)."),
            pictures: Vec::new(),
            tables: vec![ReportTable::all("", table)],
        })
    });
    agreement.into_iter().chain(profile).collect()
}
