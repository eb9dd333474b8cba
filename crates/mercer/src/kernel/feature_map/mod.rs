//! Explicit feature maps: numbers φ(x) with ⟨φ(x), φ(x')⟩ = k(x, x'), each with a name.
//!
//! A map is the other proof that a function is a kernel, and a way to put a kernel into a linear method. Sums of kernels
//! put features side by side, products multiply each with each, a scale c multiplies by √c, normalising divides by the
//! length, and a kernel on some columns looks at those alone.

mod build;
mod check;
mod evaluate;
mod fourier;
mod monomials;
mod name;
mod rows;
mod sampled;
mod sketch;
mod spectrum;

#[cfg(test)]
mod tests;

pub use build::{FeatureMapOptions, Frequencies, RandomFeatures};
pub use fourier::Fourier;
pub use rows::Rows;
pub use sketch::Sketch;

use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::linalg::strips;
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::real::Real;
use check::{check_dimension, check_row, same_columns};
use fourier::Waves;
use monomials::Monomials;
use name::Name;
use sampled::{Homogeneous, Sampled};
use sketch::Convolved;
use spectrum::Spectrum;

/// Features that a map may have at most.
pub const MOST_FEATURES: usize = 4_000_000;

/// A map from rows of numbers to rows of features whose inner products are a kernel.
///
/// ```
/// use mercer::kernel::{FeatureMap, FeatureMapOptions};
/// use mercer::KernelSpec;
/// let spec: KernelSpec = "poly(degree=2)".parse()?;
/// let map = FeatureMap::new(&spec, 2, &FeatureMapOptions::default())?;
/// let names = map.names(None)?;
/// assert_eq!(names, ["1", "√2·x0", "√2·x1", "x0^2", "√2·x0·x1", "x1^2"]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FeatureMap {
    kind: Kind,
    columns: usize,
    dimension: usize,
}

#[derive(Clone, Debug)]
enum Kind {
    Constant,
    Linear,
    Root,
    Monomials(Monomials),
    Sampled(Sampled),
    Fourier(Fourier),
    Sketch(Sketch),
    Scale(f64, Box<FeatureMap>),
    Sum(Vec<FeatureMap>),
    Product(Vec<FeatureMap>),
    Normalize(Box<FeatureMap>),
    Select(Vec<usize>, Box<FeatureMap>),
}

/// Maps of single kernels, each on rows of `columns` numbers.
impl FeatureMap {
    /// φ(x) = 1: the kernel that is 1 everywhere.
    #[doc(hidden)]
    pub fn constant(columns: usize) -> Result<Self> {
        Self::sized(Kind::Constant, columns, 1)
    }

    /// φ(x) = x: the linear kernel.
    #[doc(hidden)]
    pub fn linear(columns: usize) -> Result<Self> {
        Self::sized(Kind::Linear, columns, columns as u128)
    }

    /// All products of `degree` features, or of up to so many where coef0 is above 0: (gamma·xᵀx' + coef0)^degree.
    #[doc(hidden)]
    pub fn poly(columns: usize, degree: u32, gamma: f64, coef0: f64) -> Result<Self> {
        let monomials = Monomials::new(columns, degree, gamma, coef0)?;
        let dimension = monomials.dimension() as u128;
        Self::sized(Kind::Monomials(monomials), columns, dimension)
    }

    /// φ(x) = √x: the Hellinger kernel.
    #[doc(hidden)]
    pub fn hellinger(columns: usize) -> Result<Self> {
        Self::sized(Kind::Root, columns, columns as u128)
    }

    /// Approximately Σ 2x_i x'_i / (x_i + x'_i), by 2·samples + 1 features for each column.
    #[doc(hidden)]
    pub fn additive_chi2(columns: usize, samples: usize) -> Result<Self> {
        Self::sampled(Homogeneous::Chi2, columns, samples)
    }

    /// Approximately Σ min(x_i, x'_i), by 2·samples + 1 features for each column.
    #[doc(hidden)]
    pub fn intersection(columns: usize, samples: usize) -> Result<Self> {
        Self::sampled(Homogeneous::Intersection, columns, samples)
    }

    /// Approximately ½·Σ [x_i·log₂((x_i + x'_i)/x_i) + x'_i·log₂((x_i + x'_i)/x'_i)], by 2·samples + 1 features for each
    /// column.
    #[doc(hidden)]
    pub fn jensen_shannon(columns: usize, samples: usize) -> Result<Self> {
        Self::sampled(Homogeneous::JensenShannon, columns, samples)
    }

    fn sampled(kernel: Homogeneous, columns: usize, samples: usize) -> Result<Self> {
        Self::sampled_with(
            kernel,
            columns,
            &FeatureMapOptions { samples, ..FeatureMapOptions::default() },
        )
    }

    fn sampled_with(
        kernel: Homogeneous,
        columns: usize,
        options: &FeatureMapOptions,
    ) -> Result<Self> {
        let sampled = Sampled::new(kernel, options.samples, options.interval, options.by_sample)?;
        let dimension = columns as u128 * sampled.each() as u128;
        Self::sized(Kind::Sampled(sampled), columns, dimension)
    }

    /// Random features of a kernel of a distance; `leaf` distinguishes kernels of one description.
    fn fourier(
        spectrum: &Spectrum,
        random: &RandomFeatures,
        columns: usize,
        leaf: usize,
    ) -> Result<Self> {
        Self::from_fourier(Fourier::new(spectrum, random, leaf)?, columns)
    }

    /// Random features with known frequencies (columns × any) and phases.
    #[doc(hidden)]
    pub fn from_fourier(fourier: Fourier, columns: usize) -> Result<Self> {
        let dimension = fourier.dimension() as u128;
        Self::sized(Kind::Fourier(fourier), columns, dimension)
    }

    /// Random features of (gamma·xᵀx' + coef0)^degree.
    fn sketch(
        columns: usize,
        kernel: (u32, f64, f64),
        random: &RandomFeatures,
        leaf: usize,
    ) -> Result<Self> {
        Self::from_sketch(Sketch::new(columns, kernel, random, leaf)?, columns)
    }

    /// Random features of the polynomial kernel with known places and signs, p × (columns, and one more with a constant).
    #[doc(hidden)]
    pub fn from_sketch(sketch: Sketch, columns: usize) -> Result<Self> {
        let dimension = sketch.components as u128;
        Self::sized(Kind::Sketch(sketch), columns, dimension)
    }
}

/// Maps made of maps.
impl FeatureMap {
    /// The map of `scale` times the kernel; the scale must be positive.
    #[doc(hidden)]
    pub fn scale(self, scale: f64) -> Result<Self> {
        if !(scale > 0.0 && scale.is_finite()) {
            let message = format!("a scale must be a positive number, got {scale}");
            return Err(Error::parameter(Param::Kernel, message));
        }
        let (columns, dimension) = (self.columns, self.dimension as u128);
        Self::sized(Kind::Scale(scale, Box::new(self)), columns, dimension)
    }

    /// The map of the sum of kernels on the same rows: their features side by side.
    #[doc(hidden)]
    pub fn sum(maps: Vec<FeatureMap>) -> Result<Self> {
        let columns = same_columns(&maps)?;
        let dimension = maps.iter().map(|map| map.dimension as u128).sum();
        Self::sized(Kind::Sum(maps), columns, dimension)
    }

    /// The map of the product of kernels on the same rows: all products of a feature of each, the last varying fastest.
    #[doc(hidden)]
    pub fn product(maps: Vec<FeatureMap>) -> Result<Self> {
        let columns = same_columns(&maps)?;
        let times = |all: u128, map: &FeatureMap| all.saturating_mul(map.dimension as u128);
        let dimension = maps.iter().fold(1, times);
        Self::sized(Kind::Product(maps), columns, dimension)
    }

    /// The map of k(x, x') / √(k(x, x)·k(x', x')): features divided by their length, 0 where that is 0.
    #[doc(hidden)]
    pub fn normalize(self) -> Result<Self> {
        let (columns, dimension) = (self.columns, self.dimension as u128);
        Self::sized(Kind::Normalize(Box::new(self)), columns, dimension)
    }

    /// The map on rows of `columns` numbers that looks at the places `which` of them alone, in that order.
    #[doc(hidden)]
    pub fn select(self, which: &[usize], columns: usize) -> Result<Self> {
        if which.len() != self.columns {
            return Err(Error::Features { expected: self.columns, found: which.len() });
        }
        if let Some(place) = which.iter().find(|place| **place >= columns) {
            let message = format!("there is no column {place}: there are {columns} columns");
            return Err(Error::parameter(Param::Columns, message));
        }
        let dimension = self.dimension as u128;
        Self::sized(Kind::Select(which.to_vec(), Box::new(self)), columns, dimension)
    }

    fn sized(kind: Kind, columns: usize, dimension: u128) -> Result<Self> {
        if columns == 0 {
            return Err(Error::Shape("a feature map needs at least 1 column".into()));
        }
        check_dimension(dimension)?;
        Ok(Self { kind, columns, dimension: dimension as usize })
    }
}

impl FeatureMap {
    /// Features of a row.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Numbers of a row.
    #[doc(hidden)]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether inner products are the kernel up to rounding; else they come close.
    #[doc(hidden)]
    pub fn is_exact(&self) -> bool {
        match &self.kind {
            Kind::Sampled(_) | Kind::Fourier(_) | Kind::Sketch(_) => false,
            Kind::Sum(maps) | Kind::Product(maps) => maps.iter().all(FeatureMap::is_exact),
            Kind::Scale(_, map) | Kind::Normalize(map) | Kind::Select(_, map) => map.is_exact(),
            Kind::Constant | Kind::Linear | Kind::Root | Kind::Monomials(_) => true,
        }
    }

    /// Of the approximate map of a single kernel, the ε with |⟨φ(x), φ(x')⟩ − k(x, x')| ≤ ε·Σ max(x_i, x'_i).
    #[doc(hidden)]
    pub fn worst_error(&self) -> Option<f64> {
        match &self.kind {
            Kind::Sampled(sampled) => Some(sampled.worst_error()),
            _ => None,
        }
    }

    /// The random frequencies and phases of the map of a single kernel, if it has them.
    #[doc(hidden)]
    pub fn as_fourier(&self) -> Option<&Fourier> {
        match &self.kind {
            Kind::Fourier(fourier) => Some(fourier),
            _ => None,
        }
    }

    /// The random places and signs of the map of a single kernel, if it has them.
    #[doc(hidden)]
    pub fn as_sketch(&self) -> Option<&Sketch> {
        match &self.kind {
            Kind::Sketch(sketch) => Some(sketch),
            _ => None,
        }
    }

    /// The names of the features, made of the names of the columns; without those, of x0, x1, ….
    pub fn names(&self, columns: Option<&[String]>) -> Result<Vec<String>> {
        let numbered = || (0..self.columns).map(|column| format!("x{column}")).collect();
        let columns = columns.map_or_else(numbered, <[String]>::to_vec);
        if columns.len() != self.columns {
            return Err(Error::Features { expected: self.columns, found: columns.len() });
        }
        Ok(self.list(&columns).iter().map(Name::to_string).collect())
    }

    /// Writes the features of n rows (n × d) to `out` (n × dimension), on the calling thread.
    pub fn apply<T: Real>(&self, rows: MatRef<'_, T>, out: MatMut<'_, T>) -> Result<()> {
        let rows = Rows::Dense(rows);
        self.check_shapes(&rows, &out)?;
        Prepared::new(self).fill(&rows, 0, out)
    }

    /// The features of n rows (n × d), within the memory budget: n × dimension.
    pub fn matrix<T: Real>(&self, ctx: &Context, rows: MatRef<'_, T>) -> Result<Mat<T>> {
        let n = rows.rows();
        let count = (n as u64).saturating_mul(self.dimension as u64);
        let needed = count.saturating_mul(size_of::<T>() as u64);
        let hint = "use the kernel itself, which needs no features, use fewer rows, or raise the memory budget";
        let _reservation = ctx.reserve("the matrix of features", needed, hint)?;
        let mut out = Mat::try_zeros(n, self.dimension)?;
        self.matrix_into(ctx, Rows::Dense(rows), out.view_mut())?;
        Ok(out)
    }

    /// The same of rows of either kind, written to `out` (n × dimension).
    #[doc(hidden)]
    pub fn matrix_into<T: Real>(
        &self,
        ctx: &Context,
        rows: Rows<'_, T>,
        out: MatMut<'_, T>,
    ) -> Result<()> {
        self.check_shapes(&rows, &out)?;
        let prepared = Prepared::new(self);
        strips::for_each(ctx, "features", out, |range, out| prepared.fill(&rows, range.start, out))
    }

    fn check_shapes<T: Real>(&self, rows: &Rows<'_, T>, out: &MatMut<'_, T>) -> Result<()> {
        if rows.d() != self.columns {
            return Err(Error::Features { expected: self.columns, found: rows.d() });
        }
        if (out.rows, out.cols) != (rows.n(), self.dimension) {
            let (n, dimension, found) = (rows.n(), self.dimension, (out.rows, out.cols));
            let text = format!("the output must be {n} × {dimension}, not {found:?}");
            return Err(Error::Shape(text));
        }
        Ok(())
    }
}

/// A map in the number type of rows.
enum Prepared<'a, T> {
    Fourier(Waves<T>),
    Sketch(Convolved<'a>),
    /// Any other, row by row, and which columns must not be negative.
    ByRow(&'a FeatureMap, Vec<bool>),
}

impl<'a, T: Real> Prepared<'a, T> {
    fn new(map: &'a FeatureMap) -> Self {
        match &map.kind {
            Kind::Fourier(fourier) => Prepared::Fourier(Waves::new(fourier)),
            Kind::Sketch(sketch) => Prepared::Sketch(Convolved::new(sketch)),
            _ => Prepared::ByRow(map, map.histogram_columns()),
        }
    }

    /// Writes the features of as many rows as `out` has, from row `first` on.
    fn fill(&self, rows: &Rows<'_, T>, first: usize, mut out: MatMut<'_, T>) -> Result<()> {
        let range = first..first + out.rows;
        match self {
            Prepared::Fourier(waves) => {
                rows.check_finite(range.clone())?;
                waves.fill(rows, range, out)
            }
            Prepared::Sketch(sketch) => {
                rows.check_finite(range.clone())?;
                sketch.fill(rows, range, out)
            }
            Prepared::ByRow(map, needs) => {
                let (mut x, mut features) = (vec![0.0; map.columns], vec![0.0; map.dimension]);
                range.enumerate().try_for_each(|(at, i)| {
                    rows.read(i, &mut x);
                    check_row(i, &x, needs)?;
                    map.fill(&x, &mut features);
                    write(&features, i, out.row_mut(at))
                })
            }
        }
    }
}

/// Writes the features of row `i`, none of which may overflow.
fn write<T: Real>(features: &[f64], i: usize, line: &mut [T]) -> Result<()> {
    line.iter_mut().zip(features).for_each(|(to, feature)| *to = T::from_f64(*feature));
    match line.iter().position(|feature| !feature.is_finite()) {
        None => Ok(()),
        Some(at) => {
            let text = format!("feature {at} of row {i} overflows: scale the columns down");
            Err(Error::Numeric(text))
        }
    }
}
