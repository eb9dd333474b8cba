//! A table of cells as characters: a line for each row.

use super::super::cells::Cells;
use super::Sketch;

/// The sketch of the table.
pub(crate) fn sketch(picture: &Cells) -> Sketch {
    let line = |row: usize| {
        let text = |column: usize| {
            let is_marked = picture.marked == Some((row, column));
            let mark = if is_marked { " ★" } else { "" };
            format!("{} {}{mark}", picture.columns[column], picture.texts[row][column])
        };
        let texts: Vec<String> = (0..picture.columns.len()).map(text).collect();
        format!("{}: {}", picture.rows[row], texts.join(", "))
    };
    let head = format!("{}: {}, …", picture.y_title, picture.x_title);
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        notes: std::iter::once(head).chain((0..picture.rows.len()).map(line)).collect(),
        ..Sketch::default()
    }
}
