//! k(z, z) and how it moves with z: always along z itself.

use super::super::Member;
use super::super::measure::Measure;
use crate::error::Result;
use crate::kernel::expression::Node;
use crate::points::{Dense, Samples, Span};
use crate::real::Real;

/// k(z, z) of rows with its gradient, ∇ k(z, z) = `along`·z.
pub(super) struct Own<T> {
    pub values: Vec<T>,
    pub along: Vec<T>,
}

impl Node {
    pub(super) fn own<T: Real>(&self, rows: Span<'_, Dense<T>>) -> Result<Own<T>> {
        let mut own = Own { values: vec![T::ZERO; rows.len()], along: vec![T::ZERO; rows.len()] };
        match self {
            Node::Member(member) => own_of_member(member, rows, &mut own),
            Node::Sum(terms) => {
                for (scale, term) in terms {
                    own.add(T::of(*scale), &term.own(rows)?);
                }
            }
            Node::Product(factors) => {
                own.values.fill(T::ONE);
                for factor in factors {
                    own.multiply(&factor.own(rows)?);
                }
            }
            // A normalised kernel is 1 wherever it is not 0.
            Node::Normalize(_) => {
                let samples = Samples::from(rows.points);
                self.diag(Span::new(&samples, rows.range()), &mut own.values)?;
            }
            Node::Columns(..) | Node::Own(_) | Node::Texts(_) => return Err(super::no_gradient()),
        }
        Ok(own)
    }
}

fn own_of_member<T: Real>(member: &Member, rows: Span<'_, Dense<T>>, own: &mut Own<T>) {
    let measure = member.measure();
    measure.fill_diag(rows, &mut own.values);
    if measure != Measure::Dot {
        // The distance or angle of a sample to itself never moves.
        return member.apply(&mut own.values);
    }
    let norms = own.values.clone();
    member.apply(&mut own.values);
    member.slopes(&norms, &own.values, &mut own.along);
    own.along.iter_mut().for_each(|slope| *slope += *slope);
}

impl<T: Real> Own<T> {
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
