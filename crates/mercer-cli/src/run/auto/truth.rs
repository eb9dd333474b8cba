//! What the models of a comparison learn and predict: classes or numbers.

use mercer::io::Table;
use mercer::{Error, Labels, Result, Target, Targets};

use crate::data::about;
use crate::run::svm;

/// An answer for each row.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// Classes, by their places among the names.
    Classes(Vec<usize>),
    /// Numbers.
    Values(Vec<f64>),
}

impl Answers {
    /// Rows.
    pub fn n(&self) -> usize {
        match self {
            Answers::Classes(places) => places.len(),
            Answers::Values(values) => values.len(),
        }
    }

    /// The answers of `rows`.
    pub fn take(&self, rows: &[usize]) -> Self {
        match self {
            Answers::Classes(places) => {
                Answers::Classes(rows.iter().map(|&row| places[row]).collect())
            }
            Answers::Values(values) => {
                Answers::Values(rows.iter().map(|&row| values[row]).collect())
            }
        }
    }
}

/// The target of every row.
#[derive(Debug, Clone)]
pub struct Truth {
    /// The names of all classes; none for numbers.
    pub names: Vec<String>,
    /// The targets.
    pub answers: Answers,
}

impl Truth {
    /// The targets of a comparison, checked; they are a column of `table`.
    pub fn of(targets: &Targets, table: &Table) -> Result<Self> {
        match &targets.target {
            Target::Classes { labels, .. } => {
                check_classes(labels, table)?;
                let answers = Answers::Classes(labels.places.clone());
                Ok(Self { names: labels.names.clone(), answers })
            }
            Target::Values(values) if values.cols() == 1 => {
                let values = values.data().to_vec();
                check_values(&values, table)?;
                Ok(Self { names: Vec::new(), answers: Answers::Values(values) })
            }
            _ => Err(Error::parameter("--target", "a comparison takes one target column")),
        }
    }

    /// Whether classes are learned.
    pub fn is_classes(&self) -> bool {
        matches!(self.answers, Answers::Classes(_))
    }

    /// The targets of `rows`.
    pub fn take(&self, rows: &[usize]) -> Self {
        Self { names: self.names.clone(), answers: self.answers.take(rows) }
    }

    /// The same for a model, which knows the classes of these rows and no others.
    pub fn targets(&self) -> Targets {
        match &self.answers {
            Answers::Classes(places) => {
                let names: Vec<&str> = places.iter().map(|&p| self.names[p].as_str()).collect();
                Targets::classes(&names)
            }
            Answers::Values(values) => Targets::values(values),
        }
    }

    /// The places among all classes of `labels`.
    pub fn places(&self, labels: &[&str]) -> Answers {
        let place = |label: &&str| self.names.iter().position(|name| name == label).unwrap_or(0);
        Answers::Classes(labels.iter().map(place).collect())
    }

    /// The rows of each class; all rows together for numbers.
    pub fn strata(&self) -> Vec<Vec<usize>> {
        let Answers::Classes(places) = &self.answers else {
            return vec![(0..self.answers.n()).collect()];
        };
        let mut strata = vec![Vec::new(); self.names.len()];
        places.iter().enumerate().for_each(|(row, &place)| strata[place].push(row));
        strata.retain(|rows| !rows.is_empty());
        strata
    }

    /// The classes with a single row, which cannot be predicted when that row is held out.
    pub fn single(&self) -> Vec<String> {
        let Answers::Classes(places) = &self.answers else { return Vec::new() };
        let count = |class: usize| places.iter().filter(|&&place| place == class).count();
        let single = (0..self.names.len()).filter(|&class| count(class) == 1);
        single.map(|class| self.names[class].clone()).collect()
    }
}

fn check_classes(labels: &Labels, table: &Table) -> Result<()> {
    let rows = labels.places.len();
    if let [only] = &labels.names[..] {
        let message =
            format!("the target has only one class ({only:?}); at least two are required");
        return Err(about(table, message));
    }
    if svm::looks_continuous(&labels.names, rows) {
        let count = labels.names.len();
        let message = format!(
            "the target has {count} different numbers in {rows} rows: fit a regression with --task regression, or write the classes as text"
        );
        return Err(Error::parameter("--task", message));
    }
    let mut counts = vec![0; labels.names.len()];
    labels.places.iter().for_each(|&place| counts[place] += 1);
    if counts.iter().filter(|count| **count > 1).count() < 2 {
        let message =
            "cross-validation requires at least two classes of two or more rows in the target";
        return Err(about(table, message.into()));
    }
    Ok(())
}

fn check_values(values: &[f64], table: &Table) -> Result<()> {
    match values.iter().all(|value| *value == values[0]) {
        false => Ok(()),
        true => {
            let message = format!(
                "the target is {} in every row; at least two different values are required",
                values[0]
            );
            Err(about(table, message))
        }
    }
}
