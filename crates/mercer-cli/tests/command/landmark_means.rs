//! k-means on landmarks, choices of landmarks, and what landmarks leave of rows.

use crate::folder::{Folder, clouds};
use crate::svm_fit::check;

#[test]
fn clusters_on_all_rows_are_those_of_the_exact_fit() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    folder.done("kmeans t.csv --label cloud -k 3 -o exact.csv");
    let run = folder.done("kmeans t.csv --label cloud -k 3 --landmarks 60 -o low.csv -m m.mercer");
    check(
        &run.err,
        &[
            "60 rows × 3 columns",
            "landmarks   60, leaving 0.00 % of the trace of the kernel matrix",
            "bounds      with all rows, the objective of these clusters is",
        ],
    );
    let clusters = |name: &str| -> Vec<String> {
        let text = folder.read(name);
        text.lines().map(|line| line.split(',').take(2).collect::<Vec<_>>().join(",")).collect()
    };
    assert_eq!(clusters("low.csv"), clusters("exact.csv"));
    folder.done("predict m.mercer t.csv --label cloud -o again.csv");
    assert_eq!(clusters("again.csv"), clusters("low.csv"));
    let again = folder.done("kmeans t.csv --label cloud --from-model m.mercer -o refit.csv");
    check(&again.err, &["landmarks   60"]);
    check(&folder.done("inspect m.mercer").out, &["60 rows", "landmarks"]);
}

#[test]
fn landmarks_by_every_method() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(90));
    for verb in ["kmeans t.csv --label cloud -k 3", "kpca t.csv --label cloud -k 2"] {
        for method in ["pivoted-cholesky", "uniform", "kmeans"] {
            let line =
                format!("{verb} --landmarks 12 --landmark-method {method} -m m.mercer --json");
            let out = folder.done(&line).out;
            let named = method.replace('-', "_");
            assert!(out.contains(&format!("\"method\":\"{named}\"")), "{out}");
        }
        let line = verb.split(" -k").next().unwrap();
        let again = folder.done(&format!("{line} --from-model m.mercer --json"));
        assert!(again.out.contains("\"method\":\"kmeans\""), "{}", again.out);
    }
    let run = folder.run("kpca t.csv --label cloud -k 2 --landmarks auto --landmark-method kmeans");
    assert!(run.code == Some(2) && run.err.contains("pivoted Cholesky"), "{}", run.err);
    let run = folder.run("kmeans t.csv --label cloud -k 2..4 --landmarks 12");
    assert!(run.code == Some(2) && run.err.contains("give one number"), "{}", run.err);
}

#[test]
fn residuals_of_rows_are_columns() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(90));
    let line =
        "outliers t.csv --label cloud -k 3 --landmarks 10 --landmark-residuals -o scores.csv";
    folder.done(line);
    let sum = |name: &str| -> f64 {
        let text = folder.read(name);
        let mut lines = text.lines();
        let names: Vec<&str> = lines.next().unwrap().split(',').collect();
        let column = names.iter().position(|name| *name == "landmark_residual").unwrap();
        lines.map(|line| line.split(',').nth(column).unwrap().parse::<f64>().unwrap()).sum()
    };
    assert!(sum("scores.csv") > 0.0);
    let run = folder.done("kpca t.csv --label cloud -k 2 --landmarks 10 -m m.mercer --json");
    folder.done("transform m.mercer t.csv --label cloud --landmark-residuals -o out.csv");
    let facts: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let left = facts["report"]["landmarks"]["residual_trace"].as_f64().unwrap();
    assert!((sum("out.csv") - left).abs() < 1e-6 * left, "{} {left}", sum("out.csv"));
    folder.done("kpca t.csv --label cloud -k 2 -m exact.mercer");
    let run = folder.run("transform exact.mercer t.csv --label cloud --landmark-residuals");
    assert!(run.code == Some(2) && run.err.contains("without landmarks"), "{}", run.err);
}

#[test]
fn reports_show_the_error_against_the_number_of_landmarks() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(200));
    folder.done("kpca t.csv --label cloud -k 2 --landmarks 30 --report page.html");
    let page = folder.read("page.html");
    check(
        &page,
        &["Error against number of landmarks", "Bounds of the variance of each component"],
    );
    let run = folder.done("kpca t.csv --label cloud -k 2 --landmarks 30 -o o.csv");
    check(&run.err, &["bounds      with all rows, as many components explain"]);
}
