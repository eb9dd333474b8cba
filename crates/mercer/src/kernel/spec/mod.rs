//! The closed description of a kernel on vectors: an expression of families that prints and parses
//! to the same thing.
//!
//! Expressions are kept in one canonical shape (sums and products flat, scales in front), so that
//! equal text means an equal value. A description made in Rust may hold any numbers; the parser
//! is the one place that validates them, and [`KernelSpec::check`] passes it the printed form. So
//! every error can point at a character.

mod build;
mod fill;
mod input;
mod leaf;
mod lexer;
mod member;
mod parse;
mod print;
mod resolve;
mod shape;
mod suggest;
mod vary;

pub use fill::Filled;
pub(super) use input::{check_histograms, group_of, not_for};
pub use leaf::Leaf;
pub use shape::Shape;
pub(crate) use suggest::nearest;
pub use vary::Hyperparameter;
pub(in crate::kernel) use vary::varied_of;

use std::sync::Arc;

use crate::error::Result;
use crate::kernel::{Custom, CustomKernel, Family, Input, Value};

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
    /// The columns of these names alone.
    Columns(Vec<String>, Box<Expr>),
    Custom(Custom),
}

impl KernelSpec {
    /// Whether every parameter is a number or a word, so that the kernel can be evaluated.
    #[doc(hidden)]
    pub fn is_resolved(&self) -> bool {
        self.0
            .leaves()
            .iter()
            .all(|leaf| leaf.effective().all(|(_, value)| !matches!(value, Some(Value::Rule(_)))))
    }

    /// Whether the kernel is known to be positive definite on every data set. Sums, products,
    /// positive scales and normalised forms of such kernels are.
    pub fn positive_definite(&self) -> bool {
        !self.0.any(&|expr| matches!(expr, Expr::Custom(_)))
            && self.0.leaves().iter().all(|leaf| leaf.positive_definite())
    }

    /// The groups of columns that the kernel names, each once, in order of appearance; empty for a kernel on whole
    /// samples.
    #[doc(hidden)]
    pub fn columns(&self) -> Vec<&[String]> {
        let mut groups: Vec<&[String]> = Vec::new();
        self.0.visit(&mut |expr| {
            if let Expr::Columns(names, _) = expr
                && !groups.contains(&names.as_slice())
            {
                groups.push(names);
            }
        });
        groups
    }

    /// The kernel on the group of columns `names`, if each part of the kernel is on columns: what decides whether the
    /// group holds texts or numbers.
    #[doc(hidden)]
    pub fn on_columns(&self, names: &[String]) -> Option<KernelSpec> {
        let mut found = None;
        self.0.visit(&mut |expr| {
            if let Expr::Columns(own, inner) = expr
                && own == names
                && found.is_none()
            {
                found = Some(KernelSpec((**inner).clone()));
            }
        });
        found
    }

    /// What kind of samples the kernel is for, by its first family; none for a user-defined function alone.
    #[doc(hidden)]
    pub fn input(&self) -> Option<Input> {
        self.0.leaves().first().map(|leaf| leaf.family().input)
    }

    /// Whether a part of the kernel compares histograms, whose numbers are not negative.
    #[doc(hidden)]
    pub fn needs_histograms(&self) -> bool {
        self.0.leaves().iter().any(|leaf| leaf.family().input == Input::Histograms)
    }

    /// Whether a part of the kernel compares categories.
    #[doc(hidden)]
    pub fn needs_categories(&self) -> bool {
        self.0.leaves().iter().any(|leaf| leaf.family().input == Input::Categories)
    }

    /// Whether a part of the kernel measures distances, so that columns of larger numbers count more.
    #[doc(hidden)]
    pub fn has_width(&self) -> bool {
        let names = ["rbf", "laplacian", "matern", "rational_quadratic"];
        self.0.leaves().iter().any(|leaf| names.contains(&leaf.family().name))
    }

    /// Whether a part of the kernel repeats after a period, which is in the units of the columns.
    #[doc(hidden)]
    pub fn has_period(&self) -> bool {
        self.0.leaves().iter().any(|leaf| leaf.family().name == "periodic")
    }

    /// Whether every family of the kernel compares categories.
    #[doc(hidden)]
    pub fn is_for_categories(&self) -> bool {
        let leaves = self.0.leaves();
        !leaves.is_empty() && leaves.iter().all(|leaf| leaf.family().input == Input::Categories)
    }

    /// The user-defined functions in the kernel.
    #[doc(hidden)]
    pub fn custom_functions(&self) -> Vec<&Custom> {
        let mut found = Vec::new();
        self.0.visit(&mut |expr| {
            if let Expr::Custom(custom) = expr {
                found.push(custom);
            }
        });
        found
    }

    /// The names of the user-defined functions in the kernel.
    #[doc(hidden)]
    pub fn custom_names(&self) -> Vec<&str> {
        self.custom_functions().into_iter().map(Custom::name).collect()
    }

    /// The same kernel with `function` for every `custom(name)`.
    #[doc(hidden)]
    pub fn bind(&self, name: &str, function: Arc<dyn CustomKernel>) -> KernelSpec {
        KernelSpec(self.0.map(&mut |expr| match expr {
            Expr::Custom(custom) if custom.name() == name => {
                Expr::Custom(custom.bound_to(function.clone()))
            }
            other => other,
        }))
    }

    /// The family, if the kernel is a plain member of one.
    #[doc(hidden)]
    pub fn family(&self) -> Option<&'static Family> {
        self.as_leaf().map(Leaf::family)
    }

    /// The kernel as a plain member of a family.
    #[doc(hidden)]
    pub fn as_leaf(&self) -> Option<&Leaf> {
        match &self.0 {
            Expr::Leaf(leaf) => Some(leaf),
            _ => None,
        }
    }

    /// Refuses values outside their domains, with an error that points into the printed form. What
    /// was parsed has passed already.
    #[doc(hidden)]
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

    pub(in crate::kernel) fn split_scale(self) -> (f64, Expr) {
        match self {
            Expr::Scale(scale, inner) => (scale, *inner),
            other => (1.0, other),
        }
    }

    fn one_or(mut parts: Vec<Expr>, many: fn(Vec<Expr>) -> Expr) -> Expr {
        if parts.len() == 1 { parts.remove(0) } else { many(parts) }
    }

    /// The parts of which this expression is directly made.
    fn parts(&self) -> &[Expr] {
        match self {
            Expr::Leaf(_) | Expr::Custom(_) => &[],
            Expr::Sum(parts) | Expr::Product(parts) => parts,
            Expr::Scale(_, inner) | Expr::Normalize(inner) | Expr::Columns(_, inner) => {
                std::slice::from_ref(&**inner)
            }
        }
    }

    /// Shows this expression and all within it to `f`, from left to right.
    fn visit<'a>(&'a self, f: &mut impl FnMut(&'a Expr)) {
        f(self);
        for part in self.parts() {
            part.visit(f);
        }
    }

    fn any(&self, is: &impl Fn(&Expr) -> bool) -> bool {
        is(self) || self.parts().iter().any(|part| part.any(is))
    }

    fn leaves(&self) -> Vec<&Leaf> {
        let mut leaves = Vec::new();
        self.visit(&mut |expr| {
            if let Expr::Leaf(leaf) = expr {
                leaves.push(leaf);
            }
        });
        leaves
    }

    /// The same expression with `f` of every leaf and every user-defined function.
    fn map(&self, f: &mut impl FnMut(Expr) -> Expr) -> Expr {
        let mut all = |parts: &[Expr]| parts.iter().map(|part| part.map(f)).collect();
        match self {
            Expr::Sum(parts) => Expr::Sum(all(parts)),
            Expr::Product(parts) => Expr::Product(all(parts)),
            Expr::Scale(scale, inner) => Expr::Scale(*scale, Box::new(inner.map(f))),
            Expr::Normalize(inner) => Expr::Normalize(Box::new(inner.map(f))),
            Expr::Columns(names, inner) => Expr::Columns(names.clone(), Box::new(inner.map(f))),
            Expr::Leaf(_) | Expr::Custom(_) => f(self.clone()),
        }
    }
}
