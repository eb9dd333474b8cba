//! A regression of one column: the function with its tube, and the rows.

use super::axis::{Axis, extent};
use super::colour::{CLASSES, hex, sheer};
use super::drawing::Drawing;
use super::key::Key;
use super::marks::{Marks, draw_marks};
use super::panel::Plane;
use super::scatter::{draw_note, draw_titles};
use super::svg::{Rect, Svg};
use super::terminal;

/// What the picture shows.
pub struct Tube<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: &'a str,
    /// The title of the horizontal axis.
    pub x_title: &'a str,
    /// The title of the vertical axis.
    pub y_title: &'a str,
    /// Points of the function, by rising abscissa; at least two.
    pub function: &'a [[f64; 2]],
    /// How far the tube reaches above and below it, and what it is called.
    pub tube: (f64, String),
    /// The rows.
    pub marks: Marks<'a>,
    /// What a ring means.
    pub ring_name: &'a str,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 560.0;
const MARGIN: f64 = 24.0;
/// How strong the colour of the tube is.
const SHEER: f64 = 0.2;

/// Draws `picture`. Of very many rows a random sample is drawn, and noted on it.
pub fn tube(picture: &Tube) -> Drawing {
    let mut svg = Svg::new(WIDTH, HEIGHT, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH);
    let colour = CLASSES[1];
    let line = format!("fill=\"none\" stroke=\"{}\" stroke-width=\"2.4\"", hex(colour));
    let mut key = Key::titled("").groups(picture.marks.groups);
    if picture.marks.ringed.iter().any(|ringed| *ringed) {
        key = key.ring(picture.ring_name);
    }
    let (reach, name) = &picture.tube;
    key = key.line(&line, "function").patch(&sheer(colour, SHEER), name);
    let outer = Rect {
        left: MARGIN - 6.0,
        top,
        width: WIDTH - 2.0 * MARGIN - key.width() + 18.0,
        height: HEIGHT - top - MARGIN + 8.0,
    };
    let plane = plane(picture, outer);
    plane.draw_grid(&mut svg);
    svg.clipped(plane.frame, |svg| {
        svg.path(&band(&plane, picture.function, *reach), &sheer(colour, SHEER));
    });
    let drawn = draw_marks(&mut svg, &plane, &picture.marks, &|row| {
        picture.marks.hover_text(row, picture.ring_name)
    });
    svg.clipped(plane.frame, |svg| {
        svg.path(&format!("M{}", points(&plane, picture.function.iter().copied())), &line);
    });
    plane.draw_frame(&mut svg, picture.x_title, picture.y_title);
    key.draw(&mut svg, [plane.frame.right() + 20.0, plane.frame.top]);
    let rows = picture.marks.points.len();
    draw_note(&mut svg, drawn, rows, [WIDTH - MARGIN, MARGIN + 8.0]);
    Drawing { svg: svg.finish(), sketch: terminal::tube::sketch(picture, &plane) }
}

/// The axes: the whole function along x, everything along y.
fn plane(picture: &Tube, outer: Rect) -> Plane {
    let (low, high) = extent(picture.function.iter().map(|point| point[0]));
    let reach = picture.tube.0;
    let ends = picture.function.iter().flat_map(|[_, y]| [y - reach, y + reach]);
    let heights = picture.marks.points.iter().map(|point| point[1]).chain(ends);
    let x = if low < high { Axis::over(low, high, 7) } else { Axis::around([low].into_iter(), 7) };
    Plane::inside(outer, x, Axis::around(heights, 6))
}

fn points(plane: &Plane, line: impl Iterator<Item = [f64; 2]>) -> String {
    let place = |point: [f64; 2]| {
        let [x, y] = plane.place(point);
        format!("{x:.1} {y:.1}")
    };
    line.map(place).collect::<Vec<_>>().join("L")
}

fn band(plane: &Plane, function: &[[f64; 2]], reach: f64) -> String {
    let upper = function.iter().map(|[x, y]| [*x, y + reach]);
    let lower = function.iter().rev().map(|[x, y]| [*x, y - reach]);
    format!("M{}Z", points(plane, upper.chain(lower)))
}

#[cfg(test)]
mod tests {
    use super::super::marks::Group;
    use super::*;

    #[test]
    fn function_tube_and_rows_are_there() {
        let row = Group::of_class(0, "row");
        let picture = |tube| Tube {
            title: "A line",
            subtitle: "",
            x_title: "area",
            y_title: "price",
            function: &[[0.0, 1.0], [1.0, 2.0]],
            tube,
            marks: Marks {
                points: &[[0.5, 1.0], [0.2, 9.0]],
                group: &[0, 0],
                groups: std::slice::from_ref(&row),
                ringed: &[false, true],
            },
            ring_name: "support vector",
        };
        let svg = super::tube(&picture((0.5, "tube ± 0.5".into()))).svg;
        for part in [">area<", ">price<", ">function<", ">tube ± 0.5<", ">support vector<", ">row<"]
        {
            assert!(svg.contains(part), "{part}");
        }
        super::super::png(&super::tube(&picture((0.0, "tube ± 0".into()))).svg, 0.5).unwrap();
    }
}
