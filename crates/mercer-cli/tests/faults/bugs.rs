//! Bugs in mercer are reported as such.

use crate::shell::{failed, sh};
use crate::verbs::{outputs, prepared};

#[test]
fn a_panic_is_reported_as_a_bug() {
    let folder = prepared();
    let line = "MERCER_TEST_PANIC=1 $MERCER pca t.csv --label kind -o o.csv";
    let run = sh(&folder, line);
    assert_eq!(run.code, Some(70), "{}", run.err);
    for part in ["a bug in mercer 0.", "MERCER_TEST_PANIC is set", "run/mod.rs:", "mercer doctor"] {
        assert!(run.err.contains(part), "no {part:?} in: {}", run.err);
    }
    assert!(!run.err.contains("panicked at"), "{}", run.err);
    assert!(outputs(&folder).is_empty());
    let run = sh(&folder, &format!("export RUST_BACKTRACE=1; {line}"));
    assert!(run.err.contains("panicked at") && run.err.contains("a bug in mercer"), "{}", run.err);
}

#[test]
fn a_damaged_parquet_file_is_reported_in_one_line() {
    let folder = prepared();
    // The library that reads such files panics on this one.
    folder.write("d.parquet", include_bytes!("../../../../fuzz/corpus/parquet/contradiction"));
    let run = sh(&folder, "$MERCER pca d.parquet -q");
    failed(&run, &["d.parquet: not a Parquet file, or a damaged one"]);
    assert_eq!(run.err.lines().count(), 1, "{}", run.err);
}
