//! Lines in the square of two shares from 0 to 1: ROC, precision-recall and calibration curves.

use super::axis::Axis;
use super::colour::{CLASSES, hex};
use super::drawing::Drawing;
use super::hover::element;
use super::key::Key;
use super::panel::Plane;
use super::scatter::draw_titles;
use super::svg::{PAPER, Rect, SOFT_INK, Svg};
use super::terminal;

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct Shares<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: &'a str,
    /// The title of the horizontal axis.
    pub x_title: &'a str,
    /// The title of the vertical axis.
    pub y_title: &'a str,
    /// The lines.
    pub lines: Vec<ShareLine>,
    /// The dashed line of what is expected without a model, by its ends, and its name.
    pub reference: ([[f64; 2]; 2], &'a str),
}

/// One line.
#[derive(Debug, Clone)]
pub struct ShareLine {
    /// Its name in the legend.
    pub name: String,
    /// Its points, all within 0 and 1.
    pub points: Vec<[f64; 2]>,
    /// What is shown for each point when it is pointed at; points are marked where this is not empty.
    pub hints: Vec<String>,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 620.0;
const MARGIN: f64 = 24.0;

/// The colour of line `place`.
pub(super) fn colour(place: usize) -> [u8; 3] {
    CLASSES[place % CLASSES.len()]
}

/// Draws `picture`.
pub fn shares(picture: &Shares) -> Drawing {
    let mut svg = Svg::new(WIDTH, HEIGHT, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH);
    let key = key(picture);
    let outer = Rect {
        left: MARGIN - 6.0,
        top,
        width: WIDTH - 2.0 * MARGIN - key.width() + 12.0,
        height: HEIGHT - top - MARGIN + 8.0,
    };
    let axis = || Axis::over(-0.02, 1.02, 5);
    let plane = Plane::inside(outer, axis(), axis()).with_equal_units_kept_ranges();
    plane.draw_grid(&mut svg);
    svg.clipped(plane.frame, |svg| draw_lines(svg, &plane, picture));
    plane.draw_frame(&mut svg, picture.x_title, picture.y_title);
    draw_points(&mut svg, &plane, picture);
    key.draw(&mut svg, [plane.frame.right() + 20.0, plane.frame.top]);
    Drawing { svg: svg.finish(), sketch: terminal::shares::sketch(picture, &plane) }
}

fn key(picture: &Shares) -> Key {
    let lines = picture.lines.iter().enumerate();
    let key =
        lines.fold(Key::titled(""), |key, (place, line)| key.line(&stroke(place), &line.name));
    key.line(&dashed(), picture.reference.1)
}

fn stroke(place: usize) -> String {
    format!("stroke=\"{}\" stroke-width=\"2.2\"", hex(colour(place)))
}

fn dashed() -> String {
    format!("stroke=\"{SOFT_INK}\" stroke-dasharray=\"5 4\"")
}

fn draw_lines(svg: &mut Svg, plane: &Plane, picture: &Shares) {
    let data = |points: &[[f64; 2]]| -> String {
        let corner = |(i, point): (usize, &[f64; 2])| {
            let [x, y] = plane.place(*point);
            format!("{}{x:.1} {y:.1}", if i == 0 { "M" } else { "L" })
        };
        points.iter().enumerate().map(corner).collect()
    };
    svg.path(&data(&picture.reference.0), &dashed());
    for (place, line) in picture.lines.iter().enumerate() {
        let paint = format!("fill=\"none\" {} stroke-linejoin=\"round\"", stroke(place));
        svg.path(&data(&line.points), &paint);
    }
}

/// The marked points with their texts.
fn draw_points(svg: &mut Svg, plane: &Plane, picture: &Shares) {
    for (place, line) in picture.lines.iter().enumerate() {
        for (point, hint) in line.points.iter().zip(&line.hints) {
            let [x, y] = plane.place(*point);
            let fill = hex(colour(place));
            let paint = format!(
                "cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{fill}\" stroke=\"{PAPER}\" stroke-width=\"1.2\""
            );
            svg.raw(&element("circle", &paint, hint));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(hints: Vec<String>) -> Drawing {
        let points = vec![[0.0, 0.0], [0.1, 0.7], [1.0, 1.0]];
        shares(&Shares {
            title: "ROC curve",
            subtitle: "30 rows held out",
            x_title: "false positive rate",
            y_title: "true positive rate",
            lines: vec![ShareLine { name: "yes: AUC 0.8".into(), points, hints }],
            reference: ([[0.0, 0.0], [1.0, 1.0]], "chance"),
        })
    }

    #[test]
    fn lines_names_and_marks_are_there() {
        let svg = picture(Vec::new()).svg;
        for text in ["yes: AUC 0.8", "chance", "false positive rate", "stroke-dasharray"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("<circle"));
        let marked = picture(vec!["a".into(), "b".into(), "c".into()]).svg;
        assert_eq!(marked.matches("<circle").count(), 3);
        super::super::png(&marked, 0.5).unwrap();
    }
}
