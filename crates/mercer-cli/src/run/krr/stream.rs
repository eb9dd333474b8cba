//! Kernel ridge regression on landmarks of a table that is read in blocks.

use mercer::io::stream::TableStream;
use mercer::io::{Model, ModelFile, Table};
use mercer::model::kernel_ridge::KernelRidge;
use mercer::model::landmarks::{Regrouped, sampled};
use mercer::select::{self, Validation};
use mercer::{Error, Input, Labels, Mat, Result, Targets};

use super::finish::{predictions, saved};
use super::fit::{Grid, Task};
use super::output;
use crate::args::{KrrArgs, Scale};
use crate::data::{InputKind, Types};
use crate::facts::Facts;
use crate::failure::Failure;
use crate::results::more_labels;
use crate::run::Session;
use crate::run::candidate_kernels::{every_width_in_blocks, names_of};
use crate::run::columns::Roles;
use crate::run::prediction::model_input;
use crate::run::stream::{self, FitRows, Pieces, Reading};
use crate::run::target_kind::target_kind_in_blocks;

/// The model, and the scores of all candidates or why there are none.
type Found = (KernelRidge, std::result::Result<Grid, String>);

/// Fits on the table, and writes the predictions for its rows as they come.
pub(super) fn krr(
    session: &Session,
    args: &KrrArgs,
    input_kind: &InputKind,
    mut table: TableStream,
) -> std::result::Result<(), Failure> {
    check(args)?;
    let target = args.target.as_deref();
    let (kind, looked) = target_kind_in_blocks(session, &args.task, &mut table, target)?;
    let roles = Roles::of(target, kind, &args.learning, input_kind);
    let scale = input_kind.scaling(args.learning.features.scale, Scale::Standard)?;
    let mut rows = FitRows::new(session, table, roles, scale, args.ridge.precision)?;
    let types = rows.types;
    let mut task = task(args, &rows);
    let (mut model, grid) = fit(session, &task, &mut rows)?;
    model.classes = rows.classes.clone();
    task.variances = rows.variances();
    let roles = rows.roles;
    let (mut table, chosen, scaling, mut reading) = rows.into_parts();
    let fill = chosen.places.encoding.clone();
    let saved = saved(&task, &chosen, types, (Model::KernelRidge(model), scaling), &grid);
    let pieces = args.output.as_ref().map(|file| {
        let (saved, task) = (&saved, &task);
        let of = move |table: Table, _: u64| {
            let chosen = stream::split(table, &roles, fill.as_ref())?;
            if chosen.features.n_rows() == 0 {
                return Ok(None);
            }
            let values = predicted(session, saved, &chosen.features)?;
            let label = chosen.label;
            let mut all = predictions(task, chosen.targets, &values, types.result, label);
            all.columns.splice(0..0, more_labels(chosen.more_labels, Some(file)));
            Ok(Some(all.table(file.format)))
        };
        (file, Pieces { stream: &mut table, of })
    });
    let model = args.model.as_ref().map(|file| (file, &saved));
    let (outputs, written) = stream::write(session, pieces, model)?;
    reading.passes += written.passes + usize::from(looked);
    session.progress.clear();
    print(session, args, (&saved, &grid), reading, outputs)
}

fn print(
    session: &Session,
    args: &KrrArgs,
    (saved, grid): (&ModelFile, &std::result::Result<Grid, String>),
    reading: Reading,
    outputs: crate::summary::Outputs,
) -> std::result::Result<(), Failure> {
    let mut facts = Facts::of(saved);
    if let Some(regression) = &mut facts.regression {
        regression.unscored = grid.as_ref().err().cloned();
    }
    let mut lines = output::lines(args, &facts);
    reading.describe(&mut lines);
    lines.written(&outputs);
    lines.verbose = session.verbose;
    output::print(session, args, &lines, (&facts, None), grid, outputs)
}

/// Refuses what needs all rows at once.
fn check(args: &KrrArgs) -> Result<()> {
    stream::refuse(&args.plot, args.page.report.as_ref())?;
    let folds = &args.search.validation;
    let given = [
        (args.explain.explain, "--explain"),
        (args.evaluation.test.is_some(), "--test"),
        (args.evaluation.groups.is_some(), "--groups"),
        (args.search.folds.is_some(), "--folds"),
        (folds.time_ordered, "--time-ordered"),
        (folds.repeats > 1, "--repeats"),
        (folds.nested.is_some(), "--nested"),
    ];
    match given.into_iter().find(|(is_given, _)| *is_given) {
        Some((_, flag)) => Err(Error::parameter(
            flag,
            "not available for a table that is read in blocks: raise --memory",
        )),
        None => Ok(()),
    }
}

/// The task, without rows.
fn task<'a>(args: &'a KrrArgs, rows: &FitRows<'_>) -> Task<'a> {
    let values = Mat::zeros(0, rows.regressed());
    let targets = match &rows.classes {
        Some(names) => Targets::labels(Labels { names: names.clone(), places: Vec::new() }),
        None => Targets::matrix(values.clone()),
    };
    Task { args, targets, values, variances: Vec::new(), groups: None }
}

fn fit(session: &Session, task: &Task<'_>, rows: &mut FitRows<'_>) -> Result<Found> {
    let (args, ctx, Types { work, .. }) = (task.args, &session.context, rows.types);
    let mut blocks = Regrouped::new(rows);
    let kernels = every_width_in_blocks(&args.search.kernel, || {
        let Some(landmarks) = args.landmarks.params(args.search.seed) else {
            unreachable!("landmarks are asked for");
        };
        sampled(ctx, &landmarks, &mut blocks, work)
    })?;
    task.check(&kernels)?;
    let params = task.params(&kernels[0]);
    let is_single = kernels.len() == 1 && args.search.alpha.len() == 1;
    if let Some(why) = task.unscored() {
        return Ok((KernelRidge::fit_blocks(ctx, &params, &mut blocks, work)?, Err(why)));
    }
    task.criterion().check(&task.targets)?;
    let validation = if args.search.gcv { Validation::Gcv } else { Validation::LeaveOneOut };
    let wanted = task.search_params(&params, kernels, validation);
    match select::search_blocks(ctx, &wanted, &mut blocks, work, task.criterion()) {
        Err(error) if error.is_memory() && is_single => {
            let model = KernelRidge::fit_blocks(ctx, &params, &mut blocks, work)?;
            Ok((model, Err(format!("not available: {error}"))))
        }
        found => {
            let select::Search { model, kernels, tables, chosen } = found?;
            let kernels = names_of(&kernels);
            Ok((model, Ok(Grid { kernels, tables, chosen, left_out: None, notes: Vec::new() })))
        }
    }
}

/// The predictions for the rows of a block: rows × targets.
fn predicted(session: &Session, saved: &ModelFile, features: &Table) -> Result<Mat<f64>> {
    let Model::KernelRidge(model) = &saved.model else {
        unreachable!("the model is a regression");
    };
    let rows: Input<'_> = model_input(session, &saved.model, saved.scaling.as_ref(), features)?;
    model.predict(&session.context, rows)
}
