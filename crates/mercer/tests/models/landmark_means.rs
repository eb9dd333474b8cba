//! Kernel k-means on landmarks: all samples as landmarks are the exact fit from the same start; blocks, threads and files change nothing; bounds hold.

use mercer::model::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use mercer::model::landmarks::{
    GivenLandmarks, LandmarkCount, LandmarkMethod, LandmarkParams, LandmarkReport,
};
use mercer::prelude::*;
use mercer::{Dtype, Points};

use crate::landmarks::Blocks;

const RBF: &str = "rbf(gamma=0.1)";

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap()
}

/// n rows in five clouds.
fn clouds(n: usize, seed: u64) -> Dense<f64> {
    let noise = crate::naive::normal(n, 3, seed);
    let centre = |i: usize, j: usize| 3.0 * ((i % 5 + j) % 3) as f64;
    let data = (0..3 * n).map(|at| centre(at / 3, at % 3) + noise[at]).collect();
    Dense::from_vec(data, n, 3).unwrap()
}

fn labels(n: usize, k: usize) -> Init {
    Init::Labels((0..n).map(|i| (i * 7919 / 13) % k).collect())
}

fn all(x: &Dense<f64>) -> LandmarkParams {
    LandmarkParams::new(LandmarkCount::Given(GivenLandmarks::new(x)))
}

fn report(model: &KernelKMeans) -> &LandmarkReport {
    model.report.landmarks.as_ref().unwrap()
}

fn close(a: &Mat<f64>, b: &Mat<f64>, tolerance: f64) {
    let size = b.data().iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let worst = crate::naive::difference(a.data(), b.data());
    assert!(worst <= tolerance * size, "{worst:e} of {size:e}");
}

#[test]
fn all_samples_as_landmarks_are_the_exact_fit() {
    let ctx = Context::new(2);
    let (n, k) = (260, 5);
    let (x, new) = (clouds(n, 1), clouds(40, 2));
    let weights: Vec<f64> = (0..n).map(|i| (i % 4) as f64).collect();
    for kernel in [RBF, "laplacian(gamma=0.3)", "poly(degree=2)", "linear"] {
        for weights in [None, Some(&*weights)] {
            for rounds in [1, 3, 100] {
                let params = KernelKMeans::params(k, spec(kernel)).init(labels(n, k));
                let params = params.max_rounds(rounds);
                let exact = KernelKMeans::fit(&ctx, &params, &x, weights).unwrap();
                let params = params.landmarks(all(&x));
                let low = KernelKMeans::fit(&ctx, &params, &x, weights).unwrap();
                assert_eq!(low.labels, exact.labels, "{kernel}, {rounds} rounds");
                assert_eq!(low.rounds, exact.rounds);
                assert!((low.inertia - exact.inertia).abs() < 1e-7 * exact.inertia);
                assert_eq!(low.report.converged, exact.report.converged);
                let facts = |model: &KernelKMeans| model.report.clusters.clone().unwrap();
                let (a, b) = (facts(&low), facts(&exact));
                assert_eq!((a.moved, a.reseeded), (b.moved, b.reseeded));
                for (a, b) in a.objectives.iter().zip(&b.objectives) {
                    assert!((a - b).abs() < 1e-7 * b);
                }
                close(
                    &low.distances(&ctx, &new).unwrap(),
                    &exact.distances(&ctx, &new).unwrap(),
                    1e-6,
                );
                assert_eq!(low.predict(&ctx, &new).unwrap(), exact.predict(&ctx, &new).unwrap());
            }
        }
    }
}

#[test]
fn clusters_that_lose_their_samples_are_given_others() {
    let ctx = Context::new(2);
    let (n, k) = (260, 6);
    let x = clouds(n, 3);
    // All samples in two clusters: four have none.
    let start = Init::Labels((0..n).map(|i| i % 2).collect());
    let params = KernelKMeans::params(k, spec(RBF)).init(start);
    let exact = params.fit_in(&ctx, &x).unwrap();
    let low = params.landmarks(all(&x)).fit_in(&ctx, &x).unwrap();
    assert_eq!(low.labels, exact.labels);
    assert!(low.report.clusters.as_ref().unwrap().reseeded >= 4);
    assert!(low.sizes().iter().all(|&size| size > 0));
    // No more than two distinct samples: the others stay empty, and new samples go to the two.
    let two = Dense::from_vec((0..60).map(|i| f64::from(i / 3 % 2)).collect(), 20, 3).unwrap();
    let low = KernelKMeans::params(4, spec(RBF)).landmarks(2).fit_in(&ctx, &two).unwrap();
    assert!(low.report.notes.iter().any(|note| note.contains("only 2 of 4 clusters")));
    let found = low.predict(&ctx, &two).unwrap();
    assert!((0..20).all(|i| (found[i] == found[0]) == (i % 2 == 0)), "{found:?}");
}

#[test]
fn the_bounds_hold_and_the_labels_are_those_of_predictions() {
    let ctx = Context::new(2);
    let (n, k) = (600, 5);
    let x = clouds(n, 4);
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
    for method in [LandmarkMethod::PivotedCholesky, LandmarkMethod::Uniform, LandmarkMethod::KMeans]
    {
        for m in [10, 40, 150] {
            let wanted = LandmarkParams::from(m).method(method);
            let params = KernelKMeans::params(k, spec(RBF)).starts(3).landmarks(wanted);
            let low = KernelKMeans::fit(&ctx, &params, &x, Some(&weights)).unwrap();
            assert!(low.report.converged && report(&low).landmarks == m);
            assert_eq!(low.predict(&ctx, &x).unwrap(), low.labels);
            // The exact objective of these labels: that of a fit that stops before its first round moves anything.
            let exact = KernelKMeans::params(k, spec(RBF)).init(Init::Labels(low.labels.clone()));
            let exact = KernelKMeans::fit(&ctx, &exact.max_rounds(1), &x, Some(&weights)).unwrap();
            let truth = exact.report.clusters.as_ref().unwrap().objectives[0];
            let found = low.report.clusters.as_ref().unwrap();
            let least = found.low_rank_objective.unwrap();
            let slack = 1e-9 * truth;
            assert!(least <= truth + slack && truth <= found.objective + slack);
            assert!((found.objective - least - report(&low).residual_trace).abs() < slack);
            // The inertia is the sum of the distances that the model measures.
            let distances = low.distances(&ctx, &x).unwrap();
            let sum: f64 = (0..n).map(|i| weights[i] * distances[(i, low.labels[i])]).sum();
            assert!((sum - low.inertia).abs() < 1e-7 * sum, "{sum} {}", low.inertia);
            let falls = found.objectives.windows(2).all(|pair| pair[1] <= pair[0] + slack);
            assert!(falls, "{:?}", found.objectives);
        }
    }
}

#[test]
fn blocks_and_threads_change_no_bit() {
    let x = clouds(5000, 5);
    let weights: Vec<f64> = (0..5000).map(|i| (i % 3) as f64).collect();
    let params = KernelKMeans::params(6, spec(RBF)).landmarks(60).max_rounds(6);
    let whole = KernelKMeans::fit(&Context::new(1), &params, &x, Some(&weights)).unwrap();
    for (threads, size) in [(1, 1024), (2, 2048), (2, 5120)] {
        let mut rows = Blocks::new(&x, None, size);
        rows.weights = Some(&weights);
        let ctx = Context::new(threads);
        let model = KernelKMeans::fit_blocks(&ctx, &params, &mut rows, Dtype::F64).unwrap();
        assert_eq!((&model.labels, &model.norms), (&whole.labels, &whole.norms));
        assert_eq!(model.centre_coef, whole.centre_coef, "{threads} threads, blocks of {size}");
    }
}

#[test]
fn weights_are_repeated_rows() {
    let ctx = Context::new(1);
    let x = clouds(200, 6);
    let weights: Vec<f64> = (0..200).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> = (0..200).flat_map(|i| vec![i; i % 3]).collect();
    let given = GivenLandmarks::new(x.select(&(0..40).collect::<Vec<_>>()));
    let wanted = LandmarkParams::new(LandmarkCount::Given(given));
    let params = KernelKMeans::params(4, spec(RBF)).landmarks(wanted);
    let start = |rows: &[usize]| Init::Labels(rows.iter().map(|i| i % 4).collect());
    let one = params.clone().init(start(&(0..200).collect::<Vec<_>>()));
    let weighted = KernelKMeans::fit(&ctx, &one, &x, Some(&weights)).unwrap();
    let direct = params.init(start(&repeated)).fit_in(&ctx, x.select(&repeated)).unwrap();
    assert!((weighted.inertia - direct.inertia).abs() < 1e-9 * direct.inertia);
    assert_eq!(weighted.predict(&ctx, &x).unwrap(), direct.predict(&ctx, &x).unwrap());
}

#[test]
fn samples_of_every_kind_and_number_type() {
    let ctx = Context::new(2);
    let texts: Vec<String> =
        (0..200).map(|i| ["ab", "cde", "fgh"][i % 3].repeat(1 + i % 4)).collect();
    let texts = Strings::new(&texts).unwrap();
    let params = KernelKMeans::params(3, spec("normalize(spectrum(p=2))")).starts(5);
    let low = params.clone().landmarks(9).fit_in(&ctx, &texts).unwrap();
    assert!((0..200).all(|i| low.labels[i] == low.labels[i % 3]), "{:?}", low.labels);
    let means = LandmarkParams::from(5).method(LandmarkMethod::KMeans);
    let refused = params.landmarks(means).fit_in(&ctx, &texts).err().expect("refused");
    assert!(refused.to_string().contains("rows of numbers"), "{refused}");
    let x = clouds(400, 8);
    let params = KernelKMeans::params(5, spec(RBF)).starts(3).landmarks(30);
    let single = Dense::<f32>::from_vec(x.data().iter().map(|&v| v as f32).collect(), 400, 3);
    let (low, other) =
        (params.fit_in(&ctx, &x).unwrap(), params.fit_in(&ctx, single.unwrap()).unwrap());
    assert!((low.inertia - other.inertia).abs() < 0.02 * low.inertia);
}

#[test]
fn all_samples_start_as_the_exact_fit_does_and_files_change_nothing() {
    let ctx = Context::new(2);
    let x = clouds(300, 9);
    for init in [Init::PlusPlus, Init::Random, Init::Spectral] {
        let params = KernelKMeans::params(5, spec(RBF)).init(init).starts(4);
        let exact = params.fit_in(&ctx, &x).unwrap();
        let low = params.landmarks(all(&x)).fit_in(&ctx, &x).unwrap();
        assert_eq!(low.labels, exact.labels);
        let file = mercer::io::ModelFile::new(low.clone().into(), Dtype::F64);
        let bytes = mercer::io::to_bytes(&file).unwrap();
        let read = mercer::io::from_bytes(std::path::Path::new("memory"), &bytes).unwrap();
        let mercer::io::Model::KernelKMeans(read) = read.model else { panic!() };
        assert_eq!((&read.report, &read.labels), (&low.report, &low.labels));
        assert_eq!((&read.centre_coef, &read.norms), (&low.centre_coef, &low.norms));
        let new = clouds(50, 10);
        assert_eq!(read.distances(&ctx, &new).unwrap(), low.distances(&ctx, &new).unwrap());
    }
}

#[test]
fn what_cannot_be_done_is_refused() {
    let ctx = Context::new(1);
    let x = clouds(50, 1);
    let params = KernelKMeans::params(3, spec(RBF));
    let refused =
        |params: KernelKMeansParams| params.fit_in(&ctx, &x).err().expect("refused").to_string();
    let error = refused(KernelKMeans::params(51, spec(RBF)).landmarks(10));
    assert!(error.contains("between 1 and 50"), "{error}");
    let error = refused(params.clone().landmarks(10).init(Init::Labels(vec![0; 7])));
    assert!(error.contains("got 7 labels for 50 samples"), "{error}");
    let keeps = LandmarkParams::from(10).keep_sums(true);
    assert!(refused(params.clone().landmarks(keeps)).contains("cannot be continued"));
    assert!(refused(params.clone().landmarks(10).max_rounds(0)).contains("at least 1"));
    let k = Mat::from_fn(50, 50, |i, j| f64::from(u8::from(i == j)));
    let error = params.clone().landmarks(5).fit_in(&ctx, Input::precomputed(&k)).err();
    assert!(error.expect("refused").to_string().contains("precomputed"));
    let error = params.fit_in(&ctx, &x).unwrap().landmark_residuals(&ctx, &x).unwrap_err();
    assert!(error.to_string().contains("without landmarks"));
}

#[test]
fn residuals_of_samples_sum_to_the_trace_that_is_left() {
    let ctx = Context::new(2);
    let x = clouds(1500, 11);
    let far = Dense::from_vec(x.data().iter().map(|v| v + 1e5).collect(), 1500, 3).unwrap();
    for (x, kernel) in
        [(&x, RBF), (&x, "laplacian(gamma=0.2)"), (&far, "poly(degree=2, gamma=0.1)")]
    {
        let pca = KernelPca::params(spec(kernel)).components(2).landmarks(30);
        let pca = pca.fit_in(&ctx, x).unwrap();
        let means = KernelKMeans::params(3, spec(kernel)).landmarks(30).fit_in(&ctx, x).unwrap();
        let y = Targets::matrix(Mat::from_fn(1500, 1, |i, _| x.row(i)[0]));
        let ridge = KernelRidge::params(spec(kernel)).landmarks(30).fit_in(&ctx, x, &y).unwrap();
        let landmarks = |model: &mercer::model::Report| model.landmarks.clone().unwrap();
        let found = [
            (pca.landmark_residuals(&ctx, x).unwrap(), landmarks(&pca.report)),
            (means.landmark_residuals(&ctx, x).unwrap(), landmarks(&means.report)),
            (ridge.landmark_residuals(&ctx, x).unwrap(), landmarks(&ridge.report)),
        ];
        for (values, report) in found {
            let sum: f64 = values.iter().sum();
            let (left, trace) = (report.residual_trace, report.trace);
            assert!((sum - left).abs() < 1e-9 * trace, "{kernel}: {sum} {left} of {trace}");
            assert!(values.iter().all(|v| *v >= 0.0));
        }
        // Of landmarks nothing is left; a sample far from all landmarks is left as a whole.
        let own = pca.landmark_residuals(&ctx, pca.anchors.clone().unwrap()).unwrap();
        let trace = landmarks(&pca.report).trace;
        assert!(own.iter().all(|v| *v < 1e-9 * trace), "{own:?}");
    }
    let pca = KernelPca::params(spec(RBF)).components(2).landmarks(30).fit_in(&ctx, &x).unwrap();
    let away = Dense::from_vec(vec![1e3, 0.0, 0.0], 1, 3).unwrap();
    assert_eq!(pca.landmark_residuals(&ctx, &away).unwrap(), [1.0]);
}
