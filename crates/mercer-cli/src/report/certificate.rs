//! The certificate of a fit: error bounds and how they were computed.

use mercer::io::{Column, Table};
use mercer::model::Report;
use mercer::model::svm::SvmReport;

use crate::facts::Facts;
use crate::machine::pairs;
use crate::scores::in_short;

/// One line of the certificate.
#[derive(Debug, PartialEq)]
pub struct Line {
    /// The quantity.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Its meaning.
    pub meaning: &'static str,
}

/// The certificate of a model.
#[derive(Debug)]
pub struct Certificate {
    /// Whether the fit converged.
    pub is_good: bool,
    /// The quantities.
    pub lines: Vec<Line>,
    /// The quadratic problems of a support vector machine, one for each pair of classes.
    pub problems: Option<Table>,
}

impl Certificate {
    /// The certificate of `facts`.
    pub fn of(facts: &Facts) -> Self {
        let report = &facts.report;
        let mut lines = Vec::new();
        let mut add = |name, value: String, meaning| lines.push(Line { name, value, meaning });
        match (&report.machine, &report.clusters) {
            (Some(machine), _) => {
                machine_lines(machine, &mut add);
                landmark_lines(report, &mut add);
            }
            (_, Some(clusters)) => {
                let sums = clusters.objectives.first().zip(clusters.objectives.last());
                if let Some((first, last)) = sums {
                    let change = format!("{} → {}", in_short(*first), in_short(*last));
                    add(
                        "objective",
                        change,
                        "sum of squared distances to the centres, first and last",
                    );
                }
                add("iterations", clusters.rounds.to_string(), "until no row changed cluster");
            }
            (None, None) => residual_lines(facts, &mut add),
        }
        add("solver", report.solver.clone(), "method");
        // For support vector machines these are passes over parts of it.
        if report.passes > 0 && report.machine.is_none() {
            add("passes", report.passes.to_string(), "passes over the whole matrix");
        }
        let numbers = match facts.kernel {
            Some(_) => "precision of kernel values",
            None => "precision of the computation",
        };
        add("precision", report.precision.clone(), numbers);
        add("storage", format!("{}: {}", report.storage, report.reason), "storage of the matrix");
        let problems = report.machine.as_ref().map(|machine| problems(facts, machine));
        let is_finite = report.machine.is_some() || report.residual.is_finite();
        Self { is_good: report.converged && is_finite, lines, problems }
    }
}

type Add<'a> = dyn FnMut(&'static str, String, &'static str) + 'a;

fn residual_lines(facts: &Facts, add: &mut Add<'_>) {
    let Report { residual, system, .. } = &facts.report;
    let meaning = match (&facts.regression, &facts.kernel) {
        (Some(_), _) => "‖y − (K + α) c‖ / ‖y‖: relative residual of the linear system",
        (_, Some(_)) => "‖K v − η v‖ / ‖K‖, the largest of all components",
        _ => "‖C v − λ v‖ / ‖C‖ with the covariance C, the largest of all components",
    };
    add("residual", format!("{residual:.1e}"), meaning);
    landmark_lines(&facts.report, add);
    let full = facts.report.landmarks.as_ref().and_then(|found| found.full_system.as_ref());
    if let Some(full) = full {
        let meaning = "‖f − b − K a‖ / ‖y − b‖ with a = W (y − f) / α, on a sample of the rows: 0 for an exact fit";
        add("residual of the full system", format!("{:.1e}", full.residual), meaning);
        let meaning =
            "how much smaller the objective of the exact fit is at most, estimated from these rows";
        add("objective gap", format!("{:.2} %", 100.0 * full.gap), meaning);
        add("checked on", format!("{} rows", full.rows), "rows of the sample");
    }
    if let Some(system) = system {
        let meaning = "of K + α, the amplification of rounding errors";
        add("condition number", format!("{:.1e}", system.condition), meaning);
        if let Some(rank) = system.effective_rank {
            let meaning = "number of eigenvalues of K above rounding error";
            add("effective rank", rank.to_string(), meaning);
        }
    }
}

fn landmark_lines(report: &Report, add: &mut Add<'_>) {
    let Some(landmarks) = &report.landmarks else { return };
    let left = format!("{:.2e}", landmarks.residual_share());
    add("trace left", left, "share of the trace of K that the landmarks do not represent");
    if let Some(loss) = &landmarks.loss {
        add("loss", format!("{:.4}", loss.of_model), "mean loss on a sample of the training rows");
        let meaning = "the same with decisions of the true kernel and the same dual coefficients";
        add("loss of the true kernel", format!("{:.4}", loss.of_true_kernel), meaning);
    }
}

fn machine_lines(machine: &SvmReport, add: &mut Add<'_>) {
    let largest = |of: fn(&mercer::model::svm::ProblemReport) -> f64| {
        // NaN counts as the largest.
        machine.problems.iter().map(of).fold(0.0, |most, v| if v <= most { most } else { v })
    };
    if machine.problems.iter().all(|problem| problem.gap.is_some()) {
        let gap = format!("{:.1e}", largest(|problem| problem.gap.unwrap_or(f64::NAN)));
        add("duality gap", gap, "upper bound on the distance of the objective from the optimum");
    }
    let violation = format!("{:.1e}", largest(|problem| problem.violation));
    add("violation", violation, "largest violation of the optimality conditions");
    if machine.problems.iter().all(|problem| problem.rounding.is_some()) {
        let rounding = format!("{:.1e}", largest(|problem| problem.rounding.unwrap_or(f64::NAN)));
        add("rounding", rounding, "approximate rounding error of the violation");
    }
    if let Some(rows) = machine.certificate() {
        add("certified on", rows, "rows on which the above were recomputed in double precision");
    }
}

fn problems(facts: &Facts, machine: &SvmReport) -> Table {
    let numbers = |of: &dyn Fn(&mercer::model::svm::ProblemReport) -> f64| {
        Column::F64(machine.problems.iter().map(of).collect())
    };
    let mut columns = vec![
        ("dual objective", numbers(&|p| p.objective)),
        ("duality gap", numbers(&|p| p.gap.unwrap_or(f64::NAN))),
        ("violation", numbers(&|p| p.violation)),
        ("iterations", numbers(&|p| p.iterations as f64)),
        ("support vectors", numbers(&|p| p.support as f64)),
        ("at bound", numbers(&|p| p.bounded as f64)),
    ];
    let classes = facts.svm.as_ref().and_then(|svm| svm.classes.as_deref()).unwrap_or_default();
    let pairs = pairs(classes.len());
    if facts.svm.as_ref().is_some_and(|svm| svm.one_vs_rest) {
        let names = classes.iter().map(|class| format!("{class} vs all others")).collect();
        columns.insert(0, ("classes", Column::Text(names)));
    } else if pairs.len() == machine.problems.len() {
        let name = |&(a, b): &(usize, usize)| format!("{} vs {}", classes[a], classes[b]);
        let names = pairs.iter().map(name).collect();
        columns.insert(0, ("classes", Column::Text(names)));
    }
    let (names, columns) = columns.into_iter().map(|(name, c)| (name.to_string(), c)).unzip();
    Table::new(names, columns)
}
