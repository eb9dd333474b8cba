//! The forward pass: the values of a tile, and of all parts that the way back will need.

use super::tree::{Part, Tuned};
use crate::error::Result;
use crate::kernel::expression::fill;
use crate::kernel::spec::group_of;
use crate::kernel::vector::measure::{inverse_roots, multiply_outer, set_coincident};
use crate::kernel::{Kernel, Tile};
use crate::points::{Samples, Span};

/// What a part found for a tile.
pub(super) struct Tape<'a> {
    pub rows: Span<'a, Samples<f64>>,
    pub cols: Span<'a, Samples<f64>>,
    /// Kernel values, rows × columns.
    pub values: Vec<f64>,
    /// What a member measured.
    pub measured: Vec<f64>,
    /// The samples as a member's row map made them.
    pub mapped: Option<(Samples<f64>, Samples<f64>)>,
    /// k(x, x) of rows and columns, of what is normalised.
    pub diagonals: (Vec<f64>, Vec<f64>),
    /// The parts of the part.
    pub parts: Vec<Tape<'a>>,
}

impl<'a> Tape<'a> {
    fn new(rows: Span<'a, Samples<f64>>, cols: Span<'a, Samples<f64>>) -> Self {
        Self {
            rows,
            cols,
            values: vec![0.0; rows.len() * cols.len()],
            measured: Vec::new(),
            mapped: None,
            diagonals: (Vec::new(), Vec::new()),
            parts: Vec::new(),
        }
    }

    fn tile(&mut self) -> Tile<'_, f64> {
        let (height, width) = (self.rows.len(), self.cols.len());
        Tile::new(&mut self.values, height, width, width)
    }

    /// The mapped samples of the tile, or the samples as they are.
    pub fn seen(&self) -> (Span<'_, Samples<f64>>, Span<'_, Samples<f64>>) {
        match &self.mapped {
            None => (self.rows, self.cols),
            Some((left, right)) => {
                (Span::new(left, self.rows.range()), Span::new(right, self.cols.range()))
            }
        }
    }
}

impl Part {
    pub fn forward<'a>(
        &self,
        rows: Span<'a, Samples<f64>>,
        cols: Span<'a, Samples<f64>>,
    ) -> Result<Tape<'a>> {
        let mut tape = Tape::new(rows, cols);
        match self {
            Part::Member(tuned) => tuned.forward(&mut tape)?,
            Part::Fixed(kernel) => kernel.tile(rows, cols, tape.tile())?,
            Part::Sum(terms) => {
                for term in terms {
                    let part = term.part.forward(rows, cols)?;
                    merge(&mut tape.values, &part.values, |sum, v| *sum += term.scale * v);
                    tape.parts.push(part);
                }
            }
            Part::Product(factors) => {
                tape.values.fill(1.0);
                for factor in factors {
                    let part = factor.forward(rows, cols)?;
                    merge(&mut tape.values, &part.values, |product, v| *product *= v);
                    tape.parts.push(part);
                }
            }
            Part::Normalize(inner) => {
                let part = inner.forward(rows, cols)?;
                tape.values.copy_from_slice(&part.values);
                tape.diagonals = (inner.diagonal(rows)?, inner.diagonal(cols)?);
                let roots = (inverse_roots(&tape.diagonals.0), inverse_roots(&tape.diagonals.1));
                multiply_outer(&mut tape.tile(), &roots.0, &roots.1);
                let one = |v| if v == 0.0 { v } else { 1.0 };
                set_coincident(rows, cols, &mut tape.tile(), one);
                tape.parts.push(part);
            }
            Part::Columns(names, inner) => {
                let of = |span: Span<'a, Samples<f64>>| {
                    group_of(span.points, names).map(|group| Span::new(group, span.range()))
                };
                return inner.forward(of(rows)?, of(cols)?);
            }
        }
        Ok(tape)
    }
}

impl Tuned {
    fn forward(&self, tape: &mut Tape<'_>) -> Result<()> {
        if let Some(map) = &self.map {
            let left = map.apply(tape.rows.points)?;
            let same = tape.rows.points.is_same(tape.cols.points);
            let right = if same { left.clone() } else { map.apply(tape.cols.points)? };
            tape.mapped = Some((left, right));
        }
        let mut measured = vec![0.0; tape.values.len()];
        let (height, width) = (tape.rows.len(), tape.cols.len());
        let (rows, cols) = tape.seen();
        let tile = &mut Tile::new(&mut measured, height, width, width);
        fill(self.member.measure(), rows, cols, tile)?;
        tape.values.copy_from_slice(&measured);
        tape.values.chunks_mut(width.max(1)).for_each(|row| self.member.apply(row));
        tape.measured = measured;
        Ok(())
    }
}

pub(super) fn merge(into: &mut [f64], values: &[f64], with: impl Fn(&mut f64, f64)) {
    into.iter_mut().zip(values).for_each(|(place, &v)| with(place, v));
}
