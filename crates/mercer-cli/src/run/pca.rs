//! `mercer pca` and `mercer kpca`.

use mercer::Dtype;
use mercer::io::stream::TableStream;
use mercer::io::{Column, Format, Model, ModelFile, Table};
use mercer::model::inverse::InverseParams;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::landmarks::Regrouped;
use mercer::model::pca::Pca;
use mercer::model::{Scaling, ScalingKind};
use mercer::{Error, Result};

use super::columns::{self, Roles};
use super::stream::{self, FitRows, Pieces};
use super::{Session, transform};
use crate::args::{
    ColumnArgs, ComponentArgs, KpcaArgs, ModelArgs, OutputArgs, PcaArgs, Scale, TableArgs,
};
use crate::data::{self, InputKind, Prepared, Rows, Scales, Types, usual_scale};
use crate::describe;
use crate::explain;
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::output_files::{self, ComponentOutput};
use crate::plot::{self, Drawing, Spectrum};
use crate::report::{self, ReportContent, ReportTable};
use crate::results::{Results, component_names};
use crate::scores::variance;
use crate::summary::{self, FitObject, Lines, Outputs, ResultsObject, file_name, shown};

/// The shared options.
struct Job<'a> {
    command: &'static str,
    table: &'a TableArgs,
    input_kind: InputKind,
    usual_scale: Scale,
    columns: &'a ColumnArgs,
    components: &'a ComponentArgs,
    output: &'a OutputArgs,
    model: &'a ModelArgs,
    /// Whether landmarks are asked for, where there can be any.
    is_low_rank: Option<bool>,
}

/// A fitted model, the scaling of its rows and the scores of these rows (n × k, row-major).
struct Fitted {
    model: Model,
    scaling: Option<Scaling>,
    scores: Vec<f64>,
}

/// Runs `mercer pca`.
pub fn pca(session: &Session, args: &PcaArgs) -> std::result::Result<(), Failure> {
    let mut params = Pca::params()
        .components(args.components.count)
        .decomposition(args.solver.into())
        .whiten(args.whiten)
        .seed(args.components.seed);
    params.tolerance = args.components.tolerance;
    let job = Job {
        command: "pca",
        table: &args.table,
        input_kind: InputKind::Numbers,
        usual_scale: Scale::None,
        columns: &args.columns,
        components: &args.components,
        output: &args.output,
        model: &args.model,
        is_low_rank: None,
    };
    run(session, &job, |features, work, kind| {
        let rows = Rows::of(session, features, Scales::Learn(kind), work)?;
        let model = Pca::fit(&session.context, &params, rows.values.view())?;
        let scores = model.transform(&session.context, rows.values.view())?.into_vec();
        Ok(Fitted { model: Model::Pca(model), scaling: rows.scaling, scores })
    })
}

/// Runs `mercer kpca`.
pub fn kpca(session: &Session, args: &KpcaArgs) -> std::result::Result<(), Failure> {
    let inverse = args.inverse.then(|| InverseParams {
        kernel: args.inverse_kernel.clone().unwrap_or_else(|| args.kernel.spec()),
        alpha: Some(args.inverse_alpha),
        center: true,
    });
    let params = {
        let mut changed = KernelPcaParams::new(args.kernel.spec());
        changed.components = args.components.count;
        changed.center = !args.no_center;
        changed.solver = args.solver.into();
        changed.tolerance = args.components.tolerance;
        changed.seed = args.components.seed;
        changed.inverse = inverse;
        changed.landmarks = args.landmarks.params(args.components.seed);
        changed
    };
    let job = Job {
        command: "kpca",
        table: &args.table,
        input_kind: InputKind::of(&args.kernel),
        usual_scale: usual_scale(&args.kernel),
        columns: &args.columns,
        components: &args.components,
        output: &args.output,
        model: &args.model,
        is_low_rank: Some(params.landmarks.is_some()),
    };
    if let Some(table) = open_if_low_rank(session, &job, &params)? {
        return fit_stream(session, &job, &params, table);
    }
    run(session, &job, |features, work, kind| {
        let rows = Prepared::of(session, features, &job.input_kind, Scales::Learn(kind), work)?;
        let model = KernelPca::fit(&session.context, &params, &rows.input)?;
        let scores = match model.landmarks {
            Some(_) => model.transform(&session.context, &rows.input)?,
            None => model.training_scores(),
        };
        let scores = scores.into_vec();
        Ok(Fitted { model: Model::KernelPca(model), scaling: rows.scaling, scores })
    })
}

/// Fits kernel PCA on a table that is read in blocks.
fn fit_stream(
    session: &Session,
    job: &Job<'_>,
    params: &KernelPcaParams,
    table: TableStream,
) -> std::result::Result<(), Failure> {
    stream::refuse(&job.output.plot, job.model.page.report.as_ref())?;
    let (columns, label) = (job.columns.columns.as_deref(), job.columns.label.as_deref());
    let scale = job.input_kind.scaling(job.components.scale, job.usual_scale)?;
    let roles = Roles::without_target(columns, label, &job.columns.encoding, &job.input_kind);
    let mut rows = FitRows::new(session, table, roles, scale, job.components.precision)?;
    let (types, roles) = (rows.types, rows.roles);
    let mut blocks = Regrouped::new(&mut rows);
    let model = KernelPca::fit_blocks(&session.context, params, &mut blocks, types.work)?;
    if model.k() == 0 {
        let message = "all rows are identical: no component has positive variance";
        return Err(Error::Numeric(message.into()).into());
    }
    let (mut table, chosen, scaling, mut reading) = rows.into_parts();
    let fill = chosen.places.encoding.clone();
    let mut saved = ModelFile::new(model.into(), types.result);
    saved.scaling = scaling;
    saved.feature_names = chosen.features.names.clone();
    facts::note_places(&mut saved, &chosen.places);
    let facts = Facts::of(&saved);
    let results = |table: Table, _: u64| {
        let chosen = stream::split(table, &roles, fill.as_ref())?;
        if chosen.features.n_rows() == 0 {
            return Ok(None);
        }
        let scores =
            transform::forward(session, &saved, &chosen.features, transform::Wanted::default())?
                .values;
        Result::Ok(Some(Results {
            names: component_names(saved.model.k()),
            values: scores,
            dtype: types.result,
            label: chosen.label,
            more_labels: chosen.more_labels,
            row_numbers: None,
        }))
    };
    let output = job.output.output.as_ref().map(|file| {
        let with_labels = file.format != Format::Npy;
        let results = &results;
        let of = move |table: Table, before: u64| {
            Ok(results(table, before)?.map(|results| results.table(with_labels)))
        };
        (file, Pieces { stream: &mut table, of })
    });
    let model = job.model.model.as_ref().map(|file| (file, &saved));
    let (outputs, written) = stream::write(session, output, model)?;
    reading.passes += written.passes;
    session.progress.clear();
    let mut lines = lines(job, &facts);
    reading.describe(&mut lines);
    lines.written(&outputs);
    lines.verbose = session.verbose;
    if !session.quiet {
        lines.print();
    }
    if !job.output.json {
        return Ok(());
    }
    let table = shown(job.table.source.path());
    let object = FitObject { command: job.command, table, facts: &facts, outputs, embedding: None };
    summary::print_object(&object).map_err(Failure::Print)
}

/// The table of kernel PCA, in blocks if it exceeds the memory budget and landmarks stand for its rows.
fn open_if_low_rank(
    session: &Session,
    job: &Job<'_>,
    params: &KernelPcaParams,
) -> Result<Option<TableStream>> {
    match params.landmarks.is_some() {
        true => data::stream(session, job.table, &job.input_kind),
        false => Ok(None),
    }
}

/// Reads the table, selects columns, fits, writes and prints.
fn run(
    session: &Session,
    job: &Job<'_>,
    fit: impl FnOnce(&Table, Dtype, ScalingKind) -> Result<Fitted>,
) -> std::result::Result<(), Failure> {
    let (columns, label) = (job.columns.columns.as_deref(), job.columns.label.as_deref());
    let scale = job.input_kind.scaling(job.components.scale, job.usual_scale)?;
    let roles = Roles::without_target(columns, label, &job.columns.encoding, &job.input_kind);
    let table = data::read(session, job.table, &job.input_kind)
        .map_err(|error| data::by_landmarks(error, job.is_low_rank != Some(false)))?;
    let (chosen, _) = columns::choose(table, &roles)?;
    data::at_least_two(&chosen.features)?;
    let types = Types::of(job.components.precision, &chosen.features);
    session.progress.begin("preparing");
    let fitted = fit(&chosen.features, types.work, scale)?;
    if fitted.model.k() == 0 {
        let message = "all rows are identical: no component has positive variance";
        return Err(Error::Numeric(message.into()).into());
    }
    let described = report::describe_columns(job.model.page.report.as_ref(), &chosen);
    let results = Results {
        names: component_names(fitted.model.k()),
        values: fitted.scores,
        dtype: types.result,
        label: chosen.label,
        more_labels: chosen.more_labels,
        row_numbers: None,
    };
    let mut saved = ModelFile::new(fitted.model, types.result);
    saved.scaling = fitted.scaling;
    saved.feature_names = chosen.features.names.clone();
    facts::note_places(&mut saved, &chosen.places);
    let facts = Facts::of(&saved);
    let component_output = ComponentOutput {
        results: &results,
        model: job.model.model.as_ref().map(|file| (file, &saved)),
        titles: titles(job, &facts),
        ratios: &facts.explained_variance_ratio,
        texts: job.input_kind.texts(&chosen.features),
    };
    let mut lines = lines(job, &facts);
    lines.warn(dominated(job, scale, &chosen.features).as_slice());
    session.progress.begin("plotting");
    let mut files = output_files::files(job.output, &component_output);
    if let Some(file) = &job.model.page.report {
        let scatter =
            files.drawing.clone().unwrap_or_else(|| output_files::draw(&component_output));
        let content = ReportContent {
            lines: &lines,
            facts: &facts,
            headline: None,
            columns: &described,
            pictures: &[scatter, spectrum(&component_output, &facts)],
            tables: &[ReportTable::all(
                "Components: shares of the variance, correlated columns, and the rows with extreme scores",
                explain::components(
                    named_columns(job, &chosen.features).unwrap_or(&Table::default()),
                    &results,
                    &facts.explained_variance_ratio,
                ),
            )],
            explanations: &[],
        };
        files.page = Some((file, report::page(session, &content)));
    }
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    lines.written(&outputs);
    lines.verbose = session.verbose;
    print_output(session, job, &facts, &lines, outputs, &results)
}

/// The columns of samples; those of a kernel matrix are samples themselves.
fn named_columns<'a>(job: &Job<'_>, features: &'a Table) -> Option<&'a Table> {
    (job.input_kind != InputKind::Precomputed).then_some(features)
}

/// The share of all variance from which a column alone decides about the components.
const DOMINANT: f64 = 0.95;

/// A note where the unit of one column dominates the components of a PCA.
fn dominated(job: &Job<'_>, scale: ScalingKind, features: &Table) -> Option<String> {
    if job.command != "pca" || scale != ScalingKind::None || features.n_columns() < 2 {
        return None;
    }
    let variance_of = |column: &Column| {
        let numbers: Vec<f64> = (0..column.len()).filter_map(|row| column.number(row)).collect();
        variance(&numbers, None).unwrap_or(0.0)
    };
    let variances: Vec<f64> = features.columns.iter().map(variance_of).collect();
    let (total, largest) = (
        variances.iter().sum::<f64>(),
        (0..variances.len()).max_by(|&a, &b| variances[a].total_cmp(&variances[b]))?,
    );
    let share = variances[largest] / total;
    (share >= DOMINANT).then(|| {
        format!(
            "column {:?} alone has {:.1} % of the variance, because of its unit: --scale standard gives all columns the \
             same weight",
            features.name(largest),
            100.0 * share
        )
    })
}

/// The usual threshold of explained variance.
const MARK: f64 = 0.9;

fn spectrum(component_output: &ComponentOutput<'_>, facts: &Facts) -> Drawing {
    plot::spectrum(&Spectrum {
        title: "Explained variance",
        subtitle: &component_output.titles[1],
        values: &facts.explained_variance,
        ratios: &facts.explained_variance_ratio,
        mark: MARK,
    })
}

/// The title of the picture and the line below it.
fn titles(job: &Job<'_>, facts: &Facts) -> [String; 2] {
    let file = file_name(job.table.source.path());
    let method = match facts.kernel {
        Some(_) => "Kernel PCA",
        None => "PCA",
    };
    let kernel = facts.kernel.as_deref().map(facts::kernel_in_short);
    let kernel = kernel.map(|kernel| format!(", {kernel}")).unwrap_or_default();
    [format!("{method} of {file}"), format!("{}{kernel}", facts.extent())]
}

fn lines(job: &Job<'_>, facts: &Facts) -> Lines {
    let table = shown(job.table.source.path());
    let mut lines = Lines::titled(format!("{} of {table}: {}", facts.method(), facts.extent()));
    describe::describe(&mut lines, facts);
    lines.detail("time", format!("{:.2} s", facts.report.seconds));
    lines.warn(&facts.report.notes);
    lines
}

fn print_output(
    session: &Session,
    job: &Job<'_>,
    facts: &Facts,
    lines: &Lines,
    outputs: Outputs,
    results: &Results,
) -> std::result::Result<(), Failure> {
    let table = shown(job.table.source.path());
    if !session.quiet {
        lines.print();
    }
    if !job.output.json {
        return output_files::print(job.output, &outputs, results);
    }
    let embedding = job.output.output.is_none().then(|| ResultsObject::of(results));
    let object = FitObject { command: job.command, table, facts, outputs, embedding };
    summary::print_object(&object).map_err(Failure::Print)
}
