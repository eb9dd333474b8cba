//! Predictions against true values.

use mercer::io::{Column, Table};
use mercer::linalg::view::Mat;
use mercer::select::{Metric, SquaredError};
use serde::{Deserialize, Serialize};

use crate::report::ReportTable;
use crate::scores::{Scores, variance};

/// The scores of predicted values for `rows`, given the `truth` for all.
pub(super) fn evaluate_values(
    names: &[String],
    truth: &[Column],
    values: &Mat<f64>,
    rows: &[usize],
) -> Result<(Scores, Option<Confusion>), String> {
    let finite = |cell: Option<f64>| cell.filter(|v| v.is_finite());
    for (column, name) in truth.iter().zip(names) {
        if let Some(row) = rows.iter().find(|&&i| finite(column.number(i)).is_none()) {
            return Err(format!("not available: {name} is not a number in row {}", row + 1));
        }
    }
    let number = |i: usize, j: usize| truth[j].number(i).unwrap_or(f64::NAN);
    let targets = Mat::from_fn(values.rows(), truth.len(), number);
    let metric = SquaredError { targets: &targets, weights: None };
    let predicted = Mat::from_fn(rows.len(), values.cols(), |i, j| values[(rows[i], j)]);
    let each = metric.scores(rows, &predicted).map_err(|error| error.to_string())?;
    let column = |j: usize| rows.iter().map(|&i| number(i, j)).collect::<Vec<f64>>();
    let variances: Vec<_> = (0..truth.len()).map(|j| variance(&column(j), None)).collect();
    Ok((Scores::on_rows(&each, &variances), None))
}

/// The largest confusion matrix in a report; of more classes only the errors are listed.
const MOST_CLASSES: usize = 20;

/// A confusion matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Confusion {
    /// The classes of the model, then those that only the table has.
    pub truth: Vec<String>,
    /// The classes of the model.
    pub predicted: Vec<String>,
    /// Rows of each true class (first index) for which each class was predicted.
    pub counts: Vec<Vec<usize>>,
}

impl Confusion {
    pub fn of(classes: &[String], truth: &Column, places: &[usize], rows: &[usize]) -> Self {
        let mut names = classes.to_vec();
        let mut counts = vec![vec![0; classes.len()]; names.len()];
        for &row in rows {
            let name = truth.text(row);
            let place = names.iter().position(|other| *other == name).unwrap_or_else(|| {
                names.push(name);
                counts.push(vec![0; classes.len()]);
                names.len() - 1
            });
            counts[place][places[row]] += 1;
        }
        Self { truth: names, predicted: classes.to_vec(), counts }
    }

    /// The counts as numbers.
    pub fn sums(&self) -> Vec<Vec<f64>> {
        self.counts.iter().map(|row| row.iter().map(|&count| count as f64).collect()).collect()
    }

    pub(super) fn hits(&self) -> usize {
        (0..self.predicted.len()).map(|place| self.counts[place][place]).sum()
    }

    /// The matrix for a report, with what its rows are called; of many classes the most frequent errors.
    pub fn listed(&self, rows: &str) -> ReportTable {
        match self.predicted.len() <= MOST_CLASSES {
            true => ReportTable::all(
                format!("Confusion matrix ({rows}): true classes in rows, predicted in columns"),
                self.table(),
            ),
            false => {
                let caption = format!("Most frequent misclassifications ({rows})");
                ReportTable::best(caption, self.mistakes())
            }
        }
    }

    /// A row for each true class, a column for each predicted one.
    fn table(&self) -> Table {
        let names = std::iter::once("true class".into()).chain(self.predicted.iter().cloned());
        let counts = |place: usize| self.counts.iter().map(|row| row[place] as f64).collect();
        let mut columns = vec![Column::Text(self.truth.clone())];
        columns.extend((0..self.predicted.len()).map(|place| Column::F64(counts(place))));
        Table::new(names.collect(), columns)
    }

    /// A row for each pair of classes that are confused.
    fn mistakes(&self) -> Table {
        let mut all: Vec<(usize, usize, usize)> = Vec::new();
        for (truth, row) in self.counts.iter().enumerate() {
            let others = row
                .iter()
                .enumerate()
                .filter(|(predicted, count)| *predicted != truth && **count > 0);
            all.extend(others.map(|(predicted, count)| (*count, truth, predicted)));
        }
        all.sort_by_key(|(count, truth, predicted)| {
            (std::cmp::Reverse(*count), *truth, *predicted)
        });
        let names = ["true class", "predicted", "rows"].map(String::from).into();
        let text = |of: &dyn Fn(&(usize, usize, usize)) -> String| all.iter().map(of).collect();
        let columns = vec![
            Column::Text(text(&|mistake| self.truth[mistake.1].clone())),
            Column::Text(text(&|mistake| self.predicted[mistake.2].clone())),
            Column::F64(all.iter().map(|mistake| mistake.0 as f64).collect()),
        ];
        Table::new(names, columns)
    }

    /// A line for each true class: `red: recall 18/20; 2 misclassified as blue`.
    pub fn lines(&self) -> Vec<String> {
        let line = |(place, counts): (usize, &Vec<usize>)| {
            let all: usize = counts.iter().sum();
            let own = self.predicted.get(place).map_or(0, |_| counts[place]);
            let mut others: Vec<usize> =
                (0..counts.len()).filter(|&p| p != place && counts[p] > 0).collect();
            others.sort_by_key(|&p| std::cmp::Reverse(counts[p]));
            let errors: Vec<String> = others
                .iter()
                .map(|&p| format!("{} misclassified as {}", counts[p], self.predicted[p]))
                .collect();
            let errors = match errors.is_empty() {
                true => String::new(),
                false => format!("; {}", errors.join(", ")),
            };
            (all > 0).then(|| format!("{}: recall {own}/{all}{errors}", self.truth[place]))
        };
        self.counts.iter().enumerate().filter_map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn classes_are_counted_by_truth_and_prediction() {
        let classes = names(&["a", "b"]);
        let truth = Column::Text(names(&["a", "b", "b", "new", "b"]));
        let confusion = Confusion::of(&classes, &truth, &[0, 0, 1, 1, 1], &[0, 1, 2, 3, 4]);
        assert_eq!((confusion.hits(), &confusion.truth[2][..]), (3, "new"));
        let lines = ["a: recall 1/1", "b: recall 2/3; 1 misclassified as a"];
        assert_eq!(confusion.lines()[..2], lines);
        assert_eq!(confusion.lines()[2], "new: recall 0/1; 1 misclassified as b");
        let table = confusion.table();
        assert_eq!((table.name(1), table.n_rows()), ("a".into(), 3));
        let mistakes = confusion.mistakes();
        assert_eq!(mistakes.columns[0], Column::Text(names(&["b", "new"])));
        assert_eq!(mistakes.columns[2], Column::F64(vec![1.0, 1.0]));
        assert_eq!(table.columns[2], Column::F64(vec![0.0, 2.0, 1.0]));
    }
}
