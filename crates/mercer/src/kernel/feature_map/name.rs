//! What a feature is called: a weight and what it multiplies.

use std::fmt::{Display, Formatter, Result};

use crate::kernel::Value;

/// The name of the feature √weight · body.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// The square of the number in front, which is often a whole number where that number is not.
    weight: f64,
    /// Empty for the constant feature.
    body: String,
}

impl Name {
    pub(super) fn of(body: String) -> Self {
        Self { weight: 1.0, body }
    }

    pub(super) fn constant() -> Self {
        Self::of(String::new())
    }

    /// The name of √scale times the feature.
    pub(super) fn scaled(self, scale: f64) -> Self {
        Self { weight: self.weight * scale, ..self }
    }

    /// The name of the product of two features.
    pub(super) fn times(&self, other: &Name) -> Self {
        let bodies = [&self.body, &other.body];
        let bodies: Vec<&str> =
            bodies.into_iter().filter(|b| !b.is_empty()).map(String::as_str).collect();
        Self { weight: self.weight * other.weight, body: bodies.join("·") }
    }

    /// The name of the feature divided by the length of all features.
    pub(super) fn normalized(&self) -> Self {
        Self::of(format!("({self})/‖φ‖"))
    }
}

impl Display for Name {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match (self.weight == 1.0, self.body.is_empty()) {
            (true, true) => f.write_str("1"),
            (true, false) => f.write_str(&self.body),
            (false, true) => f.write_str(&root(self.weight)),
            (false, false) => write!(f, "{}·{}", root(self.weight), self.body),
        }
    }
}

/// √weight in words: `√2`, and `3` for 9.
fn root(weight: f64) -> String {
    let root = weight.sqrt();
    match short(root) {
        text if root * root == weight && text.len() <= 6 => text,
        _ => format!("√{}", short(weight)),
    }
}

/// The number exactly where that is short, else rounded to six digits.
pub(super) fn short(number: f64) -> String {
    let exact = Value::Number(number).to_string();
    if exact.len() <= 8 {
        return exact;
    }
    let rounded: f64 = format!("{number:.5e}").parse().unwrap_or(number);
    Value::Number(rounded).to_string()
}
