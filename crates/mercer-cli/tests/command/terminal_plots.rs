//! `--plot -`: small plots on standard output.

use crate::folder::{Folder, Run, clouds, houses, ring_table, small_table, words};

/// Runs a line that must succeed, on a terminal of this locale.
fn shown(folder: &Folder, locale: &str, line: &str) -> Run {
    let mut command = folder.command();
    let run = Run::of(command.env("LC_ALL", locale).args(words(line)).output().unwrap());
    assert_eq!(run.code, Some(0), "mercer {line}\n{}", run.err);
    let widest =
        run.out.lines().take_while(|line| !line.is_empty()).map(|line| line.chars().count());
    assert!(widest.max().unwrap_or(0) <= 80, "{}", run.out);
    assert!(!run.out.contains('\x1b') && !run.out.contains("NaN"), "{}", run.out);
    run
}

fn check(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn an_embedding_stands_above_its_table() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    let line = "kpca t.csv --label kind -k 2 -q --plot -";
    let out = shown(&folder, "C.UTF-8", line).out;
    let (plot, table) = out.split_once("\n\n").expect("an empty line between them");
    check(plot, &["Kernel PCA of t.csv", "component 2 (", "● blue   ■ green   ▲ red", "┤", "└"]);
    let without = folder.done("kpca t.csv --label kind -k 2 -q").out;
    assert_eq!(table, without);
    let plain = shown(&folder, "C", line).out;
    assert!(plain.is_ascii(), "{plain}");
    check(&plain, &["a blue   b green   c red"]);
}

#[test]
fn files_are_written_beside_it_and_a_table_in_a_file_is_not_printed() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    let run = shown(&folder, "C.UTF-8", "pca t.csv --label kind -p - -p p.svg -o e.csv");
    check(&run.out, &["PCA of t.csv"]);
    assert!(!run.out.contains("component_1"), "{}", run.out);
    check(&run.err, &["written     e.csv, p.svg\n"]);
    assert_eq!(folder.names(), ["e.csv", "p.svg", "t.csv"]);
}

#[test]
fn clusters_and_outliers() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    let out = shown(&folder, "C.UTF-8", "kmeans t.csv -k 3 --columns x,y -q -p -").out;
    check(&out, &["Kernel k-means of t.csv", "cluster:", "(on ·)", "(on ░)", "\n\ncluster,rows"]);
    let out = shown(&folder, "C.UTF-8", "outliers t.csv --columns x,y -q -p -").out;
    check(&out, &["Outliers of t.csv", "× outliers: 6 rows", "+ threshold", "\n\nrank,"]);
    let out = shown(&folder, "C.UTF-8", "outliers t.csv --columns x,y,z -q -p -").out;
    check(&out, &["rank (largest score first)", "╌ threshold", "● inliers: 54 rows"]);
}

#[test]
fn scores_and_machines_have_no_table_below() {
    let folder = Folder::new();
    folder.write("h.csv", houses(60));
    folder.write("r.csv", ring_table(80));
    let line = "krr h.csv --target price --columns area,age -q -p -";
    let out = shown(&folder, "C.UTF-8", line).out;
    check(
        &out,
        &["Kernel ridge regression of price", "penalty alpha", "★ alpha", "╌ mean of the target"],
    );
    assert!(!out.contains("\n\n") && out.ends_with('\n'), "{out}");
    let out = shown(&folder, "C.UTF-8", "svc r.csv --target side -q -p -").out;
    check(&out, &["● in   ■ out   hollow: support vector   · f ≥ 0", "○", "■"]);
    let out = shown(&folder, "C", "svr h.csv --target price --columns area --absolute -q -p -").out;
    check(&out, &["= function", ". tube +- 0.1", "capital letters: support vector"]);
}

#[test]
fn a_demonstration_needs_no_file() {
    let folder = Folder::new();
    let run = shown(&folder, "C.UTF-8", "demo circles --rows 60 -p -");
    check(&run.out, &["embedding", "● inner   ■ outer", "+ above zero", "\n\n60 generated rows"]);
    assert!(!run.out.contains("Plot written to") && folder.names().is_empty(), "{}", run.out);
    let both = shown(&folder, "C.UTF-8", "demo names -p - -p n.svg");
    check(&both.out, &["Kernel PCA of names", "Plot written to n.svg.\n"]);
}

#[test]
fn standard_output_holds_one_thing() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(20));
    for line in ["kpca t.csv --label kind -p - --json", "pca t.csv --label kind -p - -p -"] {
        let run = folder.run(line);
        assert_eq!((run.code, run.out.as_str()), (Some(2), ""), "{}", run.err);
        check(&run.err, &["--plot -"]);
    }
    let run = folder.run("kpca t.csv --label kind -p - --json");
    check(&run.err, &["--plot - and --json both print on standard output", ".svg or .png"]);
}
