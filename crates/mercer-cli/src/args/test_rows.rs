//! Flags of held-out evaluation.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use mercer::io::Source;

use super::destination::same_file;
use super::groups::{TableArgs, conflict};

/// The rows that a model is evaluated on, not fitted.
#[derive(Debug, Clone, PartialEq)]
pub enum TestRows {
    /// A fraction of the table.
    Share(f64),
    /// Another table.
    Table(PathBuf),
}

impl FromStr for TestRows {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (digits, unit) = match text.strip_suffix('%') {
            Some(digits) => (digits, 100.0),
            None => (text, 1.0),
        };
        match digits.trim().parse::<f64>().map(|number| number / unit) {
            Ok(share) if share > 0.0 && share < 1.0 => Ok(TestRows::Share(share)),
            Ok(_) => Err("a fraction lies between 0 and 1, e.g. 0.3 or 30%".into()),
            Err(_) => Ok(TestRows::Table(text.into())),
        }
    }
}

/// Held-out evaluation.
#[derive(Debug, Args)]
#[command(next_help_heading = "Evaluation")]
pub struct TestArgs {
    /// Evaluate on rows that the model is not fitted on: a fraction of the table (`0.3`, `30%`), chosen at
    /// random and from all classes alike, or another table
    #[arg(long, value_name = "FRACTION|TABLE")]
    pub test: Option<TestRows>,
    /// A column that names groups of rows, e.g. one patient each: a group is held out whole, by --test and
    /// by the folds of a search
    #[arg(hide_short_help = true, long, value_name = "COLUMN")]
    pub groups: Option<String>,
    /// Hold out the last rows instead of random ones, for rows in the order of time
    #[arg(hide_short_help = true, long, requires = "test", conflicts_with = "groups")]
    pub test_last: bool,
    /// Random seed of the choice of rows
    #[arg(hide_short_help = true, long, value_name = "SEED", default_value_t = 0)]
    pub test_seed: u64,
}

impl TestArgs {
    /// Refuses to evaluate on the rows of the fit.
    pub(super) fn check_table(&self, table: &TableArgs) -> Result<(), clap::Error> {
        let (Some(TestRows::Table(test)), Source::File(training)) = (&self.test, &table.source)
        else {
            return Ok(());
        };
        match same_file(test, training) {
            true => Err(conflict(
                "--test names the training table itself, whose rows are not held out: give a fraction, e.g. --test 0.3",
            )),
            false => Ok(()),
        }
    }

    /// Refuses groups where no rows are held out.
    pub(super) fn check_groups(&self) -> Result<(), clap::Error> {
        match (&self.groups, &self.test) {
            (Some(_), None) => Err(conflict("--groups requires --test, or a search")),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_and_tables_are_told_apart() {
        assert_eq!("0.3".parse(), Ok(TestRows::Share(0.3)));
        assert_eq!("30%".parse(), Ok(TestRows::Share(0.3)));
        assert_eq!("new.csv".parse(), Ok(TestRows::Table("new.csv".into())));
        assert!("1.5".parse::<TestRows>().is_err() && "0".parse::<TestRows>().is_err());
    }
}
