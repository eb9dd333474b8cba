//! The OpenAPI document.

use serde_json::{Value, json};

use super::rows::{ARROW_FILE, ARROW_STREAM};
use super::store::Slot;
use super::{CellKind, ModelFacts, Operation};

/// The document for the models of `slots`; `has_token` says that requests need one.
pub(super) fn document(slots: &[Slot], has_token: bool) -> Value {
    let names = |wanted: Operation| -> Vec<(String, ModelFacts)> {
        let all =
            slots.iter().map(|slot| (slot.name.clone(), slot.current().model.facts().clone()));
        all.filter(|(_, facts)| facts.operation == wanted).collect()
    };
    let mut paths = json!({
        "/models": { "get": plain("The models that are served, and the columns they need", "application/json") },
        "/health": { "get": plain("Whether the server answers; needs no token", "application/json") },
        "/metrics": { "get": plain("Counts and times in the text format of Prometheus", "text/plain") },
        "/openapi.json": { "get": plain("This document", "application/json") }
    });
    let operations = [
        ("/predict", Operation::Predict, "Predict rows"),
        ("/transform", Operation::Transform, "Project rows to components"),
    ];
    for (path, operation, summary) in operations {
        let models = names(operation);
        if !models.is_empty() {
            paths[path] = json!({ "post": evaluate(summary, &models) });
        }
    }
    let mut document = json!({
        "openapi": "3.1.0",
        "info": { "title": "mercer serve", "version": env!("CARGO_PKG_VERSION"),
                  "description": "Predictions and projections of fitted kernel models." },
        "paths": paths,
        "components": { "schemas": {
            "Error": { "type": "object", "required": ["error"], "properties": { "error": { "type": "string" } } },
            "Result": {
                "type": "object", "required": ["model", "version", "columns", "rows"],
                "properties": {
                    "model": { "type": "string" },
                    "version": { "type": "integer", "description": "The version of the model: how many times its file has been read" },
                    "columns": { "type": "array", "items": { "type": "string" } },
                    "rows": { "type": "array", "items": { "type": "array", "items": { "type": ["number", "string", "null"] } } }
                }
            }
        } }
    });
    if has_token {
        document["components"]["securitySchemes"] =
            json!({ "token": { "type": "http", "scheme": "bearer" } });
        document["security"] = json!([{ "token": [] }]);
    }
    document
}

fn plain(summary: &str, kind: &str) -> Value {
    json!({ "summary": summary, "responses": { "200": { "description": "Success", "content": { kind: {} } } } })
}

fn evaluate(summary: &str, models: &[(String, ModelFacts)]) -> Value {
    let names: Vec<&str> = models.iter().map(|(name, _)| name.as_str()).collect();
    let examples: serde_json::Map<String, Value> = models
        .iter()
        .map(|(name, facts)| (name.clone(), json!({ "value": example(facts) })))
        .collect();
    let failure = |text: &str| {
        json!({ "description": text,
                "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } } })
    };
    json!({
        "summary": summary,
        "parameters": [{
            "name": "model", "in": "query", "required": models.len() > 1, "schema": { "type": "string", "enum": names },
            "description": "The model: the name of its file without the extension; may be left out if there is one"
        }],
        "requestBody": { "required": true, "content": {
            "application/json": {
                "schema": {
                    "type": "object", "required": ["rows"], "additionalProperties": false,
                    "properties": { "rows": { "type": "array", "minItems": 1, "items": {
                        "description": "An array with the columns in order, or an object with a value for each column",
                        "oneOf": [{ "type": "array" }, { "type": "object" }] } } }
                },
                "examples": examples
            },
            "text/csv": {}, "text/tab-separated-values": {}, (ARROW_STREAM): {}, (ARROW_FILE): {}, "application/vnd.apache.parquet": {}, "application/x-npy": {}
        } },
        "responses": {
            "200": { "description": "One result for each row of the request", "content": {
                "application/json": { "schema": { "$ref": "#/components/schemas/Result" } }, "text/csv": {}, (ARROW_STREAM): {}, (ARROW_FILE): {} } },
            "400": failure("The body cannot be read"),
            "401": failure("The token is missing or wrong"),
            "404": failure("There is no such model"),
            "413": failure("The body, its rows or their evaluation exceed a limit"),
            "415": failure("The content type of the body is not supported"),
            "422": failure("The rows do not fit the model"),
            "503": failure("Too many requests wait"),
            "504": failure("The request took too long")
        }
    })
}

/// One row that has the form the model needs.
pub(super) fn example(facts: &ModelFacts) -> Value {
    let cell = |kind: CellKind| match kind {
        CellKind::Number | CellKind::NumberOrMissing => json!(0.5),
        CellKind::String => json!("text"),
        CellKind::Encoded => Value::Null,
    };
    if !facts.has_names {
        let row: Vec<Value> = facts.columns.iter().map(|column| cell(column.kind)).collect();
        return json!({ "rows": [row] });
    }
    let row: serde_json::Map<String, Value> =
        facts.columns.iter().map(|column| (column.name.clone(), cell(column.kind))).collect();
    json!({ "rows": [row] })
}
