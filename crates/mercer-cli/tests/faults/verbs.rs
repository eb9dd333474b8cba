//! Every verb that writes, and whether what it wrote is whole.

use mercer::io::{Source, load, read_table};

use crate::folder::{Folder, clouds, small_table};

/// Lines that write tables, models, pictures and pages.
pub const LINES: [&str; 13] = [
    "pca t.csv --label kind -o o.csv -m m.mercer -p p.svg --report r.html",
    "kpca t.csv --label kind -o o.parquet -m m.mercer -p p.png",
    "krr t.csv --target z --columns x,y -o o.csv -m m.mercer -p p.svg",
    "svc t.csv --target kind -o o.csv -m m.mercer --report r.html",
    "svr t.csv --target z --columns x,y -o o.npy -m m.mercer",
    "oneclass t.csv --columns x,y -o o.csv -m m.mercer -p p.svg",
    "search t.csv --target kind --folds 3 -o o.csv -m m.mercer",
    "kmeans t.csv -k 3 --label kind -o o.csv -m m.mercer -p p.svg",
    "outliers t.csv --label kind -o o.csv -m m.mercer",
    "transform k.mercer t.csv -o o.csv.gz",
    "predict s.mercer t.csv -o o.tsv",
    "features t.csv --label kind --kernel 'poly(degree=2)' -o o.csv",
    "demo blobs --rows 60 -q -p p.svg",
];

const INPUTS: [&str; 4] = ["c.csv", "k.mercer", "s.mercer", "t.csv"];

/// A folder with the tables and models that the lines read.
pub fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", small_table(150));
    folder.write("c.csv", clouds(60));
    folder.done("kpca t.csv --label kind -q -o k.csv -m k.mercer");
    folder.done("svc t.csv --target kind -q -o s.csv -m s.mercer");
    ["k.csv", "s.csv"]
        .iter()
        .for_each(|name| std::fs::remove_file(folder.path().join(name)).unwrap());
    folder
}

/// The names in the folder that are no inputs.
pub fn outputs(folder: &Folder) -> Vec<String> {
    folder.names().into_iter().filter(|name| !INPUTS.contains(&name.as_str())).collect()
}

/// Checks that every output there is, is whole; those of killed processes may have left temporary files.
pub fn are_whole(folder: &Folder, line: &str, may_be_killed: bool) {
    for name in outputs(folder) {
        if name.starts_with(".mercer-") {
            assert!(may_be_killed, "mercer {line} left {name}");
            continue;
        }
        assert!(line.contains(&name), "mercer {line} left {name}");
        is_whole(folder, &name);
    }
}

fn is_whole(folder: &Folder, name: &str) {
    let path = folder.path().join(name);
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("mercer") => drop(load(&path).unwrap_or_else(|e| panic!("{e}"))),
        Some("svg") => assert!(folder.read(name).trim_end().ends_with("</svg>"), "{name}"),
        Some("html") => assert!(folder.read(name).trim_end().ends_with("</html>"), "{name}"),
        Some("png") => assert!(folder.bytes(name).ends_with(b"IEND\xaeB`\x82"), "{name}"),
        _ => {
            let table = read_table(&Source::named(&path), &Default::default());
            assert_eq!(table.unwrap_or_else(|e| panic!("{e}")).n_rows(), 150, "{name}");
        }
    }
}

/// Removes all outputs.
pub fn clear(folder: &Folder) {
    for name in outputs(folder) {
        std::fs::remove_file(folder.path().join(name)).unwrap();
    }
}

#[test]
fn every_line_works_when_nothing_happens() {
    let folder = prepared();
    for line in LINES {
        folder.done(line);
        are_whole(&folder, line, false);
        assert!(!outputs(&folder).is_empty(), "{line}");
        clear(&folder);
    }
}
