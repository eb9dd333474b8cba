//! The date, without a calendar library.

use std::time::{SystemTime, UNIX_EPOCH};

/// `2026-11-15 22:04 UTC`.
pub fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    at(seconds)
}

/// The date so many seconds after the beginning of 1970.
fn at(seconds: u64) -> String {
    let (mut days, minutes) = (seconds / 86_400, seconds / 60 % 1_440);
    let mut year = 1970;
    while days >= days_of(year) {
        days -= days_of(year);
        year += 1;
    }
    let february = days_of(year) - 337;
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    format!("{year}-{month:02}-{:02} {:02}:{:02} UTC", days + 1, minutes / 60, minutes % 60)
}

fn days_of(year: u64) -> u64 {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    if is_leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, date) in [
            (0, "1970-01-01 00:00 UTC"),
            (951_782_340, "2000-02-28 23:59 UTC"),
            (951_782_400, "2000-02-29 00:00 UTC"),
            (1_709_251_199, "2024-02-29 23:59 UTC"),
            (1_709_251_200, "2024-03-01 00:00 UTC"),
            (1_767_225_599, "2025-12-31 23:59 UTC"),
        ] {
            assert_eq!(at(seconds), date);
        }
    }
}
