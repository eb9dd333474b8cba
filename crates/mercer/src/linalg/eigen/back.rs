//! From the eigenvectors of the tridiagonal matrix to those of the matrix we were given: x = Q₁ Q₂ z.
//!
//! Eigenvectors are independent of each other, which is where the threads come in. Stage two is the business of
//! [`super::wave`], which takes `TOGETHER` eigenvectors at a time, as many as fit into the second-level cache. Stage one
//! takes larger panels of eigenvectors. Its block reflectors are gathered in groups of `GROUP` panels of
//! columns, I − V T Vᵀ with V of `GROUP · WIDTH` columns, so that all of the work is in large matrix products: V is read
//! in place but for its slanted head.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::WIDTH;
use super::band::{Factors, below_unit, panels};
use super::wave::{Diamonds, LANES, Strip};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};

/// Eigenvectors that go through stage two together.
const TOGETHER: usize = 3 * LANES;
/// Eigenvectors that go through stage one together: enough for large products, and for all threads to have some.
fn panel_size(n: usize) -> usize {
    (n / 8).clamp(TOGETHER, 8 * TOGETHER).next_multiple_of(TOGETHER)
}

/// Panels of stage one in a group.
const GROUP: usize = 192 / WIDTH;

/// Rows `order[i]` of `z` (eigenvectors of the tridiagonal matrix), taken back, become rows i of the result.
pub(super) fn transform(
    ctx: &Context,
    a: &Mat<f64>,
    factors: &Factors,
    scales: &[f64],
    z: &Mat<f64>,
    order: &[usize],
    done: &(dyn Fn(f64) -> Result<()> + Sync),
) -> Result<Mat<f64>> {
    let n = a.rows();
    let diamonds = Diamonds::new(a, scales);
    let groups = groups(a, factors);
    let mut out = Mat::try_zeros(n, n)?;
    let count = Mutex::new(0);
    let report = |rows: usize, from: f64| {
        // Held while it is reported, so that progress is reported in order.
        let mut finished = count.lock().unwrap_or_else(PoisonError::into_inner);
        *finished += rows;
        done(from + 0.5 * *finished as f64 / n as f64)
    };
    // The last eigenvectors reach farthest and take longest: they go first.
    let chunks = out.data_mut().par_chunks_mut(TOGETHER * n).zip(order.par_chunks(TOGETHER));
    let wave = |(out, which): (&mut [f64], &[usize])| {
        ctx.poll()?;
        let reach = through_waves(&diamonds, z, which, out);
        report(which.len(), 0.0)?;
        Ok(reach)
    };
    let reaches = chunks.rev().with_max_len(1).map(wave).collect::<Result<Vec<usize>>>()?;
    *count.lock().unwrap_or_else(PoisonError::into_inner) = 0;
    let size = panel_size(n);
    let panels = out.data_mut().par_chunks_mut(size * n).rev().with_max_len(1);
    // Both lists run backwards, so each panel's chunks are found from the end.
    panels.enumerate().try_for_each(|(at, rows)| {
        let count = n.div_ceil(size);
        let first = (count - 1 - at) * (size / TOGETHER);
        let own = first..(first + size / TOGETHER).min(reaches.len());
        let reach = own.map(|chunk| reaches[reaches.len() - 1 - chunk]).max().unwrap_or(0);
        for group in groups.iter().rev().filter(|group| group.top < reach) {
            ctx.poll()?;
            group.apply(a, rows);
        }
        report(rows.len() / n, 0.5)
    })?;
    Ok(out)
}

/// Q₂ z for the given rows of `z`, written to the rows of `out`; how far they reach.
fn through_waves(diamonds: &Diamonds<'_>, z: &Mat<f64>, which: &[usize], out: &mut [f64]) -> usize {
    let n = z.cols();
    let gather =
        |rows: &[usize]| Strip::gather(&rows.iter().map(|&r| z.row(r)).collect::<Vec<_>>(), n);
    let mut strips: Vec<Strip> = which.chunks(LANES).map(gather).collect();
    diamonds.apply(&mut strips);
    for (at, line) in out.chunks_exact_mut(n).enumerate() {
        strips[at / LANES].scatter(at % LANES, line);
    }
    strips.iter().map(Strip::reach).max().unwrap_or(0)
}

/// Block reflectors of stage one, gathered: I − V T Vᵀ on the rows from `top` on.
struct Group {
    top: usize,
    /// First column of V in the matrix.
    first: usize,
    /// Columns of V.
    width: usize,
    /// The first `head.rows()` rows of V, with its ones and zeros; the others are read in place.
    head: Mat<f64>,
    /// width × width.
    t: Mat<f64>,
}

fn groups(a: &Mat<f64>, factors: &Factors) -> Vec<Group> {
    let count = panels(a.rows());
    let starts: Vec<usize> = (0..count).step_by(GROUP).collect();
    starts.into_par_iter().map(|p| Group::new(a, factors, p, GROUP.min(count - p))).collect()
}

impl Group {
    /// The panels `start .. start + count`.
    fn new(a: &Mat<f64>, factors: &Factors, start: usize, count: usize) -> Self {
        let (first, width) = (start * WIDTH, count * WIDTH);
        let top = first + WIDTH;
        let head = width.min(a.rows() - top);
        let short = |j: usize| j < head;
        let head = Mat::from_fn(head, width, |i, j| {
            if short(j) { below_unit(i, j, a[(top + i, first + j)]) } else { 0.0 }
        });
        let mut group = Self { top, first, width, head, t: Mat::zeros(width, width) };
        group.t = group.joined_factor(a, factors, start, count);
        group
    }

    /// The rows of V after the head.
    fn tail<'a>(&self, a: &'a Mat<f64>) -> MatRef<'a, f64> {
        let start = self.top + self.head.rows();
        a.view().row_range(start, a.rows() - start).col_range(self.first, self.width)
    }

    /// T of the product of all panels: (I − V T Vᵀ)(I − v t vᵀ) has the corner −T Vᵀv t beside T and t.
    fn joined_factor(
        &self,
        a: &Mat<f64>,
        factors: &Factors,
        start: usize,
        count: usize,
    ) -> Mat<f64> {
        let width = self.width;
        let mut t = Mat::zeros(width, width);
        for p in 0..count {
            let before = p * WIDTH;
            let own = MatRef::new(factors.of(start + p), WIDTH, WIDTH, WIDTH);
            let mut corner = self.inner(a, before);
            for operand in [true, false] {
                let size = corner.rows();
                let mut next = Mat::zeros(size, WIDTH);
                if operand {
                    multiply(corner.view(), own, next.view_mut(), Onto::Nothing);
                } else {
                    let done = t.view().row_range(0, size).col_range(0, size);
                    multiply(done, corner.view(), next.view_mut(), Onto::Nothing);
                }
                corner = next;
            }
            for i in 0..before {
                for j in 0..WIDTH {
                    t[(i, before + j)] = -corner[(i, j)];
                }
            }
            for i in 0..WIDTH {
                for j in 0..WIDTH {
                    t[(before + i, before + j)] = own.at(i, j);
                }
            }
        }
        t
    }

    /// Vᵀv, where V are the first `before` columns and v the next WIDTH.
    fn inner(&self, a: &Mat<f64>, before: usize) -> Mat<f64> {
        let mut inner = Mat::zeros(before, WIDTH);
        for (part, onto) in [(self.head.view(), Onto::Nothing), (self.tail(a), Onto::Sum)] {
            if before > 0 && part.rows() > 0 {
                let (left, right) = (part.col_range(0, before), part.col_range(before, WIDTH));
                multiply(left.transposed(), right, inner.view_mut(), onto);
            }
        }
        inner
    }

    /// x ← (I − V T Vᵀ) x for every row x of `rows`.
    fn apply(&self, a: &Mat<f64>, rows: &mut [f64]) {
        let n = a.rows();
        let (count, head) = (rows.len() / n, self.head.rows());
        let (tail, rest) = (self.tail(a), n - self.top - head);
        let mut sums = Mat::zeros(count, self.width);
        let x = MatRef::new(rows, count, n, n).col_range(self.top, n - self.top);
        multiply(x.col_range(0, head), self.head.view(), sums.view_mut(), Onto::Nothing);
        if rest > 0 {
            multiply(x.col_range(head, rest), tail, sums.view_mut(), Onto::Sum);
        }
        let mut turned = Mat::zeros(count, self.width);
        multiply(sums.view(), self.t.view().transposed(), turned.view_mut(), Onto::Nothing);
        let mut out = |start, width, v: MatRef<'_, f64>| {
            let out = MatMut::new(&mut rows[start..], count, width, n);
            multiply(turned.view(), v.transposed(), out, Onto::Difference);
        };
        out(self.top, head, self.head.view());
        if rest > 0 {
            out(self.top + head, rest, tail);
        }
    }
}
