//! The text form, and serialisation as text.

use std::fmt::{Display, Formatter, Result};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::lexer::quoted;
use super::{Expr, KernelSpec, Leaf};
use crate::kernel::Value;

impl Display for KernelSpec {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Debug for KernelSpec {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write!(f, "KernelSpec({self})")
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Expr::Leaf(leaf) => leaf.fmt(f),
            Expr::Sum(terms) => separated(f, terms, " + ", |f, term| term.fmt(f)),
            Expr::Product(factors) => separated(f, factors, "*", factor),
            Expr::Scale(scale, inner) => {
                write!(f, "{}*", Value::Number(*scale))?;
                factor(f, inner)
            }
            Expr::Normalize(inner) => write!(f, "normalize({inner})"),
            Expr::Columns(names, inner) => {
                f.write_str("columns(")?;
                separated(f, names, ", ", |f, name| f.write_str(&quoted(name)))?;
                write!(f, ": {inner})")
            }
            Expr::Custom(custom) => write!(f, "custom({})", quoted(custom.name())),
        }
    }
}

impl Display for Leaf {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(self.family().name)?;
        let written: Vec<_> = self.written().collect();
        if written.is_empty() {
            return Ok(());
        }
        f.write_str("(")?;
        separated(f, &written, ", ", |f, (parameter, value)| {
            write!(f, "{}=", parameter.name)?;
            match self.list(parameter.name) {
                None => value.fmt(f),
                Some(numbers) => {
                    f.write_str("[")?;
                    separated(f, numbers, ", ", |f, number| Value::Number(*number).fmt(f))?;
                    f.write_str("]")
                }
            }
        })?;
        f.write_str(")")
    }
}

/// A part of a product: only a sum needs parentheses there.
fn factor(f: &mut Formatter<'_>, expr: &Expr) -> Result {
    match expr {
        Expr::Sum(_) => write!(f, "({expr})"),
        _ => expr.fmt(f),
    }
}

fn separated<I>(
    f: &mut Formatter<'_>,
    items: &[I],
    separator: &str,
    print: impl Fn(&mut Formatter<'_>, &I) -> Result,
) -> Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        print(f, item)?;
    }
    Ok(())
}

impl Serialize for KernelSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KernelSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
