//! Colours of plots in reports. They are drawn on white; in dark mode a style sheet replaces their background, text and darkest
//! colours by attribute, and on light pages the colours that are too bright for marks.

use crate::plot::{FRAME, GRID, INK, PAPER, SOFT_INK};

/// A colour of pictures, and its replacement in dark mode.
const DARK: [(&str, &str); 11] = [
    (INK, "#e7ebf0"),
    (SOFT_INK, "#9fabb8"),
    (GRID, "#2a333d"),
    (FRAME, "#4a5664"),
    (PAPER, "#1b222b"),
    // Classes whose own colours are too dark.
    ("#0072b2", "#3f97d6"),
    ("#332288", "#8f86e8"),
    ("#882255", "#d9699f"),
    ("#4a4a4a", "#b4b4b4"),
    ("#1b5e3a", "#62b389"),
    ("#999933", "#b5b54a"),
];

/// A colour of classes that is too bright on white, and its replacement.
const LIGHT: [(&str, &str); 2] = [("#e69f00", "#bd7d00"), ("#56b4e9", "#2b90cc")];

/// The rules of a style sheet for pictures.
pub fn rules() -> String {
    let rule = |(light, dark): &(&str, &str)| {
        format!(
            "  figure svg [fill=\"{light}\"] {{ fill: {dark}; }}\n  figure svg [stroke=\"{light}\"] {{ stroke: {dark}; }}\n"
        )
    };
    let (dark, light): (String, String) =
        (DARK.iter().map(rule).collect(), LIGHT.iter().map(rule).collect());
    format!(
        "@media screen and (prefers-color-scheme: dark) {{\n{dark}  figure svg .points {{ stroke: #9fabb8; }}\n}}\n\
         @media print, (prefers-color-scheme: light) {{\n{light}}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{CLASSES, hex};

    /// The relative luminance of a colour such as `#0072b2` or `#fff`.
    fn luminance(hex: &str) -> f64 {
        let digits: Vec<u32> = hex[1..].chars().map(|c| c.to_digit(16).unwrap()).collect();
        let channel = |i: usize| match digits.len() {
            3 => digits[i] * 17,
            _ => digits[2 * i] * 16 + digits[2 * i + 1],
        };
        let linear = |value: u32| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(channel(0)) + 0.7152 * linear(channel(1)) + 0.0722 * linear(channel(2))
    }

    #[test]
    fn classes_are_seen_on_dark_paper() {
        let (_, paper) = DARK.iter().find(|(light, _)| *light == PAPER).unwrap();
        for class in CLASSES.map(hex) {
            let shown = DARK.iter().find(|(light, _)| *light == class).map_or(&class[..], |d| d.1);
            let contrast = (luminance(shown) + 0.05) / (luminance(paper) + 0.05);
            assert!(contrast > 4.0, "{class} as {shown}: {contrast:.1}");
        }
    }

    #[test]
    fn classes_are_seen_on_white() {
        for class in CLASSES.map(hex) {
            let shown = LIGHT.iter().find(|(own, _)| *own == class).map_or(&class[..], |d| d.1);
            let contrast = 1.05 / (luminance(shown) + 0.05);
            assert!(contrast > 3.0, "{class} as {shown}: {contrast:.1}");
        }
    }

    #[test]
    fn marks_and_ink_stand_out_from_dark_paper() {
        let (_, paper) = DARK.iter().find(|(light, _)| *light == PAPER).unwrap();
        let contrast = |hex: &str| (luminance(hex) + 0.05) / (luminance(paper) + 0.05);
        for (light, dark) in DARK.iter().filter(|(light, _)| ![PAPER, GRID, FRAME].contains(light))
        {
            assert!(contrast(dark) > 4.5, "{light} becomes {dark}: {:.1}", contrast(dark));
        }
    }
}
