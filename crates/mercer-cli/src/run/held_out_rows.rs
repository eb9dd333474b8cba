//! The rows that a model is evaluated on, for its scores, reports and explanations.

use mercer::Result;
use mercer::io::{ModelFile, Table};

use super::evaluated_rows::EvaluatedRows;
use super::row_numbers::RowNumbers;
use super::{Session, held_out, held_out_pictures};
use crate::facts::{self, Facts};
use crate::plot::Drawing;

/// Rows that were held out.
#[derive(Default)]
pub struct HeldOutRows {
    /// Their predictions and true values, if there are any.
    pub rows: Option<EvaluatedRows>,
    /// Their pictures, if they are to be drawn.
    pub pictures: Vec<Drawing>,
}

/// Evaluates `saved` on `test`, and stores its scores and residuals in it.
pub fn evaluate(
    session: &Session,
    saved: &mut ModelFile,
    test: Option<Table>,
    numbers: &RowNumbers,
    is_drawn: bool,
) -> Result<HeldOutRows> {
    let Some(test) = test else { return Ok(HeldOutRows::default()) };
    session.progress.begin("evaluating");
    let (scores, predicted) = held_out::evaluate(session, saved, test)?;
    facts::note_held_out(saved, &scores);
    predicted.note_residuals(saved);
    let pictures = match is_drawn {
        true => held_out_pictures::draw(&Facts::of(saved), &predicted),
        false => Vec::new(),
    };
    Ok(HeldOutRows { rows: Some(predicted.evaluated(numbers.test.clone())), pictures })
}
