//! Explicit feature maps of kernels that count common substrings: one feature for each substring, named by it.
//!
//! The substrings are those of the texts that a map is made with. Others that a new text has share nothing with those, so
//! they have no feature; they count in the text's own length where features are normalised.

use super::embedding::Lengths;
use super::{StringMember, unit, whole};
use crate::error::{Error, Param, Result};
use crate::kernel::spec::Expr;
use crate::kernel::{KernelSpec, Leaf};
use crate::linalg::nonzeros::Nonzeros;
use crate::points::{Span, Strings};
use crate::real::Real;

/// A map from texts to features, most of them 0, whose inner products with those of the texts it was made with are a
/// kernel: `spectrum` and `substrings`, scaled, added and normalised.
#[derive(Clone, Debug)]
pub struct StringMap {
    node: Node,
    known: Strings,
}

#[derive(Clone, Debug)]
enum Node {
    Counts(Lengths),
    Sum(Vec<Node>),
    Scale(f64, Box<Node>),
    Normalize(Box<Node>),
}

impl StringMap {
    /// The map of the kernel `spec` with a feature for each substring of `texts`.
    pub fn new(spec: &KernelSpec, texts: &Strings) -> Result<Self> {
        spec.check()?;
        // A selection shares the substrings of the whole set: only a set of its own has none but its own.
        let known = Strings::new(texts.iter())?;
        Ok(Self { node: Node::new(&spec.0, &known)?, known })
    }

    /// The names of the features, which are the substrings, words with a space between; bytes that are no text are written
    /// as `\xff`. Scales are not part of the names.
    #[doc(hidden)]
    pub fn names(&self) -> Result<Vec<String>> {
        self.node.names(&self.known)
    }

    /// How many features there are.
    #[doc(hidden)]
    pub fn dimension(&self) -> Result<usize> {
        self.node.dimension(&self.known)
    }

    /// The features of `texts` that are not 0: a row for each text, with places that rise.
    pub fn apply<T: Real>(&self, texts: &Strings) -> Result<Nonzeros<T>> {
        self.node.features(texts, &self.known)
    }
}

impl Node {
    fn new(expr: &Expr, known: &Strings) -> Result<Self> {
        let boxed = |expr: &Expr| Node::new(expr, known).map(Box::new);
        Ok(match expr {
            Expr::Leaf(leaf) => Node::Counts(counted(leaf, known)?),
            Expr::Sum(terms) => {
                Node::Sum(terms.iter().map(|term| Node::new(term, known)).collect::<Result<_>>()?)
            }
            Expr::Scale(scale, inner) => Node::Scale(*scale, boxed(inner)?),
            Expr::Normalize(inner) => Node::Normalize(boxed(inner)?),
            Expr::Product(_) | Expr::Columns(..) | Expr::Custom(_) => {
                let message = format!(
                    "no explicit feature map: {} has none here; sums of spectrum and substrings kernels have",
                    KernelSpec(expr.clone())
                );
                return Err(Error::parameter(Param::Kernel, message));
            }
        })
    }

    fn names(&self, known: &Strings) -> Result<Vec<String>> {
        match self {
            Node::Counts(lengths) => lengths.spellings(known),
            Node::Scale(_, inner) | Node::Normalize(inner) => inner.names(known),
            Node::Sum(terms) => {
                let names: Vec<_> =
                    terms.iter().map(|term| term.names(known)).collect::<Result<_>>()?;
                Ok(names.concat())
            }
        }
    }

    fn dimension(&self, known: &Strings) -> Result<usize> {
        match self {
            Node::Counts(lengths) => lengths.distinct(known),
            Node::Scale(_, inner) | Node::Normalize(inner) => inner.dimension(known),
            Node::Sum(terms) => terms.iter().map(|term| term.dimension(known)).sum(),
        }
    }

    fn features<T: Real>(&self, texts: &Strings, known: &Strings) -> Result<Nonzeros<T>> {
        match self {
            Node::Counts(lengths) => lengths.counts_in(texts, known),
            Node::Scale(scale, inner) => {
                let factor = vec![scale.sqrt(); texts.n()];
                Ok(multiplied(&inner.features(texts, known)?, &factor))
            }
            Node::Normalize(inner) => {
                let diagonal = inner.diagonal(texts)?;
                let factor = |k: &f64| if *k > 0.0 { 1.0 / k.sqrt() } else { 0.0 };
                let factors: Vec<f64> = diagonal.iter().map(factor).collect();
                Ok(multiplied(&inner.features(texts, known)?, &factors))
            }
            Node::Sum(terms) => {
                let parts: Vec<_> =
                    terms.iter().map(|term| term.features(texts, known)).collect::<Result<_>>()?;
                let mut firsts = vec![0];
                for term in terms {
                    firsts.push(firsts[firsts.len() - 1] + term.dimension(known)?);
                }
                side_by_side(&parts, &firsts, texts.n())
            }
        }
    }

    /// k(x, x) of every text, substrings without a feature included.
    fn diagonal(&self, texts: &Strings) -> Result<Vec<f64>> {
        match self {
            Node::Counts(lengths) => {
                let mut diagonal = vec![0.0; texts.n()];
                lengths.diag(Span::all(texts), &mut diagonal)?;
                Ok(diagonal)
            }
            Node::Scale(scale, inner) => {
                Ok(inner.diagonal(texts)?.iter().map(|k| scale * k).collect())
            }
            Node::Normalize(inner) => {
                Ok(inner.diagonal(texts)?.iter().map(|k| f64::from(*k > 0.0)).collect())
            }
            Node::Sum(terms) => {
                let mut sum = vec![0.0; texts.n()];
                for term in terms {
                    sum.iter_mut().zip(term.diagonal(texts)?).for_each(|(sum, k)| *sum += k);
                }
                Ok(sum)
            }
        }
    }
}

/// The substrings that the kernel `leaf` counts.
fn counted(leaf: &Leaf, known: &Strings) -> Result<Lengths> {
    let name = leaf.family().name;
    let shortest = match name {
        "spectrum" => whole(leaf, "p"),
        "substrings" => 1,
        _ => {
            let message = format!(
                "no explicit feature map: of the string kernels, spectrum and substrings have one, not {name}"
            );
            return Err(Error::parameter(Param::Kernel, message));
        }
    };
    StringMember::new(leaf)?.check(known)?;
    Ok(Lengths { unit: unit(leaf), lengths: shortest..=whole(leaf, "p") })
}

/// Rows times a number each.
fn multiplied<T: Real>(rows: &Nonzeros<T>, factors: &[f64]) -> Nonzeros<T> {
    let mut out = Nonzeros::new();
    for ((at, values), factor) in rows.all().iter().zip(factors) {
        for (&place, value) in at.iter().zip(values) {
            out.push(place, T::from_f64(value.to_f64() * factor));
        }
        out.end_row();
    }
    out
}

/// The rows of all parts, whose features begin at `firsts` (the last of which is the number of all).
fn side_by_side<T: Real>(parts: &[Nonzeros<T>], firsts: &[usize], n: usize) -> Result<Nonzeros<T>> {
    let all = firsts[firsts.len() - 1];
    if u32::try_from(all).is_err() {
        return Err(Error::Shape(format!("{all} features are more than can be numbered")));
    }
    let mut out = Nonzeros::new();
    for i in 0..n {
        for (part, &first) in parts.iter().zip(firsts) {
            let (at, values) = part.all().row(i);
            at.iter()
                .zip(values)
                .for_each(|(&place, &value)| out.push(first as u32 + place, value));
        }
        out.end_row();
    }
    Ok(out)
}
