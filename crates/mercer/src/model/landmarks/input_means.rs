//! The means of clusters of rows of numbers, by k-means on the rows themselves: landmarks that lie where many samples do.

use rayon::prelude::*;

use crate::context::Context;
use crate::error::Result;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::Dense;
use crate::real::Real;

/// Rounds of k-means: landmarks gain little from more.
const ROUNDS: usize = 10;
/// Rows that a task assigns.
const ROWS: usize = 256;

/// The means that k-means with `weights` reaches from the rows `first`. A cluster that loses its rows keeps its mean.
pub(super) fn input_means<T: Real>(
    ctx: &Context,
    rows: &Dense<T>,
    weights: &[f64],
    first: &[usize],
) -> Result<Dense<T>> {
    // Seen from their mean, so that distances keep their digits far from the origin.
    let origin: Vec<T> = rows.mean().iter().map(|&v| T::from_f64(v)).collect();
    let near = rows.less(&origin)?;
    let (k, d) = (first.len(), rows.d());
    let mut means = Mat::from_fn(k, d, |c, j| near.row(first[c])[j].to_f64());
    let mut labels = vec![usize::MAX; rows.n()];
    for _ in 0..ROUNDS {
        ctx.poll()?;
        let next = assign(ctx, &near, &means);
        if next == labels {
            break;
        }
        labels = next;
        update(&near, weights, &labels, &mut means);
    }
    let value = |c: usize, j: usize| T::from_f64(means[(c, j)] + origin[j].to_f64());
    Dense::from_vec((0..k * d).map(|at| value(at / d, at % d)).collect(), k, d)
}

/// The nearest mean of each row.
fn assign<T: Real>(ctx: &Context, x: &Dense<T>, means: &Mat<f64>) -> Vec<usize> {
    let (k, d) = (means.rows(), means.cols());
    let centres = Mat::from_fn(d, k, |j, c| T::from_f64(means[(c, j)]));
    let half = |c: usize| T::from_f64(means.row(c).iter().map(|v| v * v).sum::<f64>() / 2.0);
    let halves: Vec<T> = (0..k).map(half).collect();
    let mut labels = vec![0; x.n()];
    let one = |piece: usize, labels: &mut [usize]| {
        let own = MatRef::new(&x.data()[piece * ROWS * d..], labels.len(), d, d);
        let mut products = vec![T::ZERO; labels.len() * k];
        let out = MatMut::new(&mut products, labels.len(), k, k);
        multiply(own, centres.view(), out, Onto::Nothing);
        for (label, products) in labels.iter_mut().zip(products.chunks_exact(k)) {
            let mut least = T::from_f64(f64::INFINITY);
            for (c, (half, product)) in halves.iter().zip(products).enumerate() {
                if *half - *product < least {
                    (least, *label) = (*half - *product, c);
                }
            }
        }
    };
    ctx.install(|| {
        labels.par_chunks_mut(ROWS).enumerate().for_each(|(piece, labels)| one(piece, labels));
    });
    labels
}

/// The weighted means of the rows of each label.
fn update<T: Real>(x: &Dense<T>, weights: &[f64], labels: &[usize], means: &mut Mat<f64>) {
    let mut sizes = vec![0.0; means.rows()];
    let mut sums = Mat::<f64>::zeros(means.rows(), means.cols());
    for (i, (&c, weight)) in labels.iter().zip(weights).enumerate() {
        sizes[c] += weight;
        let pairs = sums.row_mut(c).iter_mut().zip(x.row(i));
        pairs.for_each(|(sum, v)| *sum += weight * v.to_f64());
    }
    for c in (0..means.rows()).filter(|&c| sizes[c] > 0.0) {
        let pairs = means.row_mut(c).iter_mut().zip(sums.row(c));
        pairs.for_each(|(mean, sum)| *mean = sum / sizes[c]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_the_weighted_means_of_the_rows_that_are_nearest_to_them() {
        let line = [0.0, 1.0, 2.0, 10.0, 11.0, 1e3];
        for offset in [0.0, 1e6] {
            let x = Dense::from_vec(line.iter().map(|v| v + offset).collect(), 6, 1).unwrap();
            let weights = [1.0, 1.0, 2.0, 3.0, 1.0, 1.0];
            for threads in [1, 2] {
                let ctx = Context::new(threads);
                let found = input_means(&ctx, &x, &weights, &[0, 2, 5]).unwrap();
                let means = [1.25, 10.25, 1e3].map(|v: f64| v + offset);
                let worst = found.data().iter().zip(means).map(|(a, b)| (a - b).abs());
                assert!(worst.fold(0.0, f64::max) < 1e-8, "{:?}", found.data());
            }
        }
    }
}
