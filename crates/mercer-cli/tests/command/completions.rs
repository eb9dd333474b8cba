//! Completion scripts ask the command for kernels and columns.

use std::process::Command;

use crate::folder::Folder;

#[test]
fn requests_are_answered_or_silent() {
    let folder = Folder::new();
    folder.write("t.csv", "age,area,price\n1,2,3\n4,5,6\n");
    let found = folder.done("__complete 4 mercer krr t.csv --target a");
    assert_eq!(found.out, "age\narea\n");
    assert_eq!(folder.done("__complete 4 mercer kpca t.csv --kernel lap").out, "laplacian\n");
    assert_eq!(folder.done("__complete 4 mercer krr t.csv --ordered ar").out, "area=\n");
    for line in ["__complete 4 mercer krr no.csv --target a", "__complete x", "__complete 1 mercer"]
    {
        let run = folder.done(line);
        assert!(run.out.is_empty() && run.err.is_empty(), "{line}: {}{}", run.out, run.err);
    }
}

#[cfg(unix)]
#[test]
fn bash_completes_columns_kernels_and_verbs() {
    let folder = Folder::new();
    folder.write("t.csv", TABLE);
    folder.write("mercer.bash", folder.done("completions bash").out);
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_mercer"));
    let directory = binary.parent().expect("a directory").display();
    let path = format!("{directory}:{}", std::env::var("PATH").unwrap_or_default());
    let completed = |words: &str| {
        let script = format!(
            "source mercer.bash; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _mercer_values mercer \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash")
            .args(["--norc", "-c", &script])
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .expect("a shell");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert_eq!(completed("mercer krr t.csv --target ag"), "age\n");
    assert_eq!(completed("mercer krr t.csv --columns age,a"), "age,area\n");
    assert_eq!(completed("mercer krr t.csv --target pr"), "price\\ per\\ m2\n");
    assert_eq!(completed("mercer kpca t.csv --kernel lap"), "laplacian\n");
    assert_eq!(completed("mercer outl"), "outliers\n");
    // Bash breaks words at `=` and completes what follows the last one.
    assert_eq!(completed("mercer krr t.csv --target = ag"), "age\n");
    assert_eq!(completed("mercer krr t.csv --ordered si"), "size=\n");
    assert_eq!(completed("mercer krr t.csv --ordered size = mi"), "mid\\ size\n");
    assert_eq!(completed("mercer krr t.csv --ordered = size = small,l"), "small,large\n");
    assert_eq!(completed("mercer krr t.csv --metric pin"), "pinball\n");
}

/// A table with a column of categories.
const TABLE: &str = "age,area,price per m2,size\n1,2,3,small\n4,5,6,mid size\n7,8,9,large\n1,2,3,small\n4,5,6,mid size\n7,8,9,large\n";

/// A folder with the table and the completion script of `shell`; none where there is no such shell.
#[cfg(unix)]
fn with_script(shell: &str) -> Option<Folder> {
    if Command::new(shell).arg("--version").output().is_err() {
        eprintln!("skipped: there is no {shell}");
        return None;
    }
    let folder = Folder::new();
    folder.write("t.csv", TABLE);
    folder.write("script", folder.done(&format!("completions {shell}")).out);
    Some(folder)
}

/// What `command` prints in `folder`, with this binary in the path.
#[cfg(unix)]
fn printed(folder: &Folder, command: &mut Command) -> String {
    let directory =
        std::path::Path::new(env!("CARGO_BIN_EXE_mercer")).parent().expect("a directory");
    let path = format!("{}:{}", directory.display(), std::env::var("PATH").unwrap_or_default());
    let output =
        command.current_dir(folder.path()).env("PATH", path).env("HOME", folder.path()).output();
    String::from_utf8(output.expect("a shell").stdout).expect("UTF-8")
}

#[cfg(unix)]
#[test]
fn fish_completes_columns_kernels_and_verbs() {
    let Some(folder) = with_script("fish") else { return };
    let completed = |line: &str| {
        let script = format!("source script; complete -C{line:?} | string split -f1 \\t");
        printed(&folder, Command::new("fish").args(["--no-config", "-c", &script]))
    };
    assert_eq!(completed("mercer krr t.csv --target pr"), "price per m2\n");
    assert_eq!(completed("mercer krr t.csv --columns age,a"), "age,area\n");
    assert_eq!(completed("mercer krr t.csv --label=ag"), "--label=age\n");
    assert_eq!(completed("mercer krr t.csv --ordered si"), "size=\n");
    assert_eq!(completed("mercer krr t.csv --ordered size=mi"), "size=mid size\n");
    assert_eq!(completed("mercer krr t.csv --groups ar"), "area\n");
    assert_eq!(completed("mercer krr t.csv --metric pin"), "pinball\n");
    assert_eq!(completed("mercer kpca t.csv --kernel 'rbf(ga"), "rbf(gamma=\n");
    assert_eq!(completed("mercer outl"), "outliers\n");
}

/// Asks an interactive shell in a pseudo-terminal: writes the line and a tab, then a key that prints the line as it is now.
#[cfg(unix)]
const ZSH: &str = r###"
zmodload zsh/zpty || exit 3
zpty shell zsh -f -i
read_to() {
    local part all=""
    while [[ $all != *$1* ]]; do zpty -r shell part || break; all+=$part; done
    print -r -- "$all"
}
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -u -D; source ./script; bindkey "^I" complete-word
shown() { print -r -- "<<$BUFFER>>"; BUFFER=; zle accept-line }; zle -N shown; bindkey "^X" shown; print rea""dy'
read_to ready >/dev/null
for line in "$@"; do
    zpty -n -w shell "$line"$'\t\x18'
    found=${"$(read_to '>>')"##*<<}
    print -r -- "${found%%>>*}"
done
zpty -d shell
"###;

#[cfg(unix)]
#[test]
fn zsh_completes_columns_kernels_and_verbs() {
    let Some(folder) = with_script("zsh") else { return };
    let cases = [
        ("mercer krr t.csv --target pr", "mercer krr t.csv --target price\\ per\\ m2"),
        ("mercer krr t.csv --columns age,ar", "mercer krr t.csv --columns age,area"),
        ("mercer krr t.csv --label=ag", "mercer krr t.csv --label=age"),
        ("mercer krr t.csv --ordered si", "mercer krr t.csv --ordered size="),
        ("mercer krr t.csv --ordered size=mi", "mercer krr t.csv --ordered size=mid\\ size"),
        ("mercer krr t.csv --groups ar", "mercer krr t.csv --groups area"),
        ("mercer krr t.csv --metric pin", "mercer krr t.csv --metric pinball "),
        ("mercer kpca t.csv --kernel lap", "mercer kpca t.csv --kernel laplacian"),
        ("mercer outl", "mercer outliers "),
    ];
    let lines = cases.map(|(line, _)| line);
    let mut command = Command::new("zsh");
    let found = printed(&folder, command.args(["-f", "-c", ZSH, "zsh"]).args(lines));
    let expected: Vec<&str> = cases.iter().map(|(_, whole)| *whole).collect();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
}
