//! The families of kernels, for the page's controls.

use mercer::kernel::{Definite, Domain, Family, Input, Parameter, Value as Setting, families};
use serde_json::{Value, json};

/// All families.
pub(super) fn list() -> Vec<Value> {
    families().iter().map(|family| described(family)).collect()
}

fn described(family: &Family) -> Value {
    let input = match family.input {
        Input::Vectors => "numbers",
        Input::Histograms => "histograms",
        Input::Categories => "categories",
        Input::Strings => "strings",
    };
    let definite = match family.definite {
        Definite::Always => "always".into(),
        Definite::No => "not in general".into(),
        Definite::When(condition, _) => format!("if {condition}"),
    };
    json!({
        "name": family.name, "about": family.doc, "formula": family.formula, "input": input, "definite": definite,
        "parameters": family.parameters.iter().map(parameter).collect::<Vec<_>>(),
    })
}

fn parameter(parameter: &Parameter) -> Value {
    let default = parameter.default.map(|value| match value {
        Setting::Number(number) => json!(number),
        other => json!(other.to_string()),
    });
    json!({
        "name": parameter.name, "about": parameter.doc, "default": default, "domain": domain(parameter.domain),
        "rules": parameter.rules.iter().map(|rule| rule.name()).collect::<Vec<_>>(), "insteadOf": parameter.instead_of,
    })
}

fn domain(domain: Domain) -> Value {
    match domain {
        Domain::Any => json!({ "kind": "any" }),
        Domain::Positive => json!({ "kind": "positive" }),
        Domain::NotNegative => json!({ "kind": "notNegative" }),
        Domain::Share => json!({ "kind": "share" }),
        Domain::PositiveInteger => json!({ "kind": "positiveInteger" }),
        Domain::Count => json!({ "kind": "count" }),
        Domain::OneOf(numbers) => json!({ "kind": "oneOf", "values": numbers }),
        Domain::Words(words) => json!({ "kind": "words", "values": words }),
    }
}
