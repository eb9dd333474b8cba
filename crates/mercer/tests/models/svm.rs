//! Support vector machines: laws, a naive oracle, and what is refused.

use mercer::context::Stream;
use mercer::linalg::view::Mat;
use mercer::model::svm::{Method, Stop, Svm, SvmParams, Task, one_vs_rest, votes};
use mercer::select::{self, Fold, SvmSearchParams, svm_path, svm_search};
use mercer::{Context, Dense, Points};
use mercer::{Input, Labels, Target, Targets};

const TIGHT: f64 = 1e-7;

fn kernel(text: &str) -> mercer::KernelSpec {
    text.parse().unwrap()
}

/// n rows in three clouds that overlap, with their classes.
fn clouds(n: usize, d: usize, classes: usize, seed: u64) -> (Dense<f64>, Vec<usize>) {
    let mut stream = Stream::new(seed, "clouds");
    let places: Vec<usize> = (0..n).map(|i| i % classes).collect();
    let mut rows = Vec::new();
    for &place in &places {
        rows.extend((0..d).map(|j| stream.normal() + 1.5 * f64::from(j % classes == place)));
    }
    (Dense::from_vec(rows, n, d).unwrap(), places)
}

fn names(classes: usize) -> Vec<String> {
    (0..classes).map(|c| format!("class {c}")).collect()
}

fn values(x: &Dense<f64>) -> Vec<f64> {
    (0..x.n()).map(|i| x.row(i)[0].sin() + 0.3 * x.row(i)[1]).collect()
}

struct Data {
    x: Dense<f64>,
    places: Vec<usize>,
    classes: Vec<String>,
    values: Vec<f64>,
}

impl Data {
    fn new(n: usize, classes: usize) -> Self {
        let (x, places) = clouds(n, 3, classes, 5);
        Self { values: values(&x), x, places, classes: names(classes) }
    }

    fn supervision(&self, task: Task, weights: Option<&[f64]>) -> Targets {
        let target = match task {
            Task::CSvc | Task::NuSvc => Target::Classes {
                labels: Labels { names: self.classes.to_vec(), places: self.places.to_vec() },
                weights: None,
            },
            Task::OneClass => Target::Unsupervised,
            _ => Target::Values(Mat::from_vec(self.values.to_vec(), self.values.len(), 1)),
        };
        Targets { target, weights: weights.map(<[f64]>::to_vec) }
    }

    fn gram(&self, spec: &mercer::KernelSpec) -> Mat<f64> {
        let n = self.x.n();
        let mut gram = Mat::zeros(n, n);
        let kernel = mercer::SpecKernel::<f64>::new(spec).unwrap();
        let out = mercer::linalg::view::MatMut::new(gram.data_mut(), n, n, n);
        mercer::gram::matrix(&Context::new(1), &kernel, &self.x, None, out).unwrap();
        gram
    }

    fn fit(&self, params: &SvmParams) -> Svm {
        Svm::fit(&Context::new(2), params, &self.x, &self.supervision(params.task, None), None)
            .unwrap()
    }
}

fn params(task: Task) -> SvmParams {
    let mut params = SvmParams::new(task, kernel("rbf(gamma=0.5)"));
    params.tolerance = TIGHT;
    params.nu = 0.3;
    params
}

fn farthest(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// The dual of two classes by the plainest method there is: every pair in turn, moved to its optimum, until nothing moves.
fn naive_pair(k: &Mat<f64>, y: &[f64], c: f64) -> (Vec<f64>, f64) {
    let n = y.len();
    let mut beta = vec![0.0; n];
    let bounds = |i: usize| if y[i] > 0.0 { (0.0, c) } else { (-c, 0.0) };
    let slope = |beta: &[f64], i: usize| (0..n).map(|j| k[(i, j)] * beta[j]).sum::<f64>() - y[i];
    for _ in 0..400 {
        let mut moved = 0.0_f64;
        for i in 0..n {
            for j in 0..i {
                let curvature = (k[(i, i)] + k[(j, j)] - 2.0 * k[(i, j)]).max(1e-12);
                let wanted = (slope(&beta, j) - slope(&beta, i)) / curvature;
                let (low_i, high_i) = bounds(i);
                let (low_j, high_j) = bounds(j);
                let most = (high_i - beta[i]).min(beta[j] - low_j);
                let least = (low_i - beta[i]).max(beta[j] - high_j);
                let step = wanted.clamp(least, most);
                beta[i] += step;
                beta[j] -= step;
                moved = moved.max(step.abs());
            }
        }
        if moved < 1e-10 {
            break;
        }
    }
    let objective = (0..n).map(|i| 0.5 * beta[i] * (slope(&beta, i) - y[i])).sum();
    (beta, objective)
}

#[test]
fn two_classes_agree_with_every_pair_in_turn() {
    let data = Data::new(40, 2);
    for c in [0.1, 1.0, 50.0] {
        let mut params = params(Task::CSvc);
        params.c = c;
        let model = data.fit(&params);
        let y: Vec<f64> = data.places.iter().map(|&p| if p == 0 { 1.0 } else { -1.0 }).collect();
        let (beta, objective) = naive_pair(&data.gram(&params.kernel), &y, c);
        let report = &model.report.machine.as_ref().unwrap().problems[0];
        assert!(
            (report.objective / objective - 1.0).abs() < 1e-6,
            "{} {objective}",
            report.objective
        );
        assert!(report.gap.unwrap() < 1e-4 * objective.abs().max(1.0), "{report:?}");
        for (s, &row) in model.support.iter().enumerate() {
            assert!((model.coef[(0, s)] + beta[row]).abs() < 1e-3 * c, "{row}");
        }
        assert!(model.report.converged && report.stop == Stop::Converged);
    }
}

#[test]
fn a_given_matrix_and_samples_agree_for_every_task() {
    let ctx = Context::new(2);
    for (task, classes) in [
        (Task::CSvc, 2),
        (Task::CSvc, 4),
        (Task::NuSvc, 3),
        (Task::EpsilonSvr, 2),
        (Task::NuSvr, 2),
        (Task::OneClass, 2),
    ] {
        let data = Data::new(90, classes);
        let params = params(task);
        let weights: Vec<f64> = (0..90).map(|i| f64::from(i % 5) * 0.5).collect();
        for weights in [None, Some(&weights[..])] {
            let supervision = &data.supervision(task, weights);
            let direct = Svm::fit(&ctx, &params, &data.x, supervision, None).unwrap();
            let gram = data.gram(&params.kernel);
            let given = Svm::fit(&ctx, &params, Input::precomputed(gram.view()), supervision, None)
                .unwrap();
            let new = direct.decisions(&ctx, &data.x).unwrap();
            let of_given = given.decisions(&ctx, Input::precomputed(gram.view())).unwrap();
            assert!(farthest(&new, &of_given) < 1e-4, "{task:?}");
            let n = direct.support.len();
            let some = Mat::from_fn(90, n, |i, s| gram[(i, direct.support[s])]);
            let of_support = direct.decisions_support(&ctx, some.view()).unwrap();
            assert!(farthest(&new, &of_support) < 1e-10, "{task:?}");
            assert!(given.decisions(&ctx, &data.x).is_err());
        }
    }
}

#[test]
fn threads_do_not_change_a_bit_and_permuted_rows_little() {
    for (task, classes) in [(Task::CSvc, 2), (Task::CSvc, 3), (Task::EpsilonSvr, 2)] {
        let data = Data::new(3000, classes);
        let mut params = params(task);
        params.tolerance = 1e-4;
        let fit = |threads: usize| {
            let supervision = &data.supervision(task, None);
            Svm::fit(&Context::new(threads), &params, &data.x, supervision, None).unwrap()
        };
        let (one, two) = (fit(1), fit(2));
        assert_eq!(one.support, two.support);
        assert_eq!(one.coef.data(), two.coef.data());
        assert_eq!(one.offset, two.offset);

        let order: Vec<usize> = (0..3000).rev().collect();
        let turned = Data {
            x: data.x.select(&order),
            places: order.iter().map(|&i| data.places[i]).collect(),
            values: order.iter().map(|&i| data.values[i]).collect(),
            classes: data.classes.clone(),
        };
        let ctx = Context::new(2);
        let a = one.decisions(&ctx, &data.x).unwrap();
        let b = turned.fit(&params).decisions(&ctx, &data.x).unwrap();
        assert!(farthest(&a, &b) < 2e-3, "{task:?} {}", farthest(&a, &b));
    }
}

#[test]
fn shrinking_and_small_caches_lead_to_the_same_optimum() {
    let data = Data::new(5000, 2);
    let ctx = Context::new(2);
    let mut plain = params(Task::CSvc);
    plain.tolerance = 1e-4;
    plain.shrinking = false;
    let expected = data.fit(&plain).decisions(&ctx, &data.x).unwrap();
    for cache in [Some(0), Some(1 << 20), None] {
        let shrunk = {
            let mut changed = plain.clone();
            changed.shrinking = true;
            changed.cache = cache;
            changed
        };
        let found = data.fit(&shrunk).decisions(&ctx, &data.x).unwrap();
        assert!(farthest(&expected, &found) < 1e-3, "{cache:?} {}", farthest(&expected, &found));
    }
}

#[test]
fn a_weight_of_two_is_a_row_twice_and_a_weight_of_zero_no_row() {
    let ctx = Context::new(2);
    for task in Task::ALL {
        let data = Data::new(60, 2);
        let params = params(task);
        let weights: Vec<f64> = (0..60).map(|i| [1.0, 2.0, 1.0, 0.0, 1.0][i % 5]).collect();
        let weighted =
            Svm::fit(&ctx, &params, &data.x, &data.supervision(task, Some(&weights)), None)
                .unwrap();
        let rows: Vec<usize> =
            (0..60).flat_map(|i| std::iter::repeat_n(i, weights[i] as usize)).collect();
        let repeated = Data {
            x: data.x.select(&rows),
            places: rows.iter().map(|&i| data.places[i]).collect(),
            values: rows.iter().map(|&i| data.values[i]).collect(),
            classes: data.classes.clone(),
        };
        let a = weighted.decisions(&ctx, &data.x).unwrap();
        let b = repeated.fit(&params).decisions(&ctx, &data.x).unwrap();
        assert!(farthest(&a, &b) < 1e-4, "{task:?} {}", farthest(&a, &b));
        assert!(weighted.support.iter().all(|&row| weights[row] > 0.0));
    }
}

#[test]
fn nu_bounds_the_shares_of_support_vectors_and_outsiders() {
    let data = Data::new(400, 2);
    let ctx = Context::new(2);
    let mut params = params(Task::OneClass);
    params.nu = 0.2;
    let model = data.fit(&params);
    let decisions = model.decisions(&ctx, &data.x).unwrap();
    let outside = decisions.data().iter().filter(|d| **d < -1e-6).count();
    assert!(outside as f64 <= 0.2 * 400.0 && model.support.len() as f64 >= 0.2 * 400.0);
}

#[test]
fn a_stopped_fit_is_usable_and_goes_on_to_the_same_optimum() {
    let ctx = Context::new(2);
    for (task, classes) in [
        (Task::CSvc, 2),
        (Task::CSvc, 3),
        (Task::NuSvc, 2),
        (Task::EpsilonSvr, 2),
        (Task::NuSvr, 2),
        (Task::OneClass, 2),
    ] {
        let data = Data::new(200, classes);
        let full = params(task);
        let short = full.clone().max_iterations(10);
        let stopped = data.fit(&short);
        assert!(!stopped.report.converged && !stopped.report.notes.is_empty(), "{task:?}");
        stopped.decisions(&ctx, &data.x).unwrap();
        let supervision = &data.supervision(task, None);
        let resumed = Svm::fit(&ctx, &full, &data.x, supervision, Some(&stopped)).unwrap();
        let fresh = data.fit(&full);
        let (a, b) = (resumed.decisions(&ctx, &data.x), fresh.decisions(&ctx, &data.x));
        assert!(farthest(&a.unwrap(), &b.unwrap()) < 1e-4, "{task:?}");
        let again = Svm::fit(&ctx, &full, &data.x, supervision, Some(&fresh)).unwrap();
        let steps = |m: &Svm| m.report.machine.as_ref().unwrap().problems[0].iterations;
        assert!(steps(&again) <= steps(&fresh) / 4, "{task:?} {} {}", steps(&again), steps(&fresh));
        let timed = full.clone().max_seconds(1e-9);
        let problems = data.fit(&timed).report.machine.unwrap().problems;
        assert_eq!(problems[0].stop, Stop::Time, "{task:?}");
    }
}

#[test]
fn single_precision_is_used_where_it_is_good_enough_and_only_there() {
    let classes = names(2);
    let ctx = Context::new(2);
    let precision = |n: usize, d: usize, moved: f64, spec: &str| {
        let (x, places) = clouds(n, d, 2, 5);
        let x = Dense::from_vec(x.data().iter().map(|v| v + moved).collect(), n, d).unwrap();
        let target = Target::Classes {
            labels: Labels { names: classes.to_vec(), places: places.to_vec() },
            weights: None,
        };
        let params = SvmParams::new(Task::CSvc, kernel(spec));
        let model = Svm::fit(&ctx, &params, &x, &Targets { target, weights: None }, None).unwrap();
        model.report.machine.unwrap().precision
    };
    assert_eq!(precision(300, 3, 0.0, "rbf(gamma=0.5)"), "f64", "few samples");
    assert_eq!(precision(1100, 100, 0.0, "rbf(gamma=0.01)"), "f32");
    // Far from the origin only the differences count: around the mean they are small again.
    assert_eq!(precision(1100, 100, 1e3, "rbf(gamma=0.01)"), "f32");
    assert_eq!(precision(1100, 100, 1e5, "rbf(gamma=0.01) + rbf(gamma=0.02)"), "f32");
    // A product of kernels is not moved to the mean, and its values cancel there.
    assert_eq!(precision(1100, 100, 1e5, "1e-12*linear*linear"), "f64");
}

#[test]
fn samples_far_from_the_origin_are_learned_as_well() {
    let ctx = Context::new(2);
    let data = Data::new(400, 2);
    let moved: Vec<f64> = data.x.data().iter().map(|v| v + 4096.0).collect();
    let x = Dense::from_vec(moved, 400, 3).unwrap();
    let params = params(Task::CSvc);
    let there = Svm::fit(&ctx, &params, &x, &data.supervision(Task::CSvc, None), None).unwrap();
    let a = there.decisions(&ctx, &x).unwrap();
    let b = data.fit(&params).decisions(&ctx, &data.x).unwrap();
    assert!(farthest(&a, &b) < 1e-4, "{}", farthest(&a, &b));
    // In single precision too, where products of such numbers cancel.
    let single = x.convert::<f32>().unwrap();
    let model =
        Svm::fit(&ctx, &params, &single, &data.supervision(Task::CSvc, None), None).unwrap();
    let c = model.decisions(&ctx, &single).unwrap();
    assert!(farthest(&a, &c) < 2e-2, "{}", farthest(&a, &c));
}

#[test]
fn probabilities_rise_with_decisions_and_name_the_class() {
    let ctx = Context::new(2);
    for classes in [2, 4] {
        let data = Data::new(160, classes);
        let params = params(Task::CSvc);
        let supervision = &data.supervision(Task::CSvc, None);
        for method in [Method::Sigmoid, Method::Isotonic] {
            let mut model = data.fit(&params);
            model.calibrate(&ctx, &data.x, supervision, method, 5, 0).unwrap();
            let calibration = model.calibration.clone().unwrap();
            let decisions = model.decisions(&ctx, &data.x).unwrap();
            let p = calibration.probabilities(&decisions, classes);
            let named = votes(&decisions, classes);
            for i in 0..160 {
                let row = p.row(i);
                assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                let most = (0..classes).max_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap();
                assert_eq!(most, named[i]);
            }
            let mut again = data.fit(&params);
            again.calibrate(&Context::new(1), &data.x, supervision, method, 5, 0).unwrap();
            assert_eq!(again.calibration, Some(calibration.clone()));
            let mut given = Svm::fit(
                &ctx,
                &params,
                Input::precomputed(data.gram(&params.kernel).view()),
                supervision,
                None,
            )
            .unwrap();
            given
                .calibrate(
                    &ctx,
                    Input::precomputed(data.gram(&params.kernel).view()),
                    supervision,
                    method,
                    5,
                    0,
                )
                .unwrap();
            let of_given = given.calibration.unwrap().probabilities(&decisions, classes);
            assert!(farthest(&p, &of_given) < 1e-2, "{}", farthest(&p, &of_given));
            if classes > 2 {
                assert_eq!(one_vs_rest(&decisions, classes).cols(), classes);
            }
        }
    }
}

#[test]
fn a_path_is_the_fits_one_by_one() {
    let ctx = Context::new(2);
    let cs = [10.0, 0.1, 1.0];
    for (task, classes) in [(Task::CSvc, 2), (Task::CSvc, 3), (Task::EpsilonSvr, 2)] {
        let data = Data::new(150, classes);
        let params = params(task);
        let path = svm_path(&ctx, &params, &data.x, &data.supervision(task, None), &cs).unwrap();
        for (model, c) in path.iter().zip(cs) {
            assert_eq!(model.params.c, c);
            let alone = data.fit(&params.clone().c(c));
            let (a, b) = (model.decisions(&ctx, &data.x), alone.decisions(&ctx, &data.x));
            assert!(farthest(&a.unwrap(), &b.unwrap()) < 1e-4, "{task:?} {c}");
        }
        assert!(svm_path(&ctx, &params, &data.x, &data.supervision(task, None), &[]).is_err());
        assert!(svm_path(&ctx, &params, &data.x, &data.supervision(task, None), &[-1.0]).is_err());
    }
}

#[test]
fn a_search_scores_as_fits_on_parts_do() {
    let ctx = Context::new(2);
    for (task, classes) in [(Task::CSvc, 2), (Task::CSvc, 3), (Task::EpsilonSvr, 2)] {
        let data = Data::new(120, classes);
        let model = params(task);
        let folds: Vec<Fold> = select::folds(120, 4, 1).unwrap();
        let kernels = vec![kernel("rbf(gamma=0.1)"), kernel("rbf(gamma=1)")];
        let search = SvmSearchParams {
            model: model.clone(),
            kernels,
            cs: vec![5.0, 0.5],
            folds,
            per_cell: false,
        };
        let supervision = &data.supervision(task, None);
        let found = svm_search(&ctx, &search, &data.x, supervision).unwrap();
        for (k, spec) in search.kernels.iter().enumerate() {
            for (c, &price) in search.cs.iter().enumerate() {
                for (f, fold) in search.folds.iter().enumerate() {
                    let weights: Vec<f64> =
                        (0..120).map(|i| f64::from(fold.train.contains(&i))).collect();
                    let params = {
                        let mut changed = model.clone();
                        changed.c = price;
                        changed.kernel = spec.clone();
                        changed
                    };
                    let supervision = &data.supervision(task, Some(&weights));
                    let part = Svm::fit(&ctx, &params, &data.x, supervision, None).unwrap();
                    let decisions = part.decisions(&ctx, &data.x.select(&fold.test)).unwrap();
                    let expected = match task {
                        Task::CSvc => {
                            let named = votes(&decisions, classes);
                            let right = fold.test.iter().zip(named);
                            right.filter(|(i, c)| data.places[**i] == *c).count() as f64
                                / fold.test.len() as f64
                        }
                        _ => {
                            let y: Vec<f64> = fold.test.iter().map(|&i| data.values[i]).collect();
                            let mean = y.iter().sum::<f64>() / y.len() as f64;
                            let spread: f64 = y.iter().map(|v| (v - mean).powi(2)).sum();
                            let errors = y.iter().enumerate();
                            let errors = errors.map(|(i, v)| (v - decisions[(i, 0)]).powi(2));
                            1.0 - errors.sum::<f64>() / spread
                        }
                    };
                    let score = found.scores[k][(c, f)];
                    assert!((score - expected).abs() < 1e-3, "{task:?} {score} {expected}");
                }
            }
        }
        let (k, c) = found.chosen;
        assert_eq!(found.model.params.c, search.cs[c]);
        assert_eq!(found.model.params.kernel, search.kernels[k]);
    }
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    let data = Data::new(20, 2);
    let ctx = Context::new(1);
    let refused = |params: &SvmParams, supervision: &Targets, word: &str| match Svm::fit(
        &ctx,
        params,
        &data.x,
        supervision,
        None,
    ) {
        Ok(_) => panic!("{word} was not refused"),
        Err(error) => assert!(error.to_string().contains(word), "{error}"),
    };
    let good = params(Task::CSvc);
    let supervision = &data.supervision(Task::CSvc, None);
    refused(&good.clone().c(0.0), supervision, "c: ");
    refused(&good.clone().tolerance(0.0), supervision, "tolerance");
    refused(&params(Task::NuSvc).nu(1.5), supervision, "nu");
    refused(
        &params(Task::EpsilonSvr).epsilon(-1.0),
        &data.supervision(Task::EpsilonSvr, None),
        "epsilon",
    );
    refused(&good, &data.supervision(Task::EpsilonSvr, None), "class labels");
    let mut weights = vec![1.0; 20];
    data.places.iter().enumerate().filter(|(_, p)| **p == 1).for_each(|(i, _)| weights[i] = 0.0);
    refused(&good, &data.supervision(Task::CSvc, Some(&weights)), "class 1");
    refused(&good, &data.supervision(Task::CSvc, Some(&[0.0; 20])), "all weights are zero");
    refused(&good, &data.supervision(Task::CSvc, Some(&[-1.0; 20])), "negative");
    let one = names(1);
    let places = [0; 20];
    let alone = Target::Classes {
        labels: Labels { names: one.to_vec(), places: places.to_vec() },
        weights: None,
    };
    refused(&good, &Targets { target: alone, weights: None }, "greater than one");
    let mut uneven = [0; 20];
    uneven[0] = 1;
    let target = Target::Classes {
        labels: Labels { names: data.classes.to_vec(), places: uneven.to_vec() },
        weights: None,
    };
    let infeasible = params(Task::NuSvc).nu(0.5);
    refused(&infeasible, &Targets { target, weights: None }, "infeasible");
    let mut crooked = data.gram(&good.kernel);
    crooked[(0, 1)] += 1.0;
    let error =
        Svm::fit(&ctx, &good, Input::precomputed(crooked.view()), supervision, None).err().unwrap();
    assert!(error.to_string().contains("not symmetric"), "{error}");
}

#[test]
fn degenerate_data_gives_an_answer() {
    let ctx = Context::new(2);
    let x = Dense::from_vec(vec![1.0; 12], 6, 2).unwrap();
    let classes = names(2);
    let places = [0, 1, 0, 1, 0, 1];
    let target = Target::Classes {
        labels: Labels { names: classes.to_vec(), places: places.to_vec() },
        weights: None,
    };
    let params = SvmParams::new(Task::CSvc, kernel("rbf(gamma=1)"));
    let model = Svm::fit(&ctx, &params, &x, &Targets { target, weights: None }, None).unwrap();
    assert!(model.decisions(&ctx, &x).unwrap().data().iter().all(|d| d.is_finite()));
    let flat = [3.0; 6];
    let params = SvmParams::new(Task::EpsilonSvr, kernel("rbf(gamma=1)"));
    let supervision = &Targets {
        target: Target::Values(Mat::from_vec(flat.to_vec(), flat.len(), 1)),
        weights: None,
    };
    let model = Svm::fit(&ctx, &params, &x, supervision, None).unwrap();
    let found = model.decisions(&ctx, &x).unwrap();
    assert!(found.data().iter().all(|v| (v - 3.0).abs() < 0.11), "{:?}", found.data());
}

/// Points on a sphere in two classes with a winding border, where kernel values fall off soon.
fn on_a_sphere(n: usize) -> (Dense<f64>, Targets) {
    let mut stream = Stream::new(4, "sphere");
    let (mut rows, mut places) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let point: [f64; 3] = std::array::from_fn(|_| stream.normal());
        let length = point.iter().map(|v| v * v).sum::<f64>().sqrt();
        let [x, y, z] = point.map(|v| v / length);
        rows.extend([x, y, z]);
        places.push(usize::from((7.0 * x).sin() + (9.0 * y).sin() * (5.0 * z).cos() > 0.3));
    }
    (Dense::from_vec(rows, n, 3).unwrap(), Targets::labels(Labels { names: names(2), places }))
}

#[test]
fn more_rows_than_a_working_set_take_few_columns_each_and_any_number_of_threads() {
    let (x, targets) = on_a_sphere(6000);
    let params = SvmParams::new(Task::CSvc, kernel("rbf(gamma=200)")).c(10.0);
    let fit =
        |threads: usize| Svm::fit(&Context::new(threads), &params, &x, &targets, None).unwrap();
    let (one, three) = (fit(1), fit(3));
    let machine = one.report.machine.as_ref().unwrap();
    assert_eq!(machine.problems[0].stop, Stop::Converged);
    assert!(machine.problems[0].violation <= params.tolerance);
    assert!(machine.problems[0].certified_rows > 0);
    let each = machine.columns_used as f64 / one.support.len() as f64;
    assert!(each < 12.0, "{each} columns for each support vector");
    assert_eq!(one.support, three.support);
    let bits = |model: &Svm| model.coef.data().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&one), bits(&three));
}
