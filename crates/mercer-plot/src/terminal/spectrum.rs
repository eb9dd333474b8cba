//! Eigenvalues as characters: a bar for each, and the share of the variance up to it.

use super::super::grouped;
use super::super::numbers::significant;
use super::super::spectrum::{Spectrum, cumulative, percent};
use super::Sketch;
use super::bars::Bar;

/// The most components that have a line.
const MOST: usize = 18;

/// The sketch of eigenvalues.
pub(crate) fn sketch(picture: &Spectrum) -> Sketch {
    let largest = picture.values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    let sums = cumulative(picture.ratios);
    let shown = if picture.values.len() > MOST { MOST - 1 } else { picture.values.len() };
    let bar = |index: usize| {
        let share = picture.values[index] / largest;
        Bar {
            name: format!("component {}", index + 1),
            share: if share.is_finite() { share.max(0.0) } else { 0.0 },
            text: format!(
                "{:>8}  {:>6}  sum {:>6}",
                significant(picture.values[index], 3),
                percent(picture.ratios[index]),
                percent(sums[index])
            ),
        }
    };
    let mut bars: Vec<Bar> = (0..shown).map(bar).collect();
    if let Some(last) = sums.last().filter(|_| shown < picture.values.len()) {
        let text = format!("sum {:>6}", percent(*last));
        let name = format!("{} more", grouped(picture.values.len() - shown));
        bars.push(Bar { name, share: 0.0, text });
    }
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        bars,
        notes: vec![picture.reached()],
        ..Sketch::default()
    }
}
