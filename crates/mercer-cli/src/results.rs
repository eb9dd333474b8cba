//! Results per row, ready to be written, printed or plotted.

use mercer::Dtype;
use mercer::io::{Column, Format, Table};

use crate::args::TableFile;
use crate::data::Label;

/// Results of every row, to be written, printed or drawn.
#[derive(Debug)]
pub struct Results {
    /// The names of the number columns.
    pub names: Vec<String>,
    /// The numbers, n × `names.len()`, row-major.
    pub values: Vec<f64>,
    /// The number type to give them in.
    pub dtype: Dtype,
    /// The label column.
    pub label: Option<Label>,
    /// Further label columns.
    pub more_labels: Vec<Label>,
    /// The column of row numbers, if requested.
    pub row_numbers: Option<Label>,
}

impl Results {
    /// Rows.
    pub fn n(&self) -> usize {
        self.values.len() / self.names.len().max(1)
    }

    /// Number column `index`.
    pub fn column(&self, index: usize) -> Vec<f64> {
        self.values.iter().skip(index).step_by(self.names.len()).copied().collect()
    }

    /// Appends a number column.
    pub fn push(&mut self, name: &str, column: &[f64]) {
        let width = self.names.len();
        let row = |(i, &last): (usize, &f64)| {
            let row = &self.values[i * width..(i + 1) * width];
            row.iter().copied().chain([last]).collect::<Vec<f64>>()
        };
        self.values = column.iter().enumerate().flat_map(row).collect();
        self.names.push(name.to_string());
    }

    /// The labels first, then the row numbers, then the numbers.
    pub fn table(&self, with_labels: bool) -> Table {
        let numbers = self.names.iter().enumerate().map(|(index, name)| {
            (name.clone(), number_column(self.column(index).into_iter(), self.dtype))
        });
        let label = self.label.as_ref().filter(|_| with_labels);
        let more = self.more_labels.iter().filter(|_| with_labels);
        let beside = label.into_iter().chain(more).chain(&self.row_numbers).cloned();
        let (names, columns) = beside.chain(numbers).unzip();
        Table { label: label.map(|_| 0), ..Table::new(names, columns) }
    }

    /// The cells of the label as text.
    pub fn label_texts(&self) -> Option<Vec<String>> {
        let (_, cells) = self.label.as_ref()?;
        Some((0..cells.len()).map(|row| cells.text(row)).collect())
    }
}

/// Predictions for every row: columns of numbers or of the names of classes.
#[derive(Debug)]
pub struct Predictions {
    /// Names and cells.
    pub columns: Vec<(String, Column)>,
    /// The label column.
    pub label: Option<Label>,
}

impl Predictions {
    /// Rows.
    pub fn n(&self) -> usize {
        self.columns.first().map_or(0, |(_, cells)| cells.len())
    }

    /// Puts `columns` before the predictions. A prediction whose name is taken is called `prediction_…`.
    pub fn append_to(&mut self, columns: Vec<(String, Column)>) {
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        for (name, _) in &mut self.columns {
            if names.contains(name) {
                *name = format!("prediction_{name}");
            }
        }
        self.label = None;
        self.columns.splice(0..0, columns);
    }

    /// Puts the row numbers before all columns but the label; `before` rows of the table stand before these.
    pub fn number_rows(&mut self, before: usize) {
        let names = self.label.iter().chain(&self.columns).map(|(name, _)| name.clone());
        let names: Vec<String> = names.collect();
        let rows: Vec<usize> = (before..before + self.n()).collect();
        self.columns.insert(0, row_numbers(rows.len(), Some(&rows), &names));
    }

    /// The label first, then the predictions. LIBSVM text, which needs a label, gets the first
    /// prediction for one.
    pub fn table(&self, format: Format) -> Table {
        let label = self.label.as_ref().filter(|_| format != Format::Npy);
        let all = label.into_iter().chain(&self.columns).cloned();
        let (names, columns) = all.unzip();
        Table { label: Some(0), ..Table::new(names, columns) }
    }
}

/// Further label columns for `output`; NumPy arrays and LIBSVM text hold numbers only.
pub fn more_labels(labels: Vec<Label>, output: Option<&TableFile>) -> Vec<Label> {
    match output.map(|file| file.format) {
        Some(Format::Npy | Format::Libsvm) => Vec::new(),
        _ => labels,
    }
}

/// The number of each row, counted from 1; `rows` are the rows that are left of a table, counted from 0. The column is
/// called `row`, or `row_number` if another is called so.
pub fn row_numbers(count: usize, rows: Option<&[usize]>, others: &[String]) -> Label {
    let number = |row: usize| (rows.map_or(row, |rows| rows[row]) + 1) as f64;
    let is_taken = others.iter().any(|name| name == "row");
    let name = if is_taken { "row_number" } else { "row" };
    (name.into(), Column::F64((0..count).map(number).collect()))
}

/// Numbers as a column of type `dtype`.
pub fn number_column(values: impl Iterator<Item = f64>, dtype: Dtype) -> Column {
    match dtype {
        Dtype::F64 => Column::F64(values.collect()),
        Dtype::F32 => Column::F32(values.map(|v| v as f32).collect()),
    }
}

/// The class of every row, by its place among `names`. Classes that are all written as numbers are
/// numbers again.
pub fn class_column(names: &[String], places: &[usize]) -> Column {
    let number = |name: &String| name.parse::<f64>().ok().filter(|v| v.to_string() == *name);
    match names.iter().map(number).collect::<Option<Vec<f64>>>() {
        Some(numbers) => Column::F64(places.iter().map(|&place| numbers[place]).collect()),
        None => Column::Text(places.iter().map(|&place| names[place].clone()).collect()),
    }
}

/// Output column names that differ from the names of the labels.
pub fn titles_beside<'a>(labels: impl IntoIterator<Item = &'a Label>) -> impl Fn(&str) -> String {
    let taken: Vec<String> = labels.into_iter().map(|(name, _)| name.clone()).collect();
    move |name| match taken.iter().any(|other| other == name) {
        true => format!("prediction_{name}"),
        false => name.into(),
    }
}

/// `component_1`, `component_2`, …
pub fn component_names(count: usize) -> Vec<String> {
    (1..=count).map(|index| format!("component_{index}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_written_as_numbers_are_numbers() {
        let names = |texts: [&str; 2]| texts.map(String::from);
        assert_eq!(class_column(&names(["1", "2"]), &[1, 0]), Column::F64(vec![2.0, 1.0]));
        let text = Column::Text(vec!["02".into(), "01".into()]);
        assert_eq!(class_column(&names(["01", "02"]), &[1, 0]), text);
    }

    #[test]
    fn columns_are_appended_row_by_row() {
        let label = Some(("kind".to_string(), Column::Text(vec!["a".into(), "b".into()])));
        let (names, values) = (component_names(2), vec![1.0, 2.0, 3.0, 4.0]);
        let mut results = Results {
            names,
            values,
            dtype: Dtype::F32,
            label,
            more_labels: Vec::new(),
            row_numbers: None,
        };
        results.push("error", &[0.5, 0.25]);
        assert_eq!((results.n(), results.column(2)), (2, vec![0.5, 0.25]));
        assert_eq!(results.values, [1.0, 2.0, 0.5, 3.0, 4.0, 0.25]);
        let table = results.table(true);
        assert_eq!((table.name(0), table.label, table.n_columns()), ("kind".into(), Some(0), 4));
        assert_eq!(table.columns[1], Column::F32(vec![1.0, 3.0]));
        assert_eq!(results.table(false).n_columns(), 3);
        results.row_numbers = Some(row_numbers(2, Some(&[4, 7]), &["kind".into()]));
        assert_eq!(results.table(true).name(1), "row");
        assert_eq!(results.table(false).columns[0], Column::F64(vec![5.0, 8.0]));
    }
}
