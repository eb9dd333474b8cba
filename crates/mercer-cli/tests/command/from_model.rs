//! Fitting again with the settings of a stored model.

use crate::folder::{Folder, houses, ring_table, small_table};

/// Fits `line`, fits again from the model alone, and compares the outputs.
fn check(folder: &Folder, verb: &str, line: &str) {
    folder.done(&format!("{verb} {line} -m first.mercer -o first.csv -q"));
    let table = line.split_whitespace().next().expect("a table");
    folder
        .done(&format!("{verb} {table} --from-model first.mercer -m again.mercer -o again.csv -q"));
    assert_eq!(folder.read("first.csv"), folder.read("again.csv"), "{verb} {line}");
}

#[test]
fn the_same_table_gives_the_same_predictions() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    folder.write("h.csv", houses(60));
    folder.write("r.csv", ring_table(60));
    check(&folder, "krr", "h.csv --target price --columns area,age --scale minmax");
    check(&folder, "krr", "r.csv --target side --no-intercept");
    check(&folder, "svc", "r.csv --target side -C 5 --class-weight in=2,out=1");
    check(&folder, "svc", "r.csv --target side --nu 0.3 --probability sigmoid");
    check(&folder, "svr", "h.csv --target price --columns area,age -C 10 --epsilon 0.05");
    check(&folder, "svr", "h.csv --target price --columns area,age --nu 0.4");
    check(&folder, "oneclass", "t.csv --label kind --nu 0.2 --kernel laplacian");
    check(&folder, "kpca", "t.csv --label kind -k 3 --scale standard --no-center");
    check(&folder, "kmeans", "t.csv --label kind -k 3 --seed 4 --n-init 2");
    check(&folder, "outliers", "t.csv --label kind --contamination 0.2 -k 4 --score projections");
}

#[test]
fn encodings_are_those_of_the_model() {
    let folder = Folder::new();
    folder.write("p.csv", crate::tables::passengers(80));
    let line = "p.csv --target survived --label name --missing most-frequent";
    folder.done(&format!("krr {line} -m first.mercer -o first.csv -q"));
    folder.done("krr p.csv --from-model first.mercer -o again.csv -q");
    assert_eq!(folder.read("first.csv"), folder.read("again.csv"));
}

#[test]
fn options_take_precedence_and_other_models_are_refused() {
    let folder = Folder::new();
    folder.write("r.csv", ring_table(60));
    folder.done("svc r.csv --target side -C 5 -m m.mercer -q");
    let run = folder.done("svc r.csv --from-model m.mercer -C 7");
    assert!(run.err.contains("C 7"), "{}", run.err);
    let run = folder.done("svc r.csv --from-model m.mercer --nu 0.2");
    assert!(run.err.contains("nu 0.2"), "{}", run.err);
    let wrong = folder.run("krr r.csv --from-model m.mercer");
    assert_eq!(wrong.code, Some(1));
    assert!(wrong.err.contains("`mercer svc`"), "{}", wrong.err);
    assert_eq!(folder.run("svc r.csv --from-model no.mercer").code, Some(1));
    assert_eq!(folder.run("kmeans r.csv").code, Some(2));
}
