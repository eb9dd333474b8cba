//! Plots of models of two columns: the window, the grid of evaluation points, and the rows.

use mercer::io::{Column, Table};

use crate::plot::Field;

/// Points of the grid along each side of the plane.
const GRID: [usize; 2] = [161, 121];

/// A rectangle of the plane of two columns, given by the range of each.
pub type Window = [[f64; 2]; 2];

/// The rectangle around all rows.
pub fn window(features: &Table) -> Window {
    Field::rectangle_around(&points(features))
}

/// The rows as points of the plane.
pub fn points(features: &Table) -> Vec<[f64; 2]> {
    (0..features.n_rows()).map(|row| [0, 1].map(|column| number(features, row, column))).collect()
}

/// The number in a cell of a table of numbers.
pub fn number(table: &Table, row: usize, column: usize) -> f64 {
    table.columns[column].number(row).unwrap_or(f64::NAN)
}

/// A grid over `window`, as rows of a table with the columns of `features`.
pub fn grid(features: &Table, [x, y]: Window) -> Table {
    let grid = grid_points([x, y]);
    rows(features, [0, 1].map(|axis| grid.iter().map(|point| point[axis]).collect()).into())
}

/// The points of a grid over a window.
pub fn grid_points([x, y]: Window) -> Vec<[f64; 2]> {
    Field::grid(x, y, GRID[0], GRID[1])
}

/// Rows of a table with the columns of `features`.
pub fn rows(features: &Table, columns: Vec<Vec<f64>>) -> Table {
    let names = (0..columns.len()).map(|column| features.name(column)).collect();
    Table::new(names, columns.into_iter().map(Column::F64).collect())
}

/// `values` at the points of the grid.
pub fn field([x, y]: Window, values: &[f64]) -> Field<'_> {
    Field { x, y, columns: GRID[0], rows: GRID[1], values }
}
