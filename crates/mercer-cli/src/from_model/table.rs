//! What a model says of its table: columns, scaling, missing values, categories and dates.

use mercer::io::ModelFile;
use mercer::io::encoding::{Encoding, Values};
use mercer::model::ScalingKind;

use super::{Setting, setting};
use crate::data::{InputKind, Places};
use crate::facts;

/// The settings, or why they cannot be written as options.
pub(super) fn settings(saved: &ModelFile) -> Result<Vec<Setting>, String> {
    let kind = InputKind::of_model(&saved.model);
    let mut all = Vec::new();
    if matches!(kind, InputKind::Numbers | InputKind::Groups(_)) {
        all.push(setting("scale", "scale", scaling(saved)));
    }
    let Some(places) = facts::places(saved) else { return Ok(all) };
    if kind.named().is_none() && kind != InputKind::Precomputed {
        all.push(setting("columns", "columns", columns(saved, &places)?));
    }
    let is_named = saved.feature_names.is_some();
    let by = |name: &str, column: usize| match is_named {
        true => name.to_string(),
        false => (column + 1).to_string(),
    };
    // A text that is its own label needs no flag.
    if let (Some(names), Some(column)) = (places.labels(), places.label_column)
        && kind != InputKind::Strings
    {
        all.push(setting("label", "label", by(&names, column)));
    }
    let targets: Vec<String> = places.targets.iter().map(|t| by(&t.name, t.column)).collect();
    if !targets.is_empty() {
        all.push(setting("target", "target", targets.join(",")));
    }
    if let Some(column) = places.weights_column {
        let name = places.weights.as_deref().filter(|_| is_named);
        let which = name.map_or((column + 1).to_string(), String::from);
        all.push(setting("weights", "weights", which));
    }
    if kind.is_encoded() {
        all.extend(places.missing.iter().map(|method| setting("missing", "missing", method)));
        all.extend(places.encoding.iter().flat_map(encoding));
    }
    Ok(all)
}

fn scaling(saved: &ModelFile) -> &'static str {
    match saved.scaling.as_ref().map(|scaling| scaling.kind) {
        None | Some(ScalingKind::None) => "none",
        Some(ScalingKind::Standard) => "standard",
        Some(ScalingKind::Minmax) => "minmax",
    }
}

/// The columns by name, or by position where the table has no names.
fn columns(saved: &ModelFile, places: &Places) -> Result<String, String> {
    let encoded = places.encoding.as_ref().map(Encoding::names);
    let names = match &saved.feature_names {
        Some(names) => encoded.unwrap_or_else(|| names.clone()),
        None => places.features().iter().map(|column| (column + 1).to_string()).collect(),
    };
    match names.iter().find(|name| name.contains(',')) {
        Some(name) => Err(format!(
            "--from-model: column {name:?} has a comma in its name: choose the columns with --columns, by position"
        )),
        None => Ok(names.join(",")),
    }
}

/// Columns that were encoded as categories or dates.
fn encoding(encoding: &Encoding) -> Vec<Setting> {
    let named = |is_one: fn(&Values) -> bool| {
        let columns = encoding.columns.iter().filter(move |column| is_one(&column.values));
        columns.map(|column| column.name.clone()).collect::<Vec<_>>()
    };
    let is_category =
        |values: &Values| matches!(values, Values::Category { .. } | Values::Code { .. });
    let categories = named(is_category);
    let dates = named(|values| matches!(values, Values::Date { .. }));
    let mut all = Vec::new();
    if !categories.is_empty() {
        all.push(setting("categories", "categories", categories.join(",")));
    }
    for column in &encoding.columns {
        if let Values::Ordered { levels, .. } = &column.values {
            let order = format!("{}={}", column.name, levels.join(","));
            all.push(setting("ordered", "ordered", order));
        }
    }
    if !dates.is_empty() {
        all.push(setting("dates", "dates", "expand"));
    }
    all
}
