//! `mercer transform`: projection of new rows by a fitted model, and its inverse.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

use mercer::device::Device;
use mercer::error::Param;
use mercer::io::stream::TableStream;
use mercer::io::{Format, Model, ModelFile, Table};
use mercer::{AnyMat, Error, Input, Mat, Result};

use super::Session;
use super::model_columns::{self, ModelColumns};
use super::prediction::model_input;
use super::stream::{self, Pieces};
use crate::args::{TableFile, TransformArgs};
use crate::data::{self, InputKind, Numbers, Prepared, Rows, Scales};
use crate::facts::{Facts, counted};
use crate::failure::Failure;
use crate::output_files::{self, ComponentOutput};
use crate::results::{Results, component_names, row_numbers};
use crate::summary::{self, Lines, Outputs, ResultsObject, TransformObject, file_name, shown};

/// Scores or rows (m × outputs, row-major), and errors if requested.
pub struct Computed {
    /// The numbers.
    pub values: Vec<f64>,
    errors: Option<Vec<f64>>,
    /// What landmarks leave of each row, if requested.
    residuals: Option<Vec<f64>>,
}

/// What is wanted beside the scores of rows.
#[derive(Clone, Copy, Default)]
pub struct Wanted {
    /// Their distances from the span of the components.
    pub errors: bool,
    /// What landmarks leave of them.
    pub residuals: bool,
}

impl Wanted {
    fn of(args: &TransformArgs) -> Self {
        Self { errors: args.errors, residuals: args.landmark_residuals }
    }
}

/// Runs `mercer transform`.
pub fn transform(session: &Session, args: &TransformArgs) -> std::result::Result<(), Failure> {
    let mut saved = mercer::io::load_within(&args.model, session.context.budget())?;
    check_model(&saved.model, &args.model)?;
    set_device(&mut saved.model, args.device)?;
    if args.inverse && matches!(saved.model, Model::Repair(_)) {
        return Err(no_repair("--inverse").into());
    }
    let input_kind =
        if args.inverse { InputKind::Numbers } else { InputKind::of_model(&saved.model) };
    if let Some(file) = &args.output.output
        && let Some(table) = data::stream(session, &args.table, &input_kind)?
    {
        return transform_stream(session, args, &saved, table, file);
    }
    let table = data::read(session, &args.table, &input_kind)
        .map_err(|error| data::by_output(error, args.output.output.is_some()))?;
    let rows = find_columns(table, &saved, args)?;
    session.progress.begin("preparing");
    let started = Instant::now();
    let computed = match args.inverse {
        true => backward(session, &saved, &rows.features)?,
        false => forward(session, &saved, &rows.features, Wanted::of(args))?,
    };
    let seconds = started.elapsed().as_secs_f64();
    let (texts, notes) = (input_kind.texts(&rows.features), rows.notes.clone());
    let results = results(&saved, args, computed, rows, 0);
    let facts = Facts::of(&saved);
    let component_output = ComponentOutput {
        results: &results,
        model: None,
        titles: titles(args, &facts, results.n()),
        ratios: &facts.explained_variance_ratio,
        texts,
    };
    let outputs =
        output_files::write_files(session, &output_files::files(&args.output, &component_output))?;
    session.progress.clear();
    print_output(session, args, &facts, outputs, &results, (seconds, &notes))
}

/// Components of kernel PCA can be computed on a device.
fn set_device(model: &mut Model, device: Device) -> Result<()> {
    match (model, device) {
        (Model::KernelPca(model), device) if model.landmarks.is_none() => {
            model.params.device = device;
            Ok(())
        }
        (_, Device::Cpu | Device::Auto) => Ok(()),
        _ => {
            let message =
                "only components of an exact kernel PCA are computed on a device: use cpu";
            Err(Error::parameter(Param::Device, message))
        }
    }
}

/// Transforms a table that is read in blocks, and writes the results as they come.
fn transform_stream(
    session: &Session,
    args: &TransformArgs,
    saved: &ModelFile,
    mut table: TableStream,
    file: &TableFile,
) -> std::result::Result<(), Failure> {
    stream::refuse(&args.output.plot, None)?;
    let (started, mut notes) = (Instant::now(), BTreeSet::new());
    let of = |table: Table, before: u64| {
        let rows = find_columns(table, saved, args)?;
        let computed = match args.inverse {
            true => backward(session, saved, &rows.features)?,
            false => forward(session, saved, &rows.features, Wanted::of(args))?,
        };
        notes.extend(rows.notes.iter().cloned());
        Ok(Some(results(saved, args, computed, rows, before).table(file.format != Format::Npy)))
    };
    table.set_results(saved.model.k());
    let pieces = Pieces { stream: &mut table, of };
    let (outputs, reading) = stream::write(session, Some((file, pieces)), None)?;
    let seconds = started.elapsed().as_secs_f64();
    session.progress.clear();
    let facts = Facts::of(saved);
    let rows = reading.rows as usize;
    let width = if args.inverse { facts.columns } else { saved.model.k() };
    if !session.quiet {
        let mut lines = lines(args, &facts, (rows, width), seconds);
        reading.describe(&mut lines);
        lines.written(&outputs);
        lines.warn(&notes.into_iter().collect::<Vec<_>>());
        lines.print();
    }
    if !args.output.json {
        return Ok(());
    }
    let (command, model, inverse) = ("transform", shown(&args.model), args.inverse);
    let table = shown(args.table.source.path());
    let object =
        TransformObject { command, model, table, rows, inverse, seconds, outputs, result: None };
    summary::print_object(&object).map_err(Failure::Print)
}

fn find_columns(table: Table, saved: &ModelFile, args: &TransformArgs) -> Result<ModelColumns> {
    let (columns, label) = (args.columns.as_deref(), args.label.as_deref());
    model_columns::find(table, saved, args.inverse, columns, label)
}

/// The results of rows that stand behind `before` others.
fn results(
    saved: &ModelFile,
    args: &TransformArgs,
    computed: Computed,
    rows: ModelColumns,
    before: u64,
) -> Results {
    let is_repair = matches!(saved.model, Model::Repair(_));
    let names = match (args.inverse, &saved.feature_names) {
        (false, Some(names)) if is_repair => names.clone(),
        (false, None) if is_repair => (1..=saved.model.k()).map(|row| format!("k{row}")).collect(),
        (false, _) => component_names(saved.model.k()),
        (true, Some(names)) => names.clone(),
        (true, None) => (0..saved.model.inputs()).map(|i| format!("x{i}")).collect(),
    };
    let ModelColumns { features, label, more_labels, .. } = rows;
    let others: Vec<String> =
        label.iter().chain(&more_labels).map(|(name, _)| name).chain(&names).cloned().collect();
    let mut results = Results {
        names,
        values: computed.values,
        dtype: saved.dtype,
        label,
        more_labels,
        row_numbers: args.row_numbers.then(|| {
            let before = before as usize;
            let rows: Vec<usize> = (before..before + features.n_rows()).collect();
            row_numbers(rows.len(), Some(&rows), &others)
        }),
    };
    if let Some(errors) = computed.errors {
        results.push("error", &errors);
    }
    if let Some(residuals) = computed.residuals {
        results.push("landmark_residual", &residuals);
    }
    results
}

/// Refuses a model that predicts.
fn check_model(model: &Model, path: &Path) -> Result<()> {
    match model {
        Model::Pca(_) | Model::KernelPca(_) | Model::Repair(_) | Model::KernelFeatures(_) => Ok(()),
        _ => {
            let message = "this model makes predictions, not projections: use `mercer predict`";
            Err(Error::format(path, message))
        }
    }
}

/// The scores of the rows of `table`, with what is wanted beside them.
pub fn forward(
    session: &Session,
    saved: &ModelFile,
    table: &Table,
    wanted: Wanted,
) -> Result<Computed> {
    let errors = wanted.errors;
    if wanted.residuals && !matches!(&saved.model, Model::KernelPca(_)) {
        let message = "only a kernel PCA on landmarks has them";
        return Err(Error::parameter("--landmark-residuals", message));
    }
    let (context, scaling) = (&session.context, saved.scaling.as_ref());
    match (&saved.model, saved.dtype) {
        (Model::Pca(model), dtype) => {
            let rows = Rows::of(session, table, Scales::Apply(scaling), dtype)?;
            let scores = model.transform(context, rows.values.view())?;
            let errors = match errors {
                true => {
                    let restored = model.inverse_transform(context, &scores)?;
                    Some(squared_distances(rows.values.view(), &restored))
                }
                false => None,
            };
            Ok(Computed { values: scores.into_vec(), errors, residuals: None })
        }
        (Model::Repair(_), _) if errors => Err(no_repair("--errors")),
        (Model::Repair(model), dtype) => {
            let rows =
                Prepared::of(session, table, &InputKind::Precomputed, Scales::Apply(None), dtype)?;
            let Input::Precomputed { values, .. } = rows.input else {
                unreachable!("a repair takes kernel values");
            };
            let values = model.correction.apply(values.view())?.into_vec();
            Ok(Computed { values, errors: None, residuals: None })
        }
        (Model::KernelFeatures(_), _) if errors => Err(no_features("--errors")),
        (Model::KernelFeatures(model), dtype) => {
            let rows = Rows::of(session, table, Scales::Apply(scaling), dtype)?;
            let mut out = Mat::zeros(rows.values.view().rows(), model.k());
            let x = rows.values.view().to_dense::<f64>()?;
            model.transform_into(context, &x.into(), out.view_mut())?;
            Ok(Computed { values: out.into_vec(), errors: None, residuals: None })
        }
        (Model::KernelPca(model), _) => {
            let rows = model_input(session, &saved.model, scaling, table)?;
            let values = model.transform(context, &rows)?.into_vec();
            let residuals = wanted.residuals.then(|| model.landmark_residuals(context, &rows));
            let residuals = residuals.transpose()?;
            let errors = match rows {
                _ if !errors => None,
                Input::Samples(x) => Some(model.reconstruction_error(context, x)?),
                _ => {
                    let message = "not available for a precomputed kernel: it needs the kernel value of each row \
                                   with itself, which a table cannot provide";
                    return Err(Error::parameter("--errors", message));
                }
            };
            Ok(Computed { values, errors, residuals })
        }
        _ => unreachable!("other models are refused before"),
    }
}

fn backward(session: &Session, saved: &ModelFile, table: &Table) -> Result<Computed> {
    let scores = Numbers::<f64>::of(session, table, Scales::Apply(None))?;
    let (context, scores) = (&session.context, scores.view());
    let mut values = match &saved.model {
        Model::Pca(model) => model.inverse_transform(context, scores)?.into_vec(),
        Model::KernelPca(model) => model.inverse_transform(context, scores)?.into_vec(),
        Model::KernelFeatures(_) => return Err(no_features("--inverse")),
        _ => return Err(no_repair("--inverse")),
    };
    if let Some(scaling) = &saved.scaling {
        scaling.undo(&mut values, saved.model.inputs())?;
    }
    Ok(Computed { values, errors: None, residuals: None })
}

fn no_repair(flag: &'static str) -> Error {
    Error::parameter(flag, "the model is a kernel matrix repair and has no components")
}

fn no_features(flag: &'static str) -> Error {
    Error::parameter(flag, "the model is a feature map, which has no inverse")
}

fn squared_distances(a: AnyMat<'_>, b: &Mat<f64>) -> Vec<f64> {
    let square = |i: usize, j: usize| (a.at(i, j) - b[(i, j)]).powi(2);
    (0..a.rows()).map(|i| (0..a.cols()).map(|j| square(i, j)).sum()).collect()
}

fn titles(args: &TransformArgs, facts: &Facts, rows: usize) -> [String; 2] {
    let (table, model) = (file_name(args.table.source.path()), file_name(&args.model));
    let title = format!("{table} projected by {model}");
    [title, format!("{}, {} fitted on {}", counted(rows, "row"), facts.method(), facts.extent())]
}

/// The summary of a transformation of so many rows to so many columns.
fn lines(
    args: &TransformArgs,
    facts: &Facts,
    (rows, width): (usize, usize),
    seconds: f64,
) -> Lines {
    let (from, to) = match args.inverse {
        false if facts.repair.is_some() => ("kernel values", "repaired kernel values".into()),
        false if facts.features.is_some() => ("rows", counted(width, "feature")),
        false => ("rows", counted(facts.explained_variance.len(), "component")),
        true => ("components", counted(facts.columns, "column")),
    };
    let table = shown(args.table.source.path());
    let title = format!("{} of {table}: {from} to {to}", counted(rows, "row"));
    let mut lines = Lines::titled(title);
    lines.add("model", format!("{}: {}", shown(&args.model), facts.method()));
    lines.add("time", format!("{seconds:.2} s"));
    lines
}

fn print_output(
    session: &Session,
    args: &TransformArgs,
    facts: &Facts,
    outputs: Outputs,
    results: &Results,
    (seconds, notes): (f64, &[String]),
) -> std::result::Result<(), Failure> {
    let table = shown(args.table.source.path());
    let rows = results.n();
    if !session.quiet {
        let width = results.values.len() / rows.max(1);
        let mut lines = lines(args, facts, (rows, width), seconds);
        lines.written(&outputs);
        lines.warn(notes);
        lines.print();
    }
    if !args.output.json {
        return output_files::print(&args.output, &outputs, results);
    }
    let result = args.output.output.is_none().then(|| ResultsObject::of(results));
    let (command, model, inverse) = ("transform", shown(&args.model), args.inverse);
    let object = TransformObject { command, model, table, rows, inverse, seconds, outputs, result };
    summary::print_object(&object).map_err(Failure::Print)
}
