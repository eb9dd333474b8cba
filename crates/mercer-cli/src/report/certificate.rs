//! The certificate of a fit: how far it may be from the exact answer, and how that is known.

use mercer::io::{Column, Table};
use mercer::model::Report;
use mercer::model::svm::SvmReport;

use crate::facts::Facts;
use crate::machine::pairs;
use crate::scores::in_short;

/// One line of the certificate.
#[derive(Debug, PartialEq)]
pub struct Line {
    /// What is certified.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// What it means.
    pub meaning: &'static str,
}

/// The certificate of a model.
#[derive(Debug)]
pub struct Certificate {
    /// Whether the fit reached its tolerance.
    pub is_good: bool,
    /// What is known.
    pub lines: Vec<Line>,
    /// The quadratic problems of a support vector machine, one for each pair of classes.
    pub problems: Option<Table>,
}

impl Certificate {
    /// What `facts` know.
    pub fn of(facts: &Facts) -> Self {
        let report = &facts.report;
        let mut lines = Vec::new();
        let mut add = |name, value: String, meaning| lines.push(Line { name, value, meaning });
        match (&report.machine, &report.clusters) {
            (Some(machine), _) => machine_lines(machine, &mut add),
            (_, Some(clusters)) => {
                let sums = clusters.objectives.first().zip(clusters.objectives.last());
                if let Some((first, last)) = sums {
                    let change = format!("{} → {}", in_short(*first), in_short(*last));
                    add("objective", change, "squared distances from the centres, first and last");
                }
                add("rounds", clusters.rounds.to_string(), "until no row changed its cluster");
            }
            (None, None) => residual_lines(facts, &mut add),
        }
        add("solver", report.solver.clone(), "the method");
        // Of machines these are rounds over parts of it.
        if report.passes > 0 && report.machine.is_none() {
            add("passes", report.passes.to_string(), "times that the whole matrix was read");
        }
        let numbers = match facts.kernel {
            Some(_) => "the number type of kernel values",
            None => "the number type of the work",
        };
        add("precision", report.precision.clone(), numbers);
        add("storage", format!("{}: {}", report.storage, report.reason), "how the matrix was held");
        let problems = report.machine.as_ref().map(|machine| problems(facts, machine));
        let is_finite = report.machine.is_some() || report.residual.is_finite();
        Self { is_good: report.converged && is_finite, lines, problems }
    }
}

type Add<'a> = dyn FnMut(&'static str, String, &'static str) + 'a;

fn residual_lines(facts: &Facts, add: &mut Add<'_>) {
    let Report { residual, system, .. } = &facts.report;
    let meaning = match (&facts.regression, &facts.kernel) {
        (Some(_), _) => "‖y − (K + α) c‖ / ‖y‖: how well the solution solves its equations",
        (_, Some(_)) => "‖K v − η v‖ / ‖K‖ of the worst component: how well it solves its equation",
        _ => {
            "‖C v − λ v‖ / ‖C‖ of the worst component, C the covariance: how well it solves its equation"
        }
    };
    add("residual", format!("{residual:.1e}"), meaning);
    if let Some(system) = system {
        let meaning = "of K + α: how much rounding errors may grow";
        add("condition number", format!("{:.1e}", system.condition), meaning);
        if let Some(rank) = system.effective_rank {
            let meaning = "eigenvalues of K that are not lost in rounding";
            add("effective rank", rank.to_string(), meaning);
        }
    }
}

fn machine_lines(machine: &SvmReport, add: &mut Add<'_>) {
    let largest = |of: fn(&mercer::model::svm::ProblemReport) -> f64| {
        // One that is no number is the largest.
        machine.problems.iter().map(of).fold(0.0, |most, v| if v <= most { most } else { v })
    };
    if machine.problems.iter().all(|problem| problem.gap.is_some()) {
        let gap = format!("{:.1e}", largest(|problem| problem.gap.unwrap_or(f64::NAN)));
        add("duality gap", gap, "how far the objective is from its optimum at most");
    }
    let violation = format!("{:.1e}", largest(|problem| problem.violation));
    add("violation", violation, "of the optimality conditions, the largest");
    if machine.problems.iter().all(|problem| problem.rounding.is_some()) {
        let rounding = format!("{:.1e}", largest(|problem| problem.rounding.unwrap_or(f64::NAN)));
        add("rounding", rounding, "by which the violation is uncertain, about");
    }
    if let Some(rows) = machine.certificate() {
        add("certified on", rows, "where these numbers were computed anew, in double precision");
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
        ("steps", numbers(&|p| p.iterations as f64)),
        ("support vectors", numbers(&|p| p.support as f64)),
        ("at their bound", numbers(&|p| p.bounded as f64)),
    ];
    let classes = facts.svm.as_ref().and_then(|svm| svm.classes.as_deref()).unwrap_or_default();
    let pairs = pairs(classes.len());
    if pairs.len() == machine.problems.len() {
        let name = |&(a, b): &(usize, usize)| format!("{} or {}", classes[a], classes[b]);
        let names = pairs.iter().map(name).collect();
        columns.insert(0, ("classes", Column::Text(names)));
    }
    let (names, columns) = columns.into_iter().map(|(name, c)| (name.to_string(), c)).unzip();
    Table::new(names, columns)
}
