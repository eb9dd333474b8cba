//! `mercer continue`: more rows for a fit on landmarks that keeps its sums.

mod rows;

use mercer::error::Param;
use mercer::io::{Model, ModelFile, Staged, stage_model};
use mercer::model::landmarks::Regrouped;
use mercer::{Error, Result};
use serde::Serialize;

use self::rows::ModelRows;
use super::Session;
use super::stream::Reading;
use crate::args::ContinueArgs;
use crate::data::{self, InputKind};
use crate::describe;
use crate::facts::{self, Facts, counted};
use crate::failure::Failure;
use crate::summary::{self, Lines, Outputs, shown};

/// One object about a continued fit.
#[derive(Debug, Serialize)]
struct ContinueObject<'a> {
    command: &'static str,
    /// The model file that was continued.
    model: String,
    /// The table, as the user named it.
    table: String,
    /// Rows of the table that were added.
    added: u64,
    /// The model of all rows.
    #[serde(flatten)]
    facts: &'a Facts,
    /// The files written.
    outputs: Outputs,
}

/// Runs `mercer continue`.
pub fn continue_fit(session: &Session, args: &ContinueArgs) -> std::result::Result<(), Failure> {
    let mut saved = mercer::io::load_within(&args.from, session.context.budget())?;
    check(&saved.model).map_err(|message| Error::format(&args.from, message))?;
    let input_kind = InputKind::of_model(&saved.model);
    let stream = data::stream(session, &args.table, &input_kind)?;
    let mut rows = match stream {
        Some(stream) => ModelRows::of_blocks(session, &saved, args, stream),
        None => {
            let table = data::read(session, &args.table, &input_kind)?;
            ModelRows::of_table(session, &saved, args, table)
        }
    };
    session.progress.begin("preparing");
    let model = continued(session, &saved.model, &mut rows)?;
    let (added, reading) = (rows.added, rows.reading);
    saved.model = model;
    facts::forget_rows(&mut saved);
    let facts = Facts::of(&saved);
    let outputs = write(session, args, &saved)?;
    print(session, args, &facts, (added, reading), outputs)
}

/// Why a model cannot be continued.
fn check(model: &Model) -> std::result::Result<(), String> {
    let params = match model {
        Model::KernelPca(model) => model.params.landmarks.as_ref(),
        Model::KernelRidge(model) => model.params.landmarks.as_ref(),
        Model::Detector(model) => model.pca.params.landmarks.as_ref(),
        _ => {
            return Err(
                "only models of `kpca`, `krr`, `outliers` and `features` on landmarks can be continued".into()
            );
        }
    };
    match params {
        None => Err("the model was fitted without landmarks, so that more rows cannot be added".into()),
        Some(landmarks) if !landmarks.keep_sums => {
            Err("the model does not store the sums that more rows are added to: fit it with --keep-sums"
                .into())
        }
        Some(_) => Ok(()),
    }
}

/// The model of the rows so far and those of the table.
fn continued(session: &Session, model: &Model, rows: &mut ModelRows<'_>) -> Result<Model> {
    let mut rows = Regrouped::new(rows);
    Ok(match model {
        Model::KernelPca(model) => {
            let mut model = model.clone();
            model.continue_with(&session.context, &mut rows)?;
            model.into()
        }
        Model::KernelRidge(model) => {
            let mut model = model.clone();
            model.continue_with(&session.context, &mut rows)?;
            model.into()
        }
        Model::Detector(model) => {
            let mut model = model.clone();
            model.continue_with(&session.context, &mut rows)?;
            model.into()
        }
        _ => return Err(Error::parameter(Param::Landmarks, "the model has none")),
    })
}

fn write(session: &Session, args: &ContinueArgs, saved: &ModelFile) -> Result<Outputs> {
    session.progress.begin("writing");
    session.stop.while_writing(|| {
        let mut staged = Staged::new();
        stage_model(&mut staged, &args.model.path, saved)?;
        session.context.poll()?;
        staged.commit()
    })?;
    Ok(Outputs { model: Some(shown(&args.model.path)), ..Outputs::default() })
}

fn print(
    session: &Session,
    args: &ContinueArgs,
    facts: &Facts,
    (added, reading): (u64, Option<Reading>),
    outputs: Outputs,
) -> std::result::Result<(), Failure> {
    session.progress.clear();
    let (model, table) = (shown(&args.from), shown(args.table.source.path()));
    if !session.quiet {
        let added = counted(added as usize, "row");
        let title = format!("{} with {added} of {table}: {}", facts.method(), facts.extent());
        let mut lines = Lines::titled(title);
        describe::describe(&mut lines, facts);
        reading.iter().for_each(|reading| reading.describe(&mut lines));
        lines.warn(&facts.report.notes);
        lines.written(&outputs);
        lines.print();
    }
    if !args.json {
        return Ok(());
    }
    let object = ContinueObject { command: "continue", model, table, added, facts, outputs };
    summary::print_object(&object).map_err(Failure::Print)
}
