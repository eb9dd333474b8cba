//! k(z, z) and how it moves with z: always along z itself.

use super::super::Member;
use super::super::measure::Measure;
use crate::error::Result;
use crate::kernel::expression::Node;
use crate::points::{Dense, Samples, Span};
use crate::real::Real;

/// k(z, z) of rows with its gradient, ∇ k(z, z) = `along`·z.
pub(super) struct Diagonal<T> {
    pub values: Vec<T>,
    pub along: Vec<T>,
}

impl Node {
    pub(super) fn diagonal<T: Real>(&self, rows: Span<'_, Dense<T>>) -> Result<Diagonal<T>> {
        let mut diagonal =
            Diagonal { values: vec![T::ZERO; rows.len()], along: vec![T::ZERO; rows.len()] };
        match self {
            Node::Member(member) => diagonal_of_member(member, rows, &mut diagonal),
            Node::Sum(terms) => {
                for (scale, term) in terms {
                    diagonal.add(T::from_f64(*scale), &term.diagonal(rows)?);
                }
            }
            Node::Product(factors) => {
                diagonal.values.fill(T::ONE);
                for factor in factors {
                    diagonal.multiply(&factor.diagonal(rows)?);
                }
            }
            // A normalised kernel is 1 wherever it is not 0.
            Node::Normalize(_) => {
                let samples = Samples::from(rows.points);
                self.diag(Span::new(&samples, rows.range()), &mut diagonal.values)?;
            }
            Node::Columns(..) | Node::Mapped(..) | Node::Custom(_) | Node::Texts(_) => {
                return Err(super::no_gradient());
            }
        }
        Ok(diagonal)
    }
}

fn diagonal_of_member<T: Real>(
    member: &Member,
    rows: Span<'_, Dense<T>>,
    diagonal: &mut Diagonal<T>,
) {
    let measure = member.measure();
    measure.fill_diag(rows, &mut diagonal.values);
    if measure != Measure::Dot {
        // The distance or angle of a sample to itself never moves.
        return member.apply(&mut diagonal.values);
    }
    let norms = diagonal.values.clone();
    member.apply(&mut diagonal.values);
    member.slopes(&norms, &diagonal.values, &mut diagonal.along);
    diagonal.along.iter_mut().for_each(|slope| *slope += *slope);
}

impl<T: Real> Diagonal<T> {
    fn add(&mut self, scale: T, other: &Self) {
        self.values.iter_mut().zip(&other.values).for_each(|(sum, &v)| *sum += scale * v);
        self.along.iter_mut().zip(&other.along).for_each(|(sum, &v)| *sum += scale * v);
    }

    fn multiply(&mut self, other: &Self) {
        for i in 0..self.values.len() {
            let (k, more) = (self.values[i], other.values[i]);
            self.along[i] = k * other.along[i] + more * self.along[i];
            self.values[i] = k * more;
        }
    }
}
