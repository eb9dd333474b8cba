//! The Gram matrix, ordered by class.

use serde_json::json;

use crate::explore::compute::{Task, short};
use crate::explore::query::{Answer, refuse};

/// Rows that are drawn at most.
const MOST: usize = 256;

/// Kernel values between rows in an order: by class, by the groups that the page gives, or as they are.
pub(in crate::explore) fn gram(task: &Task<'_>) -> Answer {
    let n = task.n();
    let groups: Vec<usize> = match task.query.text("order") {
        Some("class") => task.labels()?.places.clone(),
        Some("cluster") => {
            let groups = task.query.numbers("groups")?;
            if groups.len() != n {
                return refuse("groups must have one entry for each row");
            }
            groups.into_iter().map(|group| group as usize).collect()
        }
        _ => vec![0; n],
    };
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&row| groups[row]);
    // Of many rows, evenly spaced ones.
    let size = n.min(MOST);
    let rows: Vec<usize> = (0..size).map(|place| order[place * n / size]).collect();
    let x = task.rows.x.select(&rows);
    let values = task.kernel_values(&x, &x)?;
    Ok(json!({
        "size": size, "rows": rows, "groups": rows.iter().map(|&row| groups[row]).collect::<Vec<_>>(),
        "values": short(values.data().iter().copied()), "sampled": size < n,
    }))
}
