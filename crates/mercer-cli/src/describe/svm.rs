//! Summary lines of a support vector machine.

use mercer::model::svm::{ProblemReport, SampledLoss, SvmReport};

use super::{LISTED, certified, listed};
use crate::facts::{Facts, FitNotes, SearchNotes, SvmFacts, counted, kernel_in_short};
use crate::machine::pairs;
use crate::plot::grouped;
use crate::scores::in_short;
use crate::summary::Lines;

/// Parameters, scores and support vectors.
pub(super) fn describe_machine(lines: &mut Lines, facts: &Facts, svm: &SvmFacts) {
    if let Some(classes) = &svm.classes {
        lines.add("classes", format!("{}: {}", classes.len(), listed(classes)));
    }
    lines.add("kernel", kernel_in_short(facts.kernel.as_deref().unwrap_or_default()));
    let parameters = parameters(svm);
    if !parameters.is_empty() {
        lines.add("parameters", parameters);
    }
    if let Some(search) = svm.fit.as_ref().and_then(|fit| fit.search.as_ref()) {
        lines.add(super::score_name(facts), searched(search));
    }
    if let Some(fit) = svm.fit.as_ref().and_then(fitted) {
        lines.add("fit", fit);
    }
    if let Some(calibration) = &svm.calibration {
        let folds = match calibration.folds {
            0 => String::new(),
            1 => ", on held-out samples".into(),
            folds => format!(", {folds}-fold cross-validation"),
        };
        lines.add("probability", format!("{} calibration{folds}", calibration.curve));
    }
    lines.add("support", support(facts, svm));
    if facts.report.storage == "cells" {
        lines.add("cells", &facts.report.reason);
    }
    if let Some(choice) = facts.report.machine.as_ref().and_then(|found| found.choice.as_ref()) {
        lines.add("approximation", format!("{}: {}", choice.chosen, choice.reason));
    }
}

/// The optimum and the solver.
pub(super) fn describe_optimum(lines: &mut Lines, facts: &Facts, svm: &SvmFacts) {
    let report = &facts.report;
    let Some(machine) = &report.machine else { return };
    let problems = &machine.problems;
    if let [only] = &problems[..] {
        lines.detail("optimum", optimum(only));
    } else {
        let gap =
            problems.iter().map(|p| p.gap).try_fold(0.0, |most, gap| Some(f64::max(most, gap?)));
        let gap = gap.map_or(String::new(), |gap| format!(", duality gap at most {gap:.1e}"));
        let solved = problems.iter().filter(|problem| problem.rows > 0).count();
        let what = match report.storage == "cells" {
            true => counted(solved, "problem"),
            false if svm.one_vs_rest => {
                format!("{} classes, each against all others", problems.len())
            }
            false => counted(problems.len(), "pair") + " of classes",
        };
        lines.detail("optimum", format!("{what}{gap}"));
        let names = match report.storage == "cells" {
            true => &[],
            false => svm.classes.as_deref().unwrap_or_default(),
        };
        let told: Vec<String> = match svm.one_vs_rest {
            true => names.to_vec(),
            false => {
                let pair = |(a, b): (usize, usize)| format!("{}, {}", names[a], names[b]);
                pairs(names.len()).into_iter().map(pair).collect()
            }
        };
        for (pair, problem) in told.into_iter().zip(problems).take(LISTED) {
            let (support, bounded) = (problem.support, problem.bounded);
            let text =
                format!("{}, {support} support vectors, {bounded} at bound", optimum(problem));
            lines.detail("", format!("{pair}: {text}"));
        }
        if problems.len() > LISTED && !names.is_empty() {
            lines.detail("", "…");
        }
    }
    let steps: u64 = problems.iter().map(|p| p.iterations).sum();
    let how = if report.converged { "converged" } else { "not converged" };
    let violation = problems.iter().map(|p| p.violation).fold(0.0, f64::max);
    let solver = format!(
        "{}, {how} after {}: violation {violation:.1e}, tolerance {:e}, {}",
        report.solver,
        counted(steps as usize, "iteration"),
        svm.tolerance.unwrap_or(f64::NAN),
        report.precision
    );
    certified(lines, report, "solver", solver);
    if let Some(rows) = machine.certificate() {
        let kernel = if report.landmarks.is_some() { ", of the approximated kernel" } else { "" };
        lines.detail("certified", format!("in double precision, on {rows}{kernel}"));
    }
    if let Some(landmarks) = &report.landmarks {
        lines.add("landmarks", super::landmarks_in_words(landmarks));
        if let Some(found) = &landmarks.loss {
            lines.add("true kernel", loss(found));
        }
    } else {
        lines.detail("cache", columns(machine));
    }
    lines.detail("storage", format!("{}: {}", report.storage, report.reason));
}

fn optimum(problem: &ProblemReport) -> String {
    let gap = problem.gap.map_or(String::new(), |gap| format!(", duality gap {gap:.1e}"));
    format!("dual objective {:.6}{gap}", problem.objective)
}

/// How decisions on landmarks differ from those of the true kernel.
fn loss(found: &SampledLoss) -> String {
    format!(
        "mean loss {:.4} on landmarks, {:.4} with the true kernel; decisions differ by {:.1e}; on {}",
        found.of_model,
        found.of_true_kernel,
        found.difference,
        counted(found.rows, "training row")
    )
}

fn columns(machine: &SvmReport) -> String {
    if machine.columns_used == 0 {
        return "not needed: all kernel values computed at once".into();
    }
    let computed = machine.columns_used.saturating_sub(machine.cache_hits);
    let hits = grouped(machine.cache_hits as usize);
    format!("{} computed, {hits} cache hits", counted(computed as usize, "kernel column"))
}

/// The parameters that the task has.
fn parameters(svm: &SvmFacts) -> String {
    let tube = ("tube half-width", svm.tube);
    let named = [("C", svm.c), ("nu", svm.nu), ("epsilon", svm.epsilon), tube];
    let known = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let mut parts: Vec<String> =
        known.map(|(name, value)| format!("{name} {}", in_short(value))).collect();
    let weights = svm.class_weights.as_ref().filter(|all| all.iter().any(|w| *w != 1.0));
    if let (Some(classes), Some(weights)) = (&svm.classes, weights) {
        let each = classes.iter().zip(weights).take(super::LISTED_NAMES);
        let each: Vec<String> = each.map(|(c, w)| format!("{c} {}", in_short(*w))).collect();
        let more = if classes.len() > each.len() { ", …" } else { "" };
        parts.push(format!("class weights {}{more}", each.join(", ")));
    }
    parts.join(", ")
}

/// The number of support vectors.
fn support(facts: &Facts, svm: &SvmFacts) -> String {
    // A LIBSVM model does not say how many rows there were.
    let mut text = format!("{} support vectors", grouped(svm.support));
    if facts.rows > 0 {
        text += &format!(" of {}", counted(facts.rows, "row"));
    }
    let problems = facts.report.machine.iter().flat_map(|machine| &machine.problems);
    // With several problems a row may be at its bound in one and not in another.
    if let [only] = &problems.collect::<Vec<_>>()[..] {
        text += &format!(", {} at bound", grouped(only.bounded));
    }
    if let (Some(classes), Some(counts)) = (&svm.classes, &svm.support_of_classes) {
        let each = classes.iter().zip(counts).take(super::LISTED_NAMES);
        let each: Vec<String> = each.map(|(c, n)| format!("{c} {}", grouped(*n))).collect();
        let more = if classes.len() > each.len() { ", …" } else { "" };
        text += &format!(": {}{more}", each.join(", "));
    }
    text
}

fn searched(search: &SearchNotes) -> String {
    let costs = match search.costs {
        1 => "1 cost".into(),
        costs => format!("{costs} costs"),
    };
    let kernels = counted(search.kernels, "kernel");
    let method = match &search.method {
        Some(method) => method.clone(),
        None => format!("{}-fold cross-validation", search.folds),
    };
    let refined = match search.refined {
        0 => String::new(),
        count => format!(", then {count} around the best"),
    };
    format!("{} ({method}, {kernels} × {costs}{refined})", search.score.text())
}

/// The scores on the training set.
fn fitted(fit: &FitNotes) -> Option<String> {
    let of = "training set";
    match (&fit.scores, fit.outside) {
        (Some(scores), _) => Some(scores.text(of)),
        (None, Some(outside)) => {
            let share = 100.0 * outside as f64 / fit.rows.max(1) as f64;
            let rows = counted(fit.rows, "row");
            // Support vectors on the boundary may lie on either side by rounding.
            let nearly = match fit.nearly.unwrap_or(0) {
                0 => String::new(),
                count => format!(", {} of these within the tolerance", grouped(count)),
            };
            Some(format!(
                "{} of {rows} outside ({share:.1} %){nearly} (training set)",
                grouped(outside)
            ))
        }
        (None, None) => None,
    }
}
