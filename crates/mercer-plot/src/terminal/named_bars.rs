//! Named bars as characters.

use super::super::bars::{Bars, NamedBar};
use super::super::numbers::significant;
use super::Sketch;
use super::bars::Bar;

/// The most bars that have a line.
const MOST: usize = 18;

/// The sketch of named bars.
pub(crate) fn sketch(picture: &Bars) -> Sketch {
    let finite = picture.bars.iter().map(|bar| bar.value).filter(|value| value.is_finite());
    let largest = finite.fold(0.0, f64::max);
    let bar = |bar: &NamedBar| {
        let share = bar.value / largest;
        let error = match bar.error.is_finite() {
            true => format!(" ± {}", significant(bar.error, 2)),
            false => String::new(),
        };
        Bar {
            name: bar.name.clone(),
            share: if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 },
            text: format!("{}{error}", significant(bar.value, 3)),
        }
    };
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        bars: picture.bars.iter().take(MOST).map(bar).collect(),
        ..Sketch::default()
    }
}
