//! Small plots of characters, for a terminal.
//!
//! Each kind of plot has a file here that reduces it to some twenty lines: a [`Sketch`], which owns its data,
//! because it is laid out later, when the width of the terminal is known.

mod bars;
mod canvas;
mod layers;
mod look;
mod marks;
mod panel;
mod screen;

pub(super) mod cells;
pub(super) mod curves;
pub(super) mod dependence;
pub(super) mod leaderboard;
pub(super) mod map;
pub(super) mod multiples;
pub(super) mod named_bars;
pub(super) mod scatter;
pub(super) mod shares;
pub(super) mod sorted_scores;
pub(super) mod spectrum;
pub(super) mod tube;

pub use screen::Screen;

use self::bars::Bar;
use self::canvas::Canvas;
use self::look::Look;
use self::panel::{Area, Panel};
use self::screen::width_of;

/// Lines of a plot of one panel, with its axes.
const HEIGHT: usize = 20;
/// Lines of each of several panels.
const SMALL_HEIGHT: usize = 13;
/// Panels stand side by side on screens as wide as this.
const TWO_ABREAST: usize = 64;
/// Columns between panels.
const GAP: usize = 3;

/// What is shown on a terminal.
#[derive(Debug, Clone)]
pub(crate) struct Sketch {
    pub title: String,
    pub subtitle: String,
    pub panels: Vec<Panel>,
    /// Lines with a bar each, below the panels.
    pub bars: Vec<Bar>,
    pub key: Vec<Entry>,
    /// Lines below the key.
    pub notes: Vec<String>,
    /// Whether points are counted that are not seen because others are in the same cell.
    pub counts_shared: bool,
}

impl Default for Sketch {
    fn default() -> Self {
        Self {
            title: String::new(),
            subtitle: String::new(),
            panels: Vec::new(),
            bars: Vec::new(),
            key: Vec::new(),
            notes: Vec::new(),
            counts_shared: true,
        }
    }
}

/// A line of the key, or a part of one.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    look: Option<Look>,
    name: String,
    /// The name where only ASCII is shown, if it is another.
    ascii: Option<String>,
    /// The background that belongs to it.
    on: Option<Look>,
}

impl Entry {
    pub fn new(look: Look, name: &str) -> Self {
        let name = if name.trim().is_empty() { "(empty)" } else { name };
        Self { look: Some(look), ..Self::remark(name) }
    }

    pub fn remark(text: &str) -> Self {
        Self { look: None, name: text.into(), ascii: None, on: None }
    }

    /// The same, which stands on a background that looks like `on`.
    pub fn on(self, on: Option<Look>) -> Self {
        Self { on, ..self }
    }

    /// The same, with another name where only ASCII is shown.
    pub fn in_ascii(self, name: &str) -> Self {
        Self { ascii: Some(name.into()), ..self }
    }

    fn text(&self, screen: &Screen) -> String {
        let look = self.look.map(|look| format!("{} ", look.glyph(screen))).unwrap_or_default();
        let on = self.on.map(|on| format!(" (on {})", on.glyph(screen))).unwrap_or_default();
        let ascii = self.ascii.as_ref().filter(|_| !screen.unicode);
        screen.plain(&format!("{look}{}{on}", ascii.unwrap_or(&self.name)))
    }
}

impl Sketch {
    /// The plot as lines, none wider than `screen`.
    pub fn text(&self, screen: &Screen) -> String {
        let mut text = String::new();
        for line in [&self.title, &self.subtitle].into_iter().filter(|line| !line.is_empty()) {
            text += &(screen.cut(line, screen.width) + "\n");
        }
        let (panels, shared) = self.draw_panels(screen);
        text += &panels;
        text += &bars::text(&self.bars, screen);
        text += &self.key_lines(screen);
        let shared = shared_cells(shared, self.panels.len()).filter(|_| self.counts_shared);
        for note in self.notes.iter().chain(&shared) {
            text += &screen.wrapped(note);
        }
        text
    }

    /// All panels, and how many points are not seen because others are in the same cell.
    fn draw_panels(&self, screen: &Screen) -> (String, usize) {
        let abreast = if self.panels.len() > 1 && screen.width >= TWO_ABREAST { 2 } else { 1 };
        let height = if self.panels.len() > 1 { SMALL_HEIGHT } else { HEIGHT };
        let width = (screen.width - GAP * (abreast - 1)) / abreast;
        let (mut text, mut shared) = (String::new(), 0);
        for line in self.panels.chunks(abreast) {
            let mut canvas = Canvas::new(screen.width, height);
            for (place, panel) in line.iter().enumerate() {
                let area = Area { left: place * (width + GAP), width, height };
                shared += panel.draw(&mut canvas, area, screen);
            }
            text += &canvas.text(screen);
        }
        (text, shared)
    }

    /// The key, in as few lines as it fits in.
    fn key_lines(&self, screen: &Screen) -> String {
        let mut lines: Vec<Vec<&Entry>> = Vec::new();
        let mut used = 0;
        for entry in &self.key {
            let width = width_of(&entry.text(screen));
            if lines.is_empty() || used + GAP + width > screen.width {
                lines.push(Vec::new());
                used = 0;
            } else {
                used += GAP;
            }
            used += width;
            lines.last_mut().expect("a line was begun").push(entry);
        }
        let mut canvas = Canvas::new(screen.width, lines.len());
        for (row, line) in lines.iter().enumerate() {
            let mut column = 0;
            for entry in line {
                column += write_entry(&mut canvas, [column, row], entry, screen) + GAP;
            }
        }
        canvas.text(screen)
    }
}

/// Writes an entry of the key; returns its width.
fn write_entry(canvas: &mut Canvas, place: [usize; 2], entry: &Entry, screen: &Screen) -> usize {
    let text = screen.cut(&entry.text(screen), screen.width);
    canvas.write(place, &text);
    if let Some(look) = entry.look {
        canvas.put(place, canvas::Cell { glyph: look.glyph(screen), colour: look.colour });
    }
    width_of(&text)
}

/// A note about hidden points.
fn shared_cells(shared: usize, panels: usize) -> Option<String> {
    let count = match (shared, panels) {
        (0, _) => return None,
        (1, 1) => "1 point shares its cell".into(),
        (_, 1) => format!("{} points share a cell", super::grouped(shared)),
        _ => "points share cells".into(),
    };
    Some(format!("{count} with others; each cell shows its most frequent class"))
}

#[cfg(test)]
mod tests;
