//! Regions of the plane by class, known on a grid: where two neighbours differ, the boundary passes
//! between them.

use super::colour::{Rgb, sheer};
use super::field::{Field, place};
use super::lines::{Piece, joined};
use super::panel::Plane;
use super::svg::Svg;

/// The class at every point of a regular grid.
pub struct Regions<'a> {
    /// Where the grid is; its values are not used.
    pub grid: Field<'a>,
    /// The class at every point, in the order of the grid's values.
    pub class: &'a [usize],
    /// The share of the way from one point to a neighbour of another class, both by place in the
    /// grid, at which the class changes.
    pub change: &'a dyn Fn(usize, usize) -> f64,
}

/// Fills the region of each class with its colour, through which the paper is seen, and returns the boundaries as path data.
pub(crate) fn draw_regions(
    svg: &mut Svg,
    plane: &Plane,
    regions: &Regions,
    colours: &[Rgb],
    opacity: f64,
) -> String {
    let Field { rows, columns, .. } = regions.grid;
    let mut fills = vec![String::new(); colours.len()];
    let mut pieces: Vec<Piece> = Vec::new();
    for row in 0..rows - 1 {
        let mut start = 0;
        for column in 0..columns - 1 {
            let corners = corners(regions, row, column);
            let whole = corners.iter().all(|&c| regions.class[c] == regions.class[corners[0]]);
            if !whole {
                cut(plane, regions, &corners, &mut fills, &mut pieces);
            }
            let next = (column + 2 < columns).then(|| self::corners(regions, row, column + 1));
            let goes_on = whole
                && next.is_some_and(|next| {
                    next.iter().all(|&c| regions.class[c] == regions.class[corners[0]])
                });
            if whole && !goes_on {
                fills[regions.class[corners[0]]] += &run(plane, regions, row, start, column + 1);
            }
            if !goes_on {
                start = column + 1;
            }
        }
    }
    svg.clipped(plane.frame, |svg| {
        for (fill, colour) in fills.iter().zip(colours) {
            svg.path(fill, &sheer(*colour, opacity));
        }
    });
    joined(&pieces)
}

/// The corners of a cell, by place in the grid, in the order of a walk around it.
fn corners(regions: &Regions, row: usize, column: usize) -> [usize; 4] {
    let columns = regions.grid.columns;
    let first = row * columns + column;
    [first, first + 1, first + columns + 1, first + columns]
}

/// A rectangle of whole cells of one row.
fn run(plane: &Plane, regions: &Regions, row: usize, start: usize, end: usize) -> String {
    let [left, bottom] = plane.place(place(&regions.grid, row, start));
    let [right, top] = plane.place(place(&regions.grid, row + 1, end));
    format!("M{left:.1} {bottom:.1}H{right:.1}V{top:.1}H{left:.1}Z")
}

/// A cell of several classes. Going around it, the class changes two, three or four times; more than
/// two changes meet in the middle of the cell.
fn cut(
    plane: &Plane,
    regions: &Regions,
    corners: &[usize; 4],
    fills: &mut [String],
    pieces: &mut Vec<Piece>,
) {
    let columns = regions.grid.columns;
    let at = |c: usize| plane.place(place(&regions.grid, c / columns, c % columns));
    let is_change =
        |side: usize| regions.class[corners[side]] != regions.class[corners[(side + 1) % 4]];
    let crossing = |side: usize| {
        let (from, to) = (corners[side], corners[(side + 1) % 4]);
        let share = (regions.change)(from, to);
        let (from, to) = (at(from), at(to));
        [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]))
    };
    let changes: Vec<usize> = (0..4).filter(|&side| is_change(side)).collect();
    let crossings: Vec<[f64; 2]> = changes.iter().map(|&side| crossing(side)).collect();
    let middle = [0, 1].map(|axis| {
        crossings.iter().map(|point| point[axis]).sum::<f64>() / crossings.len() as f64
    });
    let meet = crossings.len() > 2;
    for (index, &side) in changes.iter().enumerate() {
        let after = (index + 1) % changes.len();
        let mut polygon = vec![crossings[index]];
        let mut corner = (side + 1) % 4;
        let class = regions.class[corners[corner]];
        loop {
            polygon.push(at(corners[corner]));
            if corner == changes[after] {
                break;
            }
            corner = (corner + 1) % 4;
        }
        polygon.push(crossings[after]);
        polygon.extend(meet.then_some(middle));
        let points: Vec<String> = polygon.iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
        fills[class] += &format!("M{}Z", points.join("L"));
        if meet {
            pieces.push([crossings[index], middle]);
        }
    }
    if let ([first, second], false) = (&crossings[..], meet) {
        pieces.push([*first, *second]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::axis::Axis;
    use super::super::svg::Rect;
    use super::*;

    fn drawn(class: &[usize], columns: usize) -> (String, String) {
        let frame = Rect { left: 0.0, top: 0.0, width: 10.0, height: 10.0 };
        let plane = Plane { frame, x: Axis::over(0.0, 1.0, 5), y: Axis::over(0.0, 1.0, 5) };
        let rows = class.len() / columns;
        let grid = Field { x: [0.0, 1.0], y: [0.0, 1.0], columns, rows, values: &[] };
        let regions = Regions { grid, class, change: &|_, _| 0.5 };
        let mut svg = Svg::new(10.0, 10.0, "");
        let lines = draw_regions(&mut svg, &plane, &regions, &[[0; 3], [1; 3], [2; 3]], 0.3);
        (svg.finish(), lines)
    }

    #[test]
    fn two_classes_share_a_line() {
        let (svg, lines) = drawn(&[0, 1, 0, 1], 2);
        assert_eq!(lines.matches('M').count(), 1);
        assert!(lines.contains("5.0 0.0") && lines.contains("5.0 10.0"), "{lines}");
        assert!(svg.contains("#000000") && svg.contains("#010101"));
    }

    #[test]
    fn three_classes_meet_in_the_middle_and_one_has_no_line() {
        let (_, lines) = drawn(&[0, 1, 2, 2], 2);
        // Three pieces, two of which are one line.
        assert_eq!((lines.matches('L').count(), lines.matches('M').count()), (3, 2), "{lines}");
        assert_eq!(lines.matches("5.0 6.7").count(), 2, "{lines}");
        let (svg, lines) = drawn(&[1; 6], 3);
        assert!(lines.is_empty() && svg.contains("M0.0 10.0H10.0V0.0H0.0Z"), "{svg}");
    }
}
