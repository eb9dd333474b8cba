//! Predictions of a fitted model for a table.

use mercer::io::{Model, Table};
use mercer::model::detector::{Detector, OutlierScore as Score};
use mercer::model::kernel_kmeans::KernelKMeans;
use mercer::model::kernel_ridge::KernelRidge;
use mercer::model::posterior::PosteriorStd;
use mercer::model::{Scaling, classes};
use mercer::{AnySamples, Error, Input, Mat, Result};

use super::Session;
use crate::data::{InputKind, Prepared, Scales};
use crate::machine::prediction;
use crate::prediction::{OutlierScores, Prediction};

/// The predictions of `model` for `table`, whose columns are those of the model and are scaled first;
/// with `std`, also the standard deviations of a regression.
pub fn predict(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
    std: bool,
) -> Result<Prediction> {
    let rows = model_input(session, model, scaling, table)?;
    match model {
        Model::KernelRidge(ridge) => by_ridge(session, ridge, &rows, std),
        Model::Svm(machine) => Ok(prediction(machine, machine.decisions(&session.context, &rows)?)),
        Model::KernelKMeans(clusters) => by_centres(session, clusters, &rows),
        Model::Detector(detector) => by_detector(session, detector, &rows),
        Model::Pca(_) | Model::KernelPca(_) | Model::Repair(_) | Model::KernelFeatures(_) => {
            unreachable!("a model that transforms rows predicts nothing")
        }
    }
}

/// The rows of `table` as input of `model`.
pub fn model_input(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Input<'static>> {
    let (input_kind, dtype) = (InputKind::of_model(model), model.precision());
    Ok(Prepared::of(session, table, &input_kind, Scales::Apply(scaling), dtype)?.input)
}

/// The squared distances (m × clusters) of the rows of `table` from the centres of the clusters
/// of `model`.
pub fn distances(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Mat<f64>> {
    let Model::KernelKMeans(clusters) = model else {
        unreachable!("only clusters have centres");
    };
    clusters.distances(&session.context, model_input(session, model, scaling, table)?)
}

/// The decisions (m × problems) of the support vector machine `model` for the rows of `table`.
pub fn decisions(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Mat<f64>> {
    let Model::Svm(machine) = model else {
        unreachable!("only support vector machines have decision values");
    };
    machine.decisions(&session.context, model_input(session, model, scaling, table)?)
}

fn by_centres(session: &Session, model: &KernelKMeans, rows: &Input<'_>) -> Result<Prediction> {
    let context = &session.context;
    let places = model.predict(context, rows)?;
    if !matches!(rows, Input::Samples(_)) {
        // Distances need the kernel value of a row with itself too, which is not among them.
        return Ok(Prediction::Clusters { places, distances: None });
    }
    let squares = model.distances(context, rows)?;
    let distances = places.iter().enumerate().map(|(row, &place)| squares[(row, place)].sqrt());
    Ok(Prediction::Clusters { distances: Some(distances.collect()), places })
}

fn by_detector(session: &Session, model: &Detector, rows: &Input<'_>) -> Result<Prediction> {
    if !matches!(rows, Input::Samples(_)) && model.score == Score::Reconstruction {
        let message = "this model was fitted on a precomputed kernel, and its scores need the kernel \
                       value of each row with itself, which a table cannot provide: use the Python \
                       package";
        return Err(Error::Shape(message.into()));
    }
    let scores = model.scores(&session.context, rows)?;
    Ok(Prediction::Outliers(OutlierScores { scores, threshold: model.threshold }))
}

fn by_ridge(
    session: &Session,
    model: &KernelRidge,
    rows: &Input<'_>,
    std: bool,
) -> Result<Prediction> {
    let values = model.predict(&session.context, rows)?;
    let deviations = match rows {
        Input::Samples(x) if std => Some(deviations(session, model, x)?),
        _ if std => {
            let message = "not available for a precomputed kernel: it needs the kernel value of each row \
                           with itself, which a table cannot provide";
            return Err(Error::parameter("--std", message));
        }
        _ => None,
    };
    if model.classes.is_none() {
        return Ok(Prediction::Values { values, deviations });
    }
    let places = classes::decode(values.view());
    Ok(Prediction::Classes { places, scores: values, decisions: None, probabilities: None })
}

/// The standard deviations of single new values (m × targets), with the noise that the model assumes: of variance alpha in units
/// of the amplitude. `of_function` are those of the predictions.
pub fn with_noise(session: &Session, model: &Model, of_function: &Mat<f64>) -> Result<Mat<f64>> {
    let Model::KernelRidge(ridge) = model else {
        unreachable!("only kernel ridge regression has posterior standard deviations")
    };
    let amplitudes = PosteriorStd::amplitudes(&session.context, ridge)?;
    let alphas = &ridge.params.alpha;
    let alpha = |j: usize| alphas[if alphas.len() == 1 { 0 } else { j }];
    let whole = |i: usize, j: usize| of_function[(i, j)].hypot(amplitudes[j] * alpha(j).sqrt());
    Ok(Mat::from_fn(of_function.rows(), of_function.cols(), whole))
}

/// Standard deviations of predictions: n × targets.
fn deviations(session: &Session, model: &KernelRidge, x: &AnySamples) -> Result<Mat<f64>> {
    let context = &session.context;
    let amplitudes = PosteriorStd::amplitudes(context, model)?;
    let own = PosteriorStd::new(context, model)?.deviations(context, x)?;
    Ok(Mat::from_fn(own.rows(), own.cols(), |i, j| amplitudes[j] * own[(i, j)]))
}
