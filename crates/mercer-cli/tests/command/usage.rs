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

/// The message of an error, in one style: `mercer: WHERE: what is wrong: what to do`, in lower case and without a full stop.
fn check_style(line: &str, err: &str) {
    let first = err.lines().next().unwrap_or_default();
    let message = first.strip_prefix("error: ").or(first.strip_prefix("mercer: ")).expect(line);
    assert!(!message.ends_with('.'), "{line}: {first}");
    let sentence = message.rsplit(".csv: ").next().unwrap_or_default();
    // A word in capitals is the name of an argument; words of the operating system are passed on as they are.
    let is_sentence = !message.contains("(os error")
        && sentence.starts_with(char::is_uppercase)
        && sentence.chars().nth(1).is_some_and(char::is_lowercase);
    assert!(!is_sentence, "{line}: {first}");
}

#[test]
fn errors_have_one_style_and_their_exit_codes() {
    let folder = Folder::new();
    folder.write("t.csv", crate::folder::small_table(20));
    folder.write("empty.csv", "");
    folder.write("one.csv", "a,b\n1,2\n");
    let cases = [
        ("kpca t.csv --kernel nonsense", 2),
        ("kpca t.csv --columns", 2),
        ("kmeans t.csv -k 2..", 2),
        ("kmeans t.csv -k 2 --choose gap", 2),
        ("krr t.csv --task ranking", 2),
        ("krr t.csv -o t.csv", 2),
        ("demo --data flowers.csv", 2),
        ("demo --data iris.npy", 2),
        ("demo names --rows 50", 2),
        ("man no-such-verb", 2),
        ("outliers t.csv --contamination 2", 2),
        ("svc t.csv --libsvm-model a", 2),
        ("kpca no-such.csv", 1),
        ("kpca empty.csv", 1),
        ("kpca one.csv", 1),
        ("kpca t.csv --label kind --columns no-such", 1),
        ("krr t.csv", 2),
        ("svc t.csv", 2),
        ("search t.csv", 2),
        ("auto t.csv", 2),
        ("krr t.csv --target x --metric accuracy", 2),
        ("krr t.csv --target x --test ./t.csv", 2),
        ("svc t.csv --target kind --test t.csv", 2),
        ("search t.csv --target kind --test t.csv", 2),
        ("krr t.csv --target x --model -", 2),
        ("kpca t.csv --kernel 'columns(x: rbf)' --columns x", 2),
        ("krr t.csv --target kind --weights kind", 1),
        ("svr t.csv --target kind", 1),
        ("kmeans t.csv -k 2..20 --label kind", 2),
        ("kmeans t.csv -k 2 --from-model t.csv", 1),
        ("predict t.csv t.csv", 1),
        ("transform no-such.mercer t.csv", 1),
    ];
    for (line, code) in cases {
        let run = folder.run(line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        assert!(run.out.is_empty(), "{line}: {}", run.out);
        check_style(line, &run.err);
    }
}

#[test]
fn kernels_explain_their_widths() {
    let text = Folder::new().done("kernels").out;
    for part in ["gamma = 1/(2·sigma²)", "gamma = 1/width²", "scale   1 / (d", "auto    1 / d"] {
        assert!(text.contains(part), "{part}\n{text}");
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
        "{} pca t.csv -q --columns 1-3 | head -n 1; echo ${{PIPESTATUS[0]}}",
        env!("CARGO_BIN_EXE_mercer")
    );
    let output =
        std::process::Command::new("bash").arg("-c").arg(line).current_dir(folder.path()).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(text, "component_1,component_2\n0\n");
}
