//! The scores of all models as a picture.

use super::result::ModelResult;
use super::verdict::Verdict;
use crate::plot::leaderboard::{Entry, Leaderboard, leaderboard};
use crate::plot::{Drawing, grouped};

/// Draws the models of which all folds were scored.
pub fn draw(verdict: &Verdict, target: &str, table: &str, folds: usize) -> Drawing {
    let entry = |result: &&ModelResult| Entry {
        name: result.name.clone(),
        value: result.score().unwrap_or(f64::NAN),
        std_error: result.std_error(),
        group: usize::from(result.is_baseline),
    };
    let entries: Vec<Entry> = verdict.done().iter().map(entry).collect();
    let subtitle =
        format!("mean and standard error over {} folds of nested cross-validation", grouped(folds));
    leaderboard(&Leaderboard {
        title: &format!("Models for {target} in {table}"),
        subtitle: &subtitle,
        x_title: verdict.metric.name(),
        entries: &entries,
        groups: ["kernel methods", "baselines"],
    })
}
