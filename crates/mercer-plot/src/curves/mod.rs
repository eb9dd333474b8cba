//! Scores against a penalty: a line for each of what was compared, the best of them in colour with a
//! band for its standard error, and what was chosen marked.

mod hover;
mod hue;
mod legend;

pub(super) use self::hue::Hue;
use self::hue::colours;
use self::legend::Legend;
use super::axis::{Axis, extent};
use super::colour::{hex, sheer};
use super::drawing::Drawing;
use super::panel::Plane;
use super::scatter::draw_titles;
use super::svg::{INK, PAPER, Rect, SOFT_INK, Svg, TextStyle, number, text_width};
use super::terminal;

/// What the picture shows.
#[derive(Debug, Clone)]
pub struct Curves<'a> {
    /// The title.
    pub title: &'a str,
    /// A line below the title.
    pub subtitle: &'a str,
    /// The title of the horizontal axis, which is logarithmic.
    pub x_title: &'a str,
    /// The title of the vertical axis.
    pub y_title: &'a str,
    /// The lines, in an order that means something.
    pub curves: Vec<Curve>,
    /// What a prediction without a model reaches.
    pub baseline: Option<Baseline<'a>>,
    /// Whether lower is better; far above the baseline nothing is shown then.
    pub is_error: bool,
}

/// One line.
#[derive(Debug, Clone)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// Penalty (positive) and score, by rising penalty.
    pub points: Vec<[f64; 2]>,
    /// The standard error of each score, for a band; may be empty.
    pub spreads: Vec<f64>,
    /// What was chosen on this line; a line without a mark is drawn in grey.
    pub mark: Option<Mark>,
}

/// A point that was chosen.
#[derive(Debug, Clone)]
pub struct Mark {
    /// Which of the points.
    pub index: usize,
    /// What is written beside it; may be empty.
    pub text: String,
}

/// A horizontal line.
#[derive(Debug, Clone, Copy)]
pub struct Baseline<'a> {
    /// Its height.
    pub value: f64,
    /// Its name in the legend.
    pub name: &'a str,
}

const WIDTH: f64 = 860.0;
const HEIGHT: f64 = 560.0;
const MARGIN: f64 = 24.0;
const SIZE: f64 = 12.5;
/// Draws `picture`. Scores that are not finite are left out.
pub fn curves(picture: &Curves) -> Drawing {
    let mut svg = Svg::new(WIDTH, HEIGHT, picture.title);
    let top = draw_titles(&mut svg, picture.title, picture.subtitle, WIDTH);
    let colours = colours(&picture.curves);
    let legend = Legend::of(picture, &colours);
    let outer = Rect {
        left: MARGIN - 6.0,
        top,
        width: WIDTH - 2.0 * MARGIN - legend.width() + 18.0,
        height: HEIGHT - top - MARGIN + 8.0,
    };
    let penalties = picture.curves.iter().flat_map(|curve| &curve.points).map(|point| point[0]);
    let plane = Plane::inside(outer, Axis::logarithmic(penalties), heights(picture));
    plane.draw_grid(&mut svg);
    svg.clipped(plane.frame, |svg| draw_lines(svg, &plane, picture, &colours));
    plane.draw_frame(&mut svg, picture.x_title, picture.y_title);
    draw_marks(&mut svg, &plane, picture, &colours);
    hover::draw(&mut svg, &plane, picture);
    legend.draw(&mut svg, [plane.frame.right() + 20.0, plane.frame.top + 12.0]);
    Drawing { svg: svg.finish(), sketch: terminal::curves::sketch(picture, &plane, &colours) }
}

/// The vertical axis: everything, but no error far above the baseline, with room for the text beside
/// the mark.
fn heights(picture: &Curves) -> Axis {
    let values = picture.curves.iter().flat_map(|curve| &curve.points).map(|point| point[1]);
    let marked = picture.curves.iter().filter_map(|curve| {
        let mark = curve.mark.as_ref()?;
        let spread = curve.spreads.get(mark.index).copied().unwrap_or(0.0);
        Some([curve.points[mark.index][1] - spread, curve.points[mark.index][1] + spread])
    });
    let level = picture.baseline.map(|baseline| baseline.value);
    let (low, mut high) = extent(values.chain(marked.flatten()).chain(level));
    if let Some(baseline) = picture.baseline.filter(|_| picture.is_error) {
        high = high.min(baseline.value + 0.25 * (baseline.value - low).abs());
    }
    let size = high - low;
    let (below, above) = if picture.is_error { (0.16, 0.05) } else { (0.05, 0.16) };
    let mut axis = match size <= 1e-9 * high.abs().max(low.abs()) {
        true => Axis::around([low, high].into_iter(), 6),
        false => Axis::over(low - below * size, high + above * size, 6),
    };
    // There is no error below 0 and no share above 1; room for text is no range of values.
    let is_possible = |value: f64| if picture.is_error { value >= 0.0 } else { value <= 1.0 };
    axis.ticks.retain(|tick| is_possible(tick.value));
    axis
}

/// Grey lines first, so that none covers a line in colour.
fn draw_lines(svg: &mut Svg, plane: &Plane, picture: &Curves, colours: &[Hue]) {
    if let Some(baseline) = picture.baseline {
        let y = number(plane.place([plane.x.low, baseline.value])[1]);
        let line = format!("M{} {y}h{}", number(plane.frame.left), number(plane.frame.width));
        svg.path(&line, &format!("stroke=\"{SOFT_INK}\" stroke-dasharray=\"5 4\""));
    }
    let lines = || picture.curves.iter().zip(colours);
    for (curve, colour) in lines().filter(|(curve, _)| curve.mark.is_none()) {
        draw_line(svg, plane, curve, *colour, 1.4);
    }
    for (curve, colour) in lines().filter(|(curve, _)| curve.mark.is_some()) {
        svg.path(&band(plane, curve), &sheer(colour.colour, 0.14));
        draw_line(svg, plane, curve, *colour, 2.6);
    }
}

fn draw_line(svg: &mut Svg, plane: &Plane, curve: &Curve, colour: Hue, width: f64) {
    // A line of one point would not be seen.
    if let ([point], None) = (&curve.points[..], &curve.mark) {
        let Some([x, y]) = place(plane, *point) else { return };
        let (x, y, fill) = (number(x), number(y), sheer(colour.colour, colour.opacity));
        return svg.raw(&format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" {fill}/>\n"));
    }
    let mut data = String::new();
    let mut is_new = true;
    for &point in &curve.points {
        match place(plane, point) {
            Some([x, y]) => {
                data += &format!("{}{x:.1} {y:.1}", if is_new { "M" } else { "L" });
                is_new = false;
            }
            None => is_new = true,
        }
    }
    svg.path(&data, &format!("fill=\"none\" {} stroke-linejoin=\"round\"", colour.stroke(width)));
}

/// The area within one standard error of a line.
fn band(plane: &Plane, curve: &Curve) -> String {
    let known: Vec<([f64; 2], f64)> = curve
        .points
        .iter()
        .zip(&curve.spreads)
        .filter(|(point, spread)| point[1].is_finite() && spread.is_finite())
        .map(|(point, spread)| (*point, *spread))
        .collect();
    let upper = known.iter().filter_map(|([x, y], s)| place(plane, [*x, y + s]));
    let lower = known.iter().rev().filter_map(|([x, y], s)| place(plane, [*x, y - s]));
    let corners: Vec<String> = upper.chain(lower).map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
    if known.len() < 2 { String::new() } else { format!("M{}Z", corners.join("L")) }
}

/// The pixel of a point. One far outside of the frame stays at a number that viewers can handle.
fn place(plane: &Plane, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
    let [x, y] = plane.place([x.log10(), y]);
    (x.is_finite() && !y.is_nan()).then(|| [x, y.clamp(-2.0 * HEIGHT, 3.0 * HEIGHT)])
}

fn draw_marks(svg: &mut Svg, plane: &Plane, picture: &Curves, colours: &[Hue]) {
    for (curve, colour) in picture.curves.iter().zip(colours) {
        let Some(mark) = &curve.mark else { continue };
        let [alpha, value] = curve.points[mark.index];
        let Some([x, y]) = place(plane, [alpha, value]) else { continue };
        let spread = curve.spreads.get(mark.index).copied().filter(|s| s.is_finite());
        let spread = spread.unwrap_or(0.0);
        let ends = [value + spread, value - spread].map(|end| plane.place([plane.x.low, end])[1]);
        let ends = ends.map(|end| end.clamp(plane.frame.top, plane.frame.bottom()));
        let (x, y, colour) = (number(x), number(y), hex(colour.colour));
        svg.path(
            &format!("M{x} {}V{}", number(ends[0]), number(ends[1])),
            &format!("stroke=\"{colour}\" stroke-width=\"1.6\""),
        );
        svg.raw(&format!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"6\" fill=\"{colour}\" stroke=\"{PAPER}\" stroke-width=\"1.5\"/>\n"
        ));
        let beside = if picture.is_error { ends[1] + 26.0 } else { ends[0] - 16.0 };
        draw_text(svg, plane, &mark.text, [alpha.log10(), beside]);
    }
}

/// A text around a logarithm of a penalty at a height in pixels, moved into the frame.
fn draw_text(svg: &mut Svg, plane: &Plane, text: &str, [x, y]: [f64; 2]) {
    if text.is_empty() {
        return;
    }
    // Bold letters are wider, and a viewer may have no font but a wide one.
    let (width, frame) = (1.17 * text_width(text, SIZE), plane.frame);
    let half = width / 2.0 + 8.0;
    let x = plane.place([x, plane.y.low])[0];
    let x = x.max(frame.left + half).min((frame.right() - half).max(frame.left + half));
    let y = y.clamp(frame.top + 18.0, frame.bottom() - 10.0);
    let card = Rect { left: x - half + 3.0, top: y - 14.0, width: width + 10.0, height: 19.0 };
    svg.rect(card, &format!("fill=\"{PAPER}\" fill-opacity=\".85\" rx=\"3\""));
    svg.text(x, y, TextStyle::new(SIZE, INK, "middle").bold(), text);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(curves: Vec<Curve>, baseline: Option<f64>) -> String {
        super::curves(&Curves {
            title: "Kernel ridge regression of y",
            subtitle: "",
            x_title: "penalty alpha",
            y_title: "RMSE",
            curves,
            baseline: baseline.map(|value| Baseline { value, name: "the mean" }),
            is_error: true,
        })
        .svg
    }

    fn curve(values: &[f64], mark: Option<usize>) -> Curve {
        let points = values.iter().enumerate();
        Curve {
            name: "rbf(gamma=1)".into(),
            points: points.map(|(i, v)| [10f64.powi(i as i32 - 2), *v]).collect(),
            spreads: vec![0.1; values.len()],
            mark: mark.map(|index| Mark { index, text: "alpha 1".into() }),
        }
    }

    #[test]
    fn lines_marks_and_names_are_there() {
        let svg = picture(
            vec![curve(&[3.0, 1.0, 2.0], Some(1)), curve(&[4.0, 3.0, 2.0], None)],
            Some(2.0),
        );
        assert_eq!(
            (svg.matches("<circle").count(), svg.matches(">rbf(gamma=1)<").count()),
            (1 + 3, 2)
        );
        for text in ["alpha 1", "the mean", ">penalty alpha<", "stroke-dasharray"] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn points_of_lines_tell_their_scores() {
        let svg = picture(vec![curve(&[3.0, f64::NAN, 2.0], Some(0))], None);
        let hover_text = |text: &str| svg.matches(&format!("<title>{text}</title>")).count();
        assert_eq!(hover_text("rbf(gamma=1): penalty alpha 0.01, RMSE 3 ± 0.1"), 1);
        assert_eq!(hover_text("rbf(gamma=1): penalty alpha 1, RMSE 2 ± 0.1"), 1);
        assert_eq!(svg.matches("penalty alpha 0.1,").count(), 0);
    }

    #[test]
    fn degenerate_scores_are_drawn() {
        let cases = [
            vec![curve(&[1.0], Some(0))],
            vec![curve(&[0.0, 0.0], Some(1))],
            vec![curve(&[1e300, f64::NAN, 1.0], Some(2)), curve(&[f64::INFINITY; 3], None)],
            vec![Curve { spreads: Vec::new(), ..curve(&[1.0, 2.0], Some(0)) }],
        ];
        for case in cases {
            let svg = picture(case, None);
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            super::super::png(&svg, 0.5).unwrap();
        }
    }

    #[test]
    fn long_legends_name_the_ends_and_the_best() {
        let all = (0..30).map(|i| {
            let curve = curve(&[2.0, 1.0], (i == 10).then_some(1));
            Curve { name: format!("k{i}"), ..curve }
        });
        let svg = picture(all.collect(), None);
        for name in [">k0<", ">k10<", ">k29<", "… 9 more", "… 18 more"] {
            assert!(svg.contains(name), "{name}");
        }
        assert!(!svg.contains(">k5<"));
    }
}
