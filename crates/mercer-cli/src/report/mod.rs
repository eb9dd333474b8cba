//! A self-contained HTML report of a fit: the answer, results, plots, explanations, data, settings and details. Nothing on it
//! is fetched from elsewhere.

mod certificate;
mod columns;
mod comparison;
mod dark;
mod data_files;
mod date;
mod details;
mod headline;
mod html;
mod invocation;
mod landmarks;
mod table;

pub use columns::ColumnSummary;
pub use comparison::{ComparisonContent, comparison};
pub use data_files::InputFile;
pub use invocation::{Invocation, Setting, quoted};
pub use table::ReportTable;

use self::certificate::Certificate;
pub use self::headline::Headline;
use self::headline::UNSCORED;
use self::html::{escape, facts, section, table};
use crate::args::PageFile;
use crate::facts::Facts;
use crate::plot::{Drawing, grouped};
use crate::run::{Chosen, Session};
use crate::summary::Lines;

/// Columns that are described one by one.
const COLUMNS: usize = 60;

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
    /// The answer, where the model alone does not hold it.
    pub headline: Option<Headline>,
    /// The columns of the table.
    pub columns: &'a [ColumnSummary],
    /// The pictures.
    pub pictures: &'a [Drawing],
    /// Tables of results.
    pub tables: &'a [ReportTable],
    /// What explains the results.
    pub explanations: &'a [Explanation],
}

/// What explains a result: a heading, sentences, a picture and tables.
#[derive(Debug, Default)]
pub struct Explanation {
    /// The heading.
    pub heading: &'static str,
    /// What is shown, and how it was computed.
    pub text: String,
    /// Pictures.
    pub pictures: Vec<Drawing>,
    /// The numbers.
    pub tables: Vec<ReportTable>,
}

/// Summary statistics of the columns of `chosen`, if a report is requested.
pub fn describe_columns(file: Option<&PageFile>, chosen: &Chosen) -> Vec<ColumnSummary> {
    file.map(|_| columns::describe(chosen, COLUMNS)).unwrap_or_default()
}

/// The report of `session`.
pub fn page(session: &Session, found: &ReportContent<'_>) -> String {
    let landmarks = landmarks::explanation(found.facts);
    let sections = [
        summary(found),
        results(found.tables),
        pictures(found.pictures),
        explanations(found.explanations.iter().chain(&landmarks), found.pictures.len()),
        data(found),
        settings(&session.invocation),
        details::details(session, found.lines, found.facts),
    ];
    assembled(&found.lines.title, &sections.concat())
}

/// A page with this title and content.
fn assembled(title: &str, sections: &str) -> String {
    let title = escape(&capitalised(title));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{}</style>\n</head>\n<body>\n<main>\n\
         <h1>{title}</h1>\n{}<footer>Created by mercer {} on {}.</footer>\n</main>\n\
         <div id=\"hint\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        dark::rules(),
        sections,
        env!("CARGO_PKG_VERSION"),
        date::now(),
    )
}

fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// The answer, warnings, and what was fitted.
fn summary(found: &ReportContent<'_>) -> String {
    let lines = found.lines;
    let listed = lines.lines.iter().filter(|line| !line.is_detail);
    let listed = listed.map(|line| (line.name.as_str(), line.text.as_str(), ""));
    let warnings: String = lines
        .warnings
        .iter()
        .map(|note| format!("<p class=\"warning\">{}</p>\n", escape(&capitalised(note))))
        .collect();
    let content = headline(found) + &failure(found.facts) + &warnings + &facts(listed);
    section("summary", "Result", &content)
}

fn headline(found: &ReportContent<'_>) -> String {
    let own = Headline::of(found.facts);
    match found.headline.as_ref().or(own.as_ref()) {
        Some(Headline { answer, how }) => format!(
            "<p class=\"answer\">{}</p>\n<p class=\"soft\">{}</p>\n",
            escape(&capitalised(answer)),
            escape(&capitalised(how))
        ),
        None => format!("<p class=\"soft\">{}</p>\n", escape(UNSCORED)),
    }
}

/// A failed certificate is not left to the end.
fn failure(facts: &Facts) -> String {
    match Certificate::of(facts).is_good {
        true => String::new(),
        false => "<p class=\"badge bad\">not converged</p>\n".into(),
    }
}

fn figure((place, drawing): (usize, &Drawing)) -> String {
    format!("<figure>\n{}</figure>\n", with_unique_ids(&drawing.svg, place))
}

fn pictures(pictures: &[Drawing]) -> String {
    let figures: String = pictures.iter().enumerate().map(figure).collect();
    match figures.is_empty() {
        true => String::new(),
        false => section("pictures", "Plots", &figures),
    }
}

/// A section for each; their pictures are counted from `first` on.
fn explanations<'a>(found: impl IntoIterator<Item = &'a Explanation>, first: usize) -> String {
    let (mut sections, mut drawn) = (String::new(), first);
    for (place, explanation) in found.into_iter().enumerate() {
        let text = format!("<p>{}</p>\n", escape(&explanation.text));
        let pictures: String = (drawn..).zip(&explanation.pictures).map(figure).collect();
        drawn += explanation.pictures.len();
        let tables: String = explanation.tables.iter().map(listed).collect();
        let id = format!("explanation{}", place + 1);
        sections += &section(&id, explanation.heading, &(text + &pictures + &tables));
    }
    sections
}

/// A plot whose element ids are unique on the page.
fn with_unique_ids(svg: &str, place: usize) -> String {
    // Quotes in texts are escaped, so that these are attributes.
    let svg = svg.replace(" id=\"", &format!(" id=\"picture{place}-"));
    svg.replace("=\"url(#", &format!("=\"url(#picture{place}-"))
}

fn results(tables: &[ReportTable]) -> String {
    let all: String = tables.iter().map(listed).collect();
    match all.is_empty() {
        true => String::new(),
        false => section("results", "What to look at", &all),
    }
}

fn listed(shown: &ReportTable) -> String {
    match shown.table.n_columns() {
        0 => format!("<p>{}</p>\n", escape(&shown.caption)),
        _ => table(&shown.caption, &shown.table, shown.most),
    }
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
        assert_eq!(explanations(&[], 2), "");
    }
}
