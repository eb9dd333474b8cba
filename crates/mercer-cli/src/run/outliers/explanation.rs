//! Which columns make rows outliers, for a report. It scores the top rows once for each column, a fraction of the cost of the fit, so that
//! it needs no flag.

use mercer::Result;
use mercer::io::{Column, Table};

use super::OutlierFit;
use crate::data::InputKind;
use crate::explain::{Contributions, SourceColumn, contributions, source_columns};
use crate::plot::significant;
use crate::prediction::Prediction;
use crate::report::{Explanation, ReportTable};
use crate::run::Session;
use crate::run::columns::Chosen;
use crate::run::prediction::predict;

/// The most columns that are tried.
const MOST_COLUMNS: usize = 500;
/// The most rows that are explained.
const MOST_ROWS: usize = 20;
/// The smallest fall that is listed, as a share of the score.
const LEAST: f64 = 0.01;
/// Columns that are named for each row.
const NAMED: usize = 3;

/// Which columns make the rows with the `top` largest scores unusual.
pub fn explain(
    session: &Session,
    top: usize,
    chosen: &Chosen,
    fit: &OutlierFit,
) -> Result<Vec<Explanation>> {
    let features = &chosen.features;
    let sources = source_columns(features, chosen.places.encoding.as_ref());
    let is_given = InputKind::of_model(&fit.model) == InputKind::Precomputed;
    if is_given || !(2..=MOST_COLUMNS).contains(&sources.len()) {
        return Ok(Vec::new());
    }
    session.progress.begin("explaining");
    let rows = &fit.ranking.order[..top.min(MOST_ROWS).min(fit.ranking.order.len())];
    let found = contributions(features, &sources, rows, |table| {
        session.context.poll()?;
        match predict(session, &fit.model, fit.scaling.as_ref(), table, false)? {
            Prediction::Outliers(outliers) => Ok(outliers.scores),
            _ => unreachable!("a detector predicts outlier scores"),
        }
    })?;
    let text = "The columns whose typical value (the median, or the most frequent category) would lower the score of a row most, with \
                the value of the row and the fall in percent of its score. Falls need not add up to 100 %: a row may be unusual by \
                several columns, or only by their combination.";
    Ok(vec![Explanation {
        heading: "Why these rows are outliers",
        text: text.into(),
        pictures: Vec::new(),
        tables: vec![ReportTable::all("", table(chosen, &sources, rows, &found))],
    }])
}

fn table(
    chosen: &Chosen,
    sources: &[SourceColumn],
    rows: &[usize],
    found: &Contributions,
) -> Table {
    let number = |row: &usize| chosen.rows.as_ref().map_or(*row, |rows| rows[*row]) + 1;
    let mut columns =
        vec![("row".to_string(), Column::F64(rows.iter().map(|r| number(r) as f64).collect()))];
    columns.extend(chosen.label.as_ref().map(|(name, cells)| (name.clone(), cells.take(rows))));
    columns.push(("score".into(), Column::F64(found.scores.clone())));
    let why = |(place, &row): (usize, &usize)| {
        let mut order = found.largest(place, NAMED);
        order.retain(|&j| found.falls[place][j] >= LEAST * found.scores[place]);
        let text = |&j: &usize| {
            let percent = 100.0 * found.falls[place][j] / found.scores[place];
            format!("{} = {} (−{percent:.0} %)", sources[j].name, value(chosen, &sources[j], row))
        };
        match order.is_empty() {
            true => "no single column".into(),
            false => order.iter().map(text).collect::<Vec<_>>().join(", "),
        }
    };
    columns.push(("unusual by".into(), Column::Text(rows.iter().enumerate().map(why).collect())));
    let (names, columns) = columns.into_iter().unzip();
    Table::new(names, columns)
}

/// The value of a row: a number, a text, or of a category the name of the column of zeros and ones that has a one.
fn value(chosen: &Chosen, source: &SourceColumn, row: usize) -> String {
    let features = &chosen.features;
    let first = source.columns.start;
    let is_category = features.indicators.contains(&first);
    match &features.columns[first] {
        Column::Text(texts) => texts[row].clone(),
        _ if is_category => {
            let is_one = |j: &usize| features.columns[*j].number(row) == Some(1.0);
            // Of two categories only the second has a column.
            let level = source.columns.clone().find(is_one);
            let name = features.name(level.unwrap_or(first));
            let own = name.strip_prefix(&format!("{}=", source.name)).unwrap_or(&name);
            if level.is_some() { own.to_string() } else { format!("not {own}") }
        }
        numbers => significant(numbers.number(row).unwrap_or(f64::NAN), 3),
    }
}
