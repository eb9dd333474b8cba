//! Classes as targets of a regression: a column for each class, 1 for its samples and −1 for others; two classes need one
//! column, 1 for the second.

use super::targets::Labels;
use crate::error::{Error, Result};
use crate::linalg::view::{Mat, MatRef};
use crate::real::Real;

/// The targets (n × classes, or n × 1) that stand for labels.
pub(crate) fn encode(labels: &Labels) -> Result<Mat<f64>> {
    let Labels { names, places } = labels;
    if names.len() < 2 {
        let only = names.first().map_or("", String::as_str);
        return Err(Error::Shape(format!(
            "y has only one class, {only:?}; at least two are required"
        )));
    }
    let columns = if names.len() == 2 { 1 } else { names.len() };
    let own = |j: usize| if columns == 1 { 1 } else { j };
    let value = |i: usize, j: usize| if places[i] == own(j) { 1.0 } else { -1.0 };
    Ok(Mat::from_fn(places.len(), columns, value))
}

/// The same labels with their places among `names`, which hold all of theirs.
pub fn among(labels: &Labels, names: &[String]) -> Result<Labels> {
    let place = |name: &String| {
        names.iter().position(|other| other == name).ok_or_else(|| {
            Error::Shape(format!(
                "the class {name:?} is not among those of the model: {}",
                names.join(", ")
            ))
        })
    };
    let places: Vec<usize> = labels.names.iter().map(place).collect::<Result<_>>()?;
    let places = labels.places.iter().map(|&own| places[own]).collect();
    Ok(Labels { names: names.to_vec(), places })
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
            let encoded = Labels::new(labels);
            let targets = encode(&encoded).unwrap();
            assert_eq!(encoded.decode(&decode(targets.view())), labels);
        }
        assert!(encode(&Labels::new(&["a", "a"])).is_err());
        let names = ["a", "b", "c"].map(String::from);
        let found = among(&Labels::new(&["c", "a"]), &names).unwrap();
        assert_eq!((found.places, &found.names[..]), (vec![2, 0], &names[..]));
        assert!(among(&Labels::new(&["d"]), &names).unwrap_err().to_string().contains("a, b, c"));
    }
}
