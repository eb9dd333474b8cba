//! Scaling of columns before anything else is computed: learned once from the training table,
//! stored with the model, applied to every later table.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::real::Real;

/// The kind of scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScalingKind {
    /// Leave values as they are.
    None,
    /// Subtract the mean, divide by the standard deviation.
    Standard,
    /// Map the smallest value to 0 and the largest to 1.
    Minmax,
}

/// A map of every column: `value ↦ (value − shift) · factor`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// How the map was learned.
    pub kind: ScalingKind,
    /// Subtracted from each column: d numbers.
    pub shift: Vec<f64>,
    /// Multiplied with each column afterwards: d numbers. A constant column has 1.
    pub factor: Vec<f64>,
}

impl Scaling {
    /// Learns the map from a row-major matrix `values` (n × `columns`) of finite numbers.
    ///
    /// The standard deviation is the biased one (divided by n). A column whose values are equal up
    /// to rounding is only shifted. With [`ScalingKind::None`] the map changes nothing.
    #[doc(hidden)]
    pub fn learn<T: Real>(kind: ScalingKind, values: &[T], columns: usize) -> Self {
        let ranges: Vec<(f64, f64)> = match kind {
            ScalingKind::None => vec![(0.0, 1.0); columns],
            ScalingKind::Standard => means_and_deviations(values, columns),
            ScalingKind::Minmax => lows_and_widths(values, columns),
        };
        let factor = |&(shift, width): &(f64, f64)| reciprocal(width, shift, T::EPSILON);
        Self {
            kind,
            shift: ranges.iter().map(|range| range.0).collect(),
            factor: ranges.iter().map(factor).collect(),
        }
    }

    /// Applies the map to a row-major matrix `values` (n × `columns`) in place.
    #[doc(hidden)]
    pub fn apply<T: Real>(&self, values: &mut [T], columns: usize) -> Result<()> {
        self.each(values, columns, |value, shift, factor| (value - shift) * factor)
    }

    /// Inverts the map, in place: `value ↦ value / factor + shift`, for reconstructions.
    #[doc(hidden)]
    pub fn undo<T: Real>(&self, values: &mut [T], columns: usize) -> Result<()> {
        self.each(values, columns, |value, shift, factor| value / factor + shift)
    }

    fn each<T: Real>(
        &self,
        values: &mut [T],
        columns: usize,
        map: impl Fn(f64, f64, f64) -> f64,
    ) -> Result<()> {
        if columns != self.shift.len() || columns != self.factor.len() {
            return Err(Error::Features { expected: self.shift.len(), found: columns });
        }
        if self.kind == ScalingKind::None || columns == 0 {
            return Ok(());
        }
        for row in values.chunks_exact_mut(columns) {
            for (column, value) in row.iter_mut().enumerate() {
                *value = T::from_f64(map(value.to_f64(), self.shift[column], self.factor[column]));
            }
        }
        Ok(())
    }
}

/// A scaling that is learned from blocks of rows: the same numbers as [`Scaling::learn`] finds on all rows together, in one pass for the smallest and largest values, and in
/// two for means and deviations.
#[doc(hidden)]
pub struct ScalingPasses {
    kind: ScalingKind,
    epsilon: f64,
    rows: f64,
    /// The means or smallest values, once they are known.
    shifts: Option<Vec<f64>>,
    /// What is summed up in this pass, or the smallest and largest values so far.
    sums: Vec<f64>,
    highs: Vec<f64>,
}

impl ScalingPasses {
    /// For `rows` rows of numbers of type T in `columns` columns.
    pub fn new<T: Real>(kind: ScalingKind, rows: u64, columns: usize) -> Self {
        let start = if kind == ScalingKind::Minmax { f64::INFINITY } else { 0.0 };
        let (sums, highs) = (vec![start; columns], vec![f64::NEG_INFINITY; columns]);
        Self { kind, epsilon: T::EPSILON, rows: rows.max(1) as f64, shifts: None, sums, highs }
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
        let (columns, rows) = (self.sums.len(), self.rows);
        match (self.kind, &self.shifts) {
            (ScalingKind::Minmax, _) => {
                for row in values.chunks_exact(columns.max(1)) {
                    for (column, value) in row.iter().enumerate() {
                        self.sums[column] = self.sums[column].min(value.to_f64());
                        self.highs[column] = self.highs[column].max(value.to_f64());
                    }
                }
            }
            (_, None) => add_column_sums(&mut self.sums, values, |_, v| v / rows),
            (_, Some(means)) => {
                add_column_sums(&mut self.sums, values, |c, v| (v - means[c]).powi(2) / rows);
            }
        }
    }

    /// Ends a pass.
    pub fn end_pass(&mut self) {
        if self.shifts.is_none() {
            let columns = self.sums.len();
            self.shifts = Some(std::mem::replace(&mut self.sums, vec![0.0; columns]));
        }
    }

    /// The scaling, after the last pass.
    pub fn finish(self) -> Scaling {
        let shifts = self.shifts.unwrap_or_default();
        let ranges = shifts.iter().enumerate().map(|(c, &shift)| match self.kind {
            ScalingKind::Standard => (shift, self.sums[c].sqrt()),
            _ if shift > self.highs[c] => (0.0, 1.0),
            _ => (shift, self.highs[c] - shift),
        });
        let ranges: Vec<(f64, f64)> = ranges.collect();
        let factor = |&(shift, width): &(f64, f64)| reciprocal(width, shift, self.epsilon);
        Scaling {
            kind: self.kind,
            shift: ranges.iter().map(|range| range.0).collect(),
            factor: ranges.iter().map(factor).collect(),
        }
    }
}

/// One over `width`, or 1 for a width that is rounding noise of values near `level`.
fn reciprocal(width: f64, level: f64, epsilon: f64) -> f64 {
    let is_noise = width <= 8.0 * epsilon * level.abs();
    let factor = 1.0 / width;
    if is_noise || !factor.is_finite() || factor == 0.0 { 1.0 } else { factor }
}

fn means_and_deviations<T: Real>(values: &[T], columns: usize) -> Vec<(f64, f64)> {
    let rows = rows(values, columns);
    let means = column_sums(values, columns, |_, v| v / rows);
    // Squares of distances from the mean in a second pass: the short formula loses all digits far
    // from zero.
    let variances = column_sums(values, columns, |column, v| (v - means[column]).powi(2) / rows);
    means.iter().zip(variances).map(|(&mean, variance)| (mean, variance.sqrt())).collect()
}

fn column_sums<T: Real>(
    values: &[T],
    columns: usize,
    term: impl Fn(usize, f64) -> f64,
) -> Vec<f64> {
    let mut sums = vec![0.0; columns];
    add_column_sums(&mut sums, values, term);
    sums
}

fn add_column_sums<T: Real>(sums: &mut [f64], values: &[T], term: impl Fn(usize, f64) -> f64) {
    for row in values.chunks_exact(sums.len().max(1)) {
        for (column, value) in row.iter().enumerate() {
            sums[column] += term(column, value.to_f64());
        }
    }
}

fn lows_and_widths<T: Real>(values: &[T], columns: usize) -> Vec<(f64, f64)> {
    let column = |column: usize| values.iter().skip(column).step_by(columns).map(|v| v.to_f64());
    (0..columns)
        .map(|c| {
            let low = column(c).fold(f64::INFINITY, f64::min);
            let high = column(c).fold(f64::NEG_INFINITY, f64::max);
            if low > high { (0.0, 1.0) } else { (low, high - low) }
        })
        .collect()
}

fn rows<T>(values: &[T], columns: usize) -> f64 {
    (values.len() / columns.max(1)).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: [f64; 6] = [1.0, 5.0, 2.0, 5.0, 3.0, 5.0]; // 3 × 2, second column constant

    #[test]
    fn standard_gives_mean_zero_and_variance_one() {
        let scaling = Scaling::learn(ScalingKind::Standard, &TABLE, 2);
        let mut values = TABLE;
        scaling.apply(&mut values, 2).unwrap();
        let unit = 1.5f64.sqrt();
        for (value, expected) in values.iter().zip([-unit, 0.0, 0.0, 0.0, unit, 0.0]) {
            assert!((value - expected).abs() < 1e-15, "{values:?}");
        }
        assert_eq!(scaling.factor[1], 1.0);
    }

    #[test]
    fn minmax_gives_zero_to_one() {
        let scaling = Scaling::learn(ScalingKind::Minmax, &TABLE, 2);
        let mut values = TABLE;
        scaling.apply(&mut values, 2).unwrap();
        assert_eq!(values, [0.0, 0.0, 0.5, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn none_changes_nothing_and_single_precision_works() {
        let mut values = TABLE.map(|v| v as f32);
        let same = values;
        Scaling::learn(ScalingKind::None, &values, 2).apply(&mut values, 2).unwrap();
        assert_eq!(values, same);
        Scaling::learn(ScalingKind::Minmax, &same, 2).apply(&mut values, 2).unwrap();
        assert_eq!(values, [0.0f32, 0.0, 0.5, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn blocks_give_the_same_numbers() {
        let values: Vec<f64> = (0..600).map(|i| f64::from(i * i % 97).sin() + 1e3).collect();
        for kind in [ScalingKind::Standard, ScalingKind::Minmax] {
            let mut passes = ScalingPasses::new::<f64>(kind, 200, 3);
            for _ in 0..passes.passes() {
                values.chunks(3 * 37).for_each(|block| passes.add(block));
                passes.end_pass();
            }
            assert_eq!(passes.finish(), Scaling::learn(kind, &values, 3));
        }
    }

    #[test]
    fn rounding_noise_is_not_blown_up() {
        let values = [0.1 + 0.2, 0.3, 0.3];
        for kind in [ScalingKind::Standard, ScalingKind::Minmax] {
            assert_eq!(Scaling::learn(kind, &values, 1).factor, [1.0]);
        }
    }

    #[test]
    fn undo_takes_apply_back() {
        for kind in [ScalingKind::None, ScalingKind::Standard, ScalingKind::Minmax] {
            let scaling = Scaling::learn(kind, &TABLE, 2);
            let mut values = TABLE;
            scaling.apply(&mut values, 2).unwrap();
            scaling.undo(&mut values, 2).unwrap();
            assert!(values.iter().zip(TABLE).all(|(a, b)| (a - b).abs() < 1e-14), "{kind:?}");
        }
    }

    #[test]
    fn another_number_of_columns_is_refused() {
        let scaling = Scaling::learn(ScalingKind::Standard, &TABLE, 2);
        let refused = scaling.apply(&mut [1.0, 2.0, 3.0], 3);
        assert!(matches!(refused, Err(Error::Features { expected: 2, found: 3 })));
    }

    #[test]
    fn it_survives_json() {
        let scaling = Scaling::learn(ScalingKind::Standard, &TABLE, 2);
        let text = serde_json::to_string(&scaling).unwrap();
        assert!(text.contains("\"standard\""));
        assert_eq!(serde_json::from_str::<Scaling>(&text).unwrap(), scaling);
    }
}
