//! Classes as targets of a regression: a column for each class, 1 for its samples and −1 for others; two classes need one
//! column, 1 for the second.

use crate::error::{Error, Result};
use crate::linalg::view::{Mat, MatRef};
use crate::real::Real;

/// The different labels in order, and the targets (n × classes, or n × 1) that stand for them.
pub fn encode(labels: &[String]) -> Result<(Vec<String>, Mat<f64>)> {
    let mut classes = labels.to_vec();
    classes.sort_unstable();
    classes.dedup();
    if classes.len() < 2 {
        let only = classes.first().map_or("", String::as_str);
        return Err(Error::Shape(format!(
            "y has only one class, {only:?}; at least two are required"
        )));
    }
    let place = |label: &String| classes.binary_search(label).unwrap_or_default();
    let places: Vec<usize> = labels.iter().map(place).collect();
    let columns = if classes.len() == 2 { 1 } else { classes.len() };
    let own = |j: usize| if columns == 1 { 1 } else { j };
    let targets =
        Mat::from_fn(labels.len(), columns, |i, j| if places[i] == own(j) { 1.0 } else { -1.0 });
    Ok((classes, targets))
}

/// The class, by place, that each row of scores (m × classes, or m × 1) speaks for.
pub fn decode<T: Real>(scores: MatRef<'_, T>) -> Vec<usize> {
    let columns = scores.cols();
    let row = |i: usize| match columns {
        1 => usize::from(scores.at(i, 0) > T::ZERO),
        _ => (1..columns).fold(
            0,
            |best, j| {
                if scores.at(i, j) > scores.at(i, best) { j } else { best }
            },
        ),
    };
    (0..scores.rows()).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_back() {
        for labels in [&["b", "a", "b"][..], &["x", "z", "y", "z", "x"]] {
            let labels: Vec<String> = labels.iter().map(|l| l.to_string()).collect();
            let (classes, targets) = encode(&labels).unwrap();
            let back: Vec<String> =
                decode(targets.view()).into_iter().map(|c| classes[c].clone()).collect();
            assert_eq!(back, labels);
        }
        assert!(encode(&["a".to_string(), "a".to_string()]).is_err());
    }
}
