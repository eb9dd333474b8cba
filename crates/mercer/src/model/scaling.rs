//! Scaling of columns before anything else is computed: learned once from the training table,
//! stored with the model, applied to every later table.

use serde::{Deserialize, Serialize};

use super::scaling_passes::ScalingPasses;
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
    /// The standard deviation is the biased one (divided by n), of squares of distances from the mean: the short formula loses all digits far from zero. A column whose values are equal up
    /// to rounding is only shifted. With [`ScalingKind::None`] the map changes nothing.
    #[doc(hidden)]
    pub fn learn<T: Real>(kind: ScalingKind, values: &[T], columns: usize) -> Self {
        let rows = values.len() / columns.max(1);
        let mut passes = ScalingPasses::new::<T>(kind, rows as u64, columns);
        for _ in 0..passes.passes() {
            passes.add(values);
            passes.end_pass();
        }
        passes.finish()
    }

    /// The map to 0 and 1, or to mean 0 and variance 1, of columns with these shifts and widths.
    pub(super) fn of(kind: ScalingKind, epsilon: f64, ranges: &[(f64, f64)]) -> Self {
        let factor = |&(shift, width): &(f64, f64)| reciprocal(width, shift, epsilon);
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

/// One over `width`, or 1 for a width that is rounding noise of values near `level`.
fn reciprocal(width: f64, level: f64, epsilon: f64) -> f64 {
    let is_noise = width <= 8.0 * epsilon * level.abs();
    let factor = 1.0 / width;
    if is_noise || !factor.is_finite() || factor == 0.0 { 1.0 } else { factor }
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
