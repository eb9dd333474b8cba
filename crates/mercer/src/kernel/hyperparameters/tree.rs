//! An expression whose parts know which hyperparameters they have.

use std::f64::consts::TAU;

use crate::error::Result;
use crate::kernel::spec::{Expr, varied_of};
use crate::kernel::vector::{Member, RowMap};
use crate::kernel::{Input, KernelSpec, Leaf, SpecKernel};

/// A part of a kernel. Scales stand in sums; a scaled kernel is a sum of one term.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Member(Box<Tuned>),
    Sum(Vec<Term>),
    Product(Vec<Part>),
    Normalize(Box<Part>),
    Columns(Vec<String>, Box<Part>),
    /// Without parameters to vary: a user-defined function, or a kernel on texts.
    Fixed(SpecKernel<f64>),
}

/// A member of a family, what it does to rows first, and its parameters.
#[derive(Debug, Clone)]
pub(super) struct Tuned {
    pub member: Member,
    pub map: Option<RowMap>,
    pub slots: Vec<Slot>,
}

/// A parameter of a member: its name, the place of its first number among all hyperparameters, and whether each column has one.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub name: &'static str,
    pub first: usize,
    pub per_column: bool,
    numbers: Vec<f64>,
}

/// A weighted term of a sum, and the place of its weight, if that may be varied.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub scale: f64,
    pub slot: Option<usize>,
    pub part: Part,
}

impl Part {
    /// The whole kernel, whose size is a parameter if `size` says so. Hyperparameters are counted in the order in which
    /// `KernelSpec::hyperparameters` lists them.
    pub fn root(expr: &Expr, size: bool, count: &mut usize) -> Result<Self> {
        match expr {
            Expr::Sum(terms) => {
                let mut term = |(k, term)| Term::new(term, size || k > 0, count);
                terms.iter().enumerate().map(&mut term).collect::<Result<_>>().map(Part::Sum)
            }
            Expr::Scale(..) => Ok(Part::Sum(vec![Term::new(expr, size, count)?])),
            whole if size => Ok(Part::Sum(vec![Term::new(whole, true, count)?])),
            whole => Self::within(whole, count),
        }
    }

    fn within(expr: &Expr, count: &mut usize) -> Result<Self> {
        let boxed = |inner: &Expr, count: &mut usize| Self::root(inner, false, count).map(Box::new);
        Ok(match expr {
            Expr::Leaf(leaf) if leaf.family().input != Input::Strings => {
                Part::Member(Box::new(Tuned::new(leaf, count)))
            }
            Expr::Leaf(_) | Expr::Custom(_) => {
                Part::Fixed(SpecKernel::new(&KernelSpec(expr.clone()))?)
            }
            Expr::Sum(_) | Expr::Scale(..) => Self::root(expr, false, count)?,
            Expr::Product(factors) => {
                let factor = |factor| Self::root(factor, false, count);
                Part::Product(factors.iter().map(factor).collect::<Result<_>>()?)
            }
            // A scale cancels when normalised.
            Expr::Normalize(inner) => Part::Normalize(boxed(inner, count)?),
            Expr::Columns(names, inner) => Part::Columns(names.clone(), boxed(inner, count)?),
        })
    }
}

impl Term {
    fn new(expr: &Expr, varies: bool, count: &mut usize) -> Result<Self> {
        let (scale, inner) = expr.clone().split_scale();
        let slot = varies.then(|| next(count, 1));
        Ok(Self { scale, slot, part: Part::within(&inner, count)? })
    }
}

impl Tuned {
    fn new(leaf: &Leaf, count: &mut usize) -> Self {
        let slots = varied_of(leaf).map(|(_, parameter, numbers)| Slot {
            name: parameter.name,
            first: next(count, numbers.len()),
            per_column: leaf.list(parameter.name).is_some(),
            numbers,
        });
        let slots = slots.collect();
        Self { member: Member::new(leaf), map: Member::row_map(leaf), slots }
    }

    /// Whether rows become points on circles, two columns for each.
    pub fn is_periodic(&self) -> bool {
        matches!(self.member, Member::Periodic(_))
    }
}

impl Slot {
    /// The angle that a difference in the column c is, where the numbers are periods.
    pub fn angle(&self, c: usize, difference: f64) -> f64 {
        TAU * difference / self.numbers[if self.per_column { c } else { 0 }]
    }
}

/// The next place for so many numbers.
fn next(count: &mut usize, numbers: usize) -> usize {
    *count += numbers;
    *count - numbers
}
