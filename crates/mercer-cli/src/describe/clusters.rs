//! Summary lines of a clustering.

use super::{certified, describe_landmarks};
use crate::facts::{ClusterChoice, ClusterFacts, Facts, counted, kernel_in_short};
use crate::plot::grouped;
use crate::scores::in_short;
use crate::summary::Lines;

/// The clusters and the iterations.
pub(super) fn describe_clusters(lines: &mut Lines, facts: &Facts, clustering: &ClusterFacts) {
    lines.add("kernel", kernel_in_short(facts.kernel.as_deref().unwrap_or_default()));
    lines.add("clusters", sizes(clustering));
    if let Some(choice) = &clustering.choice {
        lines.add("chosen by", &choice.criterion);
        scores(choice).iter().for_each(|text| lines.add("", text));
    }
    let inertia = in_short(clustering.inertia);
    lines.add("objective", format!("{inertia} (sum of squared distances to the centres)"));
    describe_landmarks(lines, &facts.report);
    if let Some(least) = clustering.low_rank_objective {
        let least = in_short(least);
        lines.add(
            "bounds",
            format!("with all rows, the objective of these clusters is {least} to {inertia}"),
        );
    }
    certified(lines, &facts.report, "iterations", iterations(facts, clustering));
    let report = &facts.report;
    let passes = match report.passes {
        1 => "1 pass".into(),
        passes => format!("{} passes", grouped(passes)),
    };
    lines.detail(
        "solver",
        format!("{}, {passes} over the kernel matrix, {}", report.solver, report.precision),
    );
    lines.detail("storage", format!("{}: {}", report.storage, report.reason));
}

/// The score of each number of clusters.
fn scores(choice: &ClusterChoice) -> Vec<String> {
    let line = |(place, count): (usize, &usize)| {
        let error = choice.std_errors.as_ref().map(|errors| format!(" ± {:.4}", errors[place]));
        let mark = if *count == choice.chosen { " (chosen)" } else { "" };
        format!("{count:>4}  {:.4}{}{mark}", choice.scores[place], error.unwrap_or_default())
    };
    choice.counts.iter().enumerate().map(line).collect()
}

/// The number of clusters and their sizes.
fn sizes(clustering: &ClusterFacts) -> String {
    let (least, most) = (clustering.sizes.iter().min(), clustering.sizes.iter().max());
    let (least, most) = (least.copied().unwrap_or(0), most.copied().unwrap_or(0));
    let count = grouped(clustering.clusters);
    match least == most {
        true => format!("{count}, {} each", counted(most, "row")),
        false => format!("{count}, {} to {} each", grouped(least), counted(most, "row")),
    }
}

/// Iterations and initialisation.
fn iterations(facts: &Facts, clustering: &ClusterFacts) -> String {
    let how = match facts.report.converged {
        true => "converged".into(),
        false => format!("not converged (maximum {})", grouped(clustering.max_rounds)),
    };
    let init = match clustering.init {
        "labels" => "initialised by labels".into(),
        init => format!("{init} initialisation"),
    };
    let starts = match clustering.starts {
        0 | 1 => init,
        starts => format!("best of {} {init}s", grouped(starts)),
    };
    format!("{}, {how}; {starts}", grouped(clustering.rounds))
}
