//! Target columns and sample weights.

use mercer::io::{Column, Table};
use mercer::{Error, Mat, Result, Targets};

use super::TargetKind;
use crate::data::{about, places};

/// The values of the target columns.
pub(super) fn target_values(table: &Table, targets: &[usize], kind: TargetKind) -> Result<Targets> {
    let is_class = |i: &&usize| match kind {
        TargetKind::Either | TargetKind::EitherByTask => holds_classes(&table.columns[**i]),
        TargetKind::Classes | TargetKind::ClassesOfBlock => true,
        TargetKind::Values | TargetKind::ValuesOfBlock | TargetKind::Unsupervised => false,
    };
    match targets.iter().find(is_class) {
        _ if kind == TargetKind::Unsupervised => Ok(Targets::unsupervised()),
        None => {
            let columns = targets.iter().map(|&i| target_numbers(table, i, kind));
            let columns = columns.collect::<Result<Vec<_>>>()?;
            let value = |i: usize, j: usize| columns[j][i];
            Ok(Targets::matrix(Mat::from_fn(table.n_rows(), columns.len(), value)))
        }
        Some(&column) if targets.len() == 1 => {
            let names = class_names(table, column)?;
            if kind != TargetKind::ClassesOfBlock && names.len() > 2 {
                refuse_all_different(table, column, &names)?;
            }
            Ok(Targets::classes(&names))
        }
        Some(&column) => {
            let name = table.name(column);
            let message = format!(
                "column {name:?} holds class labels; only one such target is supported at a time"
            );
            Err(Error::parameter("--target", message))
        }
    }
}

/// Whether a column is text rather than numbers with a few faulty cells among them.
fn holds_classes(column: &Column) -> bool {
    let Column::Text(texts) = column else { return false };
    let cells = (0..column.len()).map(|row| column.number(row));
    let (mut words, mut numbers) = (0, 0);
    for cell in cells {
        match cell {
            None => words += 1,
            Some(value) if !value.is_nan() => numbers += 1,
            Some(_) => {}
        }
    }
    // Signs, which stand for missing numbers among others, are classes where there are no numbers.
    let are_signs = |cell: &String| matches!(cell.trim(), "+" | "-");
    words > 0 && words >= numbers || numbers == 0 && texts.iter().all(are_signs)
}

fn target_numbers(table: &Table, column: usize, kind: TargetKind) -> Result<Vec<f64>> {
    let hint = match kind {
        TargetKind::Values => "correct it, or fit a classifier with `mercer svc`",
        TargetKind::EitherByTask => {
            "correct it, or treat the target as class labels with --task classification"
        }
        _ => "correct it, or treat the target as class labels with --classify",
    };
    numbers(table, column, "target", hint)
}

fn class_names(table: &Table, column: usize) -> Result<Vec<String>> {
    let cells = &table.columns[column];
    refuse_missing(table, column, "target", |row| is_missing(cells, row))?;
    Ok((0..cells.len()).map(|row| cells.text(row)).collect())
}

/// Refuses classes of a single row each.
fn refuse_all_different(table: &Table, column: usize, names: &[String]) -> Result<()> {
    let different: std::collections::HashSet<&str> = names.iter().map(String::as_str).collect();
    match different.len() == names.len() {
        true => Err(all_different(table, column)),
        false => Ok(()),
    }
}

/// The error of a target whose rows all have different classes.
pub fn all_different(table: &Table, column: usize) -> Error {
    let message = format!(
        "every row of the target {:?} has a different class; at least two rows per class are required",
        table.name(column)
    );
    about(table, message)
}

/// Whether the class is missing. `none` and `-` may be classes.
fn is_missing(cells: &Column, row: usize) -> bool {
    match cells {
        Column::Text(texts) => {
            let text = texts[row].trim();
            ["", "na", "n/a", "nan", "null"].iter().any(|word| text.eq_ignore_ascii_case(word))
        }
        numbers => numbers.number(row).is_none_or(f64::is_nan),
    }
}

/// The sample weights.
pub(super) fn weights(table: &Table, column: usize) -> Result<Vec<f64>> {
    let values = numbers(table, column, "weight", "correct it")?;
    match values.iter().position(|w| *w < 0.0) {
        None => Ok(values),
        Some(row) => {
            let fault = format!("is {}; weights must be at least 0", values[row]);
            Err(refuse(table, row, column, "weight", &fault))
        }
    }
}

/// The finite numbers of a column; `hint` is what to do about text.
fn numbers(table: &Table, column: usize, role: &str, hint: &str) -> Result<Vec<f64>> {
    let cells = &table.columns[column];
    refuse_missing(table, column, role, |row| cells.number(row).is_some_and(f64::is_nan))?;
    let number = |row: usize| {
        let fault = match cells.number(row) {
            Some(value) if value.is_finite() => return Ok(value),
            Some(_) => "is infinite: correct it or remove the row first".into(),
            None => {
                let text: String = cells.text(row).chars().take(40).collect();
                format!("is not a number ({text:?}): {hint}")
            }
        };
        Err(refuse(table, row, column, role, &fault))
    };
    (0..cells.len()).map(number).collect()
}

/// Refuses missing cells, all at once.
fn refuse_missing(
    table: &Table,
    column: usize,
    role: &str,
    is_missing: impl Fn(usize) -> bool,
) -> Result<()> {
    let rows: Vec<usize> = (0..table.n_rows()).filter(|&row| is_missing(row)).collect();
    if rows.is_empty() {
        return Ok(());
    }
    let message = format!(
        "the {role} {:?}: {}; fill them in, or leave the rows out with --missing drop",
        table.name(column),
        places(table, &rows, "value is missing", "values are missing")
    );
    Err(about(table, message))
}

fn refuse(table: &Table, row: usize, column: usize, role: &str, fault: &str) -> Error {
    let place = match table.lines.get(row) {
        Some(line) => format!("line {line}"),
        None => format!("row {}", row + 1),
    };
    about(table, format!("{place}, the {role} {:?} {fault}", table.name(column)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_faulty_cells_make_no_classes() {
        let text = |cells: &[&str]| Column::Text(cells.iter().map(|c| c.to_string()).collect());
        assert!(holds_classes(&text(&["red", "blue", "1"])));
        assert!(!holds_classes(&text(&["1", "2", "3x"])));
        assert!(!holds_classes(&text(&["1", "", "2"])));
        assert!(!holds_classes(&Column::F64(vec![1.0, 2.0])));
        assert!(holds_classes(&text(&["+", "-", "+"])) && !holds_classes(&text(&["", "-", "1"])));
    }

    #[test]
    fn signs_and_words_may_be_classes() {
        let cells = Column::Text(["-", "+", "none", "", "NA"].map(String::from).into());
        let missing: Vec<bool> = (0..5).map(|row| is_missing(&cells, row)).collect();
        assert_eq!(missing, [false, false, false, true, true]);
    }
}
