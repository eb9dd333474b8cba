//! Lines in the square of two shares as characters.

use super::super::panel::Plane;
use super::super::shares::{ShareLine, Shares, colour};
use super::layers::Layer;
use super::look::Look;
use super::panel::{Panel, Side};
use super::{Entry, Sketch};

const REFERENCE: Look = Look::of('╌', '-');

/// The sketch of the lines on the axes of `plane`.
pub(crate) fn sketch(picture: &Shares, plane: &Plane) -> Sketch {
    let count = picture.lines.len();
    let look = |place: usize| Look::of_group(place, count, colour(place));
    let [from, to] = picture.reference.0;
    let reference = Layer::Line { points: vec![from, to], look: REFERENCE };
    let line = |(place, line): (usize, &ShareLine)| Layer::Line {
        points: line.points.clone(),
        look: look(place),
    };
    let lines = picture.lines.iter().enumerate();
    let mut key: Vec<Entry> =
        lines.clone().map(|(place, line)| Entry::new(look(place), &line.name)).collect();
    key.push(Entry::new(REFERENCE, picture.reference.1));
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        panels: vec![Panel {
            heading: String::new(),
            x: Side::of(&plane.x, picture.x_title),
            y: Side::of(&plane.y, picture.y_title),
            layers: std::iter::once(reference).chain(lines.map(line)).collect(),
        }],
        key,
        counts_shared: false,
        ..Sketch::default()
    }
}
