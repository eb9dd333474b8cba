//! One drawing, two renderings: a picture for files and pages, and a small plot of text for a terminal.

use super::terminal::{Screen, Sketch};

/// What a drawing function makes of a picture.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// The picture as SVG text.
    pub svg: String,
    /// The same for a terminal. It is laid out when the width of the terminal is known.
    pub(super) sketch: Sketch,
}

impl Drawing {
    /// The drawing as lines of text, none wider than `screen`.
    pub fn text(&self, screen: &Screen) -> String {
        self.sketch.text(screen)
    }
}
