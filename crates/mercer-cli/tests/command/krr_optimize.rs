//! `krr --optimize`: kernel parameters by gradient, on the command line.

use crate::folder::{Folder, cells, houses};

const LINE: &str = "krr h.csv --target price --label id --kernel 'rbf(sigma=median)'";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("h.csv", houses(80));
    folder
}

#[test]
fn what_is_found_is_scored_stored_and_predicts() {
    let folder = folder();
    let run = folder.done(&format!("{LINE} --optimize loo --ard -m m.mercer"));
    for part in ["optimised", "leave-one-out mean squared error", "evaluations", "rbf(sigma=["] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let object = folder.done(&format!("{LINE} --optimize loo --ard --json -q")).json();
    let search = &object["report"]["optimization"];
    let (start, value) = (search["start"].as_f64().unwrap(), search["value"].as_f64().unwrap());
    assert!(value < start);
    // The search and the closed form of leave-one-out agree.
    let rmse = object["regression"]["scores"]["overall"]["value"].as_f64().unwrap();
    assert!((rmse * rmse / value - 1.0).abs() < 1e-6, "{rmse} {value}");
    assert_eq!(object["grid"].as_array().unwrap().len(), 1);
    let out = folder.done("predict m.mercer h.csv --std -q").out;
    assert_eq!(cells(&out).len(), 81);
    assert!(folder.done("inspect m.mercer").out.contains("optimised"));
}

#[test]
fn evidence_and_alignment_too() {
    let folder = folder();
    for objective in ["evidence", "alignment"] {
        let object = folder.done(&format!("{LINE} --optimize {objective} --json -q")).json();
        let search = &object["report"]["optimization"];
        assert_eq!(search["objective"], objective);
        assert!(search["value"].as_f64() > search["start"].as_f64());
    }
}

#[test]
fn contradictions_are_refused() {
    let folder = folder();
    for (flags, message) in [
        ("--optimize loo --kernel laplacian", "single kernel"),
        ("--optimize loo --alpha 0.1,1", "single penalty"),
        ("--optimize loo --landmarks 20", "--landmarks"),
        ("--optimize guess", "possible values"),
        ("--ard", "--optimize"),
    ] {
        let run = folder.run(&format!("{LINE} {flags}"));
        assert!(run.err.contains(message), "{flags}: {}", run.err);
    }
}
