//! Which training rows argue for a prediction: a kernel model is a sum of a term for each of them.

use mercer::Result;
use mercer::io::{Column, Model, Table};
use mercer::model::terms::Terms;
use mercer::{AnySamples, Input};
use serde::Serialize;

use super::{Response, Subject};
use crate::machine::pairs;
use crate::prediction::Prediction;
use crate::report::{Explanation, ReportTable};
use crate::run::prediction::model_input;

/// Training rows that are listed for a row.
const LISTED: usize = 6;

/// The largest terms in the prediction of a row.
#[derive(Debug, Serialize)]
pub struct RowTerms {
    /// The number of the row in its table, counted from 1.
    row: usize,
    /// What positive terms speak for.
    speaks_for: String,
    /// The training rows by the size of their terms, the largest first.
    terms: Vec<Term>,
    /// How many training rows have a term.
    count: usize,
    #[serde(skip)]
    title: String,
    #[serde(skip)]
    table: Table,
}

/// The term of a training row.
#[derive(Debug, Serialize)]
struct Term {
    /// Its number in the table, counted from 1.
    row: usize,
    /// The term.
    term: f64,
}

/// The terms of the model; none if its kernel was precomputed.
pub(super) fn terms_of(model: &Model) -> Option<Terms> {
    match model {
        Model::KernelRidge(ridge) => Terms::of_ridge(ridge),
        Model::Svm(machine) => Terms::of_svm(machine),
        _ => None,
    }
}

/// Which function explains a prediction, with its sign, and what a positive value speaks for.
struct Function {
    which: usize,
    sign: f64,
    speaks_for: String,
}

/// The largest terms for the rows that are predicted worst.
pub fn of_rows(subject: &Subject<'_>, response: &Response<'_>) -> Result<Vec<RowTerms>> {
    // The terms of a low-rank fit belong to landmarks, which stand for all rows.
    let model = &subject.saved.model;
    let is_low_rank = match model {
        Model::KernelRidge(ridge) => ridge.landmarks.is_some(),
        Model::Svm(machine) => machine.landmarks.is_some(),
        _ => false,
    };
    let terms = terms_of(model).filter(|_| !is_low_rank);
    let Some(terms) = terms else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for row in subject.worst_rows() {
        let Some(samples) = samples_of(subject, row)? else { return Ok(Vec::new()) };
        let function = function_of(subject, response, row);
        let values = terms.of_samples(&subject.session.context, &samples, function.which)?;
        let all: Vec<f64> = values.row(0).iter().map(|term| function.sign * term).collect();
        found.push(listed(subject, row, &terms.rows, &all, function.speaks_for));
    }
    Ok(found)
}

/// The row as the kernel takes it.
fn samples_of(subject: &Subject<'_>, row: usize) -> Result<Option<AnySamples>> {
    let (saved, table) = (subject.saved, subject.features.take_rows(&[row]));
    match model_input(subject.session, &saved.model, saved.scaling.as_ref(), &table)? {
        Input::Samples(samples) => Ok(Some(samples)),
        _ => Ok(None),
    }
}

fn function_of(subject: &Subject<'_>, response: &Response<'_>, row: usize) -> Function {
    let (Some(classes), Some(own)) = (response.classes(), response.class_of(row)) else {
        let speaks_for = format!("a larger {}", response.target());
        return Function { which: 0, sign: 1.0, speaks_for };
    };
    let speaks_for = classes[own].clone();
    if classes.len() == 2 {
        return Function { which: 0, sign: if own == 0 { -1.0 } else { 1.0 }, speaks_for };
    }
    if !matches!(subject.saved.model, Model::Svm(_)) {
        return Function { which: own, sign: 1.0, speaks_for };
    }
    // Of pairs of classes, that of the predicted class and the one that comes closest.
    let rival = rival(subject.evaluated.prediction, row, own);
    let pair = (own.min(rival), own.max(rival));
    let which = pairs(classes.len()).iter().position(|other| *other == pair).unwrap_or(0);
    let speaks_for = format!("{speaks_for} rather than {}", classes[rival]);
    Function { which, sign: if own < rival { 1.0 } else { -1.0 }, speaks_for }
}

/// The class with the largest score but for `own`.
fn rival(prediction: &Prediction, row: usize, own: usize) -> usize {
    let Prediction::Classes { scores, .. } = prediction else { return own };
    let others = (0..scores.cols()).filter(|&class| class != own);
    others.max_by(|&a, &b| scores[(row, a)].total_cmp(&scores[(row, b)])).unwrap_or(own)
}

fn listed(
    subject: &Subject<'_>,
    row: usize,
    anchors: &[usize],
    terms: &[f64],
    speaks_for: String,
) -> RowTerms {
    let mut order: Vec<usize> = (0..terms.len()).filter(|&i| terms[i] != 0.0).collect();
    let count = order.len();
    order.sort_by(|&a, &b| terms[b].abs().total_cmp(&terms[a].abs()));
    order.truncate(LISTED);
    let rows: Vec<usize> = order.iter().map(|&i| anchors[i]).collect();
    let training = subject.training;
    let numbers = rows.iter().map(|&i| training.numbers[i] as f64).collect();
    let mut columns = vec![("training row".to_string(), Column::F64(numbers))];
    let labels = training.label.into_iter().chain(training.targets);
    columns.extend(labels.map(|(name, cells)| (name.clone(), cells.take(&rows))));
    columns.push(("term".into(), Column::F64(order.iter().map(|&i| terms[i]).collect())));
    let (names, columns) = columns.into_iter().unzip();
    let term = |&i: &usize| Term { row: training.numbers[anchors[i]], term: terms[i] };
    RowTerms {
        row: subject.evaluated.numbers[row],
        terms: order.iter().map(term).collect(),
        count,
        title: format!("{}. Positive terms favour {speaks_for}", subject.row_title(row)),
        speaks_for,
        table: Table::new(names, columns),
    }
}

/// The section of a report.
pub fn section(rows: &[RowTerms], response: &Response<'_>) -> Option<Explanation> {
    rows.first()?;
    let text = format!(
        "A prediction is a sum of a term for each training row, its coefficient times the kernel value of the two rows, and a constant. Listed are the largest of these terms for the rows that are predicted \
         worst.{}",
        response.of_first()
    );
    let tables =
        rows.iter().map(|row| ReportTable::all(row.title.clone(), row.table.clone())).collect();
    Some(Explanation {
        heading: "Training rows behind single predictions",
        text,
        pictures: Vec::new(),
        tables,
    })
}
