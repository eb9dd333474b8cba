//! What a fitted model says of the rows of a table.

use mercer::io::{Model, Table};
use mercer::linalg::view::Mat;
use mercer::model::detector::{Detector, Unusual as Score};
use mercer::model::kernel_kmeans::KernelKMeans;
use mercer::model::kernel_ridge::KernelRidge;
use mercer::model::spread::Spread;
use mercer::model::svm::Svm;
use mercer::model::{Scaling, classes};
use mercer::real::Real;
use mercer::{Error, Result};

use super::Session;
use crate::data::{Rows, Scales};
use crate::machine::Machine;
use crate::said::{Said, Unusual};

/// What `model` says of `table`, whose columns are those of the model and are scaled first; with
/// `std`, also the standard deviations of a regression.
pub fn evaluate(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
    std: bool,
) -> Result<Said> {
    let scales = Scales::Apply(scaling);
    match model {
        Model::KernelRidge32(ridge) => by_ridge(session, ridge, Rows::of(table, scales)?, std),
        Model::KernelRidge64(ridge) => by_ridge(session, ridge, Rows::of(table, scales)?, std),
        Model::Svm32(_) | Model::Svm64(_) => {
            let machine = Machine::of(model).expect("these are machines");
            Ok(machine.says(decisions(session, model, scaling, table)?))
        }
        Model::KernelKMeans32(model) => by_centres(session, model, Rows::of(table, scales)?),
        Model::KernelKMeans64(model) => by_centres(session, model, Rows::of(table, scales)?),
        Model::Detector32(model) => by_detector(session, model, Rows::of(table, scales)?),
        Model::Detector64(model) => by_detector(session, model, Rows::of(table, scales)?),
        Model::Pca(_) | Model::KernelPca32(_) | Model::KernelPca64(_) => {
            unreachable!("a model that has components says nothing of rows")
        }
    }
}

/// The squared distances (m × clusters) of the rows of `table` from the centres of the clusters
/// that `model` knows.
pub fn distances(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Mat<f64>> {
    let (context, scales) = (&session.context, Scales::Apply(scaling));
    match model {
        Model::KernelKMeans32(model) => {
            model.distances(context, &Rows::of(table, scales)?.dense()?)
        }
        Model::KernelKMeans64(model) => {
            model.distances(context, &Rows::of(table, scales)?.dense()?)
        }
        _ => unreachable!("only clusters have centres"),
    }
}

/// The decisions (m × problems) of the support vector machine `model` for the rows of `table`.
pub fn decisions(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Mat<f64>> {
    let scales = Scales::Apply(scaling);
    match model {
        Model::Svm32(svm) => by_machine(session, svm, Rows::of(table, scales)?),
        Model::Svm64(svm) => by_machine(session, svm, Rows::of(table, scales)?),
        _ => unreachable!("only support vector machines have decisions"),
    }
}

fn by_machine<T: Real>(session: &Session, svm: &Svm<T>, rows: Rows<T>) -> Result<Mat<f64>> {
    match svm.anchors {
        Some(_) => svm.decisions(&session.context, &rows.dense()?),
        // The columns are kernel values with the rows that the model learned from.
        None => svm.decisions_gram(&session.context, rows.view()),
    }
}

fn by_centres<T: Real>(session: &Session, model: &KernelKMeans<T>, rows: Rows<T>) -> Result<Said> {
    let context = &session.context;
    if model.anchors.is_none() {
        // The columns are kernel values with the rows that the model learned from. Distances need
        // that of a row with itself too, which is not among them.
        let places = model.predict_gram(context, rows.view())?;
        return Ok(Said::Clusters { places, distances: None });
    }
    let x = rows.dense()?;
    let (places, squares) = (model.predict(context, &x)?, model.distances(context, &x)?);
    let distances = places.iter().enumerate().map(|(row, &place)| squares[(row, place)].sqrt());
    Ok(Said::Clusters { distances: Some(distances.collect()), places })
}

fn by_detector<T: Real>(session: &Session, model: &Detector<T>, rows: Rows<T>) -> Result<Said> {
    let scores = match (&model.pca.anchors, model.score) {
        (Some(_), _) => model.scores(&session.context, &rows.dense()?)?,
        // The columns are kernel values with the rows that the model learned from.
        (None, Score::Projections) => model.scores_gram(&session.context, rows.view(), None)?,
        (None, Score::Reconstruction) => {
            let message = "this model learned from a kernel matrix, and its scores need the kernel \
                           value of each row with itself, for which a table has no place: score rows \
                           by the Python package";
            return Err(Error::Shape(message.into()));
        }
    };
    Ok(Said::Unusual(Unusual { scores, threshold: model.threshold }))
}

fn by_ridge<T: Real>(
    session: &Session,
    model: &KernelRidge<T>,
    rows: Rows<T>,
    std: bool,
) -> Result<Said> {
    let context = &session.context;
    let mut out = Mat::<T>::zeros(rows.n, model.t());
    let mut deviations = None;
    if model.anchors.is_none() && !std {
        // The columns are kernel values with the rows that the model learned from.
        model.predict_gram(context, rows.view(), out.view_mut())?;
    } else {
        let x = rows.dense()?;
        if std {
            let amplitudes = Spread::amplitudes(context, model)?;
            let own = Spread::new(context, model)?.deviations(context, &x)?;
            let scaled = |i: usize, j: usize| amplitudes[j] * own[(i, j)];
            deviations = Some(Mat::from_fn(own.rows(), own.cols(), scaled));
        }
        model.predict(context, &x, out.view_mut())?;
    }
    let values = Mat::from_fn(out.rows(), out.cols(), |i, j| out[(i, j)].f64());
    if model.classes.is_none() {
        return Ok(Said::Values { values, deviations });
    }
    let places = classes::decode(values.view());
    Ok(Said::Classes { places, scores: values, decisions: None, probabilities: None })
}
