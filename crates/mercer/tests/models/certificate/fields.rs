//! Every field of the report, from coefficients and kernel by loops; and fits that must come to an end.

use mercer::linalg::view::Mat;
use mercer::model::svm::votes;
use mercer::select::{self, SvmSearchParams, svm_path, svm_search};
use mercer::{Input, Labels, Target, Targets};

use super::*;

/// Rows in two clouds, `offset` away from the origin.
fn clouds(n: usize, d: usize, offset: f64) -> (Dense<f64>, Vec<usize>, Vec<f64>) {
    let mut stream = Stream::new(3, "fields");
    let places: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let mut rows = Vec::new();
    for &place in &places {
        rows.extend((0..d).map(|j| stream.normal() + 2.0 * f64::from(place == 1 && j == 0)));
    }
    let values = rows.chunks_exact(d).map(|row| row[0].sin() + 0.1 * row[d - 1]).collect();
    let moved = rows.iter().map(|v| v + offset).collect();
    (Dense::from_vec(moved, n, d).unwrap(), places, values)
}

fn classes() -> Vec<String> {
    ["a", "b"].map(String::from).to_vec()
}

fn fit(params: &SvmParams, x: &Dense<f64>, places: &[usize], values: &[f64]) -> Svm {
    let classes = classes();
    let target = match params.task {
        Task::OneClass => Target::Unsupervised,
        Task::CSvc | Task::NuSvc => Target::Classes {
            labels: Labels { names: classes.to_vec(), places: places.to_vec() },
            weights: None,
        },
        _ => Target::Values(Mat::from_vec(values.to_vec(), values.len(), 1)),
    };
    Svm::fit(&Context::new(2), params, x, &Targets { target, weights: None }, None).unwrap()
}

fn accuracy(model: &Svm, x: &Dense<f64>, places: &[usize]) -> f64 {
    let named = votes(&model.decisions(&Context::new(1), x).unwrap(), 2);
    named.iter().zip(places).filter(|(a, b)| a == b).count() as f64 / places.len() as f64
}

/// One coefficient of a dual problem.
struct Term {
    sample: usize,
    beta: f64,
    lower: f64,
    upper: f64,
    linear: f64,
    kink: f64,
    group: usize,
}

/// The dual problem of a fitted machine, in its own units, and the margin that these are multiples of.
fn terms(model: &Svm, places: &[usize], values: &[f64]) -> (Vec<Term>, f64) {
    let (n, params) = (model.trained_on, &model.params);
    let sign = if params.task.is_classification() { -1.0 } else { 1.0 };
    let mut beta = vec![0.0; n];
    model.support.iter().enumerate().for_each(|(s, &row)| beta[row] = sign * model.coef[(0, s)]);
    let largest = beta.iter().fold(0.0_f64, |most, b| most.max(b.abs()));
    let margin = if params.task == Task::NuSvc { 1.0 / largest } else { 1.0 };
    beta.iter_mut().for_each(|b| *b *= margin);
    let mut terms = Vec::new();
    for i in 0..n {
        let mut add =
            |beta: f64, (lower, upper): (f64, f64), linear: f64, kink: f64, group: usize| {
                terms.push(Term { sample: i, beta, lower, upper, linear, kink, group });
            };
        let range = |sign: f64, most: f64| if sign > 0.0 { (0.0, most) } else { (-most, 0.0) };
        let side = places.get(i).map_or(1.0, |&place| if place == 0 { 1.0 } else { -1.0 });
        match params.task {
            Task::CSvc => add(beta[i], range(side, params.c), -side, 0.0, 0),
            Task::NuSvc => add(beta[i], range(side, 1.0), 0.0, 0.0, usize::from(side < 0.0)),
            Task::EpsilonSvr => {
                add(beta[i], (-params.c, params.c), -values[i], params.epsilon, 0);
            }
            Task::NuSvr => {
                add(beta[i].max(0.0), (0.0, params.c), -values[i], 0.0, 0);
                add(beta[i].min(0.0), (-params.c, 0.0), -values[i], 0.0, 1);
            }
            Task::OneClass => add(beta[i], (0.0, 1.0), 0.0, 0.0, 0),
            task => unreachable!("{}", task.name()),
        }
    }
    (terms, margin)
}

/// Objective, largest violation, and gap, by loops.
fn certificate(terms: &[Term], k: &Mat<f64>) -> (f64, f64, f64) {
    let slope = |i: usize| terms.iter().map(|t| k[(i, t.sample)] * t.beta).sum::<f64>();
    let cost = |t: &Term, beta: f64| t.linear * beta + t.kink * beta.abs();
    let mut objective = 0.0;
    let (mut up, mut down) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let (mut free, mut count) = ([0.0; 2], [0.0; 2]);
    for t in terms {
        let f = slope(t.sample);
        objective += 0.5 * t.beta * f + cost(t, t.beta);
        let rising = f + t.linear + if t.beta < 0.0 { -t.kink } else { t.kink };
        let falling = f + t.linear + if t.beta > 0.0 { t.kink } else { -t.kink };
        if t.beta < t.upper {
            up[t.group] = up[t.group].min(rising);
        }
        if t.beta > t.lower {
            down[t.group] = down[t.group].max(falling);
        }
        if t.beta > t.lower && t.beta < t.upper && (t.kink == 0.0 || t.beta != 0.0) {
            free[t.group] += rising;
            count[t.group] += 1.0;
        }
    }
    let violation = (0..2).map(|g| down[g] - up[g]).fold(0.0, f64::max);
    let balance: Vec<f64> = (0..2).map(|g| free[g] / count[g]).collect();
    let gain = |t: &Term| {
        let at = |beta: f64| {
            (balance[t.group] - slope(t.sample)) * (beta - t.beta)
                - (cost(t, beta) - cost(t, t.beta))
        };
        at(t.lower).max(at(t.upper)).max(at(0.0_f64.clamp(t.lower, t.upper))).max(0.0)
    };
    (objective, violation, terms.iter().map(gain).sum())
}

fn gram(text: &str, x: &Dense<f64>) -> Mat<f64> {
    let kernel = mercer::SpecKernel::<f64>::new(&text.parse().unwrap()).unwrap();
    let n = x.n();
    let mut gram = Mat::zeros(n, n);
    let out = mercer::linalg::view::MatMut::new(gram.data_mut(), n, n, n);
    mercer::gram::matrix(&Context::new(1), &kernel, x, None, out).unwrap();
    gram
}

#[test]
fn every_number_of_the_report_is_that_of_the_true_kernel() {
    let (x, places, values) = clouds(80, 3, 0.0);
    for (task, text) in [
        (Task::CSvc, "rbf(gamma=0.3)"),
        (Task::CSvc, "linear"),
        (Task::NuSvc, "rbf(gamma=0.3)"),
        (Task::EpsilonSvr, "poly(degree=2, gamma=0.5, coef0=1)"),
        (Task::NuSvr, "rbf(gamma=0.3)"),
        (Task::OneClass, "linear"),
        (Task::OneClass, "rbf(gamma=0.3)"),
    ] {
        let params = SvmParams::new(task, text.parse().unwrap()).nu(0.313);
        let model = fit(&params, &x, &places, &values);
        let machine = model.report.machine.as_ref().unwrap();
        let report = &machine.problems[0];
        let (terms, margin) = terms(&model, &places, &values);
        let (objective, violation, gap) = certificate(&terms, &gram(text, &x));
        let objective = objective / (margin * margin);
        let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (1.0 + a.abs());
        assert!(near(report.objective, objective), "{task:?} {} {objective}", report.objective);
        assert!(near(report.violation, violation), "{task:?} {} {violation}", report.violation);
        let reported = report.gap.unwrap() * margin * margin;
        assert!((reported - gap).abs() <= 1e-7 * (1.0 + gap), "{task:?} {reported} {gap}");
        assert!(report.violation <= 1e-3 && report.rounding.unwrap() < 1e-9, "{report:?}");
        assert_eq!(model.report.residual, report.violation);
        let at_bound =
            |t: &&Term| t.beta != 0.0 && (t.beta.abs() - t.upper.max(-t.lower)).abs() < 1e-12;
        assert_eq!(report.support, terms.iter().filter(|t| t.beta != 0.0).count());
        assert_eq!(report.support, model.support.len());
        assert_eq!(report.bounded, terms.iter().filter(at_bound).count(), "{task:?}");
        assert!(report.bounded > 0 && report.bounded < report.support, "{task:?}");
        assert!(report.iterations > 10 && report.stop == Stop::Converged);
        assert_eq!((report.rows, report.certified_rows), (80, 80));
        assert_eq!(report.certificate().unwrap(), "all rows");
        assert_eq!((&report.precision[..], &machine.precision[..]), ("f64", "f64"));
        assert_eq!((&model.report.precision[..], &model.report.storage[..]), ("f64", "columns"));
        assert!(model.report.reason.contains("one working set"), "{}", model.report.reason);
        assert_eq!((machine.columns_used, machine.cache_hits), (0, 0));
        let short = fit(&params.max_iterations(7), &x, &places, &values);
        let report = &short.report.machine.as_ref().unwrap().problems[0];
        assert_eq!((report.iterations, report.stop), (7, Stop::Iterations));
        assert!(report.violation > 1e-3 && !short.report.converged, "{report:?}");
    }
}

#[test]
fn large_problems_are_certified_by_a_sample_and_say_so() {
    // Features that take many products: double precision for all would cost more than its share.
    let (x, places, values) = clouds(4000, 60, 0.0);
    let params = SvmParams::new(Task::CSvc, "rbf(gamma=0.02)".parse().unwrap());
    let model = fit(&params, &x, &places, &values);
    let machine = model.report.machine.as_ref().unwrap();
    let report = &machine.problems[0];
    assert_eq!((&report.precision[..], &machine.precision[..]), ("f32", "f32"));
    assert_eq!((&model.report.precision[..], &model.report.storage[..]), ("f32", "columns"));
    assert!(machine.columns_used > 100 && machine.cache_hits <= machine.columns_used);
    assert!(report.certified_rows >= 128 && report.certified_rows < report.rows, "{report:?}");
    let certificate = report.certificate().unwrap();
    assert_eq!(certificate, format!("sample of {} rows", report.certified_rows));
    let (terms, _) = terms(&model, &places, &values);
    let (objective, violation, gap) = self::certificate(&terms, &gram("rbf(gamma=0.02)", &x));
    assert!((report.objective / objective - 1.0).abs() < 1e-7, "{} {objective}", report.objective);
    assert!(violation <= 1e-3 && (report.violation - violation).abs() < 1e-5, "{violation}");
    assert!((report.gap.unwrap() / gap - 1.0).abs() < 1e-2, "{:?} {gap}", report.gap);
}

#[test]
fn what_single_precision_cannot_reach_is_finished_in_double() {
    let (x, places, values) = clouds(1500, 60, 0.0);
    let params =
        SvmParams::new(Task::CSvc, "rbf(gamma=0.02)".parse().unwrap()).c(100.0).tolerance(1e-7);
    let model = fit(&params, &x, &places, &values);
    let report = &model.report.machine.as_ref().unwrap().problems[0];
    let (terms, _) = terms(&model, &places, &values);
    let (_, violation, _) = certificate(&terms, &gram("rbf(gamma=0.02)", &x));
    assert!(violation <= 1.001e-7, "{violation} {report:?}");
    assert_eq!((report.stop, &report.precision[..]), (Stop::Converged, "f64"));
}

#[test]
fn an_offset_changes_nothing_for_any_task_with_a_linear_kernel() {
    let ctx = Context::new(1);
    for offset in [1e4, 1e6, 1e8] {
        for task in [Task::CSvc, Task::NuSvc, Task::EpsilonSvr, Task::NuSvr] {
            // A share of the samples that is no whole number: else no coefficient may be free, and the margin is not unique.
            let params = SvmParams::new(task, "linear".parse().unwrap()).nu(0.303).tolerance(1e-5);
            let (x, places, values) = clouds(200, 3, 0.0);
            let (moved, ..) = clouds(200, 3, offset);
            let (here, there) =
                (fit(&params, &x, &places, &values), fit(&params, &moved, &places, &values));
            assert!(there.report.converged, "{task:?} {offset} {:?}", there.report);
            let objective = |m: &Svm| m.report.machine.as_ref().unwrap().problems[0].objective;
            let (a, b) = (objective(&here), objective(&there));
            assert!((a / b - 1.0).abs() < 1e-3, "{task:?} {offset}: {a} {b}");
            let decisions = (here.decisions(&ctx, &x), there.decisions(&ctx, &moved));
            let (a, b) = (decisions.0.unwrap(), decisions.1.unwrap());
            let apart = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 0.05, "{task:?} {offset}");
        }
    }
}

#[test]
fn searches_and_paths_see_no_offset_either() {
    let ctx = Context::new(2);
    let classes = classes();
    // Not of a polynomial: moving the samples gives it another scale, and a fixed C another meaning.
    for text in ["linear", "rbf(gamma=0.3)"] {
        let scores = |offset: f64| {
            let (x, places, _) = clouds(150, 3, offset);
            let target = Target::Classes {
                labels: Labels { names: classes.to_vec(), places: places.to_vec() },
                weights: None,
            };
            let supervision = &Targets { target, weights: None };
            let model = SvmParams::new(Task::CSvc, text.parse().unwrap());
            let path = svm_path(&ctx, &model, &x, supervision, &[0.1, 1.0]).unwrap();
            let of_path: Vec<f64> = path.iter().map(|m| accuracy(m, &x, &places)).collect();
            assert_eq!(path[0].report.storage, "whole matrix in double precision");
            let search = SvmSearchParams {
                kernels: vec![model.kernel.clone()],
                model,
                cs: vec![0.1, 1.0],
                folds: select::folds(150, 3, 1).unwrap(),
                per_cell: false,
            };
            let found = svm_search(&ctx, &search, &x, supervision).unwrap();
            (of_path, found.scores[0].data().iter().sum::<f64>() / 6.0)
        };
        let ((here, a), (there, b)) = (scores(0.0), scores(1e3));
        assert!((a - b).abs() < 0.03, "{text}: {a} {b}");
        assert!(
            here.iter().zip(&there).all(|(a, b)| (a - b).abs() < 0.03),
            "{text}: {here:?} {there:?}"
        );
    }
}

#[test]
fn a_path_on_a_matrix_says_that_it_was_given() {
    let (x, places, _) = clouds(60, 2, 0.0);
    let classes = classes();
    let target = Target::Classes {
        labels: Labels { names: classes.to_vec(), places: places.to_vec() },
        weights: None,
    };
    let supervision = &Targets { target, weights: None };
    let params = SvmParams::new(Task::CSvc, "rbf(gamma=0.3)".parse().unwrap());
    let k = gram("rbf(gamma=0.3)", &x);
    let path = select::svm_path(
        &Context::new(1),
        &params,
        Input::precomputed(k.view()),
        supervision,
        &[1.0],
    )
    .unwrap();
    assert_eq!((&path[0].report.storage[..], &path[0].report.precision[..]), ("given", "f64"));
}

#[test]
fn a_problem_beyond_rounding_ends_and_says_what_limits_it() {
    let (x, places, values) = clouds(200, 3, 1e7);
    // Of values near 1e42, double precision keeps no digit of their differences.
    // A polynomial is seen from the mean of its samples, a product of kernels is not.
    let params = SvmParams::new(Task::CSvc, "linear*linear*linear".parse().unwrap());
    let model = fit(&params, &x, &places, &values);
    let report = &model.report.machine.as_ref().unwrap().problems[0];
    assert_eq!((report.stop, model.report.converged), (Stop::Stalled, false));
    assert!(report.rounding.unwrap() > 1e-3, "{report:?}");
    let note = &model.report.notes[0];
    assert!(note.contains("rounding") && note.contains("scale the features"), "{note}");

    // Nearly the same samples in both classes, and a tolerance that slopes of this size cannot have.
    let params =
        SvmParams::new(Task::CSvc, "rbf(gamma=0.01)".parse().unwrap()).c(1e5).tolerance(1e-13);
    let (x, places, values) = clouds(100, 2, 0.0);
    let model = fit(&params, &x, &places, &values);
    let report = &model.report.machine.as_ref().unwrap().problems[0];
    assert_eq!(report.stop, Stop::Stalled);
    let (terms, _) = terms(&model, &places, &values);
    let (_, violation, _) = certificate(&terms, &gram("rbf(gamma=0.01)", &x));
    assert!(report.violation.max(report.rounding.unwrap()) > 0.1 * violation, "{report:?}");
}

#[test]
fn an_infinite_price_is_a_hard_margin() {
    let (x, places, values) = clouds(60, 2, 0.0);
    let hard = SvmParams::new(Task::CSvc, "rbf(gamma=2)".parse().unwrap())
        .c(f64::INFINITY)
        .tolerance(1e-5);
    let model = fit(&hard, &x, &places, &values);
    assert!(model.report.converged, "{:?}", model.report);
    let report = &model.report.machine.as_ref().unwrap().problems[0];
    assert_eq!((report.gap, report.bounded), (None, 0));
    let decisions = model.decisions(&Context::new(1), &x).unwrap();
    let on_side = |(i, d): (usize, &f64)| if places[i] == 1 { *d } else { -*d };
    assert!(decisions.data().iter().enumerate().map(on_side).all(|d| d >= 1.0 - 1e-4));
    let finite = fit(&hard.clone().c(1e9), &x, &places, &values);
    let other = finite.report.machine.unwrap().problems[0].objective;
    assert!((report.objective / other - 1.0).abs() < 1e-4);

    // Classes that no line separates have no hard margin: that is said, and the fit ends.
    let params = {
        let mut changed = hard.clone();
        changed.kernel = "linear".parse().unwrap();
        changed
    };
    let model = fit(&params, &x, &places, &values);
    assert!(!model.report.converged);
    assert!(model.report.notes[0].contains("finite C"), "{:?}", model.report.notes);

    let tube = SvmParams::new(Task::EpsilonSvr, hard.kernel.clone()).c(f64::INFINITY);
    let model = fit(&tube, &x, &places, &values);
    assert!(model.report.converged);
    let found = model.decisions(&Context::new(1), &x).unwrap();
    assert!(found.data().iter().zip(&values).all(|(f, y)| (f - y).abs() < 0.1 + 2e-3));
    let classes = classes();
    let target = Target::Values(Mat::from_vec(values.to_vec(), values.len(), 1));
    let nu = SvmParams::new(Task::NuSvr, hard.kernel).c(f64::INFINITY);
    let refused = Svm::fit(&Context::new(1), &nu, &x, &Targets { target, weights: None }, None);
    assert!(refused.err().unwrap().to_string().contains("finite"));
    assert_eq!(classes.len(), 2);
}

#[test]
fn the_tube_of_nu_svr_is_that_of_its_samples() {
    let (x, places, values) = clouds(120, 2, 0.0);
    let params =
        SvmParams::new(Task::NuSvr, "rbf(gamma=0.5)".parse().unwrap()).nu(0.4).tolerance(1e-6);
    let model = fit(&params, &x, &places, &values);
    let tube = model.tube().unwrap();
    let found = model.decisions(&Context::new(1), &x).unwrap();
    let apart: Vec<f64> = values.iter().zip(found.data()).map(|(y, f)| (y - f).abs()).collect();
    for (s, &row) in model.support.iter().enumerate() {
        let is_free = model.coef[(0, s)].abs() < params.c * (1.0 - 1e-9);
        assert!(apart[row] >= tube - 1e-4 && (!is_free || apart[row] <= tube + 1e-4), "{row}");
    }
    let outside = apart.iter().filter(|a| **a > tube + 1e-4).count();
    assert!(tube > 0.0 && outside as f64 <= 0.4 * 120.0 && outside > 0, "{tube} {outside}");
    // With that tube given, the other task finds the same machine.
    let given = {
        let mut changed = params.clone();
        changed.task = Task::EpsilonSvr;
        changed.epsilon = tube;
        changed
    };
    let other = fit(&given, &x, &places, &values).decisions(&Context::new(1), &x).unwrap();
    let largest = found.data().iter().zip(other.data()).map(|(a, b)| (a - b).abs());
    assert!(largest.fold(0.0, f64::max) < 1e-3);
    assert_eq!(fit(&given, &x, &places, &values).tube(), None);
}

#[test]
fn polynomials_far_from_the_origin_are_solved_and_predict_what_they_learned() {
    for (degree, offset) in [(2, 1e3), (3, 1e4), (3, 1e6)] {
        let (x, places, values) = clouds(200, 3, offset);
        let text = format!("poly(degree={degree}, gamma={}, coef0=1)", 1.0 / (offset * offset));
        // Differences of kernel values are as small as those of samples are beside the offset.
        let params = SvmParams::new(Task::CSvc, text.parse().unwrap()).c(offset * offset);
        let model = fit(&params, &x, &places, &values);
        let report = &model.report.machine.as_ref().unwrap().problems[0];
        assert_eq!(report.stop, Stop::Converged, "{text}: {report:?}");
        assert!(accuracy(&model, &x, &places) > 0.8, "{text}");
        // Free samples lie on the margin.
        let decisions = model.decisions(&Context::new(1), &x).unwrap();
        let free = |s: usize| model.coef[(0, s)].abs() < 0.999 * params.c;
        for s in (0..model.support.len()).filter(|&s| free(s)) {
            let decision = decisions[(model.support[s], 0)].abs();
            assert!((decision - 1.0).abs() < 2e-3, "{text}: {decision}");
        }
    }
}

#[test]
fn classes_that_overlap_more_than_nu_allows_for_have_no_margin() {
    let (x, _, values) = clouds(80, 2, 0.0);
    let places: Vec<usize> = (0..80).map(|i| i / 2 % 2).collect();
    let params = SvmParams::new(Task::NuSvc, "linear".parse().unwrap()).nu(0.1);
    let model = fit(&params, &x, &places, &values);
    let report = &model.report.machine.as_ref().unwrap().problems[0];
    assert_eq!((report.stop, model.report.converged), (Stop::NoMargin, false));
    assert!(model.report.notes[0].contains("raise nu"), "{:?}", model.report.notes);
    let decisions = model.decisions(&Context::new(1), &x).unwrap();
    assert!(decisions.data().iter().all(|d| d.abs() < 1e-6));
}
