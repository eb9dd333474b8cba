//! Held-out evaluation: rows that a model is not fitted on, and its scores on them.
//!
//! Rows are held out before anything is learned from the table, so that fills of missing values, categories and scaling
//! come from the training rows alone.

use std::collections::BTreeMap;

use mercer::context::Stream;
use mercer::io::{Column, ModelFile, Source, Table};
use mercer::{Error, Result};

use super::evaluated_rows::EvaluatedRows;
use super::{Session, predict};
use crate::args::{TableArgs, TestArgs, TestRows};
use crate::data::{self, InputKind, Label, about};
use crate::facts::{self, Facts, HeldOut, Residuals, counted};
use crate::prediction::{Names, Origin, Prediction};

/// A table split into the rows to fit on and the rows to evaluate on.
pub struct Rows {
    /// The rows to fit on.
    pub training: Table,
    /// The rows to evaluate on, if requested.
    pub test: Option<Table>,
}

/// Splits `table` as `args` say; `target` is the column that is predicted.
pub fn split(
    session: &Session,
    table: Table,
    (args, read): (&TestArgs, &TableArgs),
    target: Option<&str>,
    input_kind: &InputKind,
) -> Result<Rows> {
    let share = match &args.test {
        None => return Ok(Rows { training: table, test: None }),
        Some(TestRows::Table(path)) => {
            if let Some(flag) =
                [(args.groups.is_some(), "--groups"), (args.test_last, "--test-last")]
                    .into_iter()
                    .find_map(|(is_given, flag)| is_given.then_some(flag))
            {
                return Err(Error::parameter(flag, "requires a fraction of the table as --test"));
            }
            let source = Source::named(path.clone());
            let args = TableArgs { source, format: read.format, header: read.header };
            let test = data::read(session, &args, input_kind)?;
            return Ok(Rows { training: table, test: Some(test) });
        }
        Some(TestRows::Share(share)) => *share,
    };
    if *input_kind == InputKind::Precomputed {
        let message = "a kernel matrix cannot be split by rows: give the test rows as a table";
        return Err(Error::parameter("--test", message));
    }
    let held = match (&args.groups, args.test_last) {
        (Some(column), _) => by_groups(&table, column, share, args.test_seed)?,
        (None, true) => last(table.n_rows(), share),
        (None, false) => stratified(&classes(&table, target)?, share, args.test_seed),
    };
    let is_held: Vec<bool> = {
        let mut flags = vec![false; table.n_rows()];
        held.iter().for_each(|&row| flags[row] = true);
        flags
    };
    let rest: Vec<usize> = (0..table.n_rows()).filter(|&row| !is_held[row]).collect();
    if held.is_empty() || rest.is_empty() {
        let message = format!(
            "{share} of {} leaves no rows to {}",
            counted(table.n_rows(), "row"),
            if held.is_empty() { "evaluate on" } else { "fit on" }
        );
        return Err(Error::parameter("--test", message));
    }
    let test = table.take_rows(&held);
    Ok(Rows { training: table.take_rows(&rest), test: Some(test) })
}

/// Rows that a model was not fitted on, their predictions and their true values.
pub struct Predicted {
    /// The features of the model.
    pub features: Table,
    /// The label of each row.
    pub label: Option<Label>,
    /// The predictions.
    pub prediction: Prediction,
    /// The true values of each target.
    pub truth: Vec<Column>,
}

/// The scores of `saved` on the rows of `test`.
pub fn evaluate(session: &Session, saved: &ModelFile, test: Table) -> Result<(HeldOut, Predicted)> {
    let rows = test.n_rows();
    let facts = Facts::of(saved);
    let path = test.path.clone();
    let Some(predicted) = predict::predict_table(session, saved, &facts, test)? else {
        return Err(Error::format(&path, "the test table does not hold the target column"));
    };
    let (targets, classes) = facts.predicts().unwrap_or_default();
    let all: Vec<usize> = (0..rows).collect();
    let Predicted { prediction, truth, .. } = &predicted;
    match prediction.evaluate(Names { targets, classes }, truth, &all) {
        Ok((scores, confusion)) => {
            let residuals = facts::residuals(saved);
            let reach = |level: f64| residuals.as_ref()?.reach(level);
            let held_out = HeldOut::new(rows, scores, confusion);
            let classes = classes.unwrap_or_default();
            let held_out = held_out.with_details(prediction, truth, classes, reach);
            Ok((held_out, predicted))
        }
        Err(why) => Err(Error::format(&path, format!("test scores are {why}"))),
    }
}

impl Predicted {
    /// The rows as a report evaluates them; `numbers` are theirs in the table.
    pub fn evaluated(self, numbers: Vec<usize>) -> EvaluatedRows {
        let Self { features, label, prediction, truth } = self;
        let (origin, counted) = (Origin::HeldOut, (0..features.n_rows()).collect());
        EvaluatedRows { origin, features, numbers, label, truth, prediction, counted }
    }

    /// Stores the residuals of these rows in `saved` for intervals, if it has none of others.
    pub fn note_residuals(&self, saved: &mut ModelFile) {
        let facts = Facts::of(saved);
        let (_, classes) = facts.predicts().unwrap_or_default();
        match (&self.prediction, classes) {
            (Prediction::Values { values, .. }, None) if values.cols() == 1 => {
                let number = |row: usize| self.truth[0].number(row).unwrap_or(f64::NAN);
                let sizes = (0..values.rows()).map(|row| (number(row) - values[(row, 0)]).abs());
                if facts::residuals(saved).is_none() {
                    facts::note_residuals(saved, &Residuals::new(sizes.collect()));
                }
            }
            (Prediction::Classes { scores, .. }, Some(classes)) => {
                let truth = facts::class_places(classes, &self.truth[0]);
                let margins = truth.iter().enumerate();
                let margins = margins.map(|(row, &class)| facts::margin(scores, row, class));
                let margins = Residuals::new(margins.collect());
                if facts::margins(saved).is_none() {
                    facts::note_margins(saved, &margins);
                }
            }
            _ => {}
        }
    }
}

/// The rows of each value of the target, if it has few; else all rows together.
fn classes(table: &Table, target: Option<&str>) -> Result<Vec<Vec<usize>>> {
    const MOST: usize = 100;
    let column = match (target, table.label) {
        (Some(which), _) => table.find(which).ok(),
        (None, label) => label,
    };
    let all = || vec![(0..table.n_rows()).collect()];
    let Some(column) = column else { return Ok(all()) };
    let rows = rows_by_value(table, column);
    let is_many = rows.len() > MOST || rows.len() * 2 > table.n_rows();
    Ok(if is_many { all() } else { rows })
}

fn rows_by_value(table: &Table, column: usize) -> Vec<Vec<usize>> {
    let mut rows: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for row in 0..table.n_rows() {
        rows.entry(table.columns[column].text(row)).or_default().push(row);
    }
    rows.into_values().collect()
}

/// So many rows of each class, at random. A class keeps a row to fit on.
fn stratified(classes: &[Vec<usize>], share: f64, seed: u64) -> Vec<usize> {
    let mut stream = Stream::new(seed, "test rows");
    let mut held = Vec::new();
    for rows in classes {
        let count = ((share * rows.len() as f64).round() as usize).min(rows.len() - 1);
        held.extend(stream.sample(rows.len(), count).into_iter().map(|place| rows[place]));
    }
    held.sort_unstable();
    held
}

/// Whole groups at random, until the share is reached.
fn by_groups(table: &Table, column: &str, share: f64, seed: u64) -> Result<Vec<usize>> {
    let groups = rows_by_value(table, table.find(column)?);
    if groups.len() < 2 {
        let message = format!("column {column:?} has a single group; at least two are required");
        return Err(about(table, message));
    }
    let (mut held, wanted) = (Vec::new(), share * table.n_rows() as f64);
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let mut stream = Stream::new(seed, "test groups");
    (1..order.len()).rev().for_each(|last| order.swap(last, stream.below(last + 1)));
    for &place in &order[..groups.len() - 1] {
        if held.is_empty() || held.len() as f64 + groups[place].len() as f64 / 2.0 <= wanted {
            held.extend_from_slice(&groups[place]);
        }
    }
    held.sort_unstable();
    Ok(held)
}

fn last(rows: usize, share: f64) -> Vec<usize> {
    let count = (share * rows as f64).round() as usize;
    (rows - count.min(rows)..rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_on_both_sides() {
        let classes = vec![(0..50).collect(), (50..100).collect(), vec![100, 101]];
        let held = stratified(&classes, 0.3, 0);
        let count =
            |range: std::ops::Range<usize>| held.iter().filter(|row| range.contains(row)).count();
        assert_eq!((count(0..50), count(50..100), count(100..102)), (15, 15, 1));
        assert_eq!(held, stratified(&classes, 0.3, 0));
        assert_ne!(held, stratified(&classes, 0.3, 1));
    }

    #[test]
    fn groups_are_held_out_whole() {
        let cells = (0..60).map(|row| format!("g{}", row / 6)).collect();
        let table = Table::new(vec!["g".into()], vec![Column::Text(cells)]);
        let held = by_groups(&table, "g", 0.3, 0).unwrap();
        assert_eq!(held.len(), 18);
        assert_ne!(held, by_groups(&table, "g", 0.3, 1).unwrap());
        assert!(held.chunks(6).all(|rows| rows[0] % 6 == 0 && rows[5] == rows[0] + 5));
    }

    #[test]
    fn the_last_rows_are_the_last() {
        assert_eq!(last(10, 0.3), [7, 8, 9]);
    }
}
