//! The shape of the kernel: k(x, ·) for one x.

use mercer::{AnySamples, Mat};
use serde_json::json;

use crate::explore::compute::{Task, column};
use crate::explore::plane;
use crate::explore::query::{Answer, Refusal, refuse, scaled};

/// k(x, ·) at all rows, and over the plane if there is one; x is a row, or a point of the plane.
pub(in crate::explore) fn shape(task: &Task<'_>) -> Answer {
    let x = centre(task)?;
    let rows = task.kernel_values(&task.rows.x, &x)?;
    let own = task.kernel_values(&x, &x)?[(0, 0)];
    let grid = plane::grid(task.query, &task.rows)?;
    let over = grid.map(|grid| task.kernel_values(&grid, &x)).transpose()?;
    Ok(json!({
        "kernel": task.kernel.to_string(),
        "definite": task.kernel.positive_definite(),
        "own": own,
        "rows": column(&rows, 0),
        "plane": over.map(|values| column(&values, 0)),
    }))
}

fn centre(task: &Task<'_>) -> Result<AnySamples, Refusal> {
    if let (Some(plane), Some(values), Some(scaling)) =
        (&task.query.plane, &task.rows.values, &task.rows.scaling)
        && task.query.more.contains_key("point")
    {
        let point = task.query.numbers("point")?;
        let [Some(x), Some(y)] = [0, 1].map(|i| point.get(i).copied().filter(|v| v.is_finite()))
        else {
            return refuse("a point has two numbers");
        };
        let row = Mat::from_fn(1, values.cols(), |_, j| match j {
            j if j == plane.axes[0] => x,
            j if j == plane.axes[1] => y,
            j => plane::median(values, j),
        });
        return scaled(row, scaling);
    }
    let row = task.query.count("row", 0, task.n() - 1)?;
    Ok(task.rows.x.select(&[row]))
}
