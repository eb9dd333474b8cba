//! A model of two columns over their plane: its predictions, the training rows,
//! and the support vectors.

use super::axis::Axis;
use super::colour::viridis;
use super::drawing::Drawing;
use super::field::{Field, contour, fill_bands};
use super::key::Key;
use super::marks::{Marks, draw_marks};
use super::panel::Plane;
use super::regions::{Regions, draw_regions};
use super::scatter::{draw_note, draw_titles};
use super::sides::{Sides, fill_sides};
use super::svg::{INK, PAPER, Rect, Svg};
use super::terminal;

/// What the picture shows.
pub struct Map<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: &'a str,
    /// The title of the horizontal axis.
    pub x_title: &'a str,
    /// The title of the vertical axis.
    pub y_title: &'a str,
    /// The title of the legend.
    pub key_title: &'a str,
    /// The predictions over the plane.
    pub background: Background<'a>,
    /// The rows.
    pub marks: Marks<'a>,
    /// What a ring means.
    pub ring_name: &'a str,
}

/// The predictions of a model over the plane.
pub enum Background<'a> {
    /// A function whose sign decides.
    Sides {
        /// The function.
        field: Field<'a>,
        /// The colours below and above zero.
        colours: [[u8; 3]; 2],
        /// The size of values below and above zero at which colours are strongest.
        full: [f64; 2],
        /// Whether the lines at −1 and 1 are drawn too.
        margins: bool,
    },
    /// A class at every point, with the colour of each.
    Regions(Regions<'a>, Vec<[u8; 3]>),
    /// A function shown by colour.
    Heights {
        /// The function.
        field: Field<'a>,
        /// The values at the ends of the scale.
        ends: [f64; 2],
        /// A value whose line is drawn, with what it is called.
        line: Option<(f64, &'a str)>,
    },
    /// A function shown by colours that change at given values, such as quantiles of the rows.
    Ranks {
        /// The function.
        field: Field<'a>,
        /// The values at which the colour changes, strictly increasing.
        levels: &'a [f64],
        /// A value whose line is drawn, with what it is called.
        line: (f64, &'a str),
    },
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 620.0;
const MARGIN: f64 = 24.0;
/// Bands of colour on each side of zero.
const BANDS: usize = 8;
/// Bands of colour of a scale.
const STEPS: usize = 24;
/// How strong colours below the points are at most.
const STRENGTH: f64 = 0.55;

/// The lines of a map.
#[derive(Clone, Copy)]
enum Line {
    Boundary,
    Margin,
    /// What lies below a boundary on a background that is as dark as ink in places.
    Halo,
    Level,
}

impl Line {
    fn paint(self) -> String {
        let (colour, width) = match self {
            Line::Boundary => (INK, "2"),
            Line::Margin => (INK, "1.3\" stroke-dasharray=\"6 4"),
            Line::Halo => (PAPER, "5\" stroke-opacity=\".75"),
            Line::Level => (PAPER, ".8\" stroke-opacity=\".35"),
        };
        format!(
            "fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-linejoin=\"round\""
        )
    }
}

/// Draws `picture`. Of very many rows a random sample is drawn, and noted on it.
pub fn map(picture: &Map) -> Drawing {
    let mut svg = Svg::new(WIDTH, HEIGHT, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH);
    let key = key(picture);
    let outer = Rect {
        left: MARGIN - 6.0,
        top,
        width: WIDTH - 2.0 * MARGIN - key.width() + 18.0,
        height: HEIGHT - top - MARGIN + 8.0,
    };
    let Field { x, y, .. } = picture.background.grid();
    let plane = Plane::inside(outer, Axis::over(x[0], x[1], 7), Axis::over(y[0], y[1], 6));
    let lines = draw_background(&mut svg, &plane, &picture.background);
    let drawn = draw_marks(&mut svg, &plane, &picture.marks, &|row| {
        picture.marks.hover_text(row, picture.ring_name)
    });
    // Above the points, which may be too many to see anything between them.
    svg.clipped(plane.frame, |svg| {
        lines.iter().for_each(|(data, line)| svg.path(data, &line.paint()))
    });
    plane.draw_frame(&mut svg, picture.x_title, picture.y_title);
    key.draw(&mut svg, [plane.frame.right() + 20.0, plane.frame.top]);
    let rows = picture.marks.points.len();
    draw_note(&mut svg, drawn, rows, [WIDTH - MARGIN, MARGIN + 8.0]);
    Drawing { svg: svg.finish(), sketch: terminal::map::sketch(picture) }
}

impl Background<'_> {
    pub(super) fn grid(&self) -> Field<'_> {
        match self {
            Background::Sides { field, .. }
            | Background::Heights { field, .. }
            | Background::Ranks { field, .. } => *field,
            Background::Regions(regions, _) => regions.grid,
        }
    }
}

fn key(picture: &Map) -> Key {
    let mut key = Key::titled(picture.key_title);
    if let Background::Heights { ends, .. } = picture.background {
        key = key.scale(ends[0], ends[1]);
    }
    if let Background::Ranks { levels, .. } = picture.background {
        key = key.ranks(levels);
    }
    key = key.groups(picture.marks.groups);
    if picture.marks.ringed.iter().any(|ringed| *ringed) {
        key = key.ring(picture.ring_name);
    }
    match picture.background {
        Background::Sides { margins, .. } => {
            key = key.line(&Line::Boundary.paint(), "boundary (f = 0)");
            if margins { key.line(&Line::Margin.paint(), "margins (f = ±1)") } else { key }
        }
        Background::Regions(..) => key.line(&Line::Boundary.paint(), "boundary"),
        Background::Heights { line: Some((_, name)), .. }
        | Background::Ranks { line: (_, name), .. } => key.line(&Line::Boundary.paint(), name),
        Background::Heights { line: None, .. } => key,
    }
}

/// Fills the plane, and returns the lines that belong above the points.
fn draw_background(svg: &mut Svg, plane: &Plane, background: &Background) -> Vec<(String, Line)> {
    match background {
        Background::Sides { field, colours, full, margins } => {
            let sides = Sides { colours: *colours, full: *full, bands: BANDS, strength: STRENGTH };
            fill_sides(svg, plane, field, &sides);
            let margins = if *margins { &[-1.0, 1.0][..] } else { &[] };
            let margins = margins.iter().map(|level| contour(plane, field, *level)).collect();
            vec![(margins, Line::Margin), (contour(plane, field, 0.0), Line::Boundary)]
        }
        Background::Regions(regions, colours) => {
            let lines = draw_regions(svg, plane, regions, colours, 0.6 * STRENGTH);
            vec![(lines, Line::Boundary)]
        }
        Background::Heights { field, ends: [low, high], line } => {
            let level = |step: usize| low + (high - low) * step as f64 / STEPS as f64;
            let levels: Vec<f64> = (1..STEPS).map(level).collect();
            draw_levels(svg, plane, field, &levels, line.map(|(level, _)| level))
        }
        Background::Ranks { field, levels, line } => {
            draw_levels(svg, plane, field, levels, Some(line.0))
        }
    }
}

/// Fills the bands between `levels`, and returns the line that belongs above the points.
fn draw_levels(
    svg: &mut Svg,
    plane: &Plane,
    field: &Field,
    levels: &[f64],
    line: Option<f64>,
) -> Vec<(String, Line)> {
    let bands = (levels.len() + 1) as f64;
    let colour = |band: usize| viridis((band as f64 + 0.5) / bands);
    fill_bands(svg, plane, field, levels, colour);
    let line = line.map(|level| contour(plane, field, level));
    svg.clipped(plane.frame, |svg| {
        let lines: String = levels.iter().map(|l| contour(plane, field, *l)).collect();
        svg.path(&lines, &Line::Level.paint());
        // Below the points, which lie near to this line more often than elsewhere.
        svg.path(line.as_deref().unwrap_or_default(), &Line::Halo.paint());
    });
    line.into_iter().map(|line| (line, Line::Boundary)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::marks::Group;
    use super::*;

    fn picture(background: Background) -> String {
        let groups = [Group::of_class(0, "no"), Group::of_class(1, "yes")];
        map(&Map {
            title: "A <map>",
            subtitle: "two rows",
            x_title: "width",
            y_title: "height",
            key_title: "kind",
            background,
            marks: Marks {
                points: &[[0.2, 0.2], [0.8, 0.8]],
                group: &[0, 1],
                groups: &groups,
                ringed: &[true, false],
            },
            ring_name: "support vector",
        })
        .svg
    }

    #[test]
    fn the_parts_of_every_kind_are_there() {
        let values = [-2.0, 0.5, -0.5, 2.0];
        let field = Field { x: [0.0, 1.0], y: [0.0, 1.0], columns: 2, rows: 2, values: &values };
        let colours = [[0, 0, 255], [255, 0, 0]];
        let sides = Background::Sides { field, colours, full: [2.0, 2.0], margins: true };
        let svg = picture(sides);
        for part in [">width<", ">kind<", ">yes<", ">support vector<", "stroke-dasharray", "f = 0"]
        {
            assert!(svg.contains(part), "{part}");
        }
        let regions = Regions { grid: field, class: &[0, 1, 0, 1], change: &|_, _| 0.5 };
        let svg = picture(Background::Regions(regions, colours.into()));
        assert!(svg.contains(">boundary<") && !svg.contains("stroke-dasharray"));
        let heights = |line| picture(Background::Heights { field, ends: [-2.0, 2.0], line });
        assert!(heights(None).contains("linearGradient") && !heights(None).contains(">limit<"));
        assert!(heights(Some((0.2, "limit"))).contains(">limit<"));
        let ranks = Background::Ranks { field, levels: &[-1.0, 0.25, 1.0], line: (0.5, "limit") };
        let svg = picture(ranks);
        assert!(svg.contains(">limit<") && svg.contains(">0.25<") && svg.contains(">−1<"), "{svg}");
    }
}
