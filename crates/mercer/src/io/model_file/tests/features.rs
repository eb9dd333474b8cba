//! Files of fitted feature maps.

use std::path::Path;

use super::super::{Model, ModelFile, from_bytes, to_bytes};
use crate::context::Context;
use crate::linalg::view::Mat;
use crate::model::features::{FeatureCount, KernelFeatures, KernelFeaturesParams};
use crate::points::Dtype;

fn fitted(kernel: &str, random: Option<usize>) -> (Mat<f64>, ModelFile) {
    let x = Mat::from_fn(12, 3, |i, j| ((i * 3 + j * 5) % 7) as f64 * 0.3);
    let mut params = KernelFeaturesParams::new(kernel.parse().unwrap());
    params.random = random.map(FeatureCount::Count);
    let model = KernelFeatures::fit_matrix(&Context::new(1), &params, &x).unwrap();
    (x, ModelFile::new(model.into(), Dtype::F64))
}

fn features(saved: &ModelFile, x: &Mat<f64>) -> Mat<f64> {
    let Model::KernelFeatures(model) = &saved.model else { panic!("no features") };
    model.map.matrix(&Context::new(1), x.view()).unwrap()
}

#[test]
fn features_survive_a_file_bit_by_bit() {
    let cases = [
        ("rbf(gamma=0.3)", Some(7)),
        ("laplacian(gamma=0.3)", Some(8)),
        ("poly(degree=3, gamma=0.2, coef0=1)", Some(9)),
        ("poly(degree=2, gamma=0.2, coef0=0)", Some(4)),
        ("additive_chi2", None),
    ];
    for (kernel, random) in cases {
        let (x, saved) = fitted(kernel, random);
        let again = from_bytes(Path::new("test"), &to_bytes(&saved).unwrap()).unwrap();
        assert_eq!(again.model.estimator(), "kernel_features");
        assert_eq!(features(&saved, &x), features(&again, &x), "{kernel}");
        let (Model::KernelFeatures(a), Model::KernelFeatures(b)) = (&saved.model, &again.model)
        else {
            panic!("no features")
        };
        assert_eq!((&a.params, a.error, a.n), (&b.params, b.error, b.n));
    }
}

#[test]
fn a_file_without_its_random_parts_is_refused() {
    let (_, saved) = fitted("rbf(gamma=0.3)", Some(7));
    let bytes = to_bytes(&saved).unwrap();
    // The name of a tensor of the same length, and the checksum of the whole.
    let text = b"\"frequencies\"";
    let at = bytes.windows(text.len()).position(|part| part == text).unwrap();
    let mut changed = bytes.clone();
    changed[at..at + text.len()].copy_from_slice(b"\"frequenciez\"");
    assert!(from_bytes(Path::new("test"), &changed).is_err());
}
