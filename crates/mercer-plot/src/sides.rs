//! A function whose sign counts, as sheer colours on both sides of zero.

use super::colour::{Rgb, sheer};
use super::field::{Field, check, march};
use super::panel::Plane;
use super::svg::Svg;

/// How both sides of zero are filled.
pub(crate) struct Sides {
    /// The colours below and above zero.
    pub colours: [Rgb; 2],
    /// The size of values below and above zero at which colours are strongest.
    pub full: [f64; 2],
    /// Bands of colour on each side.
    pub bands: usize,
    /// How strong colours are at most.
    pub strength: f64,
}

impl Sides {
    /// How strong the colour of a band is, counted from zero.
    fn strength(&self, band: usize) -> f64 {
        self.strength * (band as f64 + 0.5) / self.bands as f64
    }

    /// What a band adds to those nearer to zero, which lie below it.
    fn added(&self, band: usize) -> f64 {
        let below = if band == 0 { 0.0 } else { self.strength(band - 1) };
        1.0 - (1.0 - self.strength(band)) / (1.0 - below)
    }
}

/// Fills both sides of zero with colours that grow stronger away from it. All are sheer, and lie on each other: from
/// each level on a little more is added, so that no two areas have an edge in common through which the paper shines.
pub(crate) fn fill_sides(svg: &mut Svg, plane: &Plane, field: &Field, sides: &Sides) {
    check(field);
    let negated: Vec<f64> = field.values.iter().map(|value| -value).collect();
    let below = Field { values: &negated, ..*field };
    svg.clipped(plane.frame, |svg| {
        for (side, field) in [&below, field].into_iter().enumerate() {
            for band in 0..sides.bands {
                let level = sides.full[side] * band as f64 / sides.bands as f64;
                let region = march(plane, field, level).region;
                svg.path(&region, &sheer(sides.colours[side], sides.added(band)));
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::super::colour::SIGNS;
    use super::*;

    #[test]
    fn sheer_bands_add_up_to_their_strength() {
        let sides = Sides { colours: SIGNS, full: [1.0; 2], bands: 5, strength: 0.6 };
        let mut through = 1.0;
        for band in 0..5 {
            through *= 1.0 - sides.added(band);
            assert!((1.0 - through - 0.6 * (band as f64 + 0.5) / 5.0).abs() < 1e-12);
        }
    }
}
