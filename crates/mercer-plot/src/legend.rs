//! What the colours mean: a list of classes, or a bar for a continuous scale.

use super::axis::{Axis, power_of_ten};
use super::colour::{hex, viridis};
use super::labels::Colouring;
use super::numbers::significant;
use super::svg::{INK, Rect, SOFT_INK, Svg, TextStyle, number, shortened, text_width};

const SIZE: f64 = 12.5;
const LINE: f64 = 22.0;
const LONGEST_NAME: usize = 22;

/// Pixels that the legend takes to the right of the panel; 0 when there is nothing to explain.
pub(crate) fn legend_width(colouring: &Colouring, title: &str) -> f64 {
    let content = match colouring {
        Colouring::Plain { .. } => return 0.0,
        Colouring::Classes { names, .. } => {
            let width = |name: &String| text_width(&shortened(name, LONGEST_NAME), SIZE);
            22.0 + names.iter().map(width).fold(0.0, f64::max)
        }
        Colouring::Scale { .. } => 78.0,
    };
    content.max(1.08 * text_width(&shortened(title, LONGEST_NAME), SIZE)) + 20.0
}

/// Draws the legend with its left upper corner at (`left`, `top`), within `height`.
pub(crate) fn draw_legend(
    svg: &mut Svg,
    colouring: &Colouring,
    title: &str,
    [left, top]: [f64; 2],
    height: f64,
) {
    if matches!(colouring, Colouring::Plain { .. }) {
        return;
    }
    let mut y = top + 12.0;
    if !title.is_empty() {
        let style = TextStyle::new(SIZE, INK, "start").bold();
        svg.text(left, y, style, &shortened(title, LONGEST_NAME));
        y += LINE;
    }
    match colouring {
        Colouring::Plain { .. } => {}
        Colouring::Classes { names, .. } => draw_classes(svg, colouring, names, [left, y]),
        Colouring::Scale { low, high, .. } => {
            let bar = Rect {
                left,
                top: y - 4.0,
                width: 14.0,
                height: (height - (y - top)).clamp(60.0, 260.0),
            };
            draw_bar(svg, bar, *low, *high);
        }
    }
}

fn draw_classes(svg: &mut Svg, colouring: &Colouring, names: &[String], [left, y]: [f64; 2]) {
    for (group, name) in names.iter().enumerate() {
        let y = y + LINE * group as f64;
        svg.raw(&format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\"/>\n",
            number(left + 6.0),
            number(y - 4.5),
            hex(colouring.colour(group))
        ));
        let style = TextStyle::new(SIZE, INK, "start");
        svg.text(left + 20.0, y, style, &shortened(name, LONGEST_NAME));
    }
}

/// Draws the colours from dark to bright.
fn draw_colours(svg: &mut Svg, bar: Rect) {
    let stops: String = (0..=16)
        .map(|i| f64::from(i) / 16.0)
        .map(|p| format!("<stop offset=\"{}\" stop-color=\"{}\"/>", number(p), hex(viridis(p))))
        .collect();
    svg.raw(&format!(
        "<linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">{stops}</linearGradient>\n"
    ));
    svg.rect(bar, "fill=\"url(#scale)\" rx=\"2\"");
}

/// A mark beside the bar at a share of its height, and its label.
fn draw_tick(svg: &mut Svg, bar: Rect, share: f64, label: &str) {
    let y = bar.bottom() - share * bar.height;
    svg.path(
        &format!("M{} {}h4", number(bar.right()), number(y)),
        &format!("stroke=\"{SOFT_INK}\""),
    );
    svg.text(bar.right() + 8.0, y + 4.0, TextStyle::new(11.5, SOFT_INK, "start"), label);
}

/// Draws a scale whose colours change at `levels`, some of which have their number beside them.
pub(crate) fn draw_ranks(svg: &mut Svg, bar: Rect, levels: &[f64]) {
    const LABELLED: usize = 6;
    draw_colours(svg, bar);
    let step = levels.len().div_ceil(LABELLED).max(1);
    for (place, level) in levels.iter().enumerate().step_by(step) {
        let share = (place + 1) as f64 / (levels.len() + 1) as f64;
        draw_tick(svg, bar, share, &significant(*level, 2));
    }
}

pub(crate) fn draw_bar(svg: &mut Svg, bar: Rect, low: f64, high: f64) {
    draw_colours(svg, bar);
    let axis = Axis::over(low, high, 5);
    let style = TextStyle::new(11.5, SOFT_INK, "start");
    for tick in &axis.ticks {
        draw_tick(svg, bar, axis.fraction(tick.value), &tick.label);
    }
    if axis.exponent != 0 {
        svg.text(bar.left, bar.bottom() + 18.0, style, &power_of_ten(axis.exponent));
    }
}
