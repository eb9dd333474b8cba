//! Laws of `auto`: its scores are those of the verbs, fold by fold, and its model is that of the command it prints.

use serde_json::Value;

use crate::auto::model;
use crate::folder::{Folder, cells, houses, ring_table, words};
use crate::tables::passengers;

/// The test rows of each outer fold, counted from 1.
fn folds(object: &Value) -> Vec<Vec<usize>> {
    let row = |row: &Value| row.as_u64().unwrap() as usize;
    let fold = |rows: &Value| rows.as_array().unwrap().iter().map(row).collect();
    object["test_rows"].as_array().unwrap().iter().map(fold).collect()
}

/// Writes the rows of a fold as `test.csv`, and all others as `train.csv`.
fn write_fold(folder: &Folder, table: &str, test: &[usize]) {
    let lines: Vec<&str> = table.lines().collect();
    let part = |is_test: bool| {
        let rows = (1..lines.len()).filter(|row| test.contains(row) == is_test);
        let rows: String = rows.map(|row| format!("{}\n", lines[row])).collect();
        format!("{}\n{rows}", lines[0])
    };
    folder.write("train.csv", part(false));
    folder.write("test.csv", part(true));
}

/// Targets and predictions of the test rows, by a model that `fit` fits on the training rows.
fn predicted(folder: &Folder, fit: &str) -> Vec<[String; 2]> {
    folder.done(&format!("{fit} -q -m m.mercer"));
    let found = cells(&folder.done("predict m.mercer test.csv -q").out);
    let truth = cells(&folder.read("test.csv"));
    let pair = |(truth, found): (&Vec<String>, &Vec<String>)| {
        [truth.last().unwrap().clone(), found.last().unwrap().clone()]
    };
    truth[1..].iter().zip(&found[1..]).map(pair).collect()
}

fn r2(pairs: &[[String; 2]]) -> f64 {
    let numbers: Vec<[f64; 2]> =
        pairs.iter().map(|pair| [0, 1].map(|i| pair[i].parse().unwrap())).collect();
    let mean = numbers.iter().map(|pair| pair[0]).sum::<f64>() / numbers.len() as f64;
    let spread: f64 = numbers.iter().map(|pair| (pair[0] - mean).powi(2)).sum();
    1.0 - numbers.iter().map(|pair| (pair[0] - pair[1]).powi(2)).sum::<f64>() / spread
}

fn accuracy(pairs: &[[String; 2]]) -> f64 {
    pairs.iter().filter(|pair| pair[0] == pair[1]).count() as f64 / pairs.len() as f64
}

/// Whether the scores of the model `name` are those of the verb `verb` with `flags`, fitted on the training rows of each
/// fold; the parameters that `auto` chose stand in for `{kernel}` and `{penalty}`.
fn same_scores(table: &str, auto: &str, name: &str, fit: &str, score: fn(&[[String; 2]]) -> f64) {
    let folder = Folder::new();
    folder.write("t.csv", table);
    let object = folder.done(&format!("auto t.csv {auto} --json -q")).json();
    let model = model(&object, name);
    for (fold, test) in folds(&object).iter().enumerate() {
        write_fold(&folder, table, test);
        let chosen = model["chosen"][fold].as_str().unwrap_or_default();
        let (kernel, penalty) = chosen.rsplit_once('=').unwrap_or_default();
        let kernel = kernel.trim_end_matches(", C").trim_end_matches(", alpha");
        let fit = fit.replace("{kernel}", &format!("'{kernel}'")).replace("{penalty}", penalty);
        let naive = score(&predicted(&folder, &fit));
        let found = model["scores"][fold].as_f64().unwrap();
        assert!((naive - found).abs() < 1e-7, "{name}, fold {fold}: {naive} {found}");
    }
}

#[test]
fn scores_of_kernel_ridge_are_those_of_a_naive_outer_loop() {
    // Penalty and width are chosen by `krr` itself, on the training rows alone.
    let table = houses(50);
    let fit = "krr train.csv --target price --label id --kernel matern";
    same_scores(&table, "--target price --label id", "kernel ridge (Matérn)", fit, r2);
    let classes = ring_table(60);
    let fit = "krr train.csv --target side --kernel laplacian";
    same_scores(&classes, "--target side", "kernel ridge (Laplacian)", fit, accuracy);
}

#[test]
fn fills_categories_and_scaling_come_from_the_training_rows() {
    let table = passengers(75);
    let flags = "--target survived --columns ^name";
    let fit = format!("krr train.csv {flags} --kernel rbf");
    same_scores(&table, flags, "kernel ridge (RBF)", &fit, accuracy);
}

#[test]
fn scores_of_machines_are_those_of_a_naive_outer_loop() {
    let fit = "svr train.csv --target price --label id --kernel {kernel} --cost {penalty}";
    same_scores(&houses(50), "--target price --label id", "SVM (RBF)", fit, r2);
    let fit = "svc train.csv --target side --kernel {kernel} --cost {penalty}";
    same_scores(&ring_table(60), "--target side", "SVM (polynomial)", fit, accuracy);
}

#[test]
fn the_command_fits_the_same_model() {
    let folder = Folder::new();
    folder.write("h.csv", houses(60));
    folder.write("p.csv", passengers(80));
    folder.write("rings.csv", ring_table(60));
    for line in [
        "h.csv --target price --label id",
        "p.csv --target survived --columns ^name --missing most-frequent",
        "rings.csv --target side --scale minmax --max-rows 30",
    ] {
        let object = folder.done(&format!("auto {line} -m a.mercer --json -q")).json();
        let command = object["command_line"].as_str().unwrap();
        assert!(command.starts_with("mercer "), "{command}");
        let table = words(line)[0].clone();
        folder.done(&format!("{} -q -m b.mercer", command.trim_start_matches("mercer ")));
        let predict = |model: &str| folder.done(&format!("predict {model} {table} --json -q"));
        let rows = |model: &str| predict_rows(&predict(model).json());
        assert_eq!(rows("a.mercer"), rows("b.mercer"), "{command}");
    }
}

fn predict_rows(object: &Value) -> Value {
    let mut object = object.clone();
    let fields = object.as_object_mut().expect("an object");
    fields.retain(|name, _| name != "model" && name != "seconds");
    object
}

#[test]
fn a_seed_gives_the_same_scores_on_any_number_of_threads() {
    let folder = Folder::new();
    folder.write("h.csv", houses(40));
    let scores = |flags: &str| {
        let line = format!("auto h.csv --target price --label id --json -q {flags}");
        let object = folder.done(&line).json();
        let scores = model(&object, "kernel ridge (RBF)")["scores"].clone();
        (scores, model(&object, "SVM (Matérn)")["scores"].clone())
    };
    assert_eq!(scores("--threads 1"), scores("--threads 2"));
    assert_ne!(scores(""), scores("--seed 7"));
}
