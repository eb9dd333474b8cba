//! `pca` and `kpca` on good tables.

use std::io::Write;

use crate::folder::{Folder, cells, difference, small_table};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    folder
}

#[test]
fn a_pipe_gets_all_rows_and_the_summary_stays_apart() {
    let folder = folder();
    let run = folder.done("kpca t.csv --label kind --scale standard --verbose");
    let table = cells(&run.out);
    assert_eq!(table.len(), 61);
    assert_eq!(table[0], ["kind", "component_1", "component_2"]);
    for part in
        ["kernel PCA of t.csv: 60 rows × 3 columns, standardised", "rbf(gamma=", "residual", "kind"]
    {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let quiet = folder.done("kpca t.csv --label kind --scale standard --quiet");
    assert!(quiet.err.is_empty(), "{}", quiet.err);
    assert_eq!(quiet.out, run.out);
}

#[test]
fn pca_with_a_linear_kernel_is_pca() {
    let folder = folder();
    let plain = folder.done("pca t.csv --columns x,y,z -k 3").out;
    let kernel = folder.done("kpca t.csv --columns x,y,z -k 3 --kernel linear").out;
    let size = |text: &str| {
        let absolute =
            |cell: &String| cell.parse::<f64>().map_or(cell.clone(), |v| v.abs().to_string());
        let rows = cells(text);
        rows.iter()
            .map(|row| row.iter().map(absolute).collect::<Vec<_>>().join(",") + "\n")
            .collect::<String>()
    };
    assert!(difference(&size(&plain), &size(&kernel)) < 1e-8);
}

/// 2,500 rows of rank 3: far more components than there are directions.
#[test]
fn more_components_than_the_rank_are_zero() {
    let folder = Folder::new();
    let wave = |i: usize, by: f64| (i as f64 * by).sin() + 100.0;
    let rows = (0..2500).map(|i| format!("{},{},{}\n", wave(i, 0.7), wave(i, 1.9), wave(i, 5.3)));
    folder.write("lowrank.csv", "a,b,c\n".to_string() + &rows.collect::<String>());
    let run = folder.done("kpca lowrank.csv -k 200 --kernel linear -o out.csv");
    let note = "197 of 200 components have zero variance";
    assert!(run.err.contains(note), "{}", run.err);
    let first = &cells(&folder.read("out.csv"))[1];
    assert_eq!(first.len(), 200);
    assert!(first[3..].iter().all(|cell| cell.parse::<f64>() == Ok(0.0)), "{first:?}");
    assert!(first[..3].iter().all(|cell| cell.parse::<f64>().unwrap().abs() > 1e-6));
}

#[test]
fn every_format_is_written_and_read_again() {
    let folder = folder();
    let printed = folder.done("pca t.csv --label kind -q").out;
    for name in ["o.csv", "o.tsv", "o.parquet", "o.csv.gz"] {
        let run = folder.done(&format!("pca t.csv --label kind -o {name}"));
        assert!(run.out.is_empty() && run.err.contains(name), "{name}");
        let again = folder.done(&format!("pca {name} --label kind -q")).out;
        assert!(difference(&printed, &again) < 1e-12, "{name}");
    }
    folder.done("pca t.csv --label kind -o o.npy");
    assert_eq!(folder.done("pca o.npy -q").out.lines().count(), 61);
    folder.done("pca t.csv --label kind -o o.libsvm");
    assert!(folder.read("o.libsvm").starts_with("red 1:"));
    assert!(folder.done("pca o.libsvm -q").out.starts_with("label,component_1"));
    assert!(!folder.names().iter().any(|name| name.ends_with(".tmp")));
}

#[test]
fn standard_input_takes_every_format() {
    let folder = folder();
    let expected = folder.done("pca t.csv --label kind -q").out;
    let csv = folder.bytes("t.csv");
    assert_eq!(folder.pipe("pca - --label kind -q", &csv).out, expected);
    let tsv = folder.read("t.csv").replace(',', "\t");
    assert_eq!(folder.pipe("pca - --label kind -q --format tsv", tsv.as_bytes()).out, expected);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&csv).unwrap();
    assert_eq!(folder.pipe("pca - --label kind -q", &packed.finish().unwrap()).out, expected);
}

#[test]
fn json_is_one_object_with_full_numbers() {
    let folder = folder();
    let printed = cells(&folder.done("kpca t.csv --label kind -k 3 -q").out);
    let object = folder.done("kpca t.csv --label kind -k 3 --json").json();
    for (key, value) in
        [("command", "kpca"), ("table", "t.csv"), ("scaling", "standard"), ("label", "kind")]
    {
        assert_eq!(object[key], value, "{key}");
    }
    assert_eq!(
        (&object["rows"], &object["columns"], &object["components"]),
        (&60.into(), &3.into(), &3.into())
    );
    assert_eq!(object["explained_variance_ratio"].as_array().unwrap().len(), 3);
    assert!(
        object["report"]["residual"].is_number()
            && object["kernel"].as_str().unwrap().starts_with("rbf(gamma=")
    );
    let first = object["embedding"]["rows"][0][2].as_f64().unwrap();
    assert_eq!(first, printed[1][3].parse::<f64>().unwrap());
    assert_eq!(object["embedding"]["label"]["values"][1], "green");
    let written =
        folder.done("kpca t.csv --label kind --json -o o.csv -m m.mercer -p p.svg -p p.png").json();
    assert!(written["embedding"].is_null());
    assert_eq!(written["outputs"]["table"], "o.csv");
    assert_eq!(written["outputs"]["plots"][1], "p.png");
    assert!(
        folder.bytes("p.png").starts_with(b"\x89PNG") && folder.read("p.svg").contains("t.csv")
    );
}

#[test]
fn components_as_share_and_all() {
    let folder = folder();
    let ratios = |line: &str| {
        let object = folder.done(line).json();
        let ratios = object["explained_variance_ratio"].as_array().unwrap().clone();
        ratios.iter().map(|v| v.as_f64().unwrap()).collect::<Vec<f64>>()
    };
    let share = ratios("pca t.csv --columns 1-3 -k 60% --json");
    assert!(share.iter().sum::<f64>() >= 0.6 && share[..share.len() - 1].iter().sum::<f64>() < 0.6);
    let all = ratios("pca t.csv --columns ^kind -k all --json");
    assert!((all.iter().sum::<f64>() - 1.0).abs() < 1e-12 && all.len() == 3);
}

#[test]
fn precision_follows_the_table_or_the_flag() {
    let folder = folder();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 2), }";
    let mut npy = b"\x93NUMPY\x01\x00".to_vec();
    npy.extend((header.len() as u16).to_le_bytes());
    npy.extend(header.bytes());
    for value in [1.0f32, 2.0, 3.5, -1.0, 0.25, 8.0, 4.0, 4.0] {
        npy.extend(value.to_le_bytes());
    }
    folder.write("f.npy", npy);
    for (line, work, result) in [
        ("kpca f.npy --json", "f32", "f32"),
        ("kpca f.npy --json --precision f64", "f64", "f64"),
        ("kpca t.csv --columns 1-3 --json", "f64", "f64"),
        ("kpca t.csv --columns 1-3 --json --precision mixed", "f32", "f64"),
        ("pca t.csv --columns 1-3 --json --precision f32", "f32", "f32"),
    ] {
        let object = folder.done(line).json();
        assert_eq!(
            (object["report"]["precision"].as_str(), object["dtype"].as_str()),
            (Some(work), Some(result)),
            "{line}"
        );
    }
    let exact = folder.done("kpca t.csv --columns 1-3 -q").out;
    let mixed = folder.done("kpca t.csv --columns 1-3 -q --precision mixed").out;
    let apart = difference(&exact, &mixed);
    assert!(apart > 0.0 && apart < 1e-4, "{apart}");
}

#[test]
fn duplicate_rows_and_constant_columns_are_no_trouble() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b\n1,5\n1,5\n2,5\n4,5\n");
    let run = folder.done("kpca t.csv --scale standard -k 4");
    assert!(run.err.contains("warning: ") && run.err.contains("zero variance"), "{}", run.err);
    let run = folder.done("pca t.csv --scale minmax");
    assert_eq!(run.out.lines().nth(1), run.out.lines().nth(2));
}

#[test]
fn a_small_budget_is_kept_to() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(1500));
    let run = folder.done("kpca t.csv --label kind --memory 8MB -o o.csv -v");
    assert!(run.err.contains("tiled"), "{}", run.err);
    let usual = folder.done("kpca t.csv --label kind -q").out;
    assert!(difference(&folder.read("o.csv"), &usual) < 1e-6);
}

#[test]
fn threads_do_not_change_a_digit() {
    let folder = folder();
    let one = folder.done("kpca t.csv --label kind -q --threads 1").out;
    assert_eq!(one, folder.done("kpca t.csv --label kind -q --threads 3").out);
}
