//! Fill and stroke of an element, inherited from the groups around it.

use mercer::Result;
use roxmltree::Node;
use tiny_skia::{
    Color, GradientStop, LineCap, LineJoin, LinearGradient, Point, Rect, Shader, SpreadMode,
    Stroke, StrokeDash, Transform,
};

use super::{cannot_draw, parsed};

/// What an element is drawn with.
#[derive(Clone)]
pub(super) struct Paint {
    fill: Option<Color>,
    pub fill_opacity: f32,
    /// The `url(#…)` of a gradient that fills in the place of a colour.
    pub gradient: Option<String>,
    stroke: Option<Color>,
    stroke_opacity: f32,
    pub pen: Stroke,
    pub font_size: f32,
    pub bold: bool,
    /// The share of a text's width that stands before its place.
    pub anchor: f32,
}

impl Default for Paint {
    fn default() -> Self {
        Self {
            fill: Some(Color::BLACK),
            fill_opacity: 1.0,
            gradient: None,
            stroke: None,
            stroke_opacity: 1.0,
            pen: Stroke::default(),
            font_size: 16.0,
            bold: false,
            anchor: 0.0,
        }
    }
}

impl Paint {
    /// The same with what the attributes of `element` change.
    pub fn with(&self, element: Node<'_, '_>) -> Result<Self> {
        let mut paint = self.clone();
        element.attributes().try_for_each(|one| paint.set(one.name(), one.value()))?;
        Ok(paint)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "fill" if value.starts_with("url(") => self.gradient = Some(value.into()),
            "fill" => (self.fill, self.gradient) = (colour(value)?, None),
            "fill-opacity" => self.fill_opacity = parsed(value)?,
            "stroke" => self.stroke = colour(value)?,
            "stroke-opacity" => self.stroke_opacity = parsed(value)?,
            "stroke-width" => self.pen.width = parsed(value)?,
            "stroke-dasharray" => self.pen.dash = dashes(value)?,
            "stroke-linecap" if value == "round" => self.pen.line_cap = LineCap::Round,
            "stroke-linejoin" if value == "round" => self.pen.line_join = LineJoin::Round,
            "font-size" => self.font_size = parsed(value)?,
            "font-weight" => self.bold = parsed(value)? >= 600.0,
            "text-anchor" => self.anchor = share_before(value)?,
            // Places and names, which the elements read, and what only a browser needs.
            "x" | "y" | "width" | "height" | "rx" | "cx" | "cy" | "r" | "d" | "x1" | "x2"
            | "y1" | "y2" | "id" | "offset" | "stop-color" | "transform" | "clip-path"
            | "class" | "role" | "viewBox" | "font-family" | "pointer-events" => {}
            _ => return Err(cannot_draw(format!("attribute {name}={value:?} is not known"))),
        }
        Ok(())
    }

    /// What fills an element; None if nothing does.
    pub fn filling<'a>(&self, gradient: Option<Shader<'a>>) -> Option<tiny_skia::Paint<'a>> {
        let flat = || self.fill.map(|colour| Shader::SolidColor(sheer(colour, self.fill_opacity)));
        shaded(gradient.or_else(flat)?)
    }

    /// What draws the outline of an element; None if nothing does.
    pub fn stroking(&self) -> Option<tiny_skia::Paint<'static>> {
        shaded(Shader::SolidColor(sheer(self.stroke?, self.stroke_opacity)))
    }
}

fn shaded(shader: Shader<'_>) -> Option<tiny_skia::Paint<'_>> {
    Some(tiny_skia::Paint { shader, anti_alias: true, ..tiny_skia::Paint::default() })
}

fn sheer(mut colour: Color, opacity: f32) -> Color {
    colour.apply_opacity(opacity.clamp(0.0, 1.0));
    colour
}

/// The colour of `none`, `#rgb` or `#rrggbb`.
fn colour(text: &str) -> Result<Option<Color>> {
    let digits: Option<Vec<u8>> = text
        .strip_prefix('#')
        .and_then(|hex| hex.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect());
    match digits.as_deref() {
        None if text == "none" => Ok(None),
        Some(&[r, g, b]) => Ok(Some(Color::from_rgba8(17 * r, 17 * g, 17 * b, 255))),
        Some(&[r, r2, g, g2, b, b2]) => {
            Ok(Some(Color::from_rgba8(16 * r + r2, 16 * g + g2, 16 * b + b2, 255)))
        }
        _ => Err(cannot_draw(format!("colour {text:?} is not known"))),
    }
}

fn dashes(text: &str) -> Result<Option<StrokeDash>> {
    let lengths = text.split(' ').map(parsed).collect::<Result<Vec<f32>>>()?;
    Ok(StrokeDash::new(lengths, 0.0))
}

fn share_before(anchor: &str) -> Result<f32> {
    match anchor {
        "start" => Ok(0.0),
        "middle" => Ok(0.5),
        "end" => Ok(1.0),
        _ => Err(cannot_draw(format!("text-anchor {anchor:?} is not known"))),
    }
}

/// The colours of a `linearGradient` from the bottom of `bounds` to its top.
pub(super) fn gradient(node: Node<'_, '_>, bounds: Rect, opacity: f32) -> Result<Shader<'static>> {
    if ["x1", "y1", "x2", "y2"].map(|name| node.attribute(name)) != ["0", "1", "0", "0"].map(Some) {
        return Err(cannot_draw("a gradient that does not go up is not known"));
    }
    let stops = node.children().filter(Node::is_element);
    let stops = stops.map(|node| stop(node, opacity)).collect::<Result<Vec<_>>>()?;
    let [low, high] = [bounds.bottom(), bounds.top()].map(|y| Point::from_xy(bounds.left(), y));
    LinearGradient::new(low, high, stops, SpreadMode::Pad, Transform::identity())
        .ok_or_else(|| cannot_draw("a gradient without colours"))
}

fn stop(node: Node<'_, '_>, opacity: f32) -> Result<GradientStop> {
    let value = |name| node.attribute(name).unwrap_or_default();
    let shade = colour(value("stop-color"))?.unwrap_or(Color::TRANSPARENT);
    Ok(GradientStop::new(parsed(value("offset"))?, sheer(shade, opacity)))
}
