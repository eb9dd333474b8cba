//! The built command, run as a user runs it.

use std::process::{Command, Output};

fn mercer(arguments: &[&str]) -> Output {
    let command = Command::new(env!("CARGO_BIN_EXE_mercer")).args(arguments).output();
    command.expect("the command starts")
}

#[test]
fn help_is_a_success_and_names_the_exit_codes() {
    let output = mercer(&["--help"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        text.contains("Usage: mercer <COMMAND>") && text.contains("130  interrupted"),
        "{text}"
    );
}

#[test]
fn a_wrong_command_line_exits_with_two() {
    for arguments in [&["no-such-verb"][..], &["completions", "no-such-shell"], &[]] {
        let output = mercer(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn completions_are_printed() {
    let output = mercer(&["completions", "bash"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("_mercer()"));
}
