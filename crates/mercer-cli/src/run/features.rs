//! `mercer features`: the numbers whose inner products are a kernel, with their names.

use mercer::io::{Dtype, Format};
use mercer::kernel::{FeatureMap, FeatureMapOptions};
use mercer::{Error, Result};
use serde::Serialize;

use super::Session;
use super::columns::Chosen;
use super::sight;
use crate::args::{FeaturesArgs, Kernel};
use crate::data::{Form, Numbers, Scales};
use crate::deliver::{self, Files};
use crate::facts::{counted, kernel_in_short};
use crate::failure::Failure;
use crate::results::Results;
use crate::summary::{self, Lines, Outputs, ResultsObject, shown};
use crate::terminal_table;

/// One object about features.
#[derive(Debug, Serialize)]
struct FeaturesObject {
    command: &'static str,
    /// The table, as the user named it.
    table: String,
    /// The kernel, with its widths as numbers.
    kernel: String,
    /// Features of a row.
    dimension: usize,
    /// Whether inner products are the kernel up to rounding; else they come close.
    exact: bool,
    /// The files written.
    outputs: Outputs,
    /// The features of every row, unless a file holds them.
    features: Option<ResultsObject>,
}

/// Runs `mercer features`.
pub fn features(session: &Session, args: &FeaturesArgs) -> std::result::Result<(), Failure> {
    let form = Form::of(&args.kernel);
    check(args, &form)?;
    let (chosen, scale) = sight::choose(session, &args.sight, &form)?;
    session.progress.begin("preparing");
    if form == Form::Histograms {
        chosen.features.check_not_negative()?;
    }
    let rows = Numbers::<f64>::of(session, &chosen.features, Scales::Learn(scale))?;
    let (kernel, map) = map(args, &chosen, &rows)?;
    let values = map.matrix(&session.context, rows.view())?.into_vec();
    let names = map.names(Some(&names(&chosen)))?;
    let results = Results { names, values, dtype: Dtype::F64, label: chosen.label };
    let table = args.output.as_ref().map(|file| (file, results.table(file.format != Format::Npy)));
    let outputs = deliver::write_files(session, &Files { table, ..Files::default() })?;
    session.progress.clear();
    tell(session, args, &map, kernel, outputs, &results)
}

fn check(args: &FeaturesArgs, form: &Form) -> Result<()> {
    let message = match (&args.kernel, form) {
        (Kernel::Precomputed, _) => "given values have no features: name the kernel itself",
        (_, form) if form.has_texts() => {
            "features of texts are substrings, as many as there are different ones: use the kernel itself"
        }
        _ => return Ok(()),
    };
    Err(Error::parameter("kernel", message))
}

fn names(chosen: &Chosen) -> Vec<String> {
    (0..chosen.features.n_columns()).map(|column| chosen.features.name(column)).collect()
}

/// The kernel with its parameters as numbers, and its map.
fn map(args: &FeaturesArgs, chosen: &Chosen, rows: &Numbers<f64>) -> Result<(String, FeatureMap)> {
    let spec = args.kernel.spec();
    let spec = if spec.is_resolved() { spec } else { spec.resolve(&rows.copied()?)? };
    let options = FeatureMapOptions { samples: args.samples as usize, columns: names(chosen) };
    Ok((spec.to_string(), FeatureMap::new(&spec, rows.d, &options)?))
}

fn tell(
    session: &Session,
    args: &FeaturesArgs,
    map: &FeatureMap,
    kernel: String,
    outputs: Outputs,
    results: &Results,
) -> std::result::Result<(), Failure> {
    let table = shown(args.sight.table.source.path());
    if !session.quiet {
        let rows = counted(results.n(), "row");
        let mut lines = Lines::titled(format!("features of {rows} of {table}"));
        lines.add("kernel", kernel_in_short(&kernel));
        let exact = match (map.is_exact(), map.worst_error()) {
            (true, _) => "their inner products are the kernel".into(),
            (false, None) => "their inner products come close to the kernel".into(),
            (false, Some(error)) => format!(
                "their inner products come close to the kernel: within {error:.1e} of the sum of the larger values"
            ),
        };
        lines.add("features", format!("{}: {exact}", map.dimension()));
        if let Some(files) = outputs.listed() {
            lines.add("written", files);
        }
        lines.print();
    }
    if !args.json {
        return match args.output {
            Some(_) => Ok(()),
            None => terminal_table::print(&results.table(true)).map_err(Failure::Print),
        };
    }
    let object = FeaturesObject {
        command: "features",
        table,
        kernel,
        dimension: map.dimension(),
        exact: map.is_exact(),
        outputs,
        features: args.output.is_none().then(|| ResultsObject::of(results)),
    };
    summary::print_object(&object).map_err(Failure::Print)
}
