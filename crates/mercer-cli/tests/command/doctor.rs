//! `doctor` on a working machine.

use crate::folder::{Folder, Run, words};

#[test]
fn the_self_test_passes() {
    let folder = Folder::new();
    let run = folder.done("doctor --threads 1");
    for part in [
        "mercer ",
        "1 thread, ",
        "GiB (change with --memory)",
        "Python ",
        "expected 252",
        "residual",
    ] {
        assert!(run.out.contains(part), "no {part:?} in\n{}", run.out);
    }
    assert!(!run.out.contains("FAILED"), "{}", run.out);
    assert!(run.out.lines().all(|line| line.len() < 200));
}

#[test]
fn it_prints_json() {
    let folder = Folder::new();
    let object = folder.done("doctor --json --memory 1GiB").json();
    assert_eq!(object["healthy"], true);
    assert_eq!(object["memory_budget"], 1u64 << 30);
    assert_eq!(object["tests"].as_array().map(Vec::len), Some(4));
    assert!(object["tests"][2]["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
}

#[test]
fn python_is_optional() {
    let folder = Folder::new();
    let mut command = folder.command();
    command.arg("doctor").env("PATH", folder.path()).env_remove("VIRTUAL_ENV");
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.contains("not found (not needed by the command line)"),
        "{text}"
    );
}

/// Runs a line with `MERCER_SIMD` set.
fn at(level: &str, folder: &Folder, line: &str) -> Run {
    let mut command = folder.command();
    command.args(words(line)).env("MERCER_SIMD", level);
    Run::of(command.output().expect("the command starts"))
}

#[test]
fn every_level_of_the_processor_can_be_forced_and_gives_the_same_components() {
    let folder = Folder::new();
    folder.write("table.csv", numbers());
    let health = folder.done("doctor --json").json();
    let levels: Vec<&str> =
        health["simd_levels"].as_array().unwrap().iter().filter_map(|v| v.as_str()).collect();
    assert_eq!(levels[0], "plain");
    let fit = "kpca table.csv -k 2 --kernel 'rbf(sigma=1)' --quiet";
    let want = table(&folder.done(fit).out);
    for level in &levels {
        let health = at(level, &folder, "doctor --json").json();
        assert_eq!(health["healthy"], true, "{level}");
        let forced = health["simd"].as_str().unwrap().contains("set by MERCER_SIMD");
        assert_eq!(forced, Some(level) != levels.last(), "{level}");
        let found = table(&at(level, &folder, fit).out);
        assert_eq!(found.len(), want.len());
        for (a, b) in found.iter().zip(&want) {
            assert!((a - b).abs() < 1e-9, "{a} and {b} at {level}");
        }
    }
}

#[test]
fn a_level_that_is_unknown_is_an_error() {
    let folder = Folder::new();
    for line in ["doctor", "kernels"] {
        let run = at("avx1024", &folder, line);
        assert_eq!(run.code, Some(1), "{line}");
        let beginning = "mercer: MERCER_SIMD: \"avx1024\" is unknown; use plain";
        assert!(run.err.starts_with(beginning), "{}", run.err);
    }
}

/// Forty rows of three numbers.
fn numbers() -> String {
    let row = |i: u32| {
        let x = f64::from(i);
        format!("{:.3},{:.3},{:.3}\n", (x * 0.7).sin(), (x * 1.3).cos(), (x * 0.1).fract())
    };
    "a,b,c\n".to_string() + &(0..40).map(row).collect::<String>()
}

/// All numbers of a CSV.
fn table(csv: &str) -> Vec<f64> {
    let found: Vec<f64> =
        csv.lines().flat_map(|line| line.split(',').filter_map(|cell| cell.parse().ok())).collect();
    assert!(found.len() >= 80, "{csv}");
    found
}
