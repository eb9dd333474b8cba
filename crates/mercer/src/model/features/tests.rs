//! Fitted feature maps: kernels resolved, errors measured, counts chosen.

use super::*;
use crate::context::Stream;
use crate::points::Csr;

fn normal(n: usize, d: usize) -> Mat<f64> {
    let mut stream = Stream::new(3, "fitted features");
    Mat::from_vec((0..n * d).map(|_| stream.normal()).collect(), n, d)
}

fn params(kernel: &str) -> KernelFeaturesParams {
    KernelFeaturesParams::new(kernel.parse().unwrap())
}

fn fit(params: &KernelFeaturesParams, x: &Mat<f64>) -> Result<KernelFeatures> {
    KernelFeatures::fit_matrix(&Context::new(1), params, x)
}

#[test]
fn a_matrix_and_samples_give_the_same_map() {
    let x = normal(80, 4);
    let dense = Dense::from_rows(x.data(), 80, 4).unwrap();
    let sparse = Csr::from_dense(&dense).unwrap();
    let asked = params("rbf(gamma=scale)").random(40);
    let one = fit(&asked, &x).unwrap();
    for other in [AnySamples::from(&dense), AnySamples::from(&sparse)] {
        let other = KernelFeatures::fit(&Context::new(2), &asked, other).unwrap();
        assert_eq!(one.map.as_fourier(), other.map.as_fourier());
        let (a, b) = (one.error.unwrap(), other.error.unwrap());
        assert!((a.rms - b.rms).abs() < 1e-12 && a.pairs == 1000);
    }
    assert!(one.params.kernel.is_resolved() && one.k() == 40 && one.d() == 4 && one.n == 80);
}

#[test]
fn the_measured_error_is_that_of_two_loops_on_the_pairs() {
    let x = normal(50, 3);
    let model = fit(&params("laplacian(gamma=0.4)").random(60), &x).unwrap();
    let phi = model.map.matrix(&Context::new(1), x.view()).unwrap();
    let (mut sum, mut worst) = (0.0, 0.0f64);
    for [i, j] in measure::pairs(50, 0) {
        assert_ne!(i, j);
        let distance: f64 = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).abs()).sum();
        let product: f64 = phi.row(i).iter().zip(phi.row(j)).map(|(a, b)| a * b).sum();
        let error = (product - (-0.4 * distance).exp()).abs();
        (sum, worst) = (sum + error, worst.max(error));
    }
    let error = model.error.unwrap();
    assert!((error.mean - sum / 1000.0).abs() < 1e-12 && (error.max - worst).abs() < 1e-12);
    assert!(error.mean < error.rms && error.rms < error.max && error.kernel_rms < 1.0);
}

/// The expected error is met by independent frequencies in the mean over seeds, for kernels that know nothing of each other.
#[test]
fn a_count_for_an_error_meets_it() {
    let x = normal(300, 5);
    for kernel in ["rbf(gamma=0.1)", "laplacian(gamma=0.1)", "matern(length=2)"] {
        for frequencies in [Frequencies::Auto, Frequencies::Independent] {
            let target = 0.05;
            let asked = |seed| KernelFeaturesParams {
                random: Some(FeatureCount::Error(target)),
                frequencies,
                seed,
                ..params(kernel)
            };
            let square = |seed| fit(&asked(seed), &x).unwrap().error.unwrap().rms.powi(2);
            let found = ((0..12).map(square).sum::<f64>() / 12.0).sqrt();
            let least = if frequencies == Frequencies::Independent { 0.8 } else { 0.4 };
            assert!((least * target..1.15 * target).contains(&found), "{kernel}: {found}");
        }
    }
}

#[test]
fn a_smaller_error_needs_more_features() {
    let x = normal(100, 5);
    let count = |target| {
        let random = Some(FeatureCount::Error(target));
        fit(&KernelFeaturesParams { random, ..params("rbf(gamma=0.1)") }, &x).unwrap().k()
    };
    let (few, many) = (count(0.1), count(0.05));
    assert!((3 * few..=5 * few).contains(&many), "{few} {many}");
}

#[test]
fn what_a_fit_refuses() {
    let x = normal(10, 2);
    let refused = |params: &KernelFeaturesParams, x: &Mat<f64>, part: &str| {
        let text = fit(params, x).expect_err(part).to_string();
        assert!(text.contains(part), "{text}");
    };
    let error = |kernel: &str, target| KernelFeaturesParams {
        random: Some(FeatureCount::Error(target)),
        ..params(kernel)
    };
    refused(&error("rbf(gamma=1)", 0.0), &x, "positive");
    refused(&error("rbf(gamma=1)", 1e-6), &x, "more than the limit");
    refused(&error("poly(gamma=1)", 0.1), &x, "kernels of a distance");
    refused(&error("rbf(gamma=1)", 0.1), &normal(1, 2), "at least two samples");
    refused(&params("rbf + linear").random(4), &x, "single kernel");
    refused(&params("rbf").random(4), &Mat::zeros(0, 2), "no samples");
    let texts = crate::points::Strings::new(vec!["a".to_string()]).unwrap();
    let found = KernelFeatures::fit(&Context::new(1), &params("rbf").random(4), &texts);
    assert!(found.unwrap_err().to_string().contains("strings"));
    assert!(fit(&params("rbf(gamma=1)").random(4), &normal(1, 2)).unwrap().error.is_none());
    let mut single = Mat::<f32>::zeros(10, 4);
    let model = fit(&params("rbf(gamma=1)").random(4), &x).unwrap();
    let (ctx, out) = (Context::new(1), single.view_mut());
    assert!(model.transform_matrix_into(&ctx, (&x).into(), out).is_err());
}
