//! Precomputed kernels: every verb fits them, and predicts new rows like training rows.

use crate::bad_input::check;
use crate::folder::{Folder, cells, difference, ring_table};

/// A table of points, its kernel matrix as .npy and .csv, and the matrix with a target beside it.
fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", ring_table(40));
    let line = "check t.csv --label side --kernel 'rbf(gamma=1)' -q --output";
    folder.done(&format!("{line} k.npy"));
    folder.done(&format!("{line} k.csv"));
    let (matrix, table) = (folder.read("k.csv"), folder.read("t.csv"));
    let sides = table.lines().map(|line| line.rsplit(',').next().unwrap());
    let beside = matrix.lines().zip(sides).map(|(row, side)| format!("{row},{side}\n"));
    folder.write("both.csv", beside.collect::<String>());
    folder
}

#[test]
fn every_verb_learns_from_a_matrix_what_it_learns_from_rows() {
    let folder = prepared();
    let rows = folder.done("kpca t.csv --label side --kernel 'rbf(gamma=1)' -q -o rows.csv");
    assert!(rows.out.is_empty());
    folder.done("kpca both.csv --label side --kernel precomputed -q -o given.csv -m m.mercer");
    assert!(difference(&folder.read("rows.csv"), &folder.read("given.csv")) < 1e-9);
    for table in ["k.npy", "k.csv"] {
        let fit = folder.done(&format!("kpca {table} --kernel precomputed -m n.mercer -q")).out;
        let again = folder.done(&format!("transform n.mercer {table} -q")).out;
        assert!(difference(&fit, &again) < 1e-9, "{table}");
    }
    for (verb, scale) in [("svc", ""), ("krr", ""), ("search --folds 4", "")] {
        let line =
            format!("{verb} both.csv --target side --kernel precomputed {scale} -m m.mercer");
        let fit = folder.done(&line);
        assert!(fit.err.contains("precomputed"), "{verb}: {}", fit.err);
        let output = folder.done("predict m.mercer both.csv").err;
        assert!(
            output.contains("accuracy 1") || output.contains("accuracy 0.9"),
            "{verb}: {output}"
        );
    }
    let points = folder
        .done("svc t.csv --target side --scale none --kernel 'rbf(gamma=1)' --json -q")
        .json();
    let given = folder.done("svc both.csv --target side --kernel precomputed --json -q").json();
    assert_eq!(points["svm"]["support"], given["svm"]["support"]);
    for table in ["k.npy", "k.csv"] {
        for verb in ["kmeans -k 2", "outliers --score projections", "oneclass"] {
            folder.done(&format!("{verb} {table} --kernel precomputed -m m.mercer -o o.csv -q"));
            folder.done(&format!("predict m.mercer {table} -q"));
        }
        folder.done(&format!("kmeans -k 2 {table} --kernel precomputed -p c.svg -q"));
        folder.done(&format!("outliers {table} --kernel precomputed -p o.svg -q"));
        folder.done(&format!("check {table} --kernel precomputed"));
    }
    assert!(folder.done("inspect m.mercer").out.contains("kernel      precomputed"));
    let clusters =
        cells(&folder.done("kmeans both.csv --label side -k 2 --kernel precomputed -q").out);
    assert_eq!(clusters.len(), 3);
}

#[test]
fn bad_matrices() {
    let folder = prepared();
    folder.write("wide.csv", "a,b,c\n1,0,0\n0,1,0\n");
    folder.write("hole.csv", "a,b\n1,\n0,1\n");
    folder.write("crooked.csv", "a,b\n1,0.5\n0.1,1\n");
    let cases: [(&str, &[&str]); 7] = [
        ("kpca wide.csv --kernel precomputed", &["2 rows", "3 columns"]),
        ("kpca hole.csv --kernel precomputed", &["line 2", "\"b\"", "missing"]),
        ("kpca k.csv --kernel precomputed --scale standard", &["--scale", "kernel values"]),
        ("kpca k.csv --kernel precomputed --inverse", &["--inverse", "no samples"]),
        ("svc both.csv --target side --kernel precomputed -p p.svg", &["--plot"]),
        (
            "search both.csv --target side --kernel precomputed --kernel rbf",
            &["--kernel", "precomputed"],
        ),
        ("oneclass crooked.csv --kernel precomputed", &["symmetric"]),
    ];
    for (line, parts) in cases {
        check(&folder, line, 1, parts);
    }
    folder.done("kpca k.csv --kernel precomputed -m m.mercer -q");
    check(&folder, "transform m.mercer k.csv --errors", 1, &["--errors", "precomputed kernel"]);
    folder.done("krr both.csv --target side --kernel precomputed -m m.mercer -q");
    check(&folder, "predict m.mercer wide.csv", 1, &["needs column"]);
}
