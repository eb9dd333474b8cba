//! Standard descriptors that are closed.

use crate::shell::{failed, is_long, sh};
use crate::verbs::{LINES, are_whole, clear, prepared};

#[test]
fn what_cannot_be_printed_is_a_failure() {
    let folder = prepared();
    let lines = [
        "pca t.csv --label kind",
        "pca t.csv --label kind --json",
        "predict s.mercer t.csv -q",
        "inspect k.mercer",
        "inspect k.mercer --json",
        "kernels",
        "kpca t.csv --label kind -o o.csv -p -",
        "features t.csv --label kind --kernel linear",
        "check t.csv --label kind --kernel linear",
        "demo",
        "doctor",
        "completions bash",
        "--help",
        "--version",
    ];
    for line in lines {
        failed(&sh(&folder, &format!("$MERCER {line} >&-")), &["standard output", "closed"]);
    }
}

#[test]
fn files_are_written_whatever_is_closed() {
    let folder = prepared();
    let also_prints = |line: &str| {
        ["kmeans", "demo", "outliers", "search"].iter().any(|verb| line.starts_with(verb))
    };
    let silent = LINES.iter().filter(|line| !also_prints(line));
    for (place, line) in silent.enumerate() {
        let ways = [">&-", "<&-", "2>&-", "<&- >&- 2>&-"];
        for closed in if is_long() { &ways[..] } else { &ways[place % 4..=place % 4] } {
            let run = sh(&folder, &format!("$MERCER {line} {closed}"));
            assert_eq!(run.code, Some(0), "{line} {closed}: {}", run.err);
            are_whole(&folder, line, false);
            clear(&folder);
        }
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = prepared();
    let run = sh(&folder, "($MERCER pca t.csv --label kind -q; echo $? > code) | head -1");
    assert_eq!((run.out.lines().count(), folder.read("code").trim()), (1, "0"));
    assert_eq!(run.err, "");
}
