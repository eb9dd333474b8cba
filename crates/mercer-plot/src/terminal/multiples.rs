//! Several panels as characters, two abreast where there is room.

use super::super::field::Field;
use super::super::labels::Colouring;
use super::super::multiples::{Multiples, Panel as Pictured};
use super::super::panel::Plane;
use super::layers::{Grid, Layer};
use super::look::Look;
use super::panel::{Panel, Side};
use super::scatter::{coloured, key};
use super::{Entry, Sketch};

/// Clearly below and above zero.
const SIGNS: [Look; 2] = [Look::of('-', '-'), Look::of('+', '+')];
/// The share of the largest value from which on a sign is shown.
const CLEARLY: f64 = 1.0 / 3.0;

/// The sketch of panels on the axes of `planes`.
pub(crate) fn sketch(picture: &Multiples, planes: &[Plane], colouring: &Colouring) -> Sketch {
    let panel = |(panel, plane): (&Pictured, &Plane)| Panel {
        heading: panel.title.into(),
        x: Side::of(&plane.x, panel.x_title),
        y: Side::of(&plane.y, panel.y_title),
        layers: panel.field.iter().map(signs).chain([coloured(colouring, panel.points)]).collect(),
    };
    let mut key = key(colouring, picture.labels.map_or("", |labels| labels.name));
    if picture.panels.iter().any(|panel| panel.field.is_some()) {
        key.extend([Entry::new(SIGNS[1], "above zero"), Entry::new(SIGNS[0], "below zero")]);
    }
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        panels: picture.panels.iter().zip(planes).map(panel).collect(),
        key,
        ..Sketch::default()
    }
}

fn signs(field: &Field) -> Layer {
    let largest = field.values.iter().filter(|v| v.is_finite()).fold(0.0f64, |m, v| m.max(v.abs()));
    let kind = |value: &f64| match value / largest {
        share if share <= -CLEARLY => 1,
        share if share >= CLEARLY => 2,
        _ => 0,
    };
    let kind = field.values.iter().map(kind).collect();
    let looks = vec![None, Some(SIGNS[0]), Some(SIGNS[1])];
    Layer::Background { grid: Grid::of(field), kind, looks }
}
