use super::*;
use crate::context::Stream;
use crate::gram::{MatrixFree, Packed, Precomputed};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::cholesky;
use crate::points::Dense;

fn points(n: usize, d: usize) -> Dense<f64> {
    let mut stream = Stream::new(3, "test");
    Dense::from_vec((0..n * d).map(|_| stream.normal()).collect(), n, d).unwrap()
}

fn targets(n: usize, m: usize) -> Mat<f64> {
    let mut stream = Stream::new(4, "test");
    Mat::from_vec((0..n * m).map(|_| stream.normal()).collect(), n, m)
}

#[test]
fn solutions_are_those_of_cholesky() {
    let ctx = Context::new(2);
    for (n, m, alpha) in [(5, 1, 1.0), (100, 3, 1e-3), (700, 17, 0.01), (600, 40, 10.0)] {
        let x = points(n, 3);
        let spec: KernelSpec = "rbf(gamma=0.3)".parse().unwrap();
        let kernel = SpecKernel::<f64>::new(&spec).unwrap();
        let gram = Packed::fill(&ctx, &kernel, &x).unwrap();
        let b = targets(n, m);
        let ridge: Vec<f64> = (0..n).map(|i| alpha * (1.0 + (i % 3) as f64)).collect();
        let params = Params::new(n, 1e-10, 500, 0);
        let rough = Packed::<f32>::fill_rounded(&ctx, &kernel, &x).unwrap();
        let matrix = Matrix { gram: &gram, rough: None, ridge: &ridge };
        let (found, info) = solve(&ctx, matrix, &b, None, &params).unwrap();
        // From a rough copy of the matrix, and from a start close by, the same comes out.
        let quick = Matrix { rough: Some(&rough), ..matrix };
        let (same, own) = solve(&ctx, quick, &b, None, &params).unwrap();
        assert!(own.converged && own.residual <= 1e-10, "{own:?}");
        let (again, few) = solve(&ctx, matrix, &b, Some(&same), &params).unwrap();
        assert_eq!((few.passes, again.data()), (m.div_ceil(WIDTH), same.data()));
        assert!(info.converged && info.residual <= 1e-10, "{info:?}");
        let mut matrix = gram.lower(&ctx).unwrap();
        (0..n).for_each(|i| matrix[(i, i)] += ridge[i]);
        cholesky::factor(&ctx, &mut matrix).unwrap();
        let mut want = b.clone();
        cholesky::solve(&ctx, &matrix, &mut want).unwrap();
        // A residual of 1e-10 of b allows this much of x.
        let largest = want.data().iter().fold(0.0_f64, |a, v| a.max(v.abs()));
        let allowed = 1e-9 * (n as f64).sqrt() / alpha + 1e-9 * largest;
        for (a, b) in found.data().iter().zip(want.data()) {
            assert!((a - b).abs() <= allowed, "n = {n}: {a} {b}");
        }
    }
}

#[test]
fn stored_and_tiled_agree_and_threads_do_not_matter() {
    let x = points(300, 2);
    let spec: KernelSpec = "matern(nu=1.5, length=1)".parse().unwrap();
    let kernel = SpecKernel::<f64>::new(&spec).unwrap();
    let b = targets(300, 2);
    let params = Params { landmarks: 40, ..Params::new(300, 1e-9, 200, 1) };
    let ridge = vec![0.01; 300];
    let run = |threads: usize| {
        let ctx = Context::new(threads);
        let gram = Packed::fill(&ctx, &kernel, &x).unwrap();
        let tiled = MatrixFree::new(&kernel, x.clone());
        let run = |gram: &dyn Gram| {
            let matrix = Matrix { gram, rough: None, ridge: &ridge };
            solve(&ctx, matrix, &b, None, &params).unwrap().0
        };
        (run(&gram), run(&tiled))
    };
    let (one, two) = (run(1), run(2));
    assert_eq!(one.0.data(), two.0.data());
    assert_eq!(one.1.data(), two.1.data());
    let close = one.0.data().iter().zip(one.1.data()).all(|(a, b)| (a - b).abs() < 1e-5);
    assert!(close);
}

#[test]
fn equal_samples_zero_targets_and_few_passes() {
    let ctx = Context::new(1);
    let x = Dense::from_vec(vec![1.0; 50], 50, 1).unwrap();
    let kernel = SpecKernel::<f64>::new(&"linear".parse().unwrap()).unwrap();
    let gram = Packed::fill(&ctx, &kernel, &x).unwrap();
    let b = Mat::from_fn(50, 2, |i, c| if c == 0 { 0.0 } else { i as f64 });
    let mut params = Params { landmarks: 10, ..Params::new(50, 1e-10, 50, 0) };
    let run = |ridge: f64, params: &Params| {
        let matrix = Matrix { gram: &gram, rough: None, ridge: &[ridge; 50] };
        solve(&ctx, matrix, &b, None, params)
    };
    let (x, info) = run(0.5, &params).unwrap();
    assert!(info.converged, "{info:?}");
    assert!((0..50).all(|i| x[(i, 0)] == 0.0));
    params.max_passes = 1;
    params.landmarks = 1;
    params.tolerance = 1e-15;
    let (_, info) = run(1e-9, &params).unwrap();
    assert!(info.passes <= 2);
    assert!(run(0.0, &params).is_err());
}

/// Samples on a line, most of them in one place.
fn crowded(n: usize) -> Dense<f64> {
    let x = |i: usize| if i.is_multiple_of(10) { i as f64 / 10.0 } else { 0.3 * (i as f64).sin() };
    Dense::from_vec((0..n).map(x).collect(), n, 1).unwrap()
}

#[test]
fn pivots_take_half_the_passes_of_uniform_columns() {
    let (ctx, n) = (Context::new(2), 900);
    let kernel = SpecKernel::<f64>::new(&"rbf(gamma=0.5)".parse::<KernelSpec>().unwrap()).unwrap();
    let gram = Packed::fill(&ctx, &kernel, &crowded(n)).unwrap();
    let params = Params { landmarks: 100, ..Params::new(n, 1e-6, 900, 0) };
    let ridge = vec![1e-3; n];
    let matrix = Matrix { gram: &gram, rough: None, ridge: &ridge };
    let b = targets(n, 1);
    let passes = |nystrom: NystromPreconditioner| {
        let (params, done) = (&params, (0, 1));
        let system = System { ctx: &ctx, matrix, nystrom: &nystrom, params, width: 1, done };
        let right = Block::from_fn(n, |i, c| if c == 0 { b[(i, 0)] } else { 0.0 });
        let (_, outcome) = system.solve(&right, None).unwrap();
        assert!(outcome.converged, "{}", outcome.residual);
        outcome.passes
    };
    let uniform = nystrom::uniform(&ctx, &gram, &params).unwrap();
    let uniform = passes(NystromPreconditioner::of_factor(&ctx, uniform, &ridge).unwrap());
    let pivoted = passes(NystromPreconditioner::new(&ctx, &gram, &ridge, &params).unwrap());
    assert!(2 * pivoted <= uniform, "{pivoted} passes, and {uniform} with uniform columns");
}

#[test]
fn a_matrix_without_pivots_has_a_preconditioner() {
    let ctx = Context::new(1);
    let data = [1.0, 2.0, 2.0, 1.0]; // eigenvalues 3 and −1
    for data in [data, [0.0; 4]] {
        let gram = Precomputed::new(crate::linalg::view::MatRef::new(&data, 2, 2, 2)).unwrap();
        let ridge = [4.0; 2];
        let matrix = Matrix { gram: &gram, rough: None, ridge: &ridge };
        let b = targets(2, 1);
        let (_, info) = solve(&ctx, matrix, &b, None, &Params::new(2, 1e-10, 50, 0)).unwrap();
        assert!(info.converged, "{info:?}");
    }
}
