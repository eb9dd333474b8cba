//! The points of a panel: how large, how opaque, in which order, and which of very many.

use mercer::context::Stream;

use super::colour::hex;
use super::hover::{self, MOST_HOVER_TEXTS};
use super::labels::Colouring;
use super::panel::Plane;
use super::svg::{PAPER, Svg, number};

/// Points beyond this number are sampled: more ink shows nothing more and makes a file that viewers
/// choke on.
pub(crate) const MOST_POINTS: usize = 20_000;
/// Up to this number every point is a circle with a rim in the colour of the paper; beyond, points are
/// dots of shared paths.
const MOST_CIRCLES: usize = 3_000;
/// Dots are drawn in this many rounds over the classes, so that no class hides the others.
const ROUNDS: usize = 12;

/// The rows to draw, in drawing order: all of them, or a random choice that keeps the rows at the
/// four extremes. The order is shuffled so that the last class does not cover the first.
pub(crate) fn drawn_rows(points: &[[f64; 2]]) -> Vec<usize> {
    let is_drawable = |row: &usize| points[*row].iter().all(|v| v.is_finite());
    let mut rows: Vec<usize> = (0..points.len()).filter(is_drawable).collect();
    if rows.len() > MOST_POINTS {
        let chosen = Stream::new(0, "points of a picture").sample(rows.len(), MOST_POINTS - 4);
        let mut kept: Vec<usize> = chosen.into_iter().map(|i| rows[i]).collect();
        kept.extend(extremes(points, &rows));
        kept.sort_unstable();
        kept.dedup();
        rows = kept;
    }
    shuffle(&mut rows);
    rows
}

fn extremes(points: &[[f64; 2]], rows: &[usize]) -> Vec<usize> {
    let by =
        |axis: usize| move |a: &&usize, b: &&usize| points[**a][axis].total_cmp(&points[**b][axis]);
    [0, 1]
        .into_iter()
        .flat_map(|axis| [rows.iter().min_by(by(axis)), rows.iter().max_by(by(axis))])
        .flatten()
        .copied()
        .collect()
}

fn shuffle(rows: &mut [usize]) {
    let mut stream = Stream::new(0, "order of points");
    for last in (1..rows.len()).rev() {
        rows.swap(last, stream.below(last + 1));
    }
}

/// Draws `rows` of `points` with their `hover_text`; `zoom` is 1 for a picture of one
/// panel and smaller for small panels.
pub(crate) fn draw_points(
    svg: &mut Svg,
    plane: &Plane,
    points: &[[f64; 2]],
    rows: &[usize],
    colouring: &Colouring,
    hover_text: &dyn Fn(usize) -> String,
    zoom: f64,
) {
    let (radius, opacity) = appearance(rows.len());
    svg.clipped(plane.frame, |svg| {
        if rows.len() <= MOST_CIRCLES {
            draw_circles(svg, plane, points, rows, colouring, hover_text, (radius * zoom, opacity));
        } else {
            draw_dots(svg, plane, points, rows, colouring, (radius * zoom, opacity));
        }
    });
}

/// Radius in pixels and opacity for `n` points: fewer points are larger, many points let density
/// show.
fn appearance(n: usize) -> (f64, f64) {
    let n = n.max(1) as f64;
    let radius = (13.0 * n.powf(-0.22)).clamp(1.2, 6.0);
    let opacity = (1.9 * n.powf(-0.13)).clamp(0.5, 0.9);
    (radius, opacity)
}

fn draw_circles(
    svg: &mut Svg,
    plane: &Plane,
    points: &[[f64; 2]],
    rows: &[usize],
    colouring: &Colouring,
    hover_text: &dyn Fn(usize) -> String,
    (radius, opacity): (f64, f64),
) {
    let rim = match radius > 2.5 {
        true => format!(" stroke=\"{PAPER}\" stroke-width=\".7\""),
        false => String::new(),
    };
    // On dark paper the rim is what shows the darkest colours.
    svg.raw(&format!("<g class=\"points\" fill-opacity=\"{}\"{rim}>\n", number(opacity)));
    for &row in rows {
        let [x, y] = plane.place(points[row]);
        let fill = hex(colouring.colour(colouring.group(row)));
        let r = number(radius);
        let circle = format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" fill=\"{fill}\"");
        match rows.len() <= MOST_HOVER_TEXTS {
            true => svg.raw(&hover::element("circle", &circle, &hover_text(row))),
            false => svg.raw(&format!("<circle {circle}/>\n")),
        }
    }
    svg.raw("</g>\n");
}

/// Dots are strokes of no length with round ends, which take a third of the bytes of circles.
fn draw_dots(
    svg: &mut Svg,
    plane: &Plane,
    points: &[[f64; 2]],
    rows: &[usize],
    colouring: &Colouring,
    (radius, opacity): (f64, f64),
) {
    svg.raw(&format!(
        "<g fill=\"none\" stroke-linecap=\"round\" stroke-width=\"{}\" stroke-opacity=\"{}\">\n",
        number(2.0 * radius),
        number(opacity)
    ));
    for round in rows.chunks(rows.len().div_ceil(ROUNDS)) {
        let mut paths = vec![String::new(); colouring.groups()];
        for &row in round {
            let [x, y] = plane.place(points[row]);
            paths[colouring.group(row)] += &format!("M{x:.1} {y:.1}h0");
        }
        for (group, path) in paths.iter().enumerate() {
            svg.path(path, &format!("stroke=\"{}\"", hex(colouring.colour(group))));
        }
    }
    svg.raw("</g>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_points_are_all_drawn_once() {
        let points: Vec<[f64; 2]> = (0..50).map(|i| [f64::from(i), 0.0]).collect();
        let mut rows = drawn_rows(&points);
        rows.sort_unstable();
        assert_eq!(rows, (0..50).collect::<Vec<_>>());
    }

    #[test]
    fn a_sample_keeps_the_extremes_and_drops_what_has_no_place() {
        let mut points = vec![[0.0, 0.0]; 50_000];
        points[17] = [1.0, 0.0];
        points[18] = [0.0, -1.0];
        points[19] = [f64::NAN, 0.0];
        let rows = drawn_rows(&points);
        assert!(rows.len() <= MOST_POINTS);
        assert!(rows.contains(&17) && rows.contains(&18) && !rows.contains(&19));
    }

    #[test]
    fn more_points_are_smaller_and_fainter() {
        let (few, many) = (appearance(10), appearance(20_000));
        assert!(few.0 > 2.0 * many.0 && few.1 > many.1);
    }
}
