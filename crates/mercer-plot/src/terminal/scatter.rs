//! An embedding as characters.

use super::super::axis::{Axis, extent};
use super::super::colour::viridis;
use super::super::labels::{Colouring, SHADES};
use super::super::numbers::significant;
use super::super::scatter::Scatter;
use super::layers::Layer;
use super::look::Look;
use super::panel::{Panel, Side};
use super::{Entry, Sketch};

/// Steps of a scale, a digit each.
const STEPS: usize = 10;

/// The sketch of an embedding whose rows lie at `points`.
pub(crate) fn sketch(picture: &Scatter, colouring: &Colouring, points: &[[f64; 2]]) -> Sketch {
    let axis = |which: usize| Axis::around(points.iter().map(|point| point[which]), 5);
    let y = match picture.y {
        Some(_) => Side::of(&axis(1), picture.y_title),
        None => {
            let (_, high) = extent(points.iter().map(|point| point[1].ceil()));
            Side::bare(&Axis::over(0.0, high.max(1.0), 1))
        }
    };
    let layer = coloured(colouring, points);
    let x = Side::of(&axis(0), picture.x_title);
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        panels: vec![Panel { heading: String::new(), x, y, layers: vec![layer] }],
        key: key(colouring, picture.labels.map_or("", |labels| labels.name)),
        ..Sketch::default()
    }
}

/// Points in the looks of their groups.
pub(super) fn coloured(colouring: &Colouring, points: &[[f64; 2]]) -> Layer {
    let step = |row: usize| match colouring {
        Colouring::Scale { .. } => colouring.group(row) * STEPS / SHADES,
        _ => colouring.group(row),
    };
    let look = (0..points.len()).map(step).collect();
    Layer::Points { points: points.to_vec(), look, looks: looks(colouring) }
}

fn looks(colouring: &Colouring) -> Vec<Look> {
    match colouring {
        Colouring::Scale { .. } => {
            // Its darkest colours are not seen on a dark background.
            let colour = |step: usize| viridis(0.3 + 0.7 * step as f64 / (STEPS - 1) as f64);
            (0..STEPS).map(|step| Look::of_step(step, colour(step))).collect()
        }
        _ => {
            let count = colouring.groups();
            let look = |group: usize| Look::of_group(group, count, colouring.colour(group));
            (0..count).map(look).collect()
        }
    }
}

/// What the looks mean, below the name of the column of labels.
pub(super) fn key(colouring: &Colouring, title: &str) -> Vec<Entry> {
    let looks = looks(colouring);
    let title = (!title.is_empty()).then(|| Entry::remark(&format!("{title}:")));
    let entries: Vec<Entry> = match colouring {
        Colouring::Plain { .. } => return Vec::new(),
        Colouring::Classes { names, .. } => {
            names.iter().zip(looks).map(|(name, look)| Entry::new(look, name)).collect()
        }
        Colouring::Scale { low, high, .. } => {
            let entry = |look: Look, value: f64| Entry::new(look, &significant(value, 3));
            vec![entry(looks[0], *low), Entry::remark("to"), entry(looks[STEPS - 1], *high)]
        }
    };
    title.into_iter().chain(entries).collect()
}
