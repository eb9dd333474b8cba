//! Every pairing against its formula, for dense, sparse and mixed samples.

use super::*;
use crate::context::Stream;
use crate::linalg::nonzeros::Nonzeros;
use crate::linalg::sparse::{self, Lists, Side};

const ALL: [Pairing; 9] = [
    Pairing::Dot,
    Pairing::SquaredDistance,
    Pairing::Manhattan,
    Pairing::Minimum,
    Pairing::ChiProduct,
    Pairing::ChiDistance,
    Pairing::JensenShannon,
    Pairing::CappedDifference,
    Pairing::Mismatches,
];

/// The term of one feature, in f64.
fn term(pairing: Pairing, x: f64, y: f64) -> f64 {
    let share = |v: f64| if v == 0.0 { 0.0 } else { 0.5 * v * ((x + y) / v).log2() };
    let over_sum = |v: f64| if x + y == 0.0 { 0.0 } else { v / (x + y) };
    match pairing {
        Pairing::Dot => x * y,
        Pairing::SquaredDistance => (x - y) * (x - y),
        Pairing::Manhattan => (x - y).abs(),
        Pairing::Minimum => x.min(y),
        Pairing::ChiProduct => over_sum(2.0 * x * y),
        Pairing::ChiDistance => over_sum((x - y) * (x - y)),
        Pairing::JensenShannon => share(x) + share(y),
        Pairing::CappedDifference => (x - y).abs().min(1.0),
        Pairing::Mismatches => f64::from(u8::from(x != y)),
    }
}

/// n × d numbers, of which `share` are not zero; every fourth row is zero, and row 1 is row 0 again.
fn random<T: Real>(n: usize, d: usize, share: f64, signed: bool, seed: u64) -> Vec<T> {
    let mut stream = Stream::new(seed, "pairing");
    let mut data: Vec<T> = (0..n * d)
        .map(|at| {
            let value = if signed { stream.normal() } else { stream.uniform() };
            let kept = stream.uniform() < share && (at / d) % 4 != 3;
            T::from_f64(if kept { value } else { 0.0 })
        })
        .collect();
    if n > 1 {
        data.copy_within(0..d, d);
    }
    data
}

struct Set<T> {
    data: Vec<T>,
    d: usize,
    norms: Vec<T>,
    lists: Lists<T>,
}

impl<T: Real> Set<T> {
    fn new(data: Vec<T>, d: usize) -> Self {
        let square = |row: &[T]| row.iter().fold(T::ZERO, |sum, &v| sum + v * v);
        let norms = data.chunks_exact(d).map(square).collect();
        let lists = Lists::new(Nonzeros::gather(&data, d, 0));
        Self { data, d, norms, lists }
    }

    fn rows(&self) -> Rows<'_, T> {
        Rows { data: &self.data, dim: self.d, norms: &self.norms, sparse: None }
    }

    fn sides(&self) -> [Side<'_, T>; 2] {
        [Side::Dense(self.rows()), Side::ListsView(self.lists.rows(0..self.norms.len()))]
    }
}

fn check<T: Real>(pairing: Pairing, x: &Set<T>, y: &Set<T>, tolerance: f64) {
    let (n, m, d) = (x.norms.len(), y.norms.len(), x.d);
    let stride = m + 3;
    let compare = |out: &[T], how: &str| {
        for i in 0..n {
            for j in 0..m {
                let terms = (0..d)
                    .map(|k| term(pairing, x.data[i * d + k].to_f64(), y.data[j * d + k].to_f64()));
                let (found, expected) = (out[i * stride + j].to_f64(), terms.sum::<f64>());
                assert!(
                    (found - expected).abs() <= tolerance * expected.abs().max(1.0),
                    "{pairing:?} {} {how} {n} × {m} × {d} ({i}, {j}): {found} {expected}",
                    T::NAME
                );
            }
            assert!(out[i * stride + m..(i + 1) * stride].iter().all(|&v| v == T::from_f64(7.0)));
        }
    };
    let mut out = vec![T::from_f64(7.0); n * stride];
    fill(pairing, x.rows(), y.rows(), &mut out, stride);
    compare(&out, "dense");
    let mut bits: Option<Vec<T>> = None;
    for left in x.sides() {
        for right in y.sides() {
            out.fill(T::from_f64(7.0));
            sparse::fill(pairing, left, right, &mut out, stride);
            compare(&out, "sparse");
            // Lists are lists, wherever they come from.
            assert!(bits.get_or_insert_with(|| out.clone()) == &out);
        }
    }
}

#[test]
fn all_pairings_compute_their_formulas() {
    for (n, m, d, share) in
        [(1, 1, 1, 1.0), (5, 70, 3, 0.7), (70, 5, 30, 0.2), (9, 300, 150, 0.05), (20, 9, 300, 0.9)]
    {
        for pairing in ALL {
            let signed =
                matches!(pairing, Pairing::Dot | Pairing::SquaredDistance | Pairing::Manhattan);
            let (x, y) = (random(n, d, share, signed, 1), random(m, d, share, signed, 2));
            check(pairing, &Set::<f64>::new(x, d), &Set::new(y, d), 1e-13);
            let (x, y) = (random(n, d, share, signed, 1), random(m, d, share, signed, 2));
            check(pairing, &Set::<f32>::new(x, d), &Set::new(y, d), 1e-5);
        }
    }
}

#[test]
fn equal_samples_are_at_no_distance() {
    for pairing in [Pairing::SquaredDistance, Pairing::Manhattan, Pairing::ChiDistance] {
        let x = Set::<f64>::new(random(8, 100, 0.3, false, 3), 100);
        let mut out = vec![7.0; 64];
        for side in x.sides() {
            sparse::fill(pairing, side, side, &mut out, 8);
            assert!((0..8).all(|i| out[i * 9] == 0.0) && out[1] == 0.0, "{pairing:?}");
        }
    }
}

#[test]
fn near_samples_keep_their_distance() {
    // 1e8 and a little: norms and products alone would lose all of it.
    let (x, y) = (Set::<f64>::new(vec![1e8, 0.0, 3.0], 3), Set::new(vec![1e8 + 0.5, 0.0, 3.0], 3));
    for (pairing, expected) in [
        (Pairing::SquaredDistance, 0.25),
        (Pairing::Manhattan, 0.5),
        (Pairing::ChiDistance, 0.25 / (2e8 + 0.5)),
    ] {
        let mut out = [7.0];
        sparse::fill(pairing, x.sides()[1], y.sides()[1], &mut out, 1);
        assert!((out[0] - expected).abs() < 1e-15 * expected, "{pairing:?}: {}", out[0]);
    }
}

#[test]
fn values_of_any_size_have_their_chi_square() {
    for size in [1e-30_f64, 1e-3, 1.0, 1e15] {
        let (x, y) =
            (Set::new(vec![size as f32, 0.0], 2), Set::new(vec![3.0 * size as f32, 0.0], 2));
        let mut out = [7.0_f32];
        fill(Pairing::ChiDistance, x.rows(), y.rows(), &mut out, 1);
        assert!((f64::from(out[0]) / size - 1.0).abs() < 1e-6, "{size}: {}", out[0]);
    }
}

#[test]
fn equal_histograms_share_all_they_have() {
    let x = Set::<f64>::new(vec![0.5, 0.25, 0.25, 0.0, 3.0, 1.0, 0.0, 0.0], 4);
    for pairing in [Pairing::Minimum, Pairing::ChiProduct, Pairing::JensenShannon] {
        for side in x.sides() {
            let mut out = [7.0; 4];
            sparse::fill(pairing, side, side, &mut out, 2);
            assert!((out[0] - 1.0).abs() < 1e-15 && (out[3] - 4.0).abs() < 1e-14, "{pairing:?}");
            assert_eq!(out[1], out[2]);
        }
    }
}
