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
    folder.write("t.csv", "age,area,price per m2\n1,2,3\n4,5,6\n");
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
}
