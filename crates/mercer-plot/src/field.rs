//! A function over the input plane, known on a grid, as filled bands with contour lines.

use super::axis::extent;
use super::colour::{Rgb, SIGNS, hex};
use super::lines::{Piece, joined};
use super::panel::Plane;
use super::sides::{Sides, fill_sides};
use super::svg::{SOFT_INK, Svg};

/// Values of a function on a regular grid over a rectangle of the plane.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The first and last abscissa of the grid.
    pub x: [f64; 2],
    /// The first and last ordinate of the grid.
    pub y: [f64; 2],
    /// Grid points along x; at least 2.
    pub columns: usize,
    /// Grid points along y; at least 2.
    pub rows: usize,
    /// The values, row by row from the smallest ordinate, each row from the smallest abscissa:
    /// `rows × columns`.
    pub values: &'a [f64],
}

impl Field<'_> {
    /// The ranges of x and y of the smallest square around `points`, with a margin of an eighth on
    /// every side.
    pub fn square_around(points: &[[f64; 2]]) -> [[f64; 2]; 2] {
        let ranges = [0, 1].map(|axis| extent(points.iter().map(|point| point[axis])));
        let width = ranges.iter().map(|(low, high)| high - low).fold(0.0, f64::max);
        let half = if width > 0.0 { 0.625 * width } else { 1.0 };
        ranges.map(|(low, high)| {
            let middle = low / 2.0 + high / 2.0;
            [middle - half, middle + half]
        })
    }

    /// The ranges of x and y of the smallest rectangle around `points`, with a margin of a twelfth on
    /// every side.
    pub fn rectangle_around(points: &[[f64; 2]]) -> [[f64; 2]; 2] {
        [0, 1].map(|axis| Self::range_around(points.iter().map(|point| point[axis])))
    }

    /// The range of `values`, with a margin of a twelfth on both sides.
    pub fn range_around(values: impl Iterator<Item = f64>) -> [f64; 2] {
        let (low, high) = extent(values);
        let (size, width) = (low.abs().max(high.abs()), high - low);
        let margin = match width > 1e-12 * size {
            true => width / 12.0,
            false if size > 0.0 => 0.5 * size,
            false => 1.0,
        };
        [low - margin, high + margin]
    }

    /// The `rows × columns` points at which the values of a field are wanted, in the order of its
    /// values.
    pub fn grid(x: [f64; 2], y: [f64; 2], columns: usize, rows: usize) -> Vec<[f64; 2]> {
        let field = Field { x, y, columns, rows, values: &[] };
        let at = |index: usize| place(&field, index / columns, index % columns);
        (0..rows * columns).map(at).collect()
    }
}

/// Bands on each side of zero.
const BANDS: usize = 7;
/// How strong colours are at most, because points are drawn on top.
const STRENGTH: f64 = 0.75;

/// What marching over the cells gives for one level.
pub(super) struct Level {
    /// The region where the function is at least the level.
    pub region: String,
    /// Its boundary inside the grid, in pieces.
    pub pieces: Vec<Piece>,
}

/// Draws `field`: bands from the most negative to the most positive value, symmetric around zero.
pub(crate) fn draw_field(svg: &mut Svg, plane: &Plane, field: &Field) {
    let largest = field.values.iter().filter(|v| v.is_finite()).fold(0.0f64, |m, v| m.max(v.abs()));
    let levels: Vec<f64> = match largest > 0.0 {
        true => (1..2 * BANDS).map(|b| largest * (b as f64 / BANDS as f64 - 1.0)).collect(),
        false => Vec::new(),
    };
    fill_sides(
        svg,
        plane,
        field,
        &Sides { colours: SIGNS, full: [largest; 2], bands: BANDS, strength: STRENGTH },
    );
    svg.clipped(plane.frame, |svg| {
        let is_zero = |band: usize| band + 1 == BANDS;
        let line = |band: usize| contour(plane, field, levels[band]);
        let others: String = (0..levels.len()).filter(|b| !is_zero(*b)).map(line).collect();
        let zero: String = (0..levels.len()).filter(|b| is_zero(*b)).map(line).collect();
        let line = format!("fill=\"none\" stroke=\"{SOFT_INK}\"");
        svg.path(&zero, &format!("{line} stroke-width=\"1.4\""));
        svg.path(&others, &format!("{line} stroke-opacity=\".3\" stroke-width=\".8\""));
    });
}

/// Asserts that there is a value for every point.
pub(super) fn check(field: &Field) {
    let expected = field.rows * field.columns;
    assert!(field.rows >= 2 && field.columns >= 2 && field.values.len() == expected, "a grid");
}

/// Fills the bands between rising `levels`: `colour` of 0 is that below all of them.
pub(crate) fn fill_bands(
    svg: &mut Svg,
    plane: &Plane,
    field: &Field,
    levels: &[f64],
    colour: impl Fn(usize) -> Rgb,
) {
    check(field);
    svg.clipped(plane.frame, |svg| {
        svg.rect(plane.frame, &format!("fill=\"{}\"", hex(colour(0))));
        for (band, &level) in levels.iter().enumerate() {
            let region = march(plane, field, level).region;
            svg.path(&region, &format!("fill=\"{}\"", hex(colour(band + 1))));
        }
    });
}

/// The lines along which the function has the value `level`, as path data.
pub(crate) fn contour(plane: &Plane, field: &Field, level: f64) -> String {
    joined(&march(plane, field, level).pieces)
}

pub(super) fn march(plane: &Plane, field: &Field, value: f64) -> Level {
    let mut level = Level { region: String::new(), pieces: Vec::new() };
    for row in 0..field.rows - 1 {
        let mut run_start = None;
        for column in 0..field.columns - 1 {
            let corners = cell(field, row, column);
            let above = corners.iter().filter(|(_, v)| *v >= value).count();
            if above == 4 {
                run_start.get_or_insert(column);
                continue;
            }
            close_run(&mut level, plane, field, row, run_start.take(), column);
            if above > 0 {
                cut_cell(&mut level, plane, &corners, value);
            }
        }
        close_run(&mut level, plane, field, row, run_start, field.columns - 1);
    }
    level
}

type Corner = ([f64; 2], f64);

pub(super) fn place(field: &Field, row: usize, column: usize) -> [f64; 2] {
    let along = |[low, high]: [f64; 2], index: usize, count: usize| {
        low + (high - low) * index as f64 / (count - 1) as f64
    };
    [along(field.x, column, field.columns), along(field.y, row, field.rows)]
}

/// The corners of a cell with their values, in the order of a walk around it.
fn cell(field: &Field, row: usize, column: usize) -> [Corner; 4] {
    [(row, column), (row, column + 1), (row + 1, column + 1), (row + 1, column)]
        .map(|(r, c)| (place(field, r, c), field.values[r * field.columns + c]))
}

/// Adds cells that lie wholly above the level, from column `start` to before `end`, as one
/// rectangle.
fn close_run(
    level: &mut Level,
    plane: &Plane,
    field: &Field,
    row: usize,
    start: Option<usize>,
    end: usize,
) {
    let Some(start) = start else { return };
    let [left, bottom] = plane.place(place(field, row, start));
    let [right, top] = plane.place(place(field, row + 1, end));
    level.region += &format!("M{left:.1} {bottom:.1}H{right:.1}V{top:.1}H{left:.1}Z");
}

/// Adds the part of a cell above the level, and the line where the cell is cut. Walking around the
/// cell, the polygon leaves the region at one crossing and enters again at the next; the edge
/// between the two is the line.
fn cut_cell(level: &mut Level, plane: &Plane, corners: &[Corner; 4], value: f64) {
    let mut polygon: Vec<([f64; 2], bool)> = Vec::with_capacity(8);
    for side in 0..4 {
        let (from, to) = (corners[side], corners[(side + 1) % 4]);
        let (inside, next_inside) = (from.1 >= value, to.1 >= value);
        if inside {
            polygon.push((plane.place(from.0), false));
        }
        if inside != next_inside {
            polygon.push((plane.place(crossing(from, to, value)), inside));
        }
    }
    for (index, ([x, y], leaves)) in polygon.iter().enumerate() {
        level.region += &format!("{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
        if *leaves {
            let [next_x, next_y] = polygon[(index + 1) % polygon.len()].0;
            level.pieces.push([[*x, *y], [next_x, next_y]]);
        }
    }
    level.region.push('Z');
}

fn crossing(from: Corner, to: Corner, value: f64) -> [f64; 2] {
    // A value that is not finite counts as lying below every level; the cut is then made half way.
    let share = (value - from.1) / (to.1 - from.1);
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 };
    std::array::from_fn(|axis| from.0[axis] + share * (to.0[axis] - from.0[axis]))
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::super::svg::Rect;
    use super::*;

    fn level(values: &[f64], value: f64) -> Level {
        let frame = Rect { left: 0.0, top: 0.0, width: 10.0, height: 10.0 };
        let plane = Plane { frame, x: Axis::over(0.0, 1.0, 5), y: Axis::over(0.0, 1.0, 5) };
        let field = Field { x: [0.0, 1.0], y: [0.0, 1.0], columns: 2, rows: 2, values };
        march(&plane, &field, value)
    }

    #[test]
    fn a_slope_is_cut_in_the_middle() {
        let level = level(&[0.0, 1.0, 0.0, 1.0], 0.5);
        assert_eq!(level.region, "M5.0 10.0L10.0 10.0L10.0 0.0L5.0 0.0Z");
        assert_eq!(joined(&level.pieces), "M5.0 0.0L5.0 10.0");
    }

    #[test]
    fn a_whole_cell_is_a_rectangle_and_an_empty_one_nothing() {
        assert_eq!(level(&[1.0; 4], 0.5).region, "M0.0 10.0H10.0V0.0H0.0Z");
        assert_eq!(level(&[0.0; 4], 0.5).region, "");
    }

    #[test]
    fn the_grid_covers_the_square_row_by_row() {
        let [x, y] = Field::square_around(&[[0.0, 1.0], [4.0, 1.0]]);
        assert_eq!((x, y), ([-0.5, 4.5], [-1.5, 3.5]));
        let [x, y] = Field::rectangle_around(&[[0.0, 3.0], [12.0, 3.0]]);
        assert_eq!((x, y), ([-1.0, 13.0], [1.5, 4.5]));
        let grid = Field::grid([0.0, 2.0], [0.0, 1.0], 3, 2);
        let expected = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]];
        assert_eq!(grid, expected);
    }

    #[test]
    fn a_saddle_has_two_lines() {
        assert_eq!(level(&[1.0, 0.0, 0.0, 1.0], 0.5).pieces.len(), 2);
    }
}
