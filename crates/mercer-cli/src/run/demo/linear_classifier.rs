//! A least-squares linear classifier on components.

use mercer::linalg::view::Mat;

/// One linear function of the components per class; a row belongs to the class whose function is
/// largest there.
pub struct LinearClassifier {
    /// The classes, in the order of their first rows.
    pub classes: Vec<String>,
    /// Per class one weight per component.
    weights: Vec<Vec<f64>>,
    /// Per class the constant.
    offsets: Vec<f64>,
}

impl LinearClassifier {
    /// The least-squares fit of +1 on a class and −1 elsewhere.
    ///
    /// Requires columns of `scores` (n × m) that have mean 0 and are orthogonal to each other, as
    /// principal components of their own rows are: the weights then come one by one.
    pub fn fit(scores: &Mat<f64>, labels: &[String]) -> Self {
        let mut classes: Vec<String> = Vec::new();
        labels.iter().for_each(|label| {
            if !classes.contains(label) {
                classes.push(label.clone());
            }
        });
        let target = |class: &String, row: usize| if labels[row] == *class { 1.0 } else { -1.0 };
        let weight = |class: &String, c: usize| {
            let sums = (0..scores.rows()).fold((0.0, 0.0), |(product, square), row| {
                let z = scores[(row, c)];
                (product + z * target(class, row), square + z * z)
            });
            if sums.1 > 0.0 { sums.0 / sums.1 } else { 0.0 }
        };
        let weights = |class: &String| (0..scores.cols()).map(|c| weight(class, c)).collect();
        let mean = |class: &String| {
            (0..labels.len()).map(|row| target(class, row)).sum::<f64>() / labels.len() as f64
        };
        let (weights, offsets) =
            (classes.iter().map(weights).collect(), classes.iter().map(mean).collect());
        Self { classes, weights, offsets }
    }

    /// The function of class `class` at components `row`.
    pub fn value(&self, class: usize, row: &[f64]) -> f64 {
        let products = self.weights[class].iter().zip(row).map(|(w, z)| w * z);
        products.sum::<f64>() + self.offsets[class]
    }

    /// The accuracy in percent.
    pub fn accuracy(&self, scores: &Mat<f64>, labels: &[String]) -> f64 {
        let is_right = |row: &usize| {
            let value = |class: usize| self.value(class, scores.row(*row));
            let best = (0..self.classes.len()).max_by(|&a, &b| value(a).total_cmp(&value(b)));
            best.is_some_and(|class| self.classes[class] == labels[*row])
        };
        100.0 * (0..labels.len()).filter(is_right).count() as f64 / labels.len() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_line_separates_is_separated() {
        let labels: Vec<String> = ["a", "b", "a", "b"].map(String::from).into();
        let apart = Mat::from_vec(vec![-2.0, 2.0, -1.0, 1.0], 4, 1);
        let mixed = Mat::from_vec(vec![-2.0, -1.0, 1.0, 2.0], 4, 1);
        assert_eq!(LinearClassifier::fit(&apart, &labels).accuracy(&apart, &labels), 100.0);
        assert_eq!(LinearClassifier::fit(&mixed, &labels).accuracy(&mixed, &labels), 50.0);
    }

    #[test]
    fn a_component_of_no_variance_has_no_weight() {
        let labels: Vec<String> = ["a", "b"].map(String::from).into();
        let classifier =
            LinearClassifier::fit(&Mat::from_vec(vec![1.0, 0.0, -1.0, 0.0], 2, 2), &labels);
        assert_eq!(classifier.value(0, &[1.0, 5.0]), 1.0);
    }
}
