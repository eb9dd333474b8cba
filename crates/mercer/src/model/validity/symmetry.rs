//! How far a matrix differs from its mirror image, and where.

use rayon::prelude::*;

use crate::context::Context;
use crate::error::Result;
use crate::linalg::view::MatRef;
use crate::real::Real;

/// Rows and columns that are compared with their mirror image at a time, so that both stay in the nearest cache.
const BLOCK: usize = 64;

/// The worst difference from the mirror image.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Asymmetry {
    /// |K_ij − K_ji| relative to the largest |K_ij|.
    pub(super) relative: f64,
    /// (i, j) with i > j; none where the matrix is its mirror image.
    pub(super) place: Option<(usize, usize)>,
}

impl Asymmetry {
    /// Of a square matrix of finite numbers.
    pub(super) fn of<T: Real>(ctx: &Context, matrix: MatRef<'_, T>) -> Result<Asymmetry> {
        let blocks = matrix.rows().div_ceil(BLOCK);
        let worst = ctx.install(|| {
            (0..blocks)
                .into_par_iter()
                .map(|i| {
                    ctx.poll()?;
                    let found = (0..=i).map(|j| Worst::within(matrix, i, j));
                    Ok(found.fold(Worst::default(), Worst::worse))
                })
                .try_reduce(Worst::default, |a, b| Ok(a.worse(b)))
        })?;
        let apart = worst.half_apart > 0.0;
        Ok(Asymmetry {
            relative: if apart { worst.half_apart / (0.5 * worst.largest) } else { 0.0 },
            place: apart.then_some((worst.row, worst.column)),
        })
    }
}

#[derive(Clone, Copy, Default)]
struct Worst {
    /// Half the difference: the whole might overflow.
    half_apart: f64,
    row: usize,
    column: usize,
    largest: f64,
}

impl Worst {
    fn within<T: Real>(matrix: MatRef<'_, T>, i: usize, j: usize) -> Worst {
        let (n, mut worst) = (matrix.rows(), Worst::default());
        for row in i * BLOCK..((i + 1) * BLOCK).min(n) {
            for column in j * BLOCK..((j + 1) * BLOCK).min(row + 1) {
                let (a, b) = (matrix.at(row, column).to_f64(), matrix.at(column, row).to_f64());
                let half_apart = (0.5 * a - 0.5 * b).abs();
                let largest = worst.largest.max(a.abs()).max(b.abs());
                if half_apart > worst.half_apart {
                    worst = Worst { half_apart, row, column, largest };
                }
                worst.largest = largest;
            }
        }
        worst
    }

    /// The worse of two; of equal ones the first in the matrix, whichever thread found it.
    fn worse(self, other: Worst) -> Worst {
        let largest = self.largest.max(other.largest);
        let place = |worst: &Worst| (worst.row, worst.column);
        let second = other.half_apart > self.half_apart
            || (other.half_apart == self.half_apart && place(&other) < place(&self));
        Worst { largest, ..if second { other } else { self } }
    }
}
