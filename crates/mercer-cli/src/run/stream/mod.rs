//! Fits on tables that are read in blocks, and results that are written as they come.

mod pieces;
mod rows;
mod target_variance;

use mercer::{Error, Result};

pub use pieces::{Pieces, write};
pub use rows::{FitRows, split};

use crate::args::{PageFile, Picture};
use crate::facts::counted;
use crate::summary::Lines;

/// How a table was read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading {
    /// Its rows.
    pub rows: u64,
    /// The blocks that they came in.
    pub blocks: u64,
    /// How often they were read.
    pub passes: usize,
}

impl Reading {
    /// Says so in a summary.
    pub fn describe(self, lines: &mut Lines) {
        let rows = counted(self.rows as usize, "row");
        let blocks = counted(self.blocks as usize, "block");
        let passes = counted(self.passes, "pass").replace("passs", "passes");
        lines.add(
            "reading",
            format!("the table exceeds the memory budget: {rows} in {blocks}, {passes}"),
        );
    }
}

/// Refuses what needs all rows at once.
pub fn refuse(pictures: &[Picture], page: Option<&PageFile>) -> Result<()> {
    let message = "not available for a table that is read in blocks: raise --memory";
    match (pictures.is_empty(), page) {
        (false, _) => Err(Error::parameter("--plot", message)),
        (_, Some(_)) => Err(Error::parameter("--report", message)),
        _ => Ok(()),
    }
}

/// An error in a block: for a missing value it says why it is not filled as in a table in memory.
fn in_block(error: Error) -> Error {
    match error {
        Error::Cell { path, message, is_text, is_missing: true } => {
            let more = "in a table that is read in blocks, missing values are filled only with --missing median; --missing drop leaves such rows out";
            Error::Cell { path, message: format!("{message}; {more}"), is_text, is_missing: true }
        }
        other => other,
    }
}
