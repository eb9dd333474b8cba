//! The colours of lines: what was chosen in colour, the rest in grey.

use super::super::colour::{CLASSES, Rgb, hex};
use super::super::svg::number;
use super::Curve;

/// The colour of lines that were not chosen, which is soft ink, and how strong the first and the last of them are: less than half is lost on
/// dark paper.
const GREY: Rgb = [0x5b, 0x67, 0x73];
const STRENGTHS: [f64; 2] = [0.55, 0.9];

/// The colour of a line.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Hue {
    pub colour: Rgb,
    /// How much of the paper it covers.
    pub opacity: f64,
}

impl Hue {
    /// The attributes of its stroke.
    pub fn stroke(&self, width: f64) -> String {
        let colour = hex(self.colour);
        let opacity = match self.opacity < 1.0 {
            true => format!(" stroke-opacity=\"{}\"", number(self.opacity)),
            false => String::new(),
        };
        format!("stroke=\"{colour}\" stroke-width=\"{width}\"{opacity}")
    }
}

/// Marked lines have the colours of classes, the others greys from pale to dark.
pub fn colours(curves: &[Curve]) -> Vec<Hue> {
    let mut marked = 0;
    let last = curves.len().max(2) - 1;
    let colour = |(index, curve): (usize, &Curve)| {
        if curve.mark.is_some() {
            marked += 1;
            return Hue { colour: CLASSES[(marked - 1) % CLASSES.len()], opacity: 1.0 };
        }
        let share = index as f64 / last as f64;
        Hue { colour: GREY, opacity: STRENGTHS[0] + share * (STRENGTHS[1] - STRENGTHS[0]) }
    };
    curves.iter().enumerate().map(colour).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::svg::SOFT_INK;
    use super::*;

    #[test]
    fn grey_is_soft_ink_that_dark_pages_know() {
        assert_eq!(hex(GREY), SOFT_INK);
    }

    /// Soft ink is #9fabb8 on dark pages, and their paper #1b222b.
    #[test]
    fn the_palest_line_is_seen_on_dark_paper() {
        let linear = |value: f64| ((value / 255.0 + 0.055) / 1.055).powf(2.4);
        let luminance =
            |[r, g, b]: [f64; 3]| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
        let (ink, paper) = ([159.0, 171.0, 184.0], [27.0, 34.0, 43.0]);
        let mixed = [0, 1, 2].map(|c| paper[c] + STRENGTHS[0] * (ink[c] - paper[c]));
        let contrast = (luminance(mixed) + 0.05) / (luminance(paper) + 0.05);
        assert!(contrast > 2.5, "{contrast:.2}");
    }
}
