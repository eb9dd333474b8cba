//! Points of several groups, distinguished by shape and colour, with rings around support vectors.

use super::colour::{CLASSES, Rgb, hex, viridis};
use super::hover::{self, MOST_HOVER_TEXTS};
use super::panel::Plane;
use super::points::drawn_rows;
use super::svg::{INK, PAPER, Svg, number};

/// The points of a picture.
#[derive(Debug, Clone, Copy)]
pub struct Marks<'a> {
    /// Where they are.
    pub points: &'a [[f64; 2]],
    /// The group of each.
    pub group: &'a [usize],
    /// How each group looks.
    pub groups: &'a [Group],
    /// Which have a ring around them.
    pub ringed: &'a [bool],
}

/// How a group of points looks.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its name in the legend; none is not listed.
    pub name: Option<String>,
    /// Its colour.
    pub colour: [u8; 3],
    /// Its shape.
    pub shape: Shape,
    /// The hover text of its points, if that is not the group's name.
    pub hover_text: Option<String>,
}

impl Group {
    /// The class at place `index`.
    pub fn of_class(index: usize, name: &str) -> Self {
        let colour = CLASSES[index % CLASSES.len()];
        Self { name: Some(name.into()), colour, shape: Shape::of(index), hover_text: None }
    }

    /// Points at `position`, from 0 to 1, of a scale.
    pub fn on_scale(position: f64) -> Self {
        Self { name: None, colour: viridis(position), shape: Shape::Circle, hover_text: None }
    }

    /// The same group, with the hover text of its points.
    pub fn hover_text(self, hover_text: &str) -> Self {
        Self { hover_text: Some(hover_text.into()), ..self }
    }
}

/// The shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that stands on its side.
    Triangle,
    /// A square that stands on its corner.
    Diamond,
    /// A triangle that stands on its tip.
    Tip,
    /// A cross of two thick strokes.
    Cross,
    /// A hexagon.
    Hexagon,
}

/// Shapes of groups, in this order.
const SHAPES: [Shape; 7] = [
    Shape::Circle,
    Shape::Square,
    Shape::Triangle,
    Shape::Diamond,
    Shape::Tip,
    Shape::Cross,
    Shape::Hexagon,
];

impl Shape {
    /// The shape of group `index`. There are fewer than colours and their number is prime, so that
    /// each pair of colour and shape comes once in many.
    pub fn of(index: usize) -> Self {
        SHAPES[index % SHAPES.len()]
    }

    /// Path data of the shape around a pixel. All have about the area of a disc of `radius`.
    pub(crate) fn path(self, [x, y]: [f64; 2], radius: f64) -> String {
        let corners = |unit: &[[f64; 2]], size: f64| {
            let point = |[dx, dy]: &[f64; 2]| {
                format!("{:.1} {:.1}", x + size * radius * dx, y + size * radius * dy)
            };
            format!("M{}Z", unit.iter().map(point).collect::<Vec<_>>().join("L"))
        };
        match self {
            Shape::Circle => {
                let r = number(radius);
                let wide = number(2.0 * radius);
                format!("M{:.1} {y:.1}a{r} {r} 0 1 0 {wide} 0a{r} {r} 0 1 0 -{wide} 0Z", x - radius)
            }
            Shape::Square => corners(&[[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]], 0.89),
            Shape::Triangle => corners(&[[0.0, -1.15], [1.0, 0.65], [-1.0, 0.65]], 1.3),
            Shape::Diamond => corners(&[[0.0, -1.0], [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], 1.27),
            Shape::Tip => corners(&[[0.0, 1.15], [1.0, -0.65], [-1.0, -0.65]], 1.3),
            Shape::Cross => corners(&CROSS, 1.2),
            Shape::Hexagon => {
                let half = 0.866;
                let unit = [
                    [1.0, 0.0],
                    [0.5, half],
                    [-0.5, half],
                    [-1.0, 0.0],
                    [-0.5, -half],
                    [0.5, -half],
                ];
                corners(&unit, 1.1)
            }
        }
    }
}

/// A cross that lies on its side, with arms as thick as a third of its width.
const CROSS: [[f64; 2]; 12] = [
    [0.0, -0.4],
    [0.6, -1.0],
    [1.0, -0.6],
    [0.4, 0.0],
    [1.0, 0.6],
    [0.6, 1.0],
    [0.0, 0.4],
    [-0.6, 1.0],
    [-1.0, 0.6],
    [-0.4, 0.0],
    [-1.0, -0.6],
    [-0.6, -1.0],
];

/// Points are drawn in this many rounds over the groups, so that no group hides the others.
const ROUNDS: usize = 12;
/// The colour of rings.
pub(crate) const RING: &str = INK;

impl Marks<'_> {
    /// The hover text of a point.
    pub(crate) fn hover_text(&self, row: usize, ring_name: &str) -> String {
        let group = &self.groups[self.group[row]];
        let class = group.hover_text.as_ref().or(group.name.as_ref()).map_or("", String::as_str);
        let ring = if self.ringed[row] { ring_name } else { "" };
        hover::row(row, &self.points[row], &[class, ring])
    }
}

/// Draws the points with their `hover_text`, and their rings; returns how many points are drawn.
pub(crate) fn draw_marks(
    svg: &mut Svg,
    plane: &Plane,
    marks: &Marks,
    hover_text: &dyn Fn(usize) -> String,
) -> usize {
    let rows = drawn_rows(marks.points);
    let hover_text = (rows.len() <= MOST_HOVER_TEXTS).then_some(hover_text);
    let radius = radius(rows.len());
    svg.clipped(plane.frame, |svg| {
        let rim = number((0.16 * radius).min(0.9));
        svg.raw(&format!("<g stroke=\"{PAPER}\" stroke-width=\"{rim}\" fill-opacity=\".92\">\n"));
        for round in rows.chunks(rows.len().div_ceil(ROUNDS).max(1)) {
            draw_round(svg, plane, marks, round, radius, hover_text);
        }
        svg.raw("</g>\n");
        let ringed = rows.iter().filter(|&&row| marks.ringed[row]);
        let rings: String = ringed
            .map(|&row| Shape::Circle.path(plane.place(marks.points[row]), ring_radius(radius)))
            .collect();
        let width = number((0.3 * radius).clamp(0.5, 1.3));
        // The pointer reaches through rings to the points.
        let paint = format!("fill=\"none\" stroke=\"{RING}\" stroke-width=\"{width}\"");
        svg.path(&rings, &format!("{paint} pointer-events=\"none\""));
    });
    rows.len()
}

fn draw_round(
    svg: &mut Svg,
    plane: &Plane,
    marks: &Marks,
    rows: &[usize],
    radius: f64,
    hover_text: Option<&dyn Fn(usize) -> String>,
) {
    let mut paths = vec![String::new(); marks.groups.len()];
    for &row in rows {
        let (index, group) = (marks.group[row], &marks.groups[marks.group[row]]);
        let data = group.shape.path(plane.place(marks.points[row]), radius);
        match hover_text {
            Some(hover_text) => {
                let attributes = format!("d=\"{data}\" {}", fill(group.colour));
                svg.raw(&hover::element("path", &attributes, &hover_text(row)));
            }
            None => paths[index] += &data,
        }
    }
    for (path, group) in paths.iter().zip(marks.groups) {
        svg.path(path, &fill(group.colour));
    }
}

fn fill(colour: Rgb) -> String {
    format!("fill=\"{}\"", hex(colour))
}

/// The radius of one of `n` points, in pixels.
pub(crate) fn radius(n: usize) -> f64 {
    (12.0 * (n.max(1) as f64).powf(-0.22)).clamp(1.2, 5.2)
}

/// The radius of the ring around a point.
pub(crate) fn ring_radius(radius: f64) -> f64 {
    1.35 * radius + (0.6 * radius).min(1.8)
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::super::svg::Rect;
    use super::*;

    #[test]
    fn every_pair_of_colour_and_shape_is_new_for_long() {
        let pair = |i: usize| (i % CLASSES.len(), i % SHAPES.len());
        let pairs: std::collections::HashSet<_> = (0..84).map(pair).collect();
        assert_eq!(pairs.len(), 84);
        assert_eq!(Shape::of(8), Shape::Square);
    }

    #[test]
    fn points_are_drawn_with_their_rings() {
        let frame = Rect { left: 0.0, top: 0.0, width: 10.0, height: 10.0 };
        let plane = Plane { frame, x: Axis::over(0.0, 1.0, 5), y: Axis::over(0.0, 1.0, 5) };
        let group = |shape| Group { name: None, colour: [0; 3], shape, hover_text: None };
        let groups: Vec<Group> = SHAPES.into_iter().map(group).collect();
        let points: Vec<[f64; 2]> = (0..7).map(|i| [f64::from(i) / 7.0, 0.5]).collect();
        let group: Vec<usize> = (0..7).collect();
        let marks = Marks { points: &points, group: &group, groups: &groups, ringed: &[true; 7] };
        let mut svg = Svg::new(10.0, 10.0, "");
        assert_eq!(
            draw_marks(&mut svg, &plane, &marks, &|row| marks.hover_text(row, "support vector")),
            7
        );
        let text = svg.finish();
        assert_eq!(text.matches("fill=\"#000000\"").count(), 7);
        assert_eq!(text.matches("fill=\"none\"").count(), 1);
        assert!(text.contains("<title>row 1: 0, 0.5 · support vector</title>"), "{text}");
        super::super::png(&text, 1.0).unwrap();
    }
}
