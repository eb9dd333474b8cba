//! What a comparison says: the ranking, and how sure it is.

use super::result::{Difference, ModelResult, SURE, Status};
use crate::args::AutoMetric;
use crate::scores::with_std_error;

/// The models, the best first; those that are not done are the last.
pub struct Verdict {
    /// All models.
    pub ranked: Vec<ModelResult>,
    /// The score.
    pub metric: AutoMetric,
}

impl Verdict {
    /// The ranking of `results`; of equal scores the first.
    pub fn of(results: &[ModelResult], metric: AutoMetric) -> Self {
        let mut ranked = results.to_vec();
        let value = |result: &ModelResult| {
            result.score().map_or(f64::NEG_INFINITY, |score| metric.sign() * score)
        };
        ranked.sort_by(|a, b| b.is_done().cmp(&a.is_done()).then(value(b).total_cmp(&value(a))));
        Self { ranked, metric }
    }

    /// The models of which all folds were scored.
    pub fn done(&self) -> Vec<&ModelResult> {
        self.ranked.iter().filter(|result| result.is_done()).collect()
    }

    /// The best model, if any is done.
    pub fn best(&self) -> Option<&ModelResult> {
        self.ranked.first().filter(|result| result.is_done())
    }

    /// The best model that a command fits.
    pub fn best_with_command(&self) -> Option<&ModelResult> {
        self.ranked.iter().find(|result| result.is_done() && result.has_command)
    }

    /// Why models have failed, if all have.
    pub fn failure(&self) -> String {
        let failed = |result: &ModelResult| match &result.status {
            Status::Failed(why) => Some(why.clone()),
            _ => None,
        };
        self.ranked.iter().find_map(failed).unwrap_or_else(|| "no fold was scored".into())
    }

    /// Models whose difference from the best is within two standard errors.
    pub fn undecided(&self) -> Vec<String> {
        let Some(best) = self.best() else { return Vec::new() };
        let others = self.done().into_iter().skip(1);
        let close = others.filter(|other| !self.difference(best, other).is_sure());
        close.map(|other| other.name.clone()).collect()
    }

    /// How much better `one` is than `other`.
    pub fn difference(&self, one: &ModelResult, other: &ModelResult) -> Difference {
        Difference::of(one, other, self.metric.sign())
    }

    /// Whether a kernel method is better than all baselines.
    pub fn is_kernel_better(&self) -> bool {
        self.best().is_some_and(|best| !best.is_baseline)
    }

    /// `accuracy 0.967 ± 0.012`.
    pub fn score_text(&self, result: &ModelResult) -> String {
        let value = result.score().unwrap_or(f64::NAN);
        format!("{} {}", self.metric.name(), with_std_error(value, result.std_error()))
    }

    /// What is known about the lead of the best.
    pub fn lead(&self) -> Option<String> {
        let done = self.done();
        let (best, second) = (done.first()?, done.get(1)?);
        let undecided = self.undecided();
        if undecided.is_empty() {
            let gap = text(&self.difference(best, second));
            return Some(format!(
                "{gap} over the second, {}: more than {SURE} standard errors",
                second.name
            ));
        }
        let verb = if undecided.len() == 1 { "is" } else { "are" };
        Some(format!(
            "not decided: {} {verb} within {SURE} standard errors of the difference; another split of the rows may rank them differently",
            undecided.join(", ")
        ))
    }

    /// The best against the best of the other kind: kernel methods and baselines.
    pub fn against_baselines(&self) -> Option<String> {
        let done = self.done();
        let best = done.first()?;
        let Some(rival) = done.iter().find(|other| other.is_baseline != best.is_baseline) else {
            return Some("only baselines were compared to the end".into())
                .filter(|_| best.is_baseline);
        };
        let difference = self.difference(best, rival);
        let word = if difference.is_sure() { "more than" } else { "not more than" };
        let behind = format!("{} behind: {word} {SURE} standard errors", text(&difference));
        Some(match best.is_baseline {
            true => format!(
                "no kernel method is better than the best baseline; the best kernel method, {}, is {behind}",
                rival.name
            ),
            false => format!("the best baseline, {}, is {behind}", rival.name),
        })
    }

    /// Whether there was no time for all models.
    pub fn is_out_of_time(&self) -> bool {
        self.ranked.iter().any(|result| result.status == Status::OutOfTime)
    }

    /// Models that were not compared to the end, with the reason.
    pub fn left(&self) -> Vec<String> {
        let left = self.ranked.iter().filter(|result| !result.is_done());
        left.map(|result| format!("{} ({})", result.name, result.status.text())).collect()
    }
}

fn text(difference: &Difference) -> String {
    let spread = Some(difference.std_error).filter(|error| error.is_finite());
    with_std_error(difference.mean, spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &str, is_baseline: bool, scores: &[f64]) -> ModelResult {
        ModelResult {
            name: name.into(),
            is_baseline,
            has_command: !is_baseline,
            scores: scores.to_vec(),
            chosen: Vec::new(),
            seconds: 1.0,
            status: Status::Done,
        }
    }

    #[test]
    fn a_baseline_that_wins_is_told_plainly() {
        let results =
            [result("kernel", false, &[0.5, 0.6, 0.7]), result("mean", true, &[0.8, 0.9, 0.99])];
        let verdict = Verdict::of(&results, AutoMetric::Accuracy);
        assert_eq!(verdict.best().unwrap().name, "mean");
        assert!(!verdict.is_kernel_better() && verdict.undecided().is_empty());
        let text = verdict.against_baselines().unwrap();
        assert!(
            text.starts_with("no kernel method is better") && text.contains("more than 2"),
            "{text}"
        );
        // Of errors the smallest is the best.
        let verdict = Verdict::of(&results, AutoMetric::Rmse);
        assert_eq!(verdict.best().unwrap().name, "kernel");
        assert!(verdict.lead().unwrap().contains("over the second, mean"));
    }

    #[test]
    fn models_that_are_not_done_come_last() {
        let mut late = result("late", false, &[1.0]);
        late.status = Status::OutOfTime;
        let verdict = Verdict::of(&[late, result("mean", true, &[0.1, 0.2])], AutoMetric::R2);
        assert_eq!(verdict.best().unwrap().name, "mean");
        assert_eq!(verdict.left(), ["late (out of time)"]);
        assert_eq!(verdict.against_baselines().unwrap(), "only baselines were compared to the end");
    }
}
