//! Clusters of a table that is read in blocks.

use mercer::Result;
use mercer::context::Step;
use mercer::io::stream::TableStream;
use mercer::io::{Column, ModelFile, Table};
use mercer::model::kernel_kmeans::KernelKMeans;
use mercer::model::landmarks::{Regrouped, RowBlocks};

use super::{job, means, params};
use crate::args::{KmeansArgs, Scale, TableFile};
use crate::facts::{self, Facts};
use crate::failure::Failure;
use crate::prediction::{Extras, Names, Prediction};
use crate::results::{Predictions, more_labels, row_numbers, titles_beside};
use crate::run::Session;
use crate::run::columns::{Chosen, Roles};
use crate::run::stream::{self, FitRows, Pieces};
use crate::run::unsupervised;

/// Fits on the table, and writes the clusters of its rows as they come.
pub(super) fn kmeans(
    session: &Session,
    args: &KmeansArgs,
    roles: Roles<'_>,
    table: TableStream,
) -> std::result::Result<(), Failure> {
    stream::refuse(&args.plot, args.results.page.report.as_ref())?;
    let scale = roles.input_kind.scaling(args.learning.features.scale, Scale::Standard)?;
    let mut rows = FitRows::new(session, table, roles, scale, args.clusters.precision)?;
    let (types, roles) = (rows.types, rows.roles);
    let mut blocks = Regrouped::new(&mut rows);
    let context = &session.context;
    let model = KernelKMeans::fit_blocks(context, &params(args), &mut blocks, types.work)?;
    let (distances, weights) = distances(session, &model, &mut blocks)?;
    let means = means(&model, weights.as_deref(), &distances);
    let labels = model.labels.clone();
    let (mut table, chosen, scaling, mut reading) = rows.into_parts();
    let fill = chosen.places.encoding.clone();
    let mut saved = ModelFile::new(model.into(), types.result);
    saved.scaling = scaling;
    saved.feature_names = chosen.features.names.clone();
    facts::note_places(&mut saved, &chosen.places);
    facts::note_clusters(&mut saved, &means, None);
    let facts = Facts::of(&saved);
    let mut written = 0;
    let pieces = args.results.output.as_ref().map(|file| {
        let of = |table: Table, before: u64| {
            let chosen = stream::split(table, &roles, fill.as_ref())?;
            if chosen.features.n_rows() == 0 {
                return Ok(None);
            }
            let own = written..written + chosen.features.n_rows();
            written = own.end;
            let places = labels[own.clone()].to_vec();
            let distances = Some(distances[own].to_vec());
            let prediction = Prediction::Clusters { places, distances };
            let chosen = (chosen, before as usize);
            Ok(Some(piece(args, chosen, &prediction, types.result, file)))
        };
        (file, Pieces { stream: &mut table, of })
    });
    let model = args.results.model.as_ref().map(|file| (file, &saved));
    let (outputs, written) = stream::write(session, pieces, model)?;
    reading.passes += written.passes;
    let brief = || facts.clustering.as_ref().map(|c| c.table()).expect("this is a clustering");
    unsupervised::finish_stream(session, &job(args), (&facts, &[]), reading, outputs, brief)
}

/// The distance of each row from its centre, and the weights of the rows if they have any, in one more pass.
fn distances(
    session: &Session,
    model: &KernelKMeans,
    rows: &mut dyn RowBlocks,
) -> Result<(Vec<f64>, Option<Vec<f64>>)> {
    session.progress.begin("distances");
    let context = &session.context;
    let (mut distances, mut weights): (Vec<f64>, Option<Vec<f64>>) = (Vec::new(), None);
    rows.rewind(1)?;
    let total = rows.rows();
    while let Some(block) = rows.next()? {
        if let Some(own) = &block.weights {
            weights.get_or_insert_default().extend(own.iter());
        }
        let squares = model.distances(&context.without_steps(), &block.samples)?;
        let labels = &model.labels[distances.len()..][..squares.rows()];
        let own = labels.iter().enumerate().map(|(row, &label)| squares[(row, label)].sqrt());
        distances.extend(own);
        match total {
            Some(n) => context.step(Step::new("distances", distances.len() as f64, n as f64))?,
            None => context.poll()?,
        }
    }
    Ok((distances, weights))
}

/// The clusters of some rows, `before` of which stand before them in the table.
fn piece(
    args: &KmeansArgs,
    (chosen, before): (Chosen, usize),
    prediction: &Prediction,
    dtype: mercer::Dtype,
    file: &TableFile,
) -> Table {
    let names = Names { targets: &[], classes: None };
    let labels: Vec<_> = chosen.label.iter().chain(&chosen.more_labels).cloned().collect();
    let mut columns: Vec<(String, Column)> =
        prediction.columns(names, dtype, Extras::default(), titles_beside(&labels));
    if args.row_numbers {
        let others: Vec<String> = labels.iter().map(|(name, _)| name.clone()).collect();
        let n = chosen.features.n_rows();
        let own = |row: usize| chosen.rows.as_ref().map_or(row, |rows| rows[row]);
        let rows: Vec<usize> = (0..n).map(|row| before + own(row)).collect();
        columns.insert(0, row_numbers(n, Some(&rows), &others));
    }
    let more = more_labels(chosen.more_labels, Some(file));
    let columns = more.into_iter().chain(columns).collect();
    Predictions { columns, label: chosen.label }.table(file.format)
}
