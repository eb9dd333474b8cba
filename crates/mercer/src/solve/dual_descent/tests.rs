use super::*;
use crate::gram::Stored;
use crate::linalg::view::Mat;
use crate::solve::smo;

/// Rows of features with two clouds, and the class of each.
fn clouds(n: usize, m: usize, apart: f64) -> (Mat<f32>, Vec<f64>) {
    let mut stream = Stream::new(5, "clouds");
    let sign: Vec<f64> = (0..n).map(|i| if i % 3 == 0 { 1.0 } else { -1.0 }).collect();
    let mut rows = Mat::zeros(n, m);
    for (i, sign) in sign.iter().enumerate() {
        for j in 0..m {
            let centre = if j == 0 { sign * apart } else { 0.0 };
            rows.row_mut(i)[j] = (centre + stream.normal() / (1.0 + j as f64)) as f32;
        }
    }
    (rows, sign)
}

fn classes(sign: &[f64], c: f64) -> Problem {
    let variable = |s: &f64| {
        let (lower, upper) = if *s > 0.0 { (0.0, c) } else { (-c, 0.0) };
        Variable { beta: 0.0, lower, upper, linear: -s, kink: 0.0 }
    };
    let group = vec![0; sign.len()];
    Problem { variables: sign.iter().map(variable).collect(), group, f: None }
}

fn regression(targets: &[f64], c: f64) -> Problem {
    let variable = |y: &f64| Variable { beta: 0.0, lower: -c, upper: c, linear: -y, kink: 0.1 };
    let group = vec![0; targets.len()];
    Problem { variables: targets.iter().map(variable).collect(), group, f: None }
}

/// As nu-SVC: sums of both classes are fixed.
fn groups(sign: &[f64]) -> Problem {
    let mut problem = classes(sign, 1.0);
    for (variable, sign) in problem.variables.iter_mut().zip(sign) {
        variable.linear = 0.0;
        variable.beta = 0.1 * sign;
    }
    problem.group = sign.iter().map(|s| u8::from(*s < 0.0)).collect();
    let scale = sum_of(&problem, 0) / -sum_of(&problem, 1);
    let each = problem.variables.iter_mut().filter(|v| v.beta < 0.0);
    each.for_each(|v| v.beta *= scale);
    problem
}

fn params(tolerance: f64) -> Params {
    Params { tolerance, shrinking: true, cache: 1 << 20, max_iterations: None, deadline: None }
}

fn run(rows: &Mat<f32>, problem: &Problem, params: &Params, threads: usize) -> LowRankSolution {
    let features = StoredRows::new(rows.clone());
    let places: Vec<usize> = (0..rows.rows()).collect();
    solve(&Context::new(threads), &features, &places, problem.clone(), params, 1).unwrap()
}

fn assessed(found: &Solution, problem: &Problem) -> Assessment {
    Assessment::new(&found.variables, &found.f, &problem.group)
}

/// Both solvers end at the same optimum, within the gaps that they certify.
fn check(rows: &Mat<f32>, problem: &Problem, tolerance: f64) -> LowRankSolution {
    let n = rows.rows();
    let product = |i: usize, j: usize| -> f64 {
        rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    };
    let matrix = Mat::from_fn(n, n, product);
    let columns = Stored::new(matrix.view());
    let (ctx, params) = (Context::new(2), params(tolerance));
    let want = smo::solve::<f64>(&ctx, &columns, problem.clone(), &params).unwrap();
    let found = run(rows, problem, &params, 2);
    assert_eq!(found.solution.info.stop, Stop::Converged, "{:?}", found.solution.info);
    let (a, b) = (assessed(&found.solution, problem), assessed(&want, problem));
    assert!(a.violation <= tolerance, "{a:?}");
    let apart = (a.objective - b.objective).abs();
    assert!(apart <= a.gap.unwrap() + b.gap.unwrap() + 1e-9 * b.objective.abs(), "{a:?} {b:?}");
    for g in 0..2 {
        let after = Problem { variables: found.solution.variables.clone(), ..problem.clone() };
        assert!((sum_of(&after, g) - sum_of(problem, g)).abs() < 1e-9);
    }
    let bounds = |v: &Variable| (v.lower..=v.upper).contains(&v.beta);
    assert!(found.solution.variables.iter().all(bounds));
    found
}

#[test]
fn classes_end_where_moving_pairs_does() {
    let (rows, sign) = clouds(600, 20, 0.5);
    for c in [0.1, 10.0] {
        check(&rows, &classes(&sign, c), 1e-3);
    }
    check(&rows, &classes(&sign, 1.0), 1e-6);
}

#[test]
fn regressions_end_where_moving_pairs_does() {
    let (rows, sign) = clouds(500, 12, 1.0);
    let targets: Vec<f64> =
        (0..500).map(|i| f64::from(rows.row(i)[1]).sin() + 0.3 * sign[i]).collect();
    for c in [0.1, 5.0] {
        check(&rows, &regression(&targets, c), 1e-4);
    }
}

#[test]
fn sums_of_two_groups_are_kept() {
    let (rows, sign) = clouds(400, 10, 0.2);
    check(&rows, &groups(&sign), 1e-5);
}

#[test]
fn many_rows_are_visited_in_rounds() {
    let (rows, sign) = clouds(12_000, 16, 0.6);
    let problem = classes(&sign, 1.0);
    let found = run(&rows, &problem, &params(1e-3), 2);
    let certificate = assessed(&found.solution, &problem);
    assert_eq!(found.solution.info.stop, Stop::Converged);
    assert!(certificate.gap.unwrap() < 1e-3 * certificate.objective.abs(), "{certificate:?}");
    assert!(found.solution.info.rounds > 1);
    let alone = run(&rows, &problem, &params(1e-3), 1);
    assert_eq!(alone.w, found.w);
    assert_eq!(alone.solution.variables, found.solution.variables);
}

#[test]
fn the_optimum_as_a_start_takes_no_step() {
    let (rows, sign) = clouds(500, 8, 0.5);
    let mut problem = classes(&sign, 1.0);
    let first = run(&rows, &problem, &params(1e-3), 2);
    problem.variables = first.solution.variables;
    let second = run(&rows, &problem, &params(1e-3), 2);
    assert_eq!((second.solution.info.stop, second.solution.info.iterations), (Stop::Converged, 0));
}

#[test]
fn a_limit_on_steps_is_kept() {
    let (rows, sign) = clouds(9_000, 8, 0.1);
    let limited = Params { max_iterations: Some(5), ..params(1e-6) };
    let found = run(&rows, &classes(&sign, 100.0), &limited, 2);
    assert_eq!(found.solution.info.stop, Stop::Iterations);
}

#[test]
fn rows_in_a_file_give_the_bits_of_those_in_memory() {
    let (rows, sign) = clouds(9000, 37, 1.0);
    let stored = StoredRows::new(rows.clone());
    let mut file = FileRows::new(37, 9000).unwrap();
    for from in (0..9000).step_by(2048) {
        let size = 2048.min(9000 - from);
        file.push(&Mat::from_fn(size, 37, |i, j| rows[(from + i, j)])).unwrap();
    }
    assert_eq!(file.squares(), stored.squares());
    let orders: [Vec<usize>; 3] = [
        (0..9000).collect(),
        (0..9000).filter(|i| i % 3 == 0).chain((0..9000).filter(|i| i % 100 == 1)).collect(),
        (0..9000).rev().step_by(7).collect(),
    ];
    let w: Vec<f64> = (0..37).map(|j| f64::from(j).sin()).collect();
    for order in &orders {
        for threads in [1, 2] {
            let ctx = Context::new(threads);
            let products = |features: &dyn FeatureRows| {
                let mut out = vec![0.0; order.len()];
                features.products(&ctx, order, &w, &mut out).unwrap();
                out
            };
            assert_eq!(products(&file), products(&stored));
            let beta: Vec<(usize, f64)> = order.iter().map(|&row| (row, sign[row])).collect();
            assert_eq!(file.sum(&ctx, &beta).unwrap(), stored.sum(&ctx, &beta).unwrap());
            let (a, b) = (file.chosen(&ctx, order).unwrap(), stored.chosen(&ctx, order).unwrap());
            assert!((0..order.len()).all(|place| a.row(place) == b.row(place)));
        }
    }
    let all: Vec<usize> = (0..9000).collect();
    let problem = classes(&sign, 1.0);
    let ctx = Context::new(2);
    let found = |features: &dyn FeatureRows| {
        solve(&ctx, features, &all, problem.clone(), &params(1e-4), 1).unwrap().w
    };
    assert_eq!(found(&file), found(&stored));
}
