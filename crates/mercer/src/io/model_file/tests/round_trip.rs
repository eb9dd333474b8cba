//! Everything survives, to the last bit.

use std::path::Path;

use super::super::{Model, ModelFile, from_bytes, to_bytes};
use super::{D, all, data, full, kernel_pca, numbers, pca, points, precomputed, ridge};
use crate::context::Context;
use crate::linalg::view::{MatMut, MatRef};
use crate::model::kernel_pca::KernelPca;
use crate::points::Dense;
use crate::real::Real;

fn again(saved: &ModelFile) -> ModelFile {
    from_bytes(Path::new("again"), &to_bytes(saved).unwrap()).unwrap()
}

fn bits<T: Real>(values: &[T]) -> Vec<u64> {
    values.iter().map(|v| v.to_f64().to_bits()).collect()
}

/// All results that a fitted kernel PCA gives, as bits.
fn kernel_pca_results<T: Real>(model: &KernelPca) -> Vec<Vec<u64>> {
    let (ctx, x, k) = (Context::new(1), points::<T>(), model.k());
    let mut scores = vec![T::ZERO; x.n() * k];
    model.transform_into(&ctx, &x, MatMut::new(&mut scores, x.n(), k, k)).unwrap();
    let mut samples = vec![T::ZERO; x.n() * D];
    let given = Dense::from_vec(scores.clone(), x.n(), k).unwrap();
    model.inverse_transform_into(&ctx, &given, MatMut::new(&mut samples, x.n(), D, D)).unwrap();
    let errors = model.reconstruction_error(&ctx, &x).unwrap();
    let ratio = model.explained_variance_ratio();
    vec![bits(&scores), bits(&samples), bits(&errors), bits(&ratio), bits(&[model.trace])]
}

#[test]
fn kernel_pca_gives_the_same_bits() {
    let model = kernel_pca::<f64>(true);
    let Model::KernelPca(read) = again(&full()).model else { panic!("another kind") };
    assert_eq!(kernel_pca_results::<f64>(&read), kernel_pca_results::<f64>(&model));
    let model = kernel_pca::<f32>(true);
    let saved = ModelFile::new(Model::KernelPca(model.clone()), super::Dtype::F32);
    let Model::KernelPca(read) = again(&saved).model else { panic!("another kind") };
    assert_eq!(kernel_pca_results::<f32>(&read), kernel_pca_results::<f32>(&model));
    let report = |report: &crate::model::Report| format!("{report:?}");
    assert_eq!(report(&read.report), report(&model.report));
    assert_eq!(read.params, model.params);
    assert_eq!(read.inverse.unwrap().params, model.inverse.unwrap().params);
}

#[test]
fn kernel_ridge_gives_the_same_bits() {
    let saved = ridge();
    let (Model::KernelRidge(model), Model::KernelRidge(read)) =
        (saved.model.clone(), again(&saved).model)
    else {
        panic!("another kind")
    };
    assert!(model.report.notes.is_empty(), "{:?}", model.report.notes);
    assert_eq!((&read.params, &read.report), (&model.params, &model.report));
    assert_eq!((&read.classes, &read.selection), (&model.classes, &model.selection));
    assert_eq!(bits(read.coef.data()), bits(model.coef.data()));
    assert_eq!(bits(&read.offset), bits(&model.offset));
    assert_eq!(read.weights, model.weights);
    assert_eq!(data(read.anchors.as_ref()), data(model.anchors.as_ref()));
}

#[test]
fn pca_gives_the_same_bits() {
    let (Model::Pca(model), Model::Pca(read)) = (pca().model, again(&pca()).model) else {
        panic!("another kind")
    };
    let values = numbers::<f64>();
    let results = |model: &crate::model::pca::Pca| {
        let (ctx, x, k) = (Context::new(1), MatRef::new(&values, super::N, D, D), model.k());
        let mut scores = vec![0.0; super::N * k];
        model.transform_into(&ctx, x, MatMut::new(&mut scores, super::N, k, k)).unwrap();
        let rest = [model.total_variance, model.noise_variance, model.reconstruction_error()];
        [bits(&scores), bits(&model.variance), bits(&rest), bits(&model.singular_values())]
    };
    assert_eq!(results(&read), results(&model));
    assert_eq!(read.params, model.params);
    assert_eq!(again(&pca()).dtype, super::Dtype::F32);
}

#[test]
fn a_given_kernel_matrix_needs_no_samples() {
    let saved = precomputed();
    let read = again(&saved);
    assert_eq!(read.model.inputs(), super::N);
    let (Model::KernelPca(model), Model::KernelPca(read)) = (saved.model, read.model) else {
        panic!("another kind")
    };
    assert!(read.anchors.is_none());
    assert_eq!(bits(read.coef.data()), bits(model.coef.data()));
    assert_eq!(read.report.notes, model.report.notes);
}

#[test]
fn scaling_names_and_notes_survive() {
    let (saved, read) = (full(), again(&full()));
    assert_eq!(read.scaling, saved.scaling);
    assert_eq!(read.feature_names, saved.feature_names);
    assert_eq!(read.extra, saved.extra);
    assert_eq!(read.dtype, saved.dtype);
}

#[test]
fn equal_models_have_equal_bytes() {
    for saved in all() {
        let bytes = to_bytes(&saved).unwrap();
        assert_eq!(bytes, to_bytes(&again(&saved)).unwrap());
        assert_eq!(bytes, to_bytes(&saved).unwrap());
    }
}

#[test]
fn a_report_of_a_fit_that_went_wrong_survives() {
    let mut saved = pca();
    let Model::Pca(model) = &mut saved.model else { panic!("another kind") };
    (model.report.residual, model.report.seconds) = (f64::NAN, f64::INFINITY);
    let read = again(&saved);
    assert!(read.model.report().residual.is_nan() && read.model.report().seconds.is_nan());
}

#[test]
fn what_does_not_fit_together_is_not_written() {
    let check = |change: fn(&mut ModelFile), part: &str| {
        let mut saved = full();
        change(&mut saved);
        let message = to_bytes(&saved).unwrap_err().to_string();
        assert!(message.contains("cannot be saved") && message.contains(part), "{message}");
    };
    check(|s| s.feature_names = Some(vec![]), "0 names of columns, expected 3");
    check(|s| s.scaling.as_mut().unwrap().factor[1] = 0.0, "factor of the scaling is 0");
    check(|s| s.scaling.as_mut().unwrap().shift[2] = f64::NAN, "shifts of the scaling is NaN");
    check(|s| drop(s.extra.insert("long".into(), "x".repeat(1 << 20).into())), "fewer notes");
    check(
        |s| {
            let Model::KernelPca(model) = &mut s.model else { panic!("another kind") };
            model.params.kernel = "rbf(gamma=scale)".parse().unwrap();
        },
        "depends on the data",
    );
}
