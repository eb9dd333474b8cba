//! What a model says as columns vary, as characters: means without their bands.

use super::super::dependence::{BandLine, DependencePanel, DependencePlot, colour};
use super::super::panel::Plane;
use super::layers::Layer;
use super::look::Look;
use super::panel::{Panel, Side};
use super::{Entry, Sketch};

/// The sketch of the panels on the axes of `planes`.
pub(crate) fn sketch(picture: &DependencePlot, planes: &[Plane]) -> Sketch {
    let count = picture.names.len().max(1);
    let look = |place: usize| Look::of_group(place, count, colour(place));
    let line = |panel: &DependencePanel, (place, line): (usize, &BandLine)| {
        let points = panel.places().into_iter().zip(&line.mean).map(|(x, y)| [x, *y]).collect();
        Layer::Line { points, look: look(place) }
    };
    let panel = |(panel, plane): (&DependencePanel, &Plane)| Panel {
        heading: panel.name.clone(),
        x: Side::of(&plane.x, ""),
        y: Side::of(&plane.y, picture.y_title),
        layers: panel.lines.iter().enumerate().map(|each| line(panel, each)).collect(),
    };
    let named = picture.names.iter().enumerate();
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        panels: picture.panels.iter().zip(planes).map(panel).collect(),
        key: named.map(|(place, name)| Entry::new(look(place), name)).collect(),
        counts_shared: false,
        ..Sketch::default()
    }
}
