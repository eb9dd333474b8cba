//! Booleans of tables in different formats: numbers 0 and 1 in Parquet, `TRUE` and `False` in text.

use mercer::io::encoding::infer::is_missing_text;
use mercer::io::encoding::{Encoding, Values};
use mercer::io::{Column, Table};

/// The columns of `table` with booleans as `encoding` has learned them from another table.
pub fn with_booleans(mut table: Table, encoding: &Encoding) -> Table {
    for (column, encoded) in table.columns.iter_mut().zip(&encoding.columns) {
        let found = match &encoded.values {
            Values::Number { .. } | Values::Range { .. } => as_numbers(column),
            Values::Category { levels, .. } | Values::Code { levels, .. } => {
                as_categories(column, levels)
            }
            _ => None,
        };
        if let Some(found) = found {
            *column = found;
        }
    }
    table
}

/// A column of nothing but booleans and missing cells as numbers.
fn as_numbers(column: &Column) -> Option<Column> {
    let Column::Text(cells) = column else { return None };
    let number = |cell: &String| match is_missing_text(cell) {
        true => Some(f64::NAN),
        false => truth(cell).map(|value| f64::from(u8::from(value))),
    };
    cells.iter().map(number).collect::<Option<Vec<f64>>>().map(Column::F64)
}

/// A column as texts, with booleans by the names of the two categories, if these are booleans.
fn as_categories(column: &Column, levels: &[String]) -> Option<Column> {
    let name = |value: bool| levels.iter().find(|level| truth(level) == Some(value));
    let (no, yes) = (name(false)?, name(true)?);
    let is_number = !matches!(column, Column::Text(_));
    let value = |text: &str| match text {
        "0" if is_number => Some(false),
        "1" if is_number => Some(true),
        text => truth(text),
    };
    let cell = |row: usize| {
        let text = column.text(row);
        match value(&text) {
            Some(true) => yes.clone(),
            Some(false) => no.clone(),
            None => text,
        }
    };
    Some(Column::Text((0..column.len()).map(cell).collect()))
}

/// What `true` and `false` stand for.
fn truth(text: &str) -> Option<bool> {
    let is = |word: &str| text.trim().eq_ignore_ascii_case(word);
    match (is("true"), is("false")) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_take_the_form_that_was_learned() {
        let text = |cells: &[&str]| Column::Text(cells.iter().map(|c| c.to_string()).collect());
        let Some(Column::F64(found)) = as_numbers(&text(&["TRUE", "False", "NA"])) else {
            panic!()
        };
        assert_eq!((found[0], found[1], found[2].is_nan()), (1.0, 0.0, true));
        assert!(as_numbers(&text(&["true", "maybe"])).is_none());
        let levels = ["False".to_string(), "True".to_string()];
        let found = as_categories(&Column::F64(vec![1.0, 0.0, f64::NAN, 2.0]), &levels);
        let texts: Vec<String> = (0..4).map(|row| found.as_ref().unwrap().text(row)).collect();
        assert_eq!((&texts[0][..], &texts[1][..], &texts[3][..]), ("True", "False", "2"));
        assert!(is_missing_text(&texts[2]));
        assert!(as_categories(&text(&["true"]), &["no".into(), "yes".into()]).is_none());
    }
}
