//! `doctor`: what it says of a machine on which all is well.

use crate::folder::Folder;

#[test]
fn a_healthy_machine_is_called_so() {
    let folder = Folder::new();
    let run = folder.done("doctor --threads 1");
    for part in ["mercer ", "1 thread, ", "GiB may be used", "Python ", "252 by hand", "residual"] {
        assert!(run.out.contains(part), "no {part:?} in\n{}", run.out);
    }
    assert!(!run.out.contains("FAILED"), "{}", run.out);
    assert!(run.out.lines().all(|line| line.len() < 200));
}

#[test]
fn machines_can_read_it() {
    let folder = Folder::new();
    let object = folder.done("doctor --json --memory 1GiB").json();
    assert_eq!(object["healthy"], true);
    assert_eq!(object["memory_budget"], 1u64 << 30);
    assert_eq!(object["tests"].as_array().map(Vec::len), Some(4));
    assert!(object["tests"][2]["seconds"].as_f64().is_some_and(|seconds| seconds > 0.0));
}

#[test]
fn no_python_is_no_illness() {
    let folder = Folder::new();
    let mut command = folder.command();
    command.arg("doctor").env("PATH", folder.path()).env_remove("VIRTUAL_ENV");
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.contains("not found; the command line needs none"),
        "{text}"
    );
}
