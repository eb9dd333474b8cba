//! Random features of the polynomial kernel (γ·xᵀx' + c)^p: TensorSketch (Pham & Pagh 2013).
//!
//! With z = (√γ·x, √c), the kernel is the inner product of the p-fold tensor products of z and z'. A count sketch adds each entry of z,
//! with a random sign, to one of D places; the sketch of the tensor product is the circular convolution of p independent count
//! sketches of z. Inner products of sketches are the kernel in the mean, and their variance falls as 1/D.

use std::ops::Range;

use super::build::RandomFeatures;
use super::name::Name;
use super::rows::Rows;
use super::write;
use crate::context::Stream;
use crate::error::{Error, Param, Result};
use crate::linalg::convolution::convolve;
use crate::linalg::fourier::{LANES, Lane, Transform, Work};
use crate::linalg::view::MatMut;
use crate::real::Real;

/// The random places and signs.
#[derive(Clone, Debug, PartialEq)]
pub struct Sketch {
    /// γ.
    pub gamma: f64,
    /// c.
    pub coef0: f64,
    /// D.
    pub components: usize,
    /// For each factor of the product and each entry of z, its place: p × (d, and one more if c > 0).
    pub places: Vec<Vec<u32>>,
    /// The signs, −1 or 1, laid out as the places.
    pub signs: Vec<Vec<f64>>,
}

/// The most factors: beyond, the kernel leaves the range of numbers.
const MOST_DEGREE: u32 = 1000;

/// Numbers of a row that are not zero, from which on transforms are quicker than the sums themselves.
const DENSE: usize = 96;

/// A sketch with what its convolutions need.
pub(super) struct Convolved<'a> {
    sketch: &'a Sketch,
    /// For rows that are not mostly zeros.
    transform: Option<Transform<f64>>,
}

/// The working storage of rows side by side.
struct Together {
    product: Vec<Lane<f64>>,
    factor: Vec<Lane<f64>>,
    work: Work<f64>,
}

impl<'a> Convolved<'a> {
    pub(super) fn new(sketch: &'a Sketch) -> Self {
        let transform = (sketch.places.len() > 1).then(|| Transform::new(sketch.components));
        Self { sketch, transform: transform.flatten() }
    }

    /// Writes the features of the rows of `range`. How a row is convolved depends on that row alone.
    pub(super) fn fill<T: Real>(
        &self,
        rows: &Rows<'_, T>,
        range: Range<usize>,
        mut out: MatMut<'_, T>,
    ) -> Result<()> {
        let (first, mut scratch) = (range.start, self.sketch.scratch());
        let mut dense = Vec::new();
        for i in range {
            let mut count = 0;
            rows.for_each_nonzero(i, |_, _| count += 1);
            match self.transform.is_some() && count >= DENSE {
                true => dense.push(i),
                false => write(self.sketch.row(rows, i, &mut scratch), i, out.row_mut(i - first))?,
            }
        }
        let Some(transform) = self.transform.as_ref().filter(|_| !dense.is_empty()) else {
            return Ok(());
        };
        let zeros = || vec![[0.0; LANES]; self.sketch.components];
        let mut together = Together { product: zeros(), factor: zeros(), work: transform.work() };
        for group in dense.chunks(LANES) {
            self.sketch.rows(rows, group, transform, &mut together);
            for (lane, &i) in group.iter().enumerate() {
                let places = scratch.product.iter_mut().zip(&together.product);
                places.for_each(|(to, from)| *to = from[lane]);
                write(&scratch.product, i, out.row_mut(i - first))?;
            }
        }
        Ok(())
    }
}

/// The working storage of a row.
pub(super) struct Scratch {
    product: Vec<f64>,
    factor: Vec<f64>,
    /// The product so far, two times over.
    twice: Vec<f64>,
}

impl Sketch {
    /// Random ones for rows of `columns` numbers.
    pub(super) fn new(
        columns: usize,
        (degree, gamma, coef0): (u32, f64, f64),
        random: &RandomFeatures,
        leaf: usize,
    ) -> Result<Self> {
        let refuse = |message: String| Err(Error::parameter(Param::Kernel, message));
        if !(gamma >= 0.0 && gamma.is_finite()) || degree == 0 || degree > MOST_DEGREE {
            return refuse(format!(
                "a sketch of poly needs a degree of 1 to {MOST_DEGREE} and a gamma of at least 0, not {degree}, {gamma}"
            ));
        }
        if !(coef0 >= 0.0 && coef0.is_finite()) {
            return refuse(format!(
                "poly with coef0={coef0} is not positive definite, so it has no features: coef0 must not be negative"
            ));
        }
        let mut stream = Stream::new(random.seed, &format!("sketch {leaf}"));
        let entries = columns + usize::from(coef0 > 0.0);
        let factors = 0..degree;
        let mut places = || (0..entries).map(|_| stream.below(random.components) as u32).collect();
        let places = factors.clone().map(|_| places()).collect();
        let mut signs =
            || (0..entries).map(|_| if stream.below(2) == 0 { 1.0 } else { -1.0 }).collect();
        let signs = factors.map(|_| signs()).collect();
        Ok(Self { gamma, coef0, components: random.components, places, signs })
    }

    pub(super) fn scratch(&self) -> Scratch {
        let zeros = || vec![0.0; self.components];
        Scratch { product: zeros(), factor: zeros(), twice: vec![0.0; 2 * self.components] }
    }

    /// The features of row `i`.
    pub(super) fn row<'s, T: Real>(
        &self,
        rows: &Rows<'_, T>,
        i: usize,
        scratch: &'s mut Scratch,
    ) -> &'s [f64] {
        let (root, constant) = (self.gamma.sqrt(), self.coef0.sqrt());
        for (factor, (places, signs)) in self.places.iter().zip(&self.signs).enumerate() {
            let Scratch { product, factor: sketch, twice } = scratch;
            let counts = if factor == 0 { &mut *product } else { &mut *sketch };
            counts.fill(0.0);
            rows.for_each_nonzero(i, |j, value| {
                counts[places[j] as usize] += signs[j] * root * value
            });
            if self.coef0 > 0.0 {
                counts[places[rows.d()] as usize] += signs[rows.d()] * constant;
            }
            if factor > 0 {
                let (first, second) = twice.split_at_mut(self.components);
                first.copy_from_slice(product);
                second.copy_from_slice(product);
                convolve(sketch, twice, product);
            }
        }
        &scratch.product
    }

    /// The features of several rows, side by side in `together.product`.
    fn rows<T: Real>(
        &self,
        rows: &Rows<'_, T>,
        which: &[usize],
        transform: &Transform<f64>,
        together: &mut Together,
    ) {
        let (root, constant) = (self.gamma.sqrt(), self.coef0.sqrt());
        for (number, (places, signs)) in self.places.iter().zip(&self.signs).enumerate() {
            let Together { product, factor, work } = together;
            let counts = if number == 0 { &mut *product } else { &mut *factor };
            counts.fill([0.0; LANES]);
            for (lane, &i) in which.iter().enumerate() {
                rows.for_each_nonzero(i, |j, value| {
                    counts[places[j] as usize][lane] += signs[j] * root * value
                });
                if self.coef0 > 0.0 {
                    counts[places[rows.d()] as usize][lane] += signs[rows.d()] * constant;
                }
            }
            if number > 0 {
                transform.convolve(product, factor, work);
            }
        }
    }

    pub(super) fn names(&self) -> Vec<Name> {
        (0..self.components).map(|j| Name::of(format!("sketch{j}"))).collect()
    }
}
