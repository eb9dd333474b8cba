//! Kernel k-means: laws, weights, starts, what is refused.

use mercer::Input;
use mercer::context::Stream;
use mercer::linalg::view::Mat;
use mercer::model::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use mercer::{Context, Dense, KernelSpec, Points};

use crate::naive::dense;

fn kernel(text: &str) -> KernelSpec {
    text.parse().unwrap()
}

/// n rows in four clouds.
fn clouds(n: usize, seed: u64) -> Dense<f64> {
    let mut stream = Stream::new(seed, "clouds");
    let row = |i: usize| [4.0 * (i % 2) as f64, 4.0 * (i / 2 % 2) as f64];
    let values = (0..n).flat_map(row).map(|v| v + stream.normal()).collect::<Vec<_>>();
    Dense::from_vec(values, n, 2).unwrap()
}

fn gram(x: &Dense<f64>, spec: &KernelSpec) -> Mat<f64> {
    let kernel = mercer::kernel::SpecKernel::<f64>::new(spec).unwrap();
    let mut out = Mat::zeros(x.n(), x.n());
    mercer::gram::matrix(&Context::new(1), &kernel, x, None, out.view_mut()).unwrap();
    out
}

fn fit(params: &KernelKMeansParams, x: &Dense<f64>) -> KernelKMeans {
    KernelKMeans::fit(&Context::new(2), params, x, None).unwrap()
}

fn labels_of(n: usize, k: usize) -> Vec<usize> {
    let mut stream = Stream::new(9, "labels");
    (0..n).map(|_| stream.below(k)).collect()
}

/// Plain k-means by its definition.
fn plain(x: &Dense<f64>, start: &[usize], k: usize, rounds: usize) -> Vec<usize> {
    let mut labels = start.to_vec();
    for _ in 0..rounds {
        let centre = |c: usize| {
            let members: Vec<usize> = (0..x.n()).filter(|&i| labels[i] == c).collect();
            let mean =
                |j: usize| members.iter().map(|&i| x.row(i)[j]).sum::<f64>() / members.len() as f64;
            (0..x.d()).map(mean).collect::<Vec<f64>>()
        };
        let centres: Vec<Vec<f64>> = (0..k).map(centre).collect();
        let to = |i: usize, c: usize| -> f64 {
            x.row(i).iter().zip(&centres[c]).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let nearest = |i: usize| (0..k).min_by(|&a, &b| to(i, a).total_cmp(&to(i, b))).unwrap();
        labels = (0..x.n()).map(nearest).collect();
    }
    labels
}

#[test]
fn the_linear_kernel_is_plain_k_means_from_the_same_start() {
    let x = clouds(700, 1);
    for k in [2, 3, 4] {
        let start = labels_of(700, k);
        for rounds in [1, 3, 60] {
            let init = Init::Labels(start.clone());
            let params = KernelKMeansParams::new(k, kernel("linear")).init(init).max_rounds(rounds);
            let want = plain(&x, &start, k, rounds);
            let model = fit(&params, &x);
            assert_eq!(model.labels, want);
            // The same by kernel values: two linear kernels are no longer one factor.
            let sum = {
                let mut changed = params;
                changed.kernel = kernel("0.5*linear + 0.5*linear");
                changed
            };
            assert_eq!(fit(&sum, &x).labels, want);
        }
    }
}

#[test]
fn a_given_matrix_tiles_and_samples_agree_and_new_samples_find_their_cluster() {
    let (x, spec) = (clouds(600, 2), kernel("rbf(gamma=0.3)"));
    let ctx = Context::new(2);
    for init in [Init::PlusPlus, Init::Random, Init::Spectral, Init::Labels(labels_of(600, 5))] {
        let params = KernelKMeansParams::new(5, spec.clone()).init(init).starts(3).seed(4);
        let model = fit(&params, &x);
        // Eigenvectors of few samples are had from the whole matrix, which then is there.
        let budget = if params.init == Init::Spectral { 64 << 20 } else { 2_200_000 };
        let tight = Context::new(2).with_budget(budget);
        let tiled = KernelKMeans::fit(&tight, &params, &x, None).unwrap();
        assert_eq!(tiled.report.storage == "tiled", params.init != Init::Spectral);
        assert_eq!(model.report.storage, "packed");
        let k = gram(&x, &spec);
        let given = KernelKMeans::fit(&ctx, &params, Input::precomputed(k.view()), None).unwrap();
        assert_eq!(model.labels, tiled.labels);
        assert_eq!(model.labels, given.labels);
        assert!(model.report.converged);
        assert_eq!(model.predict(&ctx, &x).unwrap(), model.labels);
        assert_eq!(given.predict(&ctx, Input::precomputed(k.view())).unwrap(), model.labels);
        let distances = model.distances(&ctx, &x).unwrap();
        let sum: f64 = (0..600).map(|i| distances[(i, model.labels[i])]).sum();
        assert!((sum / model.inertia - 1.0).abs() < 1e-9);
        let own: Vec<f64> = (0..600).map(|i| k[(i, i)]).collect();
        let again =
            given.distances(&ctx, Input::precomputed(k.view()).with_diagonal(&own)).unwrap();
        let worst = distances.data().iter().zip(again.data()).map(|(a, b)| (a - b).abs());
        assert!(worst.fold(0.0, f64::max) < 1e-10);
        let falls = model.report.clusters.unwrap().objectives.windows(2).all(|w| w[1] <= w[0]);
        assert!(falls);
    }
}

#[test]
fn threads_do_not_change_a_bit_and_permuted_rows_nothing_but_their_order() {
    let x = clouds(1500, 3);
    let params = KernelKMeansParams::new(6, kernel("rbf(gamma=0.2)")).starts(2);
    let one = KernelKMeans::fit(&Context::new(1), &params, &x, None).unwrap();
    let two = fit(&params, &x);
    assert_eq!((one.labels, one.inertia.to_bits()), (two.labels.clone(), two.inertia.to_bits()));
    let mut order: Vec<usize> = (0..1500).collect();
    let mut stream = Stream::new(5, "order");
    (1..1500).rev().for_each(|i| order.swap(i, stream.below(i + 1)));
    let start = labels_of(1500, 6);
    let turned = order.iter().map(|&i| start[i]).collect();
    let from = |labels| params.clone().init(Init::Labels(labels));
    let straight = fit(&from(start), &x);
    let permuted = fit(&from(turned), &x.select(&order));
    let back: Vec<usize> = order.iter().map(|&i| straight.labels[i]).collect();
    assert_eq!(permuted.labels, back);
}

#[test]
fn a_weight_of_three_is_a_row_three_times_and_a_weight_of_zero_no_row() {
    let (x, ctx) = (clouds(120, 4), Context::new(2));
    let weights: Vec<f64> = (0..120).map(|i| (i % 4) as f64).collect();
    let repeated: Vec<usize> = (0..120).flat_map(|i| std::iter::repeat_n(i, i % 4)).collect();
    let start = labels_of(120, 3);
    let params =
        |labels| KernelKMeansParams::new(3, kernel("rbf(gamma=0.4)")).init(Init::Labels(labels));
    let weighted = KernelKMeans::fit(&ctx, &params(start.clone()), &x, Some(&weights)).unwrap();
    let many = fit(&params(repeated.iter().map(|&i| start[i]).collect()), &x.select(&repeated));
    let expected: Vec<usize> = repeated.iter().map(|&i| weighted.labels[i]).collect();
    assert_eq!(many.labels, expected);
    assert!((many.inertia / weighted.inertia - 1.0).abs() < 1e-10);
    assert_eq!(weighted.predict(&ctx, &x).unwrap(), weighted.labels);
}

/// Dhillon, Guan and Kulis: with K = σ D⁻¹ + D⁻¹ A D⁻¹ and weights D, the objective is a constant plus the normalised cut.
#[test]
fn the_weighted_objective_is_the_normalised_cut() {
    let (x, n, k, sigma) = (clouds(200, 6), 200, 4, 1.5);
    let affinity = gram(&x, &kernel("rbf(gamma=0.5)"));
    let degree: Vec<f64> = (0..n).map(|i| affinity.row(i).iter().sum()).collect();
    let matrix = Mat::from_fn(n, n, |i, j| {
        affinity[(i, j)] / (degree[i] * degree[j]) + if i == j { sigma / degree[i] } else { 0.0 }
    });
    let init = Init::Spectral;
    let params = KernelKMeansParams::new(k, kernel("linear")).init(init);
    let model = KernelKMeans::fit(
        &Context::new(2),
        &params,
        Input::precomputed(matrix.view()),
        Some(&degree),
    )
    .unwrap();
    let cut = |c: usize| {
        let (mut across, mut all) = (0.0, 0.0);
        for i in (0..n).filter(|&i| model.labels[i] == c) {
            all += degree[i];
            across +=
                (0..n).filter(|&j| model.labels[j] != c).map(|j| affinity[(i, j)]).sum::<f64>();
        }
        across / all
    };
    let cuts: f64 = (0..k).map(cut).sum();
    let own: f64 = (0..n).map(|i| degree[i] * matrix[(i, i)]).sum();
    let expected = own - (k as f64 * (1.0 + sigma) - cuts);
    assert!((model.inertia - expected).abs() < 1e-9 * own, "{} {expected}", model.inertia);
    // The clouds themselves, each a quarter of the rows, as far as they do not overlap.
    let truth: Vec<usize> = (0..n).map(|i| i % 4).collect();
    let same = (0..n).flat_map(|i| (0..i).map(move |j| (i, j)));
    let agree =
        same.filter(|&(i, j)| (truth[i] == truth[j]) == (model.labels[i] == model.labels[j]));
    assert!(agree.count() as f64 > 0.9 * (n * (n - 1) / 2) as f64);
}

#[test]
fn degenerate_data_gives_an_answer() {
    let ctx = Context::new(2);
    for text in ["linear", "rbf(gamma=1)"] {
        let equal = dense::<f64>(&[0.5; 20], 10, 2);
        let model = fit(&KernelKMeansParams::new(3, kernel(text)), &equal);
        assert_eq!(model.labels, [0; 10]);
        assert!(model.inertia.abs() < 1e-12 && model.stand_ins.len() == 2);
        assert!(
            model.report.notes[0].starts_with("only 1 of 3 clusters"),
            "{:?}",
            model.report.notes
        );
        assert_eq!(model.predict(&ctx, &equal).unwrap(), [0; 10]);
        assert!(model.distances(&ctx, &equal).unwrap().data().iter().all(|d| *d < 1e-12));
        let x = clouds(30, 8);
        let one = fit(&KernelKMeansParams::new(1, kernel(text)), &x);
        assert_eq!((one.labels, one.stand_ins), (vec![0; 30], vec![]));
        let each = fit(&KernelKMeansParams::new(30, kernel(text)), &x);
        assert!(each.sizes().iter().all(|&s| s == 1) && each.inertia < 1e-10);
        let single = fit(&KernelKMeansParams::new(1, kernel(text)), &x.select(&[3]));
        assert_eq!(single.labels, [0]);
    }
    // Rows that repeat stay together, whatever the start.
    let x = clouds(40, 9).select(&(0..160).map(|i| i % 40).collect::<Vec<_>>());
    let init = Init::Labels(labels_of(160, 5));
    let params = KernelKMeansParams::new(5, kernel("rbf(gamma=0.5)")).init(init);
    let model = fit(&params, &x);
    assert!((0..160).all(|i| model.labels[i] == model.labels[i % 40]));
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let (x, ctx) = (clouds(10, 1), Context::new(1));
    let base = KernelKMeansParams::new(3, kernel("rbf(gamma=1)"));
    let refused = |params: &KernelKMeansParams, weights: Option<&[f64]>, part: &str| {
        let text = KernelKMeans::fit(&ctx, params, &x, weights).err().unwrap().to_string();
        assert!(text.contains(part), "{text}");
    };
    let with = |clusters| {
        let mut changed = base.clone();
        changed.clusters = clusters;
        changed
    };
    refused(&with(0), None, "clusters: must be between 1 and 10, the number of samples, got 0");
    refused(&with(11), None, "clusters");
    let mut weights = [1.0; 10];
    weights[..8].fill(0.0);
    refused(&base, Some(&weights), "2, the number of samples with positive weight");
    refused(&base, Some(&[0.0; 10]), "all weights are zero");
    refused(&base, Some(&[1.0; 9]), "9 weights for 10 samples");
    refused(&base.clone().starts(0), None, "starts");
    refused(&base.clone().max_rounds(0), None, "max_rounds");
    refused(
        &{
            let mut changed = base.clone();
            changed.tolerance = f64::NAN;
            changed
        },
        None,
        "tolerance",
    );
    let labels = |labels| base.clone().init(Init::Labels(labels));
    refused(&labels(vec![0; 9]), None, "9 labels for 10 samples");
    refused(&labels(vec![3; 10]), None, "row 0 has 3");
    let crooked = Mat::from_fn(4, 4, |i, j| if i < j { 1.0 } else { 0.5 });
    let text = KernelKMeans::fit(&ctx, &base, Input::precomputed(crooked.view()), None)
        .err()
        .unwrap()
        .to_string();
    assert!(text.contains("not symmetric"), "{text}");
    let model = fit(&base, &x);
    let wide = dense::<f64>(&[0.0; 3], 1, 3);
    assert!(model.predict(&ctx, &wide).err().unwrap().to_string().contains("2 features"));
    let tight = Context::new(1).with_budget(1000);
    assert!(
        KernelKMeans::fit(&tight, &base, &x, None).err().unwrap().to_string().contains("budget")
    );
}
