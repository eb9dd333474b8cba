//! Unusual samples: scores by two loops, laws, what is refused.

use mercer::Input;
use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::detector::{Detector, DetectorParams, OutlierScore};
use mercer::{Context, Dense, KernelSpec};

use crate::naive::{centred, dense, eigen, normal};

fn params(text: &str, components: usize, score: OutlierScore) -> DetectorParams {
    let mut params = DetectorParams::new(text.parse::<KernelSpec>().unwrap());
    params.pca.components = Components::Count(components);
    params.score(score)
}

fn gram(x: &Dense<f64>, gamma: f64) -> Vec<Vec<f64>> {
    let value = |i: usize, j: usize| {
        let squares = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2));
        (-gamma * squares.sum::<f64>()).exp()
    };
    (0..x.n()).map(|i| (0..x.n()).map(|j| value(i, j)).collect()).collect()
}

#[test]
fn scores_are_those_of_the_definition() {
    let (n, k) = (60, 4);
    let x = dense::<f64>(&normal(n, 3, 1), n, 3);
    let centred = centred(&gram(&x, 0.3));
    let (values, vectors) = eigen(&centred);
    let projection = |i: usize, c: usize| values[c].sqrt() * vectors[c][i];
    let far = |i: usize| (0..k).map(|c| projection(i, c).abs()).sum::<f64>();
    let left = |i: usize| centred[i][i] - (0..k).map(|c| projection(i, c).powi(2)).sum::<f64>();
    let ctx = Context::new(2);
    for (score, want) in [
        (OutlierScore::Projections, &far as &dyn Fn(usize) -> f64),
        (OutlierScore::Reconstruction, &left),
    ] {
        let params = params("rbf(gamma=0.3)", k, score);
        let detector = Detector::fit(&ctx, &params, &x).unwrap();
        assert!((0..n).all(|i| (detector.training[i] - want(i)).abs() < 1e-9));
        assert_eq!(detector.scores(&ctx, &x).unwrap(), detector.training);
        let above = detector.training.iter().filter(|s| **s > detector.threshold).count();
        assert_eq!(above, n / 10);
        let rows = gram(&x, 0.3).concat();
        let k = Mat::from_vec(rows, n, n);
        let given = Detector::fit(&ctx, &params, Input::precomputed(k.view())).unwrap();
        assert!((0..n).all(|i| (given.training[i] - want(i)).abs() < 1e-9));
        assert!((given.threshold - detector.threshold).abs() < 1e-9);
    }
}

#[test]
fn a_far_sample_stands_out_and_threads_do_not_change_a_bit() {
    let n = 400;
    let mut rows = normal(n, 2, 3);
    (rows[0], rows[1]) = (9.0, -9.0);
    let x = dense::<f64>(&rows, n, 2);
    let params = params("rbf(gamma=0.5)", 10, OutlierScore::Reconstruction);
    let one = Detector::fit(&Context::new(1), &params, &x).unwrap();
    let two = Detector::fit(&Context::new(2), &params, &x).unwrap();
    assert_eq!(one.training, two.training);
    let most = (0..n).max_by(|&a, &b| one.training[a].total_cmp(&one.training[b]));
    assert_eq!(most, Some(0));
}

#[test]
fn more_components_than_samples_are_all_of_them_and_equal_samples_are_all_usual() {
    let ctx = Context::new(1);
    let x = dense::<f64>(&normal(6, 2, 4), 6, 2);
    let detector =
        Detector::fit(&ctx, &params("rbf(gamma=1)", 50, OutlierScore::Projections), &x).unwrap();
    assert_eq!(detector.pca.k(), 6);
    let equal = dense::<f64>(&[1.5; 12], 6, 2);
    for score in [OutlierScore::Projections, OutlierScore::Reconstruction] {
        let detector = Detector::fit(&ctx, &params("rbf(gamma=1)", 2, score), &equal).unwrap();
        assert!(detector.training.iter().all(|s| s.abs() < 1e-12 && *s <= detector.threshold));
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let (ctx, x) = (Context::new(1), dense::<f64>(&normal(20, 2, 5), 20, 2));
    for contamination in [0.0, -0.1, 0.6, f64::NAN] {
        let params =
            params("rbf(gamma=1)", 3, OutlierScore::Projections).contamination(contamination);
        let text = Detector::fit(&ctx, &params, &x).err().unwrap().to_string();
        assert!(text.contains("contamination: must be in the range (0, 0.5]"), "{text}");
    }
    let k = Mat::from_vec(gram(&x, 1.0).concat(), 20, 20);
    let params = params("rbf(gamma=1)", 3, OutlierScore::Reconstruction);
    let given = Detector::fit(&ctx, &params, Input::precomputed(k.view())).unwrap();
    let text = |diagonal: Option<&[f64]>| {
        let input = Input::precomputed(k.view());
        given
            .scores(&ctx, diagonal.map_or(input.clone(), |d| input.clone().with_diagonal(d)))
            .err()
            .unwrap()
            .to_string()
    };
    assert!(text(None).contains("k(x, x)"));
    assert!(text(Some(&[1.0; 3])).contains("3 diagonal values"));
    assert!(given.scores(&ctx, &x).err().unwrap().to_string().contains("precomputed"));
}
