//! From the result of Lloyd's rounds to a model.

use super::fit::Fit;
use super::{Init, KernelKMeans, KernelKMeansParams};
use crate::gram::Plan;
use crate::model::note::{Note, NoteCode};
use crate::model::report::{ClusterReport, Report};
use crate::solve::lloyd::{Solution, Stop};

impl Fit<'_> {
    /// The model of a solution.
    pub(super) fn assemble(&self, solution: Solution, starts: usize, plan: &Plan) -> KernelKMeans {
        let Solution { labels, centres, info } = &solution;
        let share = |(&c, w): (&usize, &f64)| if *w > 0.0 { w / centres.sizes[c] } else { 0.0 };
        let shares = labels.iter().zip(self.weights).map(share).collect();
        let clusters = ClusterReport {
            objective: centres.objective,
            starts,
            rounds: info.rounds,
            objectives: info.objectives.clone(),
            moved: info.moved,
            reseeded: info.reseeded,
            full_passes: info.full_passes,
        };
        let report = Report {
            solver: "lloyd".into(),
            storage: plan.words(),
            reason: plan.reason.clone(),
            passes: info.full_passes,
            residual: 0.0,
            converged: matches!(info.stop, Stop::Settled | Stop::Tolerance),
            precision: self.dtype.name().into(),
            seconds: 0.0,
            notes: notes(self.params, &solution, starts),
            clusters: Some(clusters),
            ..Report::default()
        };
        let init = match &self.params.init {
            Init::Labels(_) => Init::Labels(Vec::new()),
            other => other.clone(),
        };
        KernelKMeans {
            params: KernelKMeansParams { init, ..self.params.clone() },
            inertia: centres.objective.max(0.0),
            rounds: info.rounds,
            shares,
            stand_ins: centres.stand_ins.clone(),
            norms: centres.norms.clone(),
            labels: solution.labels,
            point: None,
            anchors: None,
            dtype: self.dtype,
            report,
        }
    }
}

/// What a user should know.
fn notes(params: &KernelKMeansParams, solution: &Solution, starts: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    let (k, dead) = (params.clusters, solution.centres.stand_ins.len());
    if dead > 0 {
        notes.push(Note::new(NoteCode::EmptyClusters, format!(
            "only {} of {k} clusters have samples: there are no more distinct samples in feature space",
            k - dead
        )));
    }
    match solution.info.stop {
        Stop::Rounds => notes.push(Note::new(NoteCode::NotConverged, format!(
            "k-means did not converge in {} iterations: raise the maximum number of iterations or the tolerance",
            solution.info.rounds
        ))),
        Stop::Rise => notes.push(Note::new(NoteCode::Indefinite, "the objective was about to increase, which happens only if the kernel is not positive semidefinite \
             on these samples: the clusters of the previous iteration were kept")),
        Stop::Time => notes.push(Note::new(NoteCode::NotConverged, format!(
            "k-means did not converge before the time limit: the clusters are those after {} iterations; raise the limit",
            solution.info.rounds
        ))),
        Stop::Settled | Stop::Tolerance => {}
    }
    notes.extend(missing_starts(params, starts));
    notes
}

/// A note if the time limit passed before all starts were made.
fn missing_starts(params: &KernelKMeansParams, starts: usize) -> Option<Note> {
    let drawn = matches!(params.init, Init::PlusPlus | Init::Random);
    (drawn && starts < params.starts).then(|| {
        let text = format!(
            "the time limit passed after {starts} of {} starts of k-means: the best of these was kept; raise the limit, \
             or ask for fewer starts",
            params.starts
        );
        Note::new(NoteCode::StoppedEarly, text)
    })
}
