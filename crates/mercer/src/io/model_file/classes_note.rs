//! The note `classes` of the Python package: `[values, dtype]`, the classes in their own type, where the header has their
//! names. Values, type and names must agree.

use serde_json::Value;

use super::check::Checked;
use super::frame::MAX_HEAD;

/// A type of numpy's: its kind, and the bytes of a number or the characters of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Dtype {
    kind: char,
    size: usize,
}

/// Refuses a note that does not match the classes `names`.
pub fn check(note: &Value, names: Option<&[String]>) -> Checked {
    let names =
        names.ok_or("its note 'classes' belongs to a classifier, which this model is not")?;
    let parts = note.as_array().map(Vec::as_slice);
    let Some([Value::Array(values), Value::String(dtype)]) = parts else {
        return Err("its note 'classes' must be a list of values and the name of their type".into());
    };
    let dtype = parsed(dtype).ok_or("its note 'classes' has an unknown type")?;
    if values.len() != names.len() {
        let (found, expected) = (values.len(), names.len());
        return Err(format!("its note 'classes' has {found} values for {expected} classes"));
    }
    if dtype.kind == 'U' && dtype.size.saturating_mul(4 * values.len()) > MAX_HEAD {
        return Err("its note 'classes' has a type of longer strings than its classes".into());
    }
    match values.iter().zip(names).all(|(value, name)| agrees(value, dtype, name)) {
        true => Ok(()),
        false => Err("its note 'classes' does not match its classes".into()),
    }
}

fn parsed(text: &str) -> Option<Dtype> {
    let text = text.strip_prefix(['<', '>', '=', '|']).unwrap_or(text);
    let kind = text.chars().next()?;
    let rest = &text[kind.len_utf8()..];
    let number = || rest.parse::<usize>().ok();
    let size = match kind {
        'b' => number().filter(|size| *size == 1),
        'i' | 'u' => number().filter(|size| [1, 2, 4, 8].contains(size)),
        'f' => number().filter(|size| [2, 4, 8].contains(size)),
        'U' => number(),
        'O' if rest.is_empty() => Some(8),
        // Moments and spans of time, with their unit in brackets.
        'M' | 'm' if is_unit(rest) => Some(8),
        _ => None,
    };
    size.map(|size| Dtype { kind, size })
}

fn is_unit(text: &str) -> bool {
    const UNITS: [&str; 13] =
        ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"];
    let unit = text.strip_prefix("8[").and_then(|rest| rest.strip_suffix(']'));
    // Also a number of units, as in `[25s]`.
    let name = unit.map(|unit| unit.trim_start_matches(|c: char| c.is_ascii_digit()));
    name.is_some_and(|name| UNITS.contains(&name))
        && unit.is_some_and(|unit| unit.len() < 8 && !unit.starts_with('0'))
}

/// Whether the value is one of the type, and `name` its name.
fn agrees(value: &Value, dtype: Dtype, name: &str) -> bool {
    match dtype.kind {
        'b' => value.is_boolean() && is_named(value, name),
        'i' | 'u' => is_within(value, dtype) && is_named(value, name),
        'f' => value.is_number() && is_named(value, name),
        'U' => value.is_string() && is_named(value, name),
        'O' => is_named(value, name),
        _ => value.as_i64().is_some(),
    }
}

fn is_within(value: &Value, dtype: Dtype) -> bool {
    let bits = 8 * dtype.size as u32;
    match (dtype.kind, value.as_i64(), value.as_u64()) {
        ('u', _, Some(value)) => u128::from(value) < 1 << bits,
        ('i', Some(value), _) => (-(1_i128 << (bits - 1))..1 << (bits - 1)).contains(&value.into()),
        _ => false,
    }
}

/// Whether Python writes the value as `name`.
fn is_named(value: &Value, name: &str) -> bool {
    match value {
        Value::Bool(flag) => name == if *flag { "True" } else { "False" },
        Value::String(text) => text == name,
        Value::Number(number) if number.is_f64() => {
            name.parse::<f64>().is_ok_and(|named| Some(named) == number.as_f64())
        }
        Value::Number(number) => name == number.to_string(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn accepts(values: Value, dtype: &str, names: &[&str]) -> bool {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        check(&json!([values, dtype]), Some(&names)).is_ok()
    }

    #[test]
    fn what_python_writes_is_accepted() {
        assert!(accepts(json!([-1, 1]), "<i8", &["-1", "1"]));
        assert!(accepts(
            json!([0, 18446744073709551615_u64]),
            "<u8",
            &["0", "18446744073709551615"]
        ));
        assert!(accepts(json!([false, true]), "|b1", &["False", "True"]));
        assert!(accepts(
            json!([0.10000000149011612, 1e22]),
            "<f4",
            &["0.10000000149011612", "1e+22"]
        ));
        assert!(accepts(json!(["a", "ö"]), "<U12", &["a", "ö"]));
        assert!(accepts(json!(["a", "b"]), "|O", &["a", "b"]));
        assert!(accepts(json!([0, 86400]), "<M8[s]", &["1970-01-01", "1970-01-02"]));
        assert!(accepts(json!([0, 1]), "<m8[25s]", &["0", "25"]));
    }

    #[test]
    fn values_that_do_not_fit_are_refused() {
        assert!(!accepts(json!(["a", "b"]), "<U250000000", &["a", "b"]));
        assert!(!accepts(json!(["a", "b"]), "<U18446744073709551615", &["a", "b"]));
        assert!(!accepts(json!(["a", "c"]), "<U1", &["a", "b"]));
        assert!(!accepts(json!(["a"]), "<U1", &["a", "b"]));
        assert!(!accepts(json!([1, 2]), "<U1", &["1", "2"]));
        assert!(!accepts(json!([1, 300]), "<i1", &["1", "300"]));
        assert!(!accepts(json!([-1, 1]), "<u8", &["-1", "1"]));
        assert!(!accepts(json!([[1], 2]), "|O", &["1", "2"]));
        for dtype in
            ["", "<", "V8", "i3", "<f16", "U", "O8", "M8", "<M8[x]", "<M8[0s]", "é1", "float64"]
        {
            assert!(!accepts(json!([1, 2]), dtype, &["1", "2"]), "{dtype}");
        }
        assert!(check(&json!([[1], "<i8"]), None).is_err());
        assert!(check(&json!({}), Some(&[])).is_err());
    }
}
