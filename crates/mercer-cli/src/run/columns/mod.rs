//! Splitting a table into features, targets, label and sample weights.

mod targets;

use mercer::io::Table;
use mercer::{Error, Result, Targets};

use self::targets::{target_values, weights};
use crate::args::LearningArgs;
use crate::data::{InputKind, Label, MOST_NOTED, Places, Target, about};

/// The roles of the columns of a table.
#[derive(Debug)]
pub struct Roles<'a> {
    /// The target columns.
    pub target: Option<&'a str>,
    /// Their kind.
    pub kind: TargetKind,
    /// The feature columns, if named.
    pub columns: Option<&'a str>,
    /// The label column.
    pub label: Option<&'a str>,
    /// The column of sample weights.
    pub weights: Option<&'a str>,
    /// The input kind of the kernel.
    pub input_kind: &'a InputKind,
}

impl<'a> Roles<'a> {
    /// The roles given by `learning`, with the target columns `target` of kind `kind`.
    pub fn of(
        target: Option<&'a str>,
        kind: TargetKind,
        learning: &'a LearningArgs,
        input_kind: &'a InputKind,
    ) -> Self {
        let weights = learning.weights.as_deref();
        let features = &learning.features;
        let (columns, label) = (features.columns.as_deref(), features.label.as_deref());
        Self { target, kind, columns, label, weights, input_kind }
    }

    /// The roles of an unsupervised fit.
    pub fn without_target(
        columns: Option<&'a str>,
        label: Option<&'a str>,
        input_kind: &'a InputKind,
    ) -> Self {
        Self {
            target: None,
            kind: TargetKind::Unsupervised,
            columns,
            label,
            weights: None,
            input_kind,
        }
    }
}

/// The kind of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// Classes if it is text, else values.
    Either,
    /// Classes.
    Classes,
    /// Values.
    Values,
    /// There is no target.
    Unsupervised,
}

/// The columns of a table by role.
#[derive(Debug)]
pub struct Chosen {
    /// The feature columns.
    pub features: Table,
    /// The label column.
    pub label: Option<Label>,
    /// The target columns, as in the table.
    pub targets: Vec<Label>,
    /// Their positions in the table.
    pub places: Places,
}

/// Splits `table` by `roles`.
pub fn choose(table: Table, roles: &Roles<'_>) -> Result<(Chosen, Targets)> {
    let target_columns = targets(&table, roles)?;
    let weights_column = roles.weights.map(|which| table.find(which)).transpose()?;
    let marked = table.label.filter(|i| !target_columns.contains(i));
    let label_column = roles.label.map(|which| table.find(which)).transpose()?;
    check_roles(&table, &target_columns, weights_column, label_column)?;
    let label_column = label_column.or(marked.filter(|i| Some(*i) != weights_column));
    let taken: Vec<usize> =
        target_columns.iter().copied().chain(weights_column).chain(label_column).collect();
    let positions = features(&table, roles, &taken, [label_column, weights_column])?;
    // A string is the best label of its row.
    let label_column = label_column
        .or(positions.first().copied().filter(|_| *roles.input_kind == InputKind::Strings));
    let named = |i: usize| (table.name(i), table.columns[i].clone());
    let targets: Vec<Label> = target_columns.iter().map(|&i| named(i)).collect();
    let is_named = roles.columns.is_some() || roles.input_kind.named().is_some();
    let is_noted = is_named && positions.len() <= MOST_NOTED;
    let places = Places {
        table_columns: table.n_columns(),
        columns: if is_noted { positions.clone() } else { Vec::new() },
        label: label_column.map(|i| table.name(i)),
        label_column,
        targets: target_columns
            .iter()
            .map(|&i| Target { name: table.name(i), column: i })
            .collect(),
        weights_column,
        left_out: left_out(&table, roles, &positions, &taken),
    };
    let weights = weights_column.map(|i| weights(&table, i)).transpose()?;
    let values = target_values(&table, &target_columns, roles.kind)?.with_weights(weights);
    let label = label_column.map(named);
    let features = table.keep(&positions);
    roles.input_kind.check(&features)?;
    Ok((Chosen { features, label, targets, places }, values))
}

fn targets(table: &Table, roles: &Roles<'_>) -> Result<Vec<usize>> {
    if roles.kind == TargetKind::Unsupervised {
        return Ok(Vec::new());
    }
    match (roles.target, table.label) {
        // A single name may hold a comma; else it is a list.
        (Some(which), _) => table.find(which).map(|one| vec![one]).or_else(|_| table.choose(which)),
        (None, Some(label)) => Ok(vec![label]),
        (None, None) => {
            let names: Vec<String> =
                (0..table.n_columns()).take(12).map(|i| table.name(i)).collect();
            let more = if table.n_columns() > names.len() { ", …" } else { "" };
            let message = format!("choose the target column: one of {}{more}", names.join(", "));
            Err(Error::parameter("--target", message))
        }
    }
}

/// A column has one role.
fn check_roles(
    table: &Table,
    targets: &[usize],
    weights: Option<usize>,
    label: Option<usize>,
) -> Result<()> {
    let twice = |flags: &str, i: usize| {
        Err(about(table, format!("{flags} both refer to column {:?}", table.name(i))))
    };
    match (weights, label) {
        (Some(i), _) if targets.contains(&i) => twice("--target and --weights", i),
        (_, Some(i)) if targets.contains(&i) => twice("--target and --label", i),
        (Some(i), Some(j)) if i == j => twice("--weights and --label", i),
        _ => Ok(()),
    }
}

fn features(
    table: &Table,
    roles: &Roles<'_>,
    taken: &[usize],
    [label, weights]: [Option<usize>; 2],
) -> Result<Vec<usize>> {
    let by_kernel = roles.input_kind.named();
    let mut positions: Vec<usize> = match (&by_kernel, roles.columns) {
        (Some(_), Some(_)) => {
            let message = "the kernel already names its columns: drop --columns";
            return Err(Error::parameter("--columns", message));
        }
        (Some(names), None) => names.iter().map(|name| table.named(name)).collect::<Result<_>>()?,
        (None, Some(which)) => table.choose(which)?,
        (None, None) => (0..table.n_columns()).filter(|i| !taken.contains(i)).collect(),
    };
    if by_kernel.is_none() {
        positions.retain(|&i| Some(i) != label);
    }
    let is_wrong = |i: &&usize| taken.contains(i) && Some(**i) != label;
    if let Some(&i) = positions.iter().find(is_wrong) {
        let role = if Some(i) == weights { "holds the weights" } else { "is the target" };
        let place = if by_kernel.is_some() { "the kernel" } else { "--columns" };
        let message = format!("column {:?} {role}: remove it from {place}", table.name(i));
        return Err(about(table, message));
    }
    if positions.is_empty() {
        return Err(about(table, "no feature columns are left".into()));
    }
    Ok(positions)
}

/// The columns without a role, if the kernel names its columns.
fn left_out(table: &Table, roles: &Roles<'_>, positions: &[usize], taken: &[usize]) -> Vec<String> {
    if roles.input_kind.named().is_none() {
        return Vec::new();
    }
    let is_used = |i: &usize| positions.contains(i) || taken.contains(i);
    let unused = (0..table.n_columns()).filter(|i| !is_used(i)).take(MOST_NOTED);
    unused.map(|i| table.name(i)).collect()
}
