//! The penalty of the learned map, against as many fits as there are samples.

use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::inverse::InverseParams;
use mercer::points::Dense;

use super::{fit_with, params_of, ring};
use crate::naive::difference;

/// n fits, each without one sample, by Gaussian elimination.
fn brute_left_out(scores: &Mat<f64>, x: &Dense<f64>, gamma: f64, alpha: f64, center: bool) -> f64 {
    let n = x.n();
    let k = |i: usize, j: usize| {
        let squares = scores.row(i).iter().zip(scores.row(j)).map(|(a, b)| (a - b).powi(2));
        (-gamma * squares.sum::<f64>()).exp()
    };
    let mut error = 0.0;
    for out in 0..n {
        let rest: Vec<usize> = (0..n).filter(|i| *i != out).collect();
        for f in 0..x.d() {
            let mean = rest.iter().map(|i| x.row(*i)[f]).sum::<f64>() / rest.len() as f64;
            let shift = if center { mean } else { 0.0 };
            let mut a: Vec<Vec<f64>> = rest
                .iter()
                .map(|i| {
                    let ridge = |j: &usize| if i == j { alpha } else { 0.0 };
                    let mut line: Vec<f64> = rest.iter().map(|j| k(*i, *j) + ridge(j)).collect();
                    line.push(x.row(*i)[f] - shift);
                    line
                })
                .collect();
            let c = eliminate(&mut a);
            let guess: f64 = rest.iter().zip(&c).map(|(i, c)| c * k(out, *i)).sum();
            error += (x.row(out)[f] - shift - guess).powi(2);
        }
    }
    error
}

fn eliminate(a: &mut [Vec<f64>]) -> Vec<f64> {
    let n = a.len();
    for p in 0..n {
        for i in 0..n {
            if i != p {
                let factor = a[i][p] / a[p][p];
                (p..=n).for_each(|j| a[i][j] -= factor * a[p][j]);
            }
        }
    }
    (0..n).map(|i| a[i][n] / a[i][i]).collect()
}

#[test]
fn the_penalty_is_that_of_as_many_fits_as_samples() {
    let x = ring(24, 0.2, 21);
    for center in [true, false] {
        let inverse =
            InverseParams { kernel: "rbf(gamma=3)".parse().unwrap(), alpha: None, center };
        let components = Components::Count(3);
        let kernel = "rbf(gamma=1)";
        let params = params_of(kernel).components(components).inverse(inverse);
        let model = fit_with(params, &x);
        let scores = model.training_scores();
        let errors: Vec<(f64, f64)> = (-10..=2)
            .map(|power| 10f64.powi(power))
            .map(|alpha| (brute_left_out(&scores, &x, 3.0, alpha, center), alpha))
            .collect();
        let best = errors.iter().min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
        let map = model.inverse.as_ref().unwrap();
        let chosen = map.params.alpha.unwrap();
        assert!((chosen / best.1 - 1.0).abs() < 1e-9, "{chosen}: {errors:?}");
        assert!(chosen > 1e-10 && chosen < 1e2, "{chosen} lies at the edge and proves little");
        assert_eq!(model.params.inverse.as_ref().unwrap().alpha, Some(chosen));
        let inverse = InverseParams { alpha: Some(chosen), ..map.params.clone() };
        let params = params_of(kernel).components(components).inverse(inverse);
        let again = fit_with(params, &x).inverse.unwrap();
        assert!(difference(map.coef.data(), again.coef.data()) < 1e-7);
    }
}
