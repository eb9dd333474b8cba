//! Random Fourier features: a kernel that is the mean of cos(w·(x − x')) over random frequencies w, by some of them.
//!
//! With P frequencies in pairs the features are cos(w_j·x)/√P and sin(w_j·x)/√P, whose inner product is the mean of cos(w_j·(x − x'))
//! and 1 for x = x'. A single one gives √2·cos(w·x + b) with a random phase b, whose products have that mean only on average over
//! b (Rahimi & Recht 2007), and for the rbf kernel a larger variance (Sutherland & Schneider 2015). All features have the same factor
//! √(2/D) for D features. The product with all frequencies is one matrix product for a strip of rows, and cosines are taken while it
//! is in the cache.

use std::f64::consts::TAU;
use std::ops::Range;

use super::build::{Frequencies, RandomFeatures};
use super::name::Name;
use super::rows::Rows;
use super::spectrum::Spectrum;
use crate::context::Stream;
use crate::error::{Error, Result};
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::linalg::waves;
use crate::real::Real;

/// Frequencies and phases.
#[derive(Clone, Debug, PartialEq)]
pub struct Fourier {
    /// d × (pairs + singles): those of the pairs first.
    pub frequencies: Mat<f64>,
    /// The phases of the features that have no partner, in [0, 2π).
    pub phases: Vec<f64>,
}

impl Fourier {
    /// Random ones.
    pub(super) fn new(spectrum: &Spectrum, random: &RandomFeatures, leaf: usize) -> Result<Self> {
        let mut stream = Stream::new(random.seed, &format!("frequencies {leaf}"));
        let orthogonal = spectrum.frequencies(random.frequencies)? == Frequencies::Orthogonal;
        // Independent features are the usual ones, each with a phase of its own.
        let singles = if random.paired() { random.components % 2 } else { random.components };
        let pairs = (random.components - singles) / 2;
        let frequencies = spectrum.draw(&mut stream, pairs + singles, orthogonal);
        let phases = (0..singles).map(|_| TAU * stream.uniform()).collect();
        Ok(Self { frequencies, phases })
    }

    fn pairs(&self) -> usize {
        self.frequencies.cols() - self.phases.len()
    }

    /// Features of a row: those of pairs, all cosines before all sines, then the single ones.
    pub(super) fn dimension(&self) -> usize {
        2 * self.pairs() + self.phases.len()
    }

    fn scale(&self) -> f64 {
        (2.0 / self.dimension() as f64).sqrt()
    }

    /// Writes the features of the row `x`.
    pub(super) fn fill(&self, x: &[f64], out: &mut [f64]) {
        let rows = Rows::Dense(MatRef::new(x, 1, x.len(), x.len()));
        let dimension = out.len();
        let out = MatMut::new(out, 1, dimension, dimension);
        // A row of a product of maps is checked as a whole afterwards: what is not finite stays so.
        let _ = Waves::<f64>::new(self).fill(&rows, 0..1, out);
    }

    pub(super) fn names(&self) -> Vec<Name> {
        let pairs = self.pairs();
        let cosines = (0..pairs).map(|j| format!("cos(w{j}·x)"));
        let sines = (0..pairs).map(|j| format!("sin(w{j}·x)"));
        let singles = (pairs..pairs + self.phases.len()).map(|j| format!("cos(w{j}·x + b{j})"));
        let weight = 2.0 / self.dimension() as f64;
        cosines.chain(sines).chain(singles).map(|body| Name::of(body).scaled(weight)).collect()
    }

    /// What each feature is the cosine of: its frequency (in columns, d × dimension) and phase, −π/2 for sines.
    pub fn by_feature(&self) -> (Mat<f64>, Vec<f64>) {
        let (pairs, dimension) = (self.pairs(), self.dimension());
        let column = |feature: usize| if feature < pairs { feature } else { feature - pairs };
        let frequencies = Mat::from_fn(self.frequencies.rows(), dimension, |i, feature| {
            self.frequencies[(i, column(feature))]
        });
        let paired = (0..2 * pairs).map(|j| if j < pairs { 0.0 } else { -0.25 * TAU });
        (frequencies, paired.chain(self.phases.iter().copied()).collect())
    }
}

/// The same in the number type of rows.
pub(super) struct Waves<T> {
    /// d × (pairs + singles).
    frequencies: Vec<T>,
    phases: Vec<T>,
    pairs: usize,
    scale: T,
}

impl<T: Real> Waves<T> {
    pub(super) fn new(map: &Fourier) -> Self {
        let rounded = |numbers: &[f64]| numbers.iter().map(|&v| T::from_f64(v)).collect();
        Self {
            frequencies: rounded(map.frequencies.data()),
            phases: rounded(&map.phases),
            pairs: map.pairs(),
            scale: T::from_f64(map.scale()),
        }
    }

    /// Writes the features of the rows of `range`.
    pub(super) fn fill(
        &self,
        rows: &Rows<'_, T>,
        range: Range<usize>,
        mut out: MatMut<'_, T>,
    ) -> Result<()> {
        let singles = self.phases.len();
        self.angles(rows, range.clone(), 0..self.pairs, 0, &mut out);
        self.angles(rows, range.clone(), self.pairs..self.pairs + singles, self.pairs, &mut out);
        for (i, row) in range.enumerate() {
            let (paired, single) = out.row_mut(i).split_at_mut(2 * self.pairs);
            let (cosines, sines) = paired.split_at_mut(self.pairs);
            let finite = waves::pairs_of(cosines, sines, self.scale)
                & waves::cosines_of(single, &self.phases, self.scale);
            if !finite {
                let text = format!("the angles of row {row} overflow: scale the columns down");
                return Err(Error::Numeric(text));
            }
        }
        Ok(())
    }

    /// Products of rows with the frequencies `which`, written `shift` columns further right.
    fn angles(
        &self,
        rows: &Rows<'_, T>,
        range: Range<usize>,
        which: Range<usize>,
        shift: usize,
        out: &mut MatMut<'_, T>,
    ) {
        if which.is_empty() {
            return;
        }
        let (d, all) = (rows.d(), self.pairs + self.phases.len());
        let (height, stride, first) = (range.len(), out.stride, which.start + shift);
        let frequencies = MatRef::new(&self.frequencies, d, all, all);
        let part = frequencies.col_range(which.start, which.len());
        match rows {
            Rows::Dense(rows) => {
                let out = MatMut::new(&mut out.data[first..], height, which.len(), stride);
                multiply(rows.row_range(range.start, height), part, out, Onto::Nothing);
            }
            Rows::Sparse(_) => {
                for (i, row) in range.enumerate() {
                    let angles = &mut out.row_mut(i)[first..first + which.len()];
                    angles.fill(T::ZERO);
                    rows.for_each_nonzero(row, |j, value| {
                        let line = &self.frequencies[j * all..][which.clone()];
                        let value = T::from_f64(value);
                        angles.iter_mut().zip(line).for_each(|(to, &w)| *to += value * w);
                    });
                }
            }
        }
    }
}
