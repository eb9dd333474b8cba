//! `mercer transform`: projection of new rows by a fitted model, and its inverse.

use std::path::Path;
use std::time::Instant;

use mercer::io::{Dtype, Model, ModelFile, Table};
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::kernel_pca::KernelPca;
use mercer::model::pca::Pca;
use mercer::model::validity::FittedRepair;
use mercer::real::Real;
use mercer::{Error, Result};

use super::Session;
use super::model_columns::{self, ModelColumns};
use super::prediction::model_input;
use crate::args::TransformArgs;
use crate::data::{self, Input, InputKind, Numbers, Scales};
use crate::facts::{Facts, counted};
use crate::failure::Failure;
use crate::output_files::{self, ComponentOutput};
use crate::results::{Results, component_names};
use crate::summary::{self, Lines, Outputs, ResultsObject, TransformObject, file_name, shown};

/// Scores or rows (m × outputs, row-major), and errors if requested.
struct Computed {
    values: Vec<f64>,
    errors: Option<Vec<f64>>,
}

/// A model that transforms rows.
enum Projection<'a> {
    Pca(&'a Pca, &'a ModelFile),
    Kernel32(&'a KernelPca<f32>, &'a ModelFile),
    Kernel64(&'a KernelPca<f64>, &'a ModelFile),
    Repair(&'a FittedRepair, &'a ModelFile),
}

/// Runs `mercer transform`.
pub fn transform(session: &Session, args: &TransformArgs) -> std::result::Result<(), Failure> {
    let saved = mercer::io::load_within(&args.model, session.context.budget())?;
    let projection = Projection::of(&saved, &args.model)?;
    if args.inverse && matches!(saved.model, Model::Repair(_)) {
        return Err(no_repair("--inverse").into());
    }
    let input_kind =
        if args.inverse { InputKind::Numbers } else { InputKind::of_model(&saved.model) };
    let table = data::read(session, &args.table, &input_kind)?;
    let (columns, label) = (args.columns.as_deref(), args.label.as_deref());
    let rows = model_columns::find(table, &saved, args.inverse, columns, label)?;
    session.progress.begin("preparing");
    let started = Instant::now();
    let computed = match args.inverse {
        true => projection.backward(session, &rows.features)?,
        false => projection.forward(session, &rows.features, args.errors)?,
    };
    let seconds = started.elapsed().as_secs_f64();
    let texts = input_kind.texts(&rows.features);
    let results = results(&saved, args.inverse, computed, rows);
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
    print_output(session, args, &facts, outputs, &results, seconds)
}

fn results(saved: &ModelFile, inverse: bool, computed: Computed, rows: ModelColumns) -> Results {
    let is_repair = matches!(saved.model, Model::Repair(_));
    let names = match (inverse, &saved.feature_names) {
        (false, Some(names)) if is_repair => names.clone(),
        (false, None) if is_repair => (1..=saved.model.k()).map(|row| format!("k{row}")).collect(),
        (false, _) => component_names(saved.model.k()),
        (true, Some(names)) => names.clone(),
        (true, None) => (0..saved.model.inputs()).map(|i| format!("x{i}")).collect(),
    };
    let mut results =
        Results { names, values: computed.values, dtype: saved.dtype, label: rows.label };
    if let Some(errors) = computed.errors {
        results.push("error", &errors);
    }
    results
}

impl<'a> Projection<'a> {
    fn of(saved: &'a ModelFile, path: &Path) -> Result<Self> {
        match &saved.model {
            Model::Pca(model) => Ok(Projection::Pca(model, saved)),
            Model::KernelPca32(model) => Ok(Projection::Kernel32(model, saved)),
            Model::KernelPca64(model) => Ok(Projection::Kernel64(model, saved)),
            Model::Repair(model) => Ok(Projection::Repair(model, saved)),
            _ => {
                let message = "this model makes predictions, not projections: use `mercer predict`";
                Err(Error::format(path, message))
            }
        }
    }

    fn forward(&self, session: &Session, table: &Table, errors: bool) -> Result<Computed> {
        match *self {
            Projection::Pca(model, saved) if saved.dtype == Dtype::F32 => {
                project_pca::<f32>(session, model, saved, table, errors)
            }
            Projection::Pca(model, saved) => {
                project_pca::<f64>(session, model, saved, table, errors)
            }
            Projection::Kernel32(model, saved) => {
                let rows = model_input(session, &saved.model, saved.scaling.as_ref(), table)?;
                project_kernel_pca(session, model, &rows, errors)
            }
            Projection::Kernel64(model, saved) => {
                let rows = model_input(session, &saved.model, saved.scaling.as_ref(), table)?;
                project_kernel_pca(session, model, &rows, errors)
            }
            Projection::Repair(..) if errors => Err(no_repair("--errors")),
            Projection::Repair(model, saved) if saved.dtype == Dtype::F32 => {
                repair::<f32>(model, &model_input(session, &saved.model, None, table)?)
            }
            Projection::Repair(model, saved) => {
                repair::<f64>(model, &model_input(session, &saved.model, None, table)?)
            }
        }
    }

    fn backward(&self, session: &Session, table: &Table) -> Result<Computed> {
        let (mut values, saved) = match *self {
            Projection::Pca(model, saved) => (restore_pca(session, model, table)?, saved),
            Projection::Kernel32(model, saved) => {
                (restore(session, model, table, saved.model.inputs())?, saved)
            }
            Projection::Kernel64(model, saved) => {
                (restore(session, model, table, saved.model.inputs())?, saved)
            }
            Projection::Repair(..) => return Err(no_repair("--inverse")),
        };
        if let Some(scaling) = &saved.scaling {
            scaling.undo(&mut values, saved.model.inputs())?;
        }
        Ok(Computed { values, errors: None })
    }
}

fn no_repair(flag: &'static str) -> Error {
    Error::parameter(flag, "the model is a kernel matrix repair and has no components")
}

/// The repaired kernel values of new rows with the training samples.
fn repair<T: Real>(model: &FittedRepair, rows: &Input<T>) -> Result<Computed> {
    let Input::Matrix(values) = rows else {
        unreachable!("a repair takes kernel values");
    };
    let mut out = Mat::<T>::zeros(values.rows(), values.cols());
    model.correction.apply(values.view(), out.view_mut())?;
    Ok(Computed { values: widened(out.data()), errors: None })
}

fn restore_pca(session: &Session, model: &Pca, table: &Table) -> Result<Vec<f64>> {
    let scores = Numbers::<f64>::of(session, table, Scales::Apply(None))?;
    let mut out = Mat::zeros(scores.n, model.d());
    model.inverse_transform(&session.context, scores.view(), out.view_mut())?;
    Ok(out.into_vec())
}

fn project_pca<T: Real>(
    session: &Session,
    model: &Pca,
    saved: &ModelFile,
    table: &Table,
    errors: bool,
) -> Result<Computed> {
    let context = &session.context;
    let rows = Numbers::<T>::of(session, table, Scales::Apply(saved.scaling.as_ref()))?;
    let mut scores = Mat::<T>::zeros(rows.n, model.k());
    model.transform(context, rows.view(), scores.view_mut())?;
    let mut distances = None;
    if errors {
        let mut restored = Mat::<T>::zeros(rows.n, rows.d);
        model.inverse_transform(context, scores.view(), restored.view_mut())?;
        distances = Some(squared_distances(rows.view(), restored.view()));
    }
    Ok(Computed { values: widened(scores.data()), errors: distances })
}

fn squared_distances<T: Real>(a: MatRef<'_, T>, b: MatRef<'_, T>) -> Vec<f64> {
    let square = |i: usize, j: usize| (a.at(i, j).to_f64() - b.at(i, j).to_f64()).powi(2);
    (0..a.rows()).map(|i| (0..a.cols()).map(|j| square(i, j)).sum()).collect()
}

fn project_kernel_pca<T: Real>(
    session: &Session,
    model: &KernelPca<T>,
    rows: &Input<T>,
    errors: bool,
) -> Result<Computed> {
    let context = &session.context;
    let mut scores = Mat::<T>::zeros(rows.n(), model.k());
    let errors = match rows {
        Input::Samples(x) => {
            model.transform(context, x, scores.view_mut())?;
            if errors { Some(model.reconstruction_error(context, x)?) } else { None }
        }
        Input::Matrix(_) if errors => {
            let message = "not available for a precomputed kernel: it needs the kernel value of each row \
                           with itself, which a table cannot provide";
            return Err(Error::parameter("--errors", message));
        }
        Input::Matrix(values) => {
            model.transform_gram(context, values.view(), scores.view_mut())?;
            None
        }
    };
    Ok(Computed { values: widened(scores.data()), errors })
}

fn restore<T: Real>(
    session: &Session,
    model: &KernelPca<T>,
    table: &Table,
    columns: usize,
) -> Result<Vec<f64>> {
    let scores = Numbers::<T>::of(session, table, Scales::Apply(None))?.dense()?;
    let mut out = Mat::<T>::zeros(scores.n(), columns);
    model.inverse_transform(&session.context, &scores, out.view_mut())?;
    Ok(widened(out.data()))
}

fn widened<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|v| v.to_f64()).collect()
}

fn titles(args: &TransformArgs, facts: &Facts, rows: usize) -> [String; 2] {
    let (table, model) = (file_name(args.table.source.path()), file_name(&args.model));
    let title = format!("{table} projected by {model}");
    [title, format!("{}, {} fitted on {}", counted(rows, "row"), facts.method(), facts.extent())]
}

fn print_output(
    session: &Session,
    args: &TransformArgs,
    facts: &Facts,
    outputs: Outputs,
    results: &Results,
    seconds: f64,
) -> std::result::Result<(), Failure> {
    let table = shown(args.table.source.path());
    let rows = results.n();
    if !session.quiet {
        let (from, to) = match args.inverse {
            false if facts.repair.is_some() => ("kernel values", "repaired kernel values".into()),
            false => ("rows", counted(facts.explained_variance.len(), "component")),
            true => ("components", counted(facts.columns, "column")),
        };
        let title = format!("{} of {table}: {from} to {to}", counted(rows, "row"));
        let mut lines = Lines::titled(title);
        lines.add("model", format!("{}: {}", shown(&args.model), facts.method()));
        lines.add("time", format!("{seconds:.2} s"));
        lines.written(&outputs);
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
