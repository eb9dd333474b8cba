//! Lines with a name, a bar and a text.

use super::canvas::{Canvas, Cell};
use super::look::Look;
use super::screen::{Screen, width_of};

/// One line.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub name: String,
    /// The length of the bar, from 0 to 1.
    pub share: f64,
    pub text: String,
}

const FULL: Look = Look::of('█', '#');
/// The ends of bars, by eighths of a column.
const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/// The lines, none wider than `screen`.
pub(super) fn text(bars: &[Bar], screen: &Screen) -> String {
    let widest = |part: fn(&Bar) -> &str| {
        bars.iter().map(|bar| width_of(&screen.plain(part(bar)))).max().unwrap_or(0)
    };
    let (names, texts) = (widest(|bar| &bar.name), widest(|bar| &bar.text));
    let room = screen.width.saturating_sub(names + texts + 2);
    let mut canvas = Canvas::new(screen.width, bars.len());
    for (row, bar) in bars.iter().enumerate() {
        let name = screen.plain(&bar.name);
        canvas.write([names - width_of(&name), row], &name);
        draw_bar(&mut canvas, [names + 1, row], bar.share * room as f64, screen);
        let text = screen.plain(&bar.text);
        canvas.write([names + 2 + room + texts - width_of(&text), row], &text);
    }
    canvas.text(screen)
}

/// A bar of so many columns.
fn draw_bar(canvas: &mut Canvas, [column, row]: [usize; 2], length: f64, screen: &Screen) {
    let eighths = (8.0 * length.max(0.0)).round() as usize;
    let mut put = |place: usize, glyph: char| {
        canvas.put([column + place, row], Cell { glyph, colour: None });
    };
    (0..eighths / 8).for_each(|place| put(place, FULL.glyph(screen)));
    match screen.unicode {
        true if !eighths.is_multiple_of(8) => put(eighths / 8, EIGHTHS[eighths % 8]),
        false if eighths % 8 >= 4 => put(eighths / 8, FULL.ascii),
        _ => {}
    }
}
