//! Low-rank fits: `--landmarks`.

use crate::folder::{Folder, Run, clouds, words};
use crate::svm_fit::check;

#[test]
fn all_rows_as_landmarks_are_the_exact_fit() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    folder.done("kpca t.csv --label cloud -k 2 -o exact.csv");
    let run = folder.done("kpca t.csv --label cloud -k 2 --landmarks 60 -o low.csv -m m.mercer");
    check(
        &run.err,
        &[
            "60 rows × 3 columns",
            "landmarks   60, leaving 0.00 % of the trace of the kernel matrix",
        ],
    );
    let (exact, low) = (numbers(&folder, "exact.csv"), numbers(&folder, "low.csv"));
    assert!(exact.len() == 60 && low.len() == 60);
    for (a, b) in exact.iter().flatten().zip(low.iter().flatten()) {
        assert!((a.abs() - b.abs()).abs() < 1e-5, "{a} {b}");
    }
    folder.done("transform m.mercer t.csv --label cloud -o again.csv");
    assert_eq!(numbers(&folder, "again.csv"), low);
    let again = folder.done("kpca t.csv --label cloud --from-model m.mercer -o refit.csv");
    check(&again.err, &["landmarks   60"]);
}

#[test]
fn outliers_and_a_tolerance() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(90));
    let line =
        "outliers t.csv --label cloud -k 3 --landmarks auto --landmark-tolerance 0.2 -m m.mercer";
    check(
        &folder.done(line).err,
        &["90 rows × 3 columns", "outliers    9 of 90 rows", "landmarks   "],
    );
    check(&folder.done("inspect m.mercer").out, &["90 rows", "landmarks"]);
}

#[test]
fn a_cluster_needs_the_python_package() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(30));
    let mut command = folder.command();
    let line = "kpca t.csv --landmarks 5 --dask tcp://127.0.0.1:1 -m m.mercer";
    command.args(words(line)).env("MERCER_PYTHON", "no-such-python");
    let run = Run::of(command.output().expect("the command starts"));
    check(&run.err, &["--dask", "no-such-python does not have", "pip install 'mercer[dask]'"]);
    assert_eq!(run.code, Some(2));
    let run = folder.run("kpca t.csv --dask tcp://127.0.0.1:1");
    check(&run.err, &["--landmarks"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn bad_numbers_are_usage_errors() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(30));
    for flags in [
        "--landmarks 0",
        "--landmarks few",
        "--landmarks auto --landmark-tolerance 2",
        "--landmark-tolerance 0.1",
    ] {
        let run = folder.run(&format!("kpca t.csv --label cloud -k 2 {flags}"));
        assert_eq!(run.code, Some(2), "{flags}: {}", run.err);
    }
    let run = folder.run("kpca t.csv --label cloud -k 5 --landmarks 3");
    assert!(run.code == Some(2) && run.err.contains("the number of landmarks"), "{}", run.err);
}

/// The numbers of a table without its label.
fn numbers(folder: &Folder, name: &str) -> Vec<Vec<f64>> {
    let text = folder.read(name);
    let row = |line: &str| line.split(',').filter_map(|cell| cell.parse().ok()).collect();
    text.lines().skip(1).map(row).collect()
}

#[test]
fn features_on_landmarks_are_those_of_their_model() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    let run = folder.done(
        "features t.csv --label cloud --kernel rbf --landmarks 12 --seed 3 -o a.csv -m m.mercer",
    );
    check(&run.err, &["features    12 (approximate)", "landmarks   12, leaving "]);
    let features = numbers(&folder, "a.csv");
    assert!(features.iter().all(|row| row.len() == 12));
    // The length of features is at most that of the samples, which is 1.
    let length = |row: &Vec<f64>| row.iter().map(|v| v * v).sum::<f64>();
    assert!(features.iter().map(length).all(|v| v > 0.0 && v < 1.0 + 1e-9));
    folder.done("transform m.mercer t.csv --label cloud -o again.csv");
    assert_eq!(folder.read("again.csv"), folder.read("a.csv"));
    check(&folder.done("inspect m.mercer").out, &["Nyström features", "60 rows", "landmarks"]);
    let run = folder.done("features t.csv --label cloud --kernel rbf --landmarks auto --json -q");
    assert!(run.out.contains("\"residual_trace\""), "{}", run.out);
    folder.write("names.csv", "name,size\nanna,1\nhanna,2\njohanna,3\nbob,1\n");
    let kernel = "columns(name:spectrum(p=2))+columns(size:rbf(gamma=1))";
    folder.done(&format!("features names.csv --kernel {kernel} --landmarks 4 -o mixed.csv"));
    assert_eq!(numbers(&folder, "mixed.csv").len(), 4);
    for (flags, wrong) in [
        ("--landmarks 5 --components 5", "cannot be used with"),
        ("--model m.mercer", "--landmarks"),
        ("--seed 5", "--components"),
    ] {
        let run = folder.run(&format!("features t.csv --label cloud --kernel rbf {flags}"));
        assert!(run.code == Some(2) && run.err.contains(wrong), "{flags}: {}", run.err);
    }
}
