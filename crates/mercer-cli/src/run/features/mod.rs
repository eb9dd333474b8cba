//! `mercer features`: the explicit feature map of a kernel.

mod stream;

use mercer::error::Param;
use mercer::io::{Column, Format, Model, ModelFile as SavedModel, SparseColumn, Table};
use mercer::kernel::{FeatureMap, FeatureMapOptions, MOST_FEATURES, RandomFeatures, StringMap};
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::landmarks::LandmarkReport;
use mercer::model::{Report, ScalingKind};
use mercer::{Dtype, Error, KernelSpec, Result};
use serde::Serialize;

use super::Session;
use super::columns::Chosen;
use super::input;
use super::stream::Reading;
use crate::args::{FeaturesArgs, Kernel, Scale};
use crate::data::{self, InputKind, Numbers, Prepared, Scales, usual_scale};
use crate::describe::landmarks_in_words;
use crate::facts::{counted, kernel_in_short, note_places};
use crate::failure::Failure;
use crate::output_files::{self, Files};
use crate::results::{Predictions, component_names};
use crate::summary::{self, Lines, Outputs, PredictionsObject, shown};
use crate::terminal_table;

/// The features of a table.
struct Mapped {
    /// The kernel, with its parameters as numbers.
    kernel: KernelSpec,
    /// Whether the feature map is exact.
    exact: bool,
    /// A bound on the relative error, if known.
    error: Option<f64>,
    /// The model of Nyström features.
    model: Option<SavedModel>,
    names: Vec<String>,
    columns: Vec<Column>,
}

/// One object about features.
#[derive(Debug, Serialize)]
struct FeaturesObject<'a> {
    command: &'static str,
    /// The table, as the user named it.
    table: String,
    /// The kernel, with its parameters as numbers.
    kernel: String,
    /// Features of a row.
    dimension: usize,
    /// Whether the feature map is exact; else approximate.
    exact: bool,
    /// How good features on landmarks are.
    #[serde(skip_serializing_if = "Option::is_none")]
    landmarks: Option<&'a LandmarkReport>,
    /// The files written.
    outputs: Outputs,
    /// The features of every row, unless a file holds them.
    features: Option<PredictionsObject>,
}

/// Runs `mercer features`.
pub fn features(session: &Session, args: &FeaturesArgs) -> std::result::Result<(), Failure> {
    let input_kind = InputKind::of(&args.kernel);
    check(args, &input_kind)?;
    let landmarks = args.landmarks.params(args.seed);
    // A model stores the scaling, so that new rows are scaled alike.
    let usual = if landmarks.is_some() { usual_scale(&args.kernel) } else { Scale::None };
    let is_written = args.output.is_some() || args.model.is_some();
    if is_written && let Some(table) = data::stream(session, &args.input.table, &input_kind)? {
        return stream::features(session, args, (&input_kind, usual), table);
    }
    let (chosen, scale) = input::read(session, &args.input, &input_kind, usual)
        .map_err(|error| data::by_output(error, is_written))?;
    session.progress.begin("preparing");
    let mapped = match input_kind {
        _ if landmarks.is_some() => of_landmarks(session, args, &chosen, &input_kind, scale)?,
        InputKind::Strings => of_texts(args, &chosen.features)?,
        _ => of_numbers(session, args, &chosen, &input_kind, Scales::Learn(scale))?,
    };
    let Mapped { kernel, exact, error, model, names, columns } = mapped;
    let all =
        Predictions { columns: names.into_iter().zip(columns).collect(), label: chosen.label };
    let table = args.output.as_ref().map(|file| (file, table(&all, file.format)));
    let files = Files { table, model: args.model.as_ref().zip(model.as_ref()), ..Files::default() };
    let outputs = output_files::write_files(session, &files)?;
    session.progress.clear();
    let report = model.as_ref().map(|saved| saved.model.report());
    let found = Found {
        kernel: kernel.to_string(),
        exact,
        error,
        report,
        rows: all.n(),
        dimension: all.columns.len(),
        reading: None,
    };
    print_output(session, args, &found, outputs, Some(&all))
}

fn check(args: &FeaturesArgs, input_kind: &InputKind) -> Result<()> {
    let message = match (&args.kernel, input_kind) {
        (Kernel::Precomputed, _) => {
            "precomputed kernels have no feature map: name the kernel itself"
        }
        (_, InputKind::Groups(_))
            if input_kind.has_strings() && args.landmarks.landmarks.is_none() =>
        {
            "feature maps of strings and numbers together need --landmarks: set it, or compute the features of each column separately"
        }
        _ => return Ok(()),
    };
    Err(Error::parameter(Param::Kernel, message))
}

/// Nyström features, which any kernel has, with a model for new rows.
fn of_landmarks(
    session: &Session,
    args: &FeaturesArgs,
    chosen: &Chosen,
    input_kind: &InputKind,
    scale: ScalingKind,
) -> Result<Mapped> {
    let Some(landmarks) = args.landmarks.params(args.seed) else {
        unreachable!("landmarks are asked for");
    };
    let rows =
        Prepared::of(session, &chosen.features, input_kind, Scales::Learn(scale), Dtype::F64)?;
    let params = KernelPcaParams::landmark_features(args.kernel.spec(), landmarks);
    let model = KernelPca::fit(&session.context, &params, &rows.input)?;
    let values = model.transform(&session.context, &rows.input)?;
    let column = |j: usize| Column::F64((0..values.rows()).map(|i| values[(i, j)]).collect());
    let columns = (0..model.k()).map(column).collect();
    let (kernel, names) = (model.params.kernel.clone(), component_names(model.k()));
    let mut saved = SavedModel::new(Model::KernelPca(model), Dtype::F64);
    (saved.scaling, saved.feature_names) = (rows.scaling, chosen.features.names.clone());
    note_places(&mut saved, &chosen.places);
    Ok(Mapped { kernel, exact: false, error: None, model: Some(saved), names, columns })
}

/// One feature for each substring, most of them 0 in most rows.
fn of_texts(args: &FeaturesArgs, features: &Table) -> Result<Mapped> {
    if args.components.is_some() {
        let message = "string kernels have no random features: leave it out";
        return Err(Error::parameter("--components", message));
    }
    let texts = features.texts(0)?;
    let kernel = args.kernel.spec().resolve(&texts)?;
    let map = StringMap::new(&kernel, &texts)?;
    let dimension = map.dimension()?;
    if dimension > MOST_FEATURES {
        let message = format!(
            "the strings have {dimension} distinct substrings, too many for explicit features: use the kernel itself"
        );
        return Err(Error::parameter(Param::Kernel, message));
    }
    let mut columns = vec![SparseColumn::zeros(texts.n()); dimension];
    let values = map.apply::<f64>(&texts)?;
    for (i, (at, values)) in (0..).zip(values.all().iter()) {
        at.iter().zip(values).for_each(|(&j, &value)| columns[j as usize].push(i, value));
    }
    let columns = columns.into_iter().map(Column::Sparse).collect();
    Ok(Mapped { kernel, exact: true, error: None, model: None, names: map.names()?, columns })
}

fn of_numbers(
    session: &Session,
    args: &FeaturesArgs,
    chosen: &Chosen,
    input_kind: &InputKind,
    scales: Scales<'_>,
) -> Result<Mapped> {
    if *input_kind == InputKind::Histograms {
        chosen.features.check_not_negative()?;
    }
    let rows = Numbers::<f64>::of(session, &chosen.features, scales)?;
    let kernel = match args.kernel.spec() {
        spec if spec.is_resolved() => spec,
        spec => spec.resolve(&rows.copied()?)?,
    };
    let options = options(args, &chosen.features);
    let map = FeatureMap::new(&kernel, rows.d, &options)?;
    let values = map.matrix(&session.context, rows.view())?;
    let column = |j: usize| Column::F64((0..rows.n).map(|i| values[(i, j)]).collect());
    Ok(Mapped {
        kernel,
        exact: map.is_exact(),
        error: map.worst_error(),
        model: None,
        names: map.names(Some(&options.columns))?,
        columns: (0..map.dimension()).map(column).collect(),
    })
}

/// The options of a map of the columns of `features`.
fn options(args: &FeaturesArgs, features: &Table) -> FeatureMapOptions {
    FeatureMapOptions {
        samples: args.samples as usize,
        columns: (0..features.n_columns()).map(|column| features.name(column)).collect(),
        random: args.components.map(|components| RandomFeatures {
            components: components as usize,
            seed: args.seed,
            frequencies: args.frequencies.into(),
        }),
        ..FeatureMapOptions::default()
    }
}

/// The label first, then the features. NumPy arrays hold numbers only, and LIBSVM text no label with a space in it.
fn table(all: &Predictions, format: Format) -> Table {
    let is_short = |text: String| !text.is_empty() && !text.contains([' ', ':', '#', '\t']);
    let label = all.label.as_ref().filter(|(_, cells)| match format {
        Format::Npy => false,
        Format::Libsvm => (0..cells.len()).all(|row| is_short(cells.text(row))),
        _ => true,
    });
    let (names, columns) = label.into_iter().chain(&all.columns).cloned().unzip();
    Table { label: label.map(|_| 0), ..Table::new(names, columns) }
}

/// What is printed of a map.
struct Found<'a> {
    kernel: String,
    exact: bool,
    error: Option<f64>,
    /// The report of a fit on landmarks.
    report: Option<&'a Report>,
    rows: usize,
    /// Features of a row.
    dimension: usize,
    /// How the table was read, if it was in blocks.
    reading: Option<Reading>,
}

fn print_output(
    session: &Session,
    args: &FeaturesArgs,
    found: &Found<'_>,
    outputs: Outputs,
    all: Option<&Predictions>,
) -> std::result::Result<(), Failure> {
    let Found { kernel, exact, error, report, rows, dimension, reading } = found;
    let landmarks = report.and_then(|report| report.landmarks.as_ref());
    let source = shown(args.input.table.source.path());
    if !session.quiet {
        let mut lines =
            Lines::titled(format!("feature map of {source}: {}", counted(*rows, "row")));
        lines.add("kernel", kernel_in_short(kernel));
        let exact = match (exact, error) {
            (true, _) => "exact".into(),
            (false, None) => "approximate".into(),
            (false, Some(error)) => {
                format!("approximate, error at most {error:.1e} of the sum of the larger values")
            }
        };
        lines.add("features", format!("{dimension} ({exact})"));
        if let Some(landmarks) = landmarks {
            lines.add("landmarks", landmarks_in_words(landmarks));
        }
        reading.iter().for_each(|reading| reading.describe(&mut lines));
        report.iter().for_each(|report| lines.warn(&report.notes));
        if let Some(files) = outputs.listed() {
            lines.add("written", files);
        }
        lines.print();
    }
    if !args.json {
        return match all.filter(|_| args.output.is_none()) {
            None => Ok(()),
            Some(all) => terminal_table::print(&table(all, Format::Csv)).map_err(Failure::Print),
        };
    }
    let object = FeaturesObject {
        command: "features",
        table: source,
        kernel: kernel.clone(),
        dimension: *dimension,
        exact: *exact,
        landmarks,
        outputs,
        features: all.filter(|_| args.output.is_none()).map(PredictionsObject::of),
    };
    summary::print_object(&object).map_err(Failure::Print)
}
