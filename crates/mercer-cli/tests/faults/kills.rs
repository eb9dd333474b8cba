//! Runs that are killed at any moment.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::{Folder, words};
use crate::shell::is_long;
use crate::verbs::{LINES, are_whole, clear, outputs, prepared};

fn start(folder: &Folder, line: &str) -> Child {
    let mut command = folder.command();
    command.args(words(line)).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the command starts")
}

/// How long the line takes here when nobody disturbs it.
fn duration(folder: &Folder, line: &str) -> Duration {
    let before = Instant::now();
    folder.done(line);
    clear(folder);
    before.elapsed()
}

/// Sends `signal` after `delay`; returns the exit code, if the process ended by itself.
fn kill(folder: &Folder, line: &str, signal: &str, delay: Duration) -> Option<i32> {
    let mut child = start(folder, line);
    std::thread::sleep(delay);
    // It may have ended already.
    let _ =
        Command::new("kill").args([signal, &child.id().to_string()]).stderr(Stdio::null()).status();
    child.wait().unwrap().code()
}

/// Kills every line with `signal`, `moments` times each, spread over the time that it takes and more densely near its end,
/// where files are written.
fn killed(signal: &str, moments: u32, check: impl Fn(&Folder, &str, Option<i32>)) {
    let folder = prepared();
    for line in LINES {
        let whole = duration(&folder, line);
        for moment in 0..moments {
            let share = 1.0 - (f64::from(moment) / f64::from(moments)).powi(2);
            let code = kill(&folder, line, signal, whole.mul_f64(share));
            check(&folder, line, code);
            clear(&folder);
        }
    }
}

fn moments() -> u32 {
    if is_long() { 60 } else { 2 }
}

#[test]
fn a_kill_leaves_whole_outputs_and_the_next_run_cleans_up() {
    let folder = prepared();
    killed("-KILL", moments(), |folder, line, _| are_whole(folder, line, true));
    // What a killed run leaves goes with the next that writes there.
    folder.write(".mercer-4294967295-3.tmp", "half");
    folder.done("pca t.csv --label kind -q -o o.csv");
    assert_eq!(outputs(&folder), ["o.csv"]);
}

#[test]
fn a_wish_to_end_leaves_whole_outputs_and_nothing_else() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130)] {
        killed(signal, moments(), |folder, line, ended| {
            // Before it is set up, a process is ended by the signal itself.
            assert!([Some(0), Some(code), None].contains(&ended), "{line}: {ended:?}");
            are_whole(folder, line, ended.is_none());
        });
    }
}

#[test]
fn a_file_of_a_living_process_is_left_alone() {
    let folder = prepared();
    let mut command = folder.command();
    command.args(["pca", "-", "-o", "o.csv"]).stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let held = std::fs::File::create(folder.path().join(".mercer-4294967295-0.tmp")).unwrap();
    held.lock().unwrap();
    folder.done("pca t.csv --label kind -q -o other.csv");
    assert!(folder.has(".mercer-4294967295-0.tmp"));
    drop(held);
    folder.done("pca t.csv --label kind -q -o other.csv");
    assert!(!folder.has(".mercer-4294967295-0.tmp"));
    drop(child.stdin.take());
    child.wait().unwrap();
}
