//! The comparison: nested cross-validation within a time budget.

use std::sync::Arc;
use std::time::Instant;

use mercer::select::Fold;
use mercer::{Error, Result};

use super::candidates::Candidate;
use super::deadline::Deadline;
use super::problem::{Problem, Split};
use super::result::{ModelResult, Status};
use crate::args::AutoMetric;
use crate::run::Session;

/// The share of the budget for the comparison; the rest is for the final parameters.
pub const SHARE: f64 = 0.8;
/// A model that would take more than this part of the time left is postponed, so that others, which may be faster, have
/// their turn.
const FRACTION: f64 = 3.0;

/// What is compared, on which folds, by which score, and until when.
pub struct Comparison<'a> {
    session: Session,
    deadline: Arc<Deadline>,
    splits: Vec<Split>,
    candidates: &'a [Candidate],
    metric: AutoMetric,
    seed: u64,
    /// The models, in the order in which they are tried.
    pub results: Vec<ModelResult>,
}

impl<'a> Comparison<'a> {
    /// A comparison on the rows `rows` of `problem`, which takes `seconds` at most.
    pub fn new(
        session: &Session,
        problem: &Problem<'_>,
        (rows, folds): (&[usize], &[Fold]),
        candidates: &'a [Candidate],
        metric: AutoMetric,
        (seconds, seed): (f64, u64),
    ) -> Result<Self> {
        let deadline = Arc::new(Deadline::new(session.progress.clone(), SHARE * seconds));
        let splits = folds.iter().map(|fold| problem.split(session, rows, fold));
        Ok(Self {
            session: session.watched_by(deadline.clone()),
            deadline,
            splits: splits.collect::<Result<_>>()?,
            candidates,
            metric,
            seed,
            results: candidates.iter().map(ModelResult::of).collect(),
        })
    }

    /// Seconds since the beginning.
    pub fn seconds(&self) -> f64 {
        self.deadline.seconds()
    }

    /// Scores all models in order, until the time is over. An error is an interruption by the user; what is known by then
    /// stands in the results.
    pub fn run(&mut self) -> Result<()> {
        for model in 0..self.candidates.len() {
            self.score(model, self.deadline.left() / FRACTION)?;
        }
        for model in self.postponed() {
            self.score(model, self.deadline.left())?;
        }
        Ok(())
    }

    /// The models that have shown to be slow: those of which a fold is known first, the most promising first.
    fn postponed(&self) -> Vec<usize> {
        let is_slow = |model: &usize| self.results[*model].status == Status::OutOfTime;
        let mut slow: Vec<usize> = (0..self.results.len()).filter(is_slow).collect();
        let value =
            |model: usize| self.results[model].score().map(|score| self.metric.sign() * score);
        slow.sort_by(|&a, &b| {
            value(b).unwrap_or(f64::NEG_INFINITY).total_cmp(&value(a).unwrap_or(f64::NEG_INFINITY))
        });
        slow
    }

    /// Scores a model on all folds that are left, unless they take longer than `limit`. Baselines are always scored: they
    /// are cheap, and without them a score says nothing.
    fn score(&mut self, model: usize, limit: f64) -> Result<()> {
        let until = self.deadline.seconds() + limit;
        for fold in self.results[model].scores.len()..self.splits.len() {
            let needed = self.results[model].seconds_per_fold() * (self.splits.len() - fold) as f64;
            let left = until - self.deadline.seconds();
            if !self.candidates[model].is_always && (left <= 0.0 || needed > left) {
                self.results[model].status = Status::OutOfTime;
                return Ok(());
            }
            if !self.fold(model, fold, left)? {
                return Ok(());
            }
        }
        self.results[model].status = Status::Done;
        Ok(())
    }

    /// Scores a model on a fold; whether that succeeded.
    fn fold(&mut self, model: usize, fold: usize, left: f64) -> Result<bool> {
        let candidate = &self.candidates[model];
        let name = format!("{}, fold {} of {}", candidate.name, fold + 1, self.splits.len());
        let scored: usize = self.results.iter().map(|result| result.scores.len()).sum();
        let all = (self.candidates.len() * self.splits.len()) as f64;
        let limit = (!candidate.is_always).then_some(left);
        self.deadline.begin(name, scored as f64 / all, limit);
        let started = Instant::now();
        let outcome = self.outcome(candidate, &self.splits[fold]);
        let result = &mut self.results[model];
        result.seconds += started.elapsed().as_secs_f64();
        match outcome {
            Ok((score, chosen)) => {
                result.scores.push(score);
                result.chosen.extend(chosen);
                return Ok(true);
            }
            Err(Error::Interrupted) if self.session.stop.is_set() => {
                result.status = Status::Interrupted;
                return Err(Error::Interrupted);
            }
            Err(Error::Interrupted) => result.status = Status::OutOfTime,
            Err(error) => result.status = Status::Failed(error.to_string()),
        }
        Ok(false)
    }

    fn outcome(&self, candidate: &Candidate, split: &Split) -> Result<(f64, Option<String>)> {
        let context = &self.session.context;
        let model = candidate.method.fit(context, &split.train, &split.train_truth, self.seed)?;
        let found = model.predict(context, &split.test, &split.train_truth)?;
        context.poll()?;
        Ok((self.metric.score(&split.test_truth.answers, &found), model.chosen()))
    }
}
