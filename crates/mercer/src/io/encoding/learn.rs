//! Learning an encoding from a training table.

use super::infer::{ColumnType, Inferred, as_category, category_text, infer};
use super::{EncodedColumn, Encoding, Values, ordered};
use crate::io::column::Column;
use crate::io::table::Table;

/// What happens to missing cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// They are refused.
    Refuse,
    /// Rows with one are left out, before an encoding is learned.
    Drop,
    /// Numbers become the median of their column, categories the most frequent one.
    #[default]
    Median,
    /// The most frequent value of the column.
    MostFrequent,
}

/// What happens to dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dates {
    /// They are refused.
    #[default]
    Refuse,
    /// They become year, month, day, weekday and hour.
    Expand,
}

/// What the user chose.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Choices {
    /// What happens to missing cells.
    pub missing: Missing,
    /// What happens to dates.
    pub dates: Dates,
    /// Columns that hold categories, whatever they look like.
    pub categories: CategoryColumns,
    /// Whether categories become codes and numbers are mapped to [0, 1], for kernels that compare categories.
    pub codes: bool,
}

impl Choices {
    /// Whether missing cells are filled.
    pub(super) fn is_filled(&self) -> bool {
        matches!(self.missing, Missing::Median | Missing::MostFrequent)
    }
}

/// Columns that the user calls categories, counted from 0.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CategoryColumns {
    /// Those without an order.
    pub unordered: Vec<usize>,
    /// Those with one, and their categories in order.
    pub ordered: Vec<(usize, Vec<String>)>,
}

impl CategoryColumns {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.unordered.is_empty() && self.ordered.is_empty()
    }

    /// Those of `columns`, counted among them.
    pub fn among(&self, columns: &[usize]) -> Self {
        let place = |i: usize| columns.iter().position(|&at| at == i);
        let ordered = self.ordered.iter();
        Self {
            unordered: self.unordered.iter().filter_map(|&i| place(i)).collect(),
            ordered: ordered.filter_map(|(i, order)| Some((place(*i)?, order.clone()))).collect(),
        }
    }

    fn order_of(&self, column: usize) -> Option<&[String]> {
        self.ordered.iter().find(|(i, _)| *i == column).map(|(_, levels)| &levels[..])
    }
}

/// A column that cannot become numbers, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnFault {
    /// The column, counted from 0.
    pub column: usize,
    /// Why.
    pub reason: Reason,
}

/// Why a column cannot become numbers.
#[derive(Debug, Clone, PartialEq)]
pub enum Reason {
    /// Cells are missing, in these rows, and are not to be filled.
    Missing(Vec<usize>),
    /// It holds dates, which are refused.
    Dates,
    /// It holds dates, and none in these rows; a date cannot be filled.
    MissingDates(Vec<usize>),
    /// It holds numbers, but texts in these rows.
    Texts(Vec<usize>),
    /// It holds texts of this many different values.
    FreeText(usize),
    /// Cells in these rows hold none of the ordered categories.
    NotInOrder(Vec<usize>),
    /// No cell has a value.
    Empty,
}

impl Encoding {
    /// How the columns of `table` become numbers, or all columns that cannot.
    pub fn learn(table: &Table, choices: &Choices) -> Result<Self, Vec<ColumnFault>> {
        let mut faults = Vec::new();
        let mut columns = Vec::with_capacity(table.n_columns());
        for (index, column) in table.columns.iter().enumerate() {
            match learn_column(column, index, choices) {
                Ok((values, missing)) => {
                    columns.push(EncodedColumn { name: table.name(index), values, missing })
                }
                Err(reason) => faults.push(ColumnFault { column: index, reason }),
            }
        }
        if faults.is_empty() { Ok(Self { columns }) } else { Err(faults) }
    }
}

/// How one column becomes numbers, and how many of its cells are missing.
fn learn_column(
    column: &Column,
    index: usize,
    choices: &Choices,
) -> Result<(Values, usize), Reason> {
    if let Some(levels) = choices.categories.order_of(index) {
        return ordered::learn(column, levels, choices);
    }
    let inferred = match choices.categories.unordered.contains(&index) {
        true => as_category(column),
        false => infer(column),
    };
    Ok((values(column, &inferred, choices)?, inferred.missing.len()))
}

/// The rows of `columns` in which no cell is missing.
pub fn rows_without_missing(table: &Table, columns: &[usize]) -> Vec<usize> {
    let mut keep = vec![true; table.n_rows()];
    for &column in columns {
        infer(&table.columns[column]).missing.iter().for_each(|&row| keep[row] = false);
    }
    (0..keep.len()).filter(|&row| keep[row]).collect()
}

fn values(column: &Column, inferred: &Inferred, choices: &Choices) -> Result<Values, Reason> {
    let is_filled = choices.is_filled();
    let missing = &inferred.missing;
    if !missing.is_empty() && !is_filled && inferred.column_type != ColumnType::Empty {
        return Err(Reason::Missing(missing.clone()));
    }
    match &inferred.column_type {
        ColumnType::Number if choices.codes => Ok(range(column, choices, is_filled)),
        ColumnType::Number => {
            let fill = is_filled.then(|| number_fill(column, choices.missing)).flatten();
            Ok(Values::Number { fill })
        }
        ColumnType::Category(levels) => {
            let fill = is_filled.then(|| most_frequent(column, levels));
            let levels = levels.clone();
            Ok(match choices.codes {
                true => Values::Code { levels, fill },
                false => Values::Category { levels, fill, each: false },
            })
        }
        ColumnType::Date { .. } if choices.dates == Dates::Refuse => Err(Reason::Dates),
        ColumnType::Date { .. } if !missing.is_empty() => {
            Err(Reason::MissingDates(missing.clone()))
        }
        ColumnType::Date { has_time } => Ok(Values::Date { time: *has_time }),
        ColumnType::NumberWithTexts(rows) => Err(Reason::Texts(rows.clone())),
        ColumnType::Text(distinct) => Err(Reason::FreeText(*distinct)),
        ColumnType::Empty => Err(Reason::Empty),
    }
}

fn range(column: &Column, choices: &Choices, is_filled: bool) -> Values {
    let numbers = numbers(column);
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let fill = is_filled.then(|| number_fill(column, choices.missing)).flatten();
    Values::Range { low, high, fill }
}

fn number_fill(column: &Column, missing: Missing) -> Option<f64> {
    match (column, missing) {
        // Cells that are left out of a sparse column are zeros.
        (Column::Sparse(_), _) => None,
        (_, Missing::MostFrequent) => most_frequent_number(numbers(column)),
        _ => median(numbers(column)),
    }
}

/// The finite numbers of a column.
fn numbers(column: &Column) -> Vec<f64> {
    (0..column.len()).filter_map(|row| column.number(row)).filter(|v| v.is_finite()).collect()
}

/// The middle of the sorted numbers, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> Option<f64> {
    let (count, middle) = (values.len(), values.len() / 2);
    if count == 0 {
        return None;
    }
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(if count % 2 == 0 { middle_of(lower, upper) } else { upper })
}

/// The mean of the two numbers in the middle.
pub(super) fn middle_of(lower: f64, upper: f64) -> f64 {
    lower + (upper - lower) / 2.0
}

/// Of equally frequent numbers the smallest.
fn most_frequent_number(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let runs = values.chunk_by(|a, b| a == b);
    let best = runs.fold(None, |best: Option<&[f64]>, run| match best {
        Some(other) if other.len() >= run.len() => Some(other),
        _ => Some(run),
    });
    best.map(|run| run[0])
}

/// The place of the most frequent category; of equally frequent ones the first.
fn most_frequent(column: &Column, levels: &[String]) -> usize {
    let mut counts = vec![0usize; levels.len()];
    for row in 0..column.len() {
        let text = category_text(column, row);
        if let Some(place) = levels.iter().position(|level| *level == text) {
            counts[place] += 1;
        }
    }
    (0..levels.len()).rev().max_by_key(|&place| counts[place]).unwrap_or(0)
}
