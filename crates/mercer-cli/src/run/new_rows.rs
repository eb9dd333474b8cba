//! Finding the columns of a model in another table: by name where both have names, by position
//! otherwise.

use mercer::Result;
use std::collections::HashMap;

use mercer::io::{Column, ModelFile, SparseColumn, Table};

use crate::data::{Label, Places, about};
use crate::describe::listed;
use crate::facts;
use crate::results::component_names;

/// The rows of a table as the model wants them.
#[derive(Debug)]
pub struct NewRows {
    /// The columns of the model, in its order.
    pub features: Table,
    /// The column to carry along.
    pub label: Option<Label>,
}

/// Takes out of `table` the columns that `saved` wants, or with `inverse` the components. `columns`
/// and `label` are the user's own choice and go before everything else.
pub fn find(
    table: Table,
    saved: &ModelFile,
    inverse: bool,
    columns: Option<&str>,
    label: Option<&str>,
) -> Result<NewRows> {
    let places = facts::places(saved).unwrap_or_default();
    let wanted = if inverse {
        Wanted { names: Some(component_names(saved.model.k())), count: saved.model.k() }
    } else {
        Wanted { names: saved.feature_names.clone(), count: saved.model.inputs() }
    };
    let label = match label {
        Some(which) => Some(table.find(which)?),
        None => known_label(&table, &places, inverse),
    };
    let carried = label.map(|i| (table.name(i), table.columns[i].clone()));
    let features = match columns {
        Some(which) => by_choice(table, which, &wanted)?,
        None => by_model(table, &wanted, &places, label, inverse)?,
    };
    Ok(NewRows { features, label: carried })
}

/// What the model wants: so many columns, with these names if it knows them.
struct Wanted {
    names: Option<Vec<String>>,
    count: usize,
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

fn by_choice(table: Table, which: &str, wanted: &Wanted) -> Result<Table> {
    let positions = table.choose(which)?;
    if positions.len() != wanted.count {
        return Err(wrong_count(&table, wanted, positions.len(), "--columns chooses"));
    }
    Ok(table.keep(&positions))
}

fn by_model(
    table: Table,
    wanted: &Wanted,
    places: &Places,
    label: Option<usize>,
    inverse: bool,
) -> Result<Table> {
    if let (Some(names), Some(_)) = (&wanted.names, &table.names) {
        // LIBSVM text leaves zeros out, so that a column may have no entry at all.
        let table = if table.label.is_some() { with_zeros(table, names) } else { table };
        let known = positions(&table);
        let find =
            |name: &String| known.get(name.as_str()).copied().ok_or_else(|| absent(&table, name));
        let positions = names.iter().map(find).collect::<Result<Vec<_>>>()?;
        return Ok(table.keep(&positions));
    }
    let rest: Vec<usize> = (0..table.n_columns()).filter(|&i| Some(i) != label).collect();
    if rest.len() == wanted.count {
        return Ok(table.keep(&rest));
    }
    let is_same = table.n_columns() == places.table_columns && !inverse;
    let noted = places.features();
    if is_same && noted.len() == wanted.count {
        return Ok(table.keep(&noted));
    }
    Err(wrong_count(&table, wanted, rest.len(), "the table has"))
}

/// The position of every name; of equal names the first.
fn positions(table: &Table) -> HashMap<&str, usize> {
    let names = table.names.as_deref().unwrap_or_default();
    names.iter().enumerate().rev().map(|(i, name)| (name.as_str(), i)).collect()
}

fn absent(table: &Table, name: &str) -> mercer::Error {
    let names = table.names.as_deref().unwrap_or_default();
    let message = format!(
        "the model needs a column {name:?}, which is not there; the columns are {} (--columns chooses others, in the \
         order of the model's)",
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

fn wrong_count(table: &Table, wanted: &Wanted, found: usize, who: &str) -> mercer::Error {
    let message = format!(
        "the model needs {}, but {who} {found}: choose them with --columns, in the order of the \
         model's",
        facts::counted(wanted.count, "column")
    );
    about(table, message)
}
