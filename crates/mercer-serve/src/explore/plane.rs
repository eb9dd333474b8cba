//! Points on a grid over the plane of two columns; the others at their medians.

use mercer::{AnySamples, Mat};

use super::query::{Plane, Query, Refusal, Rows, refuse, scaled};

/// Points of a grid at most.
const MOST: usize = 40_000;

/// The points of the grid that `query` asks for, row by row from the smallest y on; none if it asks for none.
pub(super) fn grid(query: &Query, rows: &Rows) -> Result<Option<AnySamples>, Refusal> {
    let (Some(plane), Some(values), Some(scaling)) = (&query.plane, &rows.values, &rows.scaling)
    else {
        return Ok(None);
    };
    check(plane, values.cols())?;
    let medians: Vec<f64> = (0..values.cols()).map(|j| median(values, j)).collect();
    let [nx, ny] = plane.size;
    let at = |range: [f64; 2], place: usize, count: usize| {
        range[0] + (range[1] - range[0]) * place as f64 / (count - 1) as f64
    };
    let points = Mat::from_fn(nx * ny, values.cols(), |point, j| match j {
        j if j == plane.axes[0] => at(plane.x, point % nx, nx),
        j if j == plane.axes[1] => at(plane.y, point / nx, ny),
        j => medians[j],
    });
    scaled(points, scaling).map(Some)
}

fn check(plane: &Plane, columns: usize) -> Result<(), Refusal> {
    let [a, b] = plane.axes;
    let is_range = |[from, to]: [f64; 2]| from.is_finite() && to.is_finite() && from < to;
    if a >= columns || b >= columns || a == b {
        return refuse("the plane needs two different columns");
    }
    if !is_range(plane.x) || !is_range(plane.y) {
        return refuse("the region of the plane is empty");
    }
    let [nx, ny] = plane.size;
    if nx < 2 || ny < 2 || nx.saturating_mul(ny) > MOST {
        return refuse(format!("a grid has at least 2 × 2 and at most {MOST} points"));
    }
    Ok(())
}

pub(super) fn median(values: &Mat<f64>, j: usize) -> f64 {
    let mut column: Vec<f64> = (0..values.rows()).map(|i| values[(i, j)]).collect();
    column.sort_by(f64::total_cmp);
    column[column.len() / 2]
}
