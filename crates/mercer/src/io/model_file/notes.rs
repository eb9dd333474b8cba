//! The notes of a program in `extra`. A file is not believed more here than elsewhere: the notes that the Python package
//! and the command line read have the types and sizes that they write. Notes under other keys mean nothing to them, and
//! are kept as they are.

use serde_json::{Map, Value};

use super::ModelFile;
use super::check::Checked;
use super::classes_note;
use crate::kernel::KernelSpec;

/// What a value of a note may be.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Null,
    Flag,
    Number,
    Text,
    /// `{"spec": text}`.
    Kernel,
    /// `{"items": [[key, value], …]}`.
    Mapping,
    /// A list of values of any of these forms.
    List,
}

use Form::{Flag, Kernel, List, Mapping, Null, Number, Text};

/// Parameters of the Python estimators, and what they may be.
const PARAMETERS: [(&[&str], &[Form]); 12] = [
    (
        &[
            "alpha_per_target",
            "ard",
            "break_ties",
            "center",
            "copy",
            "copy_X",
            "fit_intercept",
            "fit_inverse_transform",
            "normalize_y",
            "probability",
            "remove_zero_eig",
            "shrinking",
            "store_cv_results",
            "warm_start",
            "whiten",
        ],
        &[Flag],
    ),
    (&["inverse_center", "verbose"], &[Flag, Number, Null]),
    (
        &[
            "calibration",
            "criterion",
            "decision_function_shape",
            "eigen_solver",
            "features",
            "init",
            "landmark_method",
            "method",
            "power_iteration_normalizer",
            "precision",
            "solver",
            "svd_solver",
        ],
        &[Text],
    ),
    (&["scoring", "optimize", "optimizer"], &[Text, Null]),
    (&["landmarks"], &[Number, Text, List, Null]),
    (
        &[
            "C",
            "nu",
            "epsilon",
            "contamination",
            "landmark_tol",
            "max_evaluations",
            "n_clusters",
            "n_restarts_optimizer",
            "n_oversamples",
            "sample_steps",
        ],
        &[Number],
    ),
    (
        &["tol", "max_iter", "max_time", "cache_size", "random_state", "sample_interval"],
        &[Number, Null],
    ),
    (&["n_components", "n_init", "iterated_power"], &[Number, Text, Null]),
    (&["alpha", "alphas", "gamma", "degree", "coef0"], &[Number, Text, List, Null]),
    (&["kernel", "inverse_kernel"], &[Text, Kernel, List, Null]),
    (&["class_weight", "kernel_params", "optimize_params"], &[Text, Mapping, Null]),
    (&["cv"], &[Number, Text, List, Null]),
];

/// Every form, for parameters that are not in the table.
const ANY: [Form; 7] = [Null, Flag, Number, Text, Kernel, Mapping, List];

/// Rows and columns of a sample set at most: more cannot be addressed as numbers.
const LARGEST: u64 = 1 << 40;

/// Refuses notes that a reader would stumble over.
pub fn check(saved: &ModelFile) -> Checked {
    let (extra, k) = (&saved.extra, saved.model.k());
    let classes = saved.model.persist().classes();
    with(extra, "estimator", |value| value.is_string(), "a text")?;
    with(extra, "libsvm_text", Value::is_boolean, "true or false")?;
    for name in ["table", "scores", "fit"] {
        with(extra, name, Value::is_object, "an object")?;
    }
    with(extra, "mean_distances", |value| is_distances(value, k), "a number for each cluster")?;
    with(extra, "shape_fit", is_shape, "one or two counts")?;
    let is_flat = |value: &Value| value.as_bool().is_some_and(|flat| fits(flat, k, &classes));
    with(extra, "flat_targets", is_flat, "true or false, matching the targets")?;
    extra.get("classes").map_or(Ok(()), |value| classes_note::check(value, classes.as_deref()))?;
    match extra.get("python") {
        None => Ok(()),
        Some(Value::Object(parameters)) => parameters.iter().try_for_each(parameter),
        Some(_) => Err(wrong("python", "an object")),
    }
}

fn with(
    extra: &Map<String, Value>,
    name: &str,
    is_right: impl Fn(&Value) -> bool,
    expected: &str,
) -> Checked {
    match extra.get(name) {
        Some(value) if !is_right(value) => Err(wrong(name, expected)),
        _ => Ok(()),
    }
}

fn wrong(name: &str, expected: &str) -> String {
    format!("its note '{name}' must be {expected}")
}

fn is_distances(value: &Value, clusters: usize) -> bool {
    let is_distance = |value: &Value| value.is_number() || value.is_null();
    value.as_array().is_some_and(|list| list.len() == clusters && list.iter().all(is_distance))
}

fn is_shape(value: &Value) -> bool {
    let is_count = |value: &Value| value.as_u64().is_some_and(|count| count <= LARGEST);
    let is_list = |list: &Vec<Value>| (1..=2).contains(&list.len()) && list.iter().all(is_count);
    value.as_array().is_some_and(is_list)
}

/// Targets with one axis are one target; those of a classifier with one target always are.
fn fits(flat: bool, k: usize, classes: &Option<Vec<String>>) -> bool {
    if classes.is_some() { flat == (k == 1) } else { !flat || k == 1 }
}

fn parameter((name, value): (&String, &Value)) -> Checked {
    let row = PARAMETERS.iter().find(|(names, _)| names.contains(&name.as_str()));
    let forms = row.map_or(&ANY[..], |(_, forms)| forms);
    match forms.iter().any(|form| has(value, *form)) {
        true => Ok(()),
        false => Err(format!("its note 'python' has an invalid value for {name:?}")),
    }
}

/// Whether `value` has the form. The parser of JSON has bounded how deep values lie in one another.
fn has(value: &Value, form: Form) -> bool {
    match form {
        Null => value.is_null(),
        Flag => value.is_boolean(),
        Number => value.is_number(),
        Text => value.is_string(),
        Kernel => only(value, "spec").and_then(Value::as_str).is_some_and(is_kernel),
        Mapping => only(value, "items")
            .and_then(Value::as_array)
            .is_some_and(|items| items.iter().all(is_item)),
        List => value.as_array().is_some_and(|list| list.iter().all(is_any)),
    }
}

fn is_any(value: &Value) -> bool {
    ANY.iter().any(|form| has(value, *form))
}

fn is_kernel(text: &str) -> bool {
    text.parse::<KernelSpec>().is_ok()
}

/// A key that Python can look up, and a value.
fn is_item(item: &Value) -> bool {
    match item.as_array().map(Vec::as_slice) {
        Some([key, value]) => !key.is_array() && !key.is_object() && is_any(value),
        _ => false,
    }
}

/// The value of an object that has this key and no other.
fn only<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.as_object().filter(|object| object.len() == 1).and_then(|object| object.get(key))
}
