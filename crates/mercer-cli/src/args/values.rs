//! Parsers of flag values.

use std::str::FromStr;

use mercer::model::Components;

/// Number of components: a count, a fraction of the variance, or all.
pub(super) fn components(text: &str) -> Result<Components, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(Components::All);
    }
    if let Ok(count) = text.parse::<usize>() {
        return if count == 0 { Err(wrong_count()) } else { Ok(Components::Count(count)) };
    }
    let share = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().map(|p| p / 100.0),
        None => text.parse::<f64>(),
    };
    match share {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(Components::Share(share)),
        _ => Err(wrong_count()),
    }
}

fn wrong_count() -> String {
    "expected a count (2), a fraction of the variance between 0 and 1 (0.95 or 95%), or `all`"
        .into()
}

/// A number of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemorySize(pub u64);

impl FromStr for MemorySize {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "`{text}` is not a memory size: expected e.g. 2GiB, 500MiB or a number of bytes"
            )
        };
        let text = text.trim();
        let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let number: f64 = text[..digits].parse().map_err(|_| wrong())?;
        let unit = unit_bytes(text[digits..].trim()).ok_or_else(wrong)?;
        let bytes = number * unit;
        // Below 2⁶³, so that sums of sizes do not overflow.
        if !(1.0..9.2e18).contains(&bytes) {
            return Err(wrong());
        }
        Ok(MemorySize(bytes as u64))
    }
}

/// Bytes of a unit. As in other tools, a bare letter and `GiB` count by 1024, `GB` by 1000.
fn unit_bytes(unit: &str) -> Option<f64> {
    let unit = unit.to_ascii_lowercase();
    if unit.is_empty() || unit == "b" {
        return Some(1.0);
    }
    let mut letters = unit.chars();
    let power = 1 + "kmgtp".find(letters.next()?)? as i32;
    match letters.as_str() {
        "" | "ib" => Some(1024f64.powi(power)),
        "b" => Some(1000f64.powi(power)),
        _ => None,
    }
}

/// A number above 0 and below 1.
pub(super) fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value < 1.0 => Ok(value),
        _ => Err("expected a relative residual between 0 and 1, e.g. 1e-8".into()),
    }
}

/// A finite number above 0.
pub(super) fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value > 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a number greater than 0".into()),
    }
}

/// A number above 0, or `inf`.
pub(super) fn cost(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 => Ok(value),
        _ => Err("expected a number greater than 0, or inf for a hard margin".into()),
    }
}

/// A probability between 0 and 1.
pub(super) fn probability(text: &str) -> Result<f64, String> {
    let share = match text.strip_suffix('%') {
        Some(digits) => digits.trim().parse::<f64>().map(|number| number / 100.0),
        None => text.parse(),
    };
    match share {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("must lie between 0 and 1, e.g. 0.9 or 90%".into()),
    }
}

/// A finite number from 0 on.
pub(super) fn not_negative(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value >= 0.0 && value.is_finite() => Ok(value),
        _ => Err("expected a number of at least 0".into()),
    }
}

/// A fraction: above 0 and at most 1.
pub(super) fn fraction(text: &str) -> Result<f64, String> {
    fraction_up_to(1.0, text)
}

/// A fraction above 0 and at most a half.
pub(super) fn at_most_half(text: &str) -> Result<f64, String> {
    fraction_up_to(0.5, text)
}

fn fraction_up_to(max: f64, text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value > 0.0 && value <= max => Ok(value),
        _ => Err(format!("expected a fraction greater than 0 and at most {max}")),
    }
}

/// Class weights.
#[derive(Debug, Clone, PartialEq)]
pub enum ClassWeights {
    /// Inversely proportional to class frequencies.
    Balanced,
    /// By name; a class that is not named has weight 1.
    Named(Vec<(String, f64)>),
}

impl FromStr for ClassWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().eq_ignore_ascii_case("balanced") {
            return Ok(ClassWeights::Balanced);
        }
        let named = |item: &str| {
            let (name, weight) = item.rsplit_once('=')?;
            Some((name.trim().to_string(), positive(weight.trim()).ok()?))
        };
        let wrong =
            || "expected `balanced`, or classes with weights greater than 0, e.g. `yes=5,no=1`";
        let weights: Option<Vec<_>> = text.split(',').map(named).collect();
        weights.map(ClassWeights::Named).ok_or_else(|| wrong().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_have_three_forms() {
        let cases = [
            ("2", Some(Components::Count(2))),
            ("0.95", Some(Components::Share(0.95))),
            ("95 %", Some(Components::Share(0.95))),
            ("ALL", Some(Components::All)),
            ("0", None),
            ("1.0", None),
            ("100%", None),
            ("-1", None),
            ("nan", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(components(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn sizes_have_units() {
        let cases = [
            ("2GiB", Some(2 << 30)),
            ("2g", Some(2 << 30)),
            ("500M", Some(500 << 20)),
            ("500 MB", Some(500_000_000)),
            ("1.5k", Some(1536)),
            ("4096", Some(4096)),
            ("1b", Some(1)),
            ("0", None),
            ("-1G", None),
            ("2XB", None),
            ("G", None),
            ("2Gi", None),
            ("99999999P", None),
            ("1é", None),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<MemorySize>().ok(), expected.map(MemorySize), "{text}");
        }
    }

    #[test]
    fn tolerances_lie_between_zero_and_one() {
        for text in ["0", "1", "nan", "-1e-3", "x"] {
            assert!(tolerance(text).is_err() && (text == "1" || positive(text).is_err()), "{text}");
            assert!(text == "1" || cost(text).is_err(), "{text}");
        }
        assert_eq!(tolerance("1e-6"), Ok(1e-6));
        assert_eq!((cost("inf"), cost("10")), (Ok(f64::INFINITY), Ok(10.0)));
    }

    #[test]
    fn class_weights_are_balanced_or_named() {
        assert_eq!("Balanced".parse(), Ok(ClassWeights::Balanced));
        let named = |pairs: &[(&str, f64)]| {
            ClassWeights::Named(pairs.iter().map(|(name, w)| (name.to_string(), *w)).collect())
        };
        assert_eq!("yes=5, no=0.5".parse(), Ok(named(&[("yes", 5.0), ("no", 0.5)])));
        assert_eq!("a=b=2".parse(), Ok(named(&[("a=b", 2.0)])));
        for text in ["", "yes", "yes=", "yes=0", "yes=-1", "yes=1,", "yes=inf"] {
            assert!(text.parse::<ClassWeights>().is_err(), "{text}");
        }
    }

    #[test]
    fn fractions_reach_one_and_not_zero() {
        for text in ["0", "1.1", "-0.1", "nan", "x"] {
            assert!(fraction(text).is_err(), "{text}");
        }
        assert_eq!((fraction("1"), fraction("0.25")), (Ok(1.0), Ok(0.25)));
        assert_eq!(at_most_half("0.5"), Ok(0.5));
        assert_eq!(
            at_most_half("0.51"),
            Err("expected a fraction greater than 0 and at most 0.5".into())
        );
    }

    #[test]
    fn penalties_are_not_negative() {
        for text in ["-1", "inf", "nan", "", "x"] {
            assert!(not_negative(text).is_err(), "{text}");
        }
        assert_eq!((not_negative("0"), not_negative(" 1e-3")), (Ok(0.0), Ok(1e-3)));
    }
}
