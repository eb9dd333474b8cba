//! Bugs of ours: said as such, with what a report needs.

use crate::shell::sh;
use crate::verbs::{outputs, prepared};

#[test]
fn a_panic_is_said_as_a_bug() {
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
fn a_damaged_parquet_file_is_said_in_one_line() {
    let folder = prepared();
    folder.done("kpca t.csv --label kind -q -o o.parquet");
    let whole = folder.bytes("o.parquet");
    let mut said = 0;
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        folder.write("d.parquet", bytes);
        let run = sh(&folder, "$MERCER pca d.parquet --label kind -q");
        assert!([Some(0), Some(1)].contains(&run.code), "byte {at}: {}", run.err);
        assert!(!run.err.contains("panicked") && run.err.lines().count() <= 3, "{}", run.err);
        said += u32::from(run.err.contains("its parts contradict each other"));
        if said > 0 {
            return;
        }
    }
}
