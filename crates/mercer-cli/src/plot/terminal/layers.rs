//! What lies inside of the axes of a panel.

use std::collections::BTreeMap;

use super::canvas::{Canvas, Cell};
use super::look::Look;
use super::panel::Inside;
use super::screen::Screen;

/// One of the things that a panel shows.
#[derive(Debug, Clone)]
pub(crate) enum Layer {
    /// Points, each with one of several looks. A cell shows what is most frequent in it.
    Points { points: Vec<[f64; 2]>, look: Vec<usize>, looks: Vec<Look> },
}

impl Layer {
    /// Draws the layer; returns how many points are not seen because others are in the same cell.
    pub(super) fn draw(&self, canvas: &mut Canvas, inside: &Inside, screen: &Screen) -> usize {
        match self {
            Layer::Points { points, look, looks } => {
                let mut shared = 0;
                for (place, counts) in counted(inside, points, look) {
                    shared += counts.values().sum::<usize>() - 1;
                    put(canvas, inside, place, looks[most_frequent(&counts)], screen);
                }
                shared
            }
        }
    }
}

fn put(canvas: &mut Canvas, inside: &Inside, place: [usize; 2], look: Look, screen: &Screen) {
    inside.put(canvas, place, Cell { glyph: look.glyph(screen), colour: look.colour });
}

/// How many points of each look are in each cell.
fn counted(
    inside: &Inside,
    points: &[[f64; 2]],
    look: &[usize],
) -> BTreeMap<[usize; 2], BTreeMap<usize, usize>> {
    let mut cells: BTreeMap<[usize; 2], BTreeMap<usize, usize>> = BTreeMap::new();
    for (point, look) in points.iter().zip(look) {
        if let Some(place) = inside.cell(*point) {
            *cells.entry(place).or_default().entry(*look).or_default() += 1;
        }
    }
    cells
}

/// Of equally frequent looks the first.
fn most_frequent(counts: &BTreeMap<usize, usize>) -> usize {
    let largest = counts.values().max().expect("a cell that is counted has a point");
    *counts.iter().find(|(_, count)| *count == largest).expect("one of them is the largest").0
}
