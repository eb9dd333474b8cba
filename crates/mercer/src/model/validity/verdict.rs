//! The verdict in words.

use std::fmt::{Display, Formatter, Result};

use serde::Serialize;

use super::{Validity, Witness};

/// Samples of a witness that are named in words.
const NAMED: usize = 6;

/// What a matrix of kernel values says of the function it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum Verdict {
    /// Symmetric and positive semi-definite on the samples examined, up to rounding. Nothing is said of other samples.
    Valid {
        /// Samples whose eigenvalues were computed.
        examined: usize,
        /// All samples.
        samples: usize,
    },
    /// k(x, y) and k(y, x) differ.
    NotSymmetric {
        /// By how much at most, relative to the largest entry.
        asymmetry: f64,
        /// Row of the entry that differs most from its mirror image.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// Some aᵀKa is negative.
    Indefinite {
        /// The most negative eigenvalue relative to the largest absolute one.
        ratio: f64,
        /// Samples whose eigenvalues were computed.
        examined: usize,
        /// All samples.
        samples: usize,
    },
}

impl Display for Verdict {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match *self {
            Verdict::Valid { examined, samples } => {
                write!(f, "valid on {}, up to rounding", these(examined, samples))
            }
            Verdict::NotSymmetric { asymmetry, row, column } => write!(
                f,
                "not a kernel: not symmetric, k({row}, {column}) and k({column}, {row}) differ by {asymmetry:.1e} of the \
                 largest value"
            ),
            Verdict::Indefinite { ratio, examined, samples } => write!(
                f,
                "not a kernel: indefinite on {}, the most negative eigenvalue is {ratio:.2e} of the largest",
                these(examined, samples)
            ),
        }
    }
}

/// The samples that were looked at.
fn these(examined: usize, samples: usize) -> String {
    match (examined == samples, samples) {
        (true, 1) => "this 1 sample".into(),
        (true, _) => format!("these {samples} samples"),
        (false, _) => format!("{examined} samples drawn at random from {samples}"),
    }
}

impl Display for Validity {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        writeln!(f, "{}", self.verdict)?;
        match self.asymmetric_at {
            Some((i, j)) => {
                writeln!(f, "symmetry: differs by {:.1e} at ({i}, {j})", self.asymmetry)?
            }
            None => writeln!(f, "symmetry: exact")?,
        }
        writeln!(
            f,
            "eigenvalues: {:.4e} to {:.4e}, negative share {:.2e}, noise {:.1e}",
            self.smallest(),
            self.largest(),
            self.negative_share,
            self.noise
        )?;
        match &self.witness {
            Some(witness) => write!(f, "witness: {witness}"),
            None => write!(f, "witness: none, which proves nothing about other samples"),
        }
    }
}

impl Display for Witness {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let count = self.samples.len();
        let named: Vec<String> = self
            .samples
            .iter()
            .zip(&self.weights)
            .take(NAMED)
            .map(|(sample, weight)| format!("{weight:+.4} at sample {sample}"))
            .collect();
        let more =
            if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
        write!(f, "aᵀKa = {:.4e} for a = {}{more}", self.value, named.join(", "))
    }
}
