//! Several panels in one picture: the input, its embedding, and the components as functions over
//! the input plane.

use super::axis::Axis;
use super::drawing::Drawing;
use super::field::{Field, draw_field};
use super::hover;
use super::labels::{Colouring, LabelColumn};
use super::legend::{draw_legend, legend_width};
use super::panel::Plane;
use super::points::{draw_points, drawn_rows};
use super::scatter::{draw_note, draw_titles};
use super::svg::{INK, Rect, Svg, TextStyle, shortened};
use super::terminal;

/// One panel.
#[derive(Debug, Clone)]
pub struct Panel<'a> {
    /// The title above the panel.
    pub title: &'a str,
    /// The title of the horizontal axis.
    pub x_title: &'a str,
    /// The title of the vertical axis.
    pub y_title: &'a str,
    /// The points of the panel, one per row of the labels.
    pub points: &'a [[f64; 2]],
    /// A function drawn below the points; its rectangle becomes the range of the axes.
    pub field: Option<Field<'a>>,
    /// Whether a unit has the same length along both axes, as it should where distances are looked
    /// at.
    pub equal_units: bool,
}

/// What a picture of several panels shows.
#[derive(Debug, Clone)]
pub struct Multiples<'a> {
    /// The title of the whole picture.
    pub title: &'a str,
    /// A line below the title. May be empty.
    pub subtitle: &'a str,
    /// The panels, drawn two in a row.
    pub panels: Vec<Panel<'a>>,
    /// The label of every row, shared by all panels.
    pub labels: Option<LabelColumn<'a>>,
}

const PANEL_WIDTH: f64 = 440.0;
const PANEL_HEIGHT: f64 = 456.0;
const MARGIN: f64 = 24.0;

/// Draws `picture`.
///
/// Requires as many labels as every panel has points.
pub fn multiples(picture: &Multiples) -> Drawing {
    let rows = picture.panels.first().map_or(0, |panel| panel.points.len());
    let colouring = Colouring::of(picture.labels.as_ref(), rows);
    let name = picture.labels.map_or("", |labels| labels.name);
    let columns = picture.panels.len().clamp(1, 2);
    let panels_right = MARGIN + columns as f64 * PANEL_WIDTH;
    let width = panels_right + legend_width(&colouring, name) + MARGIN;
    let lines = picture.panels.len().div_ceil(columns);
    let top = if picture.subtitle.is_empty() { MARGIN + 26.0 } else { MARGIN + 46.0 };
    let height = top + lines as f64 * PANEL_HEIGHT + MARGIN / 2.0;
    let mut svg = Svg::new(width, height, picture.title);
    draw_titles(&mut svg, picture.title, picture.subtitle, width);
    let (mut drawn, mut planes) = (rows, Vec::new());
    for (index, panel) in picture.panels.iter().enumerate() {
        let outer = Rect {
            left: MARGIN - 10.0 + (index % columns) as f64 * PANEL_WIDTH,
            top: top + (index / columns) as f64 * PANEL_HEIGHT,
            width: PANEL_WIDTH,
            height: PANEL_HEIGHT,
        };
        let (shown, plane) =
            draw_panel(&mut svg, panel, outer, &colouring, picture.labels.as_ref());
        drawn = drawn.min(shown);
        planes.push(plane);
    }
    draw_legend(&mut svg, &colouring, name, [panels_right + 10.0, top + 44.0], PANEL_HEIGHT);
    draw_note(&mut svg, drawn, rows, [width - MARGIN, MARGIN + 14.0]);
    Drawing { svg: svg.finish(), sketch: terminal::multiples::sketch(picture, &planes, &colouring) }
}

/// Draws one panel; returns how many points it shows, and its axes.
fn draw_panel(
    svg: &mut Svg,
    panel: &Panel,
    outer: Rect,
    colouring: &Colouring,
    labels: Option<&LabelColumn>,
) -> (usize, Plane) {
    let heading = 28.0;
    let inner = Rect { top: outer.top + heading, height: outer.height - heading, ..outer };
    let plane = axes(panel, inner);
    let style = TextStyle::new(14.0, INK, "start").bold();
    let title = shortened(panel.title, 46);
    svg.text(plane.frame.left, plane.frame.top - 14.0, style, &title);
    match &panel.field {
        Some(field) => draw_field(svg, &plane, field),
        None => plane.draw_grid(svg),
    }
    let rows = drawn_rows(panel.points);
    let hover_text = &|row: usize| {
        let label = labels.map_or("", |labels| labels.values[row].as_str());
        hover::row(row, &panel.points[row], &[label])
    };
    draw_points(svg, &plane, panel.points, &rows, colouring, hover_text, 0.8);
    plane.draw_frame(svg, panel.x_title, panel.y_title);
    (rows.len(), plane)
}

fn axes(panel: &Panel, inner: Rect) -> Plane {
    let plane = match &panel.field {
        Some(Field { x, y, .. }) => {
            Plane::inside(inner, Axis::over(x[0], x[1], 5), Axis::over(y[0], y[1], 5))
        }
        None => {
            let along = |axis: usize| Axis::around(panel.points.iter().map(|p| p[axis]), 5);
            Plane::inside(inner, along(0), along(1))
        }
    };
    match (panel.equal_units, &panel.field) {
        (false, _) => plane,
        (true, None) => plane.with_equal_units(),
        // The function is known on its rectangle only.
        (true, Some(_)) => plane.with_equal_units_kept_ranges(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_share_one_legend() {
        let points = [[0.0, 1.0], [1.0, 0.0]];
        let labels: Vec<String> = ["in", "out"].map(String::from).into();
        let values = [0.0, 1.0, -1.0, 0.0];
        let field = Field { x: [-1.0, 2.0], y: [-1.0, 2.0], columns: 2, rows: 2, values: &values };
        let panel = |title, field| Panel {
            title,
            x_title: "x",
            y_title: "y",
            points: &points,
            field,
            equal_units: true,
        };
        let svg = multiples(&Multiples {
            title: "Two",
            subtitle: "",
            panels: vec![panel("input", None), panel("function", Some(field))],
            labels: Some(LabelColumn { name: "ring", values: &labels }),
        })
        .svg;
        assert_eq!(svg.matches("<circle").count(), 2 * 2 + 2);
        assert_eq!(svg.matches(">ring<").count(), 1);
        assert!(svg.contains(">function<"));
    }
}
