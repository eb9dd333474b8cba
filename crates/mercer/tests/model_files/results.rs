//! What a loaded model says of the new samples.

use mercer::io::{Model, ModelFile};
use mercer::linalg::view::{MatMut, MatRef};
use mercer::model::kernel_pca::KernelPca;
use mercer::model::pca::Pca;
use mercer::model::validity::FittedRepair;
use mercer::real::Real;
use mercer::{Context, Dense, Dtype};

use crate::samples::{D, M, NEW};

/// Scores or decisions of the new samples (M × k) and, where the model has a map back, the samples they map to (M × D).
pub fn results(saved: &ModelFile) -> (Vec<f64>, Option<Vec<f64>>) {
    let mut values = NEW.to_vec();
    if let Some(scaling) = &saved.scaling {
        scaling.apply(&mut values, D).unwrap();
    }
    match &saved.model {
        Model::Pca(model) => pca(model, &values),
        Model::KernelPca(model) => match model.dtype {
            Dtype::F32 => kernel_pca::<f32>(model, &values),
            Dtype::F64 => kernel_pca::<f64>(model, &values),
        },
        Model::KernelRidge(model) => {
            (model.predict(&Context::new(1), &points(&values)).unwrap().into_vec(), None)
        }
        Model::Svm(model) => {
            (model.decisions(&Context::new(1), &points(&values)).unwrap().into_vec(), None)
        }
        Model::KernelKMeans(model) => {
            (model.distances(&Context::new(1), &points(&values)).unwrap().into_vec(), None)
        }
        Model::Detector(model) => {
            let scores = model.scores(&Context::new(1), &points(&values)).unwrap();
            (scores.into_iter().map(|score| score / model.threshold).collect(), None)
        }
        Model::KernelFeatures(model) => {
            (model.transform(&Context::new(1), &points(&values)).unwrap().into_vec(), None)
        }
        Model::Repair(model) => (repair(model), None),
    }
}

fn points(values: &[f64]) -> Dense<f64> {
    Dense::from_rows(values, M, D).unwrap()
}

/// The repaired values of two new samples with the training samples, and with themselves.
fn repair(model: &FittedRepair) -> Vec<f64> {
    let n = model.correction.samples;
    let values: Vec<f64> = (0..2 * n).map(|i| (i as f64 * 0.7).sin()).collect();
    let rows = MatRef::new(&values, 2, n, n);
    let mut out = vec![0.0; 2 * n];
    model.correction.apply_into(rows, MatMut::new(&mut out, 2, n, n)).unwrap();
    out.extend(model.correction.diagonal(rows, &[1.0, 2.0]).unwrap());
    out
}

fn pca(model: &Pca, values: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
    let (ctx, k) = (Context::new(1), model.k());
    let mut scores = vec![0.0; M * k];
    let out = MatMut::new(&mut scores, M, k, k);
    model.transform_into(&ctx, MatRef::new(values, M, D, D), out).unwrap();
    let mut back = vec![0.0; M * D];
    let out = MatMut::new(&mut back, M, D, D);
    model.inverse_transform_into(&ctx, MatRef::new(&scores, M, k, k), out).unwrap();
    (scores, Some(back))
}

fn kernel_pca<T: Real>(model: &KernelPca, values: &[f64]) -> (Vec<f64>, Option<Vec<f64>>) {
    let (ctx, k) = (Context::new(1), model.k());
    let x = Dense::from_vec(values.iter().map(|&v| T::from_f64(v)).collect(), M, D).unwrap();
    let mut scores = vec![T::ZERO; M * k];
    model.transform_into(&ctx, &x, MatMut::new(&mut scores, M, k, k)).unwrap();
    let wide = |values: &[T]| values.iter().map(|v| v.to_f64()).collect::<Vec<_>>();
    let wide_scores = wide(&scores);
    let back = model.inverse.as_ref().map(|_| {
        let mut back = vec![T::ZERO; M * D];
        let given = Dense::from_vec(scores, M, k).unwrap();
        model.inverse_transform_into(&ctx, &given, MatMut::new(&mut back, M, D, D)).unwrap();
        wide(&back)
    });
    (wide_scores, back)
}
