//! Text as the outlines of its glyphs, one after the other. The fonts have Latin, Greek and Cyrillic, which need no shaping; a
//! character that they lack is drawn as the box that fonts have for it.

use mercer::Result;
use roxmltree::Node;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::paint::Paint;
use super::{cannot_draw, number};

/// The outline of a `text` element at its place.
pub(super) fn outline(element: Node<'_, '_>, paint: &Paint) -> Result<Option<Path>> {
    let content = words(element.text().unwrap_or_default());
    let bytes = if paint.bold { notosans::BOLD_TTF } else { notosans::REGULAR_TTF };
    let face = Face::parse(bytes, 0).map_err(cannot_draw)?;
    let scale = paint.font_size / f32::from(face.units_per_em());
    let glyphs: Vec<_> = content.chars().map(|c| glyph(&face, c)).collect();
    let width: f32 = glyphs.iter().map(|(_, advance)| advance * scale).sum();
    let mut pen = Pen {
        path: PathBuilder::new(),
        x: number(element, "x")? - paint.anchor * width,
        y: number(element, "y")?,
        scale,
    };
    for (id, advance) in glyphs {
        face.outline_glyph(id, &mut pen);
        pen.x += advance * scale;
    }
    Ok(pen.path.finish())
}

/// Text as XML has it by default: white space is one space, and none at the ends.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The glyph of a character and its width, in units of the font.
fn glyph(face: &Face<'_>, character: char) -> (GlyphId, f32) {
    let id = face.glyph_index(character).unwrap_or_default();
    (id, face.glyph_hor_advance(id).map_or(0.0, f32::from))
}

/// Adds the outline of a glyph at a place. Fonts count upwards, pictures downwards.
struct Pen {
    path: PathBuilder,
    x: f32,
    y: f32,
    scale: f32,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.x + self.scale * x, self.y - self.scale * y)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
