//! `krr --landmarks`: searches among low-rank fits, their models and reports.

use crate::folder::{Folder, cells, clouds, houses};
use crate::svm_fit::{check, number};

const LINE: &str = "krr h.csv --target price --label id";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("h.csv", houses(80));
    folder
}

#[test]
fn all_rows_as_landmarks_are_the_exact_search() {
    let folder = folder();
    for flags in ["", "--gcv", "--folds 3", "--metric mae"] {
        let line = format!("{LINE} --kernel 'rbf(gamma=0.1)' --alpha 0.01,0.1,1 --json -q {flags}");
        let exact = folder.done(&line).json();
        let low = folder.done(&format!("{line} --landmarks 80")).json();
        for a in 0..3 {
            let score = |of: &serde_json::Value| number(&of["grid"][0]["scores"][a][0]);
            let (low, exact) = (score(&low), score(&exact));
            assert!((low / exact - 1.0).abs() < 1e-5, "{flags}: {low} {exact}");
        }
        assert_eq!(low["chosen"], exact["chosen"], "{flags}");
    }
}

#[test]
fn a_search_is_stored_reported_and_predicts_with_intervals() {
    let folder = folder();
    let line = format!("{LINE} --landmarks 30 -m m.mercer -o fit.csv --report r.html --test 0.2");
    let run = folder.done(&format!("{line} --verbose"));
    check(
        &run.err,
        &[
            "64 rows × 3 columns",
            "landmarks   30, leaving ",
            "% of the trace of the kernel matrix",
            "full system",
            "(leave-one-out, ",
            "test",
        ],
    );
    check(&folder.read("r.html"), &["residual of the full system", "objective gap", "trace left"]);
    assert_eq!(cells(&folder.read("fit.csv")).len(), 65);
    let predicted = folder.done("predict m.mercer h.csv --interval 0.8 --json -q").json();
    assert!(number(&predicted["coverage"]) > 0.5, "{predicted}");
    let refused = folder.run("predict m.mercer h.csv --std");
    assert!(refused.code == Some(2) && refused.err.contains("landmarks"), "{}", refused.err);
    check(&folder.done("inspect m.mercer").out, &["64 rows", "landmarks   30"]);
    let again = folder.done("krr h.csv --target price --label id --from-model m.mercer");
    check(&again.err, &["80 rows × 3 columns", "landmarks   30"]);
}

#[test]
fn classes_explanations_and_single_fits() {
    let folder = folder();
    folder.write("c.csv", clouds(90));
    let run = folder.done("krr c.csv --target cloud --landmarks auto --explain -m c.mercer");
    check(&run.err, &["kernel ridge classification", "landmarks   ", "90 rows"]);
    let found = folder.done("predict c.mercer c.csv --interval 0.9 -o p.csv");
    assert!(!found.err.contains("error"), "{}", found.err);
    let plain = format!("{LINE} --kernel 'rbf(gamma=0.1)' --alpha 0.1 --landmarks 20");
    check(&folder.done(&format!("{plain} --no-score")).err, &["landmarks   20", "not computed"]);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = folder();
    for flags in ["--solver cg", "--tolerance 1e-3", "--landmark-tolerance 2"] {
        let run = folder.run(&format!("{LINE} --landmarks 20 {flags}"));
        assert_eq!(run.code, Some(2), "{flags}: {}", run.err);
    }
    let run = folder.run(&format!("{LINE} --landmarks 20 --solver cg"));
    check(&run.err, &["--solver applies to --landmarks only with --no-score"]);
    let plain = format!("{LINE} --kernel 'rbf(gamma=0.1)' --alpha 0.1 --landmarks 20 --no-score");
    check(
        &folder.done(&format!("{plain} --solver cg --verbose")).err,
        &["landmarks-cg", "full system"],
    );
}
