//! Models of other interfaces fitted on a precomputed kernel: the columns of a table are kernel values
//! with the training samples.

use mercer::Context;
use mercer::io::{Model, ModelFile, save};
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::detector::{Detector, DetectorParams, OutlierScore};
use mercer::model::kernel_kmeans::{KernelKMeans, KernelKMeansParams};
use mercer::{Dtype, Input};

use crate::bad_input::check;
use crate::folder::{Folder, cells};
use crate::kmeans::column;

/// Two pairs of points on a line.
const LINE: [f64; 4] = [-2.0, -1.0, 1.5, 2.5];

fn kernel() -> Mat<f64> {
    Mat::from_fn(4, 4, |i, j| LINE[i] * LINE[j])
}

/// A folder with the kernel matrix as a table, and the model that `fit` makes of it.
fn prepared(fit: impl FnOnce(&Context, MatRef<'_, f64>) -> Model) -> Folder {
    let (folder, matrix) = (Folder::new(), kernel());
    let row = |i: usize| matrix.row(i).iter().map(f64::to_string).collect::<Vec<_>>().join(",");
    folder.write("k.csv", (0..4).map(|i| row(i) + "\n").collect::<String>());
    let saved = ModelFile::new(fit(&Context::new(1), matrix.view()), Dtype::F64);
    save(&folder.path().join("m.mercer"), &saved).unwrap();
    folder
}

fn detector(ctx: &Context, matrix: MatRef<'_, f64>, score: OutlierScore) -> Model {
    let params = DetectorParams::new("linear".parse().unwrap()).score(score);
    Model::Detector(Detector::fit(ctx, &params, Input::precomputed(matrix)).unwrap())
}

#[test]
fn clusters_are_known_and_distances_are_not() {
    let folder = prepared(|ctx, matrix| {
        let params = KernelKMeansParams::new(2, "linear".parse().unwrap());
        Model::KernelKMeans(
            KernelKMeans::fit(ctx, &params, Input::precomputed(matrix), None).unwrap(),
        )
    });
    let output = folder.done("predict m.mercer k.csv --header no -q").out;
    assert_eq!(cells(&output)[0], ["cluster"]);
    let clusters = column(&output, "cluster");
    assert!(clusters[0] == clusters[1] && clusters[2] == clusters[3] && clusters[1] != clusters[2]);
    let text = folder.done("inspect m.mercer").out;
    assert!(text.contains("cluster  rows     share\n      1     2  0.500000"), "{text}");
}

#[test]
fn projections_need_no_more_and_distances_from_them_do() {
    let folder = prepared(|ctx, matrix| detector(ctx, matrix, OutlierScore::Projections));
    let scores = column(&folder.done("predict m.mercer k.csv --header no -q").out, "score");
    for (score, x) in scores.iter().zip(LINE) {
        assert!((score - (x - 0.25).abs()).abs() < 1e-9, "{score} {x}");
    }
    let folder = prepared(|ctx, matrix| detector(ctx, matrix, OutlierScore::Reconstruction));
    check(&folder, "predict m.mercer k.csv --header no", 1, &["precomputed kernel", "with itself"]);
}
