//! One judgement of definiteness: what the check of a kernel finds valid, no fit calls indefinite, and the other way round.

use mercer::Context;
use mercer::context::Stream;
use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::validity::{Repair, Validity};
use mercer::real::Real;
use mercer::solve::eigen::Solver;
use mercer::solve::ridge;
use mercer::solve::threshold::negative_share;
use mercer::{Input, Targets};

/// A symmetric matrix with eigenvalues 1, a few more, and `smallest`, by random reflections.
fn with_smallest<T: Real>(n: usize, smallest: f64, seed: u64) -> Mat<T> {
    let mut stream = Stream::new(seed, "test");
    let value = |i: usize| if i == n - 1 { smallest } else { 0.5f64.powi(i as i32) };
    let mut k: Mat<f64> = Mat::from_fn(n, n, |i, j| if i == j { value(i) } else { 0.0 });
    for _ in 0..3 {
        let mut u: Vec<f64> = (0..n).map(|_| stream.normal()).collect();
        let length = u.iter().map(|v| v * v).sum::<f64>().sqrt();
        u.iter_mut().for_each(|v| *v /= length);
        let h = |i: usize, j: usize| if i == j { 1.0 } else { 0.0 } - 2.0 * u[i] * u[j];
        let left: Mat<f64> = Mat::from_fn(n, n, |i, j| (0..n).map(|m| h(i, m) * k[(m, j)]).sum());
        k = Mat::from_fn(n, n, |i, j| (0..n).map(|m| left[(i, m)] * h(m, j)).sum());
    }
    Mat::from_fn(n, n, |i, j| T::from_f64(0.5 * (k[(i, j)] + k[(j, i)])))
}

fn says_indefinite(notes: &[mercer::model::Note]) -> bool {
    notes.iter().any(|note| note.code == mercer::model::NoteCode::Indefinite)
}

fn judgements<T: Real>(k: &Mat<T>) -> [bool; 4] {
    let (ctx, n) = (Context::new(1), k.rows());
    let check = !Validity::of(&ctx, k.view()).unwrap().is_valid();
    let kernel = "linear".parse().unwrap();
    let p =
        KernelPcaParams::new(kernel).components(Components::All).center(false).solver(Solver::Full);
    let pca = KernelPca::fit(&ctx, &p, Input::precomputed(k.view())).unwrap();
    let mut p = KernelRidgeParams::new("linear".parse().unwrap());
    p.alpha = vec![0.5];
    p.solver = ridge::Solver::Eigen;
    let y = Mat::from_fn(n, 1, |i, _| i as f64);
    let targets = &Targets::matrix(y.clone());
    let ridge = KernelRidge::fit(&ctx, &p, Input::precomputed(k.view()), targets, None).unwrap();
    let repaired = Repair::Clip.fit(&ctx, k.view()).unwrap();
    let mends = repaired.correction.rank() > 0;
    [check, says_indefinite(&pca.report.notes), says_indefinite(&ridge.report.notes), mends]
}

fn agree<T: Real>() {
    let n = 24;
    let limit = negative_share(T::EPSILON, n);
    for (factor, want) in
        [(0.0, false), (0.2, false), (0.8, false), (1.3, true), (5.0, true), (1e3, true)]
    {
        let k = with_smallest::<T>(n, -factor * limit, 7);
        assert_eq!(judgements(&k), [want; 4], "{} at {factor} of the limit", T::NAME);
    }
}

#[test]
fn all_judge_alike() {
    agree::<f64>();
    agree::<f32>();
}

/// Rounding errors of kernel values with a large offset are no proof of anything.
#[test]
fn rounding_of_an_offset_is_not_indefinite() {
    let ctx = Context::new(1);
    let n = 80;
    let x = crate::naive::normal(n, 3, 3);
    for offset in [0.0, 1e3, 1e6] {
        let entry = |i: usize, j: usize| -> f64 {
            (0..3).map(|d| (x[3 * i + d] + offset) * (x[3 * j + d] + offset)).sum()
        };
        let k = Mat::from_fn(n, n, |i, j| entry(i.max(j), i.min(j)));
        assert!(Validity::of(&ctx, k.view()).unwrap().is_valid());
        let kernel = "linear".parse().unwrap();
        let p = KernelPcaParams::new(kernel).components(Components::Count(3));
        let model = KernelPca::fit(&ctx, &p, Input::precomputed(k.view())).unwrap();
        assert!(!says_indefinite(&model.report.notes), "{offset}: {:?}", model.report.notes);
    }
}
