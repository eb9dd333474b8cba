//! What a fit on landmarks takes of the memory budget: how many landmarks fit, and how many rows they can be chosen among.
//!
//! A fit has two phases. The choice holds the rows that landmarks are chosen among, and what the method needs beside them; the sums over all rows, and what is solved with
//! them, come after these are gone. Both depend on the budget and on sizes alone, so that a number of landmarks that is offered fits.

use super::basis::basis_bytes;
use super::rows::RowBlock;
use super::{LandmarkCount, LandmarkMethod, LandmarkParams, phase};
use crate::context::{Context, Cost, Reservation};
use crate::error::{Error, Result};
use crate::gram::product_bytes;
use crate::model::input::Input;
use crate::points::{AnySamples, Samples, with_samples};
use crate::real::Real;
use crate::solve::{nystrom, path, pivoted_cholesky};

/// Landmarks are chosen among at least so many rows, and so many times their number.
const CANDIDATES: usize = 20_000;
const CANDIDATES_FOR_EACH: usize = 5;
/// Landmarks at most where a tolerance is given.
pub(super) const MOST: usize = 5000;
/// Copies of the rows: one is made while they are put together, or seen from a point.
const COPIES: u64 = 2;
/// Copies of a block of a stream: as samples, and seen from a point.
const BLOCK_COPIES: u64 = 2;
/// The share of the budget that the choice may take. The rest is for the blocks that it reads.
const SHARE: (u64, u64) = (3, 4);
/// Rows that the size of a row is measured on.
const MEASURED: usize = 1024;

/// Seconds to read a row and each number of it, to compute a kernel value and each feature of it, and for each number of a product of features. Only their ratios
/// matter, and only to the progress that is shown.
const READ: (f64, f64) = (2e-7, 2e-8);
const VALUE: (f64, f64) = (1e-9, 3e-11);
const PRODUCT: f64 = 1.2e-11;
/// Seconds to solve the small problem, for each number of a cube of its size.
const SOLVED: f64 = 2e-10;

/// The sizes of a fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fit {
    /// Landmarks and targets.
    pub m: usize,
    pub t: usize,
    /// Rows, as far as they are known.
    pub rows: u64,
    /// Bytes of a row.
    pub row_bytes: u64,
}

/// The bytes of a fit beside the choice of landmarks.
pub(crate) type Needed<'a> = &'a dyn Fn(&Fit) -> u64;

/// Bytes of m × m numbers.
pub(super) fn square(m: usize) -> u64 {
    8 * (m as u64).saturating_mul(m as u64)
}

/// Bytes of a fit on m landmarks with t targets that solves the m × m system directly.
pub(crate) fn direct_bytes<T: Real>(fit: &Fit) -> u64 {
    let Fit { m, t, .. } = *fit;
    // The decomposed matrix, with the right-hand sides before and after.
    let solved = square(m).saturating_add(24 * (m as u64).saturating_mul(t as u64));
    let solve = path::workspace_bytes(m).saturating_add(solved);
    let solve = nystrom::workspace_bytes(m, t).saturating_add(solve);
    basis_bytes::<T>(m, t).saturating_add(solve)
}

/// The bytes of a direct fit in the number type that takes more, with a product in it.
pub(in crate::model) fn either_bytes(fit: &Fit) -> u64 {
    let direct = direct_bytes::<f32>(fit).max(direct_bytes::<f64>(fit));
    direct.saturating_add(product_bytes(fit.m))
}

/// Bytes of the rows that landmarks are chosen among while they are collected: `samples` are those of their samples.
fn rows_bytes(n: usize, samples: u64, t: usize) -> u64 {
    // A key, a place, a weight and the targets of each.
    COPIES * samples + n as u64 * (80 + 8 * t as u64)
}

/// Bytes of the choice of m landmarks among n rows.
fn choice_bytes(method: LandmarkMethod, (n, samples): (usize, u64), fit: &Fit) -> u64 {
    let own = match method {
        LandmarkMethod::PivotedCholesky => pivoted_cholesky::workspace_bytes(n, fit.m),
        LandmarkMethod::Uniform => 8 * n as u64,
        LandmarkMethod::KMeans => 16 * n as u64 + samples + 3 * fit.m as u64 * (8 + fit.row_bytes),
    };
    rows_bytes(n, samples, fit.t).saturating_add(own)
}

/// The part of a budget that the choice may take.
fn share(budget: u64) -> u64 {
    budget / SHARE.1 * SHARE.0
}

/// Whether a budget has memory for the landmarks of a fit: chosen among as many rows, at least.
fn fits(budget: u64, method: LandmarkMethod, fit: &Fit, needed: Needed<'_>) -> bool {
    let samples = fit.row_bytes.saturating_mul(fit.m as u64);
    choice_bytes(method, (fit.m, samples), fit) <= share(budget) && needed(fit) <= budget
}

/// The largest number up to `beyond` of which `fits` is true; it is monotone.
fn largest(beyond: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut least, mut beyond) = (0, beyond + 1);
    while beyond - least > 1 {
        let middle = least.midpoint(beyond);
        if fits(middle) { least = middle } else { beyond = middle }
    }
    least
}

/// Samples that landmarks could be chosen among: how many, and the bytes of one.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct Eligible {
    pub n: usize,
    pub row_bytes: u64,
}

/// The samples of an input; none of a matrix that was computed before.
pub(in crate::model) fn eligible(input: &Input<'_>) -> Eligible {
    match input {
        Input::Samples(x) => Eligible { n: x.n(), row_bytes: row_bytes(x) },
        _ => Eligible { n: 0, row_bytes: 0 },
    }
}

/// How many landmarks among these samples a budget has memory for, at most [`MOST`].
pub(super) fn most_that_fit(budget: u64, x: Eligible, t: usize, needed: Needed<'_>) -> usize {
    let fit = |m| Fit { m, t, rows: x.n as u64, row_bytes: x.row_bytes };
    let method = LandmarkMethod::PivotedCholesky;
    largest(x.n.min(MOST), |m| fits(budget, method, &fit(m), needed))
}

/// The mean bytes of the first rows, rounded up.
fn row_bytes(x: &AnySamples) -> u64 {
    fn of<T: Real>(x: &Samples<T>) -> u64 {
        let n = x.n().min(MEASURED);
        (0..n).map(|i| x.bytes_of(i)).sum::<u64>().div_ceil(n.max(1) as u64)
    }
    with_samples!(x, x => of(x))
}

/// The memory that a choice of landmarks may take.
pub(super) struct Capacity<'a> {
    budget: u64,
    /// What the choice may take.
    limit: u64,
    count: &'a LandmarkCount,
    method: LandmarkMethod,
    needed: Needed<'a>,
    fit: Fit,
}

impl<'a> Capacity<'a> {
    /// The memory that the context leaves. Landmarks that do not fit are refused, as soon as the first block of the source shows their size.
    pub fn new(ctx: &Context, params: &'a LandmarkParams, needed: Needed<'a>) -> Self {
        let budget = ctx.budget();
        let fit = Fit { m: asked(&params.count), t: 0, rows: 0, row_bytes: 0 };
        // What is given is not chosen.
        let method = match params.count {
            LandmarkCount::Given(_) => LandmarkMethod::Uniform,
            _ => params.method,
        };
        let (count, limit) = (&params.count, share(budget));
        Self { budget, limit, count, method, needed, fit }
    }

    /// Looks at the first block of a source with so many rows, and sets memory aside for its blocks.
    pub fn begin(
        &mut self,
        ctx: &Context,
        block: &RowBlock<'_>,
        rows: Option<u64>,
    ) -> Result<Reservation> {
        let n = block.samples.n() as u64;
        self.fit.t = block.targets.as_ref().map_or(0, |y| y.cols());
        self.fit.row_bytes = row_bytes(&block.samples);
        self.fit.rows = rows.unwrap_or(0);
        // Samples in memory are the caller's.
        let is_whole = rows == Some(n);
        let bytes = if is_whole { 0 } else { BLOCK_COPIES * n * self.fit.row_bytes };
        let hint = "raise the memory budget, or use smaller blocks";
        let blocks = ctx.reserve("a block of rows", bytes, hint)?;
        self.budget = ctx.budget();
        self.limit = self.limit.min(self.budget);
        let known = rows.map_or(1, |rows| usize::try_from(rows).unwrap_or(usize::MAX));
        self.check(self.wanted().min(known))?;
        if let LandmarkCount::Tolerance(_) = self.count {
            self.fit.m = self.most(MOST);
        }
        self.expect(ctx);
        Ok(blocks)
    }

    /// Announces what the phases of a fit are expected to take, by their sizes.
    fn expect(&self, ctx: &Context) {
        let m = self.fit.m as f64;
        let width = self.fit.row_bytes as f64 / 8.0;
        let few = self.candidates() as f64;
        let rows = if self.fit.rows > 0 { self.fit.rows as f64 } else { 10.0 * few };
        let read = rows * (READ.0 + READ.1 * width);
        let values = m * (VALUE.0 + VALUE.1 * width);
        let products = m * m * PRODUCT;
        // What is given needs no choice.
        let chosen = match self.count {
            LandmarkCount::Given(_) => 0.0,
            _ => few.min(rows) * (values + products),
        };
        ctx.expect(phase::LOOK, Cost { read, compute: 0.0 });
        ctx.expect(phase::CHOOSE, Cost { read: 0.0, compute: chosen });
        ctx.expect(phase::SUM, Cost { read, compute: rows * (values + products) });
        ctx.expect(phase::SOLVE, Cost { read: 0.0, compute: m * m * m * SOLVED });
        ctx.expect(phase::EVALUATE, Cost { read, compute: rows * values });
    }

    /// Rows that are wanted to choose among, whatever their size.
    pub fn candidates(&self) -> usize {
        CANDIDATES.max(CANDIDATES_FOR_EACH.saturating_mul(asked(self.count)))
    }

    /// Whether landmarks may be chosen among n rows whose samples take so many bytes.
    pub fn holds(&self, n: usize, samples: u64) -> bool {
        choice_bytes(self.method, (n, samples), &self.fit) <= self.limit
    }

    /// Bytes of n rows whose samples take so many.
    pub fn rows_bytes(&self, n: usize, samples: u64) -> u64 {
        rows_bytes(n, samples, self.fit.t)
    }

    /// The same for as many rows of the usual size as will be held, where a source has so many.
    pub fn expected_bytes(&self) -> u64 {
        let rows = if self.fit.rows == 0 { u64::MAX } else { self.fit.rows };
        let n = (self.candidates() as u64).min(rows);
        let samples = n.saturating_mul(self.fit.row_bytes);
        rows_bytes(n as usize, samples, self.fit.t).min(self.limit)
    }

    /// Refuses the number of landmarks if not so many fit, now that there are `rows` rows, of which n can be chosen among.
    pub fn end(&mut self, n: usize, rows: u64, is_cut: bool) -> Result<()> {
        self.fit.rows = rows;
        let wanted = self.wanted();
        if let LandmarkCount::Given(_) = self.count {
            return self.check(wanted);
        }
        if is_cut && wanted > n {
            return Err(self.refused(wanted, self.most(n)));
        }
        self.check(wanted.min(n))
    }

    /// Landmarks at most: those asked for, or as many as fit where a tolerance is.
    pub fn most_landmarks(&self) -> usize {
        self.fit.m
    }

    /// Refuses m landmarks if not so many fit.
    pub fn check(&self, m: usize) -> Result<()> {
        match self.fits(m) {
            true => Ok(()),
            false => Err(self.refused(m, self.most(m))),
        }
    }

    /// Landmarks without which there is no fit.
    fn wanted(&self) -> usize {
        if let LandmarkCount::Tolerance(_) = self.count { 1 } else { self.fit.m }
    }

    fn with(&self, m: usize) -> Fit {
        Fit { m, ..self.fit }
    }

    fn fits(&self, m: usize) -> bool {
        if let LandmarkCount::Given(_) = self.count {
            return (self.needed)(&self.with(m)) <= self.budget;
        }
        fits(self.budget, self.method, &self.with(m), self.needed)
    }

    fn most(&self, beyond: usize) -> usize {
        largest(beyond, |m| self.fits(m))
    }

    fn refused(&self, m: usize, fits: usize) -> Error {
        let fit = self.with(m);
        let samples = fit.row_bytes.saturating_mul(m as u64);
        let choice = choice_bytes(self.method, (m, samples), &fit);
        // The choice has a share of the budget alone.
        let choice = choice.saturating_mul(SHARE.1) / SHARE.0;
        let needed = choice.max((self.needed)(&fit));
        let hint = match fits {
            0 => "raise the memory budget".to_string(),
            fits => format!("use at most {fits} landmarks, or raise the memory budget"),
        };
        Error::memory("a fit on the landmarks", needed, self.budget, hint)
    }
}

/// The most landmarks that there can be.
fn asked(count: &LandmarkCount) -> usize {
    match count {
        LandmarkCount::Count(count) => *count,
        LandmarkCount::Tolerance(_) => MOST,
        LandmarkCount::Given(given) => given.count,
    }
}
