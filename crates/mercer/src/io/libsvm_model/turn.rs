//! LIBSVM's classes in ascending order, and its decisions in our orientation.

use crate::linalg::view::Mat;
use crate::model::svm::Curve;

/// A classifier as LIBSVM has it.
pub struct Pairwise {
    /// The classes in LIBSVM's order.
    pub labels: Vec<i32>,
    /// Support vectors of each.
    pub counts: Vec<usize>,
    /// Support vectors × (classes − 1).
    pub coef: Vec<f64>,
    /// A constant for each pair, to be subtracted.
    pub rho: Vec<f64>,
    /// A and B of Platt's curve for each pair.
    pub platt: Option<(Vec<f64>, Vec<f64>)>,
}

/// A classifier as we have it, and where its support vectors stood.
pub struct Turned {
    pub labels: Vec<i32>,
    pub counts: Vec<usize>,
    pub coef: Mat<f64>,
    pub offset: Vec<f64>,
    pub curves: Option<Vec<Curve>>,
    /// The place in LIBSVM's order of each support vector.
    pub places: Vec<usize>,
}

/// The sign that turns a decision about LIBSVM's classes a and b, which speaks for the one that comes first there, into ours
/// about the same two, of which a comes first here.
fn sign(a: usize, b: usize, classes: usize) -> f64 {
    if (a < b) != (classes == 2) { 1.0 } else { -1.0 }
}

/// The row of coefficients, of a support vector of class `own`, in its problem against class `other`.
pub fn row(own: usize, other: usize) -> usize {
    if other < own { other } else { other - 1 }
}

/// The place of the problem of classes `first` < `second`.
fn problem(first: usize, second: usize, classes: usize) -> usize {
    first * (2 * classes - first - 1) / 2 + second - first - 1
}

impl Pairwise {
    /// Puts the classes in ascending order.
    pub fn turned(self) -> Turned {
        let classes = self.labels.len();
        let mut order: Vec<usize> = (0..classes).collect();
        order.sort_by_key(|&class| self.labels[class]);
        let places = self.places(&order);
        let (offset, curves) = self.problems(&order);
        Turned {
            labels: order.iter().map(|&class| self.labels[class]).collect(),
            counts: order.iter().map(|&class| self.counts[class]).collect(),
            coef: self.coefficients(&order, &places),
            offset,
            curves: self.platt.is_some().then_some(curves),
            places,
        }
    }

    fn places(&self, order: &[usize]) -> Vec<usize> {
        let start = |class: usize| self.counts[..class].iter().sum::<usize>();
        order.iter().flat_map(|&class| start(class)..start(class) + self.counts[class]).collect()
    }

    fn coefficients(&self, order: &[usize], places: &[usize]) -> Mat<f64> {
        let classes = order.len();
        let mut coef = Mat::zeros(classes - 1, places.len());
        let mut column = 0;
        for (p, &a) in order.iter().enumerate() {
            for _ in 0..self.counts[a] {
                let own = &self.coef[places[column] * (classes - 1)..][..classes - 1];
                for (q, &b) in order.iter().enumerate().filter(|(q, _)| *q != p) {
                    let sign = if p < q { sign(a, b, classes) } else { sign(b, a, classes) };
                    coef[(row(p, q), column)] = sign * own[row(a, b)];
                }
                column += 1;
            }
        }
        coef
    }

    /// The offsets and, where LIBSVM has them, the curves.
    fn problems(&self, order: &[usize]) -> (Vec<f64>, Vec<Curve>) {
        let classes = order.len();
        let (mut offset, mut curves) = (Vec::new(), Vec::new());
        for p in 0..classes {
            for q in p + 1..classes {
                let (a, b) = (order[p], order[q]);
                let (at, sign) = (problem(a.min(b), a.max(b), classes), sign(a, b, classes));
                offset.push(-sign * self.rho[at]);
                if let Some((slopes, constants)) = &self.platt {
                    // 1 − 1/(1 + e^(A·f + B)) = 1/(1 + e^(A·(−f) − B)): only B changes its sign.
                    curves.push(Curve::Platt { a: slopes[at], b: sign * constants[at] });
                }
            }
        }
        (offset, curves)
    }
}
