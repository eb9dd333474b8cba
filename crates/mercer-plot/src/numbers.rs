//! Numbers as people read them beside marks.

/// `value` with `digits` significant digits and a true minus sign: `0.53`, `−1.2`, `1.235e7`.
pub fn significant(value: f64, digits: usize) -> String {
    if !value.is_finite() || value == 0.0 {
        return if value == 0.0 { "0".into() } else { "NaN".into() };
    }
    let text = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    // Rounding may have made 9.999 a 10.00: the exponent is that of what is written.
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let text = match (-4..digits.max(5) as i32).contains(&exponent) {
        true => {
            let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
            trimmed(&format!("{value:.decimals$}"))
        }
        false => format!("{}e{exponent}", trimmed(mantissa)),
    };
    text.replace('-', "\u{2212}")
}

/// Without trailing zeros.
fn trimmed(text: &str) -> String {
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_that_count() {
        let cases = [
            (0.53, "0.53"),
            (-1.2, "−1.2"),
            (0.0, "0"),
            (-0.0, "0"),
            (12345.6, "12346"),
            (1234567.0, "1.235e6"),
            (0.00012345, "0.0001234"),
            (-0.000012345, "−1.234e−5"),
            (9.99999, "10"),
            (100.0, "100"),
        ];
        for (value, text) in cases {
            assert_eq!(significant(value, 4), text);
        }
    }
}
