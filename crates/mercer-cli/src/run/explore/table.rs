//! The user's table as a data set.

use mercer::context::Stream;
use mercer::io::{Column, Source, Table};
use mercer::{Error, Mat, Result, Strings};
use mercer_serve::explore::{Content, DataSet, Labels};

use crate::args::{ExploreArgs, TableArgs};
use crate::data::{self, InputKind};
use crate::facts::counted;
use crate::run::Session;

/// Reads the table, and takes a sample of it if it is large.
pub fn read(session: &Session, args: &ExploreArgs, source: &Source) -> Result<DataSet> {
    let table = TableArgs { source: source.clone(), format: args.format, header: args.header };
    let table = data::read(session, &table, &InputKind::Numbers)?;
    let label = args.label.as_deref().or_else(|| table.label.map(|_| "1"));
    let label = label.map(|label| table.find(label)).transpose()?;
    let chosen = match &args.columns {
        Some(columns) => table.choose(columns)?,
        None => (0..table.n_columns()).collect(),
    };
    let used: Vec<usize> = chosen.into_iter().filter(|&column| Some(column) != label).collect();
    let numeric: Vec<usize> =
        used.iter().copied().filter(|&j| is_numeric(&table.columns[j])).collect();
    let is_text = args.columns.is_some() && numeric.len() < used.len() || numeric.is_empty();
    let text = used.iter().copied().find(|j| !numeric.contains(j)).filter(|_| is_text);
    let rows =
        sampled(session, &table, if text.is_some() { &[] } else { &numeric }, args.rows as usize)?;
    let content = match text {
        Some(column) => strings(&table, column, &rows)?,
        None => numbers(&table, &numeric, &rows)?,
    };
    let labels = labels(&table, label, &rows);
    let (kernel, scale) = match (&content, text) {
        (_, Some(_)) => ("normalize(spectrum(p=3))".to_owned(), false),
        (Content::Numbers { names, .. }, None) => {
            (format!("rbf(gamma={})", 1.0 / names.len().max(1) as f64), true)
        }
        _ => ("rbf".into(), true),
    };
    let file = source.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(DataSet {
        name: "table".into(),
        title: file,
        about: described(&table, rows.len()),
        file: source.path().display().to_string(),
        content,
        labels,
        all_rows: table.n_rows(),
        image: None,
        kernel,
        scale,
    })
}

fn is_numeric(column: &Column) -> bool {
    let mut cells = (0..column.len()).map(|row| column.number(row));
    cells.all(|cell| cell.is_some()) && (0..column.len()).any(|row| is_finite(column, row))
}

fn is_finite(column: &Column, row: usize) -> bool {
    column.number(row).is_some_and(f64::is_finite)
}

/// Rows without missing numbers, at most `most` of them.
fn sampled(session: &Session, table: &Table, numeric: &[usize], most: usize) -> Result<Vec<usize>> {
    let is_whole = |row: &usize| numeric.iter().all(|&j| is_finite(&table.columns[j], *row));
    let rows: Vec<usize> = (0..table.n_rows()).filter(is_whole).collect();
    let left_out = table.n_rows() - rows.len();
    if rows.len() < 2 {
        let all = counted(table.n_rows(), "row");
        let message = match left_out {
            0 => format!("the table has {all}: at least two are needed"),
            _ => format!(
                "{} of {all} have no missing value: leave columns out with --columns, as in --columns ^{}",
                rows.len(),
                emptiest(table, numeric).map_or_else(|| "1".into(), |column| table.name(column)),
            ),
        };
        return Err(data::about(table, message));
    }
    if left_out > 0 && !session.quiet {
        session.progress.clear();
        crate::summary::warn(&format!(
            "left out: {} with missing or infinite values",
            counted(left_out, "row")
        ));
    }
    if rows.len() <= most {
        return Ok(rows);
    }
    let mut stream = Stream::new(0, "explore");
    let mut drawn: Vec<(f64, usize)> =
        rows.into_iter().map(|row| (stream.uniform(), row)).collect();
    drawn.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut rows: Vec<usize> = drawn.into_iter().take(most).map(|(_, row)| row).collect();
    rows.sort_unstable();
    Ok(rows)
}

/// The column with the most missing values.
fn emptiest(table: &Table, columns: &[usize]) -> Option<usize> {
    let missing = |&j: &usize| {
        let column = &table.columns[j];
        (0..column.len()).filter(|&row| !is_finite(column, row)).count()
    };
    columns.iter().copied().max_by_key(missing)
}

fn numbers(table: &Table, columns: &[usize], rows: &[usize]) -> Result<Content> {
    const MOST: usize = 4000;
    if columns.len() > MOST {
        let message = format!("the page takes at most {MOST} columns: choose them with --columns");
        return Err(data::about(table, message));
    }
    let number = |i: usize, j: usize| table.columns[columns[j]].number(rows[i]).unwrap_or(f64::NAN);
    let values = Mat::from_fn(rows.len(), columns.len(), number);
    Ok(Content::Numbers { names: columns.iter().map(|&j| table.name(j)).collect(), values })
}

fn strings(table: &Table, column: usize, rows: &[usize]) -> Result<Content> {
    let texts = Strings::new(rows.iter().map(|&row| table.columns[column].text(row)))?;
    match texts.n() {
        0 => Err(Error::Shape("there are no rows".into())),
        _ => Ok(Content::Strings { name: table.name(column), texts }),
    }
}

/// The label first, then all columns of text.
fn labels(table: &Table, label: Option<usize>, rows: &[usize]) -> Vec<Labels> {
    let texts =
        (0..table.n_columns()).filter(|&j| Some(j) != label && !is_numeric(&table.columns[j]));
    let cells = |j: usize| rows.iter().map(|&row| table.columns[j].text(row)).collect();
    label
        .into_iter()
        .chain(texts)
        .map(|j| Labels { name: table.name(j), cells: cells(j) })
        .collect()
}

fn described(table: &Table, rows: usize) -> String {
    let columns = counted(table.n_columns(), "column");
    match table.n_rows() {
        all if all == rows => format!("{} and {columns}", counted(rows, "row")),
        all => format!("{columns}; {rows} of {all} rows"),
    }
}
