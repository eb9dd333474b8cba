//! A table of shaded cells: a confusion matrix, or the scores of a grid of two parameters.

use super::colour::{CLASSES, hex, sheer};
use super::drawing::Drawing;
use super::scatter::draw_titles;
use super::svg::{
    FRAME, INK, Rect, SOFT_INK, Svg, TextStyle, escape, number, shortened, text_width,
};
use super::terminal;

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct Cells<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: &'a str,
    /// What the columns are.
    pub x_title: &'a str,
    /// What the rows are.
    pub y_title: &'a str,
    /// The names of the columns.
    pub columns: &'a [String],
    /// The names of the rows, from the top.
    pub rows: &'a [String],
    /// How dark each cell is, from 0 to 1: rows × columns.
    pub shades: &'a [Vec<f64>],
    /// What is written in each cell.
    pub texts: &'a [Vec<String>],
    /// A cell that was chosen: row and column.
    pub marked: Option<(usize, usize)>,
}

const WIDTH: f64 = 860.0;
const MARGIN: f64 = 24.0;
const SIZE: f64 = 12.5;
const LONGEST_NAME: usize = 24;
/// The darkest shade, through which the ink of texts is still read, on light and on dark paper.
const DARKEST: f64 = 0.55;

/// Draws `picture`.
pub fn cells(picture: &Cells) -> Drawing {
    let rows = picture.rows.len().max(1) as f64;
    let cell_height = (420.0 / rows).clamp(20.0, 64.0);
    let slanted = are_wide(picture);
    let below = if slanted { 118.0 } else { 64.0 };
    let height = 84.0 + rows * cell_height + below;
    let mut svg = Svg::new(WIDTH, height, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH) + 14.0;
    let left = MARGIN + 34.0 + names_width(picture.rows);
    let width = (WIDTH - left - MARGIN).min(110.0 * picture.columns.len() as f64);
    let frame = Rect { left, top, width, height: rows * cell_height };
    draw_cells(&mut svg, frame, picture);
    draw_names(&mut svg, frame, picture, slanted);
    Drawing { svg: svg.finish(), sketch: terminal::cells::sketch(picture) }
}

fn names_width(names: &[String]) -> f64 {
    let width = |name: &String| text_width(&shortened(name, LONGEST_NAME), SIZE);
    names.iter().map(width).fold(0.0, f64::max)
}

/// Whether names of columns are wider than columns.
fn are_wide(picture: &Cells) -> bool {
    let room = (WIDTH - 2.0 * MARGIN - 34.0 - names_width(picture.rows))
        / picture.columns.len().max(1) as f64;
    names_width(picture.columns) + 6.0 > room.min(110.0)
}

fn cell(frame: Rect, picture: &Cells, row: usize, column: usize) -> Rect {
    let width = frame.width / picture.columns.len().max(1) as f64;
    let height = frame.height / picture.rows.len().max(1) as f64;
    Rect {
        left: frame.left + column as f64 * width,
        top: frame.top + row as f64 * height,
        width,
        height,
    }
}

fn draw_cells(svg: &mut Svg, frame: Rect, picture: &Cells) {
    for (row, name) in picture.rows.iter().enumerate() {
        for (column, other) in picture.columns.iter().enumerate() {
            let at = cell(frame, picture, row, column);
            let (shade, text) = (picture.shades[row][column], &picture.texts[row][column]);
            let opacity = if shade.is_finite() { DARKEST * shade.clamp(0.0, 1.0) } else { 0.0 };
            let hint = format!("{} {name}, {} {other}: {text}", picture.y_title, picture.x_title);
            svg.raw(&format!("<g><title>{}</title>\n", escape(&hint)));
            svg.rect(at, &format!("{} stroke=\"{FRAME}\"", sheer(CLASSES[0], opacity)));
            if text_width(text, SIZE) + 4.0 < at.width {
                let middle = [at.left + at.width / 2.0, at.top + at.height / 2.0 + 4.5];
                let style = TextStyle::new(SIZE, INK, "middle");
                let is_marked = picture.marked == Some((row, column));
                svg.text(middle[0], middle[1], if is_marked { style.bold() } else { style }, text);
            }
            svg.raw("</g>\n");
        }
    }
    if let Some((row, column)) = picture.marked {
        let paint = format!("fill=\"none\" stroke=\"{}\" stroke-width=\"3\"", hex(CLASSES[1]));
        svg.rect(cell(frame, picture, row, column), &paint);
    }
}

fn draw_names(svg: &mut Svg, frame: Rect, picture: &Cells, slanted: bool) {
    for (row, name) in picture.rows.iter().enumerate() {
        let at = cell(frame, picture, row, 0);
        let style = TextStyle::new(SIZE, SOFT_INK, "end");
        let y = at.top + at.height / 2.0 + 4.5;
        svg.text(frame.left - 8.0, y, style, &shortened(name, LONGEST_NAME));
    }
    for (column, name) in picture.columns.iter().enumerate() {
        let at = cell(frame, picture, 0, column);
        let (x, y) = (at.left + at.width / 2.0, frame.bottom() + 18.0);
        let name = shortened(name, LONGEST_NAME);
        match slanted {
            false => svg.text(x, y, TextStyle::new(SIZE, SOFT_INK, "middle"), &name),
            true => {
                let (x, y) = (number(x + 4.0), number(y - 4.0));
                svg.raw(&format!("<g transform=\"rotate(-35 {x} {y})\">\n"));
                let place = [x, y].map(|text| text.parse().unwrap_or(0.0));
                svg.text(place[0], place[1], TextStyle::new(SIZE, SOFT_INK, "end"), &name);
                svg.raw("</g>\n");
            }
        }
    }
    let style = TextStyle::new(13.0, INK, "middle");
    let below = frame.bottom() + if slanted { 100.0 } else { 44.0 };
    svg.text(frame.left + frame.width / 2.0, below, style, picture.x_title);
    let beside = frame.left - names_width(picture.rows) - 22.0;
    svg.text(beside, frame.top + frame.height / 2.0, style.upright(), picture.y_title);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_names_and_the_mark_are_there() {
        let names = |texts: &[&str]| texts.iter().map(|t| t.to_string()).collect::<Vec<_>>();
        let (rows, columns) = (names(&["a", "b"]), names(&["a", "a name of a class <b>"]));
        let drawing = cells(&Cells {
            title: "Confusion matrix",
            subtitle: "",
            x_title: "predicted",
            y_title: "true",
            columns: &columns,
            rows: &rows,
            shades: &[vec![1.0, 0.0], vec![0.5, f64::NAN]],
            texts: &[names(&["7", "0"]), names(&["3", ""])],
            marked: Some((1, 0)),
        });
        let svg = drawing.svg;
        for text in [">7<", "predicted", "rotate(-35", "stroke-width=\"3\"", "&lt;b&gt;"] {
            assert!(svg.contains(text), "{text} in {svg}");
        }
        assert!(!svg.contains("NaN"));
        super::super::png(&svg, 0.5).unwrap();
    }
}
