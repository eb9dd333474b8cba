//! What cannot be done: the exit code, the words, and that no file appears.

use std::process::Stdio;

use crate::folder::{Folder, Run, houses, small_table, words};

/// Runs `line`, which must fail with `code`, or with 2 where the message is about an option, and say all of `parts`, and must leave
/// no new file.
pub fn check(folder: &Folder, line: &str, code: i32, parts: &[&str]) {
    let before = folder.names();
    let run = folder.run(line);
    let code = if run.err.starts_with("mercer: --") { 2 } else { code };
    assert_eq!(run.code, Some(code), "mercer {line}\n{}{}", run.out, run.err);
    for part in parts {
        assert!(run.err.contains(part), "no {part:?} in\n{}", run.err);
    }
    assert!(run.out.is_empty() && !run.err.contains("panicked"), "mercer {line}\n{}", run.err);
    assert_eq!(folder.names(), before, "mercer {line}");
}

const OUTPUTS: &str = "-o o.csv -m m.mercer -p p.svg";

#[test]
fn tables() {
    let folder = Folder::new();
    let files: [(&str, &str); 13] = [
        ("empty.csv", ""),
        ("header.csv", "a,b\n"),
        ("one.csv", "a,b\n1,2\n"),
        ("two.csv", "a,b\n1,2\n3,5\n"),
        ("missing.csv", "a,b\n1,2\n3,\n"),
        ("nan.csv", "a,b\n1,2\n3,NaN\n"),
        ("inf.csv", "a,b\n1,inf\n3,4\n"),
        ("text.csv", "a,b\n1,red\n3,blue\n5,green\n7,pink\n"),
        ("ragged.csv", "a,b\n1,2\n3\n"),
        ("equal.csv", "a,b\n1,2\n1,2\n1,2\n"),
        ("huge.csv", "a,b\n1e300,2\n3,4\n"),
        ("wide.csv", "a,b\n1e100,2\n3,4\n"),
        ("broken.parquet", "PAR1 nothing PAR1"),
    ];
    files.iter().for_each(|(name, content)| folder.write(name, content));
    let cases: [(&str, &[&str]); 17] = [
        ("pca empty.csv", &["empty.csv", "empty"]),
        ("pca header.csv", &["header.csv", "header but no rows"]),
        ("pca one.csv", &["one.csv: the table has only one row", "at least two"]),
        ("kpca one.csv", &["one.csv: the table has only one row", "at least two"]),
        ("kpca two.csv -k 3", &["--components: must be at most 2", "at most 2"]),
        ("pca two.csv -k 3", &["--components: must be at most 2", "at most 2"]),
        ("kpca missing.csv --missing refuse", &["missing.csv", "line 3", "\"b\"", "missing"]),
        ("kpca nan.csv --missing refuse", &["nan.csv", "line 3", "\"b\"", "--missing drop"]),
        ("kpca inf.csv", &["line 2", "infinite"]),
        ("kpca text.csv", &["4 different values", "\"red\"", "--label", "--categories"]),
        ("kpca ragged.csv", &["line 3", "1 cells"]),
        ("kpca equal.csv -k all", &["all rows are identical"]),
        ("kpca huge.csv", &["overflow"]),
        ("pca broken.parquet", &["broken.parquet", "not a Parquet file"]),
        ("pca absent.csv", &["absent.csv", "No such file"]),
        ("pca two.csv --columns c", &["no column \"c\"", "a, b"]),
        ("pca two.csv --label c", &["no column \"c\""]),
    ];
    for (line, parts) in cases {
        check(&folder, &format!("{line} {OUTPUTS}"), 1, parts);
    }
    check(
        &folder,
        &format!("kpca . {OUTPUTS}"),
        1,
        &["holds tables of several formats", "give a pattern"],
    );
    check(&folder, &format!("pca wide.csv --precision f32 {OUTPUTS}"), 1, &["beyond the range of"]);
}

#[test]
fn flags() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    let cases: [(&str, &[&str]); 12] = [
        ("kpca t.csv --kernel rfb", &["unknown", "rfb", "^"]),
        ("kpca t.csv --kernel 'rbf(gama=1)'", &["did you mean 'gamma'", "\n      ^"]),
        ("kpca t.csv --kernel 'rbf(gamma=-1)'", &["gamma", "^"]),
        ("kpca t.csv --kernel 'poly(degree=1.5)'", &["degree", "^"]),
        ("kpca t.csv -o .", &["directory"]),
        ("kpca t.csv -o no/such/o.csv", &["no/such does not exist"]),
        ("kpca t.csv -o o.xlsx", &[".parquet"]),
        ("kpca t.csv -o a.csv -m a.csv", &["--output and --model are the same file"]),
        ("kpca t.csv -o t.csv", &["TABLE and --output are the same file"]),
        ("kpca t.csv --memory lots", &["2GiB"]),
        ("kpca t.csv --inverse-kernel linear", &["--inverse"]),
        ("transform m.mercer t.csv --inverse --errors", &["--errors"]),
    ];
    for (line, parts) in cases {
        check(&folder, line, 2, parts);
    }
}

#[test]
fn regressions() {
    let folder = Folder::new();
    folder.write("h.csv", houses(30));
    let files = [
        ("text.csv", "a,b,y\n1,2,3\n2,1,x\n3,4,5\n"),
        ("gap.csv", "a,b,y\n1,2,3\n2,1,\n3,4,5\n"),
        ("inf.csv", "a,b,y\n1,2,3\n2,1,inf\n3,4,5\n"),
        ("one.csv", "a,b,y\n1,2,7\n"),
        ("zero.csv", "a,b,y,w\n1,2,7,0\n2,3,4,0\n"),
        ("negative.csv", "a,b,y,w\n1,2,7,1\n2,3,4,-2\n"),
        ("same.csv", "a,b,y\n1,2,red\n2,3,red\n"),
        ("own.csv", "a,b,y\n1,2,p\n2,3,q\n4,3,r\n"),
        ("unnamed.csv", "a,b,y\n1,2,p\n2,3,\n4,3,p\n"),
    ];
    files.iter().for_each(|(name, content)| folder.write(name, content));
    let cases: [(&str, &[&str]); 23] = [
        ("krr h.csv", &["--target: choose the target column: one of id, area"]),
        ("krr h.csv --target prize", &["h.csv", "no column \"prize\"", "did you mean \"price\"?"]),
        ("krr h.csv --target price", &["\"id\" holds text with 30 different values", "--label"]),
        (
            "krr h.csv --target price --columns area,price",
            &["\"price\" is the target", "--columns"],
        ),
        ("krr h.csv --target price --weights age --columns 2-4", &["\"age\" holds the weights"]),
        ("krr h.csv --target price --label price", &["--target and --label both refer to"]),
        ("krr h.csv --target price --weights price", &["--target and --weights both refer to"]),
        ("krr h.csv --target price,id", &["\"id\" holds class labels", "only one such target"]),
        ("krr h.csv --target price --label id --alpha 0", &["--alpha: alpha=0 cannot", "kernels"]),
        ("krr h.csv --target price --label id --alpha 0,1", &["--alpha", "positive"]),
        ("krr h.csv --target price --label id --folds 31", &["--folds", "samples (30)"]),
        (
            "krr h.csv --target price --label id --alpha-per-target",
            &["--alpha-per-target: requires several"],
        ),
        ("krr text.csv --target y", &["text.csv", "line 3", "\"x\"", "--classify"]),
        ("krr gap.csv --target y", &["gap.csv", "line 3", "1 value is missing"]),
        ("krr inf.csv --target y", &["line 3", "infinite"]),
        ("krr one.csv --target y", &["one.csv: the table has only one row", "at least two"]),
        ("krr zero.csv --target y --weights w", &["--weights", "zero"]),
        ("krr negative.csv --target y --weights w", &["line 3", "\"w\" is -2"]),
        ("krr same.csv --target y", &["only one class", "red"]),
        ("krr own.csv --target y", &["a different class", "at least two rows per class"]),
        ("krr unnamed.csv --target y", &["line 3", "missing"]),
        ("krr absent.csv --target y", &["absent.csv", "No such file"]),
        ("krr h.csv --target price --label id --memory 10kB", &["needs", "--memory"]),
    ];
    for (line, parts) in cases {
        check(&folder, &format!("{line} {OUTPUTS}"), 1, parts);
    }
    let line = "krr h.csv --target price --label id --alpha 0 --kernel linear -p p.svg";
    check(&folder, line, 1, &["--plot: there are no scores to plot"]);
    let line = "krr h.csv --target price --label id --no-score --alpha 1 -o o.csv";
    check(&folder, line, 1, &["--no-score: requires a single candidate"]);
    check(&folder, "krr h.csv --target price --alpha -1", 2, &["--alpha", "at least 0"]);
    folder.done("krr h.csv --target price --label id -q -m n.mercer");
    check(
        &folder,
        "predict n.mercer h.csv --scores -o o.csv",
        1,
        &["--scores", "not a classifier"],
    );
    check(&folder, "predict absent.mercer h.csv", 1, &["absent.mercer", "No such file"]);
    folder.write("k.csv", small_table(30));
    folder.done("krr k.csv --target kind -q -m k.mercer");
    check(&folder, "predict k.mercer k.csv --std -o o.csv", 1, &["--std", "classifier"]);
    check(&folder, "predict k.mercer k.csv -o o.npy", 1, &["o.npy", "only numbers"]);
}

#[test]
fn budgets() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(2000));
    check(
        &folder,
        &format!("kpca t.csv --label kind --memory 10kB {OUTPUTS}"),
        1,
        &["the table", "--memory"],
    );
    let line = format!("kpca t.csv --label kind --memory 1MB -k all {OUTPUTS}");
    check(&folder, &line, 1, &["needs", "budget is", "fewer components"]);
    folder.write("h.csv", houses(400));
    // A single candidate is fitted where memory does not allow cross-validation.
    let one = "krr h.csv --target price --label id --kernel 'rbf(sigma=2)' --alpha 1 --memory 2MB";
    let run = folder.done(one);
    assert!(run.err.contains("score       not available: the search needs"), "{}", run.err);
    let line = "krr h.csv --target price --label id --memory 2MB -o o.csv";
    check(&folder, line, 1, &["the search needs", "folds", "--memory"]);
    // The inverse map needs no square matrix: less memory than that costs time, not the result.
    folder.done("kpca t.csv --label kind --memory 12MB --inverse -o o.csv -m m.mercer");
}

#[test]
fn model_files() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    folder.done("kpca t.csv --label kind -m good.mercer -o c.csv");
    let good = folder.bytes("good.mercer");
    folder.write("cut.mercer", &good[..good.len() / 2]);
    let mut altered = good.clone();
    altered[good.len() - 100] ^= 1;
    folder.write("altered.mercer", altered);
    folder.write("garbage.mercer", b"this is no model at all, not by a long way");
    folder.write("empty.mercer", b"");
    let cases = [
        ("cut.mercer", "is damaged"),
        ("altered.mercer", "is damaged"),
        ("garbage.mercer", "is not a mercer model"),
        ("empty.mercer", "is not a mercer model"),
        ("t.csv", "is not a mercer model"),
        ("absent.mercer", "No such file"),
    ];
    for (name, part) in cases {
        check(&folder, &format!("transform {name} t.csv -o o.csv"), 1, &[name, part]);
        // A table is described as a table.
        if name != "t.csv" {
            check(&folder, &format!("inspect {name}"), 1, &[name, part]);
        }
    }
}

#[cfg(unix)]
#[test]
fn places_that_cannot_be_written_or_read() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    std::os::unix::fs::symlink("/dev/full", folder.path().join("full.csv")).unwrap();
    check(&folder, "pca t.csv --label kind -o full.csv", 1, &["full.csv", "No space left"]);
    check(
        &folder,
        "pca t.csv --label kind -m /dev/full -o o.csv",
        1,
        &["/dev/full", "No space left"],
    );
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output =
        folder.command().args(words("pca t.csv --label kind -q")).stdout(full).output().unwrap();
    let run = Run::of(output);
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("standard output: No space left"), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn closed_streams_do_no_harm() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    for redirections in ["2>&-", ">&- 2>&-", "<&- >&-"] {
        let line = format!(
            "{} pca t.csv --label kind -o o.csv {redirections}",
            env!("CARGO_BIN_EXE_mercer")
        );
        let mut shell = std::process::Command::new("bash");
        let status =
            shell.arg("-c").arg(&line).current_dir(folder.path()).stdin(Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some(0), "{redirections}");
        assert_eq!(folder.names(), ["o.csv", "t.csv"]);
    }
}
