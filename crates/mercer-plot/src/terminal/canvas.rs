//! A rectangle of characters, some in colour. What lies outside is cut off, so that no line is ever too wide.

use super::screen::{Screen, columns_of};

/// What stands in one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cell {
    pub glyph: char,
    /// One of 256 colours of terminals.
    pub colour: Option<u8>,
}

const EMPTY: Cell = Cell { glyph: ' ', colour: None };
/// The right half of a wide character.
const COVERED: char = '\0';

/// A rectangle of cells; rows are counted from the top.
pub(super) struct Canvas {
    width: usize,
    rows: Vec<Vec<Cell>>,
}

impl Canvas {
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, rows: vec![vec![EMPTY; width]; height] }
    }

    pub fn put(&mut self, [column, row]: [usize; 2], cell: Cell) {
        if let Some(place) = self.rows.get_mut(row).and_then(|cells| cells.get_mut(column)) {
            *place = cell;
        }
    }

    /// Writes `text`, which is on one line, from a place on.
    pub fn write(&mut self, [mut column, row]: [usize; 2], text: &str) {
        for glyph in text.chars() {
            let columns = columns_of(glyph);
            // Half of a wide character cannot be shown.
            if column + columns > self.width {
                break;
            }
            if columns > 0 {
                self.put([column, row], Cell { glyph, colour: None });
            }
            if columns > 1 {
                self.put([column + 1, row], Cell { glyph: COVERED, colour: None });
            }
            column += columns;
        }
    }

    /// All lines, each with its end.
    pub fn text(&self, screen: &Screen) -> String {
        self.rows.iter().map(|cells| line(cells, screen.colour) + "\n").collect()
    }
}

/// A line without spaces at its end.
fn line(cells: &[Cell], in_colour: bool) -> String {
    let used = cells.iter().rposition(|cell| *cell != EMPTY).map_or(0, |last| last + 1);
    let (mut line, mut current) = (String::new(), None);
    for cell in cells[..used].iter().filter(|cell| cell.glyph != COVERED) {
        if in_colour && cell.colour != current && cell.glyph != ' ' {
            line += &cell.colour.map_or("\x1b[0m".into(), |colour| format!("\x1b[38;5;{colour}m"));
            current = cell.colour;
        }
        line.push(cell.glyph);
    }
    line + if current.is_some() { "\x1b[0m" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Screen = Screen { width: 5, unicode: true, colour: false };

    #[test]
    fn what_lies_outside_is_cut_off() {
        let mut canvas = Canvas::new(5, 2);
        canvas.write([2, 0], "abcdef");
        canvas.write([0, 9], "far");
        canvas.put([7, 1], Cell { glyph: 'x', colour: None });
        canvas.write([1, 1], "東京東");
        assert_eq!(canvas.text(&PLAIN), "  abc\n 東京\n");
    }

    #[test]
    fn colours_end_with_their_characters() {
        let mut canvas = Canvas::new(5, 1);
        canvas.put([1, 0], Cell { glyph: 'x', colour: Some(33) });
        canvas.put([2, 0], Cell { glyph: 'y', colour: Some(33) });
        canvas.put([4, 0], Cell { glyph: 'z', colour: None });
        let text = canvas.text(&Screen { colour: true, ..PLAIN });
        assert_eq!(text, " \x1b[38;5;33mxy \x1b[0mz\n");
        assert_eq!(canvas.text(&PLAIN), " xy z\n");
    }
}
