//! Scores against a penalty as characters: a sign for each line, the best filled, what was chosen a star.

use super::super::curves::{Curve, Curves, Hue};
use super::super::panel::Plane;
use super::layers::Layer;
use super::look::Look;
use super::panel::{Panel, Side};
use super::{Entry, Sketch};

const BETWEEN: Look = Look::of('·', '.');
const BASELINE: Look = Look::of('╌', '-');
const CHOSEN: Look = Look::of('★', '*');
/// The most lines that are listed by name, of those that were not chosen.
const MOST_LISTED: usize = 8;

/// The sketch of curves on the axes of `plane`.
pub(crate) fn sketch(picture: &Curves, plane: &Plane, colours: &[Hue]) -> Sketch {
    let panel = Panel {
        heading: String::new(),
        x: Side::logarithmic(&plane.x, picture.x_title),
        y: Side::of(&plane.y, picture.y_title),
        layers: layers(picture, &looks(picture, colours)),
    };
    Sketch {
        title: picture.title.into(),
        subtitle: picture.subtitle.into(),
        panels: vec![panel],
        key: key(picture, &looks(picture, colours)),
        counts_shared: false,
        ..Sketch::default()
    }
}

/// Marked lines have filled shapes, the others letters.
fn looks(picture: &Curves, colours: &[Hue]) -> Vec<Look> {
    let (mut marked, mut others) = (0, 0);
    let count = picture.curves.iter().filter(|curve| curve.mark.is_some()).count();
    let look = |(curve, colour): (&Curve, &Hue)| match curve.mark {
        Some(_) => {
            marked += 1;
            let shape = Look::of_group(marked - 1, count, colour.colour);
            // Letters are those of other lines.
            Look { ascii: if count == 1 { 'o' } else { shape.ascii.to_ascii_uppercase() }, ..shape }
        }
        None => {
            others += 1;
            let letter = char::from(b'a' + ((others - 1) % 26) as u8);
            Look { unicode: letter, ascii: letter, colour: None }
        }
    };
    picture.curves.iter().zip(colours).map(look).collect()
}

/// What was not chosen first, so that it covers nothing.
fn layers(picture: &Curves, looks: &[Look]) -> Vec<Layer> {
    let level = |value: f64| Layer::Level { height: value, look: BASELINE };
    let mut layers: Vec<Layer> =
        picture.baseline.iter().map(|baseline| level(baseline.value)).collect();
    for is_marked in [false, true] {
        let lines = picture.curves.iter().zip(looks);
        for (curve, look) in lines.filter(|(curve, _)| curve.mark.is_some() == is_marked) {
            layers.extend(line(curve, *look));
        }
    }
    for curve in &picture.curves {
        let chosen = curve.mark.as_ref().map(|mark| place(curve.points[mark.index]));
        layers.extend(chosen.map(|point| Layer::Points {
            points: vec![point],
            look: vec![0],
            looks: vec![CHOSEN],
        }));
    }
    layers
}

/// A line, and its points with their sign.
fn line(curve: &Curve, look: Look) -> [Layer; 2] {
    let points: Vec<[f64; 2]> = curve.points.iter().map(|point| place(*point)).collect();
    let between = Look { colour: look.colour, ..BETWEEN };
    [
        Layer::Line { points: points.clone(), look: between },
        Layer::Points { look: vec![0; points.len()], looks: vec![look], points },
    ]
}

fn place([penalty, score]: [f64; 2]) -> [f64; 2] {
    [penalty.log10(), score]
}

fn key(picture: &Curves, looks: &[Look]) -> Vec<Entry> {
    let lines = || picture.curves.iter().zip(looks);
    let marked = lines().filter(|(curve, _)| curve.mark.is_some());
    let mut key: Vec<Entry> = marked.map(|(curve, look)| Entry::new(*look, &curve.name)).collect();
    let texts = picture.curves.iter().filter_map(|curve| curve.mark.as_ref());
    let texts: Vec<&str> = texts.map(|mark| mark.text.as_str()).filter(|t| !t.is_empty()).collect();
    let chosen = if texts.is_empty() { "chosen".into() } else { texts.join("; ") };
    if lines().any(|(curve, _)| curve.mark.is_some()) {
        key.push(Entry::new(CHOSEN, &chosen));
    }
    let others: Vec<_> = lines().filter(|(curve, _)| curve.mark.is_none()).collect();
    let listed = others.iter().take(MOST_LISTED);
    key.extend(listed.map(|(curve, look)| Entry::new(**look, &curve.name)));
    if others.len() > MOST_LISTED {
        key.push(Entry::remark(&format!("… {} more", others.len() - MOST_LISTED)));
    }
    key.extend(picture.baseline.map(|baseline| Entry::new(BASELINE, baseline.name)));
    key
}
