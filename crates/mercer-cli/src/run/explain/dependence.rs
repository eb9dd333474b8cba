//! Partial dependence on the most important columns.

use mercer::Result;
use mercer::context::Stream;

use super::{Response, Subject};
use crate::explain::{Dependence, Importance, SHARE, partial_dependence};
use crate::facts::counted;
use crate::plot::{self, BandLine, DependencePanel, DependencePlot, DependenceValues};
use crate::report::Explanation;

/// The most columns that are shown.
const COLUMNS: usize = 6;
/// The most rows whose predictions are averaged.
const ROWS: usize = 200;
/// The most lines of a panel.
const LINES: usize = 6;

/// The dependence on the most important columns.
pub fn curves(
    subject: &Subject<'_>,
    response: &Response<'_>,
    importance: &Importance,
) -> Result<Vec<Dependence>> {
    let sources = subject.sources();
    let features = subject.features.take_rows(&sample(subject.evaluated.counted, ROWS));
    let mut found = Vec::new();
    for column in &importance.columns {
        let Some(source) = sources.iter().find(|source| source.name == column.name) else {
            continue;
        };
        found.extend(partial_dependence(&features, source, &mut |t| response.outputs(t))?);
        if found.len() == COLUMNS {
            break;
        }
    }
    Ok(found)
}

/// At most `most` of `rows`, at random, in their order.
pub(super) fn sample(rows: &[usize], most: usize) -> Vec<usize> {
    if rows.len() <= most {
        return rows.to_vec();
    }
    let mut places = Stream::new(0, "explained rows").sample(rows.len(), most);
    places.sort_unstable();
    places.iter().map(|&place| rows[place]).collect()
}

/// The section of a report.
pub fn section(
    curves: &[Dependence],
    subject: &Subject<'_>,
    response: &Response<'_>,
) -> Option<Explanation> {
    let rows = subject.evaluated.counted.len();
    let sampled = match rows > ROWS {
        true => format!("{ROWS} of {}, drawn at random", counted(rows, "row")),
        false => counted(rows, "row"),
    };
    let percent = 100.0 * SHARE;
    let names = response.names();
    let title = response.title(None);
    let others = match names.len() > LINES {
        true => format!(" The first {LINES} of {} classes are drawn.", names.len()),
        false => String::new(),
    };
    let text = format!(
        "The {title} as one column varies and the others stay as they are: lines are means over {sampled}, bands hold {percent:.0} % of them. Where columns depend on each other, some of the combinations \
         do not occur in practice.{others}{}",
        response.of_first()
    );
    let picture = plot::dependence(&DependencePlot {
        title: "Partial dependence",
        subtitle: &format!("mean over {sampled}; bands hold {percent:.0} % of the rows"),
        y_title: &title,
        panels: curves.iter().map(panel).collect(),
        names: &names[..names.len().min(LINES)],
    });
    (!curves.is_empty()).then(|| Explanation {
        heading: "Partial dependence",
        text,
        pictures: vec![picture],
        tables: Vec::new(),
    })
}

fn panel(curve: &Dependence) -> DependencePanel {
    let values = match curve.categories.is_empty() {
        true => DependenceValues::Numbers(curve.numbers.clone()),
        false => DependenceValues::Names(curve.categories.clone()),
    };
    let lines = curve.curves.iter().take(LINES).map(|line| BandLine {
        mean: line.mean.clone(),
        lower: line.lower.clone(),
        upper: line.upper.clone(),
    });
    DependencePanel { name: curve.name.clone(), values, lines: lines.collect() }
}
