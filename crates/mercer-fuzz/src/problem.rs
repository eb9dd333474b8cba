//! Bytes as a small problem: fitted, and compared with an answer that was found otherwise.
//!
//! Tolerances are multiples of rounding at the size of the numbers that occur, so that they hold for every problem.

use mercer::linalg::view::Mat;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::svm::{Svm, SvmParams, Task};
use mercer::{Dense, KernelSpec};
use mercer::{Labels, Target, Targets};

use crate::context;
use crate::oracle::{self, Plain, Square};

/// Samples, a kernel, and what to learn, from the first bytes of an input; those that lack are 0.
struct Problem {
    n: usize,
    d: usize,
    rows: Vec<f64>,
    /// −1 or 1, as whole numbers in quarters, one per sample.
    aims: Vec<f64>,
    kernel: Plain,
    /// A penalty, or a price.
    weight: f64,
    flag: bool,
}

impl Problem {
    fn of(data: &[u8]) -> Self {
        let mut bytes = data.iter().copied().chain(std::iter::repeat(0));
        let mut next = || bytes.next().unwrap_or(0);
        let (n, d) = (2 + usize::from(next() % 11), 1 + usize::from(next() % 3));
        let kernel = match next() % 5 {
            0 => Plain::Linear,
            1 => Plain::Rbf(0.125),
            2 => Plain::Rbf(2.0),
            3 => Plain::Poly(2),
            _ => Plain::Laplacian(0.5),
        };
        let weight = [0.01, 0.1, 1.0, 10.0][usize::from(next() % 4)];
        let flag = next() % 2 == 1;
        let mut quarter = || f64::from(next() as i8) / 4.0;
        let rows = (0..n * d).map(|_| quarter()).collect();
        let aims = (0..n).map(|_| quarter()).collect();
        Self { n, d, rows, aims, kernel, weight, flag }
    }

    fn samples(&self) -> Dense<f64> {
        Dense::from_vec(self.rows.clone(), self.n, self.d).expect("finite rows")
    }

    fn spec(&self) -> KernelSpec {
        self.kernel.spec().parse().expect("a kernel")
    }

    fn gram(&self) -> Square {
        let row = |i: usize| &self.rows[i * self.d..(i + 1) * self.d];
        let value = |i: usize, j: usize| self.kernel.value(row(i), row(j));
        (0..self.n).map(|i| (0..self.n).map(|j| value(i, j)).collect()).collect()
    }
}

/// A problem of a dozen samples. The first byte says for which method.
pub fn problem(data: &[u8]) {
    let Some((method, rest)) = data.split_first() else { return };
    let problem = Problem::of(rest);
    match method % 3 {
        0 => ridge(&problem),
        1 => components(&problem),
        _ => machine(&problem),
    }
}

fn largest(k: &Square) -> f64 {
    k.iter().flatten().fold(0.0, |largest, value| value.abs().max(largest))
}

fn close(a: f64, b: f64, tolerance: f64, what: &str) {
    assert!((a - b).abs() <= tolerance, "{what}: {a} is not {b} within {tolerance:e}");
}

/// Kernel ridge regression: the predictions of the system solved by elimination, with the constant as one more unknown.
fn ridge(problem: &Problem) {
    let (n, alpha, k) = (problem.n, problem.weight, problem.gram());
    let params = KernelRidgeParams::new(problem.spec()).alpha(alpha).intercept(problem.flag);
    let y = Mat::from_vec(problem.aims.clone(), n, 1);
    let targets = &Targets::matrix(y.clone());
    let model = KernelRidge::fit(context(), &params, &problem.samples(), targets, None)
        .expect("a system with a penalty has a solution");
    let mut found = Mat::zeros(n, 1);
    model.predict_into(context(), &problem.samples(), found.view_mut()).expect("predictions");
    let solution = oracle::solve(bordered(&k, alpha, problem.flag), aims(problem));
    let condition = (n as f64 * largest(&k) + alpha) / alpha;
    let size = problem.aims.iter().fold(1.0, |size, y| y.abs().max(size));
    for i in 0..n {
        let wanted = (0..n).map(|j| k[i][j] * solution[j]).sum::<f64>()
            + if problem.flag { solution[n] } else { 0.0 };
        close(found[(i, 0)], wanted, size * (1e-8 + 1e-13 * condition), "a prediction");
    }
}

/// K + α, with a row and a column of ones for the constant.
fn bordered(k: &Square, alpha: f64, constant: bool) -> Square {
    let n = k.len();
    let size = n + usize::from(constant);
    let entry = |i: usize, j: usize| match (i < n, j < n) {
        (true, true) => k[i][j] + if i == j { alpha } else { 0.0 },
        (false, false) => 0.0,
        _ => 1.0,
    };
    (0..size).map(|i| (0..size).map(|j| entry(i, j)).collect()).collect()
}

fn aims(problem: &Problem) -> Vec<f64> {
    let zero = problem.flag.then_some(0.0);
    problem.aims.iter().copied().chain(zero).collect()
}

/// Kernel PCA: Jacobi's eigenvalues, and the scores of the training samples as those of new ones.
fn components(problem: &Problem) {
    let (n, k) = (problem.n, problem.gram());
    let params = KernelPcaParams::new(problem.spec()).center(problem.flag);
    let model = KernelPca::fit(context(), &params, &problem.samples()).expect("components");
    let wanted = oracle::eigenvalues(if problem.flag { oracle::centred(&k) } else { k.clone() });
    let rounding = 1e-13 * n as f64 * largest(&k);
    for (found, wanted) in model.eigenvalues.iter().zip(&wanted) {
        close(*found, wanted.max(0.0), 100.0 * rounding + 1e-10 * wanted.abs(), "an eigenvalue");
    }
    let mut new = Mat::zeros(n, model.k());
    model.transform_into(context(), &problem.samples(), new.view_mut()).expect("scores");
    let own = model.training_scores();
    for c in 0..model.k() {
        let eta = model.eigenvalues[c];
        if eta > 1e-6 * wanted[0].max(largest(&k)) {
            let tolerance = 1e4 * rounding / eta.sqrt() + 1e-7 * wanted[0].sqrt();
            (0..n).for_each(|i| close(new[(i, c)], own[(i, c)], tolerance, "a score"));
        }
    }
}

/// A support vector machine of two classes: its coefficients are allowed, and primal and dual objective meet.
fn machine(problem: &Problem) {
    let (n, c, k) = (problem.n, problem.weight, problem.gram());
    let places: Vec<usize> = problem.aims.iter().map(|aim| usize::from(*aim > 0.0)).collect();
    let classes = ["a", "b"].map(String::from);
    let target = Target::Classes {
        labels: Labels { names: classes.to_vec(), places: places.to_vec() },
        weights: None,
    };
    let mut params = SvmParams::new(Task::CSvc, problem.spec());
    (params.c, params.tolerance, params.max_iterations) = (c, 1e-6, Some(200_000));
    let supervision = &Targets { target, weights: None };
    let fitted = Svm::fit(context(), &params, &problem.samples(), supervision, None);
    if places.iter().all(|place| *place == places[0]) {
        return assert!(fitted.is_err(), "one class was accepted");
    }
    let model = fitted.expect("a machine");
    if !model.report.converged {
        return;
    }
    let mut beta = vec![0.0; n];
    model.support.iter().enumerate().for_each(|(s, &row)| beta[row] = model.coef[(0, s)]);
    let y: Vec<f64> = places.iter().map(|place| 2.0 * *place as f64 - 1.0).collect();
    for i in 0..n {
        assert!((-1e-9 * c..=c * (1.0 + 1e-9)).contains(&(y[i] * beta[i])), "α outside of its box");
    }
    close(beta.iter().sum(), 0.0, 1e-9 * c * n as f64, "the sum of the coefficients");
    let (primal, dual) = oracle::objectives(&k, &y, &beta, c);
    let sizes: f64 = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| (beta[i] * k[i][j] * beta[j]).abs())
        .sum();
    let tolerance =
        1e-5 * c * n as f64 + 1e-7 * (primal.abs() + 1.0) + 1e-11 * (sizes + c * largest(&k));
    close(primal, dual, tolerance, "the duality gap");
}
