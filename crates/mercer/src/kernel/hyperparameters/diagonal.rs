//! The same for k(x, x), which normalising divides by.

use super::backward::dot;
use super::forward::merge;
use super::tree::{Part, Tuned};
use crate::error::Result;
use crate::kernel::Kernel;
use crate::kernel::expression::fill_diag;
use crate::kernel::spec::group_of;
use crate::points::{Samples, Span};

impl Part {
    /// k(x, x) of every sample.
    pub fn diagonal(&self, points: Span<'_, Samples<f64>>) -> Result<Vec<f64>> {
        let mut out = vec![0.0; points.len()];
        match self {
            Part::Member(tuned) => return Ok(tuned.diagonal(points)?.1),
            Part::Fixed(kernel) => kernel.diag(points, &mut out)?,
            Part::Sum(terms) => {
                for term in terms {
                    let values = term.part.diagonal(points)?;
                    merge(&mut out, &values, |sum, v| *sum += term.scale * v);
                }
            }
            Part::Product(factors) => {
                out.fill(1.0);
                for factor in factors {
                    merge(&mut out, &factor.diagonal(points)?, |product, v| *product *= v);
                }
            }
            Part::Normalize(inner) => {
                let one = |v: &f64| if *v == 0.0 { 0.0 } else { 1.0 };
                out = inner.diagonal(points)?.iter().map(one).collect();
            }
            Part::Columns(names, inner) => {
                return inner.diagonal(Span::new(group_of(points.points, names)?, points.range()));
            }
        }
        Ok(out)
    }

    /// Adds Σ_i a_i ∂k(x_i, x_i)/∂log θ to `sums`.
    pub fn backward_diagonal(
        &self,
        points: Span<'_, Samples<f64>>,
        weights: &[f64],
        sums: &mut [f64],
    ) -> Result<()> {
        match self {
            Part::Member(tuned) => tuned.backward_diagonal(points, weights, sums),
            // A normalised kernel is 1 wherever it is not 0.
            Part::Fixed(_) | Part::Normalize(_) => Ok(()),
            Part::Sum(terms) => terms.iter().try_for_each(|term| {
                if let Some(slot) = term.slot {
                    sums[slot] += term.scale * dot(weights, &term.part.diagonal(points)?);
                }
                let scaled: Vec<f64> = weights.iter().map(|w| term.scale * w).collect();
                term.part.backward_diagonal(points, &scaled, sums)
            }),
            Part::Product(factors) => {
                let values: Vec<Vec<f64>> =
                    factors.iter().map(|factor| factor.diagonal(points)).collect::<Result<_>>()?;
                factors.iter().enumerate().try_for_each(|(own, factor)| {
                    let mut weights = weights.to_vec();
                    let others = values.iter().enumerate().filter(|(other, _)| *other != own);
                    others.for_each(|(_, values)| merge(&mut weights, values, |w, v| *w *= v));
                    factor.backward_diagonal(points, &weights, sums)
                })
            }
            Part::Columns(names, inner) => {
                let group = Span::new(group_of(points.points, names)?, points.range());
                inner.backward_diagonal(group, weights, sums)
            }
        }
    }
}

impl Tuned {
    /// What is measured between each sample and itself, and the kernel value.
    pub fn diagonal(&self, points: Span<'_, Samples<f64>>) -> Result<(Vec<f64>, Vec<f64>)> {
        let mapped = self.map.as_ref().map(|map| map.apply(points.points)).transpose()?;
        let seen = mapped.as_ref().unwrap_or(points.points);
        let mut measured = vec![0.0; points.len()];
        fill_diag(self.member.measure(), Span::new(seen, points.range()), &mut measured)?;
        let mut values = measured.clone();
        self.member.apply(&mut values);
        Ok((measured, values))
    }

    /// Numbers for each column are units of distances, and no distance of a sample to itself moves with its unit.
    fn backward_diagonal(
        &self,
        points: Span<'_, Samples<f64>>,
        weights: &[f64],
        sums: &mut [f64],
    ) -> Result<()> {
        let (measured, values) = self.diagonal(points)?;
        let mut slopes = vec![0.0; weights.len()];
        let numbers = self.slots.iter().filter(|slot| !slot.per_column && slot.name != "period");
        for slot in numbers {
            self.member.log_slopes(slot.name, &measured, &values, &mut slopes);
            sums[slot.first] += dot(weights, &slopes);
        }
        Ok(())
    }
}
