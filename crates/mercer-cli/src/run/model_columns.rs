//! Matching the columns of a model in another table: by name where both have names, by position
//! otherwise.

use mercer::Result;
use std::collections::HashMap;

use mercer::io::{Column, ModelFile, SparseColumn, Table};

use crate::data::{Label, Places, about, with_booleans};
use crate::describe::listed;
use crate::facts;
use crate::results::component_names;

/// The columns of a table that a model needs.
#[derive(Debug)]
pub struct ModelColumns {
    /// The columns of the model, in its order.
    pub features: Table,
    /// The label column.
    pub label: Option<Label>,
    /// Further label columns.
    pub more_labels: Vec<Label>,
    /// What to report about them: cells that were filled, unknown categories.
    pub notes: Vec<String>,
}

/// Selects the columns of `table` that `saved` needs, or with `inverse` the components. `columns` and
/// `label` are the user's choice and take precedence.
pub fn find(
    table: Table,
    saved: &ModelFile,
    inverse: bool,
    columns: Option<&str>,
    label: Option<&str>,
) -> Result<ModelColumns> {
    let places = facts::places(saved).unwrap_or_default();
    let encoding = places.encoding.as_ref().filter(|_| !inverse);
    let required = match encoding {
        _ if inverse => {
            Required { names: Some(component_names(saved.model.k())), count: saved.model.k() }
        }
        None => Required { names: saved.feature_names.clone(), count: saved.model.inputs() },
        Some(encoding) => Required {
            names: saved.feature_names.as_ref().map(|_| encoding.names()),
            count: encoding.columns.len(),
        },
    };
    let labels = match label {
        Some(which) => super::columns::labels(&table, which)?,
        None => known_labels(&table, &places, inverse),
    };
    let named = |&i: &usize| (table.name(i), table.columns[i].clone());
    let mut all_labels = labels.iter().map(named).collect::<Vec<_>>().into_iter();
    let (label_column, more_labels) = (all_labels.next(), all_labels.collect());
    let features = match columns {
        Some(which) => by_choice(table, which, &required)?,
        None => by_model(table, &required, &places, &labels, inverse)?,
    };
    let (features, notes) = match encoding {
        Some(encoding) => encoding.apply(with_booleans(features, encoding))?,
        None => (features, Vec::new()),
    };
    Ok(ModelColumns { features, label: label_column, more_labels, notes })
}

/// The number of columns that the model needs, and their names if known.
struct Required {
    names: Option<Vec<String>>,
    count: usize,
}

/// The label, and further labels of the model that the table has.
fn known_labels(table: &Table, places: &Places, inverse: bool) -> Vec<usize> {
    let names = table.names.as_deref().unwrap_or_default();
    let more = places.more_labels.iter();
    let more = more.filter_map(|label| names.iter().position(|name| name == label));
    known_label(table, places, inverse).into_iter().chain(more).collect()
}

/// The label that the format marks, or that of the model if it is there.
fn known_label(table: &Table, places: &Places, inverse: bool) -> Option<usize> {
    let named = || {
        let names = table.names.as_ref()?;
        names.iter().position(|name| Some(name) == places.label.as_ref())
    };
    let placed = || {
        let same_shape = table.names.is_none() && table.n_columns() == places.table_columns;
        places.label_column.filter(|_| same_shape && !inverse)
    };
    table.label.or_else(named).or_else(placed)
}

fn by_choice(table: Table, which: &str, required: &Required) -> Result<Table> {
    let positions = table.choose(which)?;
    if positions.len() != required.count {
        return Err(wrong_count(&table, required, positions.len(), "--columns selects"));
    }
    Ok(table.keep(&positions))
}

fn by_model(
    table: Table,
    required: &Required,
    places: &Places,
    labels: &[usize],
    inverse: bool,
) -> Result<Table> {
    if let (Some(names), Some(_)) = (&required.names, &table.names) {
        // LIBSVM text leaves zeros out, so that a column may have no entry at all.
        let table = if table.label.is_some() { with_zeros(table, names) } else { table };
        let known = positions(&table);
        let find =
            |name: &String| known.get(name.as_str()).copied().ok_or_else(|| absent(&table, name));
        let positions = names.iter().map(find).collect::<Result<Vec<_>>>()?;
        return Ok(table.keep(&positions));
    }
    let rest: Vec<usize> = (0..table.n_columns()).filter(|i| !labels.contains(i)).collect();
    if rest.len() == required.count {
        return Ok(table.keep(&rest));
    }
    let is_same = table.n_columns() == places.table_columns && !inverse;
    let noted = places.features();
    if is_same && noted.len() == required.count {
        return Ok(table.keep(&noted));
    }
    Err(wrong_count(&table, required, rest.len(), "the table has"))
}

/// The position of every name; of equal names the first.
fn positions(table: &Table) -> HashMap<&str, usize> {
    let names = table.names.as_deref().unwrap_or_default();
    names.iter().enumerate().rev().map(|(i, name)| (name.as_str(), i)).collect()
}

fn absent(table: &Table, name: &str) -> mercer::Error {
    let names = table.names.as_deref().unwrap_or_default();
    let message = format!(
        "the model needs column {name:?}, which is missing; the columns are {} (choose others with --columns, in the \
         order of the model)",
        listed(names)
    );
    about(table, message)
}

fn with_zeros(mut table: Table, names: &[String]) -> Table {
    let rows = table.n_rows();
    let known = positions(&table);
    let absent: Vec<String> =
        names.iter().filter(|name| !known.contains_key(name.as_str())).cloned().collect();
    let zeros = || match table.is_sparse() {
        true => Column::Sparse(SparseColumn::zeros(rows)),
        false => Column::F64(vec![0.0; rows]),
    };
    let columns: Vec<Column> = absent.iter().map(|_| zeros()).collect();
    table.columns.extend(columns);
    table.names.get_or_insert_default().extend(absent);
    table
}

fn wrong_count(table: &Table, required: &Required, found: usize, who: &str) -> mercer::Error {
    let message = format!(
        "the model needs {}, but {who} {found}: choose them with --columns, in the order of \
         the model",
        facts::counted(required.count, "column")
    );
    about(table, message)
}
