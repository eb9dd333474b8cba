//! Help, usage errors and completions.

use crate::folder::Folder;

#[test]
fn help_is_a_success_and_names_the_exit_codes() {
    let run = Folder::new().done("--help");
    for part in ["Usage: mercer <COMMAND>", "130  interrupted", "2    invalid command line"] {
        assert!(run.out.contains(part), "{}", run.out);
    }
}

#[test]
fn a_wrong_command_line_exits_with_two() {
    let folder = Folder::new();
    for line in ["no-such-verb", "completions no-such-shell", "", "kpca", "pca t.csv -k -1"] {
        let run = folder.run(line);
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.out.is_empty() && !run.err.is_empty(), "{line}");
    }
}

#[test]
fn every_shell_gets_its_completions() {
    let folder = Folder::new();
    for (shell, mark) in
        [("bash", "_mercer()"), ("zsh", "#compdef mercer"), ("fish", "complete -c mercer")]
    {
        let script = folder.done(&format!("completions {shell}")).out;
        assert!(script.contains(mark) && script.contains("inverse-kernel"), "{shell}");
    }
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_failure() {
    let folder = Folder::new();
    folder.write("t.csv", crate::folder::small_table(3000));
    let line = format!(
        "{} pca t.csv -q --columns 0-2 | head -n 1; echo ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_mercer")
    );
    let output =
        std::process::Command::new("bash").arg("-c").arg(line).current_dir(folder.path()).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(text, "component_1,component_2\n0\n");
}
