//! Files whose checksum is right and whose content is not: only a person can have made them.

use serde_json::{Map, Value, json};

use super::super::frame::MAX_HEAD;
use super::super::to_bytes;
use super::{D, N, full, pca, precomputed, refused, ridge};

/// A file taken apart, to be changed and sealed again.
pub struct Parts {
    pub head: Map<String, Value>,
    pub header: Value,
    pub data: Vec<u8>,
}

impl Parts {
    pub fn of(bytes: &[u8]) -> Self {
        let end = 8 + u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
        let head: Map<String, Value> = serde_json::from_slice(&bytes[8..end]).unwrap();
        let header =
            serde_json::from_str(head["__metadata__"]["mercer"].as_str().unwrap()).unwrap();
        Self { head, header, data: bytes[end..].to_vec() }
    }

    fn seal(mut self) -> Vec<u8> {
        self.head["__metadata__"] = json!({"mercer": self.header.to_string()});
        seal(&Value::from(self.head).to_string(), &self.data)
    }
}

/// A file with this head and these tensors, the last four bytes of which become the checksum.
pub fn seal(head: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
    bytes.extend(head.as_bytes());
    bytes.extend(&data[..data.len().saturating_sub(4)]);
    bytes.extend(crc32fast::hash(&bytes).to_le_bytes());
    bytes
}

pub fn check(file: &[u8], change: impl FnOnce(&mut Parts), part: &str) {
    let mut parts = Parts::of(file);
    change(&mut parts);
    let message = refused(&parts.seal());
    assert!(message.contains(part), "no {part:?} in: {message}");
    assert!(message.chars().count() < 600 && !message.contains('\n'), "{message}");
}

#[test]
fn sealing_is_what_writing_does() {
    for saved in super::all() {
        let sealed = Parts::of(&to_bytes(&saved).unwrap()).seal();
        super::from_bytes(std::path::Path::new("sealed"), &sealed).unwrap();
    }
}

#[test]
fn headers_are_distrusted() {
    let table: Vec<(&str, Value, &str)> = vec![
        ("/format", json!(2), "newer mercer 0.1.0 (format 2, this one reads 1): update mercer"),
        ("/format", json!(u64::MAX), "newer mercer"),
        ("/format", json!(0), "format 0 does not exist"),
        ("/format", json!(-1), "cannot be read"),
        ("/format", json!(null), "no format number"),
        ("/format", json!("1"), "cannot be read"),
        ("/estimator", json!("svc"), "unknown estimator \"svc\""),
        ("/estimator", json!("x\u{7}\n".repeat(9999)), "unknown estimator"),
        ("/n", json!(u64::MAX), "its tensor 'coef'"),
        ("/n", json!(-3), "cannot be read"),
        ("/n", json!(N + 1), "its tensor 'coef'"),
        ("/k", json!(0), "its tensor 'eigenvalues'"),
        ("/k", json!(1u64 << 62), "its tensor 'eigenvalues'"),
        ("/d", json!(D + 1), "its tensor 'anchors'"),
        ("/d", json!(null), "an inverse map, but no samples"),
        ("/precision", json!("f32"), "should be F32"),
        ("/precision", json!("f16"), "cannot be read"),
        ("/dtype", json!(7), "cannot be read"),
        ("/params", json!(null), "parameters cannot be read"),
        ("/params/kernel", json!("rbf(gamma=scale)"), "depends on the data"),
        ("/params/kernel", json!("rbf(gamma=-1)"), "parameters cannot be read"),
        ("/params/kernel", json!("rbf(gamma=1e999)"), "parameters cannot be read"),
        ("/params/kernel", json!("(".repeat(100_000)), "parameters cannot be read"),
        ("/params/kernel", json!("linear + ".repeat(20_000)), "parameters cannot be read"),
        ("/params/components", json!({"share": 2.0}), "components"),
        ("/params/seed", json!(1e300), "parameters cannot be read"),
        ("/params/inverse/alpha", json!(-1.0), "must not be negative"),
        ("/inverse/kernel", json!("rbf(sigma=median)"), "depends on the data"),
        ("/inverse/alpha", json!(-0.5), "must not be negative"),
        ("/inverse", json!(null), "\"inverse.anchors\" that does not belong there"),
        ("/inverse", json!([]), "parameters cannot be read"),
        ("/report", json!({}), "cannot be read"),
        ("/scaling", json!("robust"), "cannot be read"),
        ("/scaling", json!(null), "\"scaling.shift\" that does not belong there"),
        ("/extra", json!([]), "cannot be read"),
    ];
    let file = to_bytes(&full()).unwrap();
    for (pointer, value, part) in table {
        check(&file, |parts| *parts.header.pointer_mut(pointer).unwrap() = value, part);
    }
}

/// Replaces one value of the header.
pub fn set(pointer: &'static str, value: Value) -> impl FnOnce(&mut Parts) {
    move |parts: &mut Parts| *parts.header.pointer_mut(pointer).unwrap() = value
}

#[test]
fn a_model_must_be_possible() {
    let file = to_bytes(&pca()).unwrap();
    check(&file, set("/n", json!(1)), "2 components of 1 samples");
    check(&file, set("/d", json!(null)), "number of features is missing");
    check(&file, set("/estimator", json!("kernel_pca")), "parameters cannot be read");
    let file = to_bytes(&precomputed()).unwrap();
    check(&file, set("/d", json!(1)), "'anchors' is missing");
}

#[test]
fn a_regression_must_be_possible() {
    let file = to_bytes(&ridge()).unwrap();
    check(&file, set("/params/alpha", json!([-1.0, 1.0, 1.0])), "must not be negative");
    check(&file, set("/params/alpha", json!([1.0, 1.0])), "2 penalties for 3 targets");
    check(&file, set("/params/kernel", json!("rbf(gamma=scale)")), "depends on the data");
    check(&file, set("/classes", json!(["a", "b"])), "2 classes, expected 3");
    check(&file, set("/k", json!(2)), "its tensor 'coef'");
    check(&file, set("/k", json!(0)), "its tensor 'coef'");
}

#[test]
fn tensors_are_distrusted() {
    let table: Vec<(&str, Value, &str)> = vec![
        ("/coef/shape", json!([u64::MAX, u64::MAX]), "overflow"),
        ("/coef/shape", json!([1u64 << 61, 1]), "overflow"),
        ("/coef/shape", json!([N, -1]), "cannot be read"),
        ("/coef/shape", json!([N - 1]), "cannot be read"),
        ("/coef/dtype", json!("I64"), "'coef' is I64"),
        ("/coef/dtype", json!("F32"), "cannot be read"),
        ("/coef/dtype", json!("F128"), "cannot be read"),
        ("/coef/data_offsets", json!([0, 8]), "cannot be read"),
        ("/coef/data_offsets", json!([8, 0]), "cannot be read"),
        ("/coef/data_offsets", json!([0, u64::MAX]), "cannot be read"),
        ("/feature_names.ends/shape", json!([1, D]), "should be U64 of shape [3]"),
        ("/checksum/dtype", json!("I8"), "not in the last four bytes"),
        ("/checksum", json!({}), "cannot be read"),
    ];
    let file = to_bytes(&full()).unwrap();
    for (pointer, value, part) in table {
        let change = |parts: &mut Parts| {
            let mut head = Value::from(std::mem::take(&mut parts.head));
            *head.pointer_mut(pointer).unwrap() = value;
            parts.head = head.as_object().unwrap().clone();
        };
        check(&file, change, part);
    }
}

#[test]
fn tensors_are_all_there_and_no_others() {
    let file = to_bytes(&full()).unwrap();
    let rename = |from: &'static str, to: &'static str| {
        move |parts: &mut Parts| {
            let info = parts.head.remove(from).unwrap();
            parts.head.insert(to.into(), info);
        }
    };
    check(&file, rename("coef", "Coef"), "'coef' is missing");
    check(&file, rename("checksum", "sum"), "no checksum");
    check(&file, rename("feature_names", "names"), "'feature_names' is missing");
    check(&file, |parts| drop(parts.head.remove("coef")), "cannot be read");
    let extra = json!({"dtype": "F64", "shape": [0, 1u64 << 60], "data_offsets": [0, 0]});
    check(
        &file,
        |parts| drop(parts.head.insert("more".into(), extra)),
        "\"more\" that does not belong there",
    );
}

/// The place of a tensor among the bytes behind the head.
pub fn start(parts: &Parts, name: &str) -> usize {
    parts.head[name]["data_offsets"][0].as_u64().unwrap() as usize
}

#[test]
fn numbers_are_distrusted() {
    let file = to_bytes(&full()).unwrap();
    let put = |name: &'static str, value: f64| {
        move |parts: &mut Parts| {
            let at = start(parts, name);
            parts.data[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
    };
    for name in ["coef", "trace", "anchors", "inverse.coef", "scaling.shift"] {
        check(&file, put(name, f64::NAN), &format!("'{name}' is not finite"));
        check(&file, put(name, f64::INFINITY), &format!("'{name}' is not finite"));
    }
    check(&file, put("anchors", 1e200), "squares overflow");
    check(&file, put("eigenvalues", -1.0), "below 0");
    check(&file, put("scaling.factor", 0.0), "factor of the scaling is 0");
    check(&file, put("feature_names.ends", -1.0), "ends out of order");
    // The third byte of the text lies within an ö.
    check(&file, put("feature_names.ends", f64::from_bits(3)), "ends out of order");
    let shorten = |parts: &mut Parts| {
        let at = start(parts, "feature_names.ends");
        parts.data.copy_within(at + 8..at + 16, at + 16);
    };
    check(&file, shorten, "trailing bytes");
    let not_utf8 = |parts: &mut Parts| {
        let at = start(parts, "feature_names");
        parts.data[at] = 0xff;
    };
    check(&file, not_utf8, "not UTF-8");
}

#[test]
fn bombs_do_not_go_off() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    for depth in [1000, MAX_HEAD / 4] {
        let text = format!(r#"{{"__metadata__":{{"mercer":{}}}}}"#, nested(depth));
        assert!(refused(&seal(&text, &[])).contains("damaged"));
        // The header is a text within the head: it nests on its own account.
        let header = format!(r#"{{"format":1,"extra":{}}}"#, nested(depth));
        let sum = json!({"dtype": "U8", "shape": [4], "data_offsets": [0, 4]});
        let head = json!({"__metadata__": {"mercer": header}, "checksum": sum});
        assert!(refused(&seal(&head.to_string(), &[0; 4])).contains("cannot be read"));
    }
    let huge = (1u64 << 40).to_le_bytes();
    assert!(refused(&[&huge[..], b"{\"__metadata__\":{\"mercer\":"].concat()).contains("damaged"));
    let foreign = json!({"x": {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}});
    assert!(refused(&seal(&foreign.to_string(), &[0; 4])).contains("safetensors file without"));
}
