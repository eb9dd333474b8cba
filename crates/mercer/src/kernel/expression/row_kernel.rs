//! A kernel between two sets of rows in the form that a device computes: numbers measured between rows, formulas of them, and sums and
//! products of these. What rows are mapped to, and what samples are divided by, is computed before.

use super::SpecKernel;
use super::compile::Node;
use crate::error::{Error, Param, Result};
use crate::kernel::spec::check_histograms;
use crate::kernel::vector::measure::{Measure, inverse_roots};
use crate::kernel::vector::{Formula, Member};
use crate::linalg::pairing::Pairing;
use crate::points::{Dense, Points, Samples, Span};

/// Kernel values between rows x_i (n × d) and y_j (m × d).
#[derive(Clone, Debug)]
pub enum RowKernel {
    /// formula(pairing(x_i, y_j)).
    Leaf {
        /// The rows.
        x: Dense<f64>,
        /// The columns.
        y: Dense<f64>,
        /// What is measured; for a constant it does not matter.
        pairing: Pairing,
        /// What becomes of it.
        formula: Formula,
    },
    /// Σ scale · values.
    Sum(Vec<(f64, RowKernel)>),
    /// Π values.
    Product(Vec<RowKernel>),
    /// left_i · value · right_j.
    Scaled {
        /// The values.
        inner: Box<RowKernel>,
        /// n factors.
        left: Vec<f64>,
        /// m factors.
        right: Vec<f64>,
    },
    /// (value − left_i) − right_j.
    Less {
        /// The values.
        inner: Box<RowKernel>,
        /// n numbers.
        left: Vec<f64>,
        /// m numbers.
        right: Vec<f64>,
    },
}

impl RowKernel {
    /// The kernel between the rows `from..to` and all columns.
    pub fn rows(&self, from: usize, to: usize) -> Self {
        let part = |inner: &Self| Box::new(inner.rows(from, to));
        match self {
            Self::Leaf { x, y, pairing, formula } => {
                let range: Vec<usize> = (from..to).collect();
                let x = if (from, to) == (0, x.n()) { x.clone() } else { x.select(&range) };
                Self::Leaf { x, y: y.clone(), pairing: *pairing, formula: *formula }
            }
            Self::Sum(terms) => {
                Self::Sum(terms.iter().map(|(c, inner)| (*c, inner.rows(from, to))).collect())
            }
            Self::Product(factors) => {
                Self::Product(factors.iter().map(|inner| inner.rows(from, to)).collect())
            }
            Self::Scaled { inner, left, right } => {
                let (left, right) = (left[from..to].to_vec(), right.clone());
                Self::Scaled { inner: part(inner), left, right }
            }
            Self::Less { inner, left, right } => {
                let (left, right) = (left[from..to].to_vec(), right.clone());
                Self::Less { inner: part(inner), left, right }
            }
        }
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        match self {
            Self::Leaf { x, y, .. } => (x.n(), y.n()),
            Self::Sum(terms) => terms[0].1.shape(),
            Self::Product(factors) => factors[0].shape(),
            Self::Scaled { inner, .. } | Self::Less { inner, .. } => inner.shape(),
        }
    }
}

impl SpecKernel<f64> {
    /// This kernel between `x` and `y` as a device computes it. Refuses samples and kernels that only the processor computes.
    #[doc(hidden)]
    pub fn row_kernel(&self, x: &Samples<f64>, y: &Samples<f64>) -> Result<RowKernel> {
        node(self.root(), x, y)
    }

    /// Whether devices compute it, of dense rows.
    #[doc(hidden)]
    pub fn is_for_devices(&self) -> bool {
        is_for_devices(self.root())
    }
}

fn is_for_devices(root: &Node) -> bool {
    match root {
        Node::Member(_) => true,
        Node::Mapped(_, inner) | Node::Normalize(inner) => is_for_devices(inner),
        Node::Sum(terms) => terms.iter().all(|(_, inner)| is_for_devices(inner)),
        Node::Product(factors) => factors.iter().all(is_for_devices),
        Node::Columns(..) | Node::Custom(_) | Node::Texts(_) => false,
    }
}

fn node(root: &Node, x: &Samples<f64>, y: &Samples<f64>) -> Result<RowKernel> {
    match root {
        Node::Member(member) => leaf(member, x, y),
        Node::Mapped(map, inner) => {
            dense(x)?;
            let left = map.apply(x)?;
            let right = if x.is_same(y) { left.clone() } else { map.apply(y)? };
            node(inner, &left, &right)
        }
        Node::Sum(terms) => {
            let terms = terms.iter().map(|(c, inner)| Ok((*c, node(inner, x, y)?)));
            Ok(RowKernel::Sum(terms.collect::<Result<_>>()?))
        }
        Node::Product(factors) => {
            let factors = factors.iter().map(|inner| node(inner, x, y));
            Ok(RowKernel::Product(factors.collect::<Result<_>>()?))
        }
        Node::Normalize(inner) => {
            let lengths = |of: &Samples<f64>| Ok(inverse_roots(&inner.lengths(Span::all(of))?));
            let (left, right) = (lengths(x)?, lengths(y)?);
            Ok(RowKernel::Scaled { inner: Box::new(node(inner, x, y)?), left, right })
        }
        Node::Columns(..) => Err(processor("groups of columns")),
        Node::Custom(_) => Err(processor("user-defined kernels")),
        Node::Texts(_) => Err(processor("kernels on strings")),
    }
}

fn leaf(member: &Member, x: &Samples<f64>, y: &Samples<f64>) -> Result<RowKernel> {
    let (rows, cols) = (dense(x)?, dense(y)?);
    let measure = member.measure();
    if measure.is_of_histograms() {
        check_histograms(x)?;
        check_histograms(y)?;
    }
    let pairing = measure.pairing().unwrap_or(Pairing::Dot);
    let formula = member.formula(rows.d());
    let of = |x: &Dense<f64>, y: &Dense<f64>| RowKernel::Leaf {
        x: x.clone(),
        y: y.clone(),
        pairing,
        formula,
    };
    Ok(match measure {
        Measure::Hellinger => of(rows.roots(), cols.roots()),
        Measure::Cosine => RowKernel::Scaled {
            inner: Box::new(of(rows, cols)),
            left: inverse_roots(rows.norms()),
            right: inverse_roots(cols.norms()),
        },
        _ => of(rows, cols),
    })
}

fn dense(x: &Samples<f64>) -> Result<&Dense<f64>> {
    x.dense().ok_or_else(|| match x {
        Samples::Sparse(_) => processor("sparse rows"),
        other => processor(other.kind()),
    })
}

fn processor(what: &str) -> Error {
    let message = format!("{what} are computed on the processor only: use device cpu");
    Error::parameter(Param::Device, message)
}
