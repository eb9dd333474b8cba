//! The module table of ARCHITECTURE.md is law: a module imports only modules above it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The modules in the order of the table.
fn modules() -> Vec<String> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows = page.lines().skip_while(|line| !line.starts_with("| module |")).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| line.split('`').nth(1).expect("a module's name in backticks").to_string())
        .collect()
}

/// Every source file with the module it belongs to.
fn sources() -> Vec<(String, PathBuf)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    for entry in fs::read_dir(src).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            collect(&path, &module, &mut found);
        } else if module != "lib" {
            found.push((module, path));
        }
    }
    found
}

fn collect(folder: &Path, module: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, module, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push((module.to_string(), path));
        }
    }
}

/// Modules that a source text mentions as `crate::module`, one by one or in a `use crate::{…}` list. Comments do not count.
fn imports(text: &str) -> BTreeSet<String> {
    let code: String = text
        .lines()
        .map(|line| line.split("//").next().unwrap_or(""))
        .collect::<Vec<_>>()
        .join("\n");
    let name = |rest: &str| -> String {
        rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
    };
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$') {
            continue;
        }
        let rest = &code[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            Some(list) => {
                let list = &list[..list.find(';').unwrap_or(list.len())];
                let mut depth = 0;
                let mut start = true;
                for (i, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if start && depth == 0 && c.is_alphabetic() => {
                            found.insert(name(&list[i..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
            None => {
                found.insert(name(rest));
            }
        }
    }
    found
}

#[test]
fn modules_import_only_modules_above_them() {
    let modules = modules();
    let place = |module: &str| modules.iter().position(|r| r == module);
    let mut wrong = Vec::new();
    for (module, path) in sources() {
        let Some(own) = place(&module) else {
            wrong.push(format!("{}: `{module}` is not in the table", path.display()));
            continue;
        };
        for import in imports(&fs::read_to_string(&path).unwrap()) {
            // Names that are no modules are the re-exports of lib.rs, all of them from the top of the table.
            if place(&import).is_some_and(|other| other > own) {
                wrong.push(format!(
                    "{}: `{module}` imports `{import}`, which is below it",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_names_exactly_the_modules_there_are() {
    let listed: BTreeSet<String> = modules().into_iter().collect();
    let there: BTreeSet<String> = sources().into_iter().map(|(module, _)| module).collect();
    assert_eq!(listed, there);
}

#[test]
fn only_linalg_knows_faer() {
    for (module, path) in sources() {
        if module != "linalg" && !path.ends_with("interop/faer.rs") {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!code(&text).any(|line| line.contains("faer::")), "{}", path.display());
        }
    }
}

/// The lines of a source text that are no comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// The places of unsafe code that ARCHITECTURE.md lists.
fn places_of_unsafe_code() -> Vec<String> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let start = page.find("Unsafe code stands in these places only").expect("the list");
    let list = &page[start..start + page[start..].find("\n\n").expect("its end")];
    let quoted = list.split('`').skip(1).step_by(2);
    quoted.filter(|name| name.contains("/src/")).map(String::from).collect()
}

#[test]
fn unsafe_code_stands_where_the_list_says_and_nowhere_else() {
    let places = places_of_unsafe_code();
    let mut used = BTreeSet::new();
    for folder in [
        "crates/mercer/src",
        "crates/mercer-cli/src",
        "crates/mercer-cuda/src",
        "crates/mercer-serve/src",
        "crates/nano-gemm/src",
        "python/src",
    ] {
        let mut found = Vec::new();
        collect(&root().join(folder), folder, &mut found);
        for (_, path) in found {
            let text = fs::read_to_string(&path).unwrap();
            let is_unsafe = |line: &str| line.contains("unsafe ") || line.contains("(unsafe_code)");
            if !code(&text).any(is_unsafe) {
                continue;
            }
            let name = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
            let place = places.iter().find(|place| name.starts_with(place.as_str()));
            used.insert(place.unwrap_or_else(|| panic!("{name} has unsafe code")).clone());
        }
    }
    assert_eq!(used.into_iter().collect::<BTreeSet<_>>(), places.into_iter().collect());
}

#[test]
fn the_reader_of_imports_reads() {
    let text = "use crate::{gram::{Packed, MatrixFree}, solve};\nuse crate::error::Result; // crate::io\nlet x = crate::real::Real;";
    let found: Vec<String> = imports(text).into_iter().collect();
    assert_eq!(found, ["error", "gram", "real", "solve"]);
}
