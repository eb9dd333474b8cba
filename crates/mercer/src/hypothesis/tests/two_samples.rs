use super::{dense, distance_from_uniform, normal};
use crate::context::Context;
use crate::hypothesis::{Mmd, MmdParams, Null, Statistic, witness};
use crate::linalg::view::Mat;
use crate::points::{AnySamples, Dense, Items, Samples, Strings};
use crate::{Input, KernelSpec};

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap()
}

fn params(text: &str) -> MmdParams {
    let mut params = MmdParams::new(spec(text));
    params.null = Null::Permutations(99);
    params
}

/// x before y, y shifted.
fn joined(m: usize, n: usize, d: usize, shift: f64, seed: u64) -> Dense<f64> {
    let mut values = normal(m, d, 0.0, seed);
    values.extend(normal(n, d, shift, seed + 1000));
    dense(values, d)
}

fn squared(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b).powi(2)).sum()
}

/// Biased and unbiased MMD² by two loops.
fn naive(x: &Dense<f64>, first: usize, k: impl Fn(&[f64], &[f64]) -> f64) -> [f64; 2] {
    let total = x.n();
    let (m, n) = (first as f64, (total - first) as f64);
    let mut sums = [[0.0; 2]; 3];
    for i in 0..total {
        for j in 0..total {
            let value = k(x.row(i), x.row(j));
            let part = usize::from(i >= first) + usize::from(j >= first);
            sums[part][0] += value;
            sums[part][1] += if i == j { 0.0 } else { value };
        }
    }
    let [xx, xy, yy] = sums;
    [
        xx[0] / (m * m) + yy[0] / (n * n) - xy[0] / (m * n),
        xx[1] / (m * (m - 1.0)) + yy[1] / (n * (n - 1.0)) - xy[0] / (m * n),
    ]
}

#[test]
fn statistics_are_those_of_two_loops() {
    let ctx = Context::new(2);
    for (m, n) in [(5, 9), (40, 30), (300, 211)] {
        let x = joined(m, n, 3, 0.3, 7);
        let rbf = |x: &[f64], y: &[f64]| (-0.4 * squared(x, y)).exp();
        let energy = |x: &[f64], y: &[f64]| -squared(x, y).sqrt();
        for (text, expected) in
            [("rbf(gamma=0.4)", naive(&x, m, rbf)), ("energy", naive(&x, m, energy))]
        {
            for (statistic, value) in
                [Statistic::Biased, Statistic::Unbiased].into_iter().zip(expected)
            {
                let mut params = params(text);
                params.statistic = statistic;
                let found = Mmd::test(&ctx, &params, &x, m).unwrap().outcome;
                assert!(
                    (found.statistic - value).abs() < 1e-13,
                    "{text} {statistic:?}: {} {value}",
                    found.statistic
                );
            }
        }
    }
}

/// Two samples on a line, (0, 1) and (2): by hand. See the guide.
#[test]
fn the_worked_number() {
    let x = dense(vec![0.0, 1.0, 2.0, 4.0], 1);
    let mut params = params("energy");
    params.null = Null::Permutations(9);
    let found = Mmd::test(&Context::new(1), &params, &x, 2).unwrap();
    // 2·mean|x − y| − mean|x − x'| − mean|y − y'| = 2·2.5 − 0.5 − 1.
    assert!((found.outcome.statistic - 3.5).abs() < 1e-15, "{}", found.outcome.statistic);
}

/// Every split of six samples, each as likely: the mean, the variance and the p-value of the tests are those of the list.
#[test]
fn moments_and_p_values_are_those_of_all_splits() {
    let (x, rbf) = (joined(3, 3, 2, 1.0, 3), spec("rbf(gamma=0.5)"));
    let mut values = Vec::new();
    for bits in (0..64_u32).filter(|bits| bits.count_ones() == 3) {
        let (x1, x0): (Vec<usize>, Vec<usize>) = (0..6).partition(|i| bits >> i & 1 == 1);
        let order = [x1, x0].concat();
        let arranged = Samples::from(&x);
        let arranged = crate::points::Points::select(&arranged, &order);
        let value = naive(arranged.dense().unwrap(), 3, |x, y| (-0.5 * squared(x, y)).exp())[0];
        values.push((bits == 0b000_111, value));
    }
    let all: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    let variance = all.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / all.len() as f64;
    let ctx = Context::new(1);
    let mut params = MmdParams::new(rbf);
    params.null = Null::Gamma;
    let (found_mean, deviation) = Mmd::test(&ctx, &params, &x, 3).unwrap().outcome.moments.unwrap();
    assert!((found_mean - mean).abs() < 1e-13 * mean, "{found_mean} {mean}");
    assert!((deviation.powi(2) - variance).abs() < 1e-11 * variance, "{deviation} {variance}");
    params.null = Null::Permutations(4999);
    let observed = values.iter().find(|(is_observed, _)| *is_observed).unwrap().1;
    let share = all.iter().filter(|&&v| v >= observed - 1e-12).count() as f64 / all.len() as f64;
    let p = Mmd::test(&ctx, &params, &x, 3).unwrap().outcome.p_value;
    assert!((p - share).abs() < 0.03, "{p} {share}");
}

#[test]
fn null_statistics_are_those_of_permuted_samples() {
    let x = joined(12, 20, 2, 0.2, 9);
    for statistic in [Statistic::Biased, Statistic::Unbiased] {
        let mut params = params("rbf(gamma=0.7)");
        params.statistic = statistic;
        let found = Mmd::test(&Context::new(2), &params, &x, 12).unwrap().outcome;
        let mean = found.null.iter().sum::<f64>() / found.null.len() as f64;
        let at_most = found.null.iter().copied().fold(0.0, f64::max);
        assert!(at_most < 0.3 && found.null.len() == 99);
        let biased = statistic == Statistic::Biased;
        assert!(if biased { mean > 0.01 } else { mean.abs() < 0.02 }, "{mean}");
    }
}

#[test]
fn results_do_not_depend_on_threads_storage_or_an_offset() {
    let x = joined(400, 300, 3, 0.1, 11);
    let run = |threads: usize, budget: u64, x: &Dense<f64>, text: &str| {
        let ctx = Context::new(threads).with_budget(budget);
        Mmd::test(&ctx, &params(text), x, 400).unwrap()
    };
    let one = run(1, 1 << 30, &x, "rbf(gamma=0.2)");
    let three = run(3, 1 << 30, &x, "rbf(gamma=0.2)");
    let small = run(2, 3 << 20, &x, "rbf(gamma=0.2)");
    assert_eq!(one.outcome.storage, "packed");
    assert_eq!(small.outcome.storage, "tiled");
    assert_eq!(one.witness, three.witness);
    for other in [&three, &small] {
        assert_eq!(one.outcome.null, other.outcome.null);
        assert_eq!(one.outcome.statistic, other.outcome.statistic);
        // Products with a stored matrix are added up in another order.
        assert!(one.witness.iter().zip(&other.witness).all(|(a, b)| (a - b).abs() < 1e-14));
    }
    let moved = dense(x.data().iter().map(|v| v + 1e5).collect(), 3);
    for text in ["linear", "poly(degree=2)", "rbf(gamma=0.2)"] {
        let (near, far) = (run(1, 1 << 30, &x, text), run(1, 1 << 30, &moved, text));
        if text != "poly(degree=2)" {
            let (a, b) = (near.outcome.statistic, far.outcome.statistic);
            assert!((a - b).abs() < 1e-7 * a, "{text}: {a} {b}");
            assert_eq!(near.outcome.p_value, far.outcome.p_value, "{text}");
        }
        assert!(far.outcome.p_value.is_finite());
    }
}

#[test]
fn the_witness_is_the_difference_of_means() {
    let x = joined(30, 50, 2, 0.5, 13);
    for text in ["rbf(gamma=0.3)", "linear"] {
        let found = Mmd::test(&Context::new(2), &params(text), &x, 30).unwrap();
        let samples = AnySamples::from(&x);
        let again = witness(&Context::new(2), &spec(text), &samples, 30, &samples).unwrap();
        assert!(again.iter().zip(&found.witness).all(|(a, b)| (a - b).abs() < 1e-13));
        for i in [0, 29, 30, 79] {
            let k = |j: usize| match text {
                "linear" => x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum::<f64>(),
                _ => (-0.3 * squared(x.row(i), x.row(j))).exp(),
            };
            let expected = (0..30).map(k).sum::<f64>() / 30.0 - (30..80).map(k).sum::<f64>() / 50.0;
            assert!((found.witness[i] - expected).abs() < 1e-13, "{text} {i}");
        }
    }
}

#[test]
fn every_kind_of_samples_is_tested() {
    let ctx = Context::new(2);
    let words = |stems: &[&str], count: usize| {
        (0..count).map(|i| format!("{}{}", stems[i % stems.len()], i % 7)).collect::<Vec<_>>()
    };
    let mut texts = words(&["anna", "hanna", "ann"], 30);
    texts.extend(words(&["zorro", "corr", "zebra"], 30));
    let texts = Strings::new(texts).unwrap();
    let found = Mmd::test(&ctx, &params("normalize(spectrum(p=2))"), &texts, 30).unwrap();
    assert_eq!(found.outcome.p_value, 0.01);
    let sets = Items::new((0..40).map(|i| vec![i % 5, 10 + i / 20]).collect::<Vec<_>>()).unwrap();
    let overlap = KernelSpec::custom("overlap", |a: &Vec<i32>, b: &Vec<i32>| {
        a.iter().filter(|v| b.contains(v)).count() as f64
    });
    let mut own = MmdParams::new(overlap);
    own.null = Null::Permutations(99);
    assert_eq!(Mmd::test(&ctx, &own, &sets, 20).unwrap().outcome.p_value, 0.01);
    let x = joined(25, 35, 2, 0.8, 17);
    let single: AnySamples = x.convert::<f32>().unwrap().into();
    let (a, b) = (
        Mmd::test(&ctx, &params("rbf(gamma=0.5)"), &x, 25).unwrap().outcome,
        Mmd::test(&ctx, &params("rbf(gamma=0.5)"), &single, 25).unwrap().outcome,
    );
    assert!((a.statistic - b.statistic).abs() < 1e-6 && a.p_value == b.p_value);
    let matrix = Mat::from_fn(60, 60, |i, j| (-0.5 * squared(x.row(i), x.row(j))).exp());
    let given = Mmd::test(&ctx, &params("linear"), Input::precomputed(&matrix), 25).unwrap();
    assert!((given.outcome.statistic - a.statistic).abs() < 1e-14);
    assert_eq!((given.outcome.p_value, given.outcome.kernels.len()), (a.p_value, 0));
}

#[test]
fn levels_are_kept_and_differences_found() {
    let ctx = Context::new(2);
    let trial = |statistic, null, shift: f64, seed: u64| {
        let x = joined(40, 50, 2, shift, 100 + seed);
        let mut params = MmdParams::new(spec("rbf(sigma=median)"));
        (params.statistic, params.null, params.seed) = (statistic, null, seed);
        Mmd::test(&ctx, &params, &x, 40).unwrap().outcome.p_value
    };
    let cases = [
        (Statistic::Biased, Null::Permutations(99), 0.95),
        (Statistic::Unbiased, Null::Permutations(99), 0.95),
        (Statistic::Biased, Null::Gamma, 0.95),
        (Statistic::Blocks(4), Null::Gamma, 0.3),
    ];
    for (statistic, null, power) in cases {
        let p_values = |shift: f64, count: u64| -> Vec<f64> {
            (0..count).map(|seed| trial(statistic, null, shift, seed)).collect()
        };
        // Of 400 uniform numbers, the distance is above 0.08 once in a hundred times.
        let distance = distance_from_uniform(&p_values(0.0, 400));
        assert!(distance < 0.08, "{statistic:?} {null:?}: {distance}");
        let found = p_values(1.0, 50).iter().filter(|&&p| p <= 0.05).count() as f64 / 50.0;
        assert!(found >= power, "{statistic:?} {null:?}: {found}");
    }
}

#[test]
fn the_kernel_of_the_largest_power_is_chosen_and_the_level_kept() {
    let ctx = Context::new(2);
    // The same means and variances, but y lies on two narrow lines: only a narrow kernel sees that.
    let sample = |seed: u64, is_different: bool| {
        let mut values = normal(120, 1, 0.0, seed);
        let y = normal(120, 1, 0.0, seed + 5000);
        values.extend(y.iter().enumerate().map(|(i, v)| match is_different {
            true => (if i % 2 == 0 { 1.0 } else { -1.0 }) * 0.98 + 0.2 * v,
            false => *v,
        }));
        dense(values, 1)
    };
    let trial = |seed: u64, is_different: bool| {
        let mut params = params("linear");
        params.candidates = ["rbf(sigma=20)", "rbf(sigma=0.3)", "rbf(sigma=5)"].map(spec).to_vec();
        params.seed = seed;
        Mmd::test(&ctx, &params, &sample(seed, is_different), 120).unwrap()
    };
    let found = trial(1, true);
    assert_eq!(found.outcome.kernels, [spec("rbf(sigma=0.3)")]);
    assert!(found.outcome.p_value <= 0.02);
    assert_eq!((found.outcome.used, found.tested.as_ref().unwrap().len()), (120, 120));
    let levels: Vec<f64> = (0..300).map(|seed| trial(seed, false).outcome.p_value).collect();
    assert!(distance_from_uniform(&levels) < 0.1);
}

#[test]
fn blocks_of_two_are_the_linear_time_statistic() {
    let x = joined(400, 400, 1, 0.8, 19);
    let mut params = params("rbf(gamma=0.5)");
    params.statistic = Statistic::Blocks(2);
    let found = Mmd::test(&Context::new(1), &params, &x, 400).unwrap();
    let again = Mmd::test(&Context::new(3), &params, &x, 400).unwrap();
    assert_eq!(found.outcome.statistic, again.outcome.statistic);
    assert!(found.outcome.p_value < 0.01 && found.outcome.used == 800, "{:?}", found.outcome);
    let matrix = Mat::from_fn(800, 800, |i, j| (-0.5 * squared(x.row(i), x.row(j))).exp());
    let given = Mmd::test(&Context::new(2), &params, Input::precomputed(&matrix), 400).unwrap();
    assert!((given.outcome.statistic - found.outcome.statistic).abs() < 1e-14);
    // On average over blocks, it is the unbiased statistic.
    params.statistic = Statistic::Unbiased;
    let whole = Mmd::test(&Context::new(2), &params, &x, 400).unwrap().outcome.statistic;
    assert!((whole - found.outcome.statistic).abs() < 0.05, "{whole}");
}

#[test]
fn equal_samples_show_no_difference() {
    let x = dense(vec![1.5; 60], 2);
    for null in [Null::Permutations(19), Null::Gamma] {
        let mut params = params("rbf(gamma=1)");
        params.null = null;
        let found = Mmd::test(&Context::new(1), &params, &x, 10).unwrap().outcome;
        assert_eq!(found.p_value, 1.0, "{null:?}");
    }
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let (ctx, x) = (Context::new(1), joined(20, 20, 1, 0.0, 23));
    let refuse = |change: &dyn Fn(&mut MmdParams), first: usize, part: &str| {
        let mut params = params("rbf(gamma=1)");
        change(&mut params);
        let error = Mmd::test(&ctx, &params, &x, first).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refuse(&|_| (), 1, "at least 2 samples");
    refuse(&|_| (), 40, "one has 0");
    refuse(&|_| (), 41, "one has 0");
    refuse(&|p| p.null = Null::Permutations(8), 20, "at least 9");
    refuse(&|p| p.statistic = Statistic::Blocks(1), 20, "at least 2");
    refuse(&|p| p.statistic = Statistic::Blocks(5), 20, "use at most 2");
    refuse(
        &|p| (p.statistic, p.null) = (Statistic::Unbiased, Null::Gamma),
        20,
        "biased statistic only",
    );
    refuse(&|p| p.candidates = vec![KernelSpec::linear()], 5, "at least 8");
    let small = ctx.clone().with_budget(2000);
    let error = Mmd::test(&small, &params("rbf(gamma=1)"), &x, 20).unwrap_err();
    assert!(error.is_memory(), "{error}");
}
