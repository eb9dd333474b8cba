//! A regression of one column as characters.

use super::super::panel::Plane;
use super::super::tube::Tube;
use super::layers::Layer;
use super::look::Look;
use super::panel::{Panel, Side};
use super::{Entry, Sketch, marks};

const TUBE: Look = Look::of('·', '.');
const FUNCTION: Look = Look::of('━', '=');

/// The sketch of a regression on the axes of `plane`.
pub(crate) fn sketch(picture: &Tube, plane: &Plane) -> Sketch {
    let (reach, name) = &picture.tube;
    let points = picture.function.to_vec();
    let layers = vec![
        Layer::Band { points: points.clone(), reach: *reach, look: TUBE },
        marks::layer(&picture.marks),
        Layer::Line { points, look: FUNCTION },
    ];
    let mut key = marks::key(&picture.marks, picture.ring_name, &[]);
    key.extend([Entry::new(FUNCTION, "function"), Entry::new(TUBE, name)]);
    let panel = Panel {
        heading: String::new(),
        x: Side::of(&plane.x, picture.x_title),
        y: Side::of(&plane.y, picture.y_title),
        layers,
    };
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        panels: vec![panel],
        key,
        ..Sketch::default()
    }
}
