//! Eigenpairs of a symmetric tridiagonal matrix, by divide and conquer.
//!
//! The matrix is torn in two at its middle: T = diag(T₁, T₂) + ρ u uᵀ with two non-zeros in u. From the eigenpairs of the
//! halves, T = Z (D + ρ z zᵀ) Zᵀ with z = Zᵀu, and the eigenpairs of a diagonal matrix plus one of rank one come from the
//! secular equation ([`super::secular`]). What does not couple drops out before ([`super::deflate`]): in a graded matrix,
//! as every smooth kernel gives, nearly all of the upper half does.
//!
//! Eigenvectors are rows, and stay in the row where they are: an order, not a sort, says which is which.

use faer::Par;
use faer::diag::{DiagMut, DiagRef};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{
    ComputeEigenvectors, self_adjoint_evd_scratch, tridiagonal_self_adjoint_evd,
};
use rayon::prelude::*;

use super::deflate::{Coupled, deflate};
use super::secular::{Root, Secular, eigenvector, repaired};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut, MatRef};

/// Matrices up to this size are left to the QR algorithm.
const LEAF: usize = 48;
/// Eigenvectors that are computed together.
const PANEL: usize = 64;

/// Eigenvalues (into `diagonal`) and eigenvectors (rows of `z`, n × n, zero before) of the tridiagonal matrix with the
/// given diagonal and subdiagonal; returns the rows in ascending order of eigenvalues.
pub(super) fn solve(
    ctx: &Context,
    diagonal: &mut [f64],
    below: &[f64],
    z: &mut Mat<f64>,
) -> Result<Vec<usize>> {
    let n = diagonal.len();
    let size = diagonal.iter().chain(below).fold(0.0f64, |size, x| size.max(x.abs()));
    let whole = Part { d: diagonal, e: below, z: z.data_mut(), stride: n, first: 0 };
    whole.conquer(ctx, 4.0 * f64::EPSILON * size)
}

/// A diagonal block of the problem.
pub(super) struct Part<'a> {
    /// Its diagonal, then its eigenvalues.
    pub(super) d: &'a mut [f64],
    /// Its subdiagonal; the last entry leads out of the block.
    pub(super) e: &'a [f64],
    /// Its rows of the eigenvector matrix, `stride` numbers each.
    pub(super) z: &'a mut [f64],
    pub(super) stride: usize,
    /// Its first column.
    pub(super) first: usize,
}

impl Part<'_> {
    /// Solves the block; returns its rows in ascending order. What is below `tolerance` counts as zero.
    fn conquer(mut self, ctx: &Context, tolerance: f64) -> Result<Vec<usize>> {
        ctx.poll()?;
        let size = self.d.len();
        if size <= LEAF {
            return self.leaf();
        }
        let middle = size / 2;
        let rho = self.e[middle - 1];
        self.d[middle - 1] -= rho.abs();
        self.d[middle] -= rho.abs();
        let (top, bottom) = self.halves(middle);
        let (low, high) =
            rayon::join(|| top.conquer(ctx, tolerance), || bottom.conquer(ctx, tolerance));
        let (low, high) = (low?, high?);
        let coupling = self.coupling(middle, rho);
        let coupled = deflate(&mut self, coupling, middle, rho.abs(), [&low, &high], tolerance);
        self.merge(ctx, &coupled, middle, rho.abs())?;
        let mut order: Vec<usize> = (0..size).collect();
        order.sort_by(|&i, &j| self.d[i].total_cmp(&self.d[j]));
        Ok(order)
    }

    fn halves(&mut self, middle: usize) -> (Part<'_>, Part<'_>) {
        let (d0, d1) = self.d.split_at_mut(middle);
        let (e0, e1) = self.e.split_at(middle);
        let (z0, z1) = self.z.split_at_mut(middle * self.stride);
        let (stride, first) = (self.stride, self.first);
        (
            Part { d: d0, e: e0, z: z0, stride, first },
            Part { d: d1, e: e1, z: z1, stride, first: first + middle },
        )
    }

    fn leaf(self) -> Result<Vec<usize>> {
        let size = self.d.len();
        let (mut values, mut vectors) = (vec![0.0; size], vec![0.0; size * size]);
        let params = Default::default();
        let need =
            self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::Yes, Par::Seq, params);
        tridiagonal_self_adjoint_evd(
            DiagRef::from_slice(self.d),
            DiagRef::from_slice(&self.e[..size - 1]),
            DiagMut::from_slice_mut(&mut values),
            Some(faer::MatMut::from_column_major_slice_mut(&mut vectors, size, size)),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(need)),
            params,
        )
        .map_err(|_| {
            Error::Numeric("the eigenvalues of a tridiagonal matrix did not converge".into())
        })?;
        self.d.copy_from_slice(&values);
        for (row, vector) in self.z.chunks_exact_mut(self.stride).zip(vectors.chunks_exact(size)) {
            row[self.first..self.first + size].copy_from_slice(vector);
        }
        Ok((0..size).collect())
    }

    /// z = Zᵀu, u having a one at the end of the upper half and the sign of `rho` at the start of the lower.
    fn coupling(&self, middle: usize, rho: f64) -> Vec<f64> {
        let sign = if rho < 0.0 { -1.0 } else { 1.0 };
        let seam = self.first + middle;
        let entry = |(i, row): (usize, &[f64])| {
            if i < middle { row[seam - 1] } else { sign * row[seam] }
        };
        self.z.chunks_exact(self.stride).enumerate().map(entry).collect()
    }

    /// Replaces the coupled eigenpairs of the halves by those of the whole.
    fn merge(&mut self, ctx: &Context, coupled: &Coupled, middle: usize, rho: f64) -> Result<()> {
        let count = coupled.rows.len();
        let secular = Secular { d: &coupled.d, z: &coupled.z, rho };
        let roots: Vec<Root> =
            (0..count).into_par_iter().with_min_len(16).map(|j| secular.root(j)).collect();
        let origins: Vec<f64> = roots.iter().map(|root| coupled.d[root.origin]).collect();
        let offsets: Vec<f64> = roots.iter().map(|root| root.offset).collect();
        let repair = |i: usize| {
            let mut size = 0.0;
            repaired::<f64>(&coupled.d, &origins, &offsets, i, &mut size);
            size.copysign(coupled.z[i])
        };
        let z: Vec<f64> = (0..count).into_par_iter().with_min_len(16).map(repair).collect();
        let spectrum = Spectrum { d: &coupled.d, z: &z, origins: &origins, offsets: &offsets };
        let halves = [
            (&coupled.upper, self.first, middle),
            (&coupled.lower, self.first + middle, self.d.len() - middle),
        ]
        .map(|(which, column, width)| {
            Half::new(coupled, which, self.z, self.stride, column, width)
        });
        let mut places = self.places(&coupled.rows);
        places.par_chunks_mut(PANEL).with_max_len(1).enumerate().try_for_each(
            |(panel, rows)| {
                ctx.poll()?;
                spectrum.rotate(panel * PANEL, &halves, rows);
                Ok(())
            },
        )?;
        for (j, &row) in coupled.rows.iter().enumerate() {
            self.d[row] = origins[j] + offsets[j];
        }
        Ok(())
    }

    /// The given rows of z, in that order.
    fn places(&mut self, which: &[usize]) -> Vec<&mut [f64]> {
        let mut all: Vec<Option<&mut [f64]>> =
            self.z.chunks_exact_mut(self.stride).map(Some).collect();
        which.iter().map(|&row| all[row].take().expect("a row is named once")).collect()
    }
}

/// The coupled eigenvectors of one half, side by side.
struct Half<'a> {
    /// Which of the coupled eigenvectors are not zero in this half.
    which: &'a [usize],
    /// which.len() × width.
    vectors: Mat<f64>,
    column: usize,
}

impl<'a> Half<'a> {
    fn new(
        coupled: &Coupled,
        which: &'a [usize],
        z: &[f64],
        stride: usize,
        column: usize,
        width: usize,
    ) -> Self {
        let mut vectors = Mat::zeros(which.len(), width);
        vectors.data_mut().par_chunks_mut(width).with_min_len(64).zip(which).for_each(
            |(out, &at)| {
                let start = coupled.rows[at] * stride + column;
                out.copy_from_slice(&z[start..start + width]);
            },
        );
        Self { which, vectors, column }
    }
}

/// The eigenpairs of D + ρ z zᵀ.
struct Spectrum<'a> {
    d: &'a [f64],
    z: &'a [f64],
    origins: &'a [f64],
    offsets: &'a [f64],
}

impl Spectrum<'_> {
    /// Eigenvectors `first ..` of the whole, one into each of `rows`.
    fn rotate(&self, first: usize, halves: &[Half<'_>; 2], rows: &mut [&mut [f64]]) {
        let count = rows.len();
        let mut u = Mat::zeros(count, self.d.len());
        for i in 0..count {
            eigenvector::<f64>(
                self.d,
                self.z,
                self.origins[first + i],
                self.offsets[first + i],
                u.row_mut(i),
            );
        }
        for half in halves {
            let width = half.vectors.cols();
            let part = Mat::from_fn(count, half.which.len(), |i, j| u[(i, half.which[j])]);
            let mut out = vec![0.0; count * width];
            if !half.which.is_empty() {
                let part = MatRef::new(part.data(), count, half.which.len(), half.which.len());
                multiply(
                    part,
                    half.vectors.view(),
                    MatMut::new(&mut out, count, width, width),
                    Onto::Nothing,
                );
            }
            for (row, line) in rows.iter_mut().zip(out.chunks_exact(width)) {
                row[half.column..half.column + width].copy_from_slice(line);
            }
        }
    }
}
