//! Summary lines of an outlier detector.

use crate::facts::{DetectorFacts, Facts, counted};
use crate::plot::grouped;
use crate::scores::in_short;
use crate::summary::Lines;

/// Score and threshold.
pub(super) fn describe_detector(lines: &mut Lines, facts: &Facts, detector: &DetectorFacts) {
    let what = match detector.score {
        "projections" => "sum of the absolute projections on the components",
        _ => "squared distance in feature space from the projection",
    };
    lines.add("score", format!("{}: {what}", detector.score));
    let (threshold, share) = (in_short(detector.threshold), detector.share());
    lines.add("threshold", format!("{threshold} (contamination {share})"));
    let percent = 100.0 * detector.outliers as f64 / facts.rows.max(1) as f64;
    let rows = counted(facts.rows, "row");
    lines.add("outliers", format!("{} of {rows} ({percent:.1} %)", grouped(detector.outliers)));
}
