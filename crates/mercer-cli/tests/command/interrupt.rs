//! Ctrl-C: exit code 130 soon, and nothing half-written.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::folder::Folder;

fn start(folder: &Folder, arguments: &[&str]) -> Child {
    let mut command = folder.command();
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().expect("the command starts")
}

/// Whether the process handles the signal of Ctrl-C, the second one of the mask.
fn handles_interrupts(status: &str) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap_or("0");
    u64::from_str_radix(mask.trim(), 16).unwrap_or(0) & 2 != 0
}

/// The time that all threads of a process have computed: of its state, fields 14 and 15 counted from 1, in hundredths of a second.
fn computed(stat: &str) -> Duration {
    let fields = stat.rsplit(')').next().unwrap_or("").split_whitespace().skip(11).take(2);
    let ticks: u64 = fields.filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

/// Waits until the process is set up and has computed for so long, which does not depend on what else the machine does.
fn wait(child: &Child, work: Duration) {
    let read = |name| std::fs::read_to_string(format!("/proc/{}/{name}", child.id())).unwrap();
    while !handles_interrupts(&read("status")) || computed(&read("stat")) < work {
        assert!(!read("stat").contains(") Z "), "the command ran too short to be interrupted");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends the signal of Ctrl-C once the child has computed for so long, and waits for the end.
fn interrupt(folder: &Folder, child: Child, work: Duration) -> String {
    wait(&child, work);
    let before = Instant::now();
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.unwrap().success(), "the command ran too short to be interrupted");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    // It ends within a second; a busy machine may need longer.
    assert!(before.elapsed() < Duration::from_secs(30), "{:?}", before.elapsed());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("interrupted"));
    let left: Vec<String> = folder.names().into_iter().filter(|name| name != "t.csv").collect();
    assert!(left.is_empty(), "{left:?}");
    errors
}

#[test]
fn a_long_fit_stops() {
    let folder = Folder::new();
    let rows: String = (0..6000)
        .map(|i| {
            let t = f64::from(i);
            format!("{},{},{}\n", t.sin(), (1.7 * t).cos(), (t * 0.37).fract())
        })
        .collect();
    folder.write("t.csv", rows);
    let outputs = ["-o", "o.csv", "-m", "m.mercer", "-p", "p.svg"];
    // All components of 6,000 rows take long, within one long step.
    let all = [&["kpca", "t.csv", "-k", "all"][..], &outputs[..]].concat();
    interrupt(&folder, start(&folder, &all), Duration::from_millis(1500));
    // Many passes of short steps.
    let passes = [&["kpca", "t.csv", "-k", "400", "--solver", "krylov"][..], &outputs[..]].concat();
    interrupt(&folder, start(&folder, &passes), Duration::from_millis(500));
    // A search over a grid, within a decomposition.
    let grid = [&["krr", "t.csv", "--target", "2"][..], &outputs[..]].concat();
    interrupt(&folder, start(&folder, &grid), Duration::from_millis(1500));
    // A support vector machine that is far from done.
    let hard = "svr t.csv --target 3 -C 1e9 --epsilon 0 --tolerance 1e-9 --kernel rbf(gamma=0.001)";
    let hard: Vec<&str> = hard.split(' ').chain(["-o", "o.csv", "-m", "m.mercer"]).collect();
    interrupt(&folder, start(&folder, &hard), Duration::from_millis(1500));
}

#[test]
fn a_comparison_stops_and_prints_what_is_known() {
    let folder = Folder::new();
    let rows: String = (0..2500)
        .map(|i| {
            let t = f64::from(i);
            format!("{},{},{}\n", t.sin(), (1.7 * t).cos(), (t * 0.37).fract())
        })
        .collect();
    folder.write("t.csv", rows);
    let line = ["auto", "t.csv", "--target", "3", "-m", "m.mercer", "--report", "r.html"];
    let errors = interrupt(&folder, start(&folder, &line), Duration::from_millis(1500));
    assert!(errors.contains("scores until the interruption"), "{errors}");
    assert!(errors.contains("mean") && errors.contains("not started"), "{errors}");
}

#[test]
fn reading_stops_too() {
    let folder = Folder::new();
    let mut child = start(&folder, &["pca", "-", "-o", "o.csv"]);
    // The other end stays open, so that reading never ends by itself.
    let _open = child.stdin.take();
    interrupt(&folder, child, Duration::ZERO);
}

#[test]
fn a_table_in_blocks_stops() {
    let folder = Folder::new();
    let row = |i: u32| {
        let t = f64::from(i);
        format!("{},{},{}\n", t.sin(), (1.7 * t).cos(), (t * 0.37).fract())
    };
    folder.write("t.csv", (0..800_000).map(row).collect::<String>());
    let line = "kpca t.csv -k 2 --landmarks 80 --memory 8MB -o o.parquet -m m.mercer";
    let words: Vec<&str> = line.split(' ').collect();
    // Reading alone takes several times as long, on any machine.
    interrupt(&folder, start(&folder, &words), Duration::from_millis(150));
}
