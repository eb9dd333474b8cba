//! Laws of machines on landmarks.

use crate::context::{Context, Stream};
use crate::linalg::view::Mat;
use crate::model::landmarks::{LandmarkCount, LandmarkMethod, LandmarkParams};
use crate::model::svm::{Method, Stop, Svm, SvmParams, Task};
use crate::model::targets::Targets;
use crate::points::{AnySamples, Dense, Samples, Strings};
use crate::real::Real;

/// Rings around the origin, one for each class, and numbers that vary along them.
fn rings<T: Real>(n: usize, classes: usize) -> (Samples<T>, Vec<usize>, Vec<f64>) {
    let mut stream = Stream::new(7, "rings");
    let labels: Vec<usize> = (0..n).map(|i| i % classes).collect();
    let mut values = Vec::new();
    let mut data = Vec::new();
    for &label in &labels {
        let radius = 1.0 + label as f64 + 0.2 * stream.normal();
        let angle = stream.uniform() * std::f64::consts::TAU;
        data.extend([radius * angle.cos(), radius * angle.sin()].map(T::from_f64));
        values.push(radius * angle.sin() + 0.1 * stream.normal());
    }
    (Samples::Dense(Dense::from_vec(data, n, 2).unwrap()), labels, values)
}

fn targets(task: Task, labels: &[usize], values: &[f64]) -> Targets {
    let names: Vec<String> = labels.iter().map(|label| format!("c{label}")).collect();
    match task {
        Task::CSvc | Task::NuSvc => Targets::classes(&names),
        Task::EpsilonSvr | Task::NuSvr => Targets::values(values),
        Task::OneClass => Targets::unsupervised(),
    }
}

fn params(task: Task, landmarks: Option<LandmarkParams>) -> SvmParams {
    let kernel = "rbf(gamma=0.5)".parse().unwrap();
    SvmParams { landmarks, nu: 0.3, c: 2.0, tolerance: 1e-4, ..SvmParams::new(task, kernel) }
}

fn fit<T: Real>(params: &SvmParams, n: usize, classes: usize, threads: usize) -> (Svm, Mat<f64>) {
    let (x, labels, values) = rings::<T>(n, classes);
    let (ctx, x) = (Context::new(threads), AnySamples::from(x));
    let model = Svm::fit(&ctx, params, &x, &targets(params.task, &labels, &values), None).unwrap();
    let decisions = model.decisions(&ctx, &x).unwrap();
    (model, decisions)
}

fn largest(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn all_samples_as_landmarks_give_the_exact_machine() {
    for task in Task::ALL {
        let classes = if task.is_classification() { 3 } else { 1 };
        let (exact, want) = fit::<f64>(&params(task, None), 150, classes, 2);
        let (model, found) = fit::<f64>(&params(task, Some(150.into())), 150, classes, 2);
        assert!(model.report.converged, "{task:?}: {:?}", model.report);
        assert!(largest(&want, &found) < 5e-3, "{task:?}: {}", largest(&want, &found));
        let (a, b) = (exact.report.machine.unwrap(), model.report.machine.unwrap());
        for (a, b) in a.problems.iter().zip(&b.problems) {
            let apart = (a.objective - b.objective).abs();
            let gaps = a.gap.unwrap_or(0.0) + b.gap.unwrap_or(0.0);
            assert!(apart <= gaps + 1e-4 * a.objective.abs(), "{task:?}: {a:?} {b:?}");
            assert_eq!((b.certified_rows, b.stop), (b.rows, Stop::Converged));
        }
    }
}

#[test]
fn few_landmarks_come_near_and_the_report_says_how_near() {
    for task in Task::ALL {
        let (model, _) = fit::<f32>(&params(task, Some(40.into())), 1500, 2, 2);
        let report = model.report.landmarks.as_ref().unwrap();
        assert!(model.report.converged && report.residual_share() < 1e-2, "{task:?} {report:?}");
        let loss = report.loss.as_ref().unwrap();
        assert!(loss.rows >= 200 && loss.difference < 0.2, "{task:?}: {loss:?}");
        assert!((loss.of_model - loss.of_true_kernel).abs() <= loss.difference + 1e-12);
        assert_eq!(model.coef.cols(), model.anchors.as_ref().unwrap().n());
        assert_eq!(model.dual_coef().cols(), model.support.len());
    }
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    for classes in [2, 4] {
        let of = |threads| fit::<f64>(&params(Task::CSvc, Some(30.into())), 5000, classes, threads);
        let ((one, a), (two, b)) = (of(1), of(2));
        assert_eq!((one.coef, one.offset, a), (two.coef, two.offset, b));
    }
}

#[test]
fn features_that_do_not_fit_memory_are_computed_again() {
    let (x, labels, values) = rings::<f64>(12_000, 2);
    let x = AnySamples::from(x);
    for task in [Task::CSvc, Task::EpsilonSvr] {
        let params = SvmParams { tolerance: 1e-3, ..params(task, Some(50.into())) };
        let targets = targets(task, &labels, &values);
        let ctx = Context::new(2);
        let plenty = Svm::fit(&ctx, &params, &x, &targets, None).unwrap();
        // Candidates and kernel values among them need some memory of their own.
        let little = ctx.clone().with_budget(16 << 20);
        let scarce = Svm::fit(&little, &params, &x, &targets, None);
        let scarce = scarce.unwrap();
        assert!(scarce.report.converged);
        let (a, b) = (plenty.decisions(&ctx, &x).unwrap(), scarce.decisions(&ctx, &x).unwrap());
        let mean = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).sum::<f64>();
        assert!(mean / (a.rows() as f64) < 0.02, "{task:?}: {mean}");
    }
}

#[test]
fn polishing_ends_at_the_exact_machine() {
    for task in Task::ALL {
        let polish = SvmParams { polish: true, ..params(task, Some(20.into())) };
        let (_, want) = fit::<f64>(&params(task, None), 400, 2, 2);
        let (model, found) = fit::<f64>(&polish, 400, 2, 2);
        assert!(model.landmarks.is_none() && model.report.converged);
        assert!(largest(&want, &found) < 5e-3, "{task:?}: {}", largest(&want, &found));
        assert!(model.report.reason.contains("20 landmarks"));
    }
}

#[test]
fn weights_are_repeated_rows_and_the_order_of_rows_does_not_matter() {
    let (x, labels, values) = rings::<f64>(200, 2);
    let x = AnySamples::from(x);
    let given = LandmarkParams::new(LandmarkCount::Given(
        crate::model::landmarks::GivenLandmarks::new(x.select(&(0..60).collect::<Vec<_>>())),
    ));
    let ctx = Context::new(2);
    for task in [Task::CSvc, Task::NuSvc, Task::EpsilonSvr, Task::NuSvr] {
        let params = params(task, Some(given.clone()));
        let pick = |rows: &[usize]| {
            let labels: Vec<usize> = rows.iter().map(|&i| labels[i]).collect();
            let values: Vec<f64> = rows.iter().map(|&i| values[i]).collect();
            (x.select(rows), targets(task, &labels, &values))
        };
        let fit = |rows: &[usize], weights: Option<Vec<f64>>| {
            let (own, targets) = pick(rows);
            let targets = targets.with_weights(weights);
            let model = Svm::fit(&ctx, &params, &own, &targets, None).unwrap();
            model.decisions(&ctx, &x).unwrap()
        };
        let weights: Vec<f64> = (0..200).map(|i| (i % 3) as f64).collect();
        let all: Vec<usize> = (0..200).collect();
        let repeated: Vec<usize> =
            all.iter().flat_map(|&i| std::iter::repeat_n(i, i % 3)).collect();
        let weighted = fit(&all, Some(weights));
        assert!(largest(&weighted, &fit(&repeated, None)) < 5e-3, "{task:?}");
        let turned: Vec<usize> = repeated.iter().rev().copied().collect();
        // Which of two classes comes first decides the sign of the decisions alone.
        assert!(largest(&weighted, &fit(&turned, None)) < 5e-3, "{task:?}");
    }
}

#[test]
fn a_fit_that_was_stopped_goes_on_where_it_was() {
    let (x, labels, values) = rings::<f64>(6000, 2);
    let (ctx, x) = (Context::new(2), AnySamples::from(x));
    let targets = targets(Task::CSvc, &labels, &values);
    let whole = params(Task::CSvc, Some(60.into()));
    let part = SvmParams { max_iterations: Some(3000), ..whole.clone() };
    let stopped = Svm::fit(&ctx, &part, &x, &targets, None).unwrap();
    assert!(!stopped.report.converged);
    let cold = Svm::fit(&ctx, &whole, &x, &targets, None).unwrap();
    let warm = Svm::fit(&ctx, &whole, &x, &targets, Some(&cold)).unwrap();
    let steps = |model: &Svm| model.report.machine.as_ref().unwrap().problems[0].iterations;
    assert!(steps(&warm) * 20 < steps(&cold), "{} {}", steps(&warm), steps(&cold));
    let after = Svm::fit(&ctx, &whole, &x, &targets, Some(&stopped)).unwrap();
    assert!(after.report.converged);
    let (a, b) = (cold.decisions(&ctx, &x).unwrap(), after.decisions(&ctx, &x).unwrap());
    assert!(largest(&a, &b) < 5e-3);
}

#[test]
fn probabilities_by_folds_are_those_of_the_exact_machine() {
    let (x, labels, values) = rings::<f64>(150, 2);
    let (ctx, x) = (Context::new(2), AnySamples::from(x));
    let targets = targets(Task::CSvc, &labels, &values);
    let of = |landmarks| {
        let params = params(Task::CSvc, landmarks);
        let mut model = Svm::fit(&ctx, &params, &x, &targets, None).unwrap();
        model.calibrate(&ctx, &x, &targets, Method::Sigmoid, 5, 0).unwrap();
        model.probabilities(&ctx, &x).unwrap()
    };
    assert!(largest(&of(None), &of(Some(150.into()))) < 1e-2);
}

/// Single precision is not enough for this C: decisions of free support vectors show whether the certificate is true.
#[test]
fn samples_in_single_precision_have_a_certificate_that_holds_for_predictions() {
    let mut stream = Stream::new(11, "noise");
    let data: Vec<f32> = (0..1000).map(|_| stream.normal() as f32).collect();
    let wave = |i: usize| f64::from(data[2 * i] * 3.0).sin() + f64::from(data[2 * i + 1]);
    let labels: Vec<usize> =
        (0..500).map(|i| usize::from(wave(i) + 0.3 * stream.normal() > 0.0)).collect();
    let x = AnySamples::from(Samples::Dense(Dense::from_vec(data.clone(), 500, 2).unwrap()));
    let (ctx, kernel) = (Context::new(2), "rbf(gamma=0.3)".parse().unwrap());
    let landmarks = Some(LandmarkParams::from(300));
    let params = SvmParams { landmarks, c: 1e4, ..SvmParams::new(Task::CSvc, kernel) };
    let targets = targets(Task::CSvc, &labels, &[]);
    let model = Svm::fit(&ctx, &params, &x, &targets, None).unwrap();
    let decisions = model.decisions(&ctx, &x).unwrap();
    let free = (0..model.support.len()).filter(|&s| model.dual_coef()[(0, s)].abs() < 1e4);
    let off = |s: usize| (decisions[(model.support[s], 0)].abs() - 1.0).abs();
    let worst = free.map(off).fold(0.0, f64::max);
    let problem = &model.report.machine.as_ref().unwrap().problems[0];
    let reported = problem.violation + problem.rounding.unwrap();
    assert!(worst <= 2.0 * reported + 1e-9, "{worst} {problem:?}");
    assert!(!model.report.converged || worst <= 2.0 * params.tolerance, "{worst} {problem:?}");
}

#[test]
fn classes_that_overlap_more_than_nu_allows_have_no_margin() {
    let x = AnySamples::from(Samples::Dense(Dense::from_vec(vec![1.0; 40], 40, 1).unwrap()));
    let labels: Vec<usize> = (0..40).map(|i| i % 2).collect();
    let params = params(Task::NuSvc, Some(5.into()));
    let targets = targets(Task::NuSvc, &labels, &[]);
    let model = Svm::fit(&Context::new(1), &params, &x, &targets, None).unwrap();
    assert_eq!(model.report.machine.unwrap().problems[0].stop, Stop::NoMargin);
}

#[test]
fn texts_and_other_choices_of_landmarks() {
    let words: Vec<String> = (0..300).map(|i| format!("{:b}", i * 37 % 512)).collect();
    let x = AnySamples::from(Samples::<f64>::from(Strings::new(words.iter()).unwrap()));
    let labels: Vec<String> =
        words.iter().map(|word| word.matches('1').count().is_multiple_of(2).to_string()).collect();
    let ctx = Context::new(2);
    let landmarks = LandmarkParams::from(80).method(LandmarkMethod::Uniform);
    let kernel = "spectrum(p=3)".parse().unwrap();
    let params = SvmParams { landmarks: Some(landmarks), ..SvmParams::new(Task::CSvc, kernel) };
    let model = Svm::fit(&ctx, &params, &x, &Targets::classes(&labels), None).unwrap();
    assert!(model.report.converged);
    assert_eq!(model.labels(&ctx, &x).unwrap().len(), 300);
}

#[test]
fn what_does_not_go_together_is_refused() {
    let (x, labels, values) = rings::<f64>(50, 2);
    let (ctx, x) = (Context::new(1), AnySamples::from(x));
    let targets = targets(Task::CSvc, &labels, &values);
    let refused = |params: SvmParams| {
        Svm::fit(&ctx, &params, &x, &targets, None).err().map(|error| error.to_string()).unwrap()
    };
    let wrong = SvmParams { polish: true, ..params(Task::CSvc, None) };
    assert!(refused(wrong).contains("landmarks"));
    let wrong = SvmParams { c: f64::INFINITY, ..params(Task::CSvc, Some(5.into())) };
    assert!(refused(wrong).contains("finite"));
    let kept = LandmarkParams::from(5).keep_sums(true);
    assert!(refused(params(Task::CSvc, Some(kept))).contains("sums"));
    let (model, _) = fit::<f64>(&params(Task::CSvc, Some(5.into())), 50, 2, 1);
    let values = Mat::<f64>::zeros(2, 50);
    let input = crate::model::Input::precomputed(&values);
    assert!(model.decisions(&ctx, input).is_err());
}
