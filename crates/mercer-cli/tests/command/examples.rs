//! Every example of the help pages, of the guide and of the README runs as written.

use std::path::Path;
use std::process::Command;

use crate::folder::{Folder, houses, rings, small_table};
use crate::sparse::counts;
use crate::texts;

/// A folder with every table and model that the examples name.
fn prepared() -> Folder {
    let folder = Folder::new();
    let table = small_table(60);
    let iris = table.replace("x,y,z,kind", "sepal_length,sepal_width,petal_length,species");
    folder.write("iris.csv", &iris);
    folder.write("new.csv", &iris);
    folder.write("more.csv", &iris);
    folder.write("your.csv", iris.replace("species", "kind"));
    let numbers: String = table.lines().map(|line| without_last(line).join(",") + "\n").collect();
    folder.write("t.csv", numbers);
    let numbered = |(i, line): (usize, &str)| format!("{i}\t{}\n", without_last(line).join("\t"));
    folder.write("table.tsv", iris.lines().enumerate().map(numbered).collect::<String>());
    folder.done("pca iris.csv --label species -k 3 -o all.csv -q");
    for name in ["genes.parquet", "big.parquet", "digits.npy", "more.npy"] {
        folder.done(&format!("pca all.csv --columns ^species -k 3 -o {name} -q"));
    }
    folder.write("houses.csv", without_first(&houses(60)));
    folder.write("new-houses.csv", without_first(&houses(20)));
    folder.write("heart.libsvm", rings(60));
    for name in ["names.csv", "new-names.csv"] {
        folder.write(name, names());
    }
    folder.write("people.csv", people(40));
    folder.write("passengers.csv", crate::tables::passengers(80));
    folder.write("sales.csv", crate::tables::sales(60));
    let (words, counts) = counts(40, 60);
    folder.write("words.libsvm", words);
    folder.write("counts.csv", counts.replace(",label", ",topic"));
    folder.write("similarities.csv", "a,b,c,who\n1,0.8,0.1,ann\n0.8,1,0.3,bob\n0.1,0.3,1,eve\n");
    folder.write("samples.libsvm", "a 1:1 2:2\nb 1:3 3:1\na 2:1\nb 1:2 3:4\n");
    folder
}

/// Names of two families: `name,family`.
fn names() -> String {
    let line = |line: &str| line.split(',').next().unwrap_or_default().to_string();
    let family = |name: &str| name.split(' ').next().unwrap_or_default().to_string();
    let rows = texts::people();
    let rows = rows.lines().skip(1).map(line).map(|name| format!("{name},{}\n", family(&name)));
    "name,family\n".to_string() + &rows.collect::<String>()
}

/// Numbers and texts: `age,height,title,city,income`.
fn people(rows: usize) -> String {
    let row = |i: usize| {
        let t = i as f64;
        let title = ["engineer", "head engineer", "teacher", "head teacher"][i % 4];
        let city = ["ulm", "bonn"][i % 2];
        let (age, height) = (40.0 + 15.0 * t.sin(), 170.0 + 10.0 * (1.7 * t).cos());
        format!(
            "{age:.1},{height:.1},{title},{city},{:.1}\n",
            30.0 + age / 2.0 + 10.0 * (i % 2) as f64
        )
    };
    "age,height,title,city,income\n".to_string() + &(0..rows).map(row).collect::<String>()
}

/// A table without its first column.
fn without_first(table: &str) -> String {
    table
        .lines()
        .filter_map(|line| line.split_once(','))
        .map(|(_, rest)| format!("{rest}\n"))
        .collect()
}

/// The cells of a line but the last.
fn without_last(line: &str) -> Vec<&str> {
    let cells: Vec<&str> = line.split(',').collect();
    cells[..cells.len() - 1].to_vec()
}

/// Runs `line` in a shell in which `mercer` is the built command.
fn shell(folder: &Folder, line: &str) {
    let binary = Path::new(env!("CARGO_BIN_EXE_mercer"));
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new("bash");
    command.args(["-o", "pipefail", "-c", line]).current_dir(folder.path());
    command.env("PATH", format!("{}:{path}", binary.parent().unwrap().display()));
    command.env("HOME", folder.path());
    let output = command.output().expect("a shell");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}\n{error}");
}

/// All verbs, as the help lists them, but that for the help itself.
fn verbs(folder: &Folder) -> Vec<String> {
    let help = folder.done("--help").out;
    let listed = help.split_once("Commands:\n").expect("a list of verbs").1;
    let lines = listed.lines().take_while(|line| !line.is_empty());
    let verbs = lines.filter_map(|line| line.split_whitespace().next()).map(String::from);
    verbs.filter(|verb| verb != "help").collect()
}

#[cfg(unix)]
#[test]
fn examples_of_the_help_pages() {
    let folder = prepared();
    for made in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        std::fs::create_dir_all(folder.path().join(made)).unwrap();
    }
    folder.done("kpca iris.csv --label species -m iris.mercer -q -o first.csv");
    folder.done("kpca digits.npy --inverse -m digits.mercer -q -o components.csv");
    let mut count = 0;
    // What serves does not end by itself; `tests/serving.rs` runs it.
    let serves = |verb: &String| ["explore", "serve"].contains(&verb.as_str());
    for verb in verbs(&folder).into_iter().filter(|verb| !serves(verb)) {
        let help = folder.done(&format!("{verb} --help")).out;
        let examples = help.split_once("Examples:\n").expect(&verb).1;
        for line in examples.lines().map_while(|line| line.strip_prefix("  ")) {
            // A kernel PCA of the same digits without an inverse map must not replace the one with it.
            shell(&folder, &line.replace("--model digits.mercer", "--model other.mercer"));
            count += 1;
        }
    }
    assert!(count >= 46, "{count}");
}

/// Runs the `sh` blocks of a page of the repository, line by line; a backslash joins a line with the next. Lines that call
/// Python make the tables of a page, for which they take minutes and need data that is elsewhere.
fn run_page(page: &str, least: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(page);
    let text = std::fs::read_to_string(path).expect(page);
    let folder = prepared();
    let mut count = 0;
    for block in text.split("```sh\n").skip(1) {
        let block = block.split("```").next().unwrap_or_default().replace("\\\n", " ");
        for line in block.lines().filter(|line| !line.starts_with("python ")) {
            shell(&folder, line);
            count += 1;
        }
    }
    assert!(count >= least, "{page}: {count} examples");
}

#[cfg(unix)]
#[test]
fn examples_of_the_reference() {
    run_page("docs/cli.md", 62);
}

#[cfg(unix)]
#[test]
fn examples_of_the_guide() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut count = 0;
    for entry in std::fs::read_dir(docs).expect("a guide") {
        let path = entry.expect("a page").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_page = name.ends_with(".md") && name != "cli.md";
        if is_page && std::fs::read_to_string(&path).expect(&name).contains("```sh\nmercer") {
            run_page(&format!("docs/{name}"), 1);
            count += 1;
        }
    }
    assert!(count >= 8, "{count} pages");
}

#[cfg(unix)]
#[test]
fn examples_of_the_readme() {
    run_page("README.md", 3);
}
