//! Names beside points, so that none covers another: each stands as close to its point as there is room, with a line to
//! it where that is not next to it.

use super::panel::Plane;
use super::svg::{INK, Rect, SOFT_INK, Svg, TextStyle, number, shortened, text_width};

/// More names than this would cover the picture.
pub(crate) const MOST_NAMES: usize = 60;
const SIZE: f64 = 11.0;
/// Half the side of the square that a point keeps free of names.
const POINT: f64 = 5.0;
/// The longest name.
const LONGEST: usize = 28;
/// How far from its point a name may stand.
const DISTANCES: [f64; 16] = [
    8.0, 14.0, 20.0, 28.0, 38.0, 50.0, 64.0, 80.0, 98.0, 118.0, 140.0, 165.0, 195.0, 230.0, 270.0,
    320.0,
];
/// Directions that are tried at each distance.
const DIRECTIONS: usize = 32;
/// Beyond this distance a line leads from the point to the name.
const NEXT_TO: f64 = 10.0;
/// What it costs, in pixels of distance, that a line runs over a name, a point or another line. A name that would be shut
/// in by others gets out that way, and in the next round they make room.
const OVER_NAME: f64 = 300.0;
const OVER_POINT: f64 = 24.0;
const OVER_LINE: f64 = 30.0;
/// Rounds in which every name looks for a better place.
const ROUNDS: usize = 8;

/// Writes the name of every point. Points are drawn afterwards, over the lines.
pub(crate) fn draw_names(svg: &mut Svg, plane: &Plane, points: &[[f64; 2]], names: &[String]) {
    let points: Vec<[f64; 2]> = points.iter().map(|point| plane.place(*point)).collect();
    let names: Vec<String> = names.iter().map(|name| shortened(name, LONGEST)).collect();
    let mut layout =
        Layout { frame: plane.frame, placed: vec![None; points.len()], points: &points };
    // Where points are crowded there is little room, which must not be taken by others.
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(neighbours(&points, i)));
    for _ in 0..ROUNDS {
        for &i in &order {
            layout.placed[i] = None;
            layout.placed[i] = layout.best(i, text_width(&names[i], SIZE));
        }
    }
    for placed in layout.placed.iter().flatten() {
        placed.line.iter().for_each(|line| draw_line(svg, *line));
    }
    for (placed, name) in layout.placed.iter().zip(&names) {
        let Some(Placed { rect, .. }) = placed else { continue };
        let (x, y) = (rect.left + rect.width / 2.0, rect.top + rect.height / 2.0);
        svg.text(x, y + 0.35 * SIZE, TextStyle::new(SIZE, INK, "middle"), name);
    }
}

/// Where a line begins and ends.
type Line = [[f64; 2]; 2];

/// A name in its place.
#[derive(Clone, Copy)]
struct Placed {
    rect: Rect,
    /// From the point to the name, unless they are next to each other.
    line: Option<Line>,
}

/// Where names are so far.
struct Layout<'a> {
    frame: Rect,
    points: &'a [[f64; 2]],
    placed: Vec<Option<Placed>>,
}

impl Layout<'_> {
    /// The best free place for the name of point `i`, of so many pixels.
    fn best(&self, i: usize, width: f64) -> Option<Placed> {
        let mut best: Option<(f64, Placed)> = None;
        for distance in DISTANCES {
            if best.is_some_and(|(cost, _)| cost <= distance) {
                break;
            }
            for turn in 0..DIRECTIONS {
                let placed = beside(self.points[i], distance, turn, width);
                if self.is_free(&placed) {
                    let cost = distance + self.crossings(i, &placed);
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, placed));
                    }
                }
            }
        }
        best.map(|(_, placed)| placed)
    }

    /// Whether a name would cover nothing and be covered by nothing.
    fn is_free(&self, new: &Placed) -> bool {
        let (rect, frame) = (new.rect, self.frame);
        let inside = rect.left >= frame.left
            && rect.right() <= frame.right()
            && rect.top >= frame.top
            && rect.bottom() <= frame.bottom();
        let dot = |point: &[f64; 2]| around(*point, 2.0 * POINT, 2.0 * POINT);
        inside
            && !self.points.iter().any(|point| overlap(rect, dot(point)))
            && !self.placed.iter().flatten().any(|other| overlap(rect, other.rect))
    }

    /// What the line of a name costs by what it runs over, and the name by lines that run over it.
    fn crossings(&self, i: usize, new: &Placed) -> f64 {
        let others = || self.placed.iter().flatten();
        let over = |line: Option<Line>, rect: Rect| line.is_some_and(|line| crosses(line, rect));
        let names =
            others().filter(|other| over(new.line, other.rect) || over(other.line, new.rect));
        let names = OVER_NAME * names.count() as f64;
        let Some(line) = new.line else { return names };
        let own = self.points[i];
        let is_other = |p: &&[f64; 2]| (p[0] - own[0]).hypot(p[1] - own[1]) > 2.0 * POINT;
        let over = |p: &&[f64; 2]| crosses(line, around(**p, 1.6 * POINT, 1.6 * POINT));
        let points = self.points.iter().filter(is_other).filter(over).count();
        let lines = others().filter(|other| other.line.is_some_and(|other| meet(other, line)));
        names + OVER_POINT * points as f64 + OVER_LINE * lines.count() as f64
    }
}

/// The place of a name of so many pixels in a direction and at a distance from its point; what stands at that distance is
/// the edge of the name, not its middle.
fn beside(point: [f64; 2], distance: f64, turn: usize, width: f64) -> Placed {
    let (sin, cos) = (std::f64::consts::TAU * turn as f64 / DIRECTIONS as f64).sin_cos();
    let centre =
        [point[0] + cos * (distance + width / 2.0), point[1] + sin * (distance + SIZE / 2.0)];
    let rect = around(centre, width + 4.0, SIZE + 2.0);
    let line = (distance > NEXT_TO).then(|| [point, nearest(rect, point)]);
    Placed { rect, line }
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

/// Whether a line comes through a rectangle: looked at in steps that nothing is narrower than.
fn crosses([from, to]: Line, rect: Rect) -> bool {
    let length = (to[0] - from[0]).hypot(to[1] - from[1]);
    let steps = (length / 2.0).ceil().max(1.0) as usize;
    (0..=steps).any(|step| {
        let share = step as f64 / steps as f64;
        let [x, y] = [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
        x > rect.left && x < rect.right() && y > rect.top && y < rect.bottom()
    })
}

/// Whether two lines cross.
fn meet([a, b]: Line, [c, d]: Line) -> bool {
    let side = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]) > 0.0
    };
    side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b)
}

/// Points whose names would want the same room.
fn neighbours(places: &[[f64; 2]], i: usize) -> usize {
    let near = |other: &&[f64; 2]| {
        (other[0] - places[i][0]).abs() < 90.0 && (other[1] - places[i][1]).abs() < 30.0
    };
    places.iter().filter(near).count()
}

fn draw_line(svg: &mut Svg, [from, to]: Line) {
    let [x, y] = from.map(number);
    let [a, b] = to.map(number);
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
