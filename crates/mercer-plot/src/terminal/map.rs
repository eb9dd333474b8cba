//! A model of two columns as characters: the background by its density, and the rows on it.

use super::super::axis::Axis;
use super::super::field::Field;
use super::super::map::{Background, Map};
use super::super::numbers::significant;
use super::layers::{Grid, Layer};
use super::look::Look;
use super::panel::{Panel, Side};
use super::{Entry, Sketch, marks};

/// Background patterns of classes; the first class has none.
const PATTERNS: [Look; 5] = [
    Look::of('·', '.'),
    Look::of('░', ':'),
    Look::of('-', '-'),
    Look::of('\'', '\''),
    Look::of('~', '~'),
];
/// Heights from low to high; what is below the first is empty.
const HEIGHTS: [Look; 4] =
    [Look::of('·', '.'), Look::of('░', ':'), Look::of('▒', '='), Look::of('▓', '%')];
const BOUNDARY: Look = Look::of('+', '+');

/// The sketch of a map.
pub(crate) fn sketch(picture: &Map) -> Sketch {
    let Field { x, y, .. } = picture.background.grid();
    let (mut layers, background_key) = background(&picture.background);
    layers.push(marks::layer(&picture.marks));
    let title = (!picture.key_title.is_empty()).then(|| format!("{}:", picture.key_title));
    let mut key: Vec<Entry> = title.iter().map(|title| Entry::remark(title)).collect();
    if let Background::Heights { ends, .. } = picture.background {
        key.extend(marks::scale_key(picture.marks.groups, ends));
    }
    key.extend(marks::key(&picture.marks, picture.ring_name, &patterns(&picture.background)));
    key.extend(background_key);
    let panel = Panel {
        heading: String::new(),
        x: Side::of(&Axis::over(x[0], x[1], 5), picture.x_title),
        y: Side::of(&Axis::over(y[0], y[1], 5), picture.y_title),
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

/// What the background of each class looks like; more classes than patterns have a boundary only.
fn patterns(background: &Background) -> Vec<Option<Look>> {
    match background {
        Background::Regions(_, colours) if colours.len() <= PATTERNS.len() + 1 => {
            let pattern = |(pattern, colour): (&Look, &[u8; 3])| Some(pattern.coloured(*colour));
            let others = PATTERNS.iter().zip(colours.iter().skip(1)).map(pattern);
            std::iter::once(None).chain(others).collect()
        }
        _ => Vec::new(),
    }
}

/// The background below the points, and its meaning.
fn background(background: &Background) -> (Vec<Layer>, Vec<Entry>) {
    let grid = Grid::of(&background.grid());
    match background {
        Background::Sides { field, colours, .. } => {
            let above = PATTERNS[0].coloured(colours[1]);
            let kind = field.values.iter().map(|value| usize::from(*value >= 0.0)).collect();
            let layer = Layer::Background { grid, kind, looks: vec![None, Some(above)] };
            (vec![layer], vec![Entry::new(above, "f ≥ 0")])
        }
        Background::Regions(regions, _) => {
            let (kind, looks) = (regions.class.to_vec(), patterns(background));
            match looks.is_empty() {
                true => {
                    let layer = Layer::Boundary { grid, kind, look: BOUNDARY };
                    (vec![layer], vec![Entry::new(BOUNDARY, "boundary")])
                }
                false => (vec![Layer::Background { grid, kind, looks }], Vec::new()),
            }
        }
        Background::Heights { field, ends: [low, high], line } => {
            let level = |step: usize| low + (high - low) * step as f64 / (HEIGHTS.len() + 1) as f64;
            heights(field, &(1..=HEIGHTS.len()).map(level).collect::<Vec<_>>(), *line)
        }
        Background::Ranks { field, levels, line } => {
            let share = |step: usize| step * levels.len() / (HEIGHTS.len() + 1);
            let chosen = (1..=HEIGHTS.len()).filter_map(|step| levels.get(share(step)).copied());
            heights(field, &chosen.collect::<Vec<_>>(), Some(*line))
        }
    }
}

/// A function by its density: what is below the first level is empty.
fn heights(field: &Field, levels: &[f64], line: Option<(f64, &str)>) -> (Vec<Layer>, Vec<Entry>) {
    let grid = Grid::of(field);
    let step = |value: &f64| levels.iter().filter(|level| *value >= **level).count();
    let kind = field.values.iter().map(step).collect();
    let looks = std::iter::once(None).chain(HEIGHTS.map(Some)).collect();
    let mut layers = vec![Layer::Background { grid, kind, looks }];
    let entry =
        |(look, level): (&Look, &f64)| Entry::new(*look, &format!("≥ {}", significant(*level, 3)));
    let mut key: Vec<Entry> = HEIGHTS.iter().zip(levels).map(entry).collect();
    if let Some((level, name)) = line {
        let kind = field.values.iter().map(|value| usize::from(*value > level)).collect();
        layers.push(Layer::Boundary { grid, kind, look: BOUNDARY });
        key.push(Entry::new(BOUNDARY, name));
    }
    (layers, key)
}
