//! What a fitted model says of the rows of a table.

use mercer::io::{Model, Table};
use mercer::linalg::view::Mat;
use mercer::model::detector::{Detector, OutlierScore as Score};
use mercer::model::kernel_kmeans::KernelKMeans;
use mercer::model::kernel_ridge::KernelRidge;
use mercer::model::posterior::PosteriorStd;
use mercer::model::svm::Svm;
use mercer::model::{Scaling, classes};
use mercer::points::Samples;
use mercer::real::Real;
use mercer::{Error, Result};

use super::Session;
use crate::data::{Basis, Form, Prepared, Scales};
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
    match model {
        Model::KernelRidge32(ridge) => {
            by_ridge(session, ridge, basis(session, model, scaling, table)?, std)
        }
        Model::KernelRidge64(ridge) => {
            by_ridge(session, ridge, basis(session, model, scaling, table)?, std)
        }
        Model::Svm32(_) | Model::Svm64(_) => {
            let machine = Machine::of(model).expect("these are machines");
            Ok(machine.says(decisions(session, model, scaling, table)?))
        }
        Model::KernelKMeans32(clusters) => {
            by_centres(session, clusters, basis(session, model, scaling, table)?)
        }
        Model::KernelKMeans64(clusters) => {
            by_centres(session, clusters, basis(session, model, scaling, table)?)
        }
        Model::Detector32(detector) => {
            by_detector(session, detector, basis(session, model, scaling, table)?)
        }
        Model::Detector64(detector) => {
            by_detector(session, detector, basis(session, model, scaling, table)?)
        }
        Model::Pca(_) | Model::KernelPca32(_) | Model::KernelPca64(_) | Model::Repair(_) => {
            unreachable!("a model that transforms rows predicts nothing")
        }
    }
}

/// The rows of `table` in the form that `model` wants them in.
pub fn basis<T: Real>(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Basis<T>> {
    let form = Form::of_model(model);
    Ok(Prepared::of(session, table, &form, Scales::Apply(scaling))?.basis)
}

/// The squared distances (m × clusters) of the rows of `table` from the centres of the clusters
/// that `model` knows.
pub fn distances(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Mat<f64>> {
    match model {
        Model::KernelKMeans32(clusters) => {
            from_centres(session, clusters, &basis(session, model, scaling, table)?)
        }
        Model::KernelKMeans64(clusters) => {
            from_centres(session, clusters, &basis(session, model, scaling, table)?)
        }
        _ => unreachable!("only clusters have centres"),
    }
}

fn from_centres<T: Real>(
    session: &Session,
    model: &KernelKMeans<T>,
    basis: &Basis<T>,
) -> Result<Mat<f64>> {
    match basis {
        Basis::Samples(x) => model.distances(&session.context, x),
        Basis::Matrix(_) => unreachable!("only rows of numbers are drawn over a plane"),
    }
}

/// The decisions (m × problems) of the support vector machine `model` for the rows of `table`.
pub fn decisions(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Mat<f64>> {
    match model {
        Model::Svm32(svm) => by_machine(session, svm, basis(session, model, scaling, table)?),
        Model::Svm64(svm) => by_machine(session, svm, basis(session, model, scaling, table)?),
        _ => unreachable!("only support vector machines have decisions"),
    }
}

fn by_machine<T: Real>(session: &Session, svm: &Svm<T>, rows: Basis<T>) -> Result<Mat<f64>> {
    match rows {
        Basis::Samples(x) => svm.decisions(&session.context, &x),
        Basis::Matrix(values) => svm.decisions_gram(&session.context, values.view()),
    }
}

fn by_centres<T: Real>(session: &Session, model: &KernelKMeans<T>, rows: Basis<T>) -> Result<Said> {
    let context = &session.context;
    let x = match rows {
        Basis::Samples(x) => x,
        Basis::Matrix(values) => {
            // Distances need the kernel value of a row with itself too, which is not among them.
            let places = model.predict_gram(context, values.view())?;
            return Ok(Said::Clusters { places, distances: None });
        }
    };
    let (places, squares) = (model.predict(context, &x)?, model.distances(context, &x)?);
    let distances = places.iter().enumerate().map(|(row, &place)| squares[(row, place)].sqrt());
    Ok(Said::Clusters { distances: Some(distances.collect()), places })
}

fn by_detector<T: Real>(session: &Session, model: &Detector<T>, rows: Basis<T>) -> Result<Said> {
    let scores = match (rows, model.score) {
        (Basis::Samples(x), _) => model.scores(&session.context, &x)?,
        (Basis::Matrix(values), Score::Projections) => {
            model.scores_gram(&session.context, values.view(), None)?
        }
        (Basis::Matrix(_), Score::Reconstruction) => {
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
    rows: Basis<T>,
    std: bool,
) -> Result<Said> {
    let values = predictions(session, model, &rows)?;
    let deviations = match rows {
        Basis::Samples(x) if std => Some(deviations(session, model, &x)?),
        Basis::Matrix(_) if std => {
            let message = "this model learned from a kernel matrix, and deviations need the kernel \
                           value of each row with itself, for which a table has no place";
            return Err(Error::parameter("--std", message));
        }
        _ => None,
    };
    if model.classes.is_none() {
        return Ok(Said::Values { values, deviations });
    }
    let places = classes::decode(values.view());
    Ok(Said::Classes { places, scores: values, decisions: None, probabilities: None })
}

/// Predictions for rows: n × targets.
pub fn predictions<T: Real>(
    session: &Session,
    model: &KernelRidge<T>,
    rows: &Basis<T>,
) -> Result<Mat<f64>> {
    let mut out = Mat::<T>::zeros(rows.n(), model.t());
    match rows {
        Basis::Samples(x) => model.predict(&session.context, x, out.view_mut())?,
        Basis::Matrix(values) => {
            model.predict_gram(&session.context, values.view(), out.view_mut())?;
        }
    }
    Ok(Mat::from_fn(out.rows(), out.cols(), |i, j| out[(i, j)].to_f64()))
}

/// Standard deviations of predictions: n × targets.
fn deviations<T: Real>(
    session: &Session,
    model: &KernelRidge<T>,
    x: &Samples<T>,
) -> Result<Mat<f64>> {
    let context = &session.context;
    let amplitudes = PosteriorStd::amplitudes(context, model)?;
    let own = PosteriorStd::new(context, model)?.deviations(context, x)?;
    Ok(Mat::from_fn(own.rows(), own.cols(), |i, j| amplitudes[j] * own[(i, j)]))
}
