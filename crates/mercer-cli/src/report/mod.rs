//! A self-contained HTML report of a fit: plots, results, certificate, data, settings, the command line and timings.
//! Nothing on it is fetched from elsewhere.

mod certificate;
mod columns;
mod dark;
mod date;
mod html;
mod invocation;

use mercer::context::available_threads;
use mercer::error::bytes;
use mercer::io::Table;
use mercer::linalg::simd;

pub use columns::ColumnSummary;
pub use invocation::{Invocation, Setting};

use self::certificate::Certificate;
use self::html::{escape, facts, section, table};
use crate::args::PageFile;
use crate::facts::{Facts, counted};
use crate::plot::{Drawing, grouped};
use crate::run::{Chosen, Session};
use crate::summary::Lines;

/// Columns that are described one by one.
const COLUMNS: usize = 60;
/// Pairs of classes that are listed.
const PROBLEMS: usize = 100;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("hover.js");
/// The page may load nothing, even if tampered with.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

/// The content of a report.
pub struct ReportContent<'a> {
    /// The summary.
    pub lines: &'a Lines,
    /// The model.
    pub facts: &'a Facts,
    /// The columns of the table.
    pub columns: &'a [ColumnSummary],
    /// The pictures.
    pub pictures: &'a [Drawing],
    /// Tables of results.
    pub tables: &'a [ReportTable],
}

/// A table of results.
pub struct ReportTable {
    caption: &'static str,
    table: Table,
    most: usize,
}

impl ReportTable {
    /// The whole `table`.
    pub fn all(caption: &'static str, table: Table) -> Self {
        Self { caption, most: table.n_rows(), table }
    }

    /// The first rows of `table`, in the order of the data.
    pub fn beginning(caption: &'static str, table: Table) -> Self {
        Self { caption, most: ROWS, table }
    }

    /// The first rows of `table`, sorted by importance.
    pub fn best(caption: &'static str, table: Table) -> Self {
        Self { caption, most: BEST, table }
    }
}

/// Rows of the data, and lines of comparisons, that are shown.
const ROWS: usize = 20;
const BEST: usize = 40;

/// Summary statistics of the columns of `chosen`, if a report is requested.
pub fn describe_columns(file: Option<&PageFile>, chosen: &Chosen) -> Vec<ColumnSummary> {
    file.map(|_| columns::describe(chosen, COLUMNS)).unwrap_or_default()
}

/// The report of `session`.
pub fn page(session: &Session, found: &ReportContent<'_>) -> String {
    let title = escape(&capitalised(&found.lines.title));
    let sections = [
        summary(found.lines),
        pictures(found.pictures),
        results(found.tables),
        certificate(found.facts),
        data(found),
        settings(&session.invocation),
        timings(session),
    ];
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n<p class=\"soft\">{}</p>\n{}<footer>Created by mercer {} on {}.</footer>\n</main>\n\
         <div id=\"hint\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        dark::rules(),
        escape(&machine(session)),
        sections.concat(),
        env!("CARGO_PKG_VERSION"),
        date::now(),
    )
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

fn machine(session: &Session) -> String {
    let threads = counted(session.context.threads(), "thread");
    let cores = counted(available_threads(), "core");
    let budget = bytes(session.context.limit());
    format!("{threads} on {cores} ({}), memory budget {budget}", simd::level().name())
}

fn summary(lines: &Lines) -> String {
    let listed = lines.lines.iter().map(|(name, text)| (name.as_str(), text.as_str(), ""));
    let warnings: String = lines
        .warnings
        .iter()
        .map(|note| format!("<p class=\"warning\">{}</p>\n", escape(&capitalised(note))))
        .collect();
    section("summary", "Summary", &(warnings + &facts(listed)))
}

fn pictures(pictures: &[Drawing]) -> String {
    let figure = |(place, drawing): (usize, &Drawing)| {
        format!("<figure>\n{}</figure>\n", with_unique_ids(&drawing.svg, place))
    };
    let figures: String = pictures.iter().enumerate().map(figure).collect();
    match figures.is_empty() {
        true => String::new(),
        false => section("pictures", "Plots", &figures),
    }
}

/// A plot whose element ids are unique on the page.
fn with_unique_ids(svg: &str, place: usize) -> String {
    // Quotes in texts are escaped, so that these are attributes.
    let svg = svg.replace(" id=\"", &format!(" id=\"picture{place}-"));
    svg.replace("=\"url(#", &format!("=\"url(#picture{place}-"))
}

fn results(tables: &[ReportTable]) -> String {
    let all: String =
        tables.iter().map(|listed| table(listed.caption, &listed.table, listed.most)).collect();
    match all.is_empty() {
        true => String::new(),
        false => section("results", "Results", &all),
    }
}

fn certificate(model: &Facts) -> String {
    let certificate = Certificate::of(model);
    let badge = match certificate.is_good {
        true => "<p class=\"badge good\">converged</p>\n",
        false => "<p class=\"badge bad\">not converged</p>\n",
    };
    let lines = certificate.lines.iter().map(|line| (line.name, line.value.as_str(), line.meaning));
    let problems = certificate.problems.map(|problems| {
        let caption = match problems.n_rows() {
            1 => "Optimisation problem",
            _ => "Optimisation problems, one for each pair of classes",
        };
        table(caption, &problems, PROBLEMS)
    });
    let content = format!("{badge}{}{}", facts(lines), problems.unwrap_or_default());
    section("certificate", "Certificate", &content)
}

fn data(found: &ReportContent<'_>) -> String {
    let facts = found.facts;
    let rest = match facts.columns.saturating_sub(COLUMNS) {
        0 => String::new(),
        1 => "<p class=\"soft\">… 1 more column</p>\n".into(),
        rest => format!("<p class=\"soft\">… {} more columns</p>\n", grouped(rest)),
    };
    let extent = format!("<p>{}</p>\n", escape(&facts.extent()));
    section("data", "Data", &(extent + &html::columns(found.columns) + &rest))
}

fn settings(invocation: &Invocation) -> String {
    let listed = |is_given: bool| {
        let chosen = invocation.settings.iter().filter(move |setting| setting.is_given == is_given);
        facts(chosen.map(|s| (s.name.as_str(), s.value.as_str(), s.meaning.as_str())))
    };
    let content = format!(
        "<p>Command line:</p>\n<pre id=\"command\">{}</pre>\n{}\
         <details>\n<summary>Defaults</summary>\n{}</details>\n",
        escape(&invocation.command),
        listed(true),
        listed(false)
    );
    section("settings", "Settings", &content)
}

fn timings(session: &Session) -> String {
    let stages = session.progress.stages();
    let all: f64 = stages.iter().map(|(_, seconds)| seconds).sum();
    let line = |(stage, seconds): &(&str, f64)| {
        let share = 100.0 * seconds / all.max(f64::MIN_POSITIVE);
        format!(
            "<tr><td>{}</td><td class=\"number\">{seconds:.3} s</td>\
             <td><span class=\"bar\" style=\"width:{share:.1}%\"></span></td></tr>\n",
            escape(stage)
        )
    };
    let lines: String = stages.iter().map(line).collect();
    let content = format!(
        "<table class=\"rows bars\">\n<tbody>\n{lines}\
         <tr><th>total</th><th class=\"number\">{all:.3} s</th><th></th></tr>\n</tbody></table>\n"
    );
    section("timings", "Timings", &content)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plots_have_unique_ids() {
        let svg = "<clipPath id=\"clip1\"/><g clip-path=\"url(#clip1)\"/>";
        for place in 0..2 {
            let svg = with_unique_ids(svg, place);
            assert_eq!(svg.matches(&format!("picture{place}-clip1")).count(), 2, "{svg}");
        }
    }

    #[test]
    fn titles_begin_with_a_capital() {
        assert_eq!(capitalised("kernel PCA of a.csv"), "Kernel PCA of a.csv");
        assert_eq!(capitalised(""), "");
    }

    #[test]
    fn sections_without_content_are_left_out() {
        assert_eq!(pictures(&[]), "");
        assert_eq!(results(&[]), "");
    }
}
