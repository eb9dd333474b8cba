//! What a loaded model says of the new samples.

use mercer::io::{Model, ModelFile};
use mercer::linalg::view::{MatMut, MatRef};
use mercer::model::detector::Detector;
use mercer::model::kernel_kmeans::KernelKMeans;
use mercer::model::kernel_pca::KernelPca;
use mercer::model::kernel_ridge::KernelRidge;
use mercer::model::pca::Pca;
use mercer::model::svm::Svm;
use mercer::model::validity::FittedRepair;
use mercer::real::Real;
use mercer::{Context, Dense};

use crate::samples::{D, M, NEW};

/// Scores or decisions of the new samples (M × k) and, where the model has a map back, the samples they map to (M × D).
pub fn results(saved: &ModelFile) -> (Vec<f64>, Option<Vec<f64>>) {
    let mut values = NEW.to_vec();
    if let Some(scaling) = &saved.scaling {
        scaling.apply(&mut values, D).unwrap();
    }
    match &saved.model {
        Model::Pca(model) => pca(model, &values),
        Model::KernelPca32(model) => kernel_pca(model, &values),
        Model::KernelPca64(model) => kernel_pca(model, &values),
        Model::KernelRidge32(model) => (kernel_ridge(model, &values), None),
        Model::KernelRidge64(model) => (kernel_ridge(model, &values), None),
        Model::Svm32(model) => (svm(model, &values), None),
        Model::Svm64(model) => (svm(model, &values), None),
        Model::KernelKMeans32(model) => (kernel_kmeans(model, &values), None),
        Model::KernelKMeans64(model) => (kernel_kmeans(model, &values), None),
        Model::Detector32(model) => (detector(model, &values), None),
        Model::Detector64(model) => (detector(model, &values), None),
        Model::Repair(model) => (repair(model), None),
    }
}

fn kernel_ridge<T: Real>(model: &KernelRidge<T>, values: &[f64]) -> Vec<f64> {
    let x = Dense::from_vec(values.iter().map(|&v| T::from_f64(v)).collect(), M, D).unwrap();
    let mut out = vec![T::ZERO; M * model.t()];
    let place = MatMut::new(&mut out, M, model.t(), model.t());
    model.predict(&Context::new(1), &x, place).unwrap();
    out.iter().map(|v| v.to_f64()).collect()
}

fn kernel_kmeans<T: Real>(model: &KernelKMeans<T>, values: &[f64]) -> Vec<f64> {
    let x = Dense::from_vec(values.iter().map(|&v| T::from_f64(v)).collect(), M, D).unwrap();
    model.distances(&Context::new(1), &x).unwrap().into_vec()
}

fn detector<T: Real>(model: &Detector<T>, values: &[f64]) -> Vec<f64> {
    let x = Dense::from_vec(values.iter().map(|&v| T::from_f64(v)).collect(), M, D).unwrap();
    let scores = model.scores(&Context::new(1), &x).unwrap();
    scores.into_iter().map(|score| score / model.threshold).collect()
}

/// The repaired values of two new samples with the training samples, and with themselves.
fn repair(model: &FittedRepair) -> Vec<f64> {
    let n = model.correction.samples;
    let values: Vec<f64> = (0..2 * n).map(|i| (i as f64 * 0.7).sin()).collect();
    let rows = MatRef::new(&values, 2, n, n);
    let mut out = vec![0.0; 2 * n];
    model.correction.apply(rows, MatMut::new(&mut out, 2, n, n)).unwrap();
    out.extend(model.correction.diagonal(rows, &[1.0, 2.0]).unwrap());
    out
}

fn svm<T: Real>(model: &Svm<T>, values: &[f64]) -> Vec<f64> {
    let x = Dense::from_vec(values.iter().map(|&v| T::from_f64(v)).collect(), M, D).unwrap();
    model.decisions(&Context::new(1), &x).unwrap().into_vec()
}

fn pca(model: &Pca, values: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
    let (ctx, k) = (Context::new(1), model.k());
    let mut scores = vec![0.0; M * k];
    let out = MatMut::new(&mut scores, M, k, k);
    model.transform(&ctx, MatRef::new(values, M, D, D), out).unwrap();
    let mut back = vec![0.0; M * D];
    let out = MatMut::new(&mut back, M, D, D);
    model.inverse_transform(&ctx, MatRef::new(&scores, M, k, k), out).unwrap();
    (scores, Some(back))
}

fn kernel_pca<T: Real>(model: &KernelPca<T>, values: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
    let (ctx, k) = (Context::new(1), model.k());
    let x = Dense::from_vec(values.iter().map(|&v| T::from_f64(v)).collect(), M, D).unwrap();
    let mut scores = vec![T::ZERO; M * k];
    model.transform(&ctx, &x, MatMut::new(&mut scores, M, k, k)).unwrap();
    let wide = |values: &[T]| values.iter().map(|v| v.to_f64()).collect::<Vec<_>>();
    let wide_scores = wide(&scores);
    let back = model.inverse.as_ref().map(|_| {
        let mut back = vec![T::ZERO; M * D];
        let given = Dense::from_vec(scores, M, k).unwrap();
        model.inverse_transform(&ctx, &given, MatMut::new(&mut back, M, D, D)).unwrap();
        wide(&back)
    });
    (wide_scores, back)
}
