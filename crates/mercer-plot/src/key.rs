//! What the marks, lines and colours of a picture mean: one line each, or a bar for a scale.

use super::colour::{Rgb, hex};
use super::legend::{draw_bar, draw_ranks};
use super::marks::{Group, RING, Shape};
use super::svg::{FRAME, INK, Rect, SOFT_INK, Svg, TextStyle, number, shortened, text_width};

const SIZE: f64 = 12.5;
const LINE: f64 = 22.0;
const LONGEST_NAME: usize = 24;
/// The most groups that are listed by name.
const MOST_GROUPS: usize = 14;
/// Pixels between a symbol's left edge and its name.
const INDENT: f64 = 30.0;

/// A symbol and its name.
pub(crate) struct Entry {
    symbol: Symbol,
    name: String,
}

/// What stands before a name.
enum Symbol {
    /// A point.
    Point(Shape, Rgb),
    /// A ring.
    Ring,
    /// A piece of a line, with these attributes.
    Stroke(String),
    /// A patch with these attributes.
    Patch(String),
    /// Nothing.
    None,
}

/// A scale of colours.
enum Scale {
    /// In equal steps between two numbers.
    Even(f64, f64),
    /// With a colour between each of these numbers and the next.
    Ranks(Vec<f64>),
}

/// The legend of a picture.
#[derive(Default)]
pub(crate) struct Key {
    title: String,
    entries: Vec<Entry>,
    /// A scale from dark to bright.
    scale: Option<Scale>,
}

impl Key {
    /// A legend below `title`, which may be empty.
    pub fn titled(title: &str) -> Self {
        Self { title: shortened(title, LONGEST_NAME), ..Self::default() }
    }

    /// The groups of points that have names.
    pub fn groups(mut self, groups: &[Group]) -> Self {
        let named: Vec<&Group> = groups.iter().filter(|group| group.name.is_some()).collect();
        for group in named.iter().take(MOST_GROUPS) {
            let name = group.name.as_deref().unwrap_or_default();
            self.add(Symbol::Point(group.shape, group.colour), name);
        }
        if named.len() > MOST_GROUPS {
            self.add(Symbol::None, &format!("… {} more", named.len() - MOST_GROUPS));
        }
        self
    }

    /// A ring around points.
    pub fn ring(mut self, name: &str) -> Self {
        self.add(Symbol::Ring, name);
        self
    }

    /// A line with the attributes `stroke`.
    pub fn line(mut self, stroke: &str, name: &str) -> Self {
        self.add(Symbol::Stroke(stroke.into()), name);
        self
    }

    /// An area with the attributes `fill`.
    pub fn patch(mut self, fill: &str, name: &str) -> Self {
        self.add(Symbol::Patch(fill.into()), name);
        self
    }

    /// A scale of colours from `low` to `high`.
    pub fn scale(mut self, low: f64, high: f64) -> Self {
        self.scale = Some(Scale::Even(low, high));
        self
    }

    /// A scale whose colours change at `levels`.
    pub fn ranks(mut self, levels: &[f64]) -> Self {
        self.scale = Some(Scale::Ranks(levels.to_vec()));
        self
    }

    fn add(&mut self, symbol: Symbol, name: &str) {
        let name = if name.trim().is_empty() { "(empty)" } else { name };
        self.entries.push(Entry { symbol, name: shortened(name, LONGEST_NAME) });
    }

    /// Pixels that the legend takes to the right of the panel.
    pub fn width(&self) -> f64 {
        let names = self.entries.iter().map(|entry| INDENT + 1.06 * text_width(&entry.name, SIZE));
        let title = 1.12 * text_width(&self.title, SIZE);
        let scale = if self.scale.is_some() { 78.0 } else { 0.0 };
        names.fold(title.max(scale), f64::max) + 22.0
    }

    /// Draws the legend with its left upper corner at (`left`, `top`).
    pub fn draw(&self, svg: &mut Svg, [left, top]: [f64; 2]) {
        let mut y = top + 12.0;
        if !self.title.is_empty() {
            svg.text(left, y, TextStyle::new(SIZE, INK, "start").bold(), &self.title);
            y += LINE;
        }
        if let Some(scale) = &self.scale {
            let bar = Rect { left, top: y - 8.0, width: 14.0, height: 190.0 };
            match scale {
                Scale::Even(low, high) => draw_bar(svg, bar, *low, *high),
                Scale::Ranks(levels) => draw_ranks(svg, bar, levels),
            }
            // Below the bar there may be a power of ten.
            y = bar.bottom() + 44.0;
        }
        for entry in &self.entries {
            draw_symbol(svg, &entry.symbol, [left, y - 4.5]);
            let colour = if matches!(entry.symbol, Symbol::None) { SOFT_INK } else { INK };
            svg.text(left + INDENT, y, TextStyle::new(SIZE, colour, "start"), &entry.name);
            y += LINE;
        }
    }
}

/// Draws a symbol whose middle is at height `y`.
fn draw_symbol(svg: &mut Svg, symbol: &Symbol, [left, y]: [f64; 2]) {
    let middle = [left + 11.0, y];
    match symbol {
        Symbol::Point(shape, colour) => {
            svg.path(&shape.path(middle, 5.0), &format!("fill=\"{}\"", hex(*colour)));
        }
        Symbol::Ring => {
            let paint = format!("fill=\"none\" stroke=\"{RING}\" stroke-width=\"1.2\"");
            svg.path(&Shape::Circle.path(middle, 7.0), &paint);
        }
        Symbol::Stroke(stroke) => {
            svg.path(&format!("M{} {}h22", number(left), number(y)), stroke);
        }
        Symbol::Patch(fill) => {
            let rect = Rect { left: left + 1.0, top: y - 6.5, width: 20.0, height: 13.0 };
            svg.rect(rect, &format!("{fill} stroke=\"{FRAME}\""));
        }
        Symbol::None => {}
    }
}
