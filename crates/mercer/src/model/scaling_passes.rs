//! Scalings that are learned from rows in blocks, or from rows that lie on other machines: in one pass for the smallest and largest values, and in two for means and
//! deviations. Numbers are those of all rows together, to the last bit, since sums over groups of rows do not depend on their order.

use super::landmarks::{Beside, Packet, RowBlocks, SCALING, Work, Workers};
use super::scaling::{Scaling, ScalingKind};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::{ExactSums, GROUP};
use crate::points::Samples;
use crate::real::Real;

/// A scaling that is being learned.
#[doc(hidden)]
pub struct ScalingPasses {
    kind: ScalingKind,
    epsilon: f64,
    rows: f64,
    /// The means, once they are known.
    means: Option<Vec<f64>>,
    /// What is summed up in this pass.
    sums: ColumnSums,
    /// The smallest and largest values so far.
    lows: Vec<f64>,
    highs: Vec<f64>,
}

impl ScalingPasses {
    /// For `rows` rows of numbers of type T in `columns` columns.
    pub fn new<T: Real>(kind: ScalingKind, rows: u64, columns: usize) -> Self {
        Self::of(kind, T::EPSILON, rows.max(1) as f64, columns)
    }

    fn of(kind: ScalingKind, epsilon: f64, rows: f64, columns: usize) -> Self {
        let (lows, highs) = (vec![f64::INFINITY; columns], vec![f64::NEG_INFINITY; columns]);
        Self { kind, epsilon, rows, means: None, sums: ColumnSums::new(columns), lows, highs }
    }

    /// How often the rows are read.
    pub fn passes(&self) -> usize {
        match self.kind {
            ScalingKind::None => 0,
            ScalingKind::Minmax => 1,
            ScalingKind::Standard => 2,
        }
    }

    /// Adds the next rows of a pass, row-major.
    pub fn add<T: Real>(&mut self, values: &[T]) {
        let rows = self.rows;
        match (self.kind, &self.means) {
            (ScalingKind::None, _) => {}
            (ScalingKind::Minmax, _) => self.add_extremes(values),
            (_, None) => self.sums.add(values, |_, v| v / rows),
            (_, Some(means)) => self.sums.add(values, |c, v| (v - means[c]).powi(2) / rows),
        }
    }

    fn add_extremes<T: Real>(&mut self, values: &[T]) {
        for row in values.chunks_exact(self.lows.len().max(1)) {
            for (column, value) in row.iter().enumerate() {
                self.lows[column] = self.lows[column].min(value.to_f64());
                self.highs[column] = self.highs[column].max(value.to_f64());
            }
        }
    }

    /// Ends a pass.
    pub fn end_pass(&mut self) {
        if self.means.is_none() && self.kind == ScalingKind::Standard {
            let sums = std::mem::replace(&mut self.sums, ColumnSums::new(self.lows.len()));
            self.means = Some(sums.finish().values());
        }
    }

    /// The scaling, after the last pass.
    pub fn finish(self) -> Scaling {
        let extremes = self.lows.iter().zip(&self.highs);
        let ranges: Vec<(f64, f64)> = match self.means {
            Some(means) => {
                let deviations = self.sums.finish().values().into_iter().map(f64::sqrt);
                means.into_iter().zip(deviations).collect()
            }
            None => extremes.map(|(&low, &high)| range(low, high)).collect(),
        };
        Scaling::of(self.kind, self.epsilon, &ranges)
    }

    /// The scaling of rows that lie elsewhere.
    pub fn elsewhere<T: Real>(
        ctx: &Context,
        kind: ScalingKind,
        workers: &mut dyn Workers,
    ) -> Result<Scaling> {
        let columns = dense::<T>(&workers.head()?.samples.to_type::<T>()?)?.1;
        let mut scaling = Self::new::<T>(kind, workers.rows(), columns);
        for _ in 0..scaling.passes() {
            for found in workers.run(ctx, &scaling.packet(), false)? {
                scaling.absorb(ctx, found)?;
            }
            scaling.end_pass();
        }
        Ok(scaling.finish())
    }

    /// A pass as other machines need it.
    fn packet(&self) -> Packet {
        let is_minmax = u64::from(self.kind == ScalingKind::Minmax);
        let is_single = u64::from(self.epsilon > f64::EPSILON);
        let pass = Packet::new(SCALING)
            .with_places("columns", [self.lows.len() as u64, is_minmax, is_single])
            .with_reals("rows", [self.rows]);
        match &self.means {
            Some(means) => pass.with_reals("means", means.clone()),
            None => pass,
        }
    }

    fn of_packet(pass: &Packet) -> Result<Self> {
        let wrong = || Error::Shape("a scaling is described by other numbers".into());
        let (&[columns, is_minmax, _], &[rows]) = (pass.places("columns")?, pass.reals("rows")?)
        else {
            return Err(wrong());
        };
        let kind = if is_minmax == 1 { ScalingKind::Minmax } else { ScalingKind::Standard };
        let means = pass.reals.get("means").cloned();
        Ok(Self { means, ..Self::of(kind, f64::EPSILON, rows, columns as usize) })
    }

    /// What was found of some rows.
    fn into_packet(self) -> Packet {
        Packet::new(SCALING)
            .with_sums(self.sums.finish(), 0)
            .with_reals("lows", self.lows)
            .with_reals("highs", self.highs)
    }

    /// Adds what was found of other rows.
    fn absorb(&mut self, ctx: &Context, mut found: Packet) -> Result<()> {
        self.sums.groups.merge(ctx, &found.take_sums(self.lows.len())?);
        let lows = self.lows.iter_mut().zip(found.reals("lows")?);
        lows.for_each(|(low, v)| *low = low.min(*v));
        let highs = self.highs.iter_mut().zip(found.reals("highs")?);
        highs.for_each(|(high, v)| *high = high.max(*v));
        Ok(())
    }
}

/// The smallest value and the width of a column, 0 and 1 of one without values.
fn range(low: f64, high: f64) -> (f64, f64) {
    if low > high { (0.0, 1.0) } else { (low, high - low) }
}

/// Sums of numbers of each column over rows: in order within a group of rows, and over groups in any order.
struct ColumnSums {
    group: Vec<f64>,
    in_group: usize,
    groups: ExactSums,
}

impl ColumnSums {
    fn new(columns: usize) -> Self {
        Self { group: vec![0.0; columns], in_group: 0, groups: ExactSums::few(columns) }
    }

    fn add<T: Real>(&mut self, values: &[T], term: impl Fn(usize, f64) -> f64) {
        for row in values.chunks_exact(self.group.len().max(1)) {
            for (column, value) in row.iter().enumerate() {
                self.group[column] += term(column, value.to_f64());
            }
            self.in_group += 1;
            if self.in_group == GROUP {
                self.end_group();
            }
        }
    }

    fn end_group(&mut self) {
        self.groups.add_few(&self.group);
        self.group.fill(0.0);
        self.in_group = 0;
    }

    fn finish(mut self) -> ExactSums {
        self.end_group();
        self.groups
    }
}

/// A pass over parts of the rows, which begin where a group does.
pub(super) struct ScalingWork {
    pass: Packet,
    is_single: bool,
}

impl ScalingWork {
    /// As the packet says.
    pub fn new(pass: &Packet) -> Result<Self> {
        ScalingPasses::of_packet(pass)?;
        Ok(Self { pass: pass.clone(), is_single: pass.places("columns")?[2] == 1 })
    }

    fn read<T: Real>(&self, source: &mut dyn RowBlocks) -> Result<Packet> {
        let mut scaling = ScalingPasses::of_packet(&self.pass)?;
        while let Some(block) = source.next()? {
            let samples = block.samples.to_type::<T>()?;
            let (values, columns) = dense(&samples)?;
            match columns == scaling.lows.len() {
                true => scaling.add(values),
                false => {
                    let expected = scaling.lows.len();
                    return Err(Error::Features { expected, found: columns });
                }
            }
        }
        Ok(scaling.into_packet())
    }
}

impl Work for ScalingWork {
    fn part(&self, _: &Context, _: u64, source: &mut dyn RowBlocks, _: &Beside) -> Result<Packet> {
        if self.is_single { self.read::<f32>(source) } else { self.read::<f64>(source) }
    }
}

/// The numbers of samples, row after row, and their columns.
fn dense<T: Real>(samples: &Samples<T>) -> Result<(&[T], usize)> {
    match samples {
        Samples::Dense(rows) => Ok((rows.data(), rows.d())),
        _ => Err(Error::Shape("only rows of numbers are scaled in blocks".into())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [ScalingKind; 2] = [ScalingKind::Standard, ScalingKind::Minmax];

    fn values(rows: usize) -> Vec<f64> {
        (0..3 * rows).map(|i| ((i * i % 97) as f64).sin() + 1e3).collect()
    }

    #[test]
    fn blocks_give_the_same_numbers() {
        for rows in [200, 2 * GROUP + 55] {
            let values = values(rows);
            for kind in KINDS {
                let mut passes = ScalingPasses::new::<f64>(kind, rows as u64, 3);
                for _ in 0..passes.passes() {
                    values.chunks(3 * 37).for_each(|block| passes.add(block));
                    passes.end_pass();
                }
                assert_eq!(passes.finish(), Scaling::learn(kind, &values, 3));
            }
        }
    }

    #[test]
    fn parts_on_other_machines_give_the_same_numbers() {
        let (ctx, rows) = (Context::new(1), 3 * GROUP + 55);
        let values = values(rows);
        for kind in KINDS {
            let mut passes = ScalingPasses::new::<f64>(kind, rows as u64, 3);
            for _ in 0..passes.passes() {
                let mut parts: Vec<&[f64]> = values.chunks(3 * GROUP).collect();
                parts.swap(0, 3);
                for part in parts {
                    let mut own = ScalingPasses::of_packet(&passes.packet()).unwrap();
                    own.add(part);
                    passes.absorb(&ctx, own.into_packet()).unwrap();
                }
                passes.end_pass();
            }
            assert_eq!(passes.finish(), Scaling::learn(kind, &values, 3));
        }
    }
}
