//! An axis: the range of values it shows, its ticks at round numbers, and their labels.

/// A tick: where it stands and what is written there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tick {
    pub value: f64,
    pub label: String,
}

/// A range of values shown along one side of a panel.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub low: f64,
    pub high: f64,
    pub ticks: Vec<Tick>,
    /// Labels are to be multiplied by ten to this power; 0 when they are the values themselves.
    pub exponent: i32,
}

impl Axis {
    /// An axis that shows all `values` with a small margin, and about `wanted` ticks.
    pub fn around(values: impl Iterator<Item = f64>, wanted: usize) -> Self {
        let (low, high) = padded(extent(values));
        Self::over(low, high, wanted)
    }

    /// An axis from `low` to `high` (`low < high`) with about `wanted` ticks.
    pub fn over(low: f64, high: f64, wanted: usize) -> Self {
        let values = round_values(low, high, wanted);
        let exponent = common_exponent(&values);
        let ticks = labelled(&values, exponent);
        Self { low, high, ticks, exponent }
    }

    /// An axis of logarithms to base ten that shows all `values`, which are positive, with a small
    /// margin. Its ends and ticks are logarithms, its labels are the numbers.
    pub fn logarithmic(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = extent(values.map(f64::log10));
        // A range below a decade shows nothing of an order of magnitude: half of one is room enough.
        let margin = if high - low < 1e-9 { 0.5 } else { 0.03 * (high - low) };
        let (low, high) = (low - margin, high + margin);
        Self { low, high, ticks: decades(low, high), exponent: 0 }
    }

    /// The position of `value` between the two ends: 0 at `low`, 1 at `high`.
    pub fn fraction(&self, value: f64) -> f64 {
        // Halves, because the width of a range may exceed the largest number.
        (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
    }

    /// The same axis without ticks.
    pub fn bare(mut self) -> Self {
        self.ticks.clear();
        self.exponent = 0;
        self
    }
}

/// The smallest and largest finite value; (0, 0) when there is none.
pub(crate) fn extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|v| v.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if low > high { (0.0, 0.0) } else { (low, high) }
}

/// The extent with a margin of a twentieth. A range that is only rounding noise counts as a
/// constant and gets a margin of its own size, so that the noise is not blown up to fill the
/// picture.
fn padded((low, high): (f64, f64)) -> (f64, f64) {
    let largest = low.abs().max(high.abs()).min(f64::MAX / 4.0);
    let width = high / 2.0 - low / 2.0;
    if width <= 1e-12 * largest || width < f64::MIN_POSITIVE * 1e4 {
        let margin = if largest < 1e-300 { 1.0 } else { 0.5 * largest };
        return (low - margin, high + margin);
    }
    ((low - 0.1 * width).max(f64::MIN), (high + 0.1 * width).min(f64::MAX))
}

/// Multiples of 1, 2 or 5 times a power of ten within the range, about `wanted` of them.
fn round_values(low: f64, high: f64, wanted: usize) -> Vec<f64> {
    let raw = (high / 2.0 - low / 2.0) / wanted.max(1) as f64 * 2.0;
    let power = 10f64.powi(raw.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= raw * 0.8)
        .unwrap_or(10.0 * power);
    let (first, last) = ((low / step).ceil(), (high / step).floor());
    if !(step.is_finite() && step > 0.0 && last - first < 100.0) {
        return Vec::new();
    }
    (0..=(last - first) as usize).map(|i| (first + i as f64) * step).collect()
}

/// The power of ten taken out of labels that would otherwise be long: 0 for everyday numbers.
fn common_exponent(values: &[f64]) -> i32 {
    let largest = values.iter().fold(0.0f64, |largest, v| largest.max(v.abs()));
    let exponent = if largest > 0.0 { largest.log10().floor() as i32 } else { 0 };
    if (-3..5).contains(&exponent) { 0 } else { exponent }
}

fn labelled(values: &[f64], exponent: i32) -> Vec<Tick> {
    let scale = 10f64.powi(exponent);
    let step = values.windows(2).map(|pair| (pair[1] - pair[0]) / scale).next().unwrap_or(1.0);
    let decimals = (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize;
    let label = |value: f64| {
        let text = format!("{:.decimals$}", value / scale);
        let is_zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
        // A true minus sign is as wide as a plus sign and easier to see than a hyphen.
        if is_zero { text.replace('-', "") } else { text.replace('-', "\u{2212}") }
    };
    values.iter().map(|&value| Tick { value, label: label(value) }).collect()
}

/// Ticks at powers of ten, every one or every few; in a short range at 2 and 5 times them too.
fn decades(low: f64, high: f64) -> Vec<Tick> {
    const MOST: i32 = 10;
    let (first, last) = (low.ceil() as i32, high.floor() as i32);
    let step = (last - first) / MOST + 1;
    let multiples: &[f64] = if high - low < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let exponents = (low.floor() as i32..=last).filter(|e| e.rem_euclid(step) == 0);
    let ticks = exponents.flat_map(|e| multiples.iter().map(move |m| (*m, e)));
    let ticks: Vec<(f64, i32)> =
        ticks.filter(|(m, e)| (low..=high).contains(&(m.log10() + f64::from(*e)))).collect();
    let plain = ticks.iter().all(|(_, e)| (-3..=4).contains(e));
    let label = |m: f64, e: i32| match plain {
        true => format!("{:.*}", (-e).max(0) as usize, m * 10f64.powi(e)),
        false => format!("{m}e{e}").replace('-', "\u{2212}"),
    };
    let tick = |&(m, e): &(f64, i32)| Tick { value: m.log10() + f64::from(e), label: label(m, e) };
    ticks.iter().map(tick).collect()
}

/// `× 1e−4` for −4. Raised digits would be prettier, but many fonts have no raised minus sign.
pub(crate) fn power_of_ten(exponent: i32) -> String {
    format!("× 1e{exponent}").replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        Axis::over(low, high, 5).ticks.into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        assert_eq!(labels(-1.05, 1.05), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(0.0, 100.0), ["0", "20", "40", "60", "80", "100"]);
        assert_eq!(labels(0.1, 0.34), ["0.10", "0.15", "0.20", "0.25", "0.30"]);
    }

    #[test]
    fn a_power_of_ten_is_taken_out_of_long_labels() {
        let axis = Axis::over(0.0, 4e-7, 4);
        assert_eq!((axis.exponent, axis.ticks[1].label.as_str()), (-7, "1"));
        assert_eq!(power_of_ten(-17), "× 1e−17");
    }

    #[test]
    fn powers_of_ten_stand_on_a_logarithmic_axis() {
        let labels = |values: &[f64]| -> Vec<String> {
            let axis = Axis::logarithmic(values.iter().copied());
            assert!(axis.low < axis.high);
            axis.ticks.into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(&[0.1, 1000.0]), ["0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(&[1e-8, 1e3]).len(), 6);
        assert!(labels(&[1e-8, 1e3])[0].starts_with("1e−8"));
        assert_eq!(labels(&[2.0, 9.0]), ["2", "5"]);
        assert_eq!(labels(&[1.0]), ["0.5", "1", "2"]);
    }

    #[test]
    fn a_constant_gets_room_on_both_sides() {
        for constant in [0.0, 3.0, -1e9, 1e-320] {
            let axis = Axis::around([constant; 4].into_iter(), 5);
            assert!(axis.low < constant && constant < axis.high, "{axis:?}");
            assert!((axis.fraction(constant) - 0.5).abs() < 1e-9, "{axis:?}");
        }
    }

    #[test]
    fn extreme_values_do_no_harm() {
        let axis = Axis::around([f64::MIN, f64::MAX, f64::NAN].into_iter(), 5);
        assert!((axis.fraction(0.0) - 0.5).abs() < 1e-9);
        assert_eq!(extent([f64::NAN, f64::INFINITY].into_iter()), (0.0, 0.0));
    }
}
