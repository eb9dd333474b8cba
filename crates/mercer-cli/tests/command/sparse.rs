//! Rows that are mostly zero: LIBSVM text of many columns, which is never written out.

use crate::bad_input::check;
use crate::folder::{Folder, difference};

/// Word counts of two topics, and the same as comma-separated values.
pub fn counts(rows: usize, words: usize) -> (String, String) {
    let mut sparse = String::new();
    let header: Vec<String> = (1..=words).map(|j| format!("x{j}")).collect();
    let mut full = header.join(",") + ",label\n";
    for i in 0..rows {
        let topic = i % 2;
        let mut line = vec![0; words];
        for k in 0..6 {
            line[(7 * i + 13 * k * k + topic * words / 2 + k) % (words / 2) + topic * words / 2] +=
                1 + k % 3;
        }
        line[words - 1] = usize::from(i % 5 == 0);
        let topic = ["cars", "ships"][topic];
        let pairs = line.iter().enumerate().filter(|(_, v)| **v > 0);
        let pairs: Vec<String> = pairs.map(|(j, v)| format!("{}:{v}", j + 1)).collect();
        sparse += &format!("{topic} {}\n", pairs.join(" "));
        let cells: Vec<String> = line.iter().map(usize::to_string).collect();
        full += &format!("{},{topic}\n", cells.join(","));
    }
    (sparse, full)
}

fn prepared() -> Folder {
    let folder = Folder::new();
    let (sparse, full) = counts(60, 120);
    folder.write("s.libsvm", sparse);
    folder.write("f.csv", full);
    folder
}

#[test]
fn zeros_left_out_change_nothing() {
    let folder = prepared();
    for kernel in
        ["rbf(gamma=0.05)", "linear", "poly(degree=2)", "chi2(gamma=0.5)", "laplacian(gamma=0.1)"]
    {
        let sparse = folder.done(&format!("kpca s.libsvm --kernel '{kernel}' -m m.mercer -q")).out;
        let full = folder.done(&format!("kpca f.csv --label label --kernel '{kernel}' -q")).out;
        assert!(difference(&sparse, &full) < 1e-8, "{kernel}");
        for table in ["s.libsvm", "f.csv"] {
            let again = folder.done(&format!("transform m.mercer {table} -q")).out;
            assert!(difference(&sparse, &again) < 1e-8, "{kernel} {table}");
        }
    }
    // A model of rows that were written out and shifted takes rows that are not.
    let full = folder.done("kpca f.csv --label label --scale standard -m m.mercer -q").out;
    assert!(difference(&full, &folder.done("transform m.mercer s.libsvm -q").out) < 1e-8);
    let plain = folder.done("pca s.libsvm -q").out;
    assert!(difference(&plain, &folder.done("pca f.csv --label label -q").out) < 1e-8);
}

#[test]
fn every_verb_takes_them() {
    let folder = prepared();
    for verb in
        ["svc", "krr", "search --folds 2 --costs 1,10", "kmeans -k 2", "outliers", "oneclass"]
    {
        let fit = folder.done(&format!("{verb} s.libsvm -m m.mercer -o o.csv"));
        assert!(fit.err.contains("scaled to unit variance"), "{verb}: {}", fit.err);
        let a = folder.done("predict m.mercer s.libsvm -q").out;
        let b = folder.done("predict m.mercer f.csv --label label -q").out;
        let numbers = |text: &str| {
            text.lines()
                .skip(1)
                .map(|l| l.split(',').next_back().unwrap().to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(numbers(&a).len(), numbers(&b).len(), "{verb}");
    }
    let output = folder.done("svc s.libsvm --kernel 'chi2(gamma=0.1)' -C 10 -m m.mercer");
    assert!(output.err.contains("accuracy 1"), "{}", output.err);
    // Columns that a new table leaves out are zero.
    folder.write("new.libsvm", "cars 1:1 9:2\nships 70:1\n");
    folder.done("predict m.mercer new.libsvm -q");
    folder.done("kpca s.libsvm --columns x1,x2,x3 --kernel linear -k 1 -q");
    folder.done("kpca s.libsvm --precision f32 -q");
    folder.done(
        "kpca s.libsvm --kernel 'columns(x1, x2: linear) + columns(x3, x4: rbf(gamma=1))' -q",
    );
}

#[test]
fn they_take_the_memory_of_what_is_there() {
    let folder = Folder::new();
    // 300 rows × 200,000 columns would be 480 MB if they were written out.
    let row = |i: usize| {
        let at = |k: usize| 1 + (i * 631 + k * k * 977) % 200_000;
        let mut places: Vec<usize> = (0..20).map(at).collect();
        places.sort_unstable();
        places.dedup();
        let pairs: Vec<String> = places.iter().map(|j| format!("{j}:{}", 1 + j % 4)).collect();
        format!("{} {}\n", ["a", "b"][i % 2], pairs.join(" "))
    };
    let last = "a 200000:1\n";
    folder.write("wide.libsvm", (0..300).map(row).collect::<String>() + last);
    folder.done(
        "svc wide.libsvm --kernel 'rbf(gamma=0.01)' --scale none --memory 100MB -m m.mercer -q",
    );
    folder.done("predict m.mercer wide.libsvm --memory 100MB -q");
    check(&folder, "pca wide.libsvm --memory 100MB", 1, &["the dense table", "--memory"]);
}

#[test]
fn histograms_have_no_negative_numbers() {
    let folder = prepared();
    folder.write("n.csv", "a,b,kind\n1,2,x\n3,-4,y\n5,6,x\n");
    let (sparse, _) = counts(40, 80);
    folder.write("n.libsvm", sparse.replacen("ships 41:", "ships 41:-", 1));
    for kernel in ["hellinger", "intersection", "additive_chi2", "chi2", "jensen_shannon"] {
        let line = format!("kpca n.csv --label kind --kernel {kernel}");
        check(&folder, &line, 1, &["line 3", "\"b\"", "-4", "negative"]);
        folder.done(&format!("kpca s.libsvm --kernel {kernel} -q"));
        folder.done(&format!("svc f.csv --target label --kernel {kernel} -q"));
    }
    check(
        &folder,
        "svc n.csv --target kind --kernel chi2 --scale standard",
        1,
        &["--scale", "histograms"],
    );
    check(&folder, "svc n.csv --target kind --kernel 'rbf + chi2'", 1, &["line 3", "negative"]);
}
