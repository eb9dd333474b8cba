//! The importance of the columns of a fitted model, from the growth of the error when one is shuffled.

use mercer::context::Stream;
use mercer::io::{ModelFile, Table};
use mercer::{Error, Result};

use crate::data::InputKind;
use crate::explain::{ColumnImportance, Importance, permutation_importance, source_columns};
use crate::facts::{self, counted};
use crate::plot::{self, Bars, NamedBar, grouped};
use crate::prediction::{Evaluated, Origin};
use crate::report::Explanation;
use crate::run::Session;
use crate::run::prediction::predict;
use crate::scores::with_std_error;
use crate::summary::Lines;

/// Shuffles of each column.
const REPEATS: usize = 5;
/// The most rows that are shuffled, and the fewest that are kept of many columns.
const ROWS: [usize; 2] = [1_000, 50];
/// The most predictions of all shuffles together, unless that leaves too few rows.
const PREDICTIONS: usize = 200_000;
/// The most columns.
const COLUMNS: usize = 1_000;
/// Columns that are drawn.
const DRAWN: usize = 20;
/// Columns on the line of the summary.
const LISTED: usize = 5;

/// Refuses a kernel without columns before the fit.
pub fn check(is_requested: bool, input_kind: &InputKind) -> Result<()> {
    match is_requested && *input_kind == InputKind::Precomputed {
        true => Err(Error::parameter("--explain", "a precomputed kernel has no feature columns")),
        false => Ok(()),
    }
}

/// The importance of the columns of `features`, whose rows are those of `evaluated`.
pub fn importance(
    session: &Session,
    saved: &ModelFile,
    features: &Table,
    evaluated: &Evaluated<'_>,
) -> Result<Importance> {
    let encoding = facts::places(saved).and_then(|places| places.encoding);
    let sources = source_columns(features, encoding.as_ref());
    if sources.len() > COLUMNS {
        let message =
            format!("the model has {} columns; at most {COLUMNS} can be compared", sources.len());
        return Err(Error::parameter("--explain", message));
    }
    let rows = sample(evaluated.counted, sources.len());
    let truth: Vec<_> = evaluated.truth.iter().map(|column| column.take(&rows)).collect();
    let counted: Vec<usize> = (0..rows.len()).collect();
    let error = |table: &Table| {
        let prediction = predict(session, &saved.model, saved.scaling.as_ref(), table, false)?;
        session.context.poll()?;
        let part =
            Evaluated { truth: &truth, prediction: &prediction, counted: &counted, ..*evaluated };
        Ok(part.error())
    };
    let chosen = features.take_rows(&rows);
    let (error, columns) = permutation_importance(&chosen, &sources, REPEATS, error)?;
    Ok(Importance {
        measure: measure(evaluated),
        rows_from: if evaluated.origin == Origin::HeldOut { "held_out" } else { "training" },
        rows: rows.len(),
        repeats: REPEATS,
        error,
        columns,
    })
}

fn measure(evaluated: &Evaluated<'_>) -> &'static str {
    match (evaluated.names.classes, evaluated.truth.len()) {
        (Some(_), _) => "error rate",
        (None, 1) => "RMSE",
        (None, _) => "RMSE / standard deviation of the target",
    }
}

/// So many of `rows`, at random, that all shuffles together stay within the limit.
fn sample(rows: &[usize], columns: usize) -> Vec<usize> {
    let most = (PREDICTIONS / (REPEATS * columns.max(1))).clamp(ROWS[1], ROWS[0]);
    if rows.len() <= most {
        return rows.to_vec();
    }
    let mut places = Stream::new(0, "explained rows").sample(rows.len(), most);
    places.sort_unstable();
    places.iter().map(|&place| rows[place]).collect()
}

impl Importance {
    fn rows_text(&self) -> String {
        let from = if self.rows_from == "held_out" { "held-out" } else { "training" };
        match self.rows {
            1 => format!("1 {from} row"),
            rows => format!("{} {from} rows", grouped(rows)),
        }
    }

    /// The line of the summary.
    pub fn describe(&self, lines: &mut Lines) {
        let text = |column: &ColumnImportance| {
            format!("{} {}", column.name, with_std_error(column.mean, Some(column.std_error)))
        };
        let listed: Vec<String> = self.columns.iter().take(LISTED).map(text).collect();
        let more = if self.columns.len() > listed.len() { ", …" } else { "" };
        lines.add("importance", listed.join(", ") + more);
        let how = format!(
            "growth of the {} when a column is shuffled ({}, {} shuffles)",
            self.measure,
            self.rows_text(),
            self.repeats
        );
        lines.add("", how);
    }

    /// The section of a report.
    pub fn explanation(&self, all_rows: usize) -> Explanation {
        let sampled = match self.rows < all_rows {
            true => format!(", drawn at random of {}", counted(all_rows, "row")),
            false => String::new(),
        };
        let caution = match self.rows_from {
            "held_out" => "",
            _ => {
                " These are rows of the fit, for which columns that the model has overfitted look important: --test 0.2 \
                  computes it on held-out rows."
            }
        };
        let text = format!(
            "By how much the {} grows when the cells of one column are shuffled; without shuffling it is {}. Computed on {}{sampled}; \
             ± standard error over {} shuffles. Columns that carry the same information may each look unimportant.{caution}",
            self.measure,
            with_std_error(self.error, None),
            self.rows_text(),
            self.repeats
        );
        Explanation {
            heading: "Importance of columns",
            text,
            pictures: vec![self.draw()],
            tables: Vec::new(),
        }
    }

    fn draw(&self) -> plot::Drawing {
        let bar = |column: &ColumnImportance| NamedBar {
            name: column.name.clone(),
            value: column.mean,
            error: column.std_error,
        };
        let bars: Vec<NamedBar> = self.columns.iter().take(DRAWN).map(bar).collect();
        let shown = match self.columns.len() > bars.len() {
            true => format!("; the first {} of {} columns", bars.len(), self.columns.len()),
            false => String::new(),
        };
        plot::bars(&Bars {
            title: "Importance of columns",
            subtitle: &format!(
                "{}; ± standard error over {} shuffles{shown}",
                self.rows_text(),
                self.repeats
            ),
            x_title: &format!("growth of the {}", self.measure),
            bars: &bars,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_limited_by_sampling_rows() {
        let rows: Vec<usize> = (0..5_000).collect();
        assert_eq!(sample(&rows, 4).len(), 1_000);
        assert_eq!(sample(&rows, 100).len(), 400);
        assert_eq!(sample(&rows, 1_000).len(), 50);
        assert_eq!(sample(&rows[..30], 1_000), rows[..30]);
        assert!(sample(&rows, 4).windows(2).all(|pair| pair[0] < pair[1]));
    }
}
