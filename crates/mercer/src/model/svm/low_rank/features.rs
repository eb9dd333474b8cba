//! The features of samples: kept in single precision where they fit the memory budget. Beyond it, those of samples in memory are computed anew whenever they are needed, and those of rows that are read in
//! blocks are kept in a temporary file.

use super::maker::{Maker, Sums, single};
use super::recomputed::Recomputed;
use crate::context::{Context, Reservation, Step};
use crate::error::{Error, Result};
use crate::linalg::view::Mat;
use crate::points::Samples;
use crate::real::Real;
use crate::solve::dual_descent::{FeatureRows, FileRows, StoredRows};

/// Rows at least that the solver must be able to hold.
const FEWEST: usize = 4096;
/// The share of the budget that features may take.
const SHARE: f64 = 0.8;
const HINT: &str = "use fewer landmarks or raise the memory budget";

/// The features of samples, with what is known of them.
pub struct Features<'a> {
    pub rows: Box<dyn FeatureRows + 'a>,
    /// Σ k(x, x).
    pub trace: f64,
    /// Σ k(x, x) − ‖φ̂(x)‖².
    pub residual: f64,
    /// The largest k(x, x).
    pub largest: f64,
    /// Σ φ̂_j(x)² of each feature: what each landmark adds to those before it.
    pub added: Vec<f64>,
    /// Where they are, if not in memory.
    pub place: Option<&'static str>,
    pub reservation: Reservation,
}

/// Bytes of n rows of m features.
fn bytes(n: usize, m: usize) -> u64 {
    4 * (n as u64).saturating_mul(m as u64)
}

/// Bytes that a fit on m landmarks needs at least: their kernel matrix, its factor in two precisions, some rows of features, and the solver.
pub fn least_bytes<T: Real>(n: usize, m: usize) -> u64 {
    let squares = 32 * (m as u64).saturating_mul(m as u64);
    let chunk = (size_of::<T>() * super::maker::CHUNK.min(n)) as u64 * m as u64;
    squares + chunk + 3 * bytes(FEWEST.min(n), m) + super::EACH * n as u64
}

/// How many rows of n the solver, which takes `solver` bytes beside them, may hold, and the reservation for them: all that fit.
fn room(ctx: &Context, n: usize, m: usize, solver: u64) -> Result<(usize, Reservation)> {
    let share = (SHARE * ctx.budget() as f64) as u64;
    let allowed = share.min(ctx.budget().saturating_sub(solver));
    if bytes(n, m) <= allowed {
        return Ok((n, ctx.reserve("the features of all rows", bytes(n, m), HINT)?));
    }
    let most = usize::try_from(allowed / 2 / bytes(1, m).max(1)).unwrap_or(usize::MAX);
    if most < FEWEST.min(n) {
        let needed = 2 * bytes(FEWEST.min(n), m) + solver;
        return Err(Error::memory("the features of some rows", needed, ctx.budget(), HINT));
    }
    Ok((most, ctx.reserve("the features of some rows", bytes(most, m), HINT)?))
}

impl<'a> Features<'a> {
    /// The features of samples `x`, as the kernel takes them.
    pub fn new<T: Real + 'a>(ctx: &Context, maker: Maker<T>, x: Samples<T>) -> Result<Self> {
        let (n, m) = (x.n(), maker.m());
        let (most, reservation) = room(ctx, n, m, 0)?;
        let mut sums = maker.no_sums();
        let step = |done: usize| ctx.step(Step::new("features", done as f64, n as f64));
        if most < n {
            maker.each(ctx, &x, &mut sums, |from, features| step(from + features.rows()))?;
            let squares = std::mem::take(&mut sums.squares);
            let rows = Box::new(Recomputed { maker, x, squares, most });
            let place = Some("computed whenever they are needed");
            return Ok(Self::of(rows, sums, place, reservation));
        }
        let mut rows = Mat::<f32>::try_zeros(n, m)?;
        maker.each(ctx, &x, &mut sums, |from, features| {
            single(ctx, features, &mut rows.data_mut()[from * m..][..features.data().len()]);
            step(from + features.rows())
        })?;
        Ok(Self::of(Box::new(StoredRows::new(rows)), sums, None, reservation))
    }

    fn of(
        rows: Box<dyn FeatureRows + 'a>,
        sums: Sums,
        place: Option<&'static str>,
        reservation: Reservation,
    ) -> Self {
        let Sums { trace, residual, largest, added, .. } = sums;
        Self { rows, trace, residual, largest, added, place, reservation }
    }
}

/// Features that come in blocks, in memory or in a file.
pub struct Store {
    rows: Rows,
    reservation: Reservation,
}

enum Rows {
    Memory { rows: Mat<f32>, filled: usize },
    File(FileRows),
}

impl Store {
    /// For n rows of m features, beside a solver of so many variables.
    pub fn new(ctx: &Context, n: usize, m: usize, variables: usize) -> Result<Self> {
        let (most, reservation) = room(ctx, n, m, super::EACH * variables as u64)?;
        let rows = match most < n {
            true => Rows::File(FileRows::new(m, most)?),
            false => Rows::Memory { rows: Mat::try_zeros(n, m)?, filled: 0 },
        };
        Ok(Self { rows, reservation })
    }

    /// Adds features.
    pub fn push<T: Real>(&mut self, ctx: &Context, features: &Mat<T>) -> Result<()> {
        match &mut self.rows {
            Rows::Memory { rows, filled } => {
                let m = rows.cols();
                let missing = || Error::Shape("the source has more rows than before".into());
                let out = rows.data_mut().get_mut(*filled * m..(*filled + features.rows()) * m);
                single(ctx, features, out.ok_or_else(missing)?);
                *filled += features.rows();
                Ok(())
            }
            Rows::File(file) => {
                let mut out = Mat::<f32>::try_zeros(features.rows(), features.cols())?;
                single(ctx, features, out.data_mut());
                file.push(&out)
            }
        }
    }

    /// The features, all of which are there.
    pub fn finish(self, sums: Sums) -> Features<'static> {
        let (rows, place): (Box<dyn FeatureRows>, _) = match self.rows {
            Rows::Memory { rows, .. } => (Box::new(StoredRows::new(rows)), None),
            Rows::File(file) => (Box::new(file), Some("kept in a temporary file")),
        };
        Features::of(rows, sums, place, self.reservation)
    }
}
