//! Whether a matrix is a valid kernel matrix (symmetric and positive semidefinite), and how an indefinite one can be repaired.
//!
//! A function is a kernel iff its matrix is symmetric and positive semi-definite, aᵀKa ≥ 0 for all a, on *every* set of
//! samples. One matrix can therefore prove that a function is not a kernel, by a witness a with aᵀKa < 0, but never that it
//! is one: the answer is always about the samples that were looked at.
//!
//! A principal submatrix of a positive semi-definite matrix is one too. So of a large matrix a part is looked at: a
//! witness found there is a witness for the whole.

mod correction;
mod methods;
mod nearest;
mod newton;
mod part;
mod product;
mod repair;
mod symmetry;
mod verdict;
mod witness;

#[cfg(test)]
mod tests;

pub use correction::Correction;
pub use repair::{FittedRepair, Repair, Repaired};
pub use verdict::Verdict;
pub use witness::Witness;

use serde::Serialize;

use super::report::asymmetric;
use crate::context::{Context, Stream};
use crate::error::Result;
use crate::gram::Precomputed;
use crate::linalg::eigen::{self, Eigen};
use crate::linalg::view::MatRef;
use crate::points::{AnyMat, with_matrix};
use crate::real::Real;
use crate::solve::threshold::negative_share;
use part::Part;
use symmetry::Asymmetry;

/// Samples whose eigenvalues are computed at most. All eigenvalues of so many take some ten seconds; an indefinite
/// kernel shows on far fewer.
#[doc(hidden)]
pub const MOST_EXAMINED: usize = 3000;

/// What a square matrix of kernel values shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Validity {
    /// Rows of the matrix.
    pub samples: usize,
    /// Samples whose eigenvalues were computed: all, or [`MOST_EXAMINED`] drawn at random with a fixed seed.
    pub examined: usize,
    /// The largest |K_ij − K_ji| relative to the largest |K_ij|.
    pub asymmetry: f64,
    /// Where that is, if the matrix differs from its mirror image at all.
    pub asymmetric_at: Option<(usize, usize)>,
    /// The eigenvalues of the symmetric part (K + Kᵀ)/2 of the samples examined, descending.
    pub eigenvalues: Vec<f64>,
    /// How far the smallest eigenvalue lies below zero, relative to the largest absolute one: 0 if it does not.
    pub ratio: f64,
    /// Negative eigenvalues down to minus this may be rounding errors.
    pub noise: f64,
    /// The share of the negative spectrum: Σ|λ < 0| / Σ|λ|. A sum over rounding errors where there is nothing else.
    pub negative_share: f64,
    /// A vector a with aᵀKa < 0, if the matrix is indefinite beyond rounding.
    pub witness: Option<Witness>,
    /// The answer.
    pub verdict: Verdict,
}

/// What is wrong with a matrix that is not symmetric but for rounding; `None` for one that is.
#[doc(hidden)]
pub fn asymmetry<'a>(matrix: impl Into<AnyMat<'a>>) -> Result<Option<String>> {
    with_matrix!(matrix.into(), matrix => asymmetry_of(matrix))
}

fn asymmetry_of<T: Real>(matrix: MatRef<'_, T>) -> Result<Option<String>> {
    Ok(asymmetric::<T>(Precomputed::new(matrix)?.asymmetry()))
}

impl Validity {
    /// Looks at the square matrix `matrix` of kernel values of samples with themselves. The type of its numbers says how
    /// exactly they were computed. A matrix that is not square, or a number that is not finite, is an error.
    pub fn of<'a>(ctx: &Context, matrix: impl Into<AnyMat<'a>>) -> Result<Validity> {
        Self::with_limit(ctx, matrix, MOST_EXAMINED)
    }

    /// The same with the eigenvalues of at most `most` samples.
    #[doc(hidden)]
    pub fn with_limit<'a>(
        ctx: &Context,
        matrix: impl Into<AnyMat<'a>>,
        most: usize,
    ) -> Result<Validity> {
        Self::with_limit_any(ctx, matrix.into(), most)
    }

    fn with_limit_any(ctx: &Context, matrix: AnyMat<'_>, most: usize) -> Result<Validity> {
        with_matrix!(matrix, matrix => Self::of_matrix(ctx, matrix, most))
    }

    fn of_matrix<T: Real>(ctx: &Context, matrix: MatRef<'_, T>, most: usize) -> Result<Validity> {
        Self::need(ctx, matrix.rows().min(most.max(1)), 0)?;
        ctx.install(|| Precomputed::new(matrix).map(drop))?;
        let asymmetry = Asymmetry::of(ctx, matrix)?;
        let which = chosen(matrix.rows(), most.max(1));
        let part = Part::of(ctx, matrix, &which)?;
        let pairs = part.eigen(ctx)?;
        Ok(Self::assess::<T>(matrix.rows(), asymmetry, &which, &part, &pairs))
    }

    /// Refuses to look at `examined` samples where that takes more than what is left of the budget, beside `more` bytes for
    /// their kernel values.
    #[doc(hidden)]
    pub fn need(ctx: &Context, examined: usize, more: u64) -> Result<()> {
        let needed = 2_u64.saturating_mul(square_bytes(examined)).saturating_add(more);
        let needed = needed.saturating_add(eigen::workspace_bytes(examined));
        ctx.need("the eigenvalues of the kernel matrix", needed, HINT)
    }

    fn assess<T: Real>(
        samples: usize,
        asymmetry: Asymmetry,
        which: &[usize],
        part: &Part,
        pairs: &Eigen,
    ) -> Validity {
        let spectrum = Spectrum::of::<T>(&pairs.values);
        let witness = (spectrum.ratio > spectrum.noise).then(|| {
            let last = pairs.vectors.row(pairs.values.len() - 1);
            witness::find(part, last, &spectrum).among(which)
        });
        let verdict = match asymmetric::<T>(asymmetry.relative).and(asymmetry.place) {
            Some((row, column)) => {
                Verdict::NotSymmetric { asymmetry: asymmetry.relative, row, column }
            }
            None if witness.is_some() => {
                Verdict::Indefinite { ratio: spectrum.ratio, examined: which.len(), samples }
            }
            None => Verdict::Valid { examined: which.len(), samples },
        };
        Validity {
            samples,
            examined: which.len(),
            asymmetry: asymmetry.relative,
            asymmetric_at: asymmetry.place,
            eigenvalues: pairs.values.iter().map(|value| value * part.scale).collect(),
            ratio: spectrum.ratio,
            noise: spectrum.noise * spectrum.size * part.scale,
            negative_share: spectrum.negative_share,
            witness,
            verdict,
        }
    }

    /// Whether nothing speaks against a kernel, on the samples that were examined.
    pub fn is_valid(&self) -> bool {
        matches!(self.verdict, Verdict::Valid { .. })
    }

    /// The largest eigenvalue.
    #[doc(hidden)]
    pub fn largest(&self) -> f64 {
        self.eigenvalues[0]
    }

    /// The smallest eigenvalue.
    #[doc(hidden)]
    pub fn smallest(&self) -> f64 {
        self.eigenvalues[self.eigenvalues.len() - 1]
    }
}

/// The samples to look at, ascending.
fn chosen(n: usize, most: usize) -> Vec<usize> {
    match n <= most {
        true => (0..n).collect(),
        false => Stream::new(0, "samples examined for validity").sample(n, most),
    }
}

/// What the eigenvalues of a symmetric matrix say, each number relative to the largest absolute one.
#[derive(Clone, Copy, Debug)]
struct Spectrum {
    /// The largest absolute eigenvalue.
    size: f64,
    /// How far the smallest lies below zero.
    ratio: f64,
    /// Down to here negative eigenvalues may be rounding errors.
    noise: f64,
    negative_share: f64,
}

impl Spectrum {
    /// From eigenvalues in descending order, of which there is at least one, of a matrix of numbers of type `T`.
    fn of<T: Real>(values: &[f64]) -> Self {
        let (first, last) = (values[0], values[values.len() - 1]);
        let size = first.abs().max(last.abs());
        let unit = if size > 0.0 { size } else { 1.0 };
        let all: f64 = values.iter().map(|value| (value / unit).abs()).sum();
        let negative: f64 = values.iter().map(|value| (-value / unit).max(0.0)).sum();
        Self {
            size,
            ratio: (-last / unit).max(0.0),
            noise: negative_share(T::EPSILON, values.len()),
            negative_share: if all > 0.0 { negative / all } else { 0.0 },
        }
    }
}

const HINT: &str = "examine fewer samples (max_samples) or raise the memory budget";

/// Bytes of an n × n matrix.
fn square_bytes(n: usize) -> u64 {
    (n as u64).saturating_mul(n as u64).saturating_mul(8)
}

impl Part {
    /// All eigenpairs.
    fn eigen(&self, ctx: &Context) -> Result<Eigen> {
        let n = self.matrix.rows();
        let needed = square_bytes(n).saturating_add(eigen::workspace_bytes(n));
        let _reservation = ctx.reserve("the eigenvalues of the kernel matrix", needed, HINT)?;
        eigen::symmetric(ctx, self.copy()?)
    }
}
