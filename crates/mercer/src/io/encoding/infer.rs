//! What a column holds: numbers, categories, dates or texts, and which cells are missing.

use std::collections::BTreeSet;

use super::date::Moment;
use crate::io::column::{Column, is_missing, parse_number};

/// What a column holds, missing cells aside.
#[derive(Debug, Clone, PartialEq)]
pub enum ColumnType {
    /// Numbers.
    Number,
    /// Texts of few different values, which are listed in order.
    Category(Vec<String>),
    /// Dates, and whether times of day stand beside them.
    Date {
        /// Whether a time of day is given.
        has_time: bool,
    },
    /// Numbers, but for texts in these rows.
    NumberWithTexts(Vec<usize>),
    /// Texts of this many different values.
    Text(usize),
    /// No cell has a value.
    Empty,
}

/// A column's type and the rows without a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Inferred {
    /// What it holds.
    pub column_type: ColumnType,
    /// The rows whose cells are missing.
    pub missing: Vec<usize>,
}

/// The most values of a category.
const MOST_LEVELS: usize = 50;
/// The most values of a column that the user calls a category.
pub(super) const MOST_FORCED_LEVELS: usize = 1000;

/// What `column` holds.
pub fn infer(column: &Column) -> Inferred {
    let Column::Text(cells) = column else {
        let is_nan = |row: &usize| column.number(*row).is_some_and(f64::is_nan);
        let missing: Vec<usize> = match column {
            Column::Sparse(_) => Vec::new(),
            _ => (0..column.len()).filter(is_nan).collect(),
        };
        let is_empty = missing.len() == column.len();
        let column_type = if is_empty { ColumnType::Empty } else { ColumnType::Number };
        return Inferred { column_type, missing };
    };
    let (missing, filled): (Vec<usize>, Vec<usize>) =
        (0..cells.len()).partition(|&row| is_missing(&cells[row]));
    let texts: Vec<usize> =
        filled.iter().copied().filter(|&row| parse_number(&cells[row]).is_none()).collect();
    let column_type = match (filled.len(), texts.len()) {
        (0, _) if are_signs(cells) => return infer_texts(cells),
        (0, _) => ColumnType::Empty,
        (_, 0) => ColumnType::Number,
        (filled, texts_found) if 2 * texts_found < filled => ColumnType::NumberWithTexts(texts),
        _ => return infer_texts(cells),
    };
    Inferred { column_type, missing }
}

/// Whether both `+` and `-` stand in a column in which nothing else has a value; one alone stands for missing values.
fn are_signs(cells: &[String]) -> bool {
    let signs: BTreeSet<&str> =
        cells.iter().map(|cell| cell.trim()).filter(|cell| !is_missing_text(cell)).collect();
    signs == BTreeSet::from(["+", "-"])
}

/// Texts: dates, categories or free text. `none` and `-` may be categories.
fn infer_texts(cells: &[String]) -> Inferred {
    let (missing, filled): (Vec<usize>, Vec<usize>) =
        (0..cells.len()).partition(|&row| is_missing_text(&cells[row]));
    let moments: Option<Vec<Moment>> =
        filled.iter().map(|&row| Moment::parse(&cells[row])).collect();
    let levels = levels(cells, &filled);
    let few =
        levels.len() <= 2 || (levels.len() <= MOST_LEVELS && 2 * levels.len() <= filled.len());
    let column_type = match moments {
        _ if filled.is_empty() => ColumnType::Empty,
        Some(moments) => ColumnType::Date { has_time: moments.iter().any(|m| m.hour.is_some()) },
        None if few => ColumnType::Category(levels),
        None => ColumnType::Text(levels.len()),
    };
    Inferred { column_type, missing }
}

/// As [`infer`], for a column that the user calls a category: numbers are names of categories too.
pub(super) fn as_category(column: &Column) -> Inferred {
    let cells: Vec<String> = (0..column.len()).map(|row| category_text(column, row)).collect();
    let (missing, filled): (Vec<usize>, Vec<usize>) =
        (0..cells.len()).partition(|&row| is_missing_text(&cells[row]));
    let levels = levels(&cells, &filled);
    let column_type = match levels.len() {
        0 => ColumnType::Empty,
        count if count > MOST_FORCED_LEVELS => ColumnType::Text(count),
        _ => ColumnType::Category(levels),
    };
    Inferred { column_type, missing }
}

/// The name of the category in a cell.
pub(super) fn category_text(column: &Column, row: usize) -> String {
    match column {
        Column::Text(cells) => cells[row].trim().to_owned(),
        numbers => numbers.text(row),
    }
}

/// Whether a cell of text is missing. `none` and `-` may be values.
pub fn is_missing_text(cell: &str) -> bool {
    const WORDS: [&str; 6] = ["", "na", "n/a", "nan", "null", "?"];
    let cell = cell.trim();
    cell.len() <= 4 && WORDS.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// The different texts of `rows`: numbers by size, other texts by the alphabet.
fn levels(cells: &[String], rows: &[usize]) -> Vec<String> {
    let different: BTreeSet<&str> = rows.iter().map(|&row| cells[row].trim()).collect();
    let mut levels: Vec<String> = different.into_iter().map(String::from).collect();
    if levels.iter().all(|level| parse_number(level).is_some()) {
        levels.sort_by(|a, b| {
            let number = |text: &String| parse_number(text).unwrap_or(f64::NAN);
            number(a).total_cmp(&number(b))
        });
    }
    levels
}
