//! The same way back, down to the samples: Σ_j A_ij ∇ k(x_i, y_j) by the sample x_i, also where columns have widths of their own, which the
//! gradients of single pairs do not know.

use super::TunedKernel;
use super::column_sums::numbers;
use super::forward::{Tape, merge};
use super::tree::{Part, Tuned};
use crate::error::{Error, Param, Result};
use crate::kernel::vector::measure::{Measure, inverse_roots};
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatRef};
use crate::points::{Samples, Span};

impl TunedKernel {
    /// Σ_j A_ij ∇ k(x_i, y_j) for each row i, `rows.len()` × d; A is `rows.len()` × `cols.len()`, row-major. Kernels with a kink, and those
    /// on groups of columns, are refused.
    pub fn input_gradients(
        &self,
        rows: Span<'_, Samples<f64>>,
        cols: Span<'_, Samples<f64>>,
        weights: Vec<f64>,
    ) -> Result<Mat<f64>> {
        self.root.check_smooth()?;
        let mut out = Mat::zeros(rows.len(), rows.points.features());
        let tape = self.root.forward(rows, cols)?;
        self.root.backward_inputs(&tape, weights, &mut out)?;
        Ok(out)
    }
}

impl Part {
    fn check_smooth(&self) -> Result<()> {
        let refuse = |what: &str| {
            let message = format!(
                "{what} has no gradient by its samples: choose a smooth kernel on whole rows of numbers"
            );
            Err(Error::parameter(Param::Kernel, message))
        };
        match self {
            Part::Member(tuned) if tuned.member.is_smooth() => Ok(()),
            Part::Member(tuned) => refuse(tuned.member.family().name),
            Part::Sum(terms) => terms.iter().try_for_each(|term| term.part.check_smooth()),
            Part::Product(factors) => factors.iter().try_for_each(Part::check_smooth),
            Part::Normalize(inner) => inner.check_smooth(),
            Part::Columns(..) => refuse("a kernel on groups of columns"),
            Part::Fixed(_) => refuse("a kernel on texts or a user-defined function"),
        }
    }

    fn backward_inputs(
        &self,
        tape: &Tape<'_>,
        weights: Vec<f64>,
        out: &mut Mat<f64>,
    ) -> Result<()> {
        match self {
            Part::Member(tuned) => tuned.backward_inputs(tape, &weights, out),
            Part::Sum(terms) => terms.iter().zip(&tape.parts).try_for_each(|(term, part)| {
                let scaled = weights.iter().map(|w| term.scale * w).collect();
                term.part.backward_inputs(part, scaled, out)
            }),
            Part::Product(factors) => factors.iter().enumerate().try_for_each(|(own, factor)| {
                let mut weights = weights.clone();
                let others = tape.parts.iter().enumerate().filter(|(other, _)| *other != own);
                others.for_each(|(_, part)| merge(&mut weights, &part.values, |w, v| *w *= v));
                factor.backward_inputs(&tape.parts[own], weights, out)
            }),
            Part::Normalize(inner) => {
                let (left, right) =
                    (inverse_roots(&tape.diagonals.0), inverse_roots(&tape.diagonals.1));
                let width = right.len().max(1);
                let lines = weights.chunks(width).zip(tape.values.chunks(width));
                let lost =
                    lines.map(|(w, v)| -0.5 * w.iter().zip(v).map(|(w, v)| w * v).sum::<f64>());
                let lost: Vec<f64> = lost.zip(&left).map(|(sum, l)| sum * l * l).collect();
                inner.diagonal_inputs(tape.rows, &lost, out)?;
                let scaled = weights.iter().enumerate();
                let scaled =
                    scaled.map(|(at, w)| w * left[at / width] * right[at % width]).collect();
                inner.backward_inputs(&tape.parts[0], scaled, out)
            }
            Part::Columns(..) | Part::Fixed(_) => self.check_smooth(),
        }
    }

    /// Adds a_i ∇ k(x_i, x_i) to each row.
    fn diagonal_inputs(
        &self,
        points: Span<'_, Samples<f64>>,
        weights: &[f64],
        out: &mut Mat<f64>,
    ) -> Result<()> {
        match self {
            Part::Member(tuned) => tuned.diagonal_inputs(points, weights, out),
            Part::Sum(terms) => terms.iter().try_for_each(|term| {
                let scaled: Vec<f64> = weights.iter().map(|w| term.scale * w).collect();
                term.part.diagonal_inputs(points, &scaled, out)
            }),
            Part::Product(factors) => {
                let values: Vec<Vec<f64>> =
                    factors.iter().map(|factor| factor.diagonal(points)).collect::<Result<_>>()?;
                factors.iter().enumerate().try_for_each(|(own, factor)| {
                    let mut weights = weights.to_vec();
                    let others = values.iter().enumerate().filter(|(other, _)| *other != own);
                    others.for_each(|(_, values)| merge(&mut weights, values, |w, v| *w *= v));
                    factor.diagonal_inputs(points, &weights, out)
                })
            }
            Part::Normalize(_) => Ok(()),
            Part::Columns(..) | Part::Fixed(_) => self.check_smooth(),
        }
    }
}

impl Tuned {
    fn backward_inputs(&self, tape: &Tape<'_>, weights: &[f64], out: &mut Mat<f64>) -> Result<()> {
        let (rows, cols) = tape.seen();
        let (u, v) = (numbers(rows)?, numbers(cols)?);
        let mut s = vec![0.0; weights.len()];
        self.member.slopes(&tape.measured, &tape.values, &mut s);
        merge(&mut s, weights, |s, w| *s *= w);
        let width = v.rows().max(1);
        let measure = self.member.measure();
        let mut along = vec![0.0; u.rows()];
        match measure {
            Measure::Constant => return Ok(()),
            Measure::SquaredDistance => {
                along
                    .iter_mut()
                    .zip(s.chunks(width))
                    .for_each(|(a, s)| *a = 2.0 * s.iter().sum::<f64>());
                s.iter_mut().for_each(|s| *s *= -2.0);
            }
            Measure::Cosine => turn_cosine(&u, &v, &tape.measured, &mut s, &mut along),
            _ => {}
        }
        let mut found = Mat::zeros(u.rows(), u.cols());
        let weights = MatRef::new(&s, u.rows(), v.rows(), v.rows());
        multiply(weights, v.view(), found.view_mut(), Onto::Nothing);
        for (i, along) in along.iter().enumerate() {
            found.row_mut(i).iter_mut().zip(u.row(i)).for_each(|(g, u)| *g += along * u);
            match &self.map {
                Some(map) => map.pull(u.row(i), found.row(i), out.row_mut(i)),
                None => merge(out.row_mut(i), found.row(i), |sum, g| *sum += g),
            }
        }
        Ok(())
    }

    /// Only dot products of a sample with itself move with it.
    fn diagonal_inputs(
        &self,
        points: Span<'_, Samples<f64>>,
        weights: &[f64],
        out: &mut Mat<f64>,
    ) -> Result<()> {
        if self.member.measure() != Measure::Dot {
            return Ok(());
        }
        let (measured, values) = self.diagonal(points)?;
        let mut slopes = vec![0.0; weights.len()];
        self.member.slopes(&measured, &values, &mut slopes);
        let x = numbers(points)?;
        for (i, (slope, w)) in slopes.iter().zip(weights).enumerate() {
            merge(out.row_mut(i), x.row(i), |sum, x| *sum += 2.0 * slope * w * x);
        }
        Ok(())
    }
}

/// ∇ cos = v / (‖u‖ ‖v‖) − cos · u / ‖u‖².
fn turn_cosine(u: &Mat<f64>, v: &Mat<f64>, measured: &[f64], s: &mut [f64], along: &mut [f64]) {
    let norms = |x: &Mat<f64>| -> Vec<f64> {
        (0..x.rows()).map(|i| x.row(i).iter().map(|x| x * x).sum()).collect()
    };
    let (left, right) = (inverse_roots(&norms(u)), inverse_roots(&norms(v)));
    let width = right.len().max(1);
    for (at, (s, cosine)) in s.iter_mut().zip(measured).enumerate() {
        let l = left[at / width];
        along[at / width] -= *s * cosine * l * l;
        *s *= l * right[at % width];
    }
}
