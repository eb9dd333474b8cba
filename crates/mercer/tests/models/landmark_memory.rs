//! Fits on landmarks within a memory budget: a number that is offered fits, and rows to choose among are as many as there is room for.

use mercer::model::kernel_kmeans::KernelKMeansParams;
use mercer::model::landmarks::{LandmarkCount, LandmarkMethod, LandmarkParams, Regrouped};
use mercer::prelude::*;
use mercer::select::{Criterion, SearchParams, Validation, search_blocks};
use mercer::{AnySamples, Points as _};

use crate::landmarks::Blocks;
use crate::naive::normal;

const RBF: &str = "rbf(gamma=0.02)";

fn dense(n: usize, d: usize) -> Dense<f64> {
    crate::naive::dense(&normal(n, d, 7), n, d)
}

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap()
}

/// The number of landmarks that a refusal offers.
fn offered(error: &str) -> usize {
    let (_, rest) = error.split_once("at most ").unwrap_or_else(|| panic!("no offer: {error}"));
    rest.split(' ').next().unwrap().parse().unwrap()
}

type Fit<'a> = dyn Fn(&Context, usize) -> Result<usize> + 'a;

/// Asks for too many landmarks, and then for as many as are offered.
fn check(name: &str, budgets: &[u64], fit: &Fit<'_>) {
    for &budget in budgets {
        let ctx = || Context::new(2).with_budget(budget);
        let error = fit(&ctx(), 3000).err().unwrap_or_else(|| panic!("{name} {budget}: refused"));
        let most = offered(&error.to_string());
        let found = fit(&ctx(), most);
        assert_eq!(found.unwrap_or_else(|error| panic!("{name} {budget}: {error}")), most);
        let more = fit(&ctx(), most + 1 + most / 50).err();
        assert!(more.is_some(), "{name} {budget}: {most} are fewer than fit");
    }
}

fn count(report: &mercer::model::Report) -> usize {
    report.landmarks.as_ref().unwrap().landmarks
}

#[test]
fn landmarks_that_are_offered_fit() {
    let x = dense(3000, 4);
    let y = Mat::from_fn(3000, 2, |i, _| x.row(i)[0]);
    let single = Dense::<f32>::from_view(Mat::from_fn(3000, 4, |i, j| x.row(i)[j] as f32).view());
    let single = single.unwrap();
    let budgets = [2_000_000, 6_000_000, 20_000_000];
    let pca = KernelPca::params(spec("rbf(gamma=0.5)"));
    check("all components", &budgets, &|ctx, m| {
        Ok(count(&pca.clone().landmarks(m).fit_in(ctx, &x)?.report))
    });
    check("few components, single precision", &budgets, &|ctx, m| {
        Ok(count(&pca.clone().components(3).landmarks(m).fit_in(ctx, &single)?.report))
    });
    let ridge = KernelRidge::params(spec("rbf(gamma=0.5)")).alpha(0.1);
    check("ridge", &budgets, &|ctx, m| {
        let targets = Targets::matrix(y.clone());
        Ok(count(&ridge.clone().landmarks(m).fit_in(ctx, &x, &targets)?.report))
    });
    check("leaving out", &[20_000_000, 40_000_000], &|ctx, m| {
        let params = SearchParams {
            model: ridge.clone().landmarks(m),
            kernels: vec![spec("rbf(gamma=0.5)")],
            alphas: None,
            validation: Validation::LeaveOneOut,
            per_target: false,
        };
        let mut rows = Regrouped::new(Blocks::new(&x, Some(&y), 1024));
        Ok(count(
            &search_blocks(ctx, &params, &mut rows, Dtype::F64, Criterion::Rmse)?.model.report,
        ))
    });
    check("k-means", &budgets[1..], &|ctx, m| {
        let mut params = KernelKMeansParams::new(3, spec("rbf(gamma=0.5)"));
        (params.landmarks, params.max_rounds) = (Some(m.into()), 2);
        Ok(count(&KernelKMeans::fit(ctx, &params, &x, None)?.report))
    });
}

#[test]
fn a_tolerance_takes_as_many_landmarks_as_fit() {
    let x = dense(3000, 4);
    let pca = KernelPca::params(spec("rbf(gamma=2)")).components(2);
    let wanted = LandmarkParams::new(LandmarkCount::Tolerance(1e-6));
    let mut before = 0;
    for budget in [1_500_000, 5_000_000, 15_000_000] {
        let ctx = Context::new(2).with_budget(budget);
        let model = pca.clone().landmarks(wanted.clone()).fit_in(&ctx, &x).unwrap();
        let found = count(&model.report);
        assert!(found > before, "{budget}: {found}");
        let reported = |note: &str| note.contains("more than the tolerance");
        assert!(model.report.notes.iter().any(|note| reported(note)), "{:?}", model.report.notes);
        before = found;
    }
    // With enough of it, a tolerance that is soon reached takes no memory for more.
    let easy = LandmarkParams::new(LandmarkCount::Tolerance(0.2));
    let pca = KernelPca::params(spec(RBF)).components(2).landmarks(easy);
    let model = pca.fit_in(&Context::new(2).with_budget(60_000_000), &x).unwrap();
    assert!(model.report.notes.is_empty(), "{:?}", model.report.notes);
}

/// Rows of every kind: there are fewer to choose among than without a budget, and as many however they come.
#[test]
fn rows_to_choose_among_are_as_many_as_fit() {
    const N: usize = 9000;
    let texts: Vec<String> = (0..N).map(|i| format!("{}{i}", "abcde".repeat(i % 60))).collect();
    let starts: Vec<usize> = (0..=N).map(|i| 40 * i).collect();
    let columns: Vec<usize> = (0..40 * N).map(|i| i % 40 * 11 + i / 40 % 7).collect();
    let sparse = Csr::<f64>::new(N, 500, &starts, &columns, &normal(N, 40, 3)).unwrap();
    for (kernel, x, budget) in [
        (RBF, AnySamples::from(dense(N, 100)), 13_500_000),
        (RBF, sparse.into(), 8_500_000),
        ("normalize(spectrum(p=2))", Strings::new(&texts).unwrap().into(), 21_000_000),
    ] {
        for method in [LandmarkMethod::PivotedCholesky, LandmarkMethod::Uniform] {
            let params = LandmarkParams::from(8).method(method);
            let pca = KernelPca::params(spec(kernel)).components(2).landmarks(params);
            let whole = pca.fit_in(&Context::new(2), &x).unwrap().report.landmarks.unwrap();
            assert_eq!(whole.candidates, N, "{kernel}");
            let ctx = || Context::new(2).with_budget(budget);
            let model = pca.fit_in(&ctx(), &x).unwrap();
            let report = model.report.landmarks.as_ref().unwrap();
            assert!((1000..8000).contains(&report.candidates), "{kernel}: {}", report.candidates);
            let reported = |note: &str| note.contains("among 9000");
            assert!(
                model.report.notes.iter().any(|note| reported(note)),
                "{:?}",
                model.report.notes
            );
            for size in [1024, 2048] {
                let mut rows = Blocks::new(x.clone(), None, size);
                let found = KernelPca::fit_blocks(&ctx(), &pca, &mut rows, Dtype::F64).unwrap();
                assert_eq!(found.coef, model.coef, "{kernel}, blocks of {size}");
                assert_eq!(found.report.landmarks.as_ref(), Some(report));
            }
        }
    }
}

#[test]
fn rows_too_wide_for_the_budget_are_refused_with_the_landmarks_that_fit() {
    let x = dense(2500, 400);
    let pca = KernelPca::params(spec(RBF)).components(2);
    let ctx = || Context::new(2).with_budget(8_000_000);
    for size in [1024, 2500] {
        let fit = |m: usize| {
            let mut rows = Blocks::new(&x, None, size);
            let params = pca.clone().landmarks(m);
            KernelPca::fit_blocks(&ctx(), &params, &mut rows, Dtype::F64)
        };
        if size == 2500 {
            // One block of 8 MB, and a copy.
            let error = fit(10).err().expect("refused").to_string();
            assert!(error.contains("a block of rows"), "{error}");
            continue;
        }
        let error = fit(2000).err().expect("refused").to_string();
        let most = offered(&error);
        assert_eq!(count(&fit(most).unwrap().report), most, "{error}");
    }
}

/// Every way of choosing has a curve, of all rows, that ends at what the report says.
#[test]
fn the_error_by_the_number_of_landmarks() {
    let x = dense(1500, 3);
    let given = x.select(&(0..20).map(|i| 61 * i).collect::<Vec<_>>());
    let given = mercer::model::landmarks::GivenLandmarks::new(&given);
    let given = LandmarkParams::new(LandmarkCount::Given(given));
    let by = |method| LandmarkParams::from(20).method(method);
    let ways = [
        by(LandmarkMethod::PivotedCholesky),
        by(LandmarkMethod::Uniform),
        by(LandmarkMethod::KMeans),
        given,
    ];
    for wanted in ways {
        let ctx = Context::new(2);
        let pca = KernelPca::params(spec("rbf(gamma=0.3)")).components(2).landmarks(wanted.clone());
        let model = pca.fit_in(&ctx, &x).unwrap();
        let report = model.report.landmarks.as_ref().unwrap();
        let curve = &report.curve;
        assert_eq!((curve[0], curve.last().unwrap().0), ((0, 1.0), 20), "{wanted:?}");
        assert!((curve.last().unwrap().1 - report.residual_share()).abs() < 1e-12);
        // The first ten landmarks alone leave what the curve says.
        let ten = model.anchors.as_ref().unwrap().select(&(0..10).collect::<Vec<_>>());
        let ten = mercer::model::landmarks::GivenLandmarks::new(ten);
        let ten = pca.clone().landmarks(LandmarkParams::new(LandmarkCount::Given(ten)));
        let left = ten.fit_in(&ctx, &x).unwrap().report.landmarks.unwrap().residual_share();
        let (_, share) = curve.iter().find(|(count, _)| *count == 10).unwrap();
        assert!((share - left).abs() < 1e-9, "{share} {left}");
        let mut means = KernelKMeansParams::new(3, spec("rbf(gamma=0.3)"));
        (means.landmarks, means.max_rounds) = (Some(wanted), 2);
        let found = KernelKMeans::fit(&ctx, &means, &x, None).unwrap().report.landmarks.unwrap();
        assert_eq!(found.curve.len(), curve.len());
        let gaps = found.curve.iter().zip(curve).map(|(a, b)| (a.1 - b.1).abs());
        assert!(gaps.fold(0.0, f64::max) < 1e-9);
    }
}
