//! Scores of models as characters: a bar for each.

use super::super::axis::Axis;
use super::super::leaderboard::{Entry, Leaderboard};
use super::super::numbers::significant;
use super::Sketch;
use super::bars::Bar;

/// The sketch of scores; bars begin at the left end of the axis `x`.
pub(crate) fn sketch(picture: &Leaderboard, x: &Axis) -> Sketch {
    let bar = |entry: &Entry| {
        let share = x.fraction(entry.value);
        Bar {
            name: entry.name.clone(),
            share: if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 },
            text: entry.text(),
        }
    };
    let begin = significant(x.low, 3);
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        bars: picture.entries.iter().map(bar).collect(),
        notes: vec![format!("{}, with its standard error; bars begin at {begin}", picture.x_title)],
        ..Sketch::default()
    }
}
