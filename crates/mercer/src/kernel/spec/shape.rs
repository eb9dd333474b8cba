//! The outermost operation of a kernel, for programs that take descriptions apart.

use super::{Expr, KernelSpec, Leaf};

/// What a kernel is made of. Sums and products have at least two parts, none of their own kind.
pub enum Shape<'a> {
    /// A member of a family.
    Member(&'a Leaf),
    /// A sum of kernels.
    Sum(Vec<KernelSpec>),
    /// A product of kernels.
    Product(Vec<KernelSpec>),
    /// A positive multiple of a kernel.
    Scale(f64, KernelSpec),
    /// The normalised form of a kernel.
    Normalize(KernelSpec),
    /// A kernel on the columns of these names.
    Columns(&'a [String], KernelSpec),
    /// A user-defined function, by its name.
    Custom(&'a str),
}

impl KernelSpec {
    /// The outermost operation, with its operands.
    #[doc(hidden)]
    pub fn shape(&self) -> Shape<'_> {
        let one = |expr: &Expr| KernelSpec(expr.clone());
        let all = |parts: &[Expr]| parts.iter().map(one).collect();
        match &self.0 {
            Expr::Leaf(leaf) => Shape::Member(leaf),
            Expr::Sum(parts) => Shape::Sum(all(parts)),
            Expr::Product(parts) => Shape::Product(all(parts)),
            Expr::Scale(factor, inner) => Shape::Scale(*factor, one(inner)),
            Expr::Normalize(inner) => Shape::Normalize(one(inner)),
            Expr::Columns(names, inner) => Shape::Columns(names, one(inner)),
            Expr::Custom(custom) => Shape::Custom(custom.name()),
        }
    }
}
