//! Results that are written block by block, as they come.

use std::path::Path;

use mercer::context::Step;
use mercer::io::append::stage_pieces;
use mercer::io::stream::TableStream;
use mercer::io::{ModelFile as Saved, Staged, Table, stage_model};
use mercer::{Error, Result};

use super::Reading;
use crate::args::{ModelFile, TableFile};
use crate::run::Session;
use crate::summary::{Outputs, shown};

/// The results of a table in blocks: what is written for each, given the block and the rows before it; nothing if all of its rows were left out.
pub struct Pieces<'a, F> {
    /// The table.
    pub stream: &'a mut TableStream,
    /// The results of a block.
    pub of: F,
}

/// Refuses to replace a file of the table while it is read.
fn check_place(path: &Path, stream: &TableStream) -> Result<()> {
    let whole = |path: &Path| path.canonicalize().ok();
    let place = whole(path);
    if place.is_some() && stream.files().iter().any(|file| whole(file) == place) {
        let message = "is a file of the table: choose another name";
        return Err(Error::parameter("--output", format!("{} {message}", path.display())));
    }
    Ok(())
}

/// Writes the results of a table and the model; all files or none. Returns how the table was read.
pub fn write<F: FnMut(Table, u64) -> Result<Option<Table>>>(
    session: &Session,
    results: Option<(&TableFile, Pieces<'_, F>)>,
    model: Option<(&ModelFile, &Saved)>,
) -> Result<(Outputs, Reading)> {
    if let Some((file, Pieces { stream, .. })) = &results {
        check_place(&file.path, stream)?;
    }
    session.progress.begin("writing");
    let mut reading = Reading::default();
    let outputs = Outputs {
        table: results.as_ref().map(|(file, _)| shown(&file.path)),
        model: model.map(|(file, _)| shown(&file.path)),
        ..Outputs::default()
    };
    session.stop.while_writing(|| {
        let mut staged = Staged::new();
        if let Some((file, Pieces { stream, mut of })) = results {
            stream.rewind();
            reading.passes = 1;
            let total = stream.rows();
            stage_pieces(&mut staged, &file.path, || {
                while let Some(table) = stream.next_table()? {
                    let before = reading.rows;
                    reading.blocks += 1;
                    reading.rows += table.n_rows() as u64;
                    let piece = of(table, before)?;
                    let (context, rows) = (&session.context, reading.rows as f64);
                    match (total, stream.share()) {
                        (Some(n), _) => context.step(Step::new("writing", rows, n as f64))?,
                        (None, Some(share)) => context.step(Step::new("writing", share, 1.0))?,
                        (None, None) => context.poll()?,
                    }
                    if piece.is_some() {
                        return Ok(piece);
                    }
                }
                Ok(None)
            })?;
        }
        if let Some((file, saved)) = model {
            stage_model(&mut staged, &file.path, saved)?;
        }
        session.context.poll()?;
        staged.commit()
    })?;
    Ok((outputs, reading))
}
