//! Names beside points, so that none covers another: each stands as close to its point as there is room, with a line to
//! it where that is not next to it.

use super::panel::Plane;
use super::svg::{INK, Rect, SOFT_INK, Svg, TextStyle, number, shortened, text_width};

/// More names than this would cover the picture.
pub(crate) const MOST_NAMES: usize = 60;
const SIZE: f64 = 11.5;
/// Half the side of the square that a point keeps free of names.
const POINT: f64 = 5.0;
/// The longest name.
const LONGEST: usize = 28;
/// How far from its point a name may stand: next to it first.
const DISTANCES: [f64; 12] =
    [9.0, 16.0, 24.0, 34.0, 46.0, 60.0, 76.0, 94.0, 116.0, 142.0, 172.0, 210.0];
/// Directions that are tried at each distance.
const DIRECTIONS: usize = 24;
/// Beyond this distance a line leads from the point to the name.
const NEXT_TO: f64 = 12.0;

/// Writes the name of every point that lies in `plane`.
pub(crate) fn draw_names(svg: &mut Svg, plane: &Plane, points: &[[f64; 2]], names: &[String]) {
    let places: Vec<[f64; 2]> = points.iter().map(|point| plane.place(*point)).collect();
    let mut taken = Taken {
        frame: plane.frame,
        names: Vec::new(),
        points: places.iter().map(|place| around(*place, 2.0 * POINT, 2.0 * POINT)).collect(),
        lines: Vec::new(),
    };
    let mut order: Vec<usize> = (0..places.len()).collect();
    // Where points are crowded there is little room, which must not be taken by others.
    order.sort_by_key(|&i| std::cmp::Reverse(neighbours(&places, i)));
    for i in order {
        let name = shortened(&names[i], LONGEST);
        let width = text_width(&name, SIZE);
        let Some((centre, distance)) = taken.find(places[i], width) else { continue };
        let rect = around(centre, width + 4.0, SIZE + 2.0);
        if distance > NEXT_TO {
            let end = nearest(rect, places[i]);
            draw_line(svg, places[i], end);
            taken.lines.push([places[i], end]);
        }
        taken.names.push(rect);
        let style = TextStyle::new(SIZE, INK, "middle");
        svg.text(centre[0], centre[1] + 0.35 * SIZE, style, &name);
    }
}

/// What is drawn already.
struct Taken {
    frame: Rect,
    names: Vec<Rect>,
    points: Vec<Rect>,
    lines: Vec<[[f64; 2]; 2]>,
}

impl Taken {
    /// The free centre for a name of so many pixels that is nearest to its point, and how far away it stands.
    fn find(&self, point: [f64; 2], width: f64) -> Option<([f64; 2], f64)> {
        let at = |distance: f64, turn: usize| {
            let angle = std::f64::consts::TAU * turn as f64 / DIRECTIONS as f64;
            let (sin, cos) = angle.sin_cos();
            // The edge of the name, not its middle, is what stands at that distance.
            [
                point[0] + cos * (distance + width / 2.0),
                point[1] + sin * (distance + SIZE / 2.0 - 2.0),
            ]
        };
        DISTANCES.iter().find_map(|&distance| {
            let centres = (0..DIRECTIONS).map(|turn| at(distance, turn));
            centres
                .filter(|centre| self.is_free(point, *centre, width, distance))
                .map(|centre| (centre, distance))
                .next()
        })
    }

    fn is_free(&self, point: [f64; 2], centre: [f64; 2], width: f64, distance: f64) -> bool {
        let rect = around(centre, width + 4.0, SIZE + 2.0);
        let inside = rect.left >= self.frame.left
            && rect.right() <= self.frame.right()
            && rect.top >= self.frame.top
            && rect.bottom() <= self.frame.bottom();
        let line = [point, nearest(rect, point)];
        let led = distance > NEXT_TO;
        inside
            && !self.names.iter().chain(&self.points).any(|other| overlap(rect, *other))
            && !self.lines.iter().any(|own| crosses(*own, rect))
            && !(led && self.names.iter().any(|other| crosses(line, *other)))
    }
}

fn around([x, y]: [f64; 2], width: f64, height: f64) -> Rect {
    Rect { left: x - width / 2.0, top: y - height / 2.0, width, height }
}

fn overlap(a: Rect, b: Rect) -> bool {
    a.left < b.right() && b.left < a.right() && a.top < b.bottom() && b.top < a.bottom()
}

/// The point of a rectangle that is nearest to another point.
fn nearest(rect: Rect, [x, y]: [f64; 2]) -> [f64; 2] {
    [x.clamp(rect.left, rect.right()), y.clamp(rect.top, rect.bottom())]
}

/// Whether a line comes through a rectangle: looked at in steps that no name is narrower than.
fn crosses([from, to]: [[f64; 2]; 2], rect: Rect) -> bool {
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    let steps = (length / 3.0).ceil().max(1.0) as usize;
    (0..=steps).any(|step| {
        let share = step as f64 / steps as f64;
        let [x, y] = [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
        x > rect.left && x < rect.right() && y > rect.top && y < rect.bottom()
    })
}

fn neighbours(places: &[[f64; 2]], i: usize) -> usize {
    let near = |other: &&[f64; 2]| {
        (other[0] - places[i][0]).abs() < 90.0 && (other[1] - places[i][1]).abs() < 30.0
    };
    places.iter().filter(near).count()
}

fn draw_line(svg: &mut Svg, from: [f64; 2], to: [f64; 2]) {
    let [x, y] = [0, 1].map(|axis| number(from[axis]));
    let [a, b] = [0, 1].map(|axis| number(to[axis]));
    let paint = format!("stroke=\"{SOFT_INK}\" stroke-width=\".6\" fill=\"none\"");
    svg.path(&format!("M{x} {y}L{a} {b}"), &paint);
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::*;

    #[test]
    fn no_name_covers_another_or_a_point() {
        let frame = Rect { left: 0.0, top: 0.0, width: 800.0, height: 600.0 };
        let plane = Plane { frame, x: Axis::over(0.0, 1.0, 5), y: Axis::over(0.0, 1.0, 5) };
        let points: Vec<[f64; 2]> = (0..30)
            .map(|i| [0.5 + 0.01 * f64::from(i % 6), 0.5 + 0.01 * f64::from(i / 6)])
            .collect();
        let names: Vec<String> = (0..30).map(|i| format!("name number {i}")).collect();
        let mut svg = Svg::new(800.0, 600.0, "");
        draw_names(&mut svg, &plane, &points, &names);
        let text = svg.finish();
        assert_eq!(text.matches("<text").count(), 30);
        let value = |line: &str, key: &str| -> f64 {
            let rest = &line[line.find(key).unwrap() + key.len()..];
            rest[..rest.find('"').unwrap()].parse().unwrap()
        };
        let rects: Vec<Rect> = text
            .lines()
            .filter(|line| line.starts_with("<text"))
            .zip(&names)
            .map(|(line, _)| {
                let content = &line[line.find('>').unwrap() + 1..line.rfind("</text>").unwrap()];
                let centre = [value(line, " x=\""), value(line, " y=\"") - 0.35 * SIZE];
                around(centre, text_width(content, SIZE), SIZE)
            })
            .collect();
        for (i, a) in rects.iter().enumerate() {
            assert!(rects[..i].iter().all(|b| !overlap(*a, *b)));
            let dot = |point: &[f64; 2]| around(plane.place(*point), 6.0, 6.0);
            assert!(points.iter().all(|point| !overlap(*a, dot(point))));
        }
    }
}
