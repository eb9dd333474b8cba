//! `svc`, `svr`, `oneclass` and `search` with `--landmarks`.

use crate::folder::{Folder, cells, houses, ring_table, small_table};
use crate::svm_fit::{check, number};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", ring_table(120));
    folder.write("s.csv", small_table(90));
    folder.write("h.csv", houses(80));
    folder
}

#[test]
fn all_rows_as_landmarks_are_the_exact_machine() {
    let folder = folder();
    for line in [
        "svc t.csv --target side --tolerance 1e-5",
        "svc s.csv --target kind --tolerance 1e-5",
        "svr h.csv --target price --label id --tolerance 1e-5",
        "oneclass t.csv --label side --tolerance 1e-5",
    ] {
        let objective = |flags: &str| {
            let found = folder.done(&format!("{line} {flags} --json -q")).json();
            number(&found["report"]["machine"]["problems"][0]["objective"])
        };
        let (exact, low) = (objective(""), objective("--landmarks 120"));
        assert!((exact - low).abs() < 1e-3 * exact.abs(), "{line}: {exact} {low}");
        let polished = objective("--landmarks 10 --polish");
        assert!((exact - polished).abs() < 1e-4 * exact.abs(), "{line}: {exact} {polished}");
    }
}

#[test]
fn a_machine_is_stored_reported_evaluated_and_predicts() {
    let folder = folder();
    let line = "svc t.csv --target side --landmarks 30 --probability sigmoid --test 0.25";
    let run = folder.done(&format!("{line} -m m.mercer -o o.csv --report r.html --verbose"));
    check(
        &run.err,
        &[
            "landmarks   30, leaving ",
            "true kernel mean loss ",
            "dual coordinate descent, converged after",
            "certified   in double precision, on all rows, of the approximated kernel",
        ],
    );
    check(&folder.read("r.html"), &["trace left", "loss of the true kernel"]);
    assert_eq!(cells(&folder.read("o.csv")).len(), 91);
    let predicted = folder.done("predict m.mercer t.csv -o p.csv");
    check(&predicted.err, &["accuracy 1.000"]);
    check(&folder.done("inspect m.mercer").out, &["landmarks   30", "support vectors of 90 rows"]);
    let again = folder.done("svc t.csv --target side --from-model m.mercer");
    check(&again.err, &["120 rows × 2 columns", "landmarks   30"]);
}

#[test]
fn searches_and_pictures() {
    let folder = folder();
    let line = "search t.csv --target side --costs 1,10 --gammas 0.5,2 --folds 3 --landmarks 40";
    let run = folder.done(&format!("{line} --plot p.svg -m m.mercer"));
    check(&run.err, &["landmarks   ", "accuracy"]);
    check(&folder.read("p.svg"), &["support vectors"]);
    let run = folder.done("oneclass t.csv --label side --landmarks auto --plot one.svg");
    check(&run.err, &["landmarks   "]);
}

#[test]
fn one_cell_is_the_exact_machine_and_many_are_stored() {
    let folder = folder();
    for line in [
        "svc t.csv --target side",
        "svr h.csv --target price --label id",
        "oneclass t.csv --label side",
    ] {
        folder.done(&format!("{line} -o exact.csv"));
        folder.done(&format!("{line} --cells 200 -o cells.csv"));
        assert_eq!(folder.read("exact.csv"), folder.read("cells.csv"), "{line}");
    }
    let line = "svc t.csv --target side --cells 40 --cell-overlap 0.5 -m m.mercer --plot p.svg";
    let run = folder.done(&format!("{line} -o o.csv --report r.html --verbose"));
    check(&run.err, &["cells have an exact SVM each", "converged after"]);
    folder.done("predict m.mercer t.csv --label side -o again.csv");
    let of = |name: &str| cells(&folder.read(name)).into_iter().skip(1).map(|row| row[1].clone());
    assert!(of("o.csv").eq(of("again.csv")));
    let again = folder.done("svc t.csv --target side --from-model m.mercer --verbose");
    check(&again.err, &["cells have an exact SVM each"]);
    let line = "search t.csv --target side --costs 1,10 --gammas 0.5,2 --folds 3 --cells 60";
    check(&folder.done(line).err, &["accuracy"]);
}

#[test]
fn cells_choose_for_themselves() {
    let folder = folder();
    let line = "search t.csv --target side --costs 1,10 --gammas 0.5,2 --folds 3 --cells 60";
    let run = folder.done(&format!("{line} --per-cell -m own.mercer -o o.csv"));
    check(&run.err, &["with a kernel and a C of its own", "accuracy"]);
    folder.done("predict own.mercer t.csv --label side -o again.csv");
    let of = |name: &str| cells(&folder.read(name)).into_iter().skip(1).map(|row| row[1].clone());
    assert!(of("o.csv").eq(of("again.csv")));
    check(&folder.done("inspect own.mercer").out, &["with a kernel and a C of its own"]);
    let run = folder.run("search t.csv --target side --per-cell");
    assert!(run.code == Some(2) && run.err.contains("--cells"), "{}", run.err);
    let run = folder.run(&format!("{line} --per-cell --metric macro-f1"));
    assert!(run.code == Some(2) && run.err.contains("--metric"), "{:?} {}", run.code, run.err);
}

#[test]
fn a_choice_among_approximations_is_printed() {
    let folder = folder();
    let run = folder.done("svc t.csv --target side --approximation auto -o auto.csv");
    check(&run.err, &["exact is chosen", "too few", "approximation"]);
    folder.done("svc t.csv --target side -o exact.csv");
    assert_eq!(folder.read("auto.csv"), folder.read("exact.csv"));
    let run = folder.run("svc t.csv --target side --approximation auto --landmarks 5");
    assert!(run.code == Some(2) && run.err.contains("--approximation"), "{}", run.err);
}

#[test]
fn what_has_no_meaning_is_refused() {
    let folder = folder();
    for (flags, why) in [
        ("--polish", "--landmarks"),
        ("--landmarks 0", "landmark"),
        ("--landmarks 20 -C inf", "--cost"),
        ("--cells 5", "--cells"),
        ("--cells 50 --landmarks 20", "--landmarks"),
        ("--cells 50 --nu 0.2", "--cells"),
        ("--cell-overlap 0.1", "--cells"),
    ] {
        let run = folder.run(&format!("svc t.csv --target side {flags}"));
        assert!(
            run.code == Some(2) && run.err.contains(why),
            "{flags}: {:?} {}",
            run.code,
            run.err
        );
    }
}
