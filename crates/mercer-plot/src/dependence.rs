//! What a model says as one column after the other varies: a small panel for each column, with a line for the mean and a band for the rows.

use super::axis::{Axis, Tick};
use super::colour::{CLASSES, Rgb, hex};
use super::drawing::Drawing;
use super::hover::{element, value_of};
use super::key::Key;
use super::panel::Plane;
use super::scatter::draw_titles;
use super::svg::{INK, PAPER, Rect, Svg, TextStyle, shortened};
use super::terminal;

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct DependencePlot<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: &'a str,
    /// The title of the vertical axes, which all show the same range.
    pub y_title: &'a str,
    /// The columns, two in a row.
    pub panels: Vec<DependencePanel>,
    /// The names of the lines of every panel; not shown if there is one.
    pub names: &'a [String],
}

/// One column.
#[derive(Debug, Clone)]
pub struct DependencePanel {
    /// Its name.
    pub name: String,
    /// The values that it takes.
    pub values: DependenceValues,
    /// The lines, each with a point for each value.
    pub lines: Vec<BandLine>,
}

/// The values that a column takes.
#[derive(Debug, Clone, PartialEq)]
pub enum DependenceValues {
    /// Numbers that rise.
    Numbers(Vec<f64>),
    /// Categories.
    Names(Vec<String>),
}

/// A mean, and an interval around it, for each value.
#[derive(Debug, Clone, Default)]
pub struct BandLine {
    /// The mean.
    pub mean: Vec<f64>,
    /// The lower end of the interval.
    pub lower: Vec<f64>,
    /// The upper end.
    pub upper: Vec<f64>,
}

const PANEL_WIDTH: f64 = 424.0;
const PANEL_HEIGHT: f64 = 300.0;
const MARGIN: f64 = 24.0;
/// Pixels that a character of a tick label takes.
const TICK: f64 = 7.0;

impl DependencePanel {
    /// Where each value stands along the horizontal axis.
    pub(super) fn places(&self) -> Vec<f64> {
        match &self.values {
            DependenceValues::Numbers(numbers) => numbers.clone(),
            DependenceValues::Names(names) => (0..names.len()).map(|i| i as f64).collect(),
        }
    }

    fn text(&self, place: usize) -> String {
        match &self.values {
            DependenceValues::Numbers(numbers) => value_of(numbers[place]),
            DependenceValues::Names(names) => names[place].clone(),
        }
    }
}

/// The colour of line `place`.
pub(super) fn colour(place: usize) -> Rgb {
    CLASSES[place % CLASSES.len()]
}

/// Draws `picture`.
pub fn dependence(picture: &DependencePlot) -> Drawing {
    let columns = picture.panels.len().clamp(1, 2);
    let key = key(picture);
    let keyed = if picture.names.len() > 1 { key.width() } else { 0.0 };
    let width = 2.0 * MARGIN + 2.0 * PANEL_WIDTH + keyed;
    let head = if picture.subtitle.is_empty() { MARGIN + 26.0 } else { MARGIN + 46.0 };
    let lines = picture.panels.len().div_ceil(columns) as f64;
    let mut svg = Svg::new(width, head + lines * PANEL_HEIGHT + MARGIN / 2.0, picture.title);
    draw_titles(&mut svg, picture.title, picture.subtitle, width);
    let y = heights(picture);
    let mut planes = Vec::new();
    for (place, panel) in picture.panels.iter().enumerate() {
        let outer = Rect {
            left: MARGIN - 8.0 + (place % columns) as f64 * PANEL_WIDTH,
            top: head + (place / columns) as f64 * PANEL_HEIGHT,
            width: PANEL_WIDTH,
            height: PANEL_HEIGHT,
        };
        planes.push(draw_panel(&mut svg, picture, panel, outer, &y));
    }
    if keyed > 0.0 {
        key.draw(&mut svg, [MARGIN + 2.0 * PANEL_WIDTH + 8.0, head + 32.0]);
    }
    Drawing { svg: svg.finish(), sketch: terminal::dependence::sketch(picture, &planes) }
}

fn key(picture: &DependencePlot) -> Key {
    let named = picture.names.iter().enumerate();
    named.fold(Key::titled(""), |key, (place, name)| key.line(&stroke(place), name))
}

/// One axis for all panels, so that columns can be compared.
fn heights(picture: &DependencePlot) -> Axis {
    let lines = picture.panels.iter().flat_map(|panel| &panel.lines);
    Axis::around(lines.flat_map(|line| line.lower.iter().chain(&line.upper)).copied(), 5)
}

fn draw_panel(
    svg: &mut Svg,
    picture: &DependencePlot,
    panel: &DependencePanel,
    outer: Rect,
    y: &Axis,
) -> Plane {
    let inner = Rect { top: outer.top + 22.0, height: outer.height - 22.0, ..outer };
    let plane = Plane::inside(inner, across(panel), y.clone());
    let style = TextStyle::new(13.0, INK, "start").bold();
    svg.text(plane.frame.left, plane.frame.top - 12.0, style, &shortened(&panel.name, 44));
    plane.draw_grid(svg);
    svg.clipped(plane.frame, |svg| {
        for (place, line) in panel.lines.iter().enumerate() {
            match &panel.values {
                DependenceValues::Numbers(_) => draw_band(svg, &plane, panel, line, place),
                DependenceValues::Names(_) => draw_spans(svg, &plane, panel, line, place),
            }
        }
    });
    for (place, line) in panel.lines.iter().enumerate() {
        draw_points(svg, &plane, panel, line, place, picture.names);
    }
    plane.draw_frame(svg, "", picture.y_title);
    plane
}

fn across(panel: &DependencePanel) -> Axis {
    match &panel.values {
        DependenceValues::Numbers(numbers) => Axis::around(numbers.iter().copied(), 5),
        DependenceValues::Names(names) => {
            let count = names.len().max(1) as f64;
            let room = ((PANEL_WIDTH - 80.0) / count / TICK).max(3.0) as usize;
            let tick = |(place, name): (usize, &String)| Tick {
                value: place as f64,
                label: shortened(name, room),
            };
            let ticks = names.iter().enumerate().map(tick).collect();
            Axis { ticks, ..Axis::over(-0.5, count - 0.5, 1).bare() }
        }
    }
}

fn stroke(place: usize) -> String {
    format!("stroke=\"{}\" stroke-width=\"2.2\"", hex(colour(place)))
}

fn path(plane: &Plane, points: impl Iterator<Item = [f64; 2]>) -> String {
    let corner = |point: [f64; 2]| {
        let [x, y] = plane.place(point);
        format!("{x:.1} {y:.1}")
    };
    points.map(corner).collect::<Vec<_>>().join("L")
}

fn draw_band(svg: &mut Svg, plane: &Plane, panel: &DependencePanel, line: &BandLine, place: usize) {
    let xs = panel.places();
    let upper = xs.iter().zip(&line.upper).map(|(x, y)| [*x, *y]);
    let lower = xs.iter().zip(&line.lower).rev().map(|(x, y)| [*x, *y]);
    let ends = [upper.clone().collect::<Vec<_>>(), lower.clone().collect()];
    let edges = ends.map(|end| format!("M{}", path(plane, end.into_iter()))).concat();
    // Bands of several lines lie over each other: paler, with edges that distinguish them.
    let opacity = if panel.lines.len() > 1 { 0.07 } else { 0.16 };
    let hex = hex(colour(place));
    let fill = format!("fill=\"{hex}\" fill-opacity=\"{opacity}\"");
    svg.path(&format!("M{}Z", path(plane, upper.chain(lower))), &fill);
    let thin = format!("fill=\"none\" stroke=\"{hex}\" stroke-opacity=\"0.45\"");
    svg.path(&edges, &thin);
    let mean = xs.iter().zip(&line.mean).map(|(x, y)| [*x, *y]);
    svg.path(&format!("M{}", path(plane, mean)), &format!("fill=\"none\" {}", stroke(place)));
}

/// Categories have no order along which a line could run: an upright line for each interval.
fn draw_spans(
    svg: &mut Svg,
    plane: &Plane,
    panel: &DependencePanel,
    line: &BandLine,
    place: usize,
) {
    let mut data = String::new();
    for (i, x) in shifted(panel, place).into_iter().enumerate() {
        data += &format!("M{}", path(plane, [[x, line.lower[i]], [x, line.upper[i]]].into_iter()));
    }
    svg.path(&data, &format!("fill=\"none\" {} stroke-opacity=\"0.5\"", stroke(place)));
}

/// Places of values, beside each other where several lines meet at a category.
fn shifted(panel: &DependencePanel, place: usize) -> Vec<f64> {
    let beside = match panel.values {
        DependenceValues::Numbers(_) => 0.0,
        DependenceValues::Names(_) => {
            let count = panel.lines.len() as f64;
            0.5 * (place as f64 - (count - 1.0) / 2.0) / count
        }
    };
    panel.places().into_iter().map(|x| x + beside).collect()
}

fn draw_points(
    svg: &mut Svg,
    plane: &Plane,
    panel: &DependencePanel,
    line: &BandLine,
    place: usize,
    names: &[String],
) {
    let name = match names {
        [_, _, ..] => format!("{}, ", names[place % names.len()]),
        _ => String::new(),
    };
    for (i, x) in shifted(panel, place).into_iter().enumerate() {
        let [x, y] = plane.place([x, line.mean[i]]);
        let (fill, ends) = (hex(colour(place)), [line.lower[i], line.upper[i]].map(value_of));
        let paint = format!(
            "cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\" fill=\"{fill}\" stroke=\"{PAPER}\" stroke-width=\"1\""
        );
        let text = format!(
            "{name}{} = {}: {} ({} to {})",
            panel.name,
            panel.text(i),
            value_of(line.mean[i]),
            ends[0],
            ends[1]
        );
        svg.raw(&element("circle", &paint, &text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(mean: &[f64]) -> BandLine {
        let shift = |by: f64| mean.iter().map(|value| value + by).collect();
        BandLine { mean: mean.to_vec(), lower: shift(-1.0), upper: shift(1.0) }
    }

    #[test]
    fn numbers_have_bands_and_categories_spans() {
        let names = ["yes".to_string(), "no".to_string()];
        let numbers = DependencePanel {
            name: "petal <length>".into(),
            values: DependenceValues::Numbers(vec![1.0, 2.0, 3.0]),
            lines: vec![line(&[0.0, 1.0, 4.0]), line(&[1.0, 0.0, 1.0])],
        };
        let colours = DependencePanel {
            name: "colour".into(),
            values: DependenceValues::Names(vec!["red".into(), "blue".into()]),
            lines: vec![line(&[0.0, 1.0]), line(&[1.0, 0.0])],
        };
        let panels = vec![numbers, colours];
        let picture = DependencePlot {
            title: "Partial dependence",
            subtitle: "of 10 rows",
            y_title: "price",
            panels,
            names: &names,
        };
        let drawing = dependence(&picture);
        for part in
            [">petal &lt;length&gt;<", ">red<", ">blue<", ">yes<", "no, colour = blue: 0 (−1 to 1)"]
        {
            assert!(drawing.svg.contains(part), "{part}: {}", drawing.svg);
        }
        assert_eq!(drawing.svg.matches("fill-opacity=\"0.07\"").count(), 2);
        assert!(!drawing.svg.contains("NaN"));
        super::super::png(&drawing.svg, 0.5).unwrap();
    }
}
