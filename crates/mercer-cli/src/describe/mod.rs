//! Summary lines of a model, for fits and `inspect`.

mod clusters;
mod detector;
mod svm;

use mercer::model::Report;
use mercer::model::features::ApproximationError;
use mercer::model::landmarks::{FullSystem, LandmarkReport};
use mercer::model::optimize::OptimizationReport;

use crate::facts::{Facts, FeatureFacts, RegressionFacts, kernel_in_short};
use crate::summary::Lines;

/// Shares of variance on one line, or pairs of classes one by one.
const LISTED: usize = 6;
/// Names of columns or classes listed on one line.
pub const LISTED_NAMES: usize = 12;

/// The lines that fits and `inspect` share.
pub fn describe(lines: &mut Lines, facts: &Facts) {
    if let Some(test) = &facts.test {
        let texts = test.lines();
        lines.add("test", &texts[0]);
        texts[1..].iter().take(LISTED_NAMES).for_each(|text| lines.add("", text));
    }
    if let Some(nested) = &facts.nested {
        lines.add("nested", nested.text());
    }
    if let Some(label) = &facts.label {
        lines.add("label", format!("{label} (kept in the output, not used in the fit)"));
    }
    for (name, text) in facts.encoding.iter().flat_map(crate::data::encoding_summary) {
        lines.add(name, text);
    }
    if facts.dropped_rows > 0 {
        let rows = crate::facts::counted(facts.dropped_rows, "row");
        lines.add("left out", format!("{rows} with missing values"));
    }
    if !facts.left_out.is_empty() {
        lines.add("unused", format!("{} (not named by the kernel)", listed(&facts.left_out)));
    }
    if let Some(machine) = &facts.svm {
        svm::describe_machine(lines, facts, machine);
        return svm::describe_optimum(lines, facts, machine);
    }
    if let Some(clustering) = &facts.clustering {
        return clusters::describe_clusters(lines, facts, clustering);
    }
    if let Some(repair) = &facts.repair {
        let (method, change) = (repair.method, 100.0 * repair.change);
        let end = if facts.report.converged { "" } else { "; not converged to the nearest matrix" };
        lines.add("repair", format!("{method}, changes the matrix by {change:.2} %{end}"));
        return;
    }
    if let Some(features) = &facts.features {
        return describe_features(lines, features);
    }
    match &facts.regression {
        Some(regression) => describe_regression(lines, facts, regression),
        None => describe_components(lines, facts),
    }
    if let Some(detector) = &facts.detector {
        detector::describe_detector(lines, facts, detector);
    }
    describe_solution(lines, &facts.report);
}

fn describe_features(lines: &mut Lines, features: &FeatureFacts) {
    lines.add("kernel", kernel_in_short(&features.kernel));
    let exact = if features.exact { "exact" } else { "approximate" };
    lines.add("features", format!("{} ({exact})", features.dimension));
    if let Some(error) = features.error.filter(|_| !features.exact) {
        let ApproximationError { pairs, mean, max, .. } = error;
        lines.add(
            "error",
            format!("{mean:.2e} in the mean, at most {max:.2e}, on {pairs} pairs of rows"),
        );
    }
}

fn describe_components(lines: &mut Lines, facts: &Facts) {
    if let Some(kernel) = &facts.kernel {
        let centred = if facts.centered == Some(true) { "centred" } else { "not centred" };
        lines.add("kernel", format!("{}, {centred}", kernel_in_short(kernel)));
    }
    match facts.components {
        Some(count) if facts.nystroem => lines.add("features", format!("{count} (approximate)")),
        _ => lines.add("components", shares(facts)),
    }
    if let Some(inverse) = facts.inverse.as_ref().filter(|_| facts.kernel.is_some()) {
        let kernel = kernel_in_short(inverse.kernel.as_deref().unwrap_or_default());
        let alpha = inverse.alpha.unwrap_or_default();
        lines.add("inverse map", format!("kernel ridge with {kernel}, alpha {alpha}"));
    }
}

fn describe_regression(lines: &mut Lines, facts: &Facts, regression: &RegressionFacts) {
    if let Some(classes) = &regression.classes {
        lines.add("classes", format!("{}: {}", classes.len(), listed(classes)));
    }
    let intercept = if regression.intercept { "with" } else { "without" };
    let weights = if regression.weighted { ", sample weights" } else { "" };
    let kernel = kernel_in_short(facts.kernel.as_deref().unwrap_or_default());
    lines.add("kernel", format!("{kernel}, {intercept} intercept{weights}"));
    lines.add("alpha", regression.penalties());
    if let Some(score) = regression.score() {
        lines.add(score_name(facts), score);
    }
    let scores = regression.scores.iter().flat_map(|scores| &scores.targets);
    for (target, scored) in regression.targets.iter().zip(scores).take(LISTED_NAMES) {
        lines.add("", format!("{target}: {}", scored.text()));
    }
}

/// A score by which the best was chosen is optimistic: beside a nested score it is named so.
fn score_name(facts: &Facts) -> &'static str {
    if facts.nested.is_some() { "inner score" } else { "score" }
}

/// How nearly a fit on landmarks solves the system of all rows.
fn full_system(found: &FullSystem) -> String {
    let (residual, gap, rows) = (found.residual, 100.0 * found.gap, found.rows);
    format!(
        "residual {residual:.1e}, objective at most {gap:.2} % above the exact one, on {rows} rows"
    )
}

fn describe_solution(lines: &mut Lines, report: &Report) {
    if let Some(search) = &report.optimization {
        let OptimizationReport { objective, start, value, evaluations, .. } = search;
        let name = objective.name();
        lines
            .add("optimised", format!("{name} {start:.6} → {value:.6}, {evaluations} evaluations"));
    }
    describe_landmarks(lines, report);
    let passes = match report.passes {
        0 => String::new(),
        1 => ", 1 pass".into(),
        passes => format!(", {passes} passes"),
    };
    let (solver, precision) = (&report.solver, &report.precision);
    let text = format!("{solver}{passes}, residual {:.1e}, {precision}", report.residual);
    certified(lines, report, "solver", text);
    if let Some(system) = &report.system {
        let rank = system.effective_rank.map(|rank| format!(", effective rank {rank}"));
        let rank = rank.unwrap_or_default();
        lines.detail("condition", format!("{:.1e}{rank}", system.condition));
    }
    lines.detail("storage", format!("{}: {}", report.storage, report.reason));
}

/// How well landmarks stand for all rows.
fn describe_landmarks(lines: &mut Lines, report: &Report) {
    let Some(landmarks) = &report.landmarks else { return };
    lines.add("landmarks", landmarks_in_words(landmarks));
    if let Some((least, most)) = landmarks.explained_bounds {
        let (least, most) = (100.0 * least, 100.0 * most);
        let text = format!(
            "with all rows, as many components explain {least:.2} % to {most:.2} % of the variance"
        );
        lines.add("bounds", text);
    }
    if let Some(full) = &landmarks.full_system {
        lines.detail("full system", full_system(full));
    }
}

/// How many landmarks there are, and what they leave.
pub fn landmarks_in_words(landmarks: &LandmarkReport) -> String {
    let (count, share) = (landmarks.landmarks, 100.0 * landmarks.residual_share());
    format!("{count}, leaving {share:.2} % of the trace of the kernel matrix")
}

/// A line about the solver: a detail, unless it failed.
fn certified(lines: &mut Lines, report: &Report, name: &str, text: String) {
    match report.converged {
        true => lines.detail(name, text),
        false => lines.add(name, text),
    }
}

/// The first few of a list of names.
pub fn listed(names: &[String]) -> String {
    let more = if names.len() > LISTED_NAMES { ", …" } else { "" };
    names[..names.len().min(LISTED_NAMES)].join(", ") + more
}

/// How many components there are and how much of the variance they explain.
fn shares(facts: &Facts) -> String {
    let ratios = &facts.explained_variance_ratio;
    let percent = |ratio: &f64| format!("{:.1} %", 100.0 * ratio);
    let mut listed: Vec<String> = ratios.iter().take(LISTED).map(percent).collect();
    if ratios.len() > LISTED {
        listed.push("…".into());
    }
    let whitened = if facts.whitened == Some(true) { "; scaled to unit variance" } else { "" };
    match ratios.len() {
        1 => format!("1, explaining {} of the variance{whitened}", listed[0]),
        count => {
            let total = percent(&ratios.iter().sum());
            let listed = listed.join(" + ");
            format!("{count}, explaining {listed} = {total} of the variance{whitened}")
        }
    }
}
