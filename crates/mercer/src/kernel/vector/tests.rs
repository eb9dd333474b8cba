//! Sparse samples have the kernel values of the same samples with their zeros.

use super::measure::Rows;
use super::*;
use crate::SpecKernel;
use crate::context::Stream;
use crate::kernel::{Input, Kernel, KernelSpec, Tile};
use crate::points::{Csr, Dense, Points, Span};

/// n × d numbers, most of them 0; row 3 is 0 altogether, and the last column too.
fn random<T: Real>(n: usize, d: usize, histograms: bool, seed: u64) -> Dense<T> {
    let mut stream = Stream::new(seed, "sparse samples");
    let data = (0..n * d).map(|at| {
        let value = if histograms { stream.uniform() } else { stream.normal() };
        let kept = stream.uniform() < 0.2 && at / d != 3 && at % d != d - 1;
        T::from_f64(if kept { value } else { 0.0 })
    });
    Dense::from_vec(data.collect(), n, d).unwrap()
}

fn check<T: Real>(family: &'static Family, d: usize, tolerance: f64) {
    let histograms = family.input == Input::Histograms;
    let (x, y) = (random::<T>(20, d, histograms, 1), random::<T>(50, d, histograms, 2));
    let (sparse_x, sparse_y) = (Csr::from_dense(&x).unwrap(), Csr::from_dense(&y).unwrap());
    let spec = family.name.parse::<KernelSpec>().unwrap().resolve(&x).unwrap();
    if Member::row_map(spec.as_leaf().unwrap()).is_some() {
        // Zeros do not stay zeros on a circle.
        return assert!(spec.resolve(&crate::points::Samples::from(sparse_x)).is_err(), "{spec}");
    }
    let kernel = SpecKernel::<T>::new(&spec).unwrap();
    let member = Member::new(spec.as_leaf().unwrap());
    let compare = |rows: Rows<'_, T>, cols: Rows<'_, T>, expected: &[T]| {
        let (n, m) = (20, expected.len() / 20);
        let mut found = vec![T::ZERO; n * m];
        member.measure().fill_any(rows, cols, &mut Tile::new(&mut found, n, m, m));
        member.apply(&mut found);
        for (at, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!(
                (found.to_f64() - expected.to_f64()).abs()
                    <= tolerance * expected.to_f64().abs().max(1.0),
                "{spec} {} {at}: {found:?} {expected:?}",
                T::NAME
            );
        }
    };
    let mut expected = vec![T::ZERO; 20 * 50];
    kernel.tile(Span::all(&x), Span::all(&y), Tile::new(&mut expected, 20, 50, 50)).unwrap();
    let (rows, cols) = (Rows::Dense(Span::all(&x)), Rows::Dense(Span::all(&y)));
    let (listed_rows, listed_cols) =
        (Rows::Sparse(Span::all(&sparse_x)), Rows::Sparse(Span::all(&sparse_y)));
    compare(listed_rows, listed_cols, &expected);
    compare(rows, listed_cols, &expected);
    compare(listed_rows, cols, &expected);
    let mut square = vec![T::ZERO; 20 * 20];
    kernel.tile(Span::all(&x), Span::all(&x), Tile::new(&mut square, 20, 20, 20)).unwrap();
    compare(listed_rows, listed_rows, &square);
    let mut diagonal = vec![T::ZERO; 20];
    member.measure().fill_diag_any(listed_rows, &mut diagonal);
    member.apply(&mut diagonal);
    for i in 0..20 {
        let (found, expected) = (diagonal[i].to_f64(), square[i * 21].to_f64());
        assert!((found - expected).abs() <= tolerance * expected.abs().max(1.0), "{spec} {i}");
    }
}

#[test]
fn every_family_takes_sparse_samples() {
    for family in families() {
        for d in [2, 10, 200] {
            check::<f64>(family, d, 1e-13);
            check::<f32>(family, d, 1e-4);
        }
    }
}

#[test]
fn parts_of_sparse_sets_have_the_same_values() {
    let x = Csr::from_dense(&random::<f64>(40, 30, true, 3)).unwrap();
    let order: Vec<usize> = (0..40).rev().collect();
    let turned = x.select(&order);
    for family in families() {
        let spec = family.name.parse::<KernelSpec>().unwrap();
        let spec = spec.resolve(&x.to_dense().unwrap()).unwrap();
        let measure = Member::new(spec.as_leaf().unwrap()).measure();
        let fill = |points: &Csr<f64>, rows: std::ops::Range<usize>, cols| {
            let (rows, cols) = (Span::new(points, rows), Span::new(points, cols));
            let mut out = vec![0.0; rows.len() * cols.len()];
            let tile = &mut Tile::new(&mut out, rows.len(), cols.len(), cols.len());
            measure.fill_any(Rows::Sparse(rows), Rows::Sparse(cols), tile);
            out
        };
        let (whole, part) = (fill(&x, 0..40, 0..40), fill(&x, 7..9, 3..33));
        let back = fill(&turned, 0..40, 0..40);
        for i in 0..40 {
            for j in 0..40 {
                assert_eq!(whole[i * 40 + j], back[(39 - i) * 40 + 39 - j], "{spec}");
                // Dividing by one length after the other rounds in another order.
                let symmetric = whole[i * 40 + j] == whole[j * 40 + i];
                assert!(symmetric || measure == Measure::Cosine, "{spec}");
            }
        }
        for i in 0..2 {
            assert_eq!(part[i * 30..][..30], whole[(i + 7) * 40 + 3..][..30], "{spec}");
        }
    }
}
