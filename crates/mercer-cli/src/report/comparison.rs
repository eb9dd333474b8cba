//! The page of a comparison of two tables, which has no model.

use super::details::details_without_model;
use super::headline::Headline;
use super::html::{escape, facts, section};
use super::table::ReportTable;
use super::{assembled, capitalised, pictures, results, settings};
use crate::plot::Drawing;
use crate::run::Session;
use crate::summary::Lines;

/// The content of the page.
pub struct ComparisonContent<'a> {
    /// The summary.
    pub lines: &'a Lines,
    /// The answer.
    pub headline: &'a Headline,
    /// The pictures.
    pub pictures: &'a [Drawing],
    /// The columns, and the rows that differ most.
    pub tables: &'a [ReportTable],
    /// What was compared.
    pub data: String,
}

/// The page of `session`.
pub fn comparison(session: &Session, found: &ComparisonContent<'_>) -> String {
    let sections = [
        summary(found),
        results(found.tables),
        pictures(found.pictures),
        section("data", "Data", &format!("<p>{}</p>\n", escape(&found.data))),
        settings(&session.invocation),
        details_without_model(session, found.lines),
    ];
    assembled(&found.lines.title, &sections.concat())
}

fn summary(found: &ComparisonContent<'_>) -> String {
    let Headline { answer, how } = found.headline;
    let listed = found.lines.lines.iter().filter(|line| !line.is_detail);
    let listed = facts(listed.map(|line| (line.name.as_str(), line.text.as_str(), "")));
    let warning =
        |note: &String| format!("<p class=\"warning\">{}</p>\n", escape(&capitalised(note)));
    let warnings: String = found.lines.warnings.iter().map(warning).collect();
    let content = format!(
        "<p class=\"answer\">{}</p>\n<p class=\"soft\">{}</p>\n{warnings}{listed}",
        escape(&capitalised(answer)),
        escape(&capitalised(how))
    );
    section("summary", "Result", &content)
}
