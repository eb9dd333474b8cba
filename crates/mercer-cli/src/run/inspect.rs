//! `mercer inspect`: description of a model file.

use mercer::io::{Format, ReadOptions, Source, read_table};

use super::inspect_table::inspect_table;
use crate::args::{Header, InputFormat, InspectArgs};
use crate::describe;
use crate::facts::Facts;
use crate::failure::Failure;
use crate::stdout;
use crate::summary::{self, Lines, shown};
use crate::terminal_table;

/// Components listed one by one.
const LISTED_COMPONENTS: usize = 20;
/// Clusters listed one by one.
const LISTED_CLUSTERS: usize = 50;

/// Runs `mercer inspect`.
pub fn inspect(args: &InspectArgs) -> Result<(), Failure> {
    let is_table = args.format != InputFormat::Auto || args.header != Header::Auto;
    let path = match &args.source {
        Source::File(path) if Format::of(path).is_none() && !is_table => path,
        source => {
            let options = ReadOptions {
                format: args.format.into(),
                header: args.header.into(),
                ..ReadOptions::default()
            };
            return inspect_table(&read_table(source, &options)?, args.json);
        }
    };
    let facts = Facts::of(&mercer::io::load(path)?);
    if args.json {
        return summary::print_object(&facts).map_err(Failure::Print);
    }
    let mut lines =
        Lines::titled(format!("{}: {}, {}", shown(path), facts.method(), origin(&facts)));
    lines.verbose = true;
    if let Some(names) = &facts.column_names {
        lines.add("columns", describe::listed(names));
    }
    if let Some((targets, _)) = facts.predicts().filter(|(targets, _)| !targets.is_empty()) {
        lines.add("target", describe::listed(targets));
    }
    describe::describe(&mut lines, &facts);
    lines.add("precision", facts.dtype);
    if !facts.report.seconds.is_nan() {
        lines.add("fitted in", format!("{:.2} s", facts.report.seconds));
    }
    lines.warn(&facts.report.notes);
    let mut text = lines.text().to_string();
    if facts.components.is_some() {
        text += &format!("\n{}", variances(&facts));
    }
    if let Some(clustering) = &facts.clustering {
        let table = clustering.table();
        text += &format!("\n{}", terminal_table::aligned(&table, LISTED_CLUSTERS, usize::MAX));
    }
    stdout::print(&text).map_err(Failure::Print)
}

/// What the model was fitted on, as far as the file says.
fn origin(facts: &Facts) -> String {
    match facts.rows {
        0 => format!("a LIBSVM model of {}", facts.extent()),
        _ => format!("fitted on {}", facts.extent()),
    }
}

/// One line per component: its variance, its ratio, and the cumulative ratio.
fn variances(facts: &Facts) -> String {
    let mut text =
        format!("{:>9}  {:>12}  {:>8}  {:>8}\n", "component", "variance", "ratio", "total");
    let mut sum = 0.0;
    let shares = facts.explained_variance.iter().zip(&facts.explained_variance_ratio);
    for (index, (variance, ratio)) in shares.enumerate().take(LISTED_COMPONENTS) {
        sum += ratio;
        let (share, sum) = (percent(*ratio), percent(sum));
        text += &format!("{:>9}  {variance:>12.6e}  {share:>8}  {sum:>8}\n", index + 1);
    }
    let components = facts.explained_variance.len();
    if components > LISTED_COMPONENTS {
        text += &format!("… {} more\n", components - LISTED_COMPONENTS);
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
