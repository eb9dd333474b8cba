//! `mercer inspect`: what is inside a model file.

use std::io::Write;

use mercer::io::load;

use crate::args::InspectArgs;
use crate::facts::Facts;
use crate::failure::Failure;
use crate::summary::{self, Lines, shown};

/// Components listed one by one.
const LISTED_COMPONENTS: usize = 20;
/// Names of columns listed.
const LISTED_NAMES: usize = 12;

/// Runs `mercer inspect`.
pub fn inspect(args: &InspectArgs) -> Result<(), Failure> {
    let facts = Facts::of(&load(&args.model)?);
    if args.json {
        return summary::print_object(&facts).map_err(Failure::Print);
    }
    let mut lines = Lines::titled(format!(
        "{}: {}, fitted on {}",
        shown(&args.model),
        facts.method(),
        facts.extent()
    ));
    if let Some(names) = &facts.column_names {
        let more = if names.len() > LISTED_NAMES { ", …" } else { "" };
        lines.add("columns", names[..names.len().min(LISTED_NAMES)].join(", ") + more);
    }
    summary::describe(&mut lines, &facts);
    lines.add("results", facts.dtype);
    lines.add("fitted in", format!("{:.2} s", facts.report.seconds));
    lines.warn(&facts.report.notes);
    let text = lines.text().to_string() + "\n" + &variances(&facts);
    std::io::stdout().write_all(text.as_bytes()).map_err(Failure::Print)
}

/// One line per component: its variance, its share, and the share of all up to it.
fn variances(facts: &Facts) -> String {
    let mut text =
        format!("{:>9}  {:>12}  {:>8}  {:>8}\n", "component", "variance", "share", "sum");
    let mut sum = 0.0;
    let shares = facts.explained_variance.iter().zip(&facts.explained_variance_ratio);
    for (index, (variance, ratio)) in shares.enumerate().take(LISTED_COMPONENTS) {
        sum += ratio;
        let (share, sum) = (percent(*ratio), percent(sum));
        text += &format!("{:>9}  {variance:>12.6e}  {share:>8}  {sum:>8}\n", index + 1);
    }
    if facts.components > LISTED_COMPONENTS {
        text += &format!("… {} more\n", facts.components - LISTED_COMPONENTS);
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:.2} %", 100.0 * share)
}
