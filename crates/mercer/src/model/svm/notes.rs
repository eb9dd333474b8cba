//! Notes on a fit for the user, one sentence each.

use super::{ProblemReport, Svm};
use crate::model::note::{Note, NoteCode};
use crate::points::{Dense, Samples};
use crate::real::Real;
use crate::solve::smo::Stop;

/// Notes on how the solver ended.
pub(super) fn on_report(model: &mut Svm) {
    let Some(machine) = &model.report.machine else { return };
    let stopped: Vec<Stop> =
        machine.problems.iter().map(|p| p.stop).filter(|stop| *stop != Stop::Converged).collect();
    let Some(first) = stopped.first() else { return };
    let of = match machine.problems.len() {
        1 => String::new(),
        all => format!(" in {} of {all} problems", stopped.len()),
    };
    let tolerance = model.params.tolerance;
    let why = match first {
        Stop::Iterations => "it reached the maximum number of iterations",
        Stop::Time => "it reached the time limit",
        Stop::NoMargin => {
            model.report.notes.push(Note::new(NoteCode::NoMargin, format!(
                "the solver found no margin between the classes{of}: they overlap more than nu allows, and the \
                 decision values are zero up to rounding; raise nu, scale the features, or choose a kernel that \
                 separates the classes"
            )));
            return;
        }
        Stop::Stalled => {
            let note = stalled(&machine.problems, model.params.c, tolerance);
            model.report.notes.push(Note::new(
                NoteCode::Stalled,
                format!("the solver stopped before the optimum{of}, because {note}"),
            ));
            return;
        }
        _ => "it was interrupted",
    };
    let go_on = if model.cells.is_some() { "" } else { ", and a warm start continues from it" };
    model.report.notes.push(Note::new(NoteCode::StoppedEarly, format!(
        "the solver stopped before the optimum{of}, because {why}: violation {:.1e}, tolerance {tolerance:.1e}; \
         the model is usable{go_on}",
        model.report.residual
    )));
}

/// Why a solver does not get any closer, and what to do about it.
fn stalled(problems: &[ProblemReport], c: f64, tolerance: f64) -> String {
    let stalled = || problems.iter().filter(|problem| problem.stop == Stop::Stalled);
    let violation = stalled().map(|problem| problem.violation).fold(0.0, f64::max);
    let rounding = stalled().filter_map(|problem| problem.rounding).fold(0.0, f64::max);
    if c.is_infinite() {
        return format!(
            "no hard margin satisfies all samples: violation {violation:.1e}, tolerance {tolerance:.1e}; choose a \
             finite C"
        );
    }
    if violation > FAR_FROM_ROUNDING * rounding {
        return format!(
            "it makes no more progress: the problem is ill-conditioned, violation {violation:.1e}, tolerance \
             {tolerance:.1e}; scale the features, or lower C"
        );
    }
    format!(
        "it makes no more progress: rounding of kernel values limits the violation to about {:.1e}, and the tolerance is \
         {tolerance:.1e}; scale the features, lower C, or raise the tolerance",
        violation.max(rounding)
    )
}

/// From this multiple of rounding errors on, a violation has other causes.
const FAR_FROM_ROUNDING: f64 = 1e4;
/// From this ratio of the spreads of two features on, the larger drowns the smaller.
const UNEVEN: f64 = 100.0;
/// Steps per sample from which on a problem counts as hard.
const HARD: u64 = 20;

/// Notes on how the solver ended and on features that made it hard.
pub(super) fn on_samples<T: Real>(model: &mut Svm, x: &Samples<T>) {
    on_report(model);
    let Samples::Dense(x) = x else { return };
    let steps = model.report.machine.iter().flat_map(|m| &m.problems).map(|p| p.iterations);
    let is_hard = steps.max().unwrap_or(0) > HARD * x.n() as u64;
    if model.report.converged && !is_hard {
        return;
    }
    let spreads = spreads(x);
    let largest = (0..spreads.len()).max_by(|&a, &b| spreads[a].total_cmp(&spreads[b]));
    let smallest = (0..spreads.len())
        .filter(|&j| spreads[j] > 0.0)
        .min_by(|&a, &b| spreads[a].total_cmp(&spreads[b]));
    if let (Some(large), Some(small)) = (largest, smallest) {
        if spreads[large] > UNEVEN * spreads[small] {
            model.report.notes.push(Note::new(NoteCode::Scaling, format!(
                "the features have very different standard deviations (column {large}: {:.1e}, column {small}: \
                 {:.1e}; zero-based), which makes the problem ill-conditioned and lets the large ones dominate: \
                 standardise the features first",
                spreads[large], spreads[small]
            )));
        } else if spreads[large] > UNEVEN {
            model.report.notes.push(Note::new(NoteCode::Scaling, format!(
                "the features are large (column {large}, zero-based, has standard deviation {:.1e}), which makes \
                 the problem ill-conditioned: standardise the features first, or choose a smaller C or gamma",
                spreads[large]
            )));
        }
    }
}

/// The standard deviation of each feature; 0 for one that does not vary.
fn spreads<T: Real>(x: &Dense<T>) -> Vec<f64> {
    let (n, d) = (x.n() as f64, x.d());
    let mut mean = vec![0.0; d];
    for row in x.data().chunks_exact(d) {
        mean.iter_mut().zip(row).for_each(|(sum, v)| *sum += v.to_f64() / n);
    }
    let mut spread = vec![0.0; d];
    for row in x.data().chunks_exact(d) {
        let each = spread.iter_mut().zip(row).zip(&mean);
        each.for_each(|((sum, v), mean)| *sum += (v.to_f64() - mean).powi(2) / n);
    }
    // What rounding of the mean leaves of a constant column is no spread.
    let constant = |mean: f64| mean.abs() * f64::EPSILON * n.sqrt().max(4.0);
    let each = spread.into_iter().map(f64::sqrt).zip(mean);
    each.map(|(spread, mean)| if spread > constant(mean) { spread } else { 0.0 }).collect()
}
