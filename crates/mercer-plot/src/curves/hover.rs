//! Hover texts of curves.

use super::super::hover::{MOST_HOVER_TEXTS, element, value_of};
use super::super::panel::Plane;
use super::super::svg::{Svg, number};
use super::{Curve, Curves, place};

/// How near to a point the pointer must be, in pixels.
const REACH: f64 = 6.0;

/// Invisible discs over the points of all lines, with hover texts.
pub(super) fn draw(svg: &mut Svg, plane: &Plane, picture: &Curves) {
    if picture.curves.iter().map(|curve| curve.points.len()).sum::<usize>() > MOST_HOVER_TEXTS {
        return;
    }
    svg.raw("<g fill-opacity=\"0\">\n");
    for curve in &picture.curves {
        let is_seen = |y: f64| (plane.frame.top..=plane.frame.bottom()).contains(&y);
        for (index, &point) in curve.points.iter().enumerate() {
            let Some([x, y]) = place(plane, point).filter(|[_, y]| is_seen(*y)) else { continue };
            let (x, y, r) = (number(x), number(y), number(REACH));
            let disc = format!("cx=\"{x}\" cy=\"{y}\" r=\"{r}\"");
            svg.raw(&element("circle", &disc, &hover_text(picture, curve, index)));
        }
    }
    svg.raw("</g>\n");
}

fn hover_text(picture: &Curves, curve: &Curve, index: usize) -> String {
    let [penalty, score] = curve.points[index];
    let spread = curve.spreads.get(index).filter(|spread| spread.is_finite());
    let spread = spread.map(|spread| format!(" ± {}", value_of(*spread))).unwrap_or_default();
    let (x, y) = (picture.x_title, picture.y_title);
    format!("{}: {x} {}, {y} {}{spread}", curve.name, value_of(penalty), value_of(score))
}
