//! PNG from the SVG text of the other modules, with embedded fonts, so that text is drawn on machines that have none.
//!
//! This reads what [`crate::svg`] and the drawings write and nothing else: rectangles, circles, paths, text, groups, cuts at a
//! rectangle and one kind of gradient. Anything unknown is an error and not left out, and a test of every drawing renders it. A
//! renderer of all of SVG brings many crates, most of them for scripts that are shaped.

mod glyphs;
mod outline;
mod paint;

use mercer::{Error, Result};
use roxmltree::{Document, Node};
use tiny_skia::{Mask, Pixmap, Rect, Transform};

use self::outline::{circle, outline, rectangle};
use self::paint::{Paint, gradient};

/// Renders the SVG text `svg` as PNG bytes with `zoom` pixels per SVG unit.
///
/// The font is Noto Sans (regular and bold), under the SIL Open Font License 1.1, from the crate
/// `notosans`; `LICENSE-NotoSans-OFL.txt` holds the text.
pub fn png(svg: &str, zoom: f32) -> Result<Vec<u8>> {
    let document = Document::parse(svg).map_err(cannot_draw)?;
    let root = document.root_element();
    let [width, height] =
        [number(root, "width")?, number(root, "height")?].map(|v| (v * zoom).ceil());
    let pixels = Pixmap::new(width as u32, height as u32)
        .ok_or_else(|| cannot_draw(format!("{width} × {height} pixels are not a picture")))?;
    let mut page = Page { pixels, document: &document };
    let place = Place { transform: Transform::from_scale(zoom, zoom), cut: None };
    page.children(root, &Paint::default(), &place)?;
    page.pixels.encode_png().map_err(cannot_draw)
}

/// The picture under construction.
struct Page<'a> {
    pixels: Pixmap,
    document: &'a Document<'a>,
}

/// Where an element is drawn.
#[derive(Clone)]
struct Place {
    transform: Transform,
    /// The pixels outside of which nothing is drawn.
    cut: Option<Mask>,
}

impl Page<'_> {
    fn children(&mut self, parent: Node<'_, '_>, paint: &Paint, place: &Place) -> Result<()> {
        let mut elements = parent.children().filter(Node::is_element);
        elements.try_for_each(|element| self.element(element, paint, place))
    }

    fn element(&mut self, element: Node<'_, '_>, paint: &Paint, place: &Place) -> Result<()> {
        let paint = paint.with(element)?;
        let transform = place.transform.pre_concat(turn(element)?);
        match element.tag_name().name() {
            // Words for a pointer; definitions, which are found where they are used.
            "title" | "clipPath" | "linearGradient" => Ok(()),
            "g" => {
                let cut = match element.attribute("clip-path") {
                    Some(name) => Some(self.cut(name, transform)?),
                    None => place.cut.clone(),
                };
                self.children(element, &paint, &Place { transform, cut })
            }
            name => {
                let path = match name {
                    "rect" => rectangle(rect(element)?, optional(element, "rx")?.unwrap_or(0.0)),
                    "circle" => circle(["cx", "cy", "r"].map(|name| number(element, name)))?,
                    "path" => outline(element.attribute("d").unwrap_or_default())?,
                    "text" => glyphs::outline(element, &paint)?,
                    other => return Err(cannot_draw(format!("<{other}> is not known"))),
                };
                self.draw(path, &paint, transform, place.cut.as_ref())
            }
        }
    }

    fn draw(
        &mut self,
        path: Option<tiny_skia::Path>,
        paint: &Paint,
        transform: Transform,
        cut: Option<&Mask>,
    ) -> Result<()> {
        let Some(path) = path else { return Ok(()) };
        let found = paint.gradient.as_ref().map(|name| self.named("linearGradient", name));
        let opacity = paint.fill_opacity;
        let shader =
            found.transpose()?.map(|node| gradient(node, path.bounds(), opacity)).transpose()?;
        if let Some(fill) = paint.filling(shader) {
            let rule = tiny_skia::FillRule::Winding;
            self.pixels.fill_path(&path, &fill, rule, transform, cut);
        }
        if let Some(stroke) = paint.stroking() {
            self.pixels.stroke_path(&path, &stroke, &paint.pen, transform, cut);
        }
        Ok(())
    }

    /// The pixels within the rectangle of the `clipPath` that `url(#…)` names.
    fn cut(&self, url: &str, transform: Transform) -> Result<Mask> {
        let node = self.named("clipPath", url)?;
        let inside = node.first_element_child().ok_or_else(|| cannot_draw("an empty clipPath"))?;
        let mut mask = Mask::new(self.pixels.width(), self.pixels.height())
            .ok_or_else(|| cannot_draw("no pixels"))?;
        if let Some(path) = rectangle(rect(inside)?, 0.0) {
            mask.fill_path(&path, tiny_skia::FillRule::Winding, true, transform);
        }
        Ok(mask)
    }

    fn named(&self, tag: &str, url: &str) -> Result<Node<'_, '_>> {
        let id = url.strip_prefix("url(#").and_then(|rest| rest.strip_suffix(')'));
        let mut nodes = self.document.descendants().filter(|node| node.has_tag_name_of(tag));
        nodes
            .find(|node| id.is_some() && node.attribute("id") == id)
            .ok_or_else(|| cannot_draw(format!("no {tag} is named {url}")))
    }
}

/// Names of elements without their namespace, which all share.
trait Named {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.tag_name().name() == name
    }
}

/// The transform of an element: none, or `rotate(degrees x y)`.
fn turn(element: Node<'_, '_>) -> Result<Transform> {
    let Some(text) = element.attribute("transform") else { return Ok(Transform::identity()) };
    let inside = text.strip_prefix("rotate(").and_then(|rest| rest.strip_suffix(')'));
    let numbers: Vec<f32> =
        inside.unwrap_or_default().split(' ').filter_map(|part| part.parse().ok()).collect();
    match numbers[..] {
        [degrees, x, y] => Ok(Transform::from_rotate_at(degrees, x, y)),
        _ => Err(cannot_draw(format!("transform {text:?} is not known"))),
    }
}

fn rect(element: Node<'_, '_>) -> Result<Option<Rect>> {
    let [x, y] = [optional(element, "x")?, optional(element, "y")?].map(Option::unwrap_or_default);
    Ok(Rect::from_xywh(x, y, number(element, "width")?, number(element, "height")?))
}

fn number(element: Node<'_, '_>, name: &str) -> Result<f32> {
    let tag = element.tag_name().name();
    optional(element, name)?.ok_or_else(|| cannot_draw(format!("<{tag}> has no {name}")))
}

fn optional(element: Node<'_, '_>, name: &str) -> Result<Option<f32>> {
    element.attribute(name).map(parsed).transpose()
}

fn parsed(text: &str) -> Result<f32> {
    text.parse().map_err(|_| cannot_draw(format!("{text:?} is not a number")))
}

fn cannot_draw(cause: impl std::fmt::Display) -> Error {
    Error::Numeric(format!("the picture cannot be rendered as PNG: {cause}"))
}

#[cfg(test)]
mod tests;
