//! `mercer continue`: a model of two halves is that of the whole table, also where they are read in blocks.

use crate::folder::{Folder, clouds, difference, houses};
use crate::svm_fit::check;

const FIXED: &str = "--kernel 'rbf(gamma=0.1)' --scale none --landmarks 20 --keep-sums";

/// A table and its two halves.
fn folder(text: &str) -> Folder {
    let folder = Folder::new();
    let lines: Vec<&str> = text.lines().collect();
    let half = lines.len() / 2;
    folder.write("all.csv", text);
    folder.write("one.csv", lines[..half].join("\n"));
    folder.write("two.csv", [&lines[..1], &lines[half..]].concat().join("\n"));
    folder
}

#[test]
fn halves_are_one_fit_on_the_landmarks_of_the_first() {
    let folder = folder(&houses(300));
    let line = format!("--target price --label id --alpha 0.1 {FIXED}");
    folder.done(&format!("krr one.csv {line} -m m.mercer"));
    let run = folder.done("continue m.mercer two.csv -m m.mercer");
    check(&run.err, &["kernel ridge regression with 151 rows of two.csv: 300 rows", "20, leaving"]);
    // The same sums in three parts.
    folder.done(&format!("krr one.csv {line} -m parts.mercer"));
    let lines: Vec<String> = folder.read("two.csv").lines().map(String::from).collect();
    for (name, rows) in [("a.csv", &lines[1..40]), ("b.csv", &lines[40..])] {
        folder.write(name, format!("{}\n{}\n", lines[0], rows.join("\n")));
        folder.done(&format!("continue parts.mercer {name} -m parts.mercer"));
    }
    folder.done("predict m.mercer all.csv -o p.csv");
    folder.done("predict parts.mercer all.csv -o q.csv");
    assert!(difference(&folder.read("p.csv"), &folder.read("q.csv")) < 1e-6);
    let facts = folder.done("inspect m.mercer --json").json();
    assert_eq!(
        (facts["rows"].as_u64(), &facts["regression"]["scores"]),
        (Some(300), &serde_json::Value::Null)
    );
}

#[test]
fn components_outliers_classes_and_features_go_on() {
    let folder = folder(&clouds(180));
    for line in [
        format!("kpca one.csv --label cloud -k 2 {FIXED}"),
        format!("features one.csv --label cloud {FIXED}"),
        format!("outliers one.csv --label cloud -k 3 {FIXED}"),
        format!("krr one.csv --target cloud --alpha 0.1 {FIXED}"),
    ] {
        folder.done(&format!("{line} -m m.mercer"));
        let found = folder.done("continue m.mercer two.csv -m n.mercer --json -q").json();
        assert_eq!(
            (found["added"].as_u64(), found["rows"].as_u64()),
            (Some(91), Some(180)),
            "{line}"
        );
        let verb = if line.starts_with("kpca") || line.starts_with("feat") {
            "transform"
        } else {
            "predict"
        };
        folder.done(&format!("{verb} n.mercer two.csv -o p.csv"));
    }
}

#[test]
fn a_table_in_blocks_is_continued_with() {
    let folder = Folder::new();
    let text = clouds(12_000);
    folder.write("big.csv", &text);
    folder.write("small.csv", clouds(60));
    folder.done(&format!("krr small.csv --target cloud --alpha 0.1 {FIXED} -m m.mercer"));
    folder.done("continue m.mercer big.csv -m whole.mercer");
    let run = folder.done("continue m.mercer big.csv -m blocks.mercer --memory 1000000");
    check(&run.err, &["exceeds the memory budget: 12,000 rows", "1 pass", "12,060 rows"]);
    folder.done("predict whole.mercer small.csv --scores -o p.csv");
    folder.done("predict blocks.mercer small.csv --scores -o q.csv");
    assert_eq!(folder.read("p.csv"), folder.read("q.csv"));
}

#[test]
fn what_cannot_be_continued_is_refused() {
    let folder = folder(&houses(80));
    let line = "krr one.csv --target price --label id --alpha 0.1 --kernel 'rbf(gamma=0.1)'";
    for (flags, message) in
        [("", "fitted without landmarks"), ("--landmarks 10", "fit it with --keep-sums")]
    {
        folder.done(&format!("{line} {flags} -m m.mercer"));
        let run = folder.run("continue m.mercer two.csv -m n.mercer");
        assert!(run.code == Some(1) && run.err.contains(message), "{flags}: {}", run.err);
    }
    folder.done("kmeans one.csv --label id -k 2 --landmarks 10 -m m.mercer");
    let run = folder.run("continue m.mercer two.csv -m n.mercer");
    check(&run.err, &["only models of `kpca`, `krr`, `outliers` and `features`"]);
    let run = folder.run("kmeans one.csv --label id -k 2 --landmarks 10 --keep-sums -m m.mercer");
    assert!(run.code == Some(2) && run.err.contains("--keep-sums"), "{}", run.err);
    folder.done(&format!("{line} --landmarks 10 --keep-sums -m m.mercer"));
    folder.write("other.csv", "id,area,age,rooms\nx,1,2,3\n");
    let run = folder.run("continue m.mercer other.csv -m n.mercer");
    check(&run.err, &["does not have the target \"price\""]);
    assert!(!folder.has("n.mercer"));
    // The label of a table is its target, but never its weights.
    folder.done(&format!("{line} --weights rooms --landmarks 10 --keep-sums -m w.mercer"));
    folder.write("other.libsvm", "1 1:2 2:3\n2 1:1 2:1\n");
    let run = folder.run("continue w.mercer other.libsvm -m n.mercer");
    check(&run.err, &["does not have the weights of the rows"]);
    let run = folder.run("continue m.mercer two.csv");
    assert!(run.code == Some(2) && run.err.contains("--model"), "{}", run.err);
}
