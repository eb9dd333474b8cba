//! Kernels with their rows on the device, and tiles of their values.

use std::ops::Range;

use mercer::kernel::{Formula, RowKernel};
use mercer::linalg::pairing::Pairing;
use mercer::{Dense, Result};

use crate::blas::Op;
use crate::engine::{Engine, Finish, Join, Norms};
use crate::memory::{Buffer, View};

/// Up to so many features, squared distances come from differences, as on the processor, and dot products from the same kind of tile; beyond, both
/// come from matrix products.
const DIRECT_UP_TO: usize = 64;

/// A [`RowKernel`] whose rows are on the device.
pub(crate) enum Uploaded {
    Leaf {
        x: Rows,
        y: Rows,
        pairing: Pairing,
        formula: Formula,
        same: bool,
    },
    Sum(Vec<(f64, Uploaded)>),
    Product(Vec<Uploaded>),
    /// Numbers for each row and column, and the function that they are used with.
    Outer {
        inner: Box<Uploaded>,
        left: Buffer,
        right: Buffer,
        function: &'static str,
    },
}

/// Rows of d numbers, one after the other; with squared norms where distances come from products.
pub(crate) struct Rows {
    data: Buffer,
    n: usize,
    d: usize,
    norms: Option<Buffer>,
}

impl Rows {
    fn new(engine: &Engine, x: &Dense<f64>) -> Result<Self> {
        let data = Buffer::from_host(engine, x.data())?;
        Ok(Self { data, n: x.n(), d: x.d(), norms: None })
    }

    /// The rows less `point`, with their norms: a common point far away would cost digits.
    fn less(engine: &Engine, x: &Dense<f64>, point: &[f64]) -> Result<Self> {
        let lines = x.data().chunks_exact(x.d().max(1));
        let moved: Vec<f64> =
            lines.flat_map(|row| row.iter().zip(point).map(|(v, p)| v - p)).collect();
        let lines = moved.chunks_exact(x.d().max(1));
        let norms: Vec<f64> = lines.map(|row| row.iter().map(|v| v * v).sum()).collect();
        let norms = Some(Buffer::from_host(engine, &norms)?);
        Ok(Self { data: Buffer::from_host(engine, &moved)?, n: x.n(), d: x.d(), norms })
    }

    /// Columns of a d × n matrix: the rows of a range.
    fn range(&self, range: &Range<usize>) -> View<'_> {
        self.data.view(0, self.d, self.n, self.d).part(0, self.d, range.start, range.len())
    }

    fn norms(&self, range: &Range<usize>) -> Option<View<'_>> {
        let norms = self.norms.as_ref()?.column();
        Some(norms.part(range.start, range.len(), 0, 1))
    }
}

impl Uploaded {
    pub fn new(engine: &Engine, kernel: &RowKernel) -> Result<Self> {
        Ok(match kernel {
            RowKernel::Leaf { x, y, pairing, formula } => {
                let far = *pairing == Pairing::SquaredDistance && x.d() > DIRECT_UP_TO;
                let mean = y.mean();
                let upload = |rows: &Dense<f64>| match far {
                    true => Rows::less(engine, rows, &mean),
                    false => Rows::new(engine, rows),
                };
                let (left, right, same) = (upload(x)?, upload(y)?, x.is_same(y));
                Self::Leaf { x: left, y: right, pairing: *pairing, formula: *formula, same }
            }
            RowKernel::Sum(terms) => {
                let term =
                    |(scale, inner): &(f64, RowKernel)| Ok((*scale, Self::new(engine, inner)?));
                Self::Sum(terms.iter().map(term).collect::<Result<_>>()?)
            }
            RowKernel::Product(factors) => {
                let factors = factors.iter().map(|inner| Self::new(engine, inner));
                Self::Product(factors.collect::<Result<_>>()?)
            }
            RowKernel::Scaled { inner, left, right } => {
                Self::outer(engine, inner, (left, right), "scale_outer")?
            }
            RowKernel::Less { inner, left, right } => {
                Self::outer(engine, inner, (left, right), "less")?
            }
        })
    }

    fn outer(
        engine: &Engine,
        inner: &RowKernel,
        (left, right): (&[f64], &[f64]),
        function: &'static str,
    ) -> Result<Self> {
        let inner = Box::new(Self::new(engine, inner)?);
        let (left, right) = (Buffer::from_host(engine, left)?, Buffer::from_host(engine, right)?);
        Ok(Self::Outer { inner, left, right, function })
    }

    /// Writes the kernel values of some rows and columns.
    pub fn tile(
        &self,
        engine: &Engine,
        rows: Range<usize>,
        cols: Range<usize>,
        out: View<'_>,
    ) -> Result<()> {
        assert!((rows.len(), cols.len()) == (out.rows, out.cols), "a tile's shape");
        let place = Place { engine, rows: &rows, cols: &cols, out };
        self.write(&place, 1.0, Join::Replace)
    }

    /// `scale` times the values join what is in `out`.
    fn write(&self, place: &Place<'_>, scale: f64, join: Join) -> Result<()> {
        if let (Self::Leaf { x, y, pairing, formula, .. }, true) = (self, self.is_direct()) {
            let (code, constants) = formula_code(*formula);
            let finish = Finish { code, constants, scale, join };
            let sides = (x.range(place.rows), y.range(place.cols));
            return place.engine.tile(function(*pairing), sides, finish, place.out);
        }
        if join == Join::Replace && scale == 1.0 {
            return self.replace(place);
        }
        let (rows, cols) = (place.rows.len(), place.cols.len());
        let scratch = Buffer::new(place.engine, rows * cols)?;
        let values = scratch.view(0, rows, cols, rows);
        self.replace(&Place { out: values, ..*place })?;
        place.engine.merge(place.out, values, scale, join)
    }

    /// Whether a leaf is computed tile by tile and not by a matrix product.
    fn is_direct(&self) -> bool {
        let Self::Leaf { x, pairing, .. } = self else { return false };
        let product = matches!(pairing, Pairing::Dot | Pairing::SquaredDistance);
        !(product && x.d > DIRECT_UP_TO)
    }

    fn replace(&self, place: &Place<'_>) -> Result<()> {
        let Place { engine, rows, cols, out } = *place;
        match self {
            Self::Leaf { x, y, formula, same, .. } => {
                let sides = ((x.range(rows), Op::Transposed), (y.range(cols), Op::Plain));
                engine.multiply(1.0, sides.0, sides.1, 0.0, out)?;
                let (code, constants) = formula_code(*formula);
                let finish = Finish { code, constants, scale: 1.0, join: Join::Replace };
                let shift = same.then(|| rows.start as i64 - cols.start as i64);
                let norms = x.norms(rows).zip(y.norms(cols));
                let norms = norms.map(|(rows, cols)| Norms { rows, cols, shift });
                engine.finish(out, norms.as_ref(), finish)
            }
            Self::Sum(terms) => each(place, terms.iter().map(|(c, inner)| (inner, *c)), Join::Add),
            Self::Product(factors) => {
                each(place, factors.iter().map(|inner| (inner, 1.0)), Join::Multiply)
            }
            Self::Outer { inner, left, right, function } => {
                inner.write(place, 1.0, Join::Replace)?;
                let left = left.column().part(rows.start, rows.len(), 0, 1);
                let right = right.column().part(cols.start, cols.len(), 0, 1);
                engine.outer(function, out, left, right)
            }
        }
    }
}

/// The first takes its place, the others join it.
fn each<'a>(
    place: &Place<'_>,
    nodes: impl Iterator<Item = (&'a Uploaded, f64)>,
    join: Join,
) -> Result<()> {
    for (i, (node, scale)) in nodes.enumerate() {
        node.write(place, scale, if i == 0 { Join::Replace } else { join })?;
    }
    Ok(())
}

/// Some rows and columns, and where their values go.
#[derive(Clone, Copy)]
struct Place<'a> {
    engine: &'a Engine,
    rows: &'a Range<usize>,
    cols: &'a Range<usize>,
    out: View<'a>,
}

/// The numbers of formulas in `kernels.cu`, and their constants.
fn formula_code(formula: Formula) -> (i32, [f64; 3]) {
    match formula {
        Formula::Identity => (0, [0.0; 3]),
        Formula::One => (1, [0.0; 3]),
        Formula::Complement { share } => (2, [share, 0.0, 0.0]),
        Formula::Power { gamma, coef0, degree } => (3, [gamma, coef0, f64::from(degree)]),
        Formula::Exponential { rate } => (4, [rate, 0.0, 0.0]),
        Formula::Matern { rate, linear, square } => (5, [rate, linear, square]),
        Formula::RationalQuadratic { alpha, rate } => (6, [alpha, rate, 0.0]),
        Formula::NegativePower { exponent } => (8, [exponent, 0.0, 0.0]),
        Formula::Tanh { gamma, coef0 } => (7, [gamma, coef0, 0.0]),
    }
}

fn function(pairing: Pairing) -> &'static str {
    match pairing {
        Pairing::Dot => "tile_dot",
        Pairing::SquaredDistance => "tile_squared_distance",
        Pairing::Manhattan => "tile_manhattan",
        Pairing::Minimum => "tile_minimum",
        Pairing::ChiProduct => "tile_chi_product",
        Pairing::ChiDistance => "tile_chi_distance",
        Pairing::JensenShannon => "tile_jensen_shannon",
        Pairing::CappedDifference => "tile_capped_difference",
        Pairing::Mismatches => "tile_mismatches",
    }
}
