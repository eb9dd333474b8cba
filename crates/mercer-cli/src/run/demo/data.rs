//! `mercer demo --data`: sample tables as files.

use mercer::Error;
use mercer::io::{Staged, stage_table};

use crate::args::{DemoArgs, DemoData, TableFile};
use crate::failure::Failure;
use crate::run::Session;
use crate::sample_tables::{SAMPLES, Sample};
use crate::stdout;
use crate::summary::shown;

/// Writes the table that `data` names, or prints the list.
pub fn write(session: &Session, args: &DemoArgs, data: &DemoData) -> Result<(), Failure> {
    let text = match data {
        DemoData::List => list(),
        DemoData::Table(file, sample) => {
            let rows = write_table(session, args, file, sample)?;
            described(file, sample, rows)
        }
    };
    let is_list = matches!(data, DemoData::List);
    let text = if args.quiet && !is_list { String::new() } else { text };
    stdout::print(&text).map_err(Failure::Print)
}

fn list() -> String {
    let line = |sample: &Sample| {
        format!("  {:<10}{}\n  {:<10}{}\n", sample.name, sample.what, "", sample.source)
    };
    let lines: String = SAMPLES.iter().map(line).collect();
    format!("Sample tables, written by e.g. `mercer demo --data iris.csv`:\n\n{lines}")
}

fn write_table(
    session: &Session,
    args: &DemoArgs,
    file: &TableFile,
    sample: &Sample,
) -> Result<usize, Failure> {
    if file.path.exists() {
        let message = "the file already exists: remove it, or name another directory";
        return Err(Error::format(&file.path, message).into());
    }
    let table = sample.table(args.rows(), args.seed)?;
    session.stop.while_writing(|| {
        let mut staged = Staged::new();
        stage_table(&mut staged, &file.path, &table)?;
        session.context.poll()?;
        staged.commit()
    })?;
    Ok(table.n_rows())
}

fn described(file: &TableFile, sample: &Sample, rows: usize) -> String {
    format!(
        "{}: {rows} rows, {}\nSource: {}\nTry:    {}\n",
        shown(&file.path),
        sample.what,
        sample.source,
        sample.example(&file.path)
    )
}
