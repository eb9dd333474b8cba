//! The answer of a fit in one line: a score on rows outside of the fit, or what was found.

use crate::facts::{ClusterFacts, DetectorFacts, Facts, FitNotes, counted};
use crate::plot::grouped;
use crate::scores::in_short;

/// The answer of a fit.
#[derive(Debug, PartialEq)]
pub struct Headline {
    /// The score with its standard error, or what was found.
    pub answer: String,
    /// How it was computed.
    pub how: String,
}

/// What a page says where there is no score but that of the training set.
pub const UNSCORED: &str = "No score on rows outside of the fit: scores of the training set are optimistic. \
                            Add --test 0.2 to hold out a fifth of the rows.";

impl Headline {
    /// The answer that `facts` hold. None of a model that was only scored on its training set.
    pub fn of(facts: &Facts) -> Option<Self> {
        if let Some(test) = &facts.test {
            let how = format!("on {} that the model was not fitted on", counted(test.rows, "row"));
            return Some(Self { answer: test.scores.overall.text(), how });
        }
        if let Some(nested) = &facts.nested {
            let how = format!("nested, {}", nested.method);
            return Some(Self { answer: nested.score.text(), how });
        }
        match facts {
            Facts { regression: Some(_), .. } => cross_validated(facts),
            Facts { svm: Some(svm), .. } => svm.fit.as_ref().and_then(|fit| of_machine(facts, fit)),
            Facts { clustering: Some(clusters), .. } => Some(of_clusters(clusters)),
            Facts { detector: Some(detector), .. } => Some(of_detector(facts, detector)),
            _ => of_components(facts),
        }
    }
}

fn cross_validated(facts: &Facts) -> Option<Headline> {
    let regression = facts.regression.as_ref()?;
    let (scores, selection) = (regression.scores.as_ref()?, regression.selection.as_ref()?);
    let grid = scores.grid(selection.candidates);
    let how = format!("{}{grid}{}", selection.method, best_of(selection.candidates));
    Some(Headline { answer: scores.overall.text(), how })
}

/// The best of several scores is optimistic.
fn best_of(candidates: usize) -> &'static str {
    match candidates {
        0 | 1 => "",
        _ => "; the best of these, so slightly optimistic",
    }
}

fn of_machine(facts: &Facts, fit: &FitNotes) -> Option<Headline> {
    if let Some(search) = &fit.search {
        let kernels = counted(search.kernels, "kernel");
        let grid = format!("{kernels} × {}", counted(search.costs, "cost"));
        let best = best_of(search.kernels * search.costs);
        let how = format!("{}-fold cross-validation, {grid}{best}", search.folds);
        return Some(Headline { answer: search.score.text(), how });
    }
    let outside = fit.outside?;
    let nu = facts.svm.as_ref().and_then(|svm| svm.nu).map(in_short).unwrap_or_default();
    let how = format!("of the training set; nu {nu} bounds their fraction");
    Some(Headline { answer: format!("{} outside", share(outside, fit.rows)), how })
}

/// `15 of 150 rows (10.0 %)`.
fn share(part: usize, all: usize) -> String {
    let percent = 100.0 * part as f64 / all.max(1) as f64;
    format!("{} of {} ({percent:.1} %)", grouped(part), counted(all, "row"))
}

fn of_clusters(clusters: &ClusterFacts) -> Headline {
    let sizes: Vec<String> = clusters.sizes.iter().take(8).map(|size| grouped(*size)).collect();
    let more = if clusters.sizes.len() > sizes.len() { ", …" } else { "" };
    let answer =
        format!("{} of {}{more} rows", counted(clusters.clusters, "cluster"), sizes.join(", "));
    let how = format!("sum of squared distances to the centres: {}", in_short(clusters.inertia));
    Headline { answer, how }
}

fn of_detector(facts: &Facts, detector: &DetectorFacts) -> Headline {
    let rows = share(detector.outliers, facts.rows);
    let (threshold, contamination) = (in_short(detector.threshold), detector.share());
    Headline {
        answer: format!("{rows} above the threshold"),
        how: format!("threshold {threshold}, set by the contamination {contamination}"),
    }
}

fn of_components(facts: &Facts) -> Option<Headline> {
    let count = facts.components?;
    let sum = 100.0 * facts.explained_variance_ratio.iter().sum::<f64>();
    let verb = if count == 1 { "explains" } else { "explain" };
    let answer = format!("{} {verb} {sum:.1} % of the variance", counted(count, "component"));
    let how = match facts.kernel {
        Some(_) => "of the training set, in feature space",
        None => "of the training set",
    };
    Some(Headline { answer, how: how.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_several_is_said_to_be_optimistic() {
        assert_eq!(best_of(1), "");
        assert!(best_of(12).contains("optimistic"));
    }

    #[test]
    fn shares_are_counted_and_in_percent() {
        assert_eq!(share(15, 150), "15 of 150 rows (10.0 %)");
        assert_eq!(share(0, 0), "0 of 0 rows (0.0 %)");
    }
}
