//! Repairs of kernel matrices in files.

use std::path::Path;

use serde_json::json;

use super::super::{Dtype, Model, ModelFile, from_bytes, to_bytes};
use super::hostile::{check, set, start};
use super::{N, points};
use crate::context::Context;
use crate::linalg::view::Mat;
use crate::model::validity::{FittedRepair, Repair};

/// A repair of negative distances, which are no kernel.
fn repair(method: Repair) -> FittedRepair {
    let x = points::<f64>();
    let gap = |i: usize, j: usize| x.squared_distance(i, j).sqrt();
    let matrix = Mat::from_fn(N, N, |i, j| -gap(i, j));
    method.fit(&Context::new(1), matrix.view()).unwrap().fitted(Dtype::F64)
}

pub fn all() -> Vec<ModelFile> {
    let saved = |method| ModelFile::new(Model::Repair(repair(method)), Dtype::F64);
    Repair::ALL.into_iter().map(saved).collect()
}

#[test]
fn repairs_give_the_same_bits() {
    for saved in all() {
        let bytes = to_bytes(&saved).unwrap();
        let again = from_bytes(Path::new("again"), &bytes).unwrap().model;
        let (Model::Repair(model), Model::Repair(read)) = (&saved.model, &again) else {
            panic!("another kind")
        };
        assert_eq!(model, read);
        assert_eq!(saved.model.estimator(), "kernel_repair");
        assert_eq!((saved.model.n(), saved.model.inputs(), saved.model.k()), (N, N, N));
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    let file = to_bytes(&all()[0]).unwrap();
    check(&file, set("/params/method", json!("odd")), "parameters cannot be read");
    check(&file, set("/n", json!(N + 1)), "its tensor 'left'");
    check(&file, set("/k", json!(1)), "has 1 outputs");
    check(&file, set("/n", json!(0)), "its tensor 'left'");
    let nan = |parts: &mut super::hostile::Parts| {
        let at = start(parts, "right");
        parts.data[at..at + 8].copy_from_slice(&f64::NAN.to_le_bytes());
    };
    check(&file, nan, "right");
}
