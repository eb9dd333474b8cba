//! SortedScores scores as characters.

use super::super::marks::{Group, Marks};
use super::super::panel::Plane;
use super::super::sorted_scores::SortedScores;
use super::layers::Layer;
use super::look::Look;
use super::panel::{Panel, Side};
use super::{Entry, Sketch, marks};

const THRESHOLD: Look = Look::of('╌', '-');

/// The sketch of scores at `points`, whose places are logarithms, on the axes of `plane`.
pub(crate) fn sketch(
    picture: &SortedScores,
    plane: &Plane,
    points: &[[f64; 2]],
    groups: &[Group; 2],
) -> Sketch {
    let (level, name) = picture.threshold;
    let group: Vec<usize> = points.iter().map(|point| usize::from(point[1] <= level)).collect();
    let marks = Marks { points, group: &group, groups, ringed: &vec![false; points.len()] };
    let mut key = marks::key(&marks, "", &[]);
    key.push(Entry::new(THRESHOLD, name));
    let panel = Panel {
        heading: String::new(),
        x: Side::logarithmic(&plane.x, picture.x_title),
        y: Side::of(&plane.y, picture.y_title),
        layers: vec![Layer::Level { height: level, look: THRESHOLD }, marks::layer(&marks)],
    };
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        panels: vec![panel],
        key,
        // Scores that fall slowly share cells by their nature.
        counts_shared: false,
        ..Sketch::default()
    }
}
