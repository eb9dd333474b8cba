//! The scatter of an embedding: its first two components, or a strip for a single one.

use mercer::context::Stream;

use super::axis::{Axis, extent};
use super::drawing::Drawing;
use super::grouped;
use super::hover;
use super::labels::{Colouring, LabelColumn};
use super::legend::{draw_legend, legend_width};
use super::names::{MOST_NAMES, draw_names};
use super::panel::Plane;
use super::points::{draw_points, drawn_rows};
use super::svg::{GRID, INK, Rect, SOFT_INK, Svg, TextStyle, number, shortened};
use super::terminal;

/// What a scatter shows.
#[derive(Debug, Clone)]
pub struct Scatter<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title: what was computed, from what. May be empty.
    pub subtitle: &'a str,
    /// The first component of every row.
    pub x: &'a [f64],
    /// The second component of every row, if there is one.
    pub y: Option<&'a [f64]>,
    /// The title of the first axis, see [`super::component_title`].
    pub x_title: &'a str,
    /// The title of the second axis; not used when there is one component.
    pub y_title: &'a str,
    /// The label of every row, if there is one.
    pub labels: Option<LabelColumn<'a>>,
    /// What stands beside every point, if it is named; of more than 60 points none is.
    pub names: Option<&'a [String]>,
    /// Which rows of the table these are, if they are not all of them from the first on.
    pub rows: Option<&'a [usize]>,
    /// Whether to draw the line on which both components are equal.
    pub diagonal: bool,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 620.0;
/// Names need room.
const NAMED_WIDTH: f64 = 1080.0;
const NAMED_HEIGHT: f64 = 780.0;
const STRIP_HEIGHT: f64 = 400.0;
const MARGIN: f64 = 24.0;

/// Draws `picture`.
///
/// Requires as many `y` and labels as `x`. Rows with a value that is not finite are left out; of
/// more than 20,000 rows a random sample is drawn, and noted on it.
pub fn scatter(picture: &Scatter) -> Drawing {
    let rows = picture.x.len();
    let colouring = Colouring::of(picture.labels.as_ref(), rows);
    let (points, y_axis) = match picture.y {
        Some(y) => two_components(picture.x, y),
        None => strip(picture.x, &colouring),
    };
    let names = picture.names.filter(|names| names.len() <= MOST_NAMES);
    let width = if names.is_some() { NAMED_WIDTH } else { WIDTH };
    let height = match (picture.y, names) {
        (Some(_), Some(_)) => NAMED_HEIGHT,
        (Some(_), None) => HEIGHT,
        (None, _) => strip_height(&colouring),
    };
    let mut svg = Svg::new(width, height, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, width);
    let name = picture.labels.map_or("", |labels| labels.name);
    let legend = legend_width(&colouring, name);
    let outer = Rect {
        left: MARGIN - 6.0,
        top,
        width: width - 2.0 * MARGIN - legend + 18.0,
        height: height - top - MARGIN + 8.0,
    };
    let aside = names.map(|_| room_aside(picture.x)).unwrap_or_default();
    let x_axis = Axis::around(picture.x.iter().copied().chain(aside), 7);
    let plane = Plane::inside(outer, x_axis, y_axis);
    plane.draw_grid(&mut svg);
    if picture.y.is_none() {
        draw_lanes(&mut svg, &plane, lanes(&colouring));
    }
    if picture.diagonal && picture.y.is_some() {
        draw_diagonal(&mut svg, &plane);
    }
    if let Some(names) = names {
        draw_names(&mut svg, &plane, &points, names);
    }
    let drawn = drawn_rows(&points);
    let hover_text = |row: usize| hover_text(picture, row);
    draw_points(&mut svg, &plane, &points, &drawn, &colouring, &hover_text, 1.0);
    let y_title = if picture.y.is_some() { picture.y_title } else { "" };
    plane.draw_frame(&mut svg, picture.x_title, y_title);
    let corner = [plane.frame.right() + 22.0, plane.frame.top];
    draw_legend(&mut svg, &colouring, name, corner, plane.frame.height);
    draw_note(&mut svg, drawn.len(), rows, [width - MARGIN, MARGIN + 8.0]);
    Drawing { svg: svg.finish(), sketch: terminal::scatter::sketch(picture, &colouring, &points) }
}

/// The line on which both numbers are equal, as far as both axes have it.
fn draw_diagonal(svg: &mut Svg, plane: &Plane) {
    let (low, high) = (plane.x.low.max(plane.y.low), plane.x.high.min(plane.y.high));
    if low < high {
        let [[x, y], [end_x, end_y]] = [low, high].map(|value| plane.place([value, value]));
        let data = format!("M{} {}L{} {}", number(x), number(y), number(end_x), number(end_y));
        let paint = format!("fill=\"none\" stroke=\"{SOFT_INK}\" stroke-dasharray=\"6 4\"");
        svg.path(&data, &paint);
    }
}

/// The hover text of a point.
fn hover_text(picture: &Scatter, row: usize) -> String {
    let values: Vec<f64> = [picture.x[row]].into_iter().chain(picture.y.map(|y| y[row])).collect();
    let label = picture.labels.map(|labels| labels.values[row].as_str());
    let name = picture.names.map(|names| names[row].as_str());
    let words: Vec<&str> = name.into_iter().chain(label).collect();
    hover::row(picture.rows.map_or(row, |rows| rows[row]), &values, &words)
}

/// Values on both sides of all others, so that names have room there.
fn room_aside(x: &[f64]) -> Vec<f64> {
    let (low, high) = extent(x.iter().copied().filter(|v| v.is_finite()));
    vec![low - 0.1 * (high - low), high + 0.1 * (high - low)]
}

/// Draws the title and the line below it; returns where the rest of the picture begins.
pub(crate) fn draw_titles(svg: &mut Svg, title: &str, subtitle: &str, width: f64) -> f64 {
    let fitting = |size: f64| ((width - 2.0 * MARGIN) / (0.56 * size)) as usize;
    let style = TextStyle::new(19.0, INK, "start").bold();
    svg.text(MARGIN, MARGIN + 14.0, style, &shortened(title, fitting(20.0)));
    if subtitle.is_empty() {
        return MARGIN + 26.0;
    }
    let style = TextStyle::new(13.0, SOFT_INK, "start");
    svg.text(MARGIN, MARGIN + 36.0, style, &shortened(subtitle, fitting(13.0)));
    MARGIN + 46.0
}

/// Says how many points are drawn, when that is not all of them.
pub(crate) fn draw_note(svg: &mut Svg, drawn: usize, rows: usize, [x, y]: [f64; 2]) {
    if drawn < rows {
        let style = TextStyle::new(11.5, SOFT_INK, "end");
        let note = format!("{} of {} points drawn", grouped(drawn), grouped(rows));
        svg.text(x, y, style, &note);
    }
}

fn two_components(x: &[f64], y: &[f64]) -> (Vec<[f64; 2]>, Axis) {
    assert_eq!(x.len(), y.len(), "one second component per row");
    let points = x.iter().zip(y).map(|(&x, &y)| [x, y]).collect();
    (points, Axis::around(y.iter().copied(), 6))
}

/// One component: every class has a lane of its own, in which rows are scattered so that they do
/// not hide each other.
fn strip(x: &[f64], colouring: &Colouring) -> (Vec<[f64; 2]>, Axis) {
    let lanes = lanes(colouring);
    let mut stream = Stream::new(0, "strip");
    let place = |(row, &x): (usize, &f64)| {
        let lane = if lanes == 1 { 0 } else { lanes - 1 - colouring.group(row) };
        [x, lane as f64 + 0.5 + 0.6 * (stream.uniform() - 0.5)]
    };
    let points = x.iter().enumerate().map(place).collect();
    (points, Axis::over(0.0, lanes as f64, 1).bare())
}

fn lanes(colouring: &Colouring) -> usize {
    match colouring {
        Colouring::Classes { names, .. } => names.len().max(1),
        _ => 1,
    }
}

fn strip_height(colouring: &Colouring) -> f64 {
    let lanes = lanes(colouring);
    if lanes == 1 { STRIP_HEIGHT } else { (170.0 + 56.0 * lanes as f64).max(STRIP_HEIGHT) }
}

fn draw_lanes(svg: &mut Svg, plane: &Plane, lanes: usize) {
    let border = |lane: usize| {
        let [x, y] = plane.place([plane.x.low, lane as f64]);
        format!("M{} {}h{}", number(x), number(y), number(plane.frame.width))
    };
    let lines: String = (1..lanes).map(border).collect();
    svg.path(&lines, &format!("stroke=\"{GRID}\" fill=\"none\""));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture<'a>(x: &'a [f64], y: Option<&'a [f64]>, labels: Option<&'a [String]>) -> String {
        scatter(&shown(x, y, labels)).svg
    }

    fn shown<'a>(x: &'a [f64], y: Option<&'a [f64]>, labels: Option<&'a [String]>) -> Scatter<'a> {
        Scatter {
            title: "Kernel PCA <of> things",
            subtitle: "",
            x,
            y,
            x_title: "component 1",
            y_title: "component 2",
            labels: labels.map(|values| LabelColumn { name: "kind", values }),
            names: None,
            rows: None,
            diagonal: false,
        }
    }

    #[test]
    fn rows_that_are_a_part_keep_their_numbers() {
        let rows = [9, 19];
        let picture = Scatter { rows: Some(&rows), ..shown(&[1.0, 2.0], Some(&[0.0, 1.0]), None) };
        let svg = scatter(&picture).svg;
        assert!(svg.contains("row 10: 1, 0") && svg.contains("row 20: 2, 1"), "{svg}");
    }

    #[test]
    fn the_diagonal_lies_within_both_axes() {
        let lines = |y: &[f64]| {
            let picture = Scatter { diagonal: true, ..shown(&[1.0, 2.0, 3.0], Some(y), None) };
            scatter(&picture).svg.matches("stroke-dasharray").count()
        };
        assert_eq!((lines(&[1.5, 2.0, 2.5]), lines(&[11.0, 12.0, 13.0])), (1, 0));
    }

    #[test]
    fn every_point_and_class_is_there() {
        let labels: Vec<String> = ["a", "b", "a"].map(String::from).into();
        let svg = picture(&[1.0, 2.0, 3.0], Some(&[0.0, 1.0, 0.0]), Some(&labels));
        assert_eq!(svg.matches("<circle").count(), 3 + 2);
        for text in ["Kernel PCA &lt;of&gt; things", ">kind<", ">component 2<"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn degenerate_embeddings_are_drawn() {
        let cases: [(&[f64], Option<&[f64]>); 6] = [
            (&[], Some(&[])),
            (&[2.0], Some(&[2.0])),
            (&[2.0, 2.0], Some(&[1.0, 2.0])),
            (&[0.0, 0.0], Some(&[0.0, 0.0])),
            (&[1.0, 2.0, 3.0], None),
            (&[], None),
        ];
        for (x, y) in cases {
            let svg = picture(x, y, None);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{x:?} {y:?}");
            super::super::png(&svg, 0.5).unwrap();
        }
    }

    #[test]
    fn a_hundred_thousand_points_stay_small_and_are_counted() {
        let x: Vec<f64> = (0..100_000).map(|i| f64::from(i).sin()).collect();
        let y: Vec<f64> = (0..100_000).map(|i| f64::from(i).cos()).collect();
        let svg = picture(&x, Some(&y), None);
        assert!(svg.len() < 500_000, "{}", svg.len());
        assert!(svg.contains("of 100,000 points drawn"));
    }
}
