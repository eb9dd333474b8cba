//! Prediction intervals from leave-one-out residuals.
//!
//! The residual of each training row by the model fitted without it shows how far predictions for new rows are off. An interval of
//! level p reaches as far as the ⌈p(n + 1)⌉-th smallest of them (the jackknife of conformal prediction): no assumption about the
//! noise is made, but rows are assumed to be exchangeable. Residuals of rows that were held out, or of folds, serve in the same way.
//!
//! Of a classifier, the residual of a row is by how much the best score of another class exceeds that of its own, and a prediction set
//! holds the classes whose residual is not larger than the quantile.

use mercer::Mat;
use mercer::io::ModelFile;
use serde::{Deserialize, Serialize};

/// The keys among the notes of a model file.
pub(super) const NOTES: &str = "intervals";
pub(super) const MARGINS: &str = "prediction_sets";
/// The most residuals that are stored.
const MOST: usize = 2000;

/// The sizes of leave-one-out residuals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Residuals {
    /// Their number, n.
    pub count: usize,
    /// Some of them by size, each with its rank, counted from 1; all if there are not too many.
    pub ranked: Vec<(usize, f64)>,
}

impl Residuals {
    /// Of these residuals.
    pub fn new(mut sizes: Vec<f64>) -> Self {
        sizes.sort_by(f64::total_cmp);
        let count = sizes.len();
        let kept = count.min(MOST);
        let rank = |place: usize| (place * count).div_ceil(kept.max(1));
        let ranked = (1..=kept).map(|place| (rank(place), sizes[rank(place) - 1])).collect();
        Self { count, ranked }
    }

    /// How far intervals of `level` reach to both sides; none if there are too few residuals for that level.
    pub fn reach(&self, level: f64) -> Option<f64> {
        let rank = up(level * (self.count + 1) as f64);
        self.ranked.iter().find(|(known, _)| *known >= rank).map(|(_, size)| *size)
    }

    /// The fewest rows that intervals of `level` need.
    pub fn fewest(level: f64) -> usize {
        up(level / (1.0 - level))
    }
}

/// The next whole number, rounding errors aside.
fn up(number: f64) -> usize {
    (number - 1e-9 * number.abs()).ceil() as usize
}

/// Stores the residuals in `saved`.
pub fn note_residuals(saved: &mut ModelFile, residuals: &Residuals) {
    let value = serde_json::to_value(residuals).expect("numbers have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}

/// The residuals that `saved` stores.
pub fn residuals(saved: &ModelFile) -> Option<Residuals> {
    let found: Residuals = serde_json::from_value(saved.extra.get(NOTES)?.clone()).ok()?;
    let is_sound = found.ranked.iter().all(|(_, size)| size.is_finite() && *size >= 0.0);
    is_sound.then_some(found)
}

/// By how much the best score of another class exceeds that of `class` in `row`; `scores` is m × classes, or m × 1 for two.
pub fn margin(scores: &Mat<f64>, row: usize, class: usize) -> f64 {
    const MOST: f64 = 1e300;
    if class >= scores.cols().max(2) {
        return MOST;
    }
    let margin = match scores.cols() {
        1 => scores[(row, 0)] * if class == 0 { 1.0 } else { -1.0 },
        k => {
            let others = (0..k).filter(|&other| other != class).map(|other| scores[(row, other)]);
            others.fold(f64::NEG_INFINITY, f64::max) - scores[(row, class)]
        }
    };
    if margin.is_nan() { MOST } else { margin.clamp(-MOST, MOST) }
}

/// Stores the margins of a classifier in `saved`.
pub fn note_margins(saved: &mut ModelFile, margins: &Residuals) {
    let value = serde_json::to_value(margins).expect("numbers have a JSON form");
    saved.extra.insert(MARGINS.into(), value);
}

/// The margins that `saved` stores.
pub fn margins(saved: &ModelFile) -> Option<Residuals> {
    let found: Residuals = serde_json::from_value(saved.extra.get(MARGINS)?.clone()).ok()?;
    found.ranked.iter().all(|(_, size)| size.is_finite()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reach_is_a_residual_of_the_right_rank() {
        let all = Residuals::new((1..=99).rev().map(f64::from).collect());
        assert_eq!(
            (all.reach(0.9), all.reach(0.5), all.reach(0.99)),
            (Some(90.0), Some(50.0), Some(99.0))
        );
        assert_eq!((all.reach(0.995), Residuals::fewest(0.9)), (None, 9));
        assert_eq!(Residuals::new((1..=9).map(f64::from).collect()).reach(0.9), Some(9.0));
    }

    #[test]
    fn margins_are_positive_where_another_class_wins() {
        let two = Mat::from_vec(vec![0.5, -2.0], 2, 1);
        assert_eq!((margin(&two, 0, 1), margin(&two, 0, 0), margin(&two, 1, 0)), (-0.5, 0.5, -2.0));
        let three = Mat::from_vec(vec![1.0, 3.0, f64::NEG_INFINITY], 1, 3);
        assert_eq!((margin(&three, 0, 1), margin(&three, 0, 0)), (-2.0, 2.0));
        assert_eq!((margin(&three, 0, 2), margin(&three, 0, 3)), (1e300, 1e300));
    }

    #[test]
    fn of_many_residuals_some_are_stored_and_none_is_too_small() {
        let all = Residuals::new((1..=100_000).map(f64::from).collect());
        assert_eq!(all.ranked.len(), MOST);
        let reach = all.reach(0.9).unwrap();
        assert!((90_001.0..90_051.0).contains(&reach), "{reach}");
        assert_eq!(all.ranked.last(), Some(&(100_000, 100_000.0)));
    }
}
