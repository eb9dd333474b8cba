//! The eigenvalues of components, and the share of the variance that they have together.

use super::axis::{Axis, Tick};
use super::colour::{CLASSES, hex};
use super::drawing::Drawing;
use super::hover::{element, value_of};
use super::panel::Plane;
use super::scatter::draw_titles;
use super::svg::{INK, Rect, SOFT_INK, Svg, TextStyle, number, text_width};
use super::terminal;

/// What the picture shows.
#[derive(Debug, Clone, Copy)]
pub struct Spectrum<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title. May be empty.
    pub subtitle: &'a str,
    /// The eigenvalue of each component.
    pub values: &'a [f64],
    /// The share of the variance of each component.
    pub ratios: &'a [f64],
    /// The share of the variance that is marked, such as 0.9.
    pub mark: f64,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 520.0;
const MARGIN: f64 = 24.0;
const SIZE: f64 = 12.5;
/// Pixels to the right of the frame, for the second axis.
const ASIDE: f64 = 76.0;
/// The height of the frame, in units of what is 100 % or the largest eigenvalue.
const HEADROOM: f64 = 1.08;
/// Components that are at least so many pixels wide have dots and gaps between bars.
const ROOMY: f64 = 7.0;
const DASHES: &str = "fill=\"none\" stroke-dasharray=\"5 4\"";

impl Spectrum<'_> {
    /// How many components reach the mark, if there are as many.
    fn needed(&self) -> Option<usize> {
        // Shares that add up to 1 may fall short of it by rounding.
        cumulative(self.ratios).iter().position(|sum| *sum >= self.mark - 1e-12).map(|i| i + 1)
    }

    /// The explained variance, as text.
    pub(super) fn reached(&self) -> String {
        let (mark, count) = (percent(self.mark), self.ratios.len());
        let sum = cumulative(self.ratios).last().copied().unwrap_or(0.0);
        // What falls short of the mark must not be rounded up to it.
        let sum = percent((1e3 * sum).floor() / 1e3);
        match (self.needed(), count) {
            (Some(1), _) => format!("the first component explains {mark} of the variance"),
            (Some(needed), _) => format!("{needed} components explain {mark} of the variance"),
            (None, 1) => {
                format!("1 component explains {sum} of the variance, less than {mark}")
            }
            (None, _) => {
                format!("{count} components explain {sum} of the variance, less than {mark}")
            }
        }
    }
}

/// Draws `picture`. Requires one share for each eigenvalue.
pub fn spectrum(picture: &Spectrum) -> Drawing {
    assert_eq!(picture.values.len(), picture.ratios.len(), "one share for each eigenvalue");
    let mut svg = Svg::new(WIDTH, HEIGHT, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH);
    let outer = Rect {
        left: MARGIN - 6.0,
        top,
        width: WIDTH - 2.0 * MARGIN - ASIDE + 18.0,
        height: HEIGHT - top - MARGIN + 8.0,
    };
    let plane = Plane::inside(outer, places(picture.values.len()), heights(picture.values));
    plane.draw_grid(&mut svg);
    draw_bars(&mut svg, &plane, picture);
    draw_mark(&mut svg, &plane, picture);
    draw_sums(&mut svg, &plane, picture);
    plane.draw_frame(&mut svg, "component", "eigenvalue");
    draw_shares(&mut svg, &plane);
    Drawing { svg: svg.finish(), sketch: terminal::spectrum::sketch(picture) }
}

/// The sums of the first shares.
pub(super) fn cumulative(ratios: &[f64]) -> Vec<f64> {
    let add = |sum: &mut f64, ratio: &f64| {
        *sum += if ratio.is_finite() { *ratio } else { 0.0 };
        Some(*sum)
    };
    ratios.iter().scan(0.0, add).collect()
}

/// The axis of components: ticks at whole numbers.
fn places(count: usize) -> Axis {
    let mut axis = Axis::over(0.5, count.max(1) as f64 + 0.5, 10);
    let is_place = |tick: &Tick| tick.value.fract() == 0.0 && tick.value >= 1.0;
    axis.ticks.retain(is_place);
    // The first component is where one looks first.
    if count > 0 && axis.ticks.first().is_none_or(|tick| tick.value > 1.0) {
        axis.ticks.insert(0, Tick { value: 1.0, label: String::new() });
    }
    axis.ticks.iter_mut().for_each(|tick| tick.label = format!("{}", tick.value));
    axis
}

/// The axis of eigenvalues, which begins at 0.
fn heights(values: &[f64]) -> Axis {
    let largest = values.iter().copied().filter(|v| v.is_finite()).fold(0.0, f64::max);
    Axis::over(0.0, HEADROOM * if largest > 0.0 { largest } else { 1.0 }, 6)
}

/// The height of a share of the variance, in pixels.
fn height_of(plane: &Plane, share: f64) -> f64 {
    plane.frame.bottom() - share.clamp(0.0, HEADROOM) / HEADROOM * plane.frame.height
}

/// Pixels that a component takes.
fn pitch(plane: &Plane) -> f64 {
    plane.frame.width / (plane.x.high - plane.x.low)
}

fn draw_bars(svg: &mut Svg, plane: &Plane, picture: &Spectrum) {
    let pitch = pitch(plane);
    let width = if pitch >= ROOMY { (0.72 * pitch).min(90.0) } else { pitch };
    svg.raw(&format!("<g fill=\"{}\" fill-opacity=\".75\">\n", hex(CLASSES[0])));
    for (index, value) in picture.values.iter().enumerate() {
        let height = if value.is_finite() { value.max(0.0) } else { 0.0 };
        let [x, y] = plane.place([index as f64 + 1.0, height]);
        let bar = format!(
            "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            number(x - width / 2.0),
            number(y),
            number(width),
            number(plane.frame.bottom() - y)
        );
        let (value, share) = (value_of(*value), percent(picture.ratios[index]));
        let hover_text =
            format!("component {}: eigenvalue {value}, {share} of the variance", index + 1);
        svg.raw(&element("rect", &bar, &hover_text));
    }
    svg.raw("</g>\n");
}

/// The line of sums, with dots where there is room, and a word on each.
fn draw_sums(svg: &mut Svg, plane: &Plane, picture: &Spectrum) {
    let colour = hex(CLASSES[1]);
    let sums = cumulative(picture.ratios);
    let place = |index: usize| {
        let x = plane.place([index as f64 + 1.0, 0.0])[0];
        [number(x), number(height_of(plane, sums[index]))]
    };
    let points: Vec<String> = (0..sums.len()).map(|index| place(index).join(" ")).collect();
    if points.len() > 1 {
        let paint = format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"");
        svg.path(&format!("M{}", points.join("L")), &format!("{paint} stroke-linejoin=\"round\""));
    }
    let is_seen = pitch(plane) >= ROOMY;
    let (radius, opacity) = if is_seen { ("4", "1") } else { ("5", "0") };
    svg.raw(&format!("<g fill=\"{colour}\" fill-opacity=\"{opacity}\">\n"));
    for (index, sum) in sums.iter().enumerate() {
        let [x, y] = place(index);
        let dot = format!("cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"");
        let hover_text = match index {
            0 => format!("component 1: {} of the variance", percent(*sum)),
            _ => format!("components 1 to {}: {} of the variance", index + 1, percent(*sum)),
        };
        svg.raw(&element("circle", &dot, &hover_text));
    }
    svg.raw("</g>\n");
}

/// A thin line at the share that is marked, which turns at the component that reaches it, and a word on it above all
/// bars and sums.
fn draw_mark(svg: &mut Svg, plane: &Plane, picture: &Spectrum) {
    let (frame, y) = (plane.frame, height_of(plane, picture.mark));
    let text = picture.reached();
    let (right, baseline) = (number(frame.right()), frame.top + 17.0);
    let half = text_width(&text, SIZE) / 2.0 + 8.0;
    let (line, middle) = match picture.needed() {
        Some(needed) => {
            let x = plane.place([needed as f64, 0.0])[0];
            let (top, bottom) = (number(baseline + 6.0), number(frame.bottom()));
            let (across, x) = (number(y), [x, x.max(frame.left + half).min(frame.right() - half)]);
            (format!("M{right} {across}H{0}M{0} {top}V{bottom}", number(x[0])), x[1])
        }
        None => (format!("M{right} {}H{}", number(y), number(frame.left)), frame.right() - half),
    };
    svg.path(&line, &format!("{DASHES} stroke=\"{SOFT_INK}\""));
    svg.text(middle, baseline, TextStyle::new(SIZE, INK, "middle"), &text);
}

/// The axis of shares on the right.
fn draw_shares(svg: &mut Svg, plane: &Plane) {
    let style = TextStyle::new(11.5, SOFT_INK, "start");
    let x = plane.frame.right();
    let mut ticks = String::new();
    for share in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let y = height_of(plane, share);
        ticks += &format!("M{} {}h5", number(x), number(y));
        svg.text(x + 9.0, y + 4.0, style, &format!("{:.0} %", 100.0 * share));
    }
    svg.path(&ticks, &format!("stroke=\"{SOFT_INK}\" fill=\"none\""));
    let middle = plane.frame.top + plane.frame.height / 2.0;
    let title = TextStyle::new(13.0, INK, "middle").upright();
    svg.text(x + 66.0, middle, title, "share of the variance, summed up");
}

/// `90 %`, `43.2 %`.
pub(super) fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "an unknown share".into();
    }
    let text = format!("{:.1}", 100.0 * share);
    format!("{} %", text.trim_end_matches(".0"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(values: &[f64], mark: f64) -> Drawing {
        let sum: f64 = values.iter().sum();
        let ratios: Vec<f64> = values.iter().map(|value| value / sum).collect();
        spectrum(&Spectrum { title: "Spectrum", subtitle: "", values, ratios: &ratios, mark })
    }

    #[test]
    fn bars_sums_and_mark_are_there() {
        let svg = picture(&[6.0, 3.0, 1.0], 0.9).svg;
        for text in [
            ">eigenvalue<",
            ">component<",
            ">2 components explain 90 % of the variance<",
            "<title>component 2: eigenvalue 3, 30 % of the variance</title>",
            "<title>components 1 to 2: 90 % of the variance</title>",
        ] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("NaN"));
    }

    #[test]
    fn components_may_fall_short_of_the_mark() {
        let reached = |ratios: &[f64]| {
            Spectrum { title: "", subtitle: "", values: ratios, ratios, mark: 0.9 }.reached()
        };
        assert_eq!(
            reached(&[0.5, 0.2]),
            "2 components explain 70 % of the variance, less than 90 %"
        );
        assert_eq!(reached(&[0.5]), "1 component explains 50 % of the variance, less than 90 %");
        assert_eq!(reached(&[0.95, 0.05]), "the first component explains 90 % of the variance");
    }

    #[test]
    fn any_number_of_components_is_drawn() {
        for count in [1, 2, 30, 1000] {
            let values: Vec<f64> = (0..count).map(|i| 1.0 / f64::from(i + 1)).collect();
            let drawing = picture(&values, 0.9);
            assert!(!drawing.svg.contains("NaN") && !drawing.svg.contains("inf"), "{count}");
            assert!(drawing.svg.len() < 400_000, "{}", drawing.svg.len());
            assert_eq!(drawing.svg.matches("<rect").count(), count as usize + 2);
            super::super::png(&drawing.svg, 0.5).unwrap();
        }
        let svg = picture(&[0.0, 0.0], 0.9).svg;
        assert!(!svg.contains("NaN") && svg.contains("2 components explain 0 %"), "{svg}");
    }

    #[test]
    fn ticks_are_components() {
        let labels = |count: usize| -> Vec<String> {
            places(count).ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(3), ["1", "2", "3"]);
        assert_eq!(labels(40)[..3], ["1", "5", "10"]);
    }
}
