//! The end of a report: certificate, computation, data files and timings.

use mercer::context::available_threads;
use mercer::error::bytes;
use mercer::linalg::simd;

use super::certificate::Certificate;
use super::data_files;
use super::html::{escape, facts, section, subsection, table};
use crate::facts::{Facts, counted};
use crate::run::Session;
use crate::summary::Lines;

/// Pairs of classes that are listed.
const PROBLEMS: usize = 100;

/// Lines of the summary that the certificate has under other names; those without a name go on with *optimum*.
const SAID: [&str; 4] = ["optimum", "", "certified", "condition"];

/// All details.
pub fn details(session: &Session, lines: &Lines, model: &Facts) -> String {
    let parts =
        [certificate(model), computation(session, lines, model), files(session), timings(session)];
    section("details", "Details", &parts.concat())
}

/// Those of a run without a model.
pub fn details_without_model(session: &Session, lines: &Lines) -> String {
    let own = lines.lines.iter().filter(|line| line.is_detail);
    let own = own.map(|line| (line.name.as_str(), line.text.as_str(), ""));
    let machine = machine(session);
    let computation = facts(own.chain([("machine", machine.as_str(), "")]));
    let parts =
        [subsection("computation", "Computation", &computation), files(session), timings(session)];
    section("details", "Details", &parts.concat())
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
    subsection("certificate", "Certificate", &content)
}

/// What the certificate does not say already.
fn computation(session: &Session, lines: &Lines, model: &Facts) -> String {
    let machine = machine(session);
    let certified = Certificate::of(model).lines;
    let is_said =
        |name: &str| SAID.contains(&name) || certified.iter().any(|line| line.name == name);
    let own = lines.lines.iter().filter(|line| line.is_detail && !is_said(&line.name));
    let own = own.map(|line| (line.name.as_str(), line.text.as_str(), ""));
    subsection("computation", "Computation", &facts(own.chain([("machine", machine.as_str(), "")])))
}

fn machine(session: &Session) -> String {
    let threads = counted(session.context.threads(), "thread");
    let cores = counted(available_threads(), "core");
    let budget = bytes(session.context.limit());
    format!("{threads} on {cores} ({}), memory budget {budget}", simd::level().name())
}

fn files(session: &Session) -> String {
    let files = session.files();
    subsection("files", "Data files", &data_files::table(&session.context, &files))
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
    subsection("timings", "Timings", &content)
}
