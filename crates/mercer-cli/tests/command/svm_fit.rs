//! `svc`, `svr` and `oneclass` on valid tables: summary and files.

use crate::folder::{Folder, cells, difference, houses, ring_table, rings, small_table};

pub fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().expect("a number")
}

pub fn check(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn two_classes_are_told_apart_and_the_optimum_is_certified() {
    let folder = Folder::new();
    folder.write("t.csv", ring_table(80));
    let run = folder.done("svc t.csv --target side -o o.csv -m m.mercer --verbose");
    assert!(run.out.is_empty());
    check(
        &run.err,
        &[
            "support vector classification of side in t.csv: 80 rows × 2 columns, standardised",
            "classes     2: in, out",
            "kernel      rbf(gamma=0.5",
            "parameters  C 1\n",
            " of 80 rows, ",
            " at bound: in ",
            "dual objective -",
            "duality gap",
            "converged after",
            "tolerance 1e-3",
            "certified   in double precision, on all rows",
            "accuracy 1.000 (training set)",
            "written     o.csv, m.mercer",
        ],
    );
    let table = cells(&folder.read("o.csv"));
    assert_eq!((table.len(), &table[0][..]), (81, &["side", "prediction"].map(String::from)[..]));
    assert!(table[1..].iter().all(|row| row[0] == row[1]));
    let object = folder.done("svc t.csv --target side --json -q").json();
    let (svm, report) = (&object["svm"], &object["report"]);
    assert_eq!((&object["estimator"], &svm["task"]), (&"svm".into(), &"c_svc".into()));
    assert_eq!(svm["classes"], serde_json::json!(["in", "out"]));
    let of_classes = svm["support_of_classes"].as_array().unwrap();
    let total: f64 = of_classes.iter().map(number).sum();
    assert_eq!(total, number(&svm["support"]));
    let problem = &report["machine"]["problems"][0];
    assert!(number(&problem["violation"]) <= 1e-3 && number(&problem["gap"]) >= -1e-9);
    assert_eq!(report["converged"], true);
    assert!(svm["nu"].is_null() && svm["epsilon"].is_null() && object["regression"].is_null());
}

#[test]
fn a_smaller_tolerance_brings_the_objective_closer() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(90));
    let problems = |flags: &str| {
        let line = format!("svc t.csv --target kind --columns y,z -C 5 {flags} --json -q");
        folder.done(&line).json()["report"]["machine"]["problems"].clone()
    };
    let (rough, fine) = (problems(""), problems("--tolerance 1e-8"));
    for (rough, fine) in rough.as_array().unwrap().iter().zip(fine.as_array().unwrap()) {
        assert!(number(&fine["violation"]) <= 1e-8);
        let (a, b) = (number(&rough["objective"]), number(&fine["objective"]));
        assert!(b <= a + 1e-9 && a - b <= number(&rough["gap"]) + 1e-6 * a.abs(), "{a} {b}");
    }
    let plain = problems("--tolerance 1e-8 --no-shrinking --cache 1MB");
    for (a, b) in plain.as_array().unwrap().iter().zip(fine.as_array().unwrap()) {
        let (a, b) = (number(&a["objective"]), number(&b["objective"]));
        assert!((a / b - 1.0).abs() < 1e-6, "{a} {b}");
    }
}

#[test]
fn several_classes_are_compared_in_pairs() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    let run = folder.done("svc t.csv --target kind -m m.mercer -v");
    check(
        &run.err,
        &[
            "classes     3: blue, green, red",
            "3 pairs of classes",
            "blue, green: dual objective",
            "green, red: dual objective",
            "of 60 rows: blue ",
        ],
    );
    assert!(!run.err.contains("warning"), "{}", run.err);
}

#[test]
fn classes_have_weights_and_rows_too() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(90));
    let base = "svc t.csv --target kind --columns y,z -C 0.1";
    let run = folder.done(&format!("{base} --class-weight red=20"));
    check(&run.err, &["C 0.1, class weights blue 1, green 1, red 20"]);
    let found = |flags: &str| {
        folder.done(&format!("{base} {flags} -q -o o.csv"));
        let table = cells(&folder.read("o.csv"));
        table[1..].iter().filter(|row| row[0] == "red" && row[1] == "red").count()
    };
    assert!(found("--class-weight red=20,green=1") >= found("--class-weight red=0.05"));
    let run = folder.done(&format!("{base} --class-weight balanced"));
    assert!(run.err.contains("C 0.1\n"), "all have as many rows: {}", run.err);
    let fewer: String = small_table(90).lines().take(46).map(|line| format!("{line}\n")).collect();
    let fewer = fewer.replace("green", "blue");
    folder.write("f.csv", fewer);
    let run = folder.done("svc f.csv --target kind --class-weight balanced");
    check(&run.err, &["C 1, class weights blue 0.75, red 1.5"]);
    // A row of weight 2 counts as two rows.
    let text = ring_table(40);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let weighted = |(i, row): (usize, &&str)| format!("{row},{}\n", i % 3);
    let weights: String = rows.iter().enumerate().map(weighted).collect();
    folder.write("w.csv", format!("x,y,side,w\n{weights}"));
    let repeated: String =
        rows.iter().enumerate().map(|(i, row)| format!("{row}\n").repeat(i % 3)).collect();
    folder.write("r.csv", format!("x,y,side\n{repeated}"));
    let fixed = "--target side --kernel 'rbf(gamma=1)' --tolerance 1e-9 --scale none -q";
    folder.done(&format!("svc w.csv {fixed} --weights w -m w.mercer"));
    folder.done(&format!("svc r.csv {fixed} -m r.mercer"));
    let of = |model: &str| folder.done(&format!("predict {model} t2.csv --decisions -q"));
    folder.write("t2.csv", ring_table(25));
    assert!(difference(&of("w.mercer").out, &of("r.mercer").out) < 1e-6);
}

#[test]
fn nu_bounds_the_shares() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(90));
    folder.write("two.csv", ring_table(90));
    let object = folder.done("svc two.csv --target side --nu 0.3 --json -q").json();
    assert_eq!(object["svm"]["task"], "nu_svc");
    assert!(number(&object["svm"]["support"]) >= 0.3 * 90.0 - 1.0);
    assert!(object["svm"]["c"].is_null() && object["svm"]["nu"] == 0.3);
    let run = folder.done("oneclass t.csv --columns x,y,z --nu 0.2 -o o.csv -m m.mercer");
    check(&run.err, &["one-class support vector machine of t.csv", "rows outside (", "nu 0.2"]);
    let table = cells(&folder.read("o.csv"));
    assert_eq!(table[0], ["side", "decision"]);
    let outside = table[1..].iter().filter(|row| row[0] == "-1").count();
    assert!((10..=24).contains(&outside), "{outside}");
    for row in &table[1..] {
        assert_eq!(row[0] == "1", row[1].parse::<f64>().unwrap() > 0.0);
    }
    let object =
        folder.done("oneclass t.csv --columns x,y,z --nu 0.2 --label kind --json -q").json();
    assert_eq!(number(&object["svm"]["fit"]["outside"]) as usize, outside);
    assert_eq!(object["svm"]["targets"], serde_json::json!([]));
}

#[test]
fn numbers_are_learned_within_a_tube() {
    let folder = Folder::new();
    folder.write("h.csv", houses(80));
    let base = "svr h.csv --target price --label id -C 1000";
    let run = folder
        .done(&format!("{base} --absolute --epsilon 5 --tolerance 1e-4 -o o.csv -m m.mercer"));
    check(
        &run.err,
        &[
            "support vector regression of price in h.csv: 80 rows × 3 columns",
            "parameters  C 1000, epsilon 5",
            "RMSE",
            "R² 0.9",
        ],
    );
    let table = cells(&folder.read("o.csv"));
    assert_eq!(table[0], ["id", "price", "prediction"]);
    let support = number(&folder.done("inspect m.mercer --json").json()["svm"]["support"]) as usize;
    let inside = table[1..].iter().filter(|row| {
        let (truth, found): (f64, f64) = (row[1].parse().unwrap(), row[2].parse().unwrap());
        (truth - found).abs() < 5.0 - 0.01
    });
    // Rows within the tube do not matter; those on its edge or beyond are support vectors.
    assert!(inside.count() <= 80 - support, "{support}");
    let run = folder.done(&format!("{base} --absolute --nu 0.4"));
    check(&run.err, &["nu-support vector regression", "C 1000, nu 0.4"]);
}

#[test]
fn the_label_of_libsvm_text_is_the_target() {
    let folder = Folder::new();
    folder.write("t.libsvm", rings(60));
    let run = folder.done("svc t.libsvm -m m.mercer");
    check(&run.err, &["classification of label", "2: -1, 1"]);
    let run = folder.done("predict m.mercer t.libsvm");
    check(&run.err, &["accuracy 1.000", "-1: recall 30/30"]);
    let run = folder.done("oneclass t.libsvm -o o.csv");
    check(&run.err, &["label       label (kept in the output, not used in the fit)"]);
    assert!(folder.read("o.csv").starts_with("label,side,decision\n"));
    folder.done("svr t.libsvm");
}

#[test]
fn every_table_format_is_read() {
    let folder = Folder::new();
    folder.write("t.csv", ring_table(40));
    let line = "--kernel 'rbf(gamma=1)' --scale none --target";
    let expected = folder.done(&format!("svc t.csv {line} side --json -q")).json();
    let objective = |object: &serde_json::Value| {
        number(&object["report"]["machine"]["problems"][0]["objective"])
    };
    folder.write("t.tsv", ring_table(40).replace(',', "\t"));
    folder.write("s.csv", ring_table(40).replace(',', ";"));
    folder.done("pca t.csv --label side -k 2 -q -o p.parquet");
    folder.write("t.libsvm", rings(40));
    let found = folder.done(&format!("svc t.tsv {line} side --json -q")).json();
    assert_eq!(objective(&found), objective(&expected));
    let found = folder.done(&format!("svc s.csv {line} 3 --json -q")).json();
    assert_eq!(objective(&found), objective(&expected));
    let found = folder.done(&format!("svc t.libsvm {line} label --json -q")).json();
    assert!((objective(&found) / objective(&expected) - 1.0).abs() < 1e-3);
    // The rows turned by PCA are as far from each other as before.
    let found = folder.done(&format!("svc p.parquet {line} side --json -q")).json();
    assert!((objective(&found) / objective(&expected) - 1.0).abs() < 1e-3);
    let piped = folder.pipe(&format!("svc - {line} side --json -q"), ring_table(40).as_bytes());
    assert_eq!(objective(&piped.json()), objective(&expected));
}

#[test]
fn a_limit_is_told_with_what_to_do() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(150));
    let run = folder.done("svc t.csv --target kind --columns z,y -C 1000 --max-iter 3");
    check(&run.err, &["not converged", "warning: ", "--max-iter"]);
    let object =
        folder.done("svc t.csv --target kind --columns z,y -C 1000 --max-iter 3 --json -q");
    assert_eq!(object.json()["report"]["converged"], false);
}

#[test]
fn precision_and_threads() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(90));
    let line = "svc t.csv --target kind -q -m";
    for (name, flags) in [
        ("a", "--threads 1"),
        ("b", "--threads 2"),
        ("c", "--precision f32"),
        ("d", "--precision mixed"),
    ] {
        folder.done(&format!("{line} {name}.mercer {flags}"));
    }
    let of = |name: &str| folder.done(&format!("predict {name}.mercer t.csv --decisions -q")).out;
    assert_eq!(of("a"), of("b"));
    assert!(difference(&of("a"), &of("c")) < 0.02);
    assert!(difference(&of("a"), &of("d")) < 0.02);
}
