//! A kernel for each group of columns: numbers and texts of one table.

use crate::bad_input::check;
use crate::folder::{Folder, cells, difference};
use crate::texts::people;

const MIXED: &str =
    "--kernel 'columns(size: rbf(gamma=1)) * column(name: normalize(spectrum(p=2)))'";

fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("people.csv", people());
    folder
}

#[test]
fn columns_are_found_by_name_and_others_are_left_out() {
    let folder = prepared();
    let line = format!("svc people.csv --target side {MIXED} -m m.mercer");
    let fit = folder.done(&line);
    assert!(fit.err.contains("10 rows × 2 columns"), "{}", fit.err);
    let output = folder.done("predict m.mercer people.csv").err;
    assert!(output.contains("accuracy 1"), "{output}");
    folder.write("new.csv", "note,name,size\nx,simpson abe,3\ny,flanders maude,4\n");
    let new = cells(&folder.done("predict m.mercer new.csv -q").out);
    assert_eq!((new[1][0].as_str(), new[2][0].as_str()), ("left", "right"));
    let fit = folder.done(&format!("kpca people.csv {MIXED} --label side"));
    assert!(!fit.err.contains("unused"), "{}", fit.err);
    let fit = folder.done(&format!("kpca people.csv {MIXED} -m m.mercer"));
    assert!(fit.err.contains("unused      side"), "{}", fit.err);
    assert!(folder.done("inspect m.mercer").out.contains("unused      side"));
    let json = folder.done(&format!("kpca people.csv {MIXED} --json -q")).json();
    assert_eq!(json["left_out"], serde_json::json!(["side"]));
    assert_eq!(json["column_names"], serde_json::json!(["size", "name"]));
}

#[test]
fn groups_of_numbers_are_the_kernel_on_their_columns() {
    let folder = Folder::new();
    folder.write("t.csv", crate::folder::small_table(30));
    for scale in ["none", "standard", "minmax"] {
        let alone = folder.done(&format!(
            "kpca t.csv --columns x,y --kernel 'rbf(gamma=scale)' --scale {scale} -q"
        ));
        let named = folder.done(&format!(
            "kpca t.csv --kernel 'columns(x, y: rbf(gamma=scale))' --scale {scale} -q"
        ));
        assert!(difference(&alone.out, &named.out) < 1e-9, "{scale}");
    }
    // A column may be in several groups; the way to new rows is the same.
    let twice = "--kernel 'columns(x, y: rbf(gamma=1)) + columns(y, z: rbf(gamma=2))'";
    let fit = folder.done(&format!("kpca t.csv {twice} --scale standard -m m.mercer -q"));
    let inspected = folder.done("inspect m.mercer").out;
    assert!(inspected.contains("30 rows × 3 columns"), "{inspected}");
    let again = folder.done("transform m.mercer t.csv -q");
    assert!(difference(&fit.out, &again.out) < 1e-9);
}

#[test]
fn every_verb_takes_groups() {
    let folder = prepared();
    for verb in ["kmeans -k 2", "outliers --components 3", "oneclass --nu 0.3"] {
        folder.done(&format!("{verb} people.csv {MIXED} -m m.mercer -q"));
        folder.done("predict m.mercer people.csv -q");
    }
    for verb in ["krr", "search --folds 2"] {
        folder.done(&format!("{verb} people.csv {MIXED} --target side -m m.mercer -q"));
        folder.done("predict m.mercer people.csv -q");
    }
    let two = format!("{MIXED} --kernel 'column(name: spectrum(p=2))'");
    folder.done(&format!("krr people.csv {two} --target side -q"));
}

#[test]
fn bad_groups() {
    let folder = prepared();
    folder.write("twice.csv", "a,a,b\n1,2,3\n4,5,6\n");
    folder.write("names.csv", "id,name\n1,ann\n2,bob\n");
    let cases: [(&str, &[&str]); 8] = [
        (
            "kpca people.csv --kernel 'columns(age: rbf)'",
            &["no column \"age\"", "name, size, side"],
        ),
        (
            "kpca people.csv --kernel 'columns(size: rbf)' --columns size",
            &["--columns", "kernel already names"],
        ),
        (
            "svc people.csv --target side --kernel 'column(side: spectrum)'",
            &["\"side\" is the target"],
        ),
        (
            "kpca people.csv --kernel 'columns(size, name: rbf)'",
            &["\"name\" holds text", "column('name': spectrum(p=3))"],
        ),
        (
            "kpca people.csv --kernel 'columns(name, side: spectrum)'",
            &["single column", "name, side"],
        ),
        ("kpca people.csv --kernel 'columns(size: rbf) + linear'", &["linear", "name the columns"]),
        ("kpca twice.csv --kernel 'columns(a: rbf)'", &["both named \"a\""]),
        (
            "krr people.csv --target side --kernel rbf --kernel 'columns(size: rbf)'",
            &["groups of columns"],
        ),
    ];
    for (line, parts) in cases {
        check(&folder, line, 1, parts);
    }
    folder.done(&format!("kpca people.csv {MIXED} -m m.mercer -q"));
    check(&folder, "transform m.mercer names.csv", 1, &["needs column \"size\"", "id, name"]);
}

#[test]
fn kernels_on_different_columns_are_compared_and_the_best_needs_its_own_alone() {
    let folder = Folder::new();
    let row = |i: usize| {
        let (a, b) = ((i * 37 % 60) as f64 / 10.0, (i * 23 % 60) as f64 / 10.0);
        format!("{a},{b},{},{:.4},{}\n", i % 7, a * a, if a > 3.0 { "high" } else { "low" })
    };
    folder.write("t.csv", format!("a,b,c,y,k\n{}", (0..60).map(row).collect::<String>()));
    for kernels in [
        "--kernel 'columns(b, c: rbf)' --kernel 'columns(a: rbf)'",
        "--kernel 'columns(a: rbf)' --kernel 'columns(a, c: rbf(gamma=9))' --kernel 'columns(b: rbf)'",
    ] {
        for verb in ["krr t.csv --target y", "search t.csv --target k"] {
            let object = folder.done(&format!("{verb} {kernels} -m m.mercer --json -q")).json();
            assert_eq!(object["column_names"], serde_json::json!(["a"]), "{verb} {kernels}");
            assert_eq!(object["columns"].as_u64(), Some(1));
            let run = folder.done("predict m.mercer t.csv");
            assert!(run.err.contains("score"), "{}", run.err);
            folder.write("a.csv", "a\n1\n5\n");
            assert_eq!(folder.done("predict m.mercer a.csv -q").out.lines().count(), 3);
        }
    }
    // Several widths are compared on a group of columns too.
    let object = folder.done("krr t.csv --target y --kernel 'columns(a: rbf)' --json -q").json();
    assert_eq!(object["grid"].as_array().unwrap().len(), 6);
}
