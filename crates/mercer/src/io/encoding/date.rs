//! Dates and times of day as tables write them.

/// A date, and the time of day if one is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The year.
    pub year: i64,
    /// 1 to 12.
    pub month: u32,
    /// 1 to 31.
    pub day: u32,
    /// Hours since midnight, with fractions.
    pub hour: Option<f64>,
}

const DAYS: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

impl Moment {
    /// Reads `2024-01-31`, `2024/01/31` or `31.01.2024`, with or without a time of day (`12:30`, `12:30:59.5`, `Z` or an
    /// offset behind it). Forms in which day and month can be exchanged (`01/02/2024`) are not read.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let [year, month, day] = calendar(date)?;
        let hour = match time {
            Some(time) => Some(hours(time)?),
            None => None,
        };
        let (month, day) = (u32::try_from(month).ok()?, u32::try_from(day).ok()?);
        let fits = (1..=12).contains(&month) && (1..=DAYS[month as usize - 1]).contains(&day);
        fits.then_some(Self { year, month, day, hour })
    }

    /// The moment `nanoseconds` after the beginning of 1970.
    pub fn from_epoch(nanoseconds: i128) -> Self {
        const DAY: i128 = 86_400 * 1_000_000_000;
        let (days, rest) = (nanoseconds.div_euclid(DAY), nanoseconds.rem_euclid(DAY));
        let hour = Some(rest as f64 / 3.6e12);
        Self { hour, ..Self::from_days(days.clamp(-100_000_000, 100_000_000) as i64) }
    }

    /// The date `days` after the first of January 1970, by the civil calendar (Hinnant's algorithm).
    pub fn from_days(days: i64) -> Self {
        let z = days + 719_468;
        let era = z.div_euclid(146_097);
        let of_era = z.rem_euclid(146_097);
        let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = (of_year - (153 * shifted + 2) / 5 + 1) as u32;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 } as u32;
        Self { year: year + era * 400 + i64::from(month <= 2), month, day, hour: None }
    }

    /// Days since the first of January 1970.
    pub fn days(&self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let month = i64::from(self.month);
        let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5
            + i64::from(self.day)
            - 1;
        era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
    }

    /// Monday is 1, Sunday 7.
    pub fn weekday(&self) -> i64 {
        (self.days() + 3).rem_euclid(7) + 1
    }

    /// `2024-01-31`, and ` 12:30:59.5` behind it where the time of day is known.
    pub fn text(&self) -> String {
        let date = format!("{:04}-{:02}-{:02}", self.year, self.month, self.day);
        let Some(hour) = self.hour else { return date };
        let micros = (hour * 3.6e9).round() as u64;
        let (seconds, fraction) = (micros / 1_000_000, micros % 1_000_000);
        let time = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        let digits = format!(".{fraction:06}");
        let digits = if fraction == 0 { "" } else { digits.trim_end_matches('0') };
        format!("{date} {time}{digits}")
    }
}

/// Year, month and day.
fn calendar(date: &str) -> Option<[i64; 3]> {
    let separator = ['-', '/', '.'].into_iter().find(|&c| date.contains(c))?;
    let parts: Vec<&str> = date.split(separator).collect();
    let [first, second, third] = parts[..] else { return None };
    let (year, day) = if separator == '.' { (third, first) } else { (first, third) };
    if year.len() != 4 || second.len() > 2 || day.len() > 2 {
        return None;
    }
    let number = |text: &str| {
        let digits = text.bytes().all(|b| b.is_ascii_digit());
        if digits { text.parse().ok() } else { None }
    };
    Some([number(year)?, number(second)?, number(day)?])
}

/// Hours since midnight. An offset behind the time is read over: the clock of the place counts.
fn hours(time: &str) -> Option<f64> {
    let end = time.find(['Z', '+', '-']).unwrap_or(time.len());
    let mut parts = time[..end].trim().split(':');
    let mut next = |most: f64| -> Option<Option<f64>> {
        let Some(text) = parts.next() else { return Some(None) };
        let plain = text.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let value: f64 = if plain { text.parse().ok()? } else { return None };
        (value < most).then_some(Some(value))
    };
    let (hour, minute, second) = (next(24.0)??, next(60.0)??, next(61.0)?.unwrap_or(0.0));
    parts.next().is_none().then_some(hour + minute / 60.0 + second / 3600.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_usual_forms() {
        let date = |year, month, day| Some(Moment { year, month, day, hour: None });
        assert_eq!(Moment::parse("2024-02-29"), date(2024, 2, 29));
        assert_eq!(Moment::parse("29.2.2024"), date(2024, 2, 29));
        assert_eq!(Moment::parse("2024/12/01"), date(2024, 12, 1));
        let noon = Moment { hour: Some(12.5), ..Moment::parse("2024-01-31").unwrap() };
        assert_eq!(Moment::parse("2024-01-31T12:30:00Z"), Some(noon));
        assert_eq!(Moment::parse("2024-01-31 12:30"), Some(noon));
        for text in
            ["01/02/2024", "2024-13-01", "2024-02-30", "1-2-3", "2024-01-31 25:00", "1.5", ""]
        {
            assert_eq!(Moment::parse(text), None, "{text}");
        }
    }

    #[test]
    fn days_count_from_1970_both_ways() {
        assert_eq!(Moment::from_days(0).text(), "1970-01-01");
        assert_eq!(Moment::from_days(19_782).text(), "2024-02-29");
        assert_eq!(Moment::parse("2024-02-29").unwrap().weekday(), 4); // a Thursday
        for days in (-800_000..800_000).step_by(997) {
            assert_eq!(Moment::from_days(days).days(), days);
        }
        assert_eq!(Moment::from_epoch(1_709_210_096_500_000_000).text(), "2024-02-29 12:34:56.5");
        assert_eq!(Moment::from_epoch(-1_000_000_000).text(), "1969-12-31 23:59:59");
    }
}
