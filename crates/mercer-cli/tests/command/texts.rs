//! Texts: one column of a table, compared by a kernel for texts.

use crate::bad_input::check;
use crate::folder::{Folder, cells, difference};

/// Names of two families, with a number and a class: `name,size,side`.
pub fn people() -> String {
    let names = ["simpson bart", "flanders ned", "simpson lisa", "flanders rod", "simpson marge"];
    let more = ["flanders todd", "simpson homer", "flanders maude", "simpson abe", "flanders jose"];
    let row = |(i, name): (usize, &&str)| {
        let side = if name.starts_with('s') { "left" } else { "right" };
        format!("{name},{},{side}\n", 1.5 + i as f64)
    };
    let all = names.iter().chain(&more).enumerate();
    "name,size,side\n".to_string() + &all.map(row).collect::<String>()
}

fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("people.csv", people());
    folder
}

const SPECTRUM: &str = "--kernel 'normalize(spectrum(p=3))'";

#[test]
fn components_of_texts_carry_the_texts_and_meet_new_ones() {
    let folder = prepared();
    let line = format!("kpca people.csv --columns name {SPECTRUM} -m m.mercer -p p.svg");
    let fit = folder.done(&line);
    let rows = cells(&fit.out);
    assert_eq!(rows[0], ["name", "component_1", "component_2"]);
    assert_eq!(rows[1][0], "simpson bart");
    assert!(fit.err.contains("10 rows × 1 column") && fit.err.contains("spectrum"), "{}", fit.err);
    let sign = |row: usize| rows[row][1].parse::<f64>().unwrap().signum();
    assert!((1..=10).all(|row| (sign(row) == sign(1)) == rows[row][0].starts_with('s')));
    // Each name stands beside its point.
    assert!(folder.read("p.svg").contains(">flanders jose</text>"));
    let again = folder.done("transform m.mercer people.csv -q").out;
    assert!(difference(&fit.out, &again) < 1e-9);
    folder.write("new.csv", "size,name\n1,simpson patty\n2,flanders x\n");
    let new = cells(&folder.done("transform m.mercer new.csv -q").out);
    assert_eq!((new.len(), new[1][0].as_str()), (3, "simpson patty"));
    assert!(folder.done("inspect m.mercer").out.contains("normalize(spectrum(p=3, unit=chars))"));
}

#[test]
fn every_verb_takes_texts() {
    let folder = prepared();
    let fit = format!("people.csv --columns name {SPECTRUM}");
    for verb in ["kmeans -k 2", "outliers --components 3", "oneclass --nu 0.3"] {
        folder.done(&format!("{verb} {fit} -m m.mercer -o o.csv -q"));
        folder.done("predict m.mercer people.csv -q");
    }
    for verb in ["svc", "krr", "search --folds 2 --costs 1,10"] {
        folder.done(&format!("{verb} {fit} --target side -m m.mercer -o o.csv -q"));
        let output = folder.done("predict m.mercer people.csv").err;
        assert!(output.contains("accuracy 1"), "{verb}: {output}");
    }
    for verb in ["svr", "krr --folds 2"] {
        folder.done(&format!("{verb} {fit} --target size -m m.mercer -q"));
        folder.done("predict m.mercer people.csv -q");
    }
    folder.done(&format!("kmeans -k 2 {fit} -p clusters.svg -q"));
    folder.done(&format!("kpca {fit} --precision f32 -q"));
    let many = format!("{fit} --kernel 'normalize(substrings(p=4))'");
    folder.done(&format!("search {many} --target side --folds 2 -q"));
}

#[test]
fn cells_are_compared_just_as_they_are_written() {
    let folder = Folder::new();
    folder.write("codes.csv", "code,kind\n1.50,a\n1.5,b\n007,a\n7,b\n");
    let out = folder
        .done("kpca codes.csv --columns code --kernel 'spectrum(p=1)' --label kind -o o.csv -q");
    assert!(out.out.is_empty());
    let rows = cells(&folder.done("kpca codes.csv --columns code --kernel 'spectrum(p=1)' -q").out);
    let codes: Vec<&str> = rows[1..].iter().map(|row| row[0].as_str()).collect();
    assert_eq!(codes, ["1.50", "1.5", "007", "7"]);
    assert_ne!(rows[1][1..], rows[2][1..]);
}

#[test]
fn bad_texts() {
    let folder = prepared();
    folder.write("hole.csv", "name,kind\nann,a\n\"\",b\nbob,a\n");
    folder.write("blank.csv", "name,kind\nann,a\n  ,b\n");
    folder.write("short.csv", "name,kind\nab,a\nc,b\n");
    folder.write("latin.csv", b"name,kind\nann,a\nj\xfcrgen,b\n");
    folder.write("header.csv", b"n\xe4me,kind\nann,a\n");
    folder.write("quoted.csv", b"name,kind\n\"ann\nlee\",a\nbob,\xff\n");
    let spectrum = "--columns name --kernel 'spectrum(p=3)'";
    let cases: [(String, &[&str]); 11] = [
        (format!("kpca hole.csv {spectrum}"), &["line 3", "\"name\"", "missing a string"]),
        (format!("kpca blank.csv {spectrum}"), &["line 3", "missing a string"]),
        (format!("kpca short.csv {spectrum}"), &["p", "no string has p = 3", "the longest has 2"]),
        (format!("kpca latin.csv {spectrum}"), &["line 3, column 1", "\"name\"", "not UTF-8"]),
        (format!("kpca header.csv {spectrum}"), &["line 1, column 1", "not UTF-8"]),
        (format!("kpca quoted.csv {spectrum}"), &["line 4, column 2", "\"kind\"", "not UTF-8"]),
        (
            "kpca people.csv --kernel spectrum".into(),
            &["single column", "name, size, side", "--columns"],
        ),
        (
            "kpca people.csv --kernel spectrum --columns name,side".into(),
            &["single column", "name, side"],
        ),
        (format!("kpca people.csv {spectrum} --scale standard"), &["--scale", "strings"]),
        (
            format!("svc people.csv --target side {spectrum} -p p.svg"),
            &["--plot", "numeric feature columns"],
        ),
        (
            "kpca people.csv --columns name".into(),
            &["10 different values", "holds text", "string kernel"],
        ),
    ];
    for (line, parts) in cases {
        check(&folder, &line, 1, parts);
    }
    check(&folder, "kpca people.csv --kernel 'spectrum(p=0)'", 2, &["p", "^"]);
    check(&folder, "kpca people.csv --kernel 'own(f)'", 2, &["own(f)", "Python"]);
    let mixed = "krr people.csv --target side --columns name --kernel spectrum --kernel rbf";
    check(&folder, mixed, 1, &["--kernel", "strings", "numbers"]);
}
