//! Named bars with error bars, one below the other.

use super::axis::Axis;
use super::colour::{CLASSES, hex};
use super::drawing::Drawing;
use super::hover::{element, value_of};
use super::panel::Plane;
use super::scatter::draw_titles;
use super::svg::{INK, Rect, Svg, TextStyle, number, shortened, text_width};
use super::terminal;

/// What the picture shows.
#[derive(Debug, Clone, Copy)]
pub struct Bars<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title. May be empty.
    pub subtitle: &'a str,
    /// The title of the horizontal axis.
    pub x_title: &'a str,
    /// The bars, from the top on.
    pub bars: &'a [NamedBar],
}

/// A bar.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedBar {
    /// Its name.
    pub name: String,
    /// Its length, which may be negative.
    pub value: f64,
    /// How far the error bar reaches to both sides; NaN for none.
    pub error: f64,
}

const WIDTH: f64 = 860.0;
const MARGIN: f64 = 24.0;
const SIZE: f64 = 12.5;
/// Pixels that a bar takes.
const PITCH: f64 = 26.0;
/// Pixels for the axis and its title.
const BELOW: f64 = 64.0;
const LONGEST_NAME: usize = 28;

impl NamedBar {
    /// The ends of bar and error bar; only finite numbers count.
    fn ends(&self) -> [f64; 2] {
        let value = if self.value.is_finite() { self.value } else { 0.0 };
        let error = if self.error.is_finite() { self.error.abs() } else { 0.0 };
        [(value - error).min(0.0), (value + error).max(0.0)]
    }
}

/// Draws `picture`.
pub fn bars(picture: &Bars) -> Drawing {
    let names: Vec<String> =
        picture.bars.iter().map(|bar| shortened(&bar.name, LONGEST_NAME)).collect();
    let aside = names.iter().map(|name| 1.06 * text_width(name, SIZE)).fold(40.0, f64::max) + 12.0;
    let rows = PITCH * picture.bars.len().max(1) as f64;
    let head = if picture.subtitle.is_empty() { MARGIN + 26.0 } else { MARGIN + 46.0 };
    let mut svg = Svg::new(WIDTH, head + 12.0 + rows + BELOW, picture.title);
    draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH);
    let frame = Rect {
        left: MARGIN + aside,
        top: head + 12.0,
        width: WIDTH - 2.0 * MARGIN - aside,
        height: rows,
    };
    let count = picture.bars.len().max(1) as f64;
    let plane = Plane { frame, x: lengths(picture.bars), y: Axis::over(0.0, count, 1).bare() };
    plane.draw_grid(&mut svg);
    for (place, (bar, name)) in picture.bars.iter().zip(&names).enumerate() {
        draw_bar(&mut svg, &plane, bar, count - place as f64 - 0.5);
        let y = plane.place([0.0, count - place as f64 - 0.5])[1] + 4.0;
        svg.text(frame.left - 10.0, y, TextStyle::new(SIZE, INK, "end"), name);
    }
    draw_zero(&mut svg, &plane);
    plane.draw_frame(&mut svg, picture.x_title, "");
    Drawing { svg: svg.finish(), sketch: terminal::named_bars::sketch(picture) }
}

/// The axis of lengths, which holds 0.
fn lengths(bars: &[NamedBar]) -> Axis {
    let (low, high) = bars
        .iter()
        .map(NamedBar::ends)
        .fold((0.0f64, 0.0f64), |(low, high), ends| (low.min(ends[0]), high.max(ends[1])));
    let width = if high > low { high - low } else { 1.0 };
    let below = if low < 0.0 { 0.04 * width } else { 0.0 };
    let above = if high > 0.0 || low == 0.0 { 0.06 * width } else { 0.0 };
    Axis::over(low - below, high.max(low) + above, 7)
}

fn draw_bar(svg: &mut Svg, plane: &Plane, bar: &NamedBar, height: f64) {
    let value = if bar.value.is_finite() { bar.value } else { 0.0 };
    let ([from, y], [to, _]) = (plane.place([0.0, height]), plane.place([value, height]));
    let attributes = format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"",
        number(from.min(to)),
        number(y - 0.34 * PITCH),
        number((to - from).abs()),
        number(0.68 * PITCH),
        hex(CLASSES[0])
    );
    let error =
        if bar.error.is_finite() { format!(" ± {}", value_of(bar.error)) } else { String::new() };
    svg.raw(&element(
        "rect",
        &attributes,
        &format!("{}: {}{error}", bar.name, value_of(bar.value)),
    ));
    if bar.error.is_finite() && bar.error > 0.0 {
        let [left, right] =
            [-1.0, 1.0].map(|sign| plane.place([value + sign * bar.error, height])[0]);
        let end = |x: f64| format!("M{} {}v8", number(x), number(y - 4.0));
        let line = format!("M{} {}H{}", number(left), number(y), number(right));
        let paint =
            format!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"1.4\" pointer-events=\"none\"");
        svg.path(&format!("{line}{}{}", end(left), end(right)), &paint);
    }
}

fn draw_zero(svg: &mut Svg, plane: &Plane) {
    let [x, _] = plane.place([0.0, 0.0]);
    let line =
        format!("M{} {}V{}", number(x), number(plane.frame.top), number(plane.frame.bottom()));
    svg.path(&line, &format!("fill=\"none\" stroke=\"{INK}\""));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(bars: &[NamedBar]) -> String {
        super::bars(&Bars { title: "Importance", subtitle: "", x_title: "RMSE", bars }).svg
    }

    fn bar(name: &str, value: f64, error: f64) -> NamedBar {
        NamedBar { name: name.into(), value, error }
    }

    #[test]
    fn bars_have_names_values_and_errors() {
        let svg = picture(&[bar("petal <width>", 0.25, 0.05), bar("noise", -0.01, f64::NAN)]);
        for part in [">petal &lt;width&gt;<", ">noise<", ">RMSE<", "0.25 ± 0.05", "noise: −0.01<"]
        {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        super::super::png(&svg, 0.5).unwrap();
    }

    #[test]
    fn degenerate_bars_are_drawn() {
        let odd = [bar("a", 0.0, 0.0), bar("", f64::NAN, 1.0), bar("c", f64::INFINITY, f64::NAN)];
        for bars in [&odd[..], &[], &[bar("d", -2.0, 0.1)]] {
            let svg = picture(bars);
            assert!(!svg.contains("\"NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
