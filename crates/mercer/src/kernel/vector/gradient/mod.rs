//! Gradients of a kernel by its first sample.
//!
//! For every kernel on vectors that has one, ∇_z k(z, x) lies in the plane of z and x: it is a·x + e·z with two numbers
//! for each pair. Sums add them, products follow the product rule, a normalised kernel the quotient rule. So the
//! gradient of a weighted sum of kernel values is one product of a matrix of numbers with the samples.

mod diagonal;
mod rules;
#[cfg(test)]
mod tests;

pub use rules::Gradients;

use super::Member;
use super::measure::{Measure, inverse_roots};
use crate::error::{Error, Param, Result};
use crate::kernel::Tile;
use crate::kernel::expression::{Node, SpecKernel};
use crate::points::{Dense, Span};
use crate::real::Real;

impl<T: Real> SpecKernel<T> {
    /// The part of the kernel that has no gradient where two samples meet; `None` for a kernel that has one everywhere.
    #[doc(hidden)]
    pub fn kink(&self) -> Option<&'static str> {
        kink(self.root())
    }

    /// Writes values and gradients for every row of `rows` and every row of `cols`. Only for a kernel without
    /// [`SpecKernel::kink`].
    #[doc(hidden)]
    pub fn gradients(
        &self,
        rows: Span<'_, Dense<T>>,
        cols: Span<'_, Dense<T>>,
        out: &mut Gradients<T>,
    ) -> Result<()> {
        let (d, other) = (rows.points.d(), cols.points.d());
        if d != other {
            let text =
                format!("samples with {d} features cannot be compared with samples with {other}");
            return Err(Error::Shape(text));
        }
        debug_assert!(self.kink().is_none(), "the kernel has a kink");
        self.root().gradients(rows, cols, out)
    }

    /// k(z, z) of every row, and the numbers c with ∇ k(z, z) = c·z.
    #[doc(hidden)]
    pub fn diagonal_gradients(&self, rows: Span<'_, Dense<T>>) -> Result<(Vec<T>, Vec<T>)> {
        let diagonal = self.root().diagonal(rows)?;
        Ok((diagonal.values, diagonal.along))
    }

    /// The squared distance at which the kernel has the value `value`, in (0, 1]; `None` unless the kernel is a single
    /// family that falls with the distance from 1 on.
    #[doc(hidden)]
    pub fn squared_distance_at(&self, value: f64) -> Option<f64> {
        match self.root() {
            Node::Member(member) => member.measured_from(value),
            _ => None,
        }
    }
}

fn kink(node: &Node) -> Option<&'static str> {
    match node {
        Node::Member(member) if member.is_smooth() => None,
        Node::Member(Member::Matern(_)) => Some("matern with nu=0.5"),
        Node::Member(member) => Some(member.family().name),
        Node::Sum(terms) => terms.iter().find_map(|(_, term)| kink(term)),
        Node::Product(factors) => factors.iter().find_map(kink),
        Node::Normalize(inner) => kink(inner),
        Node::Columns(..) => Some("columns"),
        Node::Mapped(..) => Some("a kernel with a width for each column or a period"),
        Node::Custom(_) => Some("custom"),
        Node::Texts(_) => Some("texts"),
    }
}

impl Node {
    fn gradients<T: Real>(
        &self,
        rows: Span<'_, Dense<T>>,
        cols: Span<'_, Dense<T>>,
        out: &mut Gradients<T>,
    ) -> Result<()> {
        let mut next = Gradients::default();
        match self {
            Node::Member(member) => of_member(member, rows, cols, out),
            Node::Sum(terms) => {
                let (scale, first) = &terms[0];
                first.gradients(rows, cols, out)?;
                out.scale(T::from_f64(*scale));
                for (scale, term) in &terms[1..] {
                    term.gradients(rows, cols, &mut next)?;
                    out.add(T::from_f64(*scale), &next);
                }
            }
            Node::Product(factors) => {
                factors[0].gradients(rows, cols, out)?;
                for factor in &factors[1..] {
                    factor.gradients(rows, cols, &mut next)?;
                    out.multiply(&next);
                }
            }
            Node::Normalize(inner) => {
                inner.gradients(rows, cols, out)?;
                out.normalize(&inner.diagonal(rows)?, &inner.diagonal(cols)?.values);
            }
            Node::Columns(..) | Node::Mapped(..) | Node::Custom(_) | Node::Texts(_) => {
                return Err(no_gradient());
            }
        }
        Ok(())
    }
}

/// What is on groups of columns, or a function of the user's, has a kink as far as anybody knows.
fn no_gradient() -> Error {
    Error::parameter(Param::Kernel, "only kernels on whole rows of numbers have gradients")
}

fn of_member<T: Real>(
    member: &Member,
    rows: Span<'_, Dense<T>>,
    cols: Span<'_, Dense<T>>,
    out: &mut Gradients<T>,
) {
    let (height, width) = (rows.len(), cols.len());
    out.resize(height, width);
    let tile = &mut Tile::new(&mut out.values, height, width, width);
    member.measure().fill(rows, cols, tile);
    // Row by row, so that the steps find their numbers in the nearest cache.
    let scales = Scales::of(member.measure(), rows, cols);
    for i in 0..height {
        let place = i * width..(i + 1) * width;
        let (values, across, along) =
            (&mut out.values[place.clone()], &mut out.across[place.clone()], &mut out.along[place]);
        across.copy_from_slice(values);
        member.apply(values);
        member.slopes(across, values, along);
        scales.turn(i, across, along);
    }
}

/// How a measure between z and x moves with z.
enum Scales<T> {
    /// ∇ zᵀx = x.
    Dot,
    /// ∇ ‖z − x‖² = 2z − 2x.
    SquaredDistance,
    /// ∇ cos = x / (‖z‖‖x‖) − cos · z / ‖z‖²: one over the lengths, 0 for a row of zeros.
    Cosine { rows: Vec<T>, cols: Vec<T> },
}

impl<T: Real> Scales<T> {
    fn of(measure: Measure, rows: Span<'_, Dense<T>>, cols: Span<'_, Dense<T>>) -> Self {
        let norms = |span: Span<'_, Dense<T>>| inverse_roots(&span.points.norms()[span.range()]);
        match measure {
            // The slope of a constant is 0, whatever it is multiplied with.
            Measure::Dot | Measure::Constant => Scales::Dot,
            Measure::SquaredDistance => Scales::SquaredDistance,
            Measure::Cosine => Scales::Cosine { rows: norms(rows), cols: norms(cols) },
            Measure::Manhattan
            | Measure::Hellinger
            | Measure::Minimum
            | Measure::ChiProduct
            | Measure::ChiDistance
            | Measure::JensenShannon
            | Measure::Gower
            | Measure::Mismatches => unreachable!("{measure:?} has kinks"),
        }
    }

    /// For row i: measured numbers in `across` and slopes of the profile in `along` become the factors of x and z.
    fn turn(&self, i: usize, across: &mut [T], along: &mut [T]) {
        let both = across.iter_mut().zip(along);
        match self {
            Scales::Dot => both.for_each(|(a, e)| (*a, *e) = (*e, T::ZERO)),
            Scales::SquaredDistance => both.for_each(|(a, e)| {
                let twice = *e + *e;
                (*a, *e) = (-twice, twice);
            }),
            Scales::Cosine { rows, cols } => both.zip(cols).for_each(|((a, e), &col)| {
                let slope = *e;
                (*a, *e) = (slope * rows[i] * col, -(slope * *a * rows[i] * rows[i]));
            }),
        }
    }
}
