//! Nyström features: their inner products are the approximation of the kernel, whatever the samples, and the report is their error.

use mercer::model::inverse::InverseParams;
use mercer::model::kernel_pca::KernelPcaParams;
use mercer::model::landmarks::{GivenLandmarks, LandmarkCount, LandmarkParams, Whole};
use mercer::prelude::*;
use mercer::{AnySamples, MatMut, Points};

use crate::naive::{difference, normal};

fn dense(n: usize, d: usize, seed: u64) -> Dense<f64> {
    crate::naive::dense(&normal(n, d, seed), n, d)
}

fn params(kernel: &str, landmarks: impl Into<LandmarkParams>) -> KernelPcaParams {
    KernelPcaParams::landmark_features(kernel.parse().unwrap(), landmarks.into())
}

fn given(x: impl Into<AnySamples>) -> LandmarkParams {
    LandmarkParams::new(LandmarkCount::Given(GivenLandmarks::new(x)))
}

fn products(features: &Mat<f64>) -> Vec<f64> {
    let n = features.rows();
    let dot = |i: usize, j: usize| -> f64 {
        features.row(i).iter().zip(features.row(j)).map(|(a, b)| a * b).sum()
    };
    (0..n * n).map(|at| dot(at / n, at % n)).collect()
}

fn rbf(x: &Dense<f64>, i: usize, j: usize) -> f64 {
    let pairs = x.row(i).iter().zip(x.row(j));
    (-0.4 * pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
}

#[test]
fn all_samples_as_landmarks_give_the_kernel_itself() {
    let ctx = Context::new(2);
    let x = dense(90, 3, 1);
    let model = params("rbf(gamma=0.4)", 90).fit_in(&ctx, &x).unwrap();
    let found = products(&model.transform(&ctx, &x).unwrap());
    let exact: Vec<f64> = (0..90 * 90).map(|at| rbf(&x, at / 90, at % 90)).collect();
    assert!(difference(&found, &exact) < 1e-8);
    let texts: Vec<String> =
        (0..60).map(|i| format!("{}{}", "ab".repeat(i % 7), "cde".repeat(i % 5))).collect();
    let texts = Strings::new(&texts).unwrap();
    let model = params("normalize(spectrum(p=2))", 60).fit_in(&ctx, &texts).unwrap();
    let features = model.transform(&ctx, &texts).unwrap();
    assert!(features.cols() < 40, "equal texts are one landmark");
    let found = products(&features);
    // A text without substrings of two letters has no direction.
    let exact = |i: usize| f64::from(u8::from(texts.get(i).len() > 1));
    assert!((0..60).all(|i| (found[61 * i] - exact(i)).abs() < 1e-6));
    assert!(model.report.landmarks.unwrap().residual_share() < 1e-6);
}

/// C W⁻¹ Cᵀ by elimination.
#[test]
fn inner_products_are_those_of_the_definition() {
    let ctx = Context::new(2);
    let (x, m) = (dense(40, 2, 3), 5);
    let model = params("rbf(gamma=0.4)", given(x.select(&[0, 1, 2, 3, 4]))).fit_in(&ctx, &x);
    let model = model.unwrap();
    let found = products(&model.transform(&ctx, &x).unwrap());
    let mut trace = 0.0;
    for i in 0..40 {
        // W a = k(x_i), solved by elimination without pivoting.
        let mut w: Vec<Vec<f64>> = (0..m)
            .map(|r| (0..=m).map(|c| if c < m { rbf(&x, r, c) } else { rbf(&x, r, i) }).collect())
            .collect();
        for p in 0..m {
            let pivot = w[p].clone();
            for (r, row) in w.iter_mut().enumerate().filter(|(r, _)| *r != p) {
                let by = row[p] / pivot[p];
                assert!(r < m && by.is_finite());
                row.iter_mut().zip(&pivot).for_each(|(v, p)| *v -= by * p);
            }
        }
        for j in 0..40 {
            let value: f64 = (0..m).map(|r| w[r][m] / w[r][r] * rbf(&x, r, j)).sum();
            assert!((found[40 * i + j] - value).abs() < 1e-10, "{i} {j}");
            trace += if i == j { 1.0 - value } else { 0.0 };
        }
    }
    let report = model.report.landmarks.as_ref().unwrap();
    assert!((report.residual_trace - trace).abs() < 1e-9 && (report.trace - 40.0).abs() < 1e-12);
    let left = model.reconstruction_error(&ctx, &x).unwrap();
    assert!((left.iter().sum::<f64>() - trace).abs() < 1e-9);
}

#[test]
fn blocks_threads_and_both_ways_to_fit_change_no_bit() {
    let x = dense(20_000, 3, 5);
    let wanted = params("rbf(gamma=0.4)", 70);
    let fitted = wanted.fit_in(&Context::new(1), &x).unwrap();
    let ctx = Context::new(2);
    let again = wanted.fit_in(&ctx, &x).unwrap();
    let parts =
        KernelPca::fit_blocks(&ctx, &wanted, &mut Whole::new(&x, None, None), Dtype::F64).unwrap();
    let mut chosen = KernelPca::choose_landmarks(&ctx, &wanted, &(&x).into()).unwrap();
    let mut out = Mat::<f64>::zeros(20_000, chosen.k());
    chosen.features_of_rows(&ctx, &(&x).into(), out.view_mut()).unwrap();
    assert_eq!(out, fitted.transform(&ctx, &x).unwrap());
    for other in [again, parts, chosen] {
        assert_eq!(other.coef, fitted.coef);
        assert_eq!(other.eigenvalues, fitted.eigenvalues);
        assert_eq!(other.report.landmarks, fitted.report.landmarks);
    }
    // Sums that are kept are the same numbers, added up in another order.
    let kept = params("rbf(gamma=0.4)", LandmarkParams::from(70).keep_sums(true));
    let mut kept = kept.fit_in(&ctx, &x).unwrap();
    assert!(difference(kept.coef.data(), fitted.coef.data()) == 0.0);
    let worst = difference(&kept.eigenvalues, &fitted.eigenvalues);
    assert!(worst < 1e-8 * fitted.trace, "{worst}");
    kept.continue_with(&ctx, &mut Whole::new(&x, None, None)).unwrap();
    assert!((kept.trace - 40_000.0).abs() < 1e-6);
    assert!(difference(kept.coef.data(), fitted.coef.data()) < 1e-9);
}

#[test]
fn single_precision_stays_near_double() {
    let ctx = Context::new(2);
    let x = dense(3000, 4, 6);
    let single: Vec<f32> = x.data().iter().map(|v| *v as f32).collect();
    let single = Dense::from_vec(single, 3000, 4).unwrap();
    let model = params("rbf(gamma=0.4)", 80).fit_in(&ctx, &single).unwrap();
    let mut out = vec![0.0_f32; 3000 * model.k()];
    let (n, k) = (3000, model.k());
    model.transform_into(&ctx, &single, MatMut::new(&mut out, n, k, k)).unwrap();
    let z = model.anchors.as_ref().unwrap().to_type::<f64>().unwrap();
    let wide = params("rbf(gamma=0.4)", given(z)).fit_in(&ctx, &x).unwrap();
    let wide = wide.transform(&ctx, &x).unwrap();
    let narrow = Mat::from_fn(300, k, |i, j| f64::from(out[i * k + j]));
    let wide = Mat::from_fn(300, k, |i, j| wide[(i, j)]);
    let worst = difference(&products(&narrow), &products(&wide));
    assert!(worst < 1e-4, "{worst}");
}

#[test]
fn the_inverse_map_is_ridge_regression_on_the_features() {
    let ctx = Context::new(2);
    let x = dense(400, 3, 7);
    let inverse =
        InverseParams { kernel: "linear".parse().unwrap(), alpha: Some(0.3), center: true };
    let model = params("rbf(gamma=0.1)", 25).inverse(inverse).fit_in(&ctx, &x).unwrap();
    let features = model.transform(&ctx, &x).unwrap();
    let back = model.inverse_transform(&ctx, &features).unwrap();
    let y = Mat::from_fn(400, 3, |i, j| x.row(i)[j]);
    let k = features.cols();
    let phi = Dense::from_vec(features.into_vec(), 400, k).unwrap();
    let ridge = KernelRidge::params("linear".parse().unwrap()).alpha(0.3).intercept(true);
    let ridge = ridge.fit_in(&ctx, &phi, &Targets::matrix(y)).unwrap();
    let expected = ridge.predict(&ctx, &phi).unwrap();
    assert!(difference(back.data(), expected.data()) < 1e-7);
    let saved = mercer::io::ModelFile::new(model.clone().into(), Dtype::F64);
    let bytes = mercer::io::to_bytes(&saved).unwrap();
    let read = mercer::io::from_bytes(std::path::Path::new("memory"), &bytes).unwrap();
    let mercer::io::Model::KernelPca(read) = read.model else { panic!("another model") };
    assert_eq!(read.params, model.params);
    assert_eq!(read.transform(&ctx, &x).unwrap(), model.transform(&ctx, &x).unwrap());
    let features = model.transform(&ctx, &x).unwrap();
    assert_eq!(read.inverse_transform(&ctx, &features).unwrap(), back);
}

#[test]
fn dependent_landmarks_are_left_out_and_what_cannot_be_done_is_refused() {
    let ctx = Context::new(1);
    let x = dense(50, 2, 8);
    let twice = x.select(&[0, 1, 2, 0, 1]);
    let model = params("rbf(gamma=0.4)", given(twice)).fit_in(&ctx, &x).unwrap();
    assert_eq!(model.k(), 3);
    assert!(model.report.notes[0].text.contains("2 of 5 landmarks depend linearly"));
    let alpha = |alpha| InverseParams { kernel: "linear".parse().unwrap(), alpha, center: true };
    for (text, wanted) in [
        ("must be a number", params("rbf", 5).inverse(alpha(None))),
        ("must not be negative", params("rbf", 5).inverse(alpha(Some(-1.0)))),
        ("at least one landmark", params("rbf", 0)),
    ] {
        let error = wanted.fit_in(&ctx, &x).err().unwrap().to_string();
        assert!(error.contains(text), "{error}");
    }
    let texts = Strings::new(["a", "b", "ab"]).unwrap();
    let wanted = params("spectrum(p=1)", 2).inverse(alpha(Some(1.0)));
    assert!(wanted.fit_in(&ctx, &texts).is_err());
}
