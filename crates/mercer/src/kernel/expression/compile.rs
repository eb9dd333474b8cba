//! Turns a description into what is evaluated.

use crate::error::{Error, Param, Result};
use crate::kernel::spec::Expr;
use crate::kernel::vector::{Member, RowMap};
use crate::kernel::{Custom, Input, StringMember};
use crate::real::Real;

/// An expression with its scales moved into the sums. A scaled kernel is a sum of one term.
#[derive(Debug, Clone)]
pub(in crate::kernel) enum Node {
    Member(Member),
    Sum(Vec<(f64, Node)>),
    Product(Vec<Node>),
    Normalize(Box<Node>),
    Columns(Vec<String>, Box<Node>),
    /// A kernel on rows that are mapped first.
    Mapped(RowMap, Box<Node>),
    Custom(Custom),
    Texts(StringMember),
}

/// The node for `expr`, whose numbers must lie within the range of `T`.
pub(super) fn compile<T: Real>(expr: &Expr) -> Result<Node> {
    let all = |exprs: &[Expr]| exprs.iter().map(compile::<T>).collect::<Result<Vec<_>>>();
    match expr {
        Expr::Leaf(leaf) if leaf.family().input == Input::Strings => {
            let member = StringMember::new(leaf)?;
            let fits = member.constants().into_iter().all(|c| T::from_f64(c).is_finite());
            if fits { Ok(Node::Texts(member)) } else { Err(beyond::<T>(leaf)) }
        }
        Expr::Leaf(leaf) => {
            let member = Member::new(leaf);
            // The γ of a tiny sigma, say, may overflow in f32 where sigma itself does not.
            let fits = member.constants().into_iter().all(|c| T::from_f64(c).is_finite());
            let node = if fits { Node::Member(member) } else { return Err(beyond::<T>(leaf)) };
            Ok(match Member::row_map(leaf) {
                None => node,
                Some(map) => Node::Mapped(map, Box::new(node)),
            })
        }
        Expr::Sum(terms) => Ok(Node::Sum(terms.iter().map(term::<T>).collect::<Result<_>>()?)),
        Expr::Scale(..) => Ok(Node::Sum(vec![term::<T>(expr)?])),
        Expr::Product(factors) => Ok(Node::Product(all(factors)?)),
        // A scale cancels when normalised.
        Expr::Normalize(inner) => Ok(Node::Normalize(Box::new(term::<T>(inner)?.1))),
        Expr::Columns(names, inner) => {
            Ok(Node::Columns(names.clone(), Box::new(compile::<T>(inner)?)))
        }
        Expr::Custom(custom) => Ok(Node::Custom(custom.clone())),
    }
}

fn term<T: Real>(expr: &Expr) -> Result<(f64, Node)> {
    match expr {
        Expr::Scale(scale, inner) => match T::from_f64(*scale) {
            t if t > T::ZERO && t.is_finite() => Ok((*scale, compile::<T>(inner)?)),
            _ => Err(beyond::<T>(scale)),
        },
        other => Ok((1.0, compile::<T>(other)?)),
    }
}

fn beyond<T: Real>(what: &impl std::fmt::Display) -> Error {
    Error::parameter(Param::Kernel, format!("{what} exceeds the range of {}", T::NAME))
}
