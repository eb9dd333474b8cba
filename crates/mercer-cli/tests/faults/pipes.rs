//! Pipes in the place of files: each is opened once, and read to its end.

use crate::folder::rings;
use crate::shell::sh;
use crate::verbs::prepared;

#[test]
fn models_and_tables_come_from_pipes() {
    let folder = prepared();
    let plain = folder.done("predict s.mercer t.csv -q").out;
    let piped = sh(
        &folder,
        "mkfifo model table; cat s.mercer > model & cat t.csv > table & timeout 60 $MERCER predict model table -q",
    );
    assert_eq!((piped.code, piped.out), (Some(0), plain), "{}", piped.err);
    let run = sh(&folder, "cat k.mercer > model & timeout 60 $MERCER inspect model");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("kernel PCA"), "{}", run.out);
}

#[test]
fn a_libsvm_model_from_a_pipe_is_widened_like_one_from_a_file() {
    let folder = prepared();
    folder.write("r.libsvm", rings(60));
    folder.done("svc r.libsvm --target label --scale none -q -o o.csv --libsvm-model r.model");
    // A feature that no support vector has.
    folder.write("wide.libsvm", "+1 1:0.5 2:0.5 4:1\n-1 1:2\n");
    let plain = folder.done("predict r.model wide.libsvm -q").out;
    let piped = sh(
        &folder,
        "mkfifo model; cat r.model > model & timeout 60 $MERCER predict model wide.libsvm -q",
    );
    assert_eq!((piped.code, piped.out), (Some(0), plain), "{}", piped.err);
}

#[test]
fn results_go_into_pipes() {
    let folder = prepared();
    let plain = folder.done("pca t.csv --label kind -q").out;
    let run = sh(
        &folder,
        "mkfifo o.csv; cat o.csv > got & timeout 60 $MERCER pca t.csv --label kind -q -o o.csv && wait && cat got",
    );
    assert_eq!((run.code, run.out), (Some(0), plain), "{}", run.err);
    assert!(std::fs::symlink_metadata(folder.path().join("o.csv")).unwrap().len() == 0);
}
