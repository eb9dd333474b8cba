//! Kernel k-means and detectors of unusual samples in files.

use std::path::Path;

use serde_json::json;

use super::super::{Dtype, Model, ModelFile, from_bytes, to_bytes};
use super::hostile::{check, set, start};
use super::{D, N, data, points};
use crate::context::Context;
use crate::model::Input;
use crate::model::detector::{Detector, DetectorParams, OutlierScore};
use crate::model::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use crate::points::{Dense, Points};
use crate::real::Real;

/// Three clusters with weights, one of which could not be kept alive.
fn clusters<T: Real>() -> KernelKMeans {
    let rows: Vec<usize> = (0..N).map(|i| i % 2).collect();
    let x: Dense<T> = points::<T>().select(&rows);
    let weights: Vec<f64> = (0..N).map(|i| i as f64 / 3.0).collect();
    let init = Init::Labels(vec![0; N]);
    let params = KernelKMeansParams {
        init,
        seed: u64::MAX,
        ..KernelKMeansParams::new(3, "rbf(gamma=scale)".parse().unwrap())
    };
    KernelKMeans::fit(&Context::new(1), &params, &x, Some(&weights)).unwrap()
}

/// Clusters far from the origin, whose centres are seen from a point.
fn far() -> KernelKMeans {
    let data = points::<f64>().data().iter().map(|v| v + 1e4).collect();
    let params = KernelKMeansParams::new(2, "poly(degree=2)".parse().unwrap());
    let x = Dense::from_vec(data, N, D).unwrap();
    KernelKMeans::fit(&Context::new(1), &params, &x, None).unwrap()
}

fn given() -> KernelKMeans {
    let x = points::<f64>();
    let kernel = crate::kernel::SpecKernel::<f64>::new(&"linear".parse().unwrap()).unwrap();
    let mut k = crate::linalg::view::Mat::zeros(N, N);
    crate::gram::matrix(&Context::new(1), &kernel, &x, None, k.view_mut()).unwrap();
    let params = KernelKMeansParams::new(2, "linear".parse().unwrap());
    KernelKMeans::fit(&Context::new(1), &params, Input::precomputed(k.view()), None).unwrap()
}

fn detector<T: Real>() -> Detector {
    let params = DetectorParams {
        score: OutlierScore::Projections,
        contamination: 0.25,
        ..DetectorParams::new("rbf(gamma=scale)".parse().unwrap())
    };
    Detector::fit(&Context::new(1), &params, &points::<T>()).unwrap()
}

pub fn all() -> Vec<ModelFile> {
    vec![
        ModelFile::new(Model::KernelKMeans(clusters::<f64>()), Dtype::F64),
        ModelFile::new(Model::KernelKMeans(clusters::<f32>()), Dtype::F64),
        ModelFile::new(Model::KernelKMeans(given()), Dtype::F64),
        ModelFile::new(Model::Detector(detector::<f64>()), Dtype::F64),
        ModelFile::new(Model::Detector(detector::<f32>()), Dtype::F32),
        ModelFile::new(Model::KernelKMeans(far()), Dtype::F64),
    ]
}

fn again(saved: &ModelFile) -> Model {
    from_bytes(Path::new("again"), &to_bytes(saved).unwrap()).unwrap().model
}

#[test]
fn clusters_give_the_same_bits() {
    for (index, saved) in all().into_iter().take(3).enumerate() {
        match (&saved.model, again(&saved)) {
            (Model::KernelKMeans(model), Model::KernelKMeans(read)) => same(model, &read),
            _ => panic!("another kind at {index}"),
        }
    }
}

fn same(model: &KernelKMeans, read: &KernelKMeans) {
    assert_eq!((&read.params, &read.report), (&model.params, &model.report));
    assert_eq!((&read.labels, &read.shares), (&model.labels, &model.shares));
    assert_eq!((&read.norms, read.inertia), (&model.norms, model.inertia));
    assert_eq!((read.rounds, &read.stand_ins), (model.rounds, &model.stand_ins));
    assert_eq!(read.point, model.point);
    assert_eq!(read.dtype, model.dtype);
    assert!(data(read.anchors.as_ref()) == data(model.anchors.as_ref()));
}

#[test]
fn a_point_is_kept_and_must_fit() {
    let saved = ModelFile::new(Model::KernelKMeans(far()), Dtype::F64);
    let (Model::KernelKMeans(model), Model::KernelKMeans(read)) = (&saved.model, again(&saved))
    else {
        panic!("another kind")
    };
    assert!(model.point.is_some());
    same(model, &read);
    let file = to_bytes(&saved).unwrap();
    check(&file, set("/params/kernel", json!("cosine")), "cannot be recentred");
}

#[test]
fn detectors_give_the_same_bits() {
    let saved = all().remove(3);
    let (Model::Detector(model), Model::Detector(read)) = (&saved.model, again(&saved)) else {
        panic!("another kind")
    };
    let (ctx, x) = (Context::new(1), points::<f64>());
    assert_eq!(read.scores(&ctx, &x).unwrap(), model.scores(&ctx, &x).unwrap());
    assert_eq!((read.threshold, read.contamination), (model.threshold, model.contamination));
    assert_eq!((&read.training, read.score), (&model.training, model.score));
    assert_eq!(read.pca.params, model.pca.params);
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let file =
        to_bytes(&ModelFile::new(Model::KernelKMeans(clusters::<f64>()), Dtype::F64)).unwrap();
    check(&file, set("/params/clusters", json!(4)), "there are 4 clusters");
    check(&file, set("/k", json!(0)), "its tensor 'norms'");
    check(&file, set("/d", json!(D + 1)), "its tensor 'anchors'");
    let overwrite = |name: &'static str, bytes: [u8; 8]| {
        move |parts: &mut super::hostile::Parts| {
            let at = start(parts, name);
            parts.data[at..at + 8].copy_from_slice(&bytes);
        }
    };
    check(&file, overwrite("labels", 3_u64.to_le_bytes()), "in cluster 3 of 3");
    check(&file, overwrite("labels", u64::MAX.to_le_bytes()), "in cluster");
    check(&file, overwrite("stand_ins", 99_u64.to_le_bytes()), "cluster 99 has sample");
    check(&file, overwrite("norms", f64::NAN.to_le_bytes()), "norms");
    let file = to_bytes(&ModelFile::new(Model::Detector(detector::<f64>()), Dtype::F64)).unwrap();
    check(&file, set("/params/contamination", json!(0.75)), "the contamination is 0.75");
    check(&file, set("/params/score", json!("odd")), "parameters cannot be read");
    check(&file, overwrite("threshold", f64::INFINITY.to_le_bytes()), "threshold");
}
