//! The few elements that a page is made of.

use mercer::io::{Column, Table};

use super::columns::{ColumnSummary, Content};
use crate::facts::counted;
use crate::plot::{grouped, shortened, significant};

pub(super) use crate::plot::escape;

/// A section with a heading.
pub fn section(id: &str, heading: &str, content: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{}</h2>\n{content}</section>\n", escape(heading))
}

/// A part of a section.
pub fn subsection(id: &str, heading: &str, content: &str) -> String {
    format!("<section id=\"{id}\">\n<h3>{}</h3>\n{content}</section>\n", escape(heading))
}

/// Names and values, one pair a line; a third text explains in grey.
pub fn facts<'a>(lines: impl Iterator<Item = (&'a str, &'a str, &'a str)>) -> String {
    let line = |(name, value, meaning): (&str, &str, &str)| {
        let meaning = match meaning {
            "" => String::new(),
            meaning => format!("<td class=\"soft\">{}</td>", escape(meaning)),
        };
        format!("<tr><th>{}</th><td>{}</td>{meaning}</tr>\n", escape(name), escape(value))
    };
    let lines: String = lines.map(line).collect();
    format!("<div class=\"wide\"><table class=\"facts\">\n{lines}</table></div>\n")
}

/// The first `limit` rows of `table`, with a caption.
pub fn table(caption: &str, table: &Table, limit: usize) -> String {
    let is_number = |column: &Column| !matches!(column, Column::Text(_));
    let heads = (0..table.n_columns()).map(|i| {
        let class = if is_number(&table.columns[i]) { " class=\"number\"" } else { "" };
        format!("<th{class}>{}</th>", escape(&table.name(i)))
    });
    let heads: String = heads.collect();
    let shown = table.n_rows().min(limit);
    let rows: String = (0..shown)
        .map(|row| {
            let cells: String = table.columns.iter().map(|column| cell(column, row)).collect();
            format!("<tr>{cells}</tr>\n")
        })
        .collect();
    let rest = match table.n_rows() - shown {
        0 => String::new(),
        1 => "<p class=\"soft\">… 1 more row</p>\n".into(),
        rest => format!("<p class=\"soft\">… {} more rows</p>\n", grouped(rest)),
    };
    let caption = match caption {
        "" => String::new(),
        caption => format!("<p class=\"caption\">{}</p>\n", escape(caption)),
    };
    format!(
        "{caption}<div class=\"wide\"><table class=\"rows\">\n<thead><tr>{heads}</tr></thead>\n<tbody>\n\
         {rows}</tbody></table></div>\n{rest}"
    )
}

/// Characters of a text that are shown.
const LONGEST: usize = 160;

fn cell(column: &Column, row: usize) -> String {
    match column {
        Column::Text(texts) => format!("<td>{}</td>", escape(&shortened(&texts[row], LONGEST))),
        numbers => {
            let value = numbers.number(row).unwrap_or(f64::NAN);
            format!("<td class=\"number\">{}</td>", number(value))
        }
    }
}

/// A number with four significant digits, or an integer in full.
pub fn number(value: f64) -> String {
    let size = value.abs();
    match value {
        _ if !value.is_finite() => "\u{2013}".into(),
        _ if value.fract() == 0.0 && size < 1e9 => {
            let sign = if value < 0.0 { "\u{2212}" } else { "" };
            format!("{sign}{}", grouped(size as usize))
        }
        // More digits than count, but easier to read than a power of ten.
        _ if (1e4..1e9).contains(&size) => number(value.round()),
        _ => significant(value, 4),
    }
}

/// Summary statistics of columns, one line each.
pub fn columns(described: &[ColumnSummary]) -> String {
    let head = "<thead><tr><th>column</th><th>role</th><th class=\"number\">min</th>\
                <th class=\"number\">mean</th><th class=\"number\">std</th>\
                <th class=\"number\">max</th><th>distribution</th></tr></thead>";
    let rows: String = described.iter().map(column_line).collect();
    format!(
        "<div class=\"wide\"><table class=\"rows\">\n{head}\n<tbody>\n{rows}</tbody></table></div>\n"
    )
}

fn column_line(column: &ColumnSummary) -> String {
    let cells = match &column.content {
        Content::Numbers { min, mean, deviation, max, bins, missing } => {
            let picture = match (bins.is_empty(), min == max) {
                (false, _) => histogram(bins),
                (true, true) => "constant".into(),
                (true, false) => String::new(),
            };
            let missing = match missing {
                0 => String::new(),
                count => format!(" {} missing", grouped(*count)),
            };
            let numbers = [min, mean, deviation, max]
                .map(|value| format!("<td class=\"number\">{}</td>", number(*value)));
            format!("{}<td>{picture}{missing}</td>", numbers.concat())
        }
        Content::Strings { different, frequent: (text, count) } => {
            let what = counted(*different, "distinct value");
            let often = match count {
                0 | 1 => String::new(),
                _ => {
                    format!("; most frequent: “{}” ({} rows)", shortened(text, 40), grouped(*count))
                }
            };
            format!("<td colspan=\"5\">{}</td>", escape(&format!("{what}{often}")))
        }
    };
    format!(
        "<tr><td>{}</td><td class=\"soft\">{}</td>{cells}</tr>\n",
        escape(&column.name),
        column.role
    )
}

/// A small histogram.
fn histogram(bins: &[usize]) -> String {
    const WIDTH: usize = 5;
    const HEIGHT: usize = 18;
    let most = bins.iter().max().copied().unwrap_or(1);
    let bar = |(place, count): (usize, &usize)| {
        // What is not empty is seen.
        let height = match count {
            0 => 0.0,
            _ => (HEIGHT as f64 * *count as f64 / most as f64).max(1.0),
        };
        let (x, y, width) = (place * WIDTH, HEIGHT as f64 - height, WIDTH - 1);
        format!("<rect x=\"{x}\" y=\"{y:.1}\" width=\"{width}\" height=\"{height:.1}\"/>")
    };
    let bars: String = bins.iter().enumerate().map(bar).collect();
    let width = bins.len() * WIDTH;
    format!(
        "<svg class=\"bins\" width=\"{width}\" height=\"{HEIGHT}\" aria-hidden=\"true\">{bars}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_data_is_harmless() {
        let names = vec!["<b>".to_string()];
        let html =
            table("a & b", &Table::new(names, vec![Column::Text(vec!["<script>".into()])]), 9);
        assert!(html.contains("&lt;b&gt;") && html.contains("&lt;script&gt;"), "{html}");
        assert!(html.contains("a &amp; b") && !html.contains("<script>"));
    }

    #[test]
    fn numbers_are_short_and_have_a_true_minus() {
        for (value, text) in [
            (1234.0, "1,234"),
            (-2.0, "−2"),
            (0.123456, "0.1235"),
            (1.5e-9, "1.5e−9"),
            (-243_812.6, "−243,813"),
            (f64::NAN, "–"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn long_tables_say_what_is_left_out() {
        let long = Table::new(vec!["x".into()], vec![Column::F64(vec![0.5; 1_500])]);
        assert!(table("", &long, 20).contains("… 1,480 more rows"));
    }
}
