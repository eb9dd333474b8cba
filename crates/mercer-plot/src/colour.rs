//! Colours that are distinguishable with any kind of colour vision.

/// A colour with red, green and blue from 0 to 255.
pub type Rgb = [u8; 3];

/// Colours of classes. The first six are those of Okabe and Ito that show well on white; the
/// others, from Tol's muted scheme and darker, keep their distance in lightness as well as in hue.
pub const CLASSES: [Rgb; 12] = [
    [0x00, 0x72, 0xb2], // blue
    [0xd5, 0x5e, 0x00], // vermilion
    [0x00, 0x9e, 0x73], // bluish green
    [0xe6, 0x9f, 0x00], // orange
    [0xcc, 0x79, 0xa7], // reddish purple
    [0x56, 0xb4, 0xe9], // sky blue
    [0x33, 0x22, 0x88], // indigo
    [0x88, 0x22, 0x55], // wine
    [0x99, 0x99, 0x33], // olive
    [0x4a, 0x4a, 0x4a], // charcoal
    [0xb8, 0x86, 0x4e], // tan
    [0x1b, 0x5e, 0x3a], // forest
];

/// The colour of rows whose class is not shown by itself.
pub(crate) const OTHER: Rgb = [0xb4, 0xbb, 0xc3];

// Nine anchors of the viridis map, evenly spaced.
const VIRIDIS: [Rgb; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// The colours of negative and of positive values.
pub(crate) const SIGNS: [Rgb; 2] = [[115, 91, 167], [78, 158, 95]];

/// The viridis colour at `position` from 0 to 1.
pub(crate) fn viridis(position: f64) -> Rgb {
    blend(&VIRIDIS, position)
}

/// The attributes of an area through which so much of the paper is seen: it suits light and dark paper.
pub(crate) fn sheer(colour: Rgb, opacity: f64) -> String {
    let opacity = format!("{opacity:.4}");
    format!("fill=\"{}\" fill-opacity=\"{}\"", hex(colour), opacity.trim_end_matches('0'))
}

fn blend(anchors: &[Rgb], position: f64) -> Rgb {
    let place = position.clamp(0.0, 1.0) * (anchors.len() - 1) as f64;
    let below = (place as usize).min(anchors.len() - 2);
    let share = place - below as f64;
    let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    std::array::from_fn(|channel| mix(anchors[below][channel], anchors[below + 1][channel]))
}

/// `#0072b2`.
pub fn hex([red, green, blue]: Rgb) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_begin_and_end_at_their_anchors() {
        assert_eq!(viridis(0.0), VIRIDIS[0]);
        assert_eq!(viridis(1.0), VIRIDIS[8]);
        assert_eq!(sheer([0, 0, 255], 0.25), "fill=\"#0000ff\" fill-opacity=\"0.25\"");
    }

    #[test]
    fn class_colours_differ() {
        for (i, a) in CLASSES.iter().enumerate() {
            for b in &CLASSES[..i] {
                let distance: u32 = a.iter().zip(b).map(|(x, y)| u32::from(x.abs_diff(*y))).sum();
                assert!(distance > 60, "{} and {}", hex(*a), hex(*b));
            }
        }
    }
}
