//! From the result of Lloyd's rounds to a model.

use super::fit::Fit;
use super::{Init, KernelKMeans, KernelKMeansParams};
use crate::gram::{Plan, SpanCentres};
use crate::linalg::view::Mat;
use crate::model::note::{Note, NoteCode};
use crate::model::report::{ClusterReport, Report};
use crate::points::{AnySamples, Dtype};
use crate::solve::lloyd::{Info, Solution, SpanSolution, Stop};

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
            low_rank_objective: None,
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
            notes: notes(self.params, &solution.info, centres.stand_ins.len(), starts),
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
            centre_coef: None,
            anchors: None,
            dtype: self.dtype,
            report,
        }
    }
}

impl KernelKMeans {
    /// The model of centres in the span of landmarks, which leave `residual_trace` of the samples; `base` is its report so far.
    pub(crate) fn in_span(
        params: KernelKMeansParams,
        solution: SpanSolution,
        (base, residual_trace): (Report, f64),
        (anchors, point, dtype): (AnySamples, Option<Vec<f64>>, Dtype),
        starts: usize,
    ) -> Self {
        let SpanSolution { labels, sizes, centres, objective, info } = solution;
        let empty = sizes.iter().filter(|size| **size <= 0.0).count();
        let inertia = objective + residual_trace;
        let clusters = ClusterReport {
            objective: inertia,
            starts,
            rounds: info.rounds,
            objectives: info.objectives.iter().map(|value| value + residual_trace).collect(),
            moved: info.moved,
            reseeded: info.reseeded,
            full_passes: info.full_passes,
            low_rank_objective: Some(objective),
        };
        let mut all = base.notes.clone();
        all.extend(notes(&params, &info, empty, starts));
        let report = Report {
            solver: "lloyd".into(),
            passes: info.full_passes,
            converged: matches!(info.stop, Stop::Settled | Stop::Tolerance),
            notes: all,
            clusters: Some(clusters),
            ..base
        };
        let init = match params.init {
            Init::Labels(_) => Init::Labels(Vec::new()),
            other => other,
        };
        let (coef, norms) = with_empty(centres);
        Self {
            params: KernelKMeansParams { init, ..params },
            labels,
            inertia,
            rounds: info.rounds,
            shares: Vec::new(),
            stand_ins: Vec::new(),
            norms,
            point,
            centre_coef: Some(coef),
            anchors: Some(anchors),
            dtype,
            report,
        }
    }
}

/// Coefficients and squared norms of centres; that of a cluster without samples is that of the first with some.
fn with_empty(centres: SpanCentres) -> (Mat<f64>, Vec<f64>) {
    let SpanCentres { coef, norms } = centres;
    let first = norms.iter().position(|norm| norm.is_finite()).unwrap_or(0);
    let of = |c: usize| if norms[c].is_finite() { c } else { first };
    let coef = Mat::from_fn(coef.rows(), coef.cols(), |i, c| coef[(i, of(c))]);
    (coef, (0..norms.len()).map(|c| norms[of(c)]).collect())
}

/// What a user should know.
fn notes(params: &KernelKMeansParams, info: &Info, dead: usize, starts: usize) -> Vec<Note> {
    let (mut notes, k) = (Vec::new(), params.clusters);
    if dead > 0 {
        notes.push(Note::new(NoteCode::EmptyClusters, format!(
            "only {} of {k} clusters have samples: there are no more distinct samples in feature space",
            k - dead
        )));
    }
    match info.stop {
        Stop::Rounds => notes.push(Note::new(NoteCode::NotConverged, format!(
            "k-means did not converge in {} iterations: raise the maximum number of iterations or the tolerance",
            info.rounds
        ))),
        Stop::Rise => notes.push(Note::new(NoteCode::Indefinite, "the objective was about to increase, which happens only if the kernel is not positive semidefinite \
             on these samples: the clusters of the previous iteration were kept")),
        Stop::Time => notes.push(Note::new(NoteCode::NotConverged, format!(
            "k-means did not converge before the time limit: the clusters are those after {} iterations; raise the limit",
            info.rounds
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
