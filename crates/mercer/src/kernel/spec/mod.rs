//! The closed description of a kernel on vectors: an expression of families that prints and parses
//! to the same thing.
//!
//! Expressions are kept in one canonical shape (sums and products flat, scales in front), so that
//! equal text means an equal value. A description made in Rust may hold any numbers; there is one
//! place that judges them, the parser, and [`KernelSpec::check`] hands it the printed form. So
//! every error can point at a character.

mod build;
mod input;
mod leaf;
mod lexer;
mod member;
mod parse;
mod print;
mod resolve;
mod suggest;

pub use leaf::Leaf;

use crate::error::Result;
use crate::kernel::{Family, Value};

/// A description of a kernel on vectors, such as `0.5*rbf(sigma=2) + poly(degree=2)*linear`.
///
/// ```
/// use mercer::KernelSpec;
/// let spec: KernelSpec = "0.5 * gaussian(sigma=2) + poly(2) * linear".parse()?;
/// assert_eq!(spec.to_string(), "0.5*rbf(sigma=2) + poly(degree=2)*linear");
/// assert!(spec.is_resolved() && spec.positive_definite());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, PartialEq)]
pub struct KernelSpec(pub(super) Expr);

/// The expression itself. A sum or product has at least two parts, none of its own kind; a scale is
/// never inside a product or another scale.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expr {
    Leaf(Leaf),
    Sum(Vec<Expr>),
    Product(Vec<Expr>),
    Scale(f64, Box<Expr>),
    Normalize(Box<Expr>),
}

impl KernelSpec {
    /// Whether every parameter is a number, so that the kernel can be evaluated.
    pub fn is_resolved(&self) -> bool {
        self.0.leaves().iter().all(|leaf| {
            leaf.effective().all(|(_, value)| matches!(value, Some(Value::Number(_)) | None))
        })
    }

    /// Whether the kernel is known to be positive definite on every data set. Sums, products,
    /// positive scales and normalised forms of such kernels are.
    pub fn positive_definite(&self) -> bool {
        self.0.leaves().iter().all(|leaf| leaf.positive_definite())
    }

    /// The family, if the kernel is a plain member of one.
    pub fn family(&self) -> Option<&'static Family> {
        self.as_leaf().map(Leaf::family)
    }

    /// The kernel as a plain member of a family.
    pub fn as_leaf(&self) -> Option<&Leaf> {
        match &self.0 {
            Expr::Leaf(leaf) => Some(leaf),
            _ => None,
        }
    }

    /// Refuses values outside their domains, with an error that points into the printed form. What
    /// was parsed has passed already.
    pub fn check(&self) -> Result<()> {
        self.to_string().parse::<KernelSpec>().map(drop)
    }
}

impl Expr {
    /// The sum of `terms`, of which there is at least one.
    fn sum(terms: Vec<Expr>) -> Expr {
        let flat = terms.into_iter().flat_map(|term| match term {
            Expr::Sum(inner) => inner,
            other => vec![other],
        });
        Expr::one_or(flat.collect(), Expr::Sum)
    }

    /// The product of `factors`, of which there is at least one.
    fn product(factors: Vec<Expr>) -> Expr {
        let (mut scale, mut flat) = (1.0, Vec::with_capacity(factors.len()));
        for factor in factors {
            let (c, inner) = factor.split_scale();
            scale *= c;
            match inner {
                Expr::Product(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        Expr::one_or(flat, Expr::Product).scale(scale)
    }

    fn scale(self, scale: f64) -> Expr {
        let (own, inner) = self.split_scale();
        match own * scale {
            1.0 => inner,
            scale => Expr::Scale(scale, Box::new(inner)),
        }
    }

    fn split_scale(self) -> (f64, Expr) {
        match self {
            Expr::Scale(scale, inner) => (scale, *inner),
            other => (1.0, other),
        }
    }

    fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
        if parts.len() == 1 { parts.remove(0) } else { many(parts) }
    }

    fn leaves(&self) -> Vec<&Leaf> {
        match self {
            Expr::Leaf(leaf) => vec![leaf],
            Expr::Sum(parts) | Expr::Product(parts) => {
                parts.iter().flat_map(Expr::leaves).collect()
            }
            Expr::Scale(_, inner) | Expr::Normalize(inner) => inner.leaves(),
        }
    }

    /// The same expression with every leaf replaced by `f` of it.
    fn map_leaves(&self, f: &mut impl FnMut(&Leaf) -> Result<Leaf>) -> Result<Expr> {
        Ok(match self {
            Expr::Leaf(leaf) => Expr::Leaf(f(leaf)?),
            Expr::Sum(parts) => Expr::Sum(map_all(parts, f)?),
            Expr::Product(parts) => Expr::Product(map_all(parts, f)?),
            Expr::Scale(scale, inner) => Expr::Scale(*scale, Box::new(inner.map_leaves(f)?)),
            Expr::Normalize(inner) => Expr::Normalize(Box::new(inner.map_leaves(f)?)),
        })
    }
}

fn map_all(parts: &[Expr], f: &mut impl FnMut(&Leaf) -> Result<Leaf>) -> Result<Vec<Expr>> {
    parts.iter().map(|part| part.map_leaves(f)).collect()
}
