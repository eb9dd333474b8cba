//! The few SVG elements that the pictures need, written as text.

use std::fmt::Write;

/// Text and marks.
pub const INK: &str = "#1f2933";
/// Text of less weight.
pub const SOFT_INK: &str = "#5b6773";
/// Lines of a grid.
pub const GRID: &str = "#e8ebef";
/// The frame of a panel.
pub const FRAME: &str = "#c9d0d8";
/// The background.
pub const PAPER: &str = "#fff";

/// A rectangle in pixels of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

impl Rect {
    pub fn right(&self) -> f64 {
        self.left + self.width
    }

    pub fn bottom(&self) -> f64 {
        self.top + self.height
    }
}

/// How a piece of text is set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextStyle {
    pub size: f64,
    pub colour: &'static str,
    /// `start`, `middle` or `end`.
    pub anchor: &'static str,
    pub bold: bool,
    /// Turned a quarter to the left around its anchor, for the titles of vertical axes.
    pub upright: bool,
}

impl TextStyle {
    pub const fn new(size: f64, colour: &'static str, anchor: &'static str) -> Self {
        Self { size, colour, anchor, bold: false, upright: false }
    }

    pub const fn bold(mut self) -> Self {
        self.bold = true;
        self
    }

    pub const fn upright(mut self) -> Self {
        self.upright = true;
        self
    }
}

/// A picture under construction.
pub(crate) struct Svg {
    text: String,
    clips: usize,
}

impl Svg {
    /// An empty white card of the given size.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let mut svg = Self { text: String::new(), clips: 0 };
        svg.raw(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" \
             viewBox=\"0 0 {0} {1}\" role=\"img\" \
             font-family=\"'Noto Sans', 'Helvetica Neue', Arial, sans-serif\">\n\
             <title>{2}</title>\n<rect width=\"{0}\" height=\"{1}\" fill=\"{PAPER}\"/>\n",
            number(width),
            number(height),
            escape(title)
        ));
        svg
    }

    /// Adds text that is SVG already.
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn text(&mut self, x: f64, y: f64, style: TextStyle, content: &str) {
        let (x, y) = (number(x), number(y));
        let weight = if style.bold { " font-weight=\"700\"" } else { "" };
        let turn = if style.upright {
            format!(" transform=\"rotate(-90 {x} {y})\"")
        } else {
            String::new()
        };
        let TextStyle { size, colour, anchor, .. } = style;
        writeln!(
            self.text,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{colour}\" \
             text-anchor=\"{anchor}\"{weight}{turn}>{}</text>",
            escape(content)
        )
        .expect("writing to a string cannot fail");
    }

    /// A rectangle; `paint` holds its fill and stroke attributes.
    pub fn rect(&mut self, rect: Rect, paint: &str) {
        let Rect { left, top, width, height } = rect;
        self.raw(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {paint}/>\n",
            number(left),
            number(top),
            number(width),
            number(height)
        ));
    }

    /// A path with path data `data`; `paint` holds its fill and stroke attributes.
    pub fn path(&mut self, data: &str, paint: &str) {
        if !data.is_empty() {
            self.raw(&format!("<path d=\"{data}\" {paint}/>\n"));
        }
    }

    /// Everything that `draw` adds is cut off at the edges of `rect`.
    pub fn clipped(&mut self, rect: Rect, draw: impl FnOnce(&mut Self)) {
        self.clips += 1;
        let name = format!("clip{}", self.clips);
        self.raw(&format!("<clipPath id=\"{name}\">"));
        self.rect(rect, "");
        self.raw(&format!("</clipPath>\n<g clip-path=\"url(#{name})\">\n"));
        draw(self);
        self.raw("</g>\n");
    }

    /// The finished text.
    pub fn finish(mut self) -> String {
        self.text.push_str("</svg>\n");
        self.text
    }
}

/// A coordinate with two decimals at most and no trailing zeros.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Text that is safe inside an element or attribute. Control characters, which XML forbids, become
/// spaces.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

/// The width of `text` in pixels, a little generous: good enough to leave room for it.
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '!' | '\'' | 'I' => 0.3,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.92,
        'A'..='Z' => 0.68,
        c if c.is_ascii() => 0.57,
        '\u{2e80}'.. => 1.0,
        _ => 0.62,
    };
    size * text.chars().map(em).sum::<f64>()
}

/// `text` cut to `limit` characters, the last of them an ellipsis if something was cut.
pub fn shortened(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.into();
    }
    text.chars().take(limit - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [(1.0, "1"), (2.50, "2.5"), (-0.001, "0"), (100.0, "100")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn markup_in_labels_is_harmless() {
        assert_eq!(escape("a<b & \"c\"\u{0}"), "a&lt;b &amp; &quot;c&quot; ");
    }

    #[test]
    fn long_labels_are_cut() {
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("äöü", 3), "äöü");
    }
}
