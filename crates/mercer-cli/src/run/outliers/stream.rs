//! Outliers of a table that is read in blocks.

use mercer::io::stream::TableStream;
use mercer::io::{Column, ModelFile, Table};
use mercer::model::detector::Detector;
use mercer::model::landmarks::Regrouped;

use super::{job, params, warnings};
use crate::args::{OutliersArgs, Scale};
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::prediction::{OutlierScores, Ranking};
use crate::results::{Predictions, more_labels, titles_beside};
use crate::run::Session;
use crate::run::columns::Roles;
use crate::run::stream::{self, FitRows, Pieces};
use crate::run::unsupervised;

/// Fits on the table, and writes the scores of its rows as they come.
pub fn outliers(
    session: &Session,
    args: &OutliersArgs,
    roles: Roles<'_>,
    table: TableStream,
) -> Result<(), Failure> {
    stream::refuse(&args.plot, args.results.page.report.as_ref())?;
    let scale = roles.input_kind.scaling(args.features.scale, Scale::Standard)?;
    let mut rows = FitRows::new(session, table, roles, scale, args.precision)?;
    let (types, roles) = (rows.types, rows.roles);
    let mut blocks = Regrouped::new(&mut rows);
    let model = Detector::fit_blocks(&session.context, &params(args), &mut blocks, types.work)?;
    let outliers = OutlierScores { scores: model.training.clone(), threshold: model.threshold };
    let (ranking, warnings) = (outliers.ranking(), warnings(&model));
    let (mut table, chosen, scaling, mut reading) = rows.into_parts();
    let fill = chosen.places.encoding.clone();
    let mut saved = ModelFile::new(model.into(), types.result);
    saved.scaling = scaling;
    saved.feature_names = chosen.features.names.clone();
    facts::note_places(&mut saved, &chosen.places);
    let facts = Facts::of(&saved);
    let (output, mut scored) = (args.results.output.as_ref(), 0);
    let pieces = output.map(|file| {
        let of = |table: Table, before: u64| {
            let chosen = stream::split(table, &roles, fill.as_ref())?;
            if chosen.features.n_rows() == 0 {
                return Ok(None);
            }
            let own: Vec<usize> = (scored..scored + chosen.features.n_rows()).collect();
            scored += own.len();
            let labels: Vec<_> = chosen.label.iter().chain(&chosen.more_labels).cloned().collect();
            let title = titles_beside(&labels);
            let ranks = own.iter().map(|&row| ranking.ranks[row] as f64).collect();
            let numbers = (0..own.len())
                .map(|row| chosen.rows.as_ref().map_or(row, |rows| rows[row]))
                .map(|row| (before + row as u64 + 1) as f64);
            let mut columns = more_labels(chosen.more_labels.clone(), Some(file));
            columns.push((title("row"), Column::F64(numbers.collect())));
            columns.extend(outliers.columns(&own, types.result, &title));
            columns.push((title("rank"), Column::F64(ranks)));
            Ok(Some(Predictions { columns, label: chosen.label }.table(file.format)))
        };
        (file, Pieces { stream: &mut table, of })
    });
    let model = args.results.model.as_ref().map(|file| (file, &saved));
    let (outputs, written) = stream::write(session, pieces, model)?;
    reading.passes += written.passes;
    let top = top(args.top as usize, &outliers, &ranking);
    let found = (&facts, &warnings[..]);
    unsupervised::finish_stream(session, &job(args), found, reading, outputs, || top)
}

/// The rows with the largest scores.
fn top(count: usize, outliers: &OutlierScores, ranking: &Ranking) -> Table {
    let rows = &ranking.order[..count.min(ranking.order.len())];
    let numbers = |values: Vec<f64>| Column::F64(values);
    let mut columns = vec![
        ("rank".to_string(), numbers(rows.iter().map(|&row| ranking.ranks[row] as f64).collect())),
        ("row".to_string(), numbers(rows.iter().map(|&row| (row + 1) as f64).collect())),
    ];
    columns.extend(outliers.columns(rows, mercer::Dtype::F64, str::to_string));
    let (names, columns) = columns.into_iter().unzip();
    Table::new(names, columns)
}
