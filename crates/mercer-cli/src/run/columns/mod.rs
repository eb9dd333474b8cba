//! Splitting a table into features, targets, label and sample weights.

mod categories;
mod targets;

use mercer::io::Table;
use mercer::io::encoding::CategoryColumns;
use mercer::model::Scaling;
use mercer::{Error, Result, Targets};

pub use self::targets::all_different;
use self::targets::{target_values, weights};
use super::validation::ids;
use crate::args::{EncodingArgs, LearningArgs, Missing};
use crate::data::{
    self, ColumnGroup, Encoded, InputKind, Label, MOST_NOTED, Places, Target, about,
};

/// The roles of the columns of a table.
#[derive(Debug, Clone, Copy)]
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
    /// A column that names groups of rows, which is no feature.
    pub groups: Option<&'a str>,
    /// The input kind of the kernel.
    pub input_kind: &'a InputKind,
    /// How columns become numbers.
    pub encoding: &'a EncodingArgs,
    /// Whether tables are blocks of a larger one, all of whose rows may be left out.
    pub in_blocks: bool,
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
        let encoding = &features.encoding;
        let (groups, in_blocks) = (None, false);
        Self { target, kind, columns, label, weights, groups, input_kind, encoding, in_blocks }
    }

    /// The same, with a column that names groups of rows.
    pub fn with_groups(self, groups: Option<&'a str>) -> Self {
        Self { groups, ..self }
    }

    /// The roles of an unsupervised fit.
    pub fn without_target(
        columns: Option<&'a str>,
        label: Option<&'a str>,
        encoding: &'a EncodingArgs,
        input_kind: &'a InputKind,
    ) -> Self {
        Self {
            target: None,
            kind: TargetKind::Unsupervised,
            columns,
            label,
            weights: None,
            groups: None,
            input_kind,
            encoding,
            in_blocks: false,
        }
    }
}

/// The kind of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// Classes if it is text, else values.
    Either,
    /// The same, where `--task` says what it is meant to be.
    EitherByTask,
    /// Classes.
    Classes,
    /// Values.
    Values,
    /// Classes of some rows of a table, which the other rows repeat.
    ClassesOfBlock,
    /// Values of some rows of a table.
    ValuesOfBlock,
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
    /// Further label columns.
    pub more_labels: Vec<Label>,
    /// The rows of the table that are used, if some were left out, counted from 0.
    pub rows: Option<Vec<usize>>,
    /// The target columns, as in the table.
    pub targets: Vec<Label>,
    /// Their positions in the table.
    pub places: Places,
    /// The group of each row, if a column names groups.
    pub groups: Option<Vec<usize>>,
}

impl Chosen {
    /// Leaves only the columns of `used`, of all those that the kernels of a search name, in `scaling` too.
    pub fn keep_used(&mut self, all: &InputKind, used: &InputKind, scaling: &mut Option<Scaling>) {
        let (InputKind::Groups(all), InputKind::Groups(used)) = (all, used) else { return };
        let mut starts = vec![0];
        all.iter().for_each(|group| starts.push(starts[starts.len() - 1] + group.names.len()));
        let place = |group: &ColumnGroup| all.iter().position(|other| other.names == group.names);
        let groups = used.iter().filter_map(place);
        let kept: Vec<usize> = groups.flat_map(|at| starts[at]..starts[at + 1]).collect();
        if kept.len() == self.features.n_columns() {
            return;
        }
        let names: Vec<String> = kept.iter().map(|&i| self.features.name(i)).collect();
        let mut unused: Vec<String> =
            (0..self.features.n_columns()).map(|i| self.features.name(i)).collect();
        unused.retain(|name| !names.contains(name));
        unused.dedup();
        self.places.left_out.extend(unused);
        if !self.places.columns.is_empty() {
            self.places.columns = kept.iter().map(|&i| self.places.columns[i]).collect();
        }
        if let Some(encoding) = &mut self.places.encoding {
            encoding.columns = kept.iter().map(|&i| encoding.columns[i].clone()).collect();
        }
        self.features = std::mem::take(&mut self.features).keep(&kept);
        if let Some(scaling) = scaling {
            scaling.shift = kept.iter().map(|&i| scaling.shift[i]).collect();
            scaling.factor = kept.iter().map(|&i| scaling.factor[i]).collect();
        }
    }
}

/// Splits `table` by `roles`, and turns the features into numbers.
pub fn choose(table: Table, roles: &Roles<'_>) -> Result<(Chosen, Targets)> {
    let (chosen, targets, categories) = split(table, roles)?;
    let Encoded { features, encoding } =
        data::encode(chosen.features, roles.input_kind, roles.encoding, categories)?;
    let places = Places { encoding, ..chosen.places };
    Ok((Chosen { features, places, ..chosen }, targets))
}

/// Splits `table` by `roles`. The features are as in the table; with them come the places of those that are called
/// categories.
pub fn split(table: Table, roles: &Roles<'_>) -> Result<(Chosen, Targets, CategoryColumns)> {
    let target_columns = targets(&table, roles)?;
    let weights_column = roles.weights.map(|which| table.find(which)).transpose()?;
    let marked = table.label.filter(|i| !target_columns.contains(i));
    let labels = roles.label.map(|which| labels(&table, which)).transpose()?.unwrap_or_default();
    let label_column = labels.first().copied();
    let groups_column = roles.groups.map(|which| table.find(which)).transpose()?;
    for label in labels.iter().copied().map(Some).chain(labels.is_empty().then_some(None)) {
        check_roles(&table, &target_columns, weights_column, label, groups_column)?;
    }
    let label_column = label_column.or(marked.filter(|i| Some(*i) != weights_column));
    let more: Vec<usize> = labels.iter().skip(1).copied().collect();
    let all_labels: Vec<usize> = label_column.into_iter().chain(more.iter().copied()).collect();
    let others = weights_column.into_iter().chain(all_labels.iter().copied()).chain(groups_column);
    let taken: Vec<usize> = target_columns.iter().copied().chain(others).collect();
    let positions = features(&table, roles, &taken, (&all_labels, weights_column))?;
    let used = target_columns.iter().chain(&weights_column).chain(&positions);
    let all_rows = table.n_rows();
    let (table, rows) = without_missing(table, roles, &used.copied().collect::<Vec<_>>())?;
    let dropped_rows = all_rows - table.n_rows();
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
        more_labels: more.iter().map(|&i| table.name(i)).collect(),
        targets: target_columns
            .iter()
            .map(|&i| Target { name: table.name(i), column: i })
            .collect(),
        weights_column,
        weights: weights_column.map(|i| table.name(i)),
        missing: roles.encoding.missing.map(missing_name),
        left_out: left_out(&table, roles, &positions, &taken),
        encoding: None,
        dropped_rows,
    };
    let weights = weights_column.map(|i| weights(&table, i)).transpose()?;
    let values = target_values(&table, &target_columns, roles.kind)?.with_weights(weights);
    let label = label_column.map(named);
    let groups = groups_column.map(|i| ids(&table.columns[i]));
    let more_labels = more.iter().map(|&i| named(i)).collect();
    let categories = categories::of(&table, roles.encoding, &positions)?;
    let features = table.keep(&positions);
    roles.input_kind.check(&features)?;
    Ok((Chosen { features, label, more_labels, rows, targets, places, groups }, values, categories))
}

/// The targets and weights of a table with these columns.
pub fn learned(
    table: &Table,
    columns: &[usize],
    weights_column: Option<usize>,
    kind: TargetKind,
) -> Result<Targets> {
    let weights = weights_column.map(|i| weights(table, i)).transpose()?;
    Ok(target_values(table, columns, kind)?.with_weights(weights))
}

/// The label columns: one, whose name may hold a comma, or a list.
pub(super) fn labels(table: &Table, which: &str) -> Result<Vec<usize>> {
    table.find(which).map(|one| vec![one]).or_else(|error| match which.contains(',') {
        true => table.choose(which),
        false => Err(error),
    })
}

/// A method as it is written on the command line.
fn missing_name(missing: Missing) -> String {
    let value = clap::ValueEnum::to_possible_value(&missing);
    value.map_or(String::new(), |value| value.get_name().to_string())
}

/// The table without the rows in which one of `used` is missing, if that is requested, and the rows that are left if
/// some are not.
fn without_missing(
    table: Table,
    roles: &Roles<'_>,
    used: &[usize],
) -> Result<(Table, Option<Vec<usize>>)> {
    if roles.encoding.missing != Some(Missing::Drop) {
        return Ok((table, None));
    }
    let rows = mercer::io::encoding::rows_without_missing(&table, used);
    match table.n_rows() - rows.len() {
        0 => Ok((table, None)),
        dropped if rows.is_empty() && !roles.in_blocks => {
            let message = format!(
                "all {dropped} rows have a missing value: fill them with --missing median, or leave columns out"
            );
            Err(about(&table, message))
        }
        _ => Ok((table.take_rows(&rows), Some(rows))),
    }
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
    groups: Option<usize>,
) -> Result<()> {
    let twice = |flags: &str, i: usize| {
        Err(about(table, format!("{flags} both refer to column {:?}", table.name(i))))
    };
    if let Some(i) = groups.filter(|i| targets.contains(i) || Some(*i) == weights) {
        return twice("--groups and another option", i);
    }
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
    (labels, weights): (&[usize], Option<usize>),
) -> Result<Vec<usize>> {
    let by_kernel = roles.input_kind.named();
    let mut positions: Vec<usize> = match (&by_kernel, roles.columns) {
        (Some(_), Some(_)) => {
            let message = "the kernel already names its columns: drop --columns";
            return Err(Error::parameter("--columns", message));
        }
        (Some(names), None) => names.iter().map(|name| table.named(name)).collect::<Result<_>>()?,
        // All but some are meant as all but some of those that have no other role.
        (None, Some(which)) if table.is_all_but(which) => {
            table.choose(which)?.into_iter().filter(|i| !taken.contains(i)).collect()
        }
        (None, Some(which)) => table.choose(which)?,
        (None, None) => (0..table.n_columns()).filter(|i| !taken.contains(i)).collect(),
    };
    if by_kernel.is_none() {
        positions.retain(|i| !labels.contains(i));
    }
    let is_wrong = |i: &&usize| taken.contains(i) && !labels.contains(i);
    if let Some(&i) = positions.iter().find(is_wrong) {
        let is_groups = roles.groups.is_some_and(|which| table.find(which).ok() == Some(i));
        let role = match (Some(i) == weights, is_groups) {
            (true, _) => "holds the weights",
            (_, true) => "names the groups",
            _ => "is the target",
        };
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
