//! Kernels and counts as text.

use crate::plot::grouped;

/// A kernel with its numbers rounded to six digits.
pub fn kernel_in_short(spec: &str) -> String {
    let mut short = String::new();
    let mut rest = spec;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let numeral = &rest[start..];
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let end = numeral.find(|c: char| !is_part(c)).unwrap_or(numeral.len());
        short += &rest[..start];
        short += &cut_numeral(&numeral[..end]);
        rest = &numeral[end..];
    }
    short + rest
}

fn cut_numeral(numeral: &str) -> String {
    match numeral.parse::<f64>() {
        Ok(value) if numeral.len() > 8 && value > 0.0 => {
            let decimals = (5 - value.log10().floor() as i32).clamp(0, 300) as usize;
            let text = format!("{value:.decimals$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                false => text,
            }
        }
        _ => numeral.to_string(),
    }
}

/// `1 row`, `2 rows`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_cut_and_others_stay() {
        let cases = [
            ("rbf(gamma=0.24999999999999994)", "rbf(gamma=0.25)"),
            ("0.5*rbf(sigma=2) + poly(degree=3)", "0.5*rbf(sigma=2) + poly(degree=3)"),
            ("rbf(gamma=1.2345678901e-7)", "rbf(gamma=1.23457e-7)"),
            ("rbf(sigma=1234.5678901)", "rbf(sigma=1234.57)"),
            ("rbf(sigma=0.00012345678)", "rbf(sigma=0.000123457)"),
        ];
        for (whole, short) in cases {
            assert_eq!(kernel_in_short(whole), short);
        }
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!(
            (counted(1, "row"), counted(1200, "row")),
            ("1 row".into(), "1,200 rows".into())
        );
    }
}
