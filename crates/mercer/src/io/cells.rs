//! What cells of binary formats stand for.

use crate::io::encoding::date::Moment;

/// A moment in time `count` steps of so many nanoseconds after the beginning of 1970, as text; a day alone if steps are days.
pub(super) fn moment(count: i128, step: i128, is_day: bool) -> String {
    let moment = Moment::from_epoch(count.saturating_mul(step));
    if is_day { Moment { hour: None, ..moment }.text() } else { moment.text() }
}

/// A number in half precision, lowest byte first.
pub(super) fn half(bytes: &[u8]) -> f32 {
    let Ok(bytes) = <[u8; 2]>::try_from(bytes) else {
        return f32::NAN;
    };
    let bits = u16::from_le_bytes(bytes);
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023));
    match exponent {
        0 => sign * fraction * 2f32.powi(-24),
        31 if fraction == 0.0 => sign * f32::INFINITY,
        31 => f32::NAN,
        _ => sign * (1024.0 + fraction) * 2f32.powi(exponent - 25),
    }
}
