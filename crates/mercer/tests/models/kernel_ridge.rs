//! Kernel ridge regression by law: what it must equal, written in two loops.

use mercer::Dtype;
use mercer::io::{Model, ModelFile, from_bytes, to_bytes};
use mercer::linalg::cholesky;
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::posterior::PosteriorStd;
use mercer::real::Real;
use mercer::solve::ridge::Solver;
use mercer::{Context, Dense, KernelSpec, Points};
use mercer::{Input, Targets};

use crate::naive::normal;

fn points(n: usize, d: usize, seed: u64) -> Dense<f64> {
    Dense::from_vec(normal(n, d, seed), n, d).unwrap()
}

fn params(kernel: &str, alpha: f64) -> KernelRidgeParams {
    let kernel: KernelSpec = kernel.parse().unwrap();
    KernelRidgeParams::new(kernel).alpha(alpha)
}

fn column(values: Vec<f64>) -> Mat<f64> {
    let n = values.len();
    Mat::from_vec(values, n, 1)
}

fn fit(params: &KernelRidgeParams, x: &Dense<f64>, y: &Mat<f64>, w: Option<&[f64]>) -> KernelRidge {
    let targets = &Targets::matrix(y.clone()).with_weights(w.map(<[f64]>::to_vec));
    KernelRidge::fit(&Context::new(2), params, x, targets, None).unwrap()
}

fn predict<T: Real>(model: &KernelRidge, x: &Dense<T>) -> Vec<f64> {
    let mut out = Mat::<T>::zeros(x.n(), model.t());
    model.predict_into(&Context::new(1), x, out.view_mut()).unwrap();
    out.data().iter().map(|v| v.to_f64()).collect()
}

fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "number {i}: {a} is not {b}");
    }
}

/// (A + shift) x = b by Cholesky, for small A given by its entries.
fn solve(n: usize, entry: impl Fn(usize, usize) -> f64, b: &[f64]) -> Vec<f64> {
    let ctx = Context::new(1);
    let mut a = Mat::from_fn(n, n, entry);
    let mut x = column(b.to_vec());
    cholesky::factor(&ctx, &mut a).unwrap();
    cholesky::solve(&ctx, &a, &mut x).unwrap();
    x.into_vec()
}

fn rbf(a: &[f64], b: &[f64], gamma: f64) -> f64 {
    (-gamma * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
}

#[test]
fn a_linear_kernel_is_ridge_regression() {
    let (x, y) = (points(40, 3, 1), normal(40, 1, 2));
    let (new, alpha) = (points(7, 3, 3), 0.7);
    // (XᵀX + α) b = Xᵀy.
    let xx = |i: usize, j: usize| {
        (0..40).map(|r| x.row(r)[i] * x.row(r)[j]).sum::<f64>() + if i == j { alpha } else { 0.0 }
    };
    let xy: Vec<f64> = (0..3).map(|i| (0..40).map(|r| x.row(r)[i] * y[r]).sum()).collect();
    let slope = solve(3, xx, &xy);
    let want: Vec<f64> =
        (0..7).map(|r| new.row(r).iter().zip(&slope).map(|(x, b)| x * b).sum()).collect();
    let y = column(y);
    for solver in [Solver::Auto, Solver::Cholesky, Solver::Eigen, Solver::Cg] {
        let model = fit(&params("linear", alpha).solver(solver), &x, &y, None);
        assert_close(&predict(&model, &new), &want, 1e-8);
        assert!(model.report.converged && model.report.residual <= 1e-10, "{:?}", model.report);
    }
}

#[test]
fn a_given_matrix_and_samples_agree_for_every_solver_and_penalty_of_each_target() {
    let (x, n) = (points(120, 4, 4), 120);
    let y = Mat::from_vec(normal(n * 3, 1, 5), n, 3);
    let gram: Vec<f64> = (0..n * n).map(|i| rbf(x.row(i / n), x.row(i % n), 0.3)).collect();
    let weights: Vec<f64> = (0..n).map(|i| (i % 4) as f64 * 0.5).collect();
    for solver in [Solver::Cholesky, Solver::Eigen, Solver::Cg] {
        for weights in [None, Some(weights.as_slice())] {
            for intercept in [false, true] {
                let alpha = vec![0.1, 2.0, 0.1];
                let own =
                    params("rbf(gamma=0.3)", 1.0).solver(solver).intercept(intercept).alphas(alpha);
                let direct = fit(&own, &x, &y, weights);
                let targets =
                    &Targets::matrix(y.clone()).with_weights(weights.map(<[f64]>::to_vec));
                let matrix = MatRef::new(&gram, n, n, n);
                let given = KernelRidge::fit(
                    &Context::new(1),
                    &own,
                    Input::precomputed(matrix),
                    targets,
                    None,
                )
                .unwrap();
                assert_close(given.coef.data(), direct.coef.data(), 1e-7);
                assert_close(&given.offset, &direct.offset, 1e-7);
                let mut out = Mat::zeros(n, 3);
                given
                    .predict_into(&Context::new(1), Input::precomputed(matrix), out.view_mut())
                    .unwrap();
                assert_close(out.data(), &predict(&direct, &x), 1e-7);
                // One target alone, with its own penalty, is the same.
                let middle = column((0..n).map(|i| y[(i, 1)]).collect());
                let one = own.alpha(2.0);
                let alone = fit(&one, &x, &middle, weights);
                let whole: Vec<f64> = (0..n).map(|i| direct.coef[(i, 1)]).collect();
                assert_close(alone.coef.data(), &whole, 1e-7);
            }
        }
    }
}

#[test]
fn a_weight_counts_as_so_many_rows_and_none_as_absence() {
    let (x, y) = (points(20, 2, 6), column(normal(20, 1, 7)));
    let weights: Vec<f64> = (0..20).map(|i| (i % 3) as f64).collect();
    let repeated: Vec<usize> =
        (0..20).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
    let new = points(9, 2, 8);
    for intercept in [false, true] {
        for solver in [Solver::Cholesky, Solver::Eigen, Solver::Cg] {
            let own = params("rbf(gamma=0.5)", 0.3).intercept(intercept).solver(solver);
            let weighted = fit(&own, &x, &y, Some(&weights));
            let many = column(repeated.iter().map(|&i| y[(i, 0)]).collect());
            let counted = fit(&own, &x.select(&repeated), &many, None);
            assert_close(&predict(&weighted, &new), &predict(&counted, &new), 1e-7);
            assert!((0..20).all(|i| weights[i] > 0.0 || weighted.coef[(i, 0)] == 0.0));
        }
    }
}

#[test]
fn the_penalty_leads_from_interpolation_to_nothing() {
    let (x, y) = (points(30, 2, 9), column(normal(30, 1, 10)));
    let at = |alpha: f64, intercept: bool| {
        let own = params("laplacian(gamma=1)", alpha).intercept(intercept);
        predict(&fit(&own, &x, &y, None), &x)
    };
    assert_close(&at(0.0, false), y.data(), 1e-10);
    assert_close(&at(1e-12, false), y.data(), 1e-9);
    assert!(at(1e12, false).iter().all(|v| v.abs() < 1e-9));
    let mean = y.data().iter().sum::<f64>() / 30.0;
    assert_close(&at(1e12, true), &[mean; 30], 1e-9);
}

#[test]
fn without_penalty_equal_rows_share_their_mean() {
    // Two rows at 0 with targets 1 and 3, one at 1: the matrix is singular.
    let x = Dense::from_vec(vec![0.0, 0.0, 1.0], 3, 1).unwrap();
    let y = column(vec![1.0, 3.0, 5.0]);
    let model = fit(&params("rbf(gamma=1)", 0.0), &x, &y, None);
    assert_close(&predict(&model, &x), &[2.0, 2.0, 5.0], 1e-12);
    assert!((model.coef[(0, 0)] - model.coef[(1, 0)]).abs() < 1e-12, "the shortest solution");
    let system = model.report.system.unwrap();
    assert_eq!(system.effective_rank, Some(2));
    let noted = model.report.notes.iter().any(|n| n.contains("singular, effective rank 2 of 3"));
    assert!(noted, "{:?}", model.report.notes);
}

#[test]
fn a_nearly_singular_system_says_which_penalty_is_stable() {
    let (x, y) = (points(200, 1, 11), column(normal(200, 1, 12)));
    let model = fit(&params("rbf(gamma=0.1)", 1e-13), &x, &y, None);
    let system = model.report.system.as_ref().unwrap();
    assert!(system.condition > 1e13 && system.stable_alpha > 1e-11, "{system:?}");
    assert!(model.report.notes.iter().any(|n| n.contains("nearly singular")));
    let stable = fit(&params("rbf(gamma=0.1)", 2.0 * system.stable_alpha), &x, &y, None);
    assert!(stable.report.notes.is_empty(), "{:?}", stable.report.notes);
}

#[test]
fn threads_order_of_rows_and_the_budget_do_not_matter() {
    let (x, n) = (points(700, 3, 13), 700);
    let y = column(normal(n, 1, 14));
    for solver in [Solver::Cholesky, Solver::Cg] {
        let own = params("rbf(gamma=0.2)", 0.05).solver(solver);
        let run = |ctx: &Context, x: &Dense<f64>, y: &Mat<f64>| {
            let targets = &Targets::matrix(y.clone());
            KernelRidge::fit(ctx, &own, x, targets, None).unwrap()
        };
        let one = run(&Context::new(1), &x, &y);
        assert_eq!(one.coef.data(), run(&Context::new(2), &x, &y).coef.data());
        let order: Vec<usize> = (0..n).map(|i| (i * 331) % n).collect();
        let turned = column(order.iter().map(|&i| y[(i, 0)]).collect());
        let other = run(&Context::new(2), &x.select(&order), &turned);
        let back: Vec<f64> = order.iter().map(|&i| one.coef[(i, 0)]).collect();
        assert_close(other.coef.data(), &back, 1e-6);
    }
    // 700² numbers take 3.9 MB: within 2 MB only products work, on tiles.
    let tight = Context::new(2).with_budget(2 << 20);
    let targets = &Targets::matrix(y.clone());
    let own = params("rbf(gamma=0.2)", 0.05);
    let model = KernelRidge::fit(&tight, &own, &x, targets, None).unwrap();
    assert_eq!((model.report.solver.as_str(), model.report.storage.as_str()), ("cg", "tiled"));
    assert_close(model.coef.data(), fit(&own, &x, &y, None).coef.data(), 1e-6);
    let refused = own.solver(Solver::Eigen);
    let error = KernelRidge::fit(&tight, &refused, &x, targets, None).err().unwrap().to_string();
    assert!(error.contains("memory budget"), "{error}");
}

#[test]
fn a_start_close_by_saves_passes() {
    let (x, y) = (points(500, 4, 15), column(normal(500, 1, 16)));
    let own = params("rbf(gamma=0.2)", 0.1).solver(Solver::Cg);
    let near = own.clone().alpha(0.1001);
    let first = fit(&own, &x, &y, None);
    let targets = &Targets::matrix(y.clone());
    let warm = KernelRidge::fit(&Context::new(2), &near, &x, targets, Some(&first.coef)).unwrap();
    let cold = fit(&near, &x, &y, None);
    assert_close(warm.coef.data(), cold.coef.data(), 1e-6);
    assert!(warm.report.passes < cold.report.passes, "{:?} {:?}", warm.report, cold.report);
}

#[test]
fn the_spread_is_that_of_a_gaussian_process() {
    let (n, gamma, alpha) = (25, 0.4, 0.2);
    let (x, new, y) = (points(n, 2, 17), points(6, 2, 18), column(normal(n, 1, 19)));
    let weights: Vec<f64> = (0..n).map(|i| 0.5 + (i % 3) as f64).collect();
    for intercept in [false, true] {
        let own = params("rbf(gamma=0.4)", alpha).intercept(intercept);
        let model = fit(&own, &x, &y, Some(&weights));
        let spread = PosteriorStd::new(&Context::new(2), &model).unwrap();
        let found = spread.deviations(&Context::new(2), &new).unwrap();
        let system = |i: usize, j: usize| {
            rbf(x.row(i), x.row(j), gamma) + if i == j { alpha / weights[i] } else { 0.0 }
        };
        let ones = solve(n, system, &vec![1.0; n]);
        let want: Vec<f64> = (0..6)
            .map(|r| {
                let k: Vec<f64> = (0..n).map(|i| rbf(new.row(r), x.row(i), gamma)).collect();
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                let mut variance = 1.0 - dot(&k, &solve(n, system, &k));
                if intercept {
                    variance += (1.0 - dot(&k, &ones)).powi(2) / ones.iter().sum::<f64>();
                }
                variance.sqrt()
            })
            .collect();
        assert_close(found.data(), &want, 1e-9);
        // Where no factor fits, products give the same.
        let tight = Context::new(1).with_budget(100_000);
        let products = PosteriorStd::new(&tight, &model).unwrap();
        assert_eq!(products.bytes(), 0);
        assert_close(products.deviations(&tight, &new).unwrap().data(), &want, 1e-6);
    }
}

#[test]
fn a_file_gives_the_model_back_to_the_last_bit() {
    let (x, n) = (points(12, 2, 20), 12);
    let y = Mat::from_vec(normal(n * 2, 1, 21), n, 2);
    let weights: Vec<f64> = (0..n).map(|i| i as f64).collect();
    let own = params("rbf(gamma=scale)", 1.0).alphas(vec![0.1, 3.0]).intercept(true);
    let model = fit(&own, &x, &y, Some(&weights));
    let bytes = to_bytes(&ModelFile::new(Model::KernelRidge(model.clone()), Dtype::F64)).unwrap();
    let saved = from_bytes("memory".as_ref(), &bytes).unwrap();
    let Model::KernelRidge(again) = saved.model else { panic!("another kind") };
    assert_eq!((again.params.clone(), &again.report), (model.params.clone(), &model.report));
    assert_eq!(again.coef.data(), model.coef.data());
    assert_eq!(
        (again.offset.clone(), again.weights.clone()),
        (model.offset.clone(), model.weights.clone())
    );
    assert_eq!(predict(&again, &x), predict(&model, &x));
}

#[test]
fn bad_input_is_refused_with_the_reason() {
    let (x, y) = (points(5, 2, 22), column(normal(5, 1, 23)));
    let ctx = Context::new(1);
    let error = |own: &KernelRidgeParams, y: &Mat<f64>, weights: Option<&[f64]>| {
        let targets = &Targets::matrix(y.clone()).with_weights(weights.map(<[f64]>::to_vec));
        KernelRidge::fit(&ctx, own, &x, targets, None).err().expect("an error").to_string()
    };
    let own = params("rbf(gamma=1)", 1.0);
    assert!(error(&own, &column(vec![1.0; 4]), None).contains("5 samples but 4 targets"));
    let mut bad = y.clone();
    bad[(3, 0)] = f64::NAN;
    assert!(error(&own, &bad, None).contains("row 3 is NaN"));
    assert!(error(&params("rbf", -1.0), &y, None).contains("alpha: must not be negative"));
    assert!(error(&params("rbf", f64::NAN), &y, None).contains("alpha"));
    let two = own.clone().alphas(vec![1.0, 2.0]);
    assert!(error(&two, &y, None).contains("2 penalties for 1 targets"));
    assert!(error(&own, &y, Some(&[1.0, -1.0, 1.0, 1.0, 1.0])).contains("row 1 is -1"));
    assert!(error(&own, &y, Some(&[0.0; 5])).contains("all weights are zero"));
    assert!(error(&own, &y, Some(&[1.0; 3])).contains("3 weights for 5 samples"));
    let products = params("rbf(gamma=1)", 0.0).solver(Solver::Cg);
    assert!(error(&products, &y, None).contains("positive ridge"));
}

#[test]
fn single_precision_gives_single_precision() {
    let x = points(200, 3, 24);
    let (y, narrow) = (column(normal(200, 1, 25)), x.convert::<f32>().unwrap());
    let own = params("rbf(gamma=0.3)", 0.5);
    let targets = &Targets::matrix(y.clone());
    let model = KernelRidge::fit(&Context::new(2), &own, &narrow, targets, None).unwrap();
    assert!(model.report.converged && model.report.precision == "f32", "{:?}", model.report);
    assert_close(&predict(&model, &narrow), &predict(&fit(&own, &x, &y, None), &x), 1e-4);
}
