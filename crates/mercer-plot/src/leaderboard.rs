//! Scores of models with their standard errors, the best on top.

use super::axis::{Axis, Tick};
use super::colour::hex;
use super::drawing::Drawing;
use super::hover;
use super::key::Key;
use super::marks::{Group, Marks, draw_marks};
use super::panel::Plane;
use super::scatter::draw_titles;
use super::svg::{Rect, Svg, number, shortened};
use super::terminal;

/// What the picture shows.
pub struct Leaderboard<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: &'a str,
    /// The name of the score.
    pub x_title: &'a str,
    /// The models, the best first.
    pub entries: &'a [Entry],
    /// The names of the two groups of models.
    pub groups: [&'a str; 2],
}

/// A model.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// Its score.
    pub value: f64,
    /// The standard error of the score, if it is known.
    pub std_error: Option<f64>,
    /// Its group: 0 or 1.
    pub group: usize,
}

const WIDTH: f64 = 860.0;
const MARGIN: f64 = 24.0;
/// Pixels of a line.
const LINE: f64 = 30.0;
/// Pixels of axis, titles and margins.
const REST: f64 = 96.0;
const LONGEST_NAME: usize = 32;

/// Draws `picture`.
pub fn leaderboard(picture: &Leaderboard) -> Drawing {
    let entries = picture.entries;
    let height = LINE * entries.len().max(1) as f64 + REST + MARGIN + 46.0;
    let mut svg = Svg::new(WIDTH, height, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH);
    let groups = [0, 1].map(|group| Group::of_class(group, picture.groups[group]));
    let key = Key::titled("").groups(&groups);
    let outer = Rect {
        left: MARGIN - 6.0,
        top,
        width: WIDTH - 2.0 * MARGIN - key.width() + 18.0,
        height: height - top - MARGIN + 8.0,
    };
    let plane = Plane::inside(outer, scores_axis(entries), names_axis(entries));
    plane.draw_grid(&mut svg);
    draw_errors(&mut svg, &plane, entries, &groups);
    let points: Vec<[f64; 2]> =
        entries.iter().enumerate().map(|(line, e)| [e.value, height_of(line, entries)]).collect();
    let group: Vec<usize> = entries.iter().map(|entry| entry.group.min(1)).collect();
    let ringed = vec![false; points.len()];
    let marks = Marks { points: &points, group: &group, groups: &groups, ringed: &ringed };
    draw_marks(&mut svg, &plane, &marks, &|place| {
        format!("{}: {}", entries[place].name, entries[place].text())
    });
    plane.draw_frame(&mut svg, picture.x_title, "");
    key.draw(&mut svg, [plane.frame.right() + 20.0, plane.frame.top]);
    Drawing { svg: svg.finish(), sketch: terminal::leaderboard::sketch(picture, &plane.x) }
}

impl Entry {
    /// `0.967 ± 0.012`.
    pub(crate) fn text(&self) -> String {
        let spread = self.std_error.filter(|error| error.is_finite());
        let spread = spread.map(|error| format!(" ± {}", super::significant(error, 2)));
        format!("{}{}", hover::value_of(self.value), spread.unwrap_or_default())
    }

    fn ends(&self) -> [f64; 2] {
        let error = self.std_error.filter(|error| error.is_finite()).unwrap_or(0.0);
        [self.value - error, self.value + error]
    }
}

/// The height of a line; the first is on top.
fn height_of(line: usize, entries: &[Entry]) -> f64 {
    entries.len() as f64 - line as f64
}

fn scores_axis(entries: &[Entry]) -> Axis {
    Axis::around(entries.iter().flat_map(Entry::ends), 6)
}

/// An axis whose ticks are the models.
fn names_axis(entries: &[Entry]) -> Axis {
    let tick = |(line, entry): (usize, &Entry)| Tick {
        value: height_of(line, entries),
        label: shortened(&entry.name, LONGEST_NAME),
    };
    let ticks = entries.iter().enumerate().map(tick).collect();
    Axis { low: 0.4, high: entries.len().max(1) as f64 + 0.6, ticks, exponent: 0 }
}

/// A line from one standard error below to one above.
fn draw_errors(svg: &mut Svg, plane: &Plane, entries: &[Entry], groups: &[Group; 2]) {
    for (line, entry) in entries.iter().enumerate() {
        let [from, to] = entry.ends().map(|end| plane.place([end, height_of(line, entries)]));
        if from[0].is_finite() && to[0].is_finite() {
            let paint =
                format!("stroke=\"{}\" stroke-width=\"2\"", hex(groups[entry.group.min(1)].colour));
            let path = format!("M{} {}H{}", number(from[0]), number(from[1]), number(to[0]));
            svg.path(&path, &paint);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Screen;

    fn drawing(values: &[f64]) -> Drawing {
        let entry = |(i, &value): (usize, &f64)| Entry {
            name: format!("model <{i}>"),
            value,
            std_error: (i % 2 == 0).then_some(0.01),
            group: i % 2,
        };
        let entries: Vec<Entry> = values.iter().enumerate().map(entry).collect();
        leaderboard(&Leaderboard {
            title: "Models for y",
            subtitle: "",
            x_title: "accuracy",
            entries: &entries,
            groups: ["kernel methods", "baselines"],
        })
    }

    #[test]
    fn models_errors_and_groups_are_there() {
        let svg = drawing(&[0.9, 0.8, 0.7]).svg;
        for text in
            [">model &lt;0&gt;<", ">accuracy<", ">kernel methods<", ">baselines<", "0.9 ± 0.01"]
        {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn degenerate_scores_are_drawn() {
        for values in [&[][..], &[0.5], &[f64::NAN, 1.0], &[1e300, -1e300]] {
            let drawing = drawing(values);
            assert!(!drawing.svg.contains("inf") && !drawing.svg.contains("NaN "), "{values:?}");
            super::super::png(&drawing.svg, 0.5).unwrap();
        }
    }

    #[test]
    fn a_terminal_shows_bars() {
        let screen = Screen { width: 60, unicode: true, colour: false };
        let text = drawing(&[0.9, 0.8]).text(&screen);
        assert!(text.contains("model <0>") && text.contains("0.9 ± 0.01"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
    }
}
