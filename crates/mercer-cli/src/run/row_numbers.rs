//! The numbers of rows in their table, through a split into training and test rows.

use mercer::Result;
use mercer::io::{Column, Table};

use super::Session;
use super::columns::Chosen;
use super::held_out::{self, Rows};
use crate::args::{TableArgs, TestArgs, TestRows};
use crate::data::InputKind;

/// The numbers of rows in their table, counted from 1.
#[derive(Debug)]
pub struct RowNumbers {
    /// Of the rows to fit on.
    training: Vec<usize>,
    /// Of the rows to evaluate on.
    pub test: Vec<usize>,
}

impl RowNumbers {
    /// Of a table that is not split.
    pub fn of(table: &Table) -> Self {
        Self { training: (1..=table.n_rows()).collect(), test: Vec::new() }
    }

    /// Of the rows of `chosen`, which may have lost some to missing values.
    pub fn of_training(&self, chosen: &Chosen) -> Vec<usize> {
        match &chosen.rows {
            Some(rows) => rows.iter().map(|&row| self.training[row]).collect(),
            None => self.training.clone(),
        }
    }
}

/// Splits `table` as `args` say, and returns the numbers of its rows beside the parts.
pub fn split(
    session: &Session,
    mut table: Table,
    (args, read): (&TestArgs, &TableArgs),
    target: Option<&str>,
    input_kind: &InputKind,
) -> Result<(Rows, RowNumbers)> {
    // The numbers go through the split as one more column.
    attach(&mut table);
    let mut rows = held_out::split(session, table, (args, read), target, input_kind)?;
    let training = detach(&mut rows.training);
    let test = match (&mut rows.test, &args.test) {
        (Some(test), Some(TestRows::Share(_))) => detach(test),
        (Some(test), _) => (1..=test.n_rows()).collect(),
        (None, _) => Vec::new(),
    };
    Ok((rows, RowNumbers { training, test }))
}

fn attach(table: &mut Table) {
    let numbers = (1..=table.n_rows()).map(|row| row as f64).collect();
    table.columns.push(Column::F64(numbers));
    table.names.iter_mut().for_each(|names| names.push(String::new()));
}

fn detach(table: &mut Table) -> Vec<usize> {
    table.names.iter_mut().for_each(|names| {
        names.pop();
    });
    let numbers = table.columns.pop();
    let number = |column: &Column, row: usize| column.number(row).unwrap_or(0.0) as usize;
    numbers.map_or(Vec::new(), |column| (0..column.len()).map(|i| number(&column, i)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_their_rows() {
        let mut table = Table::new(vec!["x".into()], vec![Column::F64(vec![5.0, 6.0, 7.0, 8.0])]);
        let whole = table.clone();
        attach(&mut table);
        let mut part = table.take_rows(&[3, 1]);
        assert_eq!(detach(&mut part), [4, 2]);
        assert_eq!(part, whole.take_rows(&[3, 1]));
        detach(&mut table);
        assert_eq!(table, whole);
    }
}
