//! Models of samples with an offset: the sample that kernel values are taken relative to.

use std::path::Path;

use super::super::{Dtype, Model, ModelFile, from_bytes, to_bytes};
use super::{D, N, numbers};
use crate::context::Context;
use crate::linalg::view::MatRef;
use crate::model::Components;
use crate::model::Input;
use crate::model::kernel_pca::{KernelPca, KernelPcaParams};
use crate::model::origin::Origin;
use crate::points::Dense;

fn far() -> Vec<f64> {
    numbers::<f64>().iter().map(|v| v + 50.0).collect()
}

fn params() -> KernelPcaParams {
    let kernel = "poly(degree=2)".parse().unwrap();
    KernelPcaParams { components: Components::Count(3), ..KernelPcaParams::new(kernel) }
}

fn again(model: KernelPca) -> KernelPca {
    let saved = ModelFile::new(Model::KernelPca(model), Dtype::F64);
    let bytes = to_bytes(&saved).unwrap();
    let Model::KernelPca(read) = from_bytes(Path::new("again"), &bytes).unwrap().model else {
        panic!("another kind")
    };
    read
}

#[test]
fn the_origin_survives_to_the_last_bit() {
    let (ctx, x) = (Context::new(1), Dense::from_vec(far(), N, D).unwrap());
    let model = KernelPca::fit(&ctx, &params(), &x).unwrap();
    assert!(model.origin.as_ref().is_some_and(|origin| origin.row.is_none()));
    let read = again(model.clone());
    assert_eq!(read.origin, model.origin);
    let scores = |model: &KernelPca| {
        let out = model.transform(&ctx, &x).unwrap();
        (out.into_vec(), model.reconstruction_error(&ctx, &x).unwrap())
    };
    assert_eq!(scores(&read), scores(&model));
}

#[test]
fn so_does_that_of_a_given_matrix() {
    let (ctx, x) = (Context::new(1), far());
    let dot = |i: usize, j: usize| (0..D).map(|c| x[i * D + c] * x[j * D + c]).sum::<f64>();
    let k: Vec<f64> = (0..N * N).map(|at| dot(at / N, at % N)).collect();
    let matrix = MatRef::new(&k, N, N, N);
    let model = KernelPca::fit(&ctx, &params(), Input::precomputed(matrix)).unwrap();
    assert!(model.origin.as_ref().is_some_and(|origin| origin.row.is_some()));
    let read = again(model.clone());
    assert_eq!(read.origin, model.origin);
    let scores = |model: &KernelPca| {
        let out = model.transform(&ctx, Input::precomputed(matrix)).unwrap();
        out.into_vec()
    };
    assert_eq!(scores(&read), scores(&model));
}

#[test]
fn an_impossible_origin_is_refused() {
    let x = Dense::from_vec(far(), N, D).unwrap();
    let model = KernelPca::fit(&Context::new(1), &params(), &x).unwrap();
    let refused = |change: &dyn Fn(&mut Origin), part: &str| {
        let mut model = model.clone();
        change(model.origin.as_mut().unwrap());
        let saved = ModelFile::new(Model::KernelPca(model), Dtype::F64);
        let text = to_bytes(&saved).err().unwrap().to_string();
        assert!(text.contains(part), "{text}");
    };
    refused(&|origin| origin.sample = N, "the origin is sample 9 of 9");
    refused(&|origin| origin.mean = f64::NAN, "mean relative to the origin");
    refused(&|origin| origin.row = Some(vec![1.0; N]), "beside the samples");
}
