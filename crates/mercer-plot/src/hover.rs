//! Hover texts of marks.

use super::numbers::significant;
use super::svg::escape;

/// Up to this number every mark is a separate element with a hover text. Beyond, marks share paths to keep files small.
pub(crate) const MOST_HOVER_TEXTS: usize = 2_000;

/// Digits of values.
const DIGITS: usize = 4;

/// `row 17: 0.53, −1.2 · setosa`. Rows are counted from 1, as in the tables of results.
pub(crate) fn row(index: usize, values: &[f64], words: &[&str]) -> String {
    let values: Vec<String> = values.iter().map(|value| value_of(*value)).collect();
    let words = words.iter().filter(|word| !word.trim().is_empty());
    let words: String = words.map(|word| format!(" · {word}")).collect();
    format!("row {}: {}{words}", index + 1, values.join(", "))
}

/// A number beside a mark.
pub(crate) fn value_of(value: f64) -> String {
    significant(value, DIGITS)
}

/// An element `<name attributes>` with the hover text `text`.
pub(crate) fn element(name: &str, attributes: &str, text: &str) -> String {
    format!("<{name} {attributes}><title>{}</title></{name}>\n", escape(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_hover_texts() {
        assert_eq!(row(16, &[0.53, -1.2], &["setosa", ""]), "row 17: 0.53, −1.2 · setosa");
        assert_eq!(row(0, &[123.456], &[]), "row 1: 123.5");
    }

    #[test]
    fn markup_in_names_is_harmless() {
        let text = element("circle", "r=\"3\"", "a<b & c");
        assert_eq!(text, "<circle r=\"3\"><title>a&lt;b &amp; c</title></circle>\n");
    }
}
