//! Marks of groups as characters: filled shapes, hollow ones for those with a ring.

use super::super::marks::{Group, Marks};
use super::super::numbers::significant;
use super::Entry;
use super::layers::Layer;
use super::look::{Look, MOST_SHAPES};

/// The most groups that are listed by name.
const MOST_GROUPS: usize = 14;
/// Steps of a scale, a digit each.
const STEPS: usize = 10;

/// The points of a picture. Groups without names are steps of a scale.
pub(super) fn layer(marks: &Marks) -> Layer {
    let look = |row: usize| 2 * marks.group[row] + usize::from(marks.ringed[row]);
    let look = (0..marks.points.len()).map(look).collect();
    let count = marks.groups.len();
    let looks = marks.groups.iter().enumerate().flat_map(|(index, group)| {
        [false, true].map(|is_ringed| look_of(group, index, count, is_ringed))
    });
    Layer::Points { points: marks.points.to_vec(), look, looks: looks.collect() }
}

fn look_of(group: &Group, index: usize, count: usize, is_ringed: bool) -> Look {
    match group.name {
        Some(_) => Look::of_mark(group.shape, index, count, group.colour, is_ringed),
        None => Look::of_step(index * STEPS / count, group.colour),
    }
}

/// What the marks mean; `on` is what the background of each group looks like.
pub(super) fn key(marks: &Marks, ring_name: &str, on: &[Option<Look>]) -> Vec<Entry> {
    let count = marks.groups.len();
    let named = marks.groups.iter().enumerate().filter(|(_, group)| group.name.is_some());
    let mut key: Vec<Entry> = named
        .clone()
        .take(MOST_GROUPS)
        .map(|(index, group)| {
            let name = group.name.as_deref().unwrap_or_default();
            let entry = Entry::new(look_of(group, index, count, false), name);
            entry.on(on.get(index).copied().flatten())
        })
        .collect();
    let named = named.count();
    if named > MOST_GROUPS {
        key.push(Entry::remark(&format!("… {} more", named - MOST_GROUPS)));
    }
    // The steps of a scale are digits, which have no ring.
    if named > 0 && marks.ringed.iter().any(|ringed| *ringed) {
        let capital = format!("capital letters: {ring_name}");
        let hollow = format!("hollow: {ring_name}");
        let unicode = if count > MOST_SHAPES { &capital } else { &hollow };
        key.push(Entry::remark(unicode).in_ascii(&capital));
    }
    key
}

/// The digits of a scale, if there is one, from `low` to `high`.
pub(super) fn scale_key(groups: &[Group], [low, high]: [f64; 2]) -> Vec<Entry> {
    match groups {
        [first, .., last] if first.name.is_none() => {
            let count = groups.len();
            let entry = |group: &Group, index: usize, value: f64| {
                Entry::new(look_of(group, index, count, false), &significant(value, 3))
            };
            vec![entry(first, 0, low), Entry::remark("to"), entry(last, count - 1, high)]
        }
        _ => Vec::new(),
    }
}
