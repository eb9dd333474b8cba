//! Limits of the system: sizes of files, processes, memory.

use crate::folder::Folder;
use crate::shell::{allows, failed, is_long, sh};
use crate::verbs::{LINES, are_whole, clear, outputs, prepared};

#[test]
fn files_that_may_not_grow_are_said() {
    let folder = prepared();
    for line in LINES {
        // One block of 512 bytes, which no output keeps to; the temporary file cannot be written either.
        let run = sh(&folder, &format!("ulimit -f 1; $MERCER {line}"));
        failed(&run, &["File too large"]);
        assert!(outputs(&folder).is_empty(), "{line}: {:?}", outputs(&folder));
    }
}

/// What a line under a limit says it wrote is there and whole. A library below may end the process where memory is refused:
/// that is a kill.
fn endures(folder: &Folder, limit: &str, line: &str) {
    let run = sh(folder, &format!("{limit} $MERCER {line}"));
    match run.code {
        Some(0) => assert!(!outputs(folder).is_empty(), "{limit} {line}: nothing written"),
        Some(1) => assert!(outputs(folder).is_empty(), "{limit} {line}: {:?}", outputs(folder)),
        _ => assert!(run.err.contains("memory allocation"), "{limit} {line}: {}", run.err),
    }
    are_whole(folder, line, ![Some(0), Some(1)].contains(&run.code));
    clear(folder);
}

#[test]
fn memory_that_is_refused_leaves_nothing() {
    let folder = prepared();
    let limits =
        if is_long() { vec![12_000, 40_000, 60_000, 90_000, 200_000] } else { vec![60_000] };
    // Below some size the system cannot even load the program.
    let starts =
        |limit: &String| sh(&folder, &format!("{limit} $MERCER --version")).code == Some(0);
    let limits = limits.into_iter().map(|kilobytes| format!("ulimit -v {kilobytes};"));
    let limits: Vec<String> = limits.filter(starts).collect();
    assert!(!limits.is_empty(), "the program does not start under any of the limits");
    for limit in &limits {
        LINES.iter().for_each(|line| endures(&folder, limit, line));
    }
}

#[test]
fn threads_that_are_refused_leave_nothing() {
    let folder = prepared();
    // The system counts processes of a user, and root may have any number.
    let nobody = "setpriv --reuid 65534 --clear-groups --inh-caps=-all sh -c 'ulimit -u";
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .unwrap();
    if !allows(&folder, &format!("{nobody} 50 && test -x $MERCER && test -r t.csv'")) {
        return;
    }
    for count in if is_long() { 1..=4 } else { 2..=2 } {
        for line in LINES {
            let line = line.replace('\'', "\"");
            let run = sh(&folder, &format!("{nobody} {count}; exec $MERCER {line} --threads 4'"));
            are_whole(&folder, &line, false);
            assert_eq!(run.code == Some(0), !outputs(&folder).is_empty(), "{line}: {}", run.err);
            clear(&folder);
        }
    }
}
