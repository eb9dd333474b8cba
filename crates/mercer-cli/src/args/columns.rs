//! Which columns of a table to use: names, positions counted from 1, and ranges of positions.

use std::str::FromStr;

/// A choice of columns, in the order given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnChoice {
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Item {
    text: String,
    /// First and last position, counted from 1; none for a name. An open range has no last
    /// position.
    positions: Option<(usize, Option<usize>)>,
}

impl FromStr for ColumnChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let items = text.split(',').map(|item| item.trim().parse()).collect::<Result<_, _>>()?;
        Ok(Self { items })
    }
}

impl FromStr for Item {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("an item between commas is empty".into());
        }
        let number = |text: &str| text.trim().parse::<usize>().ok();
        let positions = match text.split_once('-') {
            Some((first, "")) => number(first).map(|first| (first, None)),
            Some((first, last)) => number(first).zip(number(last)).map(|(f, l)| (f, Some(l))),
            None => number(text).map(|position| (position, Some(position))),
        };
        match positions {
            Some((0, _)) => Err(format!("`{text}`: columns are counted from 1")),
            Some((first, Some(last))) if last < first => {
                Err(format!("`{text}`: a range ends before it begins"))
            }
            positions => Ok(Self { text: text.into(), positions }),
        }
    }
}

impl ColumnChoice {
    /// The chosen columns of a table, counted from 0, each once. `names` are those of the header,
    /// empty if the table has none; a name in the header goes before a position.
    pub fn resolve(&self, names: &[String], columns: usize) -> Result<Vec<usize>, String> {
        let mut chosen = Vec::new();
        for item in &self.items {
            for column in item.resolve(names, columns)? {
                if !chosen.contains(&column) {
                    chosen.push(column);
                }
            }
        }
        Ok(chosen)
    }

    /// The one column that this choice must mean, counted from 0.
    pub fn resolve_one(&self, names: &[String], columns: usize) -> Result<usize, String> {
        match self.resolve(names, columns)?.as_slice() {
            [column] => Ok(*column),
            several => Err(format!("one column is wanted here, not {}", several.len())),
        }
    }
}

impl Item {
    fn resolve(&self, names: &[String], columns: usize) -> Result<std::ops::Range<usize>, String> {
        if let Some(index) = names.iter().position(|name| name.trim() == self.text) {
            return Ok(index..index + 1);
        }
        match self.positions {
            Some((first, last)) if last.unwrap_or(first).max(first) <= columns => {
                Ok(first - 1..last.unwrap_or(columns))
            }
            Some(_) => Err(format!("there is no column {}: the table has {columns}", self.text)),
            None if names.is_empty() => Err(format!(
                "there is no column `{}`: the table has no header, so give positions from 1 to {columns}",
                self.text
            )),
            None => Err(format!("there is no column `{}`; there are {}", self.text, listed(names))),
        }
    }
}

fn listed(names: &[String]) -> String {
    let shown: Vec<&str> = names.iter().take(8).map(|name| name.trim()).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(choice: &str, names: &[&str], columns: usize) -> Result<Vec<usize>, String> {
        let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        choice.parse::<ColumnChoice>()?.resolve(&names, columns)
    }

    #[test]
    fn names_positions_and_ranges() {
        let names = ["a", "b-c", "7", "d"];
        assert_eq!(resolve("b-c,d", &names, 4), Ok(vec![1, 3]));
        assert_eq!(resolve("7, 1", &names, 4), Ok(vec![2, 0]));
        assert_eq!(resolve("2-3,3-", &[], 4), Ok(vec![1, 2, 3]));
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(resolve("5", &[], 4).unwrap_err().contains("no column 5: the table has 4"));
        assert!(resolve("x", &["a"], 1).unwrap_err().contains("there are a"));
        assert!(resolve("x", &[], 3).unwrap_err().contains("positions from 1 to 3"));
        for wrong in ["", "a,,b", "0", "3-1"] {
            assert!(wrong.parse::<ColumnChoice>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_label_is_one_column() {
        let two = "1-2".parse::<ColumnChoice>().unwrap();
        assert!(two.resolve_one(&[], 3).unwrap_err().contains("not 2"));
    }
}
