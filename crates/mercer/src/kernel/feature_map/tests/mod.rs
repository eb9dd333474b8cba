//! Inner products of features against kernels computed by two loops, and against the library's own.

mod approximate;
mod exact;
mod random;
mod refused;

use super::{FeatureMap, FeatureMapOptions, MOST_FEATURES};
use crate::context::{Context, Stream};
use crate::error::{Error, Result};
use crate::kernel::{Kernel, KernelSpec, SpecKernel, Tile};
use crate::linalg::view::Mat;
use crate::points::{Dense, Span};

/// n × d standard normal numbers.
fn normal(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut stream = Stream::new(seed, "features");
    Mat::from_vec((0..n * d).map(|_| stream.normal()).collect(), n, d)
}

/// n × d numbers of [0, 1), a fifth of them 0.
fn histograms(n: usize, d: usize, seed: u64) -> Mat<f64> {
    let mut stream = Stream::new(seed, "histograms");
    let mut bin = || (stream.uniform() * 1.25 - 0.25).max(0.0);
    Mat::from_vec((0..n * d).map(|_| bin()).collect(), n, d)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn features(map: &FeatureMap, x: &Mat<f64>) -> Mat<f64> {
    map.matrix(&Context::new(1), x.view()).unwrap()
}

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn map_of(text: &str, columns: usize) -> Result<FeatureMap> {
    FeatureMap::new(&spec(text), columns, &FeatureMapOptions::default())
}

fn names(map: &FeatureMap) -> Vec<String> {
    map.names(None).unwrap()
}

/// The largest |⟨φ(x), φ(x')⟩ − k(x, x')| relative to the largest |k(x, x')|.
fn error(map: &FeatureMap, x: &Mat<f64>, k: impl Fn(&[f64], &[f64]) -> f64) -> f64 {
    let phi = features(map, x);
    let (mut worst, mut largest) = (0.0f64, 0.0f64);
    for i in 0..x.rows() {
        for j in 0..x.rows() {
            let value = k(x.row(i), x.row(j));
            worst = worst.max((dot(phi.row(i), phi.row(j)) - value).abs());
            largest = largest.max(value.abs());
        }
    }
    worst / largest
}

/// The same against the library's kernel.
fn error_of(text: &str, x: &Mat<f64>) -> f64 {
    let kernel = SpecKernel::<f64>::new(&spec(text)).unwrap();
    let points = Dense::from_rows(x.data(), x.rows(), x.cols()).unwrap();
    let n = x.rows();
    let mut values = vec![0.0; n * n];
    let span = Span::all(&points);
    kernel.tile(span, span, Tile::new(&mut values, n, n, n)).unwrap();
    let place = |row: &[f64]| (0..n).find(|&i| x.row(i) == row).unwrap();
    error(&map_of(text, x.cols()).unwrap(), x, |a, b| values[place(a) * n + place(b)])
}
