//! The backward pass: the weights of a tile, carried through the expression to its parameters.

use super::column_sums::{add_column_sums, add_period_sums};
use super::forward::{Tape, merge};
use super::tree::{Part, Slot, Term, Tuned};
use crate::error::Result;
use crate::kernel::vector::measure::inverse_roots;

impl Part {
    /// Adds Σ_ij A_ij ∂k/∂log θ to `sums`, with A the `weights` of the values of `tape`.
    pub fn backward(&self, tape: &Tape<'_>, weights: Vec<f64>, sums: &mut [f64]) -> Result<()> {
        match self {
            Part::Member(tuned) => tuned.backward(tape, weights, sums),
            Part::Fixed(_) => Ok(()),
            Part::Sum(terms) => terms
                .iter()
                .zip(&tape.parts)
                .try_for_each(|(term, part)| term.backward(part, &weights, sums)),
            Part::Product(factors) => factors.iter().enumerate().try_for_each(|(own, factor)| {
                let mut weights = weights.clone();
                let others = tape.parts.iter().enumerate().filter(|(other, _)| *other != own);
                others.for_each(|(_, part)| merge(&mut weights, &part.values, |w, v| *w *= v));
                factor.backward(&tape.parts[own], weights, sums)
            }),
            Part::Normalize(inner) => inner.backward_of_normalized(tape, weights, sums),
            // The tape is that of the columns.
            Part::Columns(_, inner) => inner.backward(tape, weights, sums),
        }
    }

    /// For v = k(x, y) / √(k(x, x) k(y, y)): ∂v = ∂k(x, y) / √… − ½ v (∂k(x, x) / k(x, x) + ∂k(y, y) / k(y, y)).
    fn backward_of_normalized(
        &self,
        tape: &Tape<'_>,
        mut weights: Vec<f64>,
        sums: &mut [f64],
    ) -> Result<()> {
        let (left, right) = (&tape.diagonals.0, &tape.diagonals.1);
        let width = right.len();
        let (mut rows, mut cols) = (vec![0.0; left.len()], vec![0.0; width]);
        for (at, (w, v)) in weights.iter().zip(&tape.values).enumerate() {
            rows[at / width] -= 0.5 * w * v;
            cols[at % width] -= 0.5 * w * v;
        }
        let divide = |share: &mut f64, k: f64| *share = if k == 0.0 { 0.0 } else { *share / k };
        merge(&mut rows, left, divide);
        merge(&mut cols, right, divide);
        self.backward_diagonal(tape.rows, &rows, sums)?;
        self.backward_diagonal(tape.cols, &cols, sums)?;
        let (left, right) = (inverse_roots(left), inverse_roots(right));
        for (line, l) in weights.chunks_mut(width.max(1)).zip(&left) {
            merge(line, &right, |w, r| *w *= l * r);
        }
        self.backward(&tape.parts[0], weights, sums)
    }
}

impl Term {
    fn backward(&self, part: &Tape<'_>, weights: &[f64], sums: &mut [f64]) -> Result<()> {
        if let Some(slot) = self.slot {
            sums[slot] += self.scale * dot(weights, &part.values);
        }
        let scaled = weights.iter().map(|w| self.scale * w).collect();
        self.part.backward(part, scaled, sums)
    }
}

impl Tuned {
    fn backward(&self, tape: &Tape<'_>, weights: Vec<f64>, sums: &mut [f64]) -> Result<()> {
        let is_mapped = |slot: &&Slot| slot.per_column || slot.name == "period";
        let mut slopes = vec![0.0; weights.len()];
        for slot in self.slots.iter().filter(|slot| !is_mapped(slot)) {
            self.member.log_slopes(slot.name, &tape.measured, &tape.values, &mut slopes);
            sums[slot.first] += dot(&weights, &slopes);
        }
        if !self.slots.iter().any(|slot| is_mapped(&slot)) {
            return Ok(());
        }
        self.member.slopes(&tape.measured, &tape.values, &mut slopes);
        for ((slope, w), &t) in slopes.iter_mut().zip(&weights).zip(&tape.measured) {
            // Where rows meet in a tip there is no slope; nor does a parameter move what is measured there.
            *slope = if t == 0.0 { 0.0 } else { *slope * w };
        }
        self.slots.iter().filter(is_mapped).try_for_each(|slot| match slot.name {
            "period" => add_period_sums(slot, tape, &slopes, sums),
            _ => add_column_sums(slot, self, tape, &slopes, sums),
        })
    }
}

/// xᵀy, in eight partial sums that the compiler can keep in registers.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    for (x, y) in x.chunks_exact(8).zip(y.chunks_exact(8)) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    let rest = x.len() / 8 * 8;
    let tail: f64 = x[rest..].iter().zip(&y[rest..]).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + tail
}
