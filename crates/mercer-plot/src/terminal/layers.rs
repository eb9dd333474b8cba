//! What lies inside of the axes of a panel.

use std::collections::BTreeMap;

use super::super::field::Field;
use super::canvas::{Canvas, Cell};
use super::look::Look;
use super::panel::Inside;
use super::screen::Screen;

/// One of the things that a panel shows.
#[derive(Debug, Clone)]
pub(crate) enum Layer {
    /// Points, each with one of several looks. A cell shows what is most frequent in it.
    Points { points: Vec<[f64; 2]>, look: Vec<usize>, looks: Vec<Look> },
    /// A line through points.
    Line { points: Vec<[f64; 2]>, look: Look },
    /// A horizontal line.
    Level { height: f64, look: Look },
    /// What is at most so far above or below a line through points, which rise along x.
    Band { points: Vec<[f64; 2]>, reach: f64, look: Look },
    /// A kind at every point of a grid, and the look of each kind, if it has one.
    Background { grid: Grid, kind: Vec<usize>, looks: Vec<Option<Look>> },
    /// Where a kind ends that is known at every point of a grid.
    Boundary { grid: Grid, kind: Vec<usize>, look: Look },
}

/// The places of a regular grid.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Grid {
    x: [f64; 2],
    y: [f64; 2],
    columns: usize,
    rows: usize,
}

impl Grid {
    pub fn of(field: &Field) -> Self {
        let Field { x, y, columns, rows, .. } = *field;
        Self { x, y, columns, rows }
    }

    /// The place in the grid that is nearest to a point.
    fn nearest(&self, [x, y]: [f64; 2]) -> usize {
        let along = |value: f64, [low, high]: [f64; 2], count: usize| {
            let place = (value - low) / (high - low) * (count - 1) as f64;
            (place.round().max(0.0) as usize).min(count - 1)
        };
        along(y, self.y, self.rows) * self.columns + along(x, self.x, self.columns)
    }
}

impl Layer {
    /// Draws the layer; returns how many points are not seen because others are in the same cell.
    pub(super) fn draw(&self, canvas: &mut Canvas, inside: &Inside, screen: &Screen) -> usize {
        let mut put = |place: [usize; 2], look: Look| {
            inside.put(canvas, place, Cell { glyph: look.glyph(screen), colour: look.colour });
        };
        let mut shared = 0;
        match self {
            Layer::Points { points, look, looks } => {
                for (place, counts) in counted(inside, points, look) {
                    shared += counts.values().sum::<usize>() - 1;
                    put(place, looks[most_frequent(&counts)]);
                }
            }
            Layer::Line { points, look } => {
                for pair in points.windows(2) {
                    along(inside, [pair[0], pair[1]]).for_each(|place| put(place, *look));
                }
            }
            Layer::Level { height, look } => {
                let cell = inside.cell([inside.x.low, *height]);
                for row in cell.iter().map(|[_, row]| *row) {
                    (0..inside.width).for_each(|column| put([column, row], *look));
                }
            }
            Layer::Band { points, reach, look } => {
                cells(inside)
                    .filter(|place| is_within(points, *reach, inside.point(*place)))
                    .for_each(|place| put(place, *look));
            }
            Layer::Background { grid, kind, looks } => {
                for place in cells(inside) {
                    let look = looks[kind[grid.nearest(inside.point(place))]];
                    look.into_iter().for_each(|look| put(place, look));
                }
            }
            Layer::Boundary { grid, kind, look } => {
                let at = |place: [usize; 2]| kind[grid.nearest(inside.point(place))];
                let differs = |[column, row]: [usize; 2]| {
                    let right =
                        column + 1 < inside.width && at([column + 1, row]) != at([column, row]);
                    let below =
                        row + 1 < inside.height && at([column, row + 1]) != at([column, row]);
                    right || below
                };
                cells(inside).filter(|place| differs(*place)).for_each(|place| put(place, *look));
            }
        }
        shared
    }
}

fn cells(inside: &Inside) -> impl Iterator<Item = [usize; 2]> {
    let (width, height) = (inside.width, inside.height);
    (0..height).flat_map(move |row| (0..width).map(move |column| [column, row]))
}

/// The cells between two points.
fn along<'a>(
    inside: &'a Inside,
    [from, to]: [[f64; 2]; 2],
) -> impl Iterator<Item = [usize; 2]> + 'a {
    let units = [inside.x.high - inside.x.low, inside.y.high - inside.y.low];
    let sizes = [inside.width, inside.height];
    let steps = [0, 1].map(|axis| (to[axis] - from[axis]).abs() / units[axis] * sizes[axis] as f64);
    // Twice as many steps as cells; a line that leaves the panel needs no more than cross it.
    let steps = (2.0 * steps[0].max(steps[1])).clamp(1.0, 4_000.0).ceil();
    let point = move |step: usize| {
        let share = step as f64 / steps;
        [0, 1].map(|axis| from[axis] * (1.0 - share) + to[axis] * share)
    };
    (0..=steps as usize).filter_map(move |step| inside.cell(point(step)))
}

/// Whether a point is at most `reach` above or below the line.
fn is_within(line: &[[f64; 2]], reach: f64, [x, y]: [f64; 2]) -> bool {
    let next = line.partition_point(|point| point[0] < x);
    if next == 0 || next == line.len() {
        return false;
    }
    let ([left, low], [right, high]) = (line[next - 1], line[next]);
    let height = low + (high - low) * (x - left) / (right - left);
    (y - height).abs() <= reach
}

/// How many points of each look are in each cell.
fn counted(
    inside: &Inside,
    points: &[[f64; 2]],
    look: &[usize],
) -> BTreeMap<[usize; 2], BTreeMap<usize, usize>> {
    let mut cells: BTreeMap<[usize; 2], BTreeMap<usize, usize>> = BTreeMap::new();
    for (point, look) in points.iter().zip(look) {
        if let Some(place) = inside.cell(*point) {
            *cells.entry(place).or_default().entry(*look).or_default() += 1;
        }
    }
    cells
}

/// Of equally frequent looks the first.
fn most_frequent(counts: &BTreeMap<usize, usize>) -> usize {
    let largest = counts.values().max().expect("a cell that is counted has a point");
    *counts.iter().find(|(_, count)| *count == largest).expect("one of them is the largest").0
}
