//! `mercer krr`: kernel ridge regression and classification.

mod finish;
mod fit;
mod left_out;
mod output;
mod picture;
mod stream;
mod validation;

use mercer::Result;
use mercer::io::{ModelFile, Table};

use self::finish::{finish, saved};
use self::fit::{Fitted, Task};
use super::Session;
use super::columns::{self, Chosen, Roles};
use super::explain;
use super::nested::{self, Searched};
use super::row_numbers::{self, RowNumbers};
use super::target_kind::target_kind;
use crate::args::{KrrArgs, Scale};
use crate::data::{self, InputKind, Prepared, Scales, Types};
use crate::facts::Nested;
use crate::failure::Failure;

/// Runs `mercer krr`.
pub fn krr(session: &Session, args: &KrrArgs) -> std::result::Result<(), Failure> {
    let input_kind = InputKind::of_all(&args.search.kernel)?;
    let (target, groups) = (args.target.as_deref(), args.evaluation.groups.as_deref());
    explain::check(args.explain.explain, &input_kind)?;
    if args.landmarks.landmarks.is_some()
        && let Some(table) = data::stream(session, &args.table, &input_kind)?
    {
        return stream::krr(session, args, &input_kind, table);
    }
    let table = data::read(session, &args.table, &input_kind)
        .map_err(|error| data::by_landmarks(error, args.landmarks.landmarks.is_some()))?;
    let kind = target_kind(session, &args.task, &table, target);
    let roles = Roles::of(target, kind, &args.learning, &input_kind).with_groups(groups);
    let split = (&args.evaluation, &args.table);
    let (rows, numbers) = row_numbers::split(session, table, split, target, &input_kind)?;
    let whole = args.search.validation.nested.map(|_| rows.training.clone());
    let (task, mut chosen, types) = prepare(session, args, rows.training, &roles)?;
    let searched = whole.as_ref().map(|table| Searched {
        table,
        classes: task.classes().map(|_| chosen.places.targets[0].column),
        groups: groups.and_then(|which| table.find(which).ok()),
        criterion: task.criterion(),
        args: &args.search.validation,
        seed: args.search.seed,
    });
    let fit_part = |part: Table| Ok(fit_table(session, args, part, &roles)?.0);
    let nested = nested::score(session, searched.as_ref(), &input_kind, fit_part)?;
    let fitted = fit(session, &task, (&mut chosen, &input_kind), types)?;
    session.progress.begin("plotting");
    let drawings = picture::draw(&task, &chosen, &fitted);
    let data = Data { chosen, test: rows.test, numbers, nested };
    finish(session, &task, data, types, fitted, drawings)
}

/// The rows of a fit.
struct Data {
    chosen: Chosen,
    /// The rows to evaluate on.
    test: Option<Table>,
    /// The numbers of rows in their table.
    numbers: RowNumbers,
    /// The nested cross-validation.
    nested: Option<Nested>,
}

/// The model that `mercer krr` with `args` fits on all rows of `table`, and its columns.
pub fn model_of(session: &Session, args: &KrrArgs, table: Table) -> Result<(ModelFile, Chosen)> {
    let input_kind = InputKind::of_all(&args.search.kernel)?;
    let target = args.target.as_deref();
    let kind = target_kind(session, &args.task, &table, target);
    let roles = Roles::of(target, kind, &args.learning, &input_kind);
    fit_table(session, args, table, &roles)
}

/// The model that is fitted on all rows of `table`, and its columns.
fn fit_table(
    session: &Session,
    args: &KrrArgs,
    table: Table,
    roles: &Roles<'_>,
) -> Result<(ModelFile, Chosen)> {
    let (task, mut chosen, types) = prepare(session, args, table, roles)?;
    let fitted = fit(session, &task, (&mut chosen, roles.input_kind), types)?;
    let saved = saved(&task, &chosen, types, (fitted.model, fitted.scaling), &fitted.grid);
    Ok((saved, chosen))
}

/// The task, and the columns of the training rows.
fn prepare<'a>(
    session: &Session,
    args: &'a KrrArgs,
    rows: Table,
    roles: &Roles<'_>,
) -> Result<(Task<'a>, Chosen, Types)> {
    let (chosen, targets) = columns::choose(rows, roles)?;
    data::at_least_two(&chosen.features)?;
    let types = Types::of(args.ridge.precision, &chosen.features);
    session.progress.begin("preparing");
    let task = Task::new(args, targets, chosen.groups.clone())?;
    Ok((task, chosen, types))
}

fn fit(
    session: &Session,
    task: &Task<'_>,
    (chosen, input_kind): (&mut Chosen, &InputKind),
    types: Types,
) -> Result<Fitted> {
    let requested = task.args.learning.features.scale;
    let scales = Scales::Learn(input_kind.scaling(requested, Scale::Standard)?);
    let rows = Prepared::of(session, &chosen.features, input_kind, scales, types.work)?;
    let mut fitted = task.fit(session, rows)?;
    let used = InputKind::of_model(&fitted.model);
    chosen.keep_used(input_kind, &used, &mut fitted.scaling);
    Ok(fitted)
}
