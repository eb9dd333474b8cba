//! Predictions of a fitted model for a table.

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
use crate::data::{Input, InputKind, Prepared, Scales};
use crate::prediction::{OutlierScores, Prediction};
use crate::svm_view::SvmView;

/// The predictions of `model` for `table`, whose columns are those of the model and are scaled first;
/// with `std`, also the standard deviations of a regression.
pub fn predict(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
    std: bool,
) -> Result<Prediction> {
    match model {
        Model::KernelRidge32(ridge) => {
            by_ridge(session, ridge, model_input(session, model, scaling, table)?, std)
        }
        Model::KernelRidge64(ridge) => {
            by_ridge(session, ridge, model_input(session, model, scaling, table)?, std)
        }
        Model::Svm32(_) | Model::Svm64(_) => {
            let machine = SvmView::of(model).expect("this is a support vector machine");
            Ok(machine.prediction(decisions(session, model, scaling, table)?))
        }
        Model::KernelKMeans32(clusters) => {
            by_centres(session, clusters, model_input(session, model, scaling, table)?)
        }
        Model::KernelKMeans64(clusters) => {
            by_centres(session, clusters, model_input(session, model, scaling, table)?)
        }
        Model::Detector32(detector) => {
            by_detector(session, detector, model_input(session, model, scaling, table)?)
        }
        Model::Detector64(detector) => {
            by_detector(session, detector, model_input(session, model, scaling, table)?)
        }
        Model::Pca(_) | Model::KernelPca32(_) | Model::KernelPca64(_) | Model::Repair(_) => {
            unreachable!("a model that transforms rows predicts nothing")
        }
    }
}

/// The rows of `table` as input of `model`.
pub fn model_input<T: Real>(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Input<T>> {
    let input_kind = InputKind::of_model(model);
    Ok(Prepared::of(session, table, &input_kind, Scales::Apply(scaling))?.input)
}

/// The squared distances (m × clusters) of the rows of `table` from the centres of the clusters
/// of `model`.
pub fn distances(
    session: &Session,
    model: &Model,
    scaling: Option<&Scaling>,
    table: &Table,
) -> Result<Mat<f64>> {
    match model {
        Model::KernelKMeans32(clusters) => {
            from_centres(session, clusters, &model_input(session, model, scaling, table)?)
        }
        Model::KernelKMeans64(clusters) => {
            from_centres(session, clusters, &model_input(session, model, scaling, table)?)
        }
        _ => unreachable!("only clusters have centres"),
    }
}

fn from_centres<T: Real>(
    session: &Session,
    model: &KernelKMeans<T>,
    input: &Input<T>,
) -> Result<Mat<f64>> {
    match input {
        Input::Samples(x) => model.distances(&session.context, x),
        Input::Matrix(_) => unreachable!("only vectors are plotted over a plane"),
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
        Model::Svm32(svm) => by_machine(session, svm, model_input(session, model, scaling, table)?),
        Model::Svm64(svm) => by_machine(session, svm, model_input(session, model, scaling, table)?),
        _ => unreachable!("only support vector machines have decision values"),
    }
}

fn by_machine<T: Real>(session: &Session, svm: &Svm<T>, rows: Input<T>) -> Result<Mat<f64>> {
    match rows {
        Input::Samples(x) => svm.decisions(&session.context, &x),
        Input::Matrix(values) => svm.decisions_gram(&session.context, values.view()),
    }
}

fn by_centres<T: Real>(
    session: &Session,
    model: &KernelKMeans<T>,
    rows: Input<T>,
) -> Result<Prediction> {
    let context = &session.context;
    let x = match rows {
        Input::Samples(x) => x,
        Input::Matrix(values) => {
            // Distances need the kernel value of a row with itself too, which is not among them.
            let places = model.predict_gram(context, values.view())?;
            return Ok(Prediction::Clusters { places, distances: None });
        }
    };
    let (places, squares) = (model.predict(context, &x)?, model.distances(context, &x)?);
    let distances = places.iter().enumerate().map(|(row, &place)| squares[(row, place)].sqrt());
    Ok(Prediction::Clusters { distances: Some(distances.collect()), places })
}

fn by_detector<T: Real>(
    session: &Session,
    model: &Detector<T>,
    rows: Input<T>,
) -> Result<Prediction> {
    let scores = match (rows, model.score) {
        (Input::Samples(x), _) => model.scores(&session.context, &x)?,
        (Input::Matrix(values), Score::Projections) => {
            model.scores_gram(&session.context, values.view(), None)?
        }
        (Input::Matrix(_), Score::Reconstruction) => {
            let message = "this model was fitted on a precomputed kernel, and its scores need the kernel \
                           value of each row with itself, which a table cannot provide: use the Python \
                           package";
            return Err(Error::Shape(message.into()));
        }
    };
    Ok(Prediction::Outliers(OutlierScores { scores, threshold: model.threshold }))
}

fn by_ridge<T: Real>(
    session: &Session,
    model: &KernelRidge<T>,
    rows: Input<T>,
    std: bool,
) -> Result<Prediction> {
    let values = predictions(session, model, &rows)?;
    let deviations = match rows {
        Input::Samples(x) if std => Some(deviations(session, model, &x)?),
        Input::Matrix(_) if std => {
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

/// Predictions for rows: n × targets.
pub fn predictions<T: Real>(
    session: &Session,
    model: &KernelRidge<T>,
    rows: &Input<T>,
) -> Result<Mat<f64>> {
    let mut out = Mat::<T>::zeros(rows.n(), model.t());
    match rows {
        Input::Samples(x) => model.predict(&session.context, x, out.view_mut())?,
        Input::Matrix(values) => {
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
