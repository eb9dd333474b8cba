//! Tests of model files: what is saved comes back to the last bit, damage and malice are refused with a message.

mod clusters;
mod damage;
mod features;
mod hostile;
mod notes;
mod origin;
mod places;
mod repairs;
mod round_trip;
mod svm;

use std::path::Path;

use serde_json::json;

use super::{Dtype, Model, ModelFile, from_bytes};
use crate::context::Context;
use crate::linalg::view::{Mat, MatRef};
use crate::model::inverse::InverseParams;
use crate::model::kernel_pca::{KernelPca, KernelPcaParams};
use crate::model::kernel_ridge::{KernelRidge, KernelRidgeParams, Selection};
use crate::model::pca::{Pca, PcaParams};
use crate::model::{Components, Input, Scaling, ScalingKind, Targets};
use crate::points::{AnySamples, Dense};
use crate::real::Real;

const N: usize = 9;
const D: usize = 3;

/// N × D numbers without pattern.
fn numbers<T: Real>() -> Vec<T> {
    (0..N * D).map(|i| T::from_f64((1.0 + 7.3 * i as f64).sin() * (1.0 + i as f64 % 3.0))).collect()
}

fn points<T: Real>() -> Dense<T> {
    Dense::from_vec(numbers(), N, D).unwrap()
}

fn pca() -> ModelFile {
    let (params, values) =
        (PcaParams { components: Components::Count(2), ..Default::default() }, numbers::<f64>());
    let model = Pca::fit(&Context::new(1), &params, MatRef::new(&values, N, D, D)).unwrap();
    ModelFile::new(Model::Pca(model), Dtype::F32)
}

fn kernel_pca<T: Real>(with_inverse: bool) -> KernelPca {
    let kernel = "0.5*rbf(gamma=scale) + poly(degree=2, coef0=1)".parse().unwrap();
    let inverse = InverseParams {
        kernel: "rbf(sigma=median)".parse().unwrap(),
        alpha: Some(0.1),
        center: true,
    };
    let params = KernelPcaParams {
        components: Components::Share(0.9),
        tolerance: Some(1e-7),
        max_passes: Some(77),
        seed: u64::MAX,
        inverse: with_inverse.then_some(inverse),
        ..KernelPcaParams::new(kernel)
    };
    KernelPca::fit(&Context::new(1), &params, &points::<T>()).unwrap()
}

/// A model with everything that a file can hold.
fn full() -> ModelFile {
    let extra =
        json!({"door": {"weights": [0.1, 1e300, -5e-324], "none": null, "text": "ä\n\"\\"}});
    let names = ["", "größe, \"m\"\n", "b"].map(String::from).to_vec();
    ModelFile {
        model: Model::KernelPca(kernel_pca::<f64>(true)),
        scaling: Some(Scaling::learn(ScalingKind::Standard, &numbers::<f64>(), D)),
        feature_names: Some(names),
        dtype: Dtype::F64,
        extra: extra.as_object().unwrap().clone(),
    }
}

/// A model of a kernel matrix that the user computed.
fn precomputed() -> ModelFile {
    let x = numbers::<f64>();
    let dot = |i: usize, j: usize| (0..D).map(|c| x[i * D + c] * x[j * D + c]).sum::<f64>();
    let matrix: Vec<f64> = (0..N * N).map(|at| dot(at / N, at % N)).collect();
    let params = KernelPcaParams {
        components: Components::Count(2),
        ..KernelPcaParams::new("rbf(gamma=scale)".parse().unwrap())
    };
    let model = KernelPca::fit(
        &Context::new(1),
        &params,
        Input::precomputed(MatRef::new(&matrix, N, N, N)),
    )
    .unwrap();
    ModelFile::new(Model::KernelPca(model), Dtype::F64)
}

/// A regression with weights, classes and the way it was chosen.
fn kernel_ridge<T: Real>() -> KernelRidge {
    let params = KernelRidgeParams {
        alpha: vec![0.5, 2.0, 0.0],
        intercept: true,
        ..KernelRidgeParams::new("rbf(gamma=scale)".parse().unwrap())
    };
    let y = Mat::from_fn(N, 3, |i, j| ((i * 3 + j) as f64).cos());
    let weights: Vec<f64> = (0..N).map(|i| i as f64 / 3.0).collect();
    let targets = &Targets::matrix(y.clone()).with_weights(Some(weights.to_vec()));
    let mut model =
        KernelRidge::fit(&Context::new(1), &params, &points::<T>(), targets, None).unwrap();
    model.classes = Some(["a", "größe", ""].map(String::from).to_vec());
    model.selection = Some(Selection {
        method: "leave-one-out".into(),
        candidates: 12,
        score: -0.25,
        std_error: None,
        measure: "negative mean squared error".into(),
    });
    model
}

fn ridge() -> ModelFile {
    ModelFile::new(Model::KernelRidge(kernel_ridge::<f64>()), Dtype::F64)
}

fn all() -> Vec<ModelFile> {
    let single = ModelFile::new(Model::KernelPca(kernel_pca::<f32>(true)), Dtype::F64);
    let narrow = ModelFile::new(Model::KernelRidge(kernel_ridge::<f32>()), Dtype::F32);
    let mut all = vec![pca(), full(), single, precomputed(), ridge(), narrow];
    all.extend(svm::all());
    all.extend(clusters::all());
    all.extend(repairs::all());
    all
}

/// The numbers of dense samples.
fn data(x: Option<&AnySamples>) -> Option<Vec<f64>> {
    x.map(|x| x.to_type::<f64>().unwrap().dense().unwrap().data().to_vec())
}

/// The message with which `bytes` are refused.
fn refused(bytes: &[u8]) -> String {
    from_bytes(Path::new("m.mercer"), bytes).expect_err("refused").to_string()
}
