use super::*;
use crate::context::Stream;
use crate::gram::{Packed, Precomputed};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::points::Dense;

const PARAMS: Params = Params { tolerance: 1e-10, max_passes: 500, seed: 0, epsilon: f64::EPSILON };

fn normal(rows: usize, cols: usize) -> Mat<f64> {
    let mut stream = Stream::new(8, "test");
    Mat::from_vec((0..rows * cols).map(|_| stream.normal()).collect(), rows, cols)
}

fn packed(ctx: &Context, n: usize, d: usize, spec: &str) -> Packed<f64> {
    let x = Dense::from_vec(normal(n, d).into_vec(), n, d).unwrap();
    let spec: KernelSpec = spec.parse().unwrap();
    Packed::fill(ctx, &SpecKernel::new(&spec).unwrap(), &x).unwrap()
}

fn run(gram: &dyn Gram, alphas: &[f64], right: &Mat<f64>, solver: Solver) -> (Mat<f64>, Info) {
    let system = System { gram, rough: None, alphas, right, start: None };
    let choice = Choice { solver, trial: None, reason: "" };
    solve(&Context::new(2), system, choice, &PARAMS).unwrap()
}

#[test]
fn all_solvers_agree_on_any_ridges() {
    let ctx = Context::new(2);
    for (n, d) in [(3, 1), (200, 4), (1600, 6)] {
        let gram = packed(&ctx, n, d, "rbf(gamma=0.2)");
        let right = normal(n, 3);
        let alphas = [0.5, 0.02, 0.5];
        let (want, info) = run(&gram, &alphas, &right, Solver::Eigen);
        assert!(info.converged && info.residual < 1e-10, "{info:?}");
        for solver in [Solver::Cholesky, Solver::Cg] {
            let (found, info) = run(&gram, &alphas, &right, solver);
            assert!(info.solver == solver && info.residual <= 1e-10, "{info:?}");
            let close = found.data().iter().zip(want.data()).all(|(a, b)| (a - b).abs() < 1e-6);
            assert!(close, "{solver:?} n = {n}");
        }
    }
}

#[test]
fn a_singular_matrix_gives_the_shortest_least_squares_solution() {
    // K = diag(4, 1, 0): of b = (8, 3, 5) the last part cannot be reached.
    let data = [4.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    let gram = Precomputed::new(crate::linalg::view::MatRef::new(&data, 3, 3, 3)).unwrap();
    let right = Mat::from_vec(vec![8.0, 3.0, 5.0], 3, 1);
    for solver in [Solver::Cholesky, Solver::Eigen] {
        let (x, info) = run(&gram, &[0.0], &right, solver);
        let want = [2.0, 3.0, 0.0];
        assert!(x.data().iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{x:?}");
        assert_eq!((info.rank, info.solver), (Some(2), Solver::Eigen));
        assert!(info.converged, "{info:?}");
    }
}

#[test]
fn a_regular_matrix_without_ridge_is_solved_by_its_factor() {
    let ctx = Context::new(1);
    let gram = packed(&ctx, 60, 5, "laplacian(gamma=1)");
    let right = normal(60, 1);
    let (_, info) = run(&gram, &[0.0], &right, Solver::Cholesky);
    assert!(info.solver == Solver::Cholesky && info.residual < 1e-12, "{info:?}");
    assert!(info.condition > 1.0 && info.condition < 1e3 && info.rank == Some(60), "{info:?}");
}

#[test]
fn an_indefinite_matrix_is_solved_and_told() {
    let data = [1.0, 2.0, 2.0, 1.0]; // eigenvalues 3 and −1
    let gram = Precomputed::new(crate::linalg::view::MatRef::new(&data, 2, 2, 2)).unwrap();
    let right = Mat::from_vec(vec![1.0, 0.0], 2, 1);
    let (x, info) = run(&gram, &[0.5], &right, Solver::Cholesky);
    // (1.5, 2; 2, 1.5) x = (1, 0).
    assert!((x[(0, 0)] - 1.5 / -1.75).abs() < 1e-12 && (x[(1, 0)] - 2.0 / 1.75).abs() < 1e-12);
    assert!(
        info.reason.contains("no Cholesky factor") && (info.smallest.unwrap() + 1.0).abs() < 1e-12,
        "{info:?}"
    );
}

#[test]
fn a_hopeless_trial_ends_early_and_the_factor_answers() {
    let ctx = Context::new(2);
    let gram = packed(&ctx, 700, 8, "rbf(gamma=0.3)");
    let right = normal(700, 1);
    let system = System { gram: &gram, rough: None, alphas: &[1e-7], right: &right, start: None };
    let choice = Choice { solver: Solver::Cg, trial: Some(20), reason: "" };
    let (_, info) = solve(&ctx, system, choice, &PARAMS).unwrap();
    assert_eq!(info.solver, Solver::Cholesky);
    assert!(info.reason.contains("abandoned after") && info.residual < 1e-9, "{info:?}");
}

#[test]
fn a_nearly_singular_system_is_diagnosed() {
    let ctx = Context::new(1);
    let gram = packed(&ctx, 100, 1, "rbf(gamma=0.1)");
    let right = normal(100, 1);
    let (_, info) = run(&gram, &[1e-12], &right, Solver::Cholesky);
    assert!(info.condition > 1e12, "{info:?}");
    assert!(info.rank.is_some_and(|rank| (5..60).contains(&rank)), "{info:?}");
}
