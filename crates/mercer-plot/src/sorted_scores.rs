//! Sorted outlier scores, and their threshold.

use super::axis::Axis;
use super::colour::hex;
use super::drawing::Drawing;
use super::hover;
use super::key::Key;
use super::marks::{Group, Marks, Shape, draw_marks};
use super::panel::Plane;
use super::scatter::draw_titles;
use super::svg::{INK, Rect, Svg, number};
use super::terminal;

/// What the picture shows.
pub struct SortedScores<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: &'a str,
    /// The title of the horizontal axis, which is logarithmic and shows places from 1 on.
    pub x_title: &'a str,
    /// The title of the vertical axis.
    pub y_title: &'a str,
    /// The scores, the largest first.
    pub scores: &'a [f64],
    /// The row of each score.
    pub rows: &'a [usize],
    /// The threshold, and what it is called.
    pub threshold: (f64, &'a str),
    /// What scores are called that are above the threshold, and all others.
    pub names: [&'a str; 2],
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 560.0;
const MARGIN: f64 = 24.0;
/// Up to this place the line goes through every score; beyond, places lie closer than a pixel.
const EACH: usize = 2_000;
/// Pixels between marks.
const APART: f64 = 9.0;

/// Draws `picture`.
pub fn sorted_scores(picture: &SortedScores) -> Drawing {
    let mut svg = Svg::new(WIDTH, HEIGHT, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH);
    let groups = groups(picture.names);
    let line = format!("stroke=\"{INK}\" stroke-width=\"1.4\" stroke-dasharray=\"6 4\"");
    let (level, name) = picture.threshold;
    let key = Key::titled("").groups(&groups).line(&line, name);
    let outer = Rect {
        left: MARGIN - 6.0,
        top,
        width: WIDTH - 2.0 * MARGIN - key.width() + 18.0,
        height: HEIGHT - top - MARGIN + 8.0,
    };
    let places = drawn(picture.scores.len());
    let x = Axis::logarithmic(places.iter().map(|&place| place as f64));
    let heights = picture.scores.iter().copied().chain([level]);
    let plane = Plane::inside(outer, x, Axis::around(heights, 6));
    plane.draw_grid(&mut svg);
    let across = plane.place([plane.x.low, level])[1];
    let (left, width) = (number(plane.frame.left), number(plane.frame.width));
    svg.path(&format!("M{left} {}h{width}", number(across)), &line);
    let point = |place: &usize| [(*place as f64).log10(), picture.scores[place - 1]];
    let points: Vec<[f64; 2]> = places.iter().map(point).collect();
    draw_scores(&mut svg, &plane, &points, level, &groups, &|place| {
        hover_text(picture, places[place])
    });
    plane.draw_frame(&mut svg, picture.x_title, picture.y_title);
    key.draw(&mut svg, [plane.frame.right() + 20.0, plane.frame.top]);
    Drawing {
        svg: svg.finish(),
        sketch: terminal::sorted_scores::sketch(picture, &plane, &points, &groups),
    }
}

/// A line through all scores, and marks where there is room for one.
fn draw_scores(
    svg: &mut Svg,
    plane: &Plane,
    points: &[[f64; 2]],
    level: f64,
    groups: &[Group; 2],
    hover_text: &dyn Fn(usize) -> String,
) {
    let others = points.iter().position(|point| point[1] <= level).unwrap_or(points.len());
    for (points, group) in [&points[..others], &points[others..]].iter().zip(groups) {
        let pixels = points.iter().map(|point| plane.place(*point));
        let pixels: Vec<String> = pixels.map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
        let paint = format!("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"", hex(group.colour));
        if pixels.len() > 1 {
            svg.path(&format!("M{}", pixels.join("L")), &paint);
        }
    }
    let places = spaced(plane, points);
    let points: Vec<[f64; 2]> = places.iter().map(|&place| points[place]).collect();
    let group: Vec<usize> = places.iter().map(|&place| usize::from(place >= others)).collect();
    let ringed = vec![false; points.len()];
    let marks = Marks { points: &points, group: &group, groups, ringed: &ringed };
    draw_marks(svg, plane, &marks, &|mark| hover_text(places[mark]));
}

/// The hover text of a 1-based rank.
fn hover_text(picture: &SortedScores, place: usize) -> String {
    let rank = format!("rank {place}");
    hover::row(picture.rows[place - 1], &[picture.scores[place - 1]], &[&rank])
}

/// Points that are some pixels apart, the first of all among them.
fn spaced(plane: &Plane, points: &[[f64; 2]]) -> Vec<usize> {
    let mut last = [f64::NEG_INFINITY; 2];
    let mut is_far = |point: [f64; 2]| {
        let pixel = plane.place(point);
        let is_far = (0..2).any(|axis| (pixel[axis] - last[axis]).abs() >= APART);
        last = if is_far { pixel } else { last };
        is_far
    };
    (0..points.len()).filter(|&place| is_far(points[place])).collect()
}

/// How scores above the threshold look, and all others.
fn groups([above, others]: [&str; 2]) -> [Group; 2] {
    [Group { shape: Shape::Cross, ..Group::of_class(1, above) }, Group::of_class(0, others)]
}

/// The places that the line goes through: all at first, then ever fewer, and the last.
fn drawn(count: usize) -> Vec<usize> {
    let next = |place: &usize| Some(place + (place / EACH).max(1));
    let places = std::iter::successors(Some(1), next).take_while(|place| *place < count);
    places.chain((count > 0).then_some(count)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(scores: &[f64], threshold: f64) -> String {
        sorted_scores(&SortedScores {
            title: "Outliers of <t.csv>",
            subtitle: "",
            x_title: "rank",
            y_title: "score",
            scores,
            rows: &(0..scores.len()).collect::<Vec<_>>(),
            threshold: (threshold, "threshold"),
            names: ["outliers: 1 row", "others: 2 rows"],
        })
        .svg
    }

    #[test]
    fn rows_threshold_and_names_are_there() {
        let svg = picture(&[3.0, 1.0, 0.5], 2.0);
        for text in [">rank<", ">score<", ">threshold<", ">outliers: 1 row<", ">others: 2 rows<"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(svg.contains("stroke-dasharray"));
    }

    #[test]
    fn degenerate_scores_are_drawn() {
        for scores in [&[0.0; 3][..], &[1.0], &[1e300, 1.0, 0.0]] {
            let svg = picture(scores, 0.0);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{scores:?}");
            super::super::png(&svg, 0.5).unwrap();
        }
    }

    #[test]
    fn marks_have_room() {
        let frame = Rect { left: 0.0, top: 0.0, width: 100.0, height: 100.0 };
        let plane = Plane { frame, x: Axis::over(0.0, 1.0, 5), y: Axis::over(0.0, 1.0, 5) };
        let along: Vec<[f64; 2]> = (0..20).map(|step| [f64::from(step) / 80.0, 0.5]).collect();
        assert_eq!(spaced(&plane, &along), [0, 8, 16]);
        assert_eq!(spaced(&plane, &[[0.5, 0.9], [0.5, 0.1], [0.5, 0.11]]), [0, 1]);
    }

    #[test]
    fn many_places_are_thinned_and_none_comes_twice() {
        assert_eq!(drawn(3), [1, 2, 3]);
        let places = drawn(100_000);
        assert!(places.len() < 12_000 && places.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((places[1_999], places.last()), (2_000, Some(&100_000)));
    }
}
