//! Matrices of other libraries go in and come out with the same numbers.

#![cfg(all(feature = "ndarray", feature = "nalgebra", feature = "faer", feature = "arrow"))]

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{Array, Float32Array, Float64Array, Int64Array, RecordBatch, StringArray};
use mercer::interop::record_batch;
use mercer::prelude::*;
use nalgebra::DMatrix;
use ndarray::{Array2, array, s};

/// 6 × 2 numbers.
const X: [f64; 12] = [1.0, 1.0, 2.0, 4.5, -1.0, 1.0, -2.0, 4.0, 0.5, 0.25, 3.0, 9.0];

fn scores(x: &Dense<f64>) -> Mat<f64> {
    let ctx = Context::new(1);
    let model = KernelPca::params("rbf(gamma=0.5)".parse().unwrap()).components(2);
    model.fit_in(&ctx, x).unwrap().transform(&ctx, x).unwrap()
}

fn plain() -> Dense<f64> {
    Dense::from_rows(&X, 6, 2).unwrap()
}

#[test]
fn ndarray_in_and_out() {
    let x = Array2::from_shape_vec((6, 2), X.to_vec()).unwrap();
    let want = scores(&plain());
    assert_eq!(scores(&Dense::try_from(x.view()).unwrap()), want);
    assert_eq!(scores(&Dense::try_from(x.clone()).unwrap()), want);
    let out = Array2::from(want.clone());
    assert_eq!((out.dim(), out[(3, 1)]), ((6, 2), want[(3, 1)]));
    // Views are read in place, also transposed and with axes turned round.
    let ctx = Context::new(1);
    let pca = Pca::params().components(1);
    let model = pca.fit_in(&ctx, MatRef::try_from(x.view()).unwrap()).unwrap();
    let turned = x.t().as_standard_layout().into_owned();
    let columns = MatRef::try_from(turned.t()).unwrap();
    assert_eq!(pca.fit_in(&ctx, columns).unwrap().variance, model.variance);
    let backwards = x.slice(s![..;-1, ..;-1]);
    let view = MatRef::try_from(backwards).unwrap();
    assert_eq!((view.at(0, 0), view.at(5, 1)), (9.0, 1.0));
    assert_eq!(Dense::try_from(backwards).unwrap().row(0), [9.0, 3.0]);
    // A part of an array is not in one piece: it is refused as a view and copied as samples.
    let part = x.slice(s![.., ..1]);
    let refused = MatRef::try_from(part).unwrap_err().to_string();
    assert!(refused.contains("as_standard_layout"), "{refused}");
    assert_eq!(Dense::try_from(part).unwrap().d(), 1);
    assert!(Dense::try_from(array![[f64::NAN]]).is_err());
}

#[test]
fn nalgebra_in_and_out() {
    let x = DMatrix::from_row_slice(6, 2, &X);
    let want = scores(&plain());
    assert_eq!(scores(&Dense::try_from(&x).unwrap()), want);
    let out = DMatrix::from(want.clone());
    assert_eq!((out.shape(), out[(3, 1)]), ((6, 2), want[(3, 1)]));
    // In place: a kernel matrix, and PCA.
    let ctx = Context::new(1);
    let gram = &x * x.transpose();
    let model = KernelPca::params("linear".parse().unwrap()).components(2);
    let given = model.fit_in(&ctx, Input::precomputed(&gram)).unwrap();
    let direct = model.fit_in(&ctx, &plain()).unwrap();
    for (a, b) in given.eigenvalues.iter().zip(&direct.eigenvalues) {
        assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
    }
    assert_eq!(Pca::params().components(1).fit(&x).unwrap().d(), 2);
}

#[test]
fn faer_in_and_out() {
    let x = faer::Mat::from_fn(6, 2, |i, j| X[2 * i + j]);
    let want = scores(&plain());
    assert_eq!(scores(&Dense::try_from(x.as_ref()).unwrap()), want);
    assert_eq!(Dense::try_from(x.transpose()).unwrap().n(), 2);
    let out = faer::Mat::from(want.clone());
    assert_eq!(((out.nrows(), out.ncols()), out[(3, 1)]), ((6, 2), want[(3, 1)]));
}

#[test]
fn arrow_in_and_out() {
    let column = |j: usize| (0..6).map(move |i| X[2 * i + j]);
    let a: Arc<dyn Array> = Arc::new(Float64Array::from_iter_values(column(0)));
    let b: Arc<dyn Array> = Arc::new(Float32Array::from_iter_values(column(1).map(|v| v as f32)));
    let batch = RecordBatch::try_from_iter([("a", a.clone()), ("b", b)]).unwrap();
    let want = scores(&plain());
    assert_eq!(scores(&Dense::try_from(&batch).unwrap()), want);
    let out = record_batch(&want, &["first", "second"]).unwrap();
    assert_eq!(out.column(1).as_primitive::<Float64Type>().value(3), want[(3, 1)]);
    assert!(record_batch(&want, &["first"]).is_err());
    let missing: Arc<dyn Array> =
        Arc::new(Int64Array::from(vec![Some(1), None, Some(3), None, Some(1), Some(2)]));
    let text: Arc<dyn Array> = Arc::new(StringArray::from(vec!["x"; 6]));
    for (name, wrong, part) in [("m", missing, "2 missing values"), ("t", text, "holds Utf8")] {
        let batch = RecordBatch::try_from_iter([("a", a.clone()), (name, wrong)]).unwrap();
        let refused = Dense::try_from(&batch).unwrap_err().to_string();
        assert!(refused.contains(part) && refused.contains(name), "{refused}");
    }
}
