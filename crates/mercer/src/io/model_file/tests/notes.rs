//! Notes of the Python package and of the command line: what these write is read back, other values are refused.

use serde_json::{Value, json};

use super::super::to_bytes;
use super::hostile::{Parts, check, seal};
use super::{from_bytes, full, refused, ridge};
use crate::io::ModelFile;

fn with_notes(mut saved: ModelFile, notes: Value) -> crate::Result<ModelFile> {
    saved.extra = notes.as_object().unwrap().clone();
    from_bytes(std::path::Path::new("m"), &to_bytes(&saved)?)
}

/// A regression of three classes, whose names are those of [`ridge`].
fn names() -> Vec<String> {
    match ridge().model.persist().classes() {
        Some(names) => names,
        None => panic!("a classifier"),
    }
}

#[test]
fn what_python_writes_is_read_back() {
    let python = json!({
        "kernel": {"spec": "0.5*rbf(sigma=2) + linear"}, "gamma": "scale", "tol": 0, "max_iter": null,
        "class_weight": {"items": [["a", 1.0], [2, 0.5], [true, 1]]}, "alpha": [0.1, 1, 10],
        "kernel_params": {"items": [["degree", 2]]}, "whiten": true, "n_components": 0.5,
        "a parameter of tomorrow": {"items": [["x", {"spec": "rbf"}]]}, "n_jobs": -1,
    });
    let width = names().iter().map(|name| name.chars().count()).max().unwrap();
    let notes = json!({
        "python": python, "estimator": "KernelRidgeClassifier", "flat_targets": false,
        "classes": [names(), format!("<U{width}")], "somebody else": [{"anything": [null]}],
    });
    let saved = with_notes(ridge(), notes.clone()).unwrap();
    assert_eq!(Value::Object(saved.extra), notes);
    with_notes(full(), json!({"shape_fit": [9, 3], "table": {}, "libsvm_text": true})).unwrap();
}

#[test]
fn values_that_cannot_be_are_refused() {
    let cases = [
        json!({"python": []}),
        json!({"python": {"kernel": {"spec": "rbf("}}}),
        json!({"python": {"kernel": {"spec": 1}}}),
        json!({"python": {"kernel": {"spec": "rbf", "more": 1}}}),
        json!({"python": {"kernel": 7}}),
        json!({"python": {"whiten": 1}}),
        json!({"python": {"C": "1"}}),
        json!({"python": {"tol": [1]}}),
        json!({"python": {"precision": null}}),
        json!({"python": {"class_weight": {"items": [[["a"], 1]]}}}),
        json!({"python": {"class_weight": {"items": [["a"]]}}}),
        json!({"python": {"class_weight": {"items": {"a": 1}}}}),
        json!({"python": {"gamma": {"x": 1}}}),
        json!({"python": {"a parameter of tomorrow": {"x": 1}}}),
        json!({"python": {"alpha": [[[{"x": 1}]]]}}),
        json!({"estimator": 1}),
        json!({"flat_targets": true}),
        json!({"flat_targets": 0}),
        json!({"shape_fit": [1, 2, 3]}),
        json!({"shape_fit": []}),
        json!({"shape_fit": [-1]}),
        json!({"shape_fit": [1.5]}),
        json!({"shape_fit": [1u64 << 50, 1]}),
        json!({"mean_distances": [1.0]}),
        json!({"table": 1}),
        json!({"libsvm_text": "yes"}),
        json!({"classes": [names(), "<U250000000"]}),
        json!({"classes": [names()[..1], "<U9"]}),
        json!({"classes": "abc"}),
    ];
    for notes in cases {
        let message = with_notes(ridge(), notes.clone()).err();
        let message = message.unwrap_or_else(|| panic!("written: {notes}")).to_string();
        assert!(message.contains("its note"), "{notes}: {message}");
        let file = to_bytes(&ridge()).unwrap();
        check(&file, |parts| parts.header["extra"] = notes, "its note");
    }
    assert!(with_notes(full(), json!({"classes": [["a", "b"], "<U1"]})).is_err());
}

#[test]
fn nothing_stands_twice() {
    let file = to_bytes(&full()).unwrap();
    let Parts { head, header, data } = Parts::of(&file);
    let info = head["coef"].to_string();
    let text = Value::from(head.clone()).to_string();
    let twice = text.replacen('{', &format!("{{\"coef\":{info},"), 1);
    assert!(refused(&seal(&twice, &data)).contains("\"coef\" appears twice"));
    let header = header.to_string().replacen('{', "{\"format\":1,", 1);
    let mut head = head;
    head["__metadata__"] = json!({"mercer": header});
    let message = refused(&seal(&Value::from(head).to_string(), &data));
    assert!(message.contains("\"format\" appears twice"), "{message}");
}
