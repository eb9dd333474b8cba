//! `check`, `features` and `kernels`: verbs that look at kernels themselves.

use crate::bad_input;
use crate::folder::{Folder, cells, small_table};
use crate::texts::people;

fn prepared() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    folder.write("people.csv", people());
    // Similar, similar, and not similar: an indefinite matrix.
    folder.write("s.csv", "a,b,c,who\n1,0.9,0,ann\n0.9,1,0.9,bob\n0,0.9,1,eve\n");
    folder.write("crooked.csv", "a,b\n1,0.5\n0.1,1\n");
    folder
}

#[test]
fn kernels_and_indefinite_matrices_are_distinguished() {
    let folder = prepared();
    let output = folder.done("check t.csv --label kind --kernel 'rbf(sigma=median)'").out;
    for part in [
        "valid on these 30 samples",
        "on all data",
        "symmetry    exact",
        "kernel check of rbf(sigma=",
    ] {
        assert!(output.contains(part), "{output}");
    }
    let run = folder.run("check s.csv --kernel precomputed --label who");
    assert_eq!((run.code, run.err.as_str()), (Some(1), ""));
    for part in
        ["not a kernel", "-2.7279e-1", "7.69 % of the spectrum", "witness", "bob   0.707107"]
    {
        assert!(run.out.contains(part), "no {part:?} in\n{}", run.out);
    }
    let crooked = folder.run("check crooked.csv --kernel precomputed");
    assert_eq!(crooked.code, Some(1));
    assert!(
        crooked.out.contains("not symmetric") && crooked.out.contains("K[1, 2]"),
        "{}",
        crooked.out
    );
    let quiet = folder.run("check s.csv --kernel precomputed --label who -q");
    assert_eq!((quiet.code, quiet.out.as_str(), quiet.err.as_str()), (Some(1), "", ""));
    let sigmoid =
        folder.run("check t.csv --label kind --kernel 'sigmoid(gamma=1, coef0=-1)' --json");
    assert_eq!((sigmoid.code, &sigmoid.json()["known"]), (Some(1), &false.into()));
    let mixed = "check people.csv --kernel 'columns(size: rbf) * column(name: spectrum(p=2))'";
    assert!(folder.done(mixed).out.contains("valid"));
}

#[test]
fn the_witness_proves_it() {
    let folder = prepared();
    let json = folder.run("check s.csv --kernel precomputed --label who --json").json();
    assert_eq!(
        (&json["valid"], &json["verdict"]["verdict"]),
        (&false.into(), &"indefinite".into())
    );
    let numbers = |key: &str| -> Vec<f64> {
        json["witness"][key].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    };
    let (samples, weights) = (numbers("samples"), numbers("weights"));
    let k = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]];
    let mut value = 0.0;
    for (i, a) in samples.iter().zip(&weights) {
        for (j, b) in samples.iter().zip(&weights) {
            value += a * b * k[*i as usize][*j as usize];
        }
    }
    assert!(value < -0.2 && (value - json["witness"]["value"].as_f64().unwrap()).abs() < 1e-12);
    assert_eq!(json["names"][0], "bob");
}

#[test]
fn a_repaired_matrix_is_one() {
    let folder = prepared();
    for how in ["clip", "flip", "shift", "nearest"] {
        let run = folder.run(&format!(
            "check s.csv --label who --kernel precomputed --repair {how} --out r.npy"
        ));
        assert_eq!(run.code, Some(1));
        assert!(
            run.out.contains(&format!("repaired    {how}")) && run.out.contains("r.npy"),
            "{}",
            run.out
        );
        folder.done("check r.npy --kernel precomputed");
        folder.done("kpca r.npy --kernel precomputed -q");
    }
    let run =
        folder.run("check s.csv --label who --kernel precomputed --repair nearest -o r.csv -q");
    assert_eq!(run.code, Some(1));
    let repaired = cells(&folder.read("r.csv"));
    assert_eq!(repaired[0], ["a", "b", "c"]);
    assert!((1..4).all(|i| (repaired[i][i - 1].parse::<f64>().unwrap() - 1.0).abs() < 1e-9));
}

#[test]
fn a_repair_is_kept_for_the_values_of_new_rows() {
    let folder = prepared();
    let run = folder.run(
        "check s.csv --label who --kernel precomputed --repair clip --model r.mercer -o r.csv",
    );
    assert_eq!(run.code, Some(1));
    assert!(run.out.contains("r.mercer") && run.out.contains("r.csv"), "{}", run.out);
    let inspected = folder.done("inspect r.mercer").out;
    assert!(inspected.contains("kernel matrix repair, fitted on 3 rows"), "{inspected}");
    assert!(inspected.contains("clip, changes the matrix by"), "{inspected}");
    let facts = folder.done("inspect r.mercer --json").json();
    assert_eq!(
        (&facts["estimator"], &facts["repair"]["method"]),
        (&"kernel_repair".into(), &"clip".into())
    );
    // The rows that it was learned on become those of the repaired matrix.
    folder.done("transform r.mercer s.csv -o again.csv -q");
    let (again, repaired) = (cells(&folder.read("again.csv")), cells(&folder.read("r.csv")));
    assert_eq!((&again[0][..], again.len()), (&["who", "a", "b", "c"].map(String::from)[..], 4));
    for i in 1..4 {
        for j in 0..3 {
            let number = |text: &str| text.parse::<f64>().unwrap();
            assert!((number(&again[i][j + 1]) - number(&repaired[i][j])).abs() < 1e-12);
        }
    }
    let refused = folder.run("transform r.mercer s.csv --inverse");
    assert!(refused.err.contains("kernel matrix repair"), "{}", refused.err);
    let refused = folder.run("predict r.mercer s.csv");
    assert!(refused.code != Some(0) && !refused.err.contains("panicked"), "{}", refused.err);
    let lonely = folder.run("check s.csv --label who --kernel precomputed --repair clip");
    assert_eq!(lonely.code, Some(2), "{}", lonely.err);
}

#[test]
fn features_have_the_kernel_for_inner_products() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b\n1,2\n-3,0.5\n0,4\n");
    folder.done("features t.csv --kernel 'poly(degree=2)' --out f.csv");
    folder.done("check t.csv --kernel 'poly(degree=2)' -o k.csv -q");
    let numbers = |name: &str| -> Vec<Vec<f64>> {
        cells(&folder.read(name))[1..]
            .iter()
            .map(|row| row.iter().map(|c| c.parse().unwrap()).collect())
            .collect()
    };
    assert_eq!(cells(&folder.read("f.csv"))[0], ["1", "√2·a", "√2·b", "a^2", "√2·a·b", "b^2"]);
    let (f, k) = (numbers("f.csv"), numbers("k.csv"));
    for i in 0..3 {
        for j in 0..3 {
            let product: f64 = f[i].iter().zip(&f[j]).map(|(a, b)| a * b).sum();
            assert!((product - k[i][j]).abs() < 1e-9 * (1.0 + k[i][j].abs()));
        }
    }
    folder.write("h.csv", "a,b,who\n1,2,x\n3,0.5,y\n");
    let near = folder.done("features h.csv --label who --kernel additive_chi2 --samples 2");
    assert!(near.err.contains("approximate") && near.out.starts_with("who,"), "{}", near.err);
    let json = folder.done("features h.csv --label who --kernel hellinger --json -q").json();
    assert_eq!((&json["dimension"], &json["exact"]), (&2.into(), &true.into()));
    let columns =
        folder.done("features h.csv --kernel 'columns(b: linear) + columns(a: hellinger)' -q").out;
    assert_eq!(cells(&columns)[0].len(), 2, "{columns}");
}

#[test]
fn random_features_approximate_kernels_and_repeat() {
    let folder = Folder::new();
    folder.write("t.csv", "a,b\n1,2\n-3,0.5\n0,4\n0.5,1\n");
    let kernel = "features t.csv --kernel 'rbf(gamma=0.2)' --components";
    let of = |more: &str| -> Vec<Vec<f64>> {
        let rows = cells(&folder.done(&format!("{kernel} {more} -q")).out);
        rows[1..].iter().map(|row| row.iter().map(|c| c.parse().unwrap()).collect()).collect()
    };
    let found = of("6000 --seed 3");
    assert_eq!(found, of("6000 --seed 3 --frequencies orthogonal"));
    assert_ne!(found, of("6000"));
    assert_eq!(of("7 --frequencies independent")[0].len(), 7);
    let product =
        |i: usize, j: usize| -> f64 { found[i].iter().zip(&found[j]).map(|(a, b)| a * b).sum() };
    assert!((product(0, 3) - (-0.2_f64 * 1.25).exp()).abs() < 0.04, "{}", product(0, 3));
    assert!((product(1, 1) - 1.0).abs() < 1e-12);
    let reported = folder.done(&format!("{kernel} 5")).err;
    assert!(reported.contains("5 (approximate)"), "{reported}");
}

#[test]
fn features_of_texts_are_their_substrings() {
    let folder = Folder::new();
    folder.write("t.csv", "word\nanna\nhanna\n");
    let out = folder.done("features t.csv --kernel 'spectrum(p=2)' -q").out;
    let rows = cells(&out);
    let at = |row: usize, name: &str| {
        let place =
            rows[0].iter().position(|own| own == name).unwrap_or_else(|| panic!("{name}: {out}"));
        rows[row][place].as_str()
    };
    assert_eq!((rows[0][0].as_str(), rows[0].len()), ("word", 5));
    assert_eq!((at(1, "an"), at(1, "ha"), at(2, "ha"), at(2, "nn")), ("1", "0", "1", "1"));
    folder.done("features t.csv --kernel 'normalize(substrings(p=3))' -o f.npy -q");
    folder.done("features t.csv --kernel 'spectrum(p=2)' -o f.libsvm -q");
}

#[test]
fn all_kernels_are_listed_by_input() {
    let folder = Folder::new();
    let text = folder.done("kernels").out;
    let place = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part} in {text}"));
    assert!(place("  rbf(") < place("on histograms") && place("on histograms") < place("  chi2("));
    assert!(place("  chi2(") < place("on strings") && place("on strings") < place("  spectrum("));
    assert!(text.contains("columns(age, income: a)") && text.contains("precomputed"));
    let json = folder.done("kernels --json").json();
    let families = json.as_array().unwrap();
    let spectrum = families.iter().find(|family| family["name"] == "spectrum").unwrap();
    assert_eq!(
        (&spectrum["input"], &spectrum["parameters"][0]["name"]),
        (&"texts".into(), &"p".into())
    );
}

#[test]
fn bad_input() {
    let folder = prepared();
    folder.write("n.csv", "a,b\n1,2\n3,-4\n");
    let check =
        |line: &str, code: i32, parts: &[&str]| bad_input::check(&folder, line, code, parts);
    check("check t.csv", 2, &["--kernel"]);
    check("check s.csv --kernel precomputed --repair clip", 2, &["--output"]);
    check("check s.csv --kernel precomputed -o s.csv", 2, &["TABLE and --output"]);
    check("check t.csv --kernel rbf --columns ^w", 1, &["no column \"w\""]);
    check("check t.csv --label kind --kernel precomputed", 1, &["30 rows", "3 columns"]);
    check(
        "features t.csv --label kind --kernel 'rbf(gamma=1)'",
        1,
        &["--kernel", "infinitely many"],
    );
    check(
        "features s.csv --label who --kernel precomputed",
        1,
        &["--kernel", "precomputed kernels"],
    );
    check(
        "features people.csv --columns name --kernel 'edit(gamma=1)'",
        1,
        &["--kernel", "spectrum"],
    );
    let both = "features people.csv --kernel 'columns(size: linear) + column(name: spectrum)'";
    check(both, 1, &["--kernel", "strings"]);
    check("features n.csv --kernel hellinger", 1, &["line 3", "\"b\"", "negative"]);
}
