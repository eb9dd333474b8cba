//! Lloyd's rounds against two loops.

use super::*;
use crate::context::Stream;
use crate::gram::{LowRank, MatrixFree, Packed, Precomputed};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::{Mat, MatRef};
use crate::points::Dense;

fn samples(n: usize, d: usize, seed: u64) -> Dense<f64> {
    let mut stream = Stream::new(seed, "lloyd");
    Dense::from_vec((0..n * d).map(|i| stream.normal() + (i / d % 4) as f64).collect(), n, d)
        .unwrap()
}

fn matrix(x: &Dense<f64>, f: impl Fn(&[f64], &[f64]) -> f64) -> Mat<f64> {
    Mat::from_fn(x.n(), x.n(), |i, j| f(x.row(i), x.row(j)))
}

/// Σ w ‖φ_i − μ‖² by the definition: half the mean of squared distances within groups.
fn objective(k: &Mat<f64>, labels: &[usize], weights: &[f64], groups: usize) -> f64 {
    let n = labels.len();
    let mut sum = 0.0;
    for c in 0..groups {
        let members: Vec<usize> = (0..n).filter(|&i| labels[i] == c).collect();
        let size: f64 = members.iter().map(|&i| weights[i]).sum();
        for &i in &members {
            for &j in &members {
                let distance = k[(i, i)] + k[(j, j)] - 2.0 * k[(i, j)];
                sum += 0.5 * weights[i] * weights[j] * distance / size.max(f64::MIN_POSITIVE);
            }
        }
    }
    sum
}

/// One round by the definition.
fn naive_round(k: &Mat<f64>, labels: &[usize], weights: &[f64], groups: usize) -> Vec<usize> {
    let n = labels.len();
    let size = |c: usize| (0..n).filter(|&j| labels[j] == c).map(|j| weights[j]).sum::<f64>();
    let to = |i: usize, c: usize| {
        let members: Vec<usize> = (0..n).filter(|&j| labels[j] == c).collect();
        let one: f64 = members.iter().map(|&j| weights[j] * k[(i, j)]).sum();
        let two: f64 = members
            .iter()
            .flat_map(|&j| members.iter().map(move |&l| (j, l)))
            .map(|(j, l)| weights[j] * weights[l] * k[(j, l)])
            .sum();
        k[(i, i)] - 2.0 * one / size(c) + two / size(c).powi(2)
    };
    (0..n).map(|i| nearest((0..groups).map(|c| to(i, c)), 1e-12).0).collect()
}

fn run(gram: &dyn Gram, weights: &[f64], k: usize, labels: &[usize], rounds: usize) -> Solution {
    let ctx = Context::new(2);
    let diagonal = gram.diag(&ctx).unwrap();
    let problem = Problem { gram, diagonal: &diagonal, weights, k, epsilon: 1e-16 };
    let params = Params { max_rounds: rounds, tolerance: 0.0 };
    let step = |done: f64, _| Step::new("k-means", done, 1.0);
    lloyd(&ctx, &problem, labels.to_vec(), &params, &step).unwrap()
}

#[test]
fn rounds_are_those_of_two_loops_for_every_storage() {
    let ctx = Context::new(2);
    let (n, k) = (530, 7);
    let x = samples(n, 3, 1);
    let linear = matrix(&x, |a, b| a.iter().zip(b).map(|(a, b)| a * b).sum());
    let spec: KernelSpec = "linear".parse().unwrap();
    let kernel = SpecKernel::<f64>::new(&spec).unwrap();
    let packed = Packed::fill(&ctx, &kernel, &x).unwrap();
    let tiled = MatrixFree::new(&kernel, x.clone());
    let square = Precomputed::new(linear.view()).unwrap();
    let low = LowRank::new(Mat::from_fn(n, 3, |i, j| x.row(i)[j]));
    let whole = Precomputed::new(linear.view()).unwrap().symmetric();
    let grams: [&dyn Gram; 5] = [&packed, &tiled, &square, &low, &whole];
    let mut stream = Stream::new(3, "labels");
    let start: Vec<usize> = (0..n).map(|_| stream.below(k)).collect();
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
    for rounds in [1, 2, 5, 30] {
        let mut want = start.clone();
        for _ in 0..rounds {
            want = naive_round(&linear, &want, &weights, k);
        }
        for (which, gram) in grams.iter().enumerate() {
            let found = run(*gram, &weights, k, &start, rounds);
            assert_eq!(found.labels, want, "storage {which}, {rounds} rounds");
            let truth = objective(&linear, &want, &weights, k);
            assert!((found.centres.objective / truth - 1.0).abs() < 1e-9);
            let falls = found.info.objectives.windows(2).all(|w| w[1] <= w[0]);
            assert!(falls, "{:?}", found.info.objectives);
        }
    }
}

#[test]
fn lost_groups_are_given_samples_and_dead_ones_stay_empty() {
    let line = [0.0, 0.1, 0.2, 5.0, 5.1, 9.0];
    let k = Mat::from_fn(6, 6, |i, j| line[i] * line[j]);
    let gram = Precomputed::new(k.view()).unwrap();
    let found = run(&gram, &[1.0; 6], 3, &[0; 6], 20);
    assert!(found.info.reseeded >= 2 && found.info.stop == Stop::Settled);
    assert!(found.centres.sizes.iter().all(|&s| s > 0.0), "{found:?}");
    let same = [1.0; 25];
    let gram = Precomputed::new(MatRef::new(&same, 5, 5, 5)).unwrap();
    let found = run(&gram, &[1.0; 5], 3, &[0, 1, 2, 0, 1], 20);
    assert_eq!(found.labels, [0; 5]);
    assert_eq!(found.centres.stand_ins.len(), 2);
    assert_eq!(found.info.stop, Stop::Settled);
}

#[test]
fn a_matrix_with_negative_eigenvalues_never_ends_worse_than_it_began() {
    for seed in 0..40 {
        let mut stream = Stream::new(seed, "indefinite");
        let mut k = Mat::zeros(30, 30);
        for i in 0..30 {
            for j in 0..=i {
                let value = stream.normal();
                (k[(i, j)], k[(j, i)]) = (value, value);
            }
        }
        let gram = Precomputed::new(k.view()).unwrap();
        let labels: Vec<usize> = (0..30).map(|i| i % 4).collect();
        let found = run(&gram, &[1.0; 30], 4, &labels, 50);
        let falls = found.info.objectives.windows(2).all(|w| w[1] <= w[0] + 1e-9);
        assert!(falls, "{:?}", found.info);
        let truth = objective(&k, &found.labels, &[1.0; 30], 4);
        assert!((found.centres.objective - truth).abs() < 1e-9);
    }
}
