//! PNG from SVG, with the embedded font, so that text is drawn on machines that have no fonts.

use std::sync::Arc;

use mercer::{Error, Result};
use resvg::{tiny_skia, usvg};

/// Renders the SVG text `svg` as PNG bytes with `zoom` pixels per SVG unit.
///
/// The font is Noto Sans (regular and bold), under the SIL Open Font License 1.1, from the crate
/// `notosans`; `LICENSE-NotoSans-OFL.txt` holds the text.
pub fn png(svg: &str, zoom: f32) -> Result<Vec<u8>> {
    let tree = usvg::Tree::from_str(svg, &options()).map_err(cannot_draw)?;
    let size = tree.size();
    let (width, height) = ((size.width() * zoom).ceil(), (size.height() * zoom).ceil());
    let mut pixels = tiny_skia::Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| cannot_draw(format!("{width} × {height} pixels are not a picture")))?;
    let transform = tiny_skia::Transform::from_scale(zoom, zoom);
    resvg::render(&tree, transform, &mut pixels.as_mut());
    pixels.encode_png().map_err(cannot_draw)
}

fn options() -> usvg::Options<'static> {
    let mut fonts = usvg::fontdb::Database::new();
    fonts.load_font_data(notosans::REGULAR_TTF.to_vec());
    fonts.load_font_data(notosans::BOLD_TTF.to_vec());
    usvg::Options {
        font_family: "Noto Sans".into(),
        fontdb: Arc::new(fonts),
        ..usvg::Options::default()
    }
}

fn cannot_draw(cause: impl std::fmt::Display) -> Error {
    Error::Numeric(format!("the picture cannot be rendered as PNG: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ink(svg_body: &str) -> usize {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"60\" height=\"20\">{svg_body}</svg>"
        );
        let bytes = png(&svg, 1.0).unwrap();
        let pixels = tiny_skia::Pixmap::decode_png(&bytes).unwrap();
        pixels.pixels().iter().filter(|pixel| pixel.alpha() > 0).count()
    }

    #[test]
    fn text_leaves_ink_without_any_system_font() {
        assert!(ink("<text x=\"2\" y=\"14\" font-size=\"12\">component</text>") > 100);
    }

    #[test]
    fn strokes_of_no_length_are_dots() {
        let paint = "stroke=\"#000\" stroke-width=\"6\" stroke-linecap=\"round\"";
        assert!(ink(&format!("<path d=\"M10 10h0M40 10h0\" {paint}/>")) > 40);
    }

    #[test]
    fn broken_svg_is_an_error() {
        assert!(png("<svg", 1.0).is_err());
    }
}
