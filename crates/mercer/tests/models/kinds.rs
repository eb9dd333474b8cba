//! Every model on every kind of samples: the same numbers, however the samples are held.

use std::path::Path;

use mercer::Dtype;
use mercer::io::{Model, ModelFile, from_bytes, to_bytes};
use mercer::kernel::Tile;
use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::detector::{Detector, DetectorParams};
use mercer::model::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::svm::{Svm, SvmParams, Task};
use mercer::points::{Csr, Items, Part, Parts, Samples, Span, Strings};
use mercer::{Context, Dense, Kernel, KernelSpec, Result, SpecKernel};
use mercer::{Labels, Targets};

use crate::naive::{dense, normal};

/// What all models say of `new` after learning from `x`, one list for each model.
fn all_models(kernel: &KernelSpec, x: &Samples<f64>, new: &Samples<f64>) -> Result<Vec<Vec<f64>>> {
    let (ctx, n, m) = (Context::new(2), x.n(), new.n());
    let target = |i: usize| (i as f64 * 0.7).sin();
    let mut said = Vec::new();

    let params = KernelPcaParams::new(kernel.clone()).components(Components::Count(3));
    let mut scores = Mat::zeros(m, 3);
    let pca = KernelPca::fit(&ctx, &params, x)?;
    pca.transform_into(&ctx, new, scores.view_mut())?;
    said.push(scores.data().to_vec());
    said.push(pca.reconstruction_error(&ctx, new)?);

    let values = Mat::from_fn(n, 1, |i, _| target(i));
    let targets = &Targets::matrix(values.clone());
    let params = KernelRidgeParams::new(kernel.clone());
    let ridge = KernelRidge::fit(&ctx, &params, x, targets, None)?;
    let predicted = ridge.predict(&ctx, new)?;
    said.push(predicted.data().to_vec());

    let classes = ["a".to_string(), "b".to_string()];
    let places: Vec<usize> = (0..n).map(|i| usize::from(target(i) > 0.0)).collect();
    let supervision = &Targets::labels(Labels { names: classes.to_vec(), places });
    let params = SvmParams::new(Task::CSvc, kernel.clone()).tolerance(1e-8);
    let machine = Svm::fit(&ctx, &params, x, supervision, None)?;
    said.push(machine.decisions(&ctx, new)?.data().to_vec());

    let params = KernelKMeansParams::new(3, kernel.clone())
        .init(Init::Labels((0..n).map(|i| i % 3).collect()));
    let clusters = KernelKMeans::fit(&ctx, &params, x, None)?;
    said.push(clusters.distances(&ctx, new)?.data().to_vec());

    let mut params = DetectorParams::new(kernel.clone());
    params.pca.components = Components::Count(2);
    said.push(Detector::fit(&ctx, &params, x)?.scores(&ctx, new)?);
    Ok(said)
}

fn agree(one: &[Vec<f64>], other: &[Vec<f64>]) {
    for (model, (a, b)) in one.iter().zip(other).enumerate() {
        let largest = a.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        for (i, (a, b)) in a.iter().zip(b).enumerate() {
            assert!((a - b).abs() < 1e-6 * (1.0 + largest), "model {model}, number {i}: {a} {b}");
        }
    }
}

fn rows(seed: u64, n: usize) -> Dense<f64> {
    dense(&normal(n, 2, seed), n, 2)
}

fn spec(text: &str) -> KernelSpec {
    text.parse().unwrap()
}

fn items(x: &Dense<f64>) -> Samples<f64> {
    Items::new((0..x.n()).map(|i| x.row(i).to_vec()).collect::<Vec<_>>()).unwrap().into()
}

fn gaussian() -> KernelSpec {
    KernelSpec::custom("gaussian", |a: &Vec<f64>, b: &Vec<f64>| {
        (-0.5 * a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()).exp()
    })
}

#[test]
fn a_function_of_the_users_own_gives_what_the_named_kernel_gives() {
    let (x, new) = (rows(1, 300), rows(2, 7));
    let named = all_models(&spec("rbf(gamma=0.5)"), &(&x).into(), &(&new).into()).unwrap();
    agree(&all_models(&gaussian(), &items(&x), &items(&new)).unwrap(), &named);
    let scaled = all_models(&(2.0 * gaussian()), &items(&x), &items(&new)).unwrap();
    let twice = all_models(&spec("2*rbf(gamma=0.5)"), &(&x).into(), &(&new).into()).unwrap();
    agree(&scaled, &twice);
}

/// The columns of `x` as groups of one each.
fn parts(x: &Dense<f64>) -> Samples<f64> {
    let column = |j: usize| {
        let values = (0..x.n()).map(|i| x.row(i)[j]).collect();
        let samples = Dense::from_vec(values, x.n(), 1).unwrap().into();
        Part { names: vec![format!("x {j}")], samples }
    };
    Parts::new(vec![column(0), column(1)]).unwrap().into()
}

#[test]
fn kernels_on_columns_are_kernels_of_those_columns_alone() {
    let (x, new) = (rows(3, 60), rows(4, 7));
    let whole = all_models(&spec("rbf(gamma=0.5)"), &(&x).into(), &(&new).into()).unwrap();
    let product = spec("columns('x 0': rbf(gamma=0.5)) * column('x 1': rbf(gamma=0.5))");
    agree(&all_models(&product, &parts(&x), &parts(&new)).unwrap(), &whole);
    let whole = all_models(&spec("linear"), &(&x).into(), &(&new).into()).unwrap();
    let sum = spec("columns('x 0': linear) + columns('x 1': linear)");
    agree(&all_models(&sum, &parts(&x), &parts(&new)).unwrap(), &whole);
}

#[test]
fn rules_are_worked_out_on_the_columns_they_stand_for() {
    let x = rows(5, 40);
    let spec = spec("columns('x 1': rbf(gamma=scale))");
    let found = spec.resolve(&parts(&x)).unwrap().to_string();
    let Samples::Parts(groups) = parts(&x) else { unreachable!() };
    let alone: KernelSpec = "rbf(gamma=scale)".parse().unwrap();
    let alone = alone.resolve(&groups.all()[1].samples).unwrap();
    assert_eq!(found, format!("columns('x 1': {alone})"));
}

#[test]
fn files_hold_groups_of_columns() {
    let (x, new, ctx) = (rows(6, 30), rows(7, 5), Context::new(1));
    let kernel = spec("columns('x 0': rbf(gamma=1)) + 0.5*columns('x 1': linear)");
    let model = KernelPca::fit(&ctx, &KernelPcaParams::new(kernel), &parts(&x)).unwrap();
    let bytes = to_bytes(&ModelFile::new(Model::KernelPca(model.clone()), Dtype::F64)).unwrap();
    let read = from_bytes(Path::new("memory"), &bytes).unwrap();
    let Model::KernelPca(read) = read.model else { panic!("another model") };
    let scores = |model: &KernelPca| model.transform(&ctx, &parts(&new)).unwrap();
    assert_eq!(scores(&model).data(), scores(&read).data());
    assert_eq!(model.params, read.params);
}

fn refused(kernel: &KernelSpec, x: &Samples<f64>, part: &str) {
    let error = all_models(kernel, x, x).unwrap_err().to_string();
    assert!(error.contains(part), "{error}");
}

#[test]
fn samples_that_a_kernel_is_not_for_are_refused() {
    let x = rows(8, 10);
    refused(&gaussian(), &(&x).into(), "kernel gaussian: the items are not of type");
    refused(&spec("rbf"), &items(&x), "rbf is for rows of numbers");
    refused(&spec("rbf"), &parts(&x), "name the columns");
    refused(&spec("columns(age: rbf)"), &parts(&x), "the columns age");
    refused(&spec("custom(gaussian)"), &items(&x), "bind it");
    let lengths =
        KernelSpec::custom("lengths", |a: &String, b: &String| (a.len() * b.len()) as f64);
    refused(&lengths, &items(&x), "not of type");
}

#[test]
fn own_functions_that_are_no_kernels_are_refused_with_the_place() {
    let x = items(&rows(9, 10));
    let skew = KernelSpec::custom("skew", |a: &Vec<f64>, b: &Vec<f64>| a[0] - b[0]);
    refused(&skew, &x, "the function is not symmetric");
    let hole = KernelSpec::custom("hole", |a: &Vec<f64>, b: &Vec<f64>| (a[0] * b[0]).ln());
    refused(&hole, &x, "not a finite number");
}

#[test]
fn new_samples_must_be_of_the_kind_learned_from() {
    let (x, ctx) = (rows(10, 20), Context::new(1));
    let model = KernelPca::fit(&ctx, &KernelPcaParams::new(spec("rbf(gamma=1)")), &x).unwrap();
    let error = model.transform(&ctx, &items(&x)).unwrap_err().to_string();
    assert!(error.contains("trained on rows of numbers, but these samples are items"), "{error}");
}

/// The same rows without their zeros.
fn sparse(x: &Dense<f64>) -> Samples<f64> {
    Csr::from_dense(x).unwrap().into()
}

/// Rows of counts, most of them 0.
fn counts(seed: u64, n: usize) -> Dense<f64> {
    let d = 30;
    let rows =
        normal(n, d, seed).into_iter().map(|v| if v > 0.8 { (3.0 * v).round() } else { 0.0 });
    Dense::from_vec(rows.collect(), n, d).unwrap()
}

#[test]
fn sparse_rows_give_what_rows_with_zeros_give() {
    let (x, new) = (counts(11, 70), counts(12, 9));
    for text in [
        "rbf(gamma=scale)",
        "linear",
        "laplacian",
        "poly(degree=2, gamma=0.1)",
        "normalize(intersection)",
        "hellinger",
        "additive_chi2 + constant",
        "chi2(gamma=mean)",
        "jensen_shannon",
    ] {
        let whole = all_models(&spec(text), &(&x).into(), &(&new).into()).unwrap();
        agree(&all_models(&spec(text), &sparse(&x), &sparse(&new)).unwrap(), &whole);
        agree(&all_models(&spec(text), &sparse(&x), &(&new).into()).unwrap(), &whole);
        agree(&all_models(&spec(text), &(&x).into(), &sparse(&new)).unwrap(), &whole);
    }
}

const NAMES: [&str; 12] = [
    "simpson homer",
    "simpson marge",
    "simpson bart",
    "simpson lisa",
    "flanders ned",
    "flanders rod",
    "flanders todd",
    "skinner seymour",
    "skinner agnes",
    "wiggum ralph",
    "wiggum clancy",
    "",
];

#[test]
fn texts_give_what_the_matrix_of_their_counts_gives() {
    // The spectrum of length 2 by two loops, as a function of the user's own.
    let by_loops = KernelSpec::custom("spectrum", |a: &String, b: &String| {
        let pairs = |text: &str| text.as_bytes().windows(2).map(<[u8]>::to_vec).collect::<Vec<_>>();
        let (a, b) = (pairs(a), pairs(b));
        a.iter().map(|s| b.iter().filter(|t| *t == s).count() as f64).sum()
    });
    let new = ["simpson abe", "flanders maude", "kirk"];
    let owned = |texts: &[&str]| -> Samples<f64> {
        Items::new(texts.iter().map(|t| t.to_string()).collect::<Vec<_>>()).unwrap().into()
    };
    let texts = |texts: &[&str]| -> Samples<f64> { Strings::new(texts).unwrap().into() };
    let loops = all_models(&by_loops, &owned(&NAMES), &owned(&new)).unwrap();
    agree(&all_models(&spec("spectrum(p=2)"), &texts(&NAMES), &texts(&new)).unwrap(), &loops);
}

#[test]
fn files_hold_sparse_rows_and_texts() {
    let ctx = Context::new(1);
    let texts = Samples::from(Strings::new(NAMES).unwrap());
    let new_texts = Samples::from(Strings::new(["simpson abe", "skinner"]).unwrap());
    let (rows, new_rows) = (sparse(&counts(13, 12)), sparse(&counts(18, 2)));
    for (text, x, new) in
        [("normalize(spectrum(p=3))", &texts, &new_texts), ("chi2(gamma=0.1)", &rows, &new_rows)]
    {
        let model = KernelPca::fit(&ctx, &KernelPcaParams::new(spec(text)), x).unwrap();
        let saved = ModelFile::new(Model::KernelPca(model.clone()), Dtype::F64);
        let read = from_bytes(Path::new("memory"), &to_bytes(&saved).unwrap()).unwrap();
        let Model::KernelPca(read) = read.model else { panic!("another model") };
        let scores = |model: &KernelPca| model.transform(&ctx, new).unwrap();
        assert_eq!(scores(&model).data(), scores(&read).data(), "{text}");
        assert_eq!(model.params, read.params);
    }
}

#[test]
fn a_table_of_numbers_and_texts_has_the_product_of_their_kernels() {
    let n = NAMES.len();
    let ages = rows(14, n);
    let table = Samples::from(
        Parts::new(vec![
            Part { names: vec!["age".into(), "income".into()], samples: (&ages).into() },
            Part { names: vec!["name".into()], samples: Strings::new(NAMES).unwrap().into() },
        ])
        .unwrap(),
    );
    let mixed = spec("columns(age, income: rbf(gamma=1)) * column(name: normalize(spectrum(p=2)))");
    let value = |kernel: &str, x: &Samples<f64>| {
        let kernel = SpecKernel::<f64>::new(&spec(kernel)).unwrap();
        let mut values = vec![0.0; n * n];
        kernel.tile(Span::all(x), Span::all(x), Tile::new(&mut values, n, n, n)).unwrap();
        values
    };
    let texts = Samples::from(Strings::new(NAMES).unwrap());
    let one = value("rbf(gamma=1)", &(&ages).into());
    let other = value("normalize(spectrum(p=2))", &texts);
    let product = value(&mixed.to_string(), &table);
    assert!((0..n * n).all(|i| (product[i] - one[i] * other[i]).abs() < 1e-12));
    all_models(&mixed, &table, &table).unwrap();
}

#[test]
fn histograms_with_negative_numbers_are_refused_with_the_place() {
    let mut data = counts(15, 8).data().to_vec();
    data[3 * 30 + 7] = -0.5;
    let x = Dense::from_vec(data, 8, 30).unwrap();
    for samples in [Samples::from(&x), sparse(&x)] {
        refused(&spec("intersection"), &samples, "-0.5 at row 3, column 7");
        let ctx = Context::new(1);
        let good = counts(16, 8);
        let model = KernelPca::fit(&ctx, &KernelPcaParams::new(spec("chi2")), &good).unwrap();
        let error = model.transform(&ctx, &samples).unwrap_err().to_string();
        assert!(error.contains("-0.5 at row 3, column 7"), "{error}");
    }
}

#[test]
fn a_length_that_no_text_has_is_refused() {
    let texts = Samples::from(Strings::new(["ab", "cde"]).unwrap());
    refused(&spec("spectrum(p=4)"), &texts, "the longest has 3");
    refused(&spec("rbf"), &texts, "choose a string kernel");
    refused(&spec("spectrum"), &(&rows(17, 5)).into(), "spectrum is for strings");
}
