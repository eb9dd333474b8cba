//! `--explain`: partial dependence, contributions of columns, terms of training rows, weights of substrings.

use serde_json::Value;

use crate::folder::Folder;

/// y = 3a + b² and a column without effect; a category that shifts y by 5; rows far from the rest are predicted worst.
fn folder() -> Folder {
    let folder = Folder::new();
    let row = |i: usize| {
        let [a, b, c] = [37, 53, 71].map(|step| (i * step % 100) as f64 / 50.0 - 1.0);
        let kind = ["red", "blue"][i * 7 % 3 / 2];
        let y = 3.0 * a + b * b + if kind == "blue" { 5.0 } else { 0.0 };
        let class = ["low", "middle", "high"][(y > 0.0) as usize + (y > 4.0) as usize];
        format!("{a},{b},{c},{kind},{y},{class},r{i}\n")
    };
    let rows: String = (0..100).map(row).collect();
    folder.write("t.csv", format!("a,b,c,kind,y,class,id\n{rows}"));
    folder
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

/// Contributions and the mean prediction add up to the prediction.
fn check_sums(rows: &Value) {
    assert_eq!(rows.as_array().unwrap().len(), 3);
    for row in rows.as_array().unwrap() {
        let sum = row["base"].as_f64().unwrap() + numbers(&row["values"]).iter().sum::<f64>();
        assert!((sum - row["prediction"].as_f64().unwrap()).abs() < 1e-8, "{row}");
    }
}

const LINE: &str = "t.csv --columns a,b,c,kind --label id --explain --json -q";

#[test]
fn contributions_are_exact_for_sums_and_shapley_values_otherwise() {
    let folder = folder();
    let linear = folder.done(&format!("krr {LINE} --target y --kernel linear")).json();
    check_sums(&linear["contributions"]);
    let first = &linear["contributions"][0];
    assert_eq!(first["exact"], true);
    assert!(numbers(&first["std_errors"]).iter().all(|error| *error == 0.0));
    assert_eq!(first["columns"][3][0], "kind");
    assert!(["red", "blue"].contains(&first["columns"][3][1].as_str().unwrap()), "{first}");
    let groups = "columns(a: rbf(gamma=1)) + columns(b, c: rbf(gamma=1))";
    let line = format!("krr t.csv --label id --explain --json -q --target y --kernel '{groups}'");
    let sums = folder.done(&line).json();
    check_sums(&sums["contributions"]);
    assert_eq!(sums["contributions"][0]["columns"][1][0], "b, c");
    for verb in ["krr", "svr", "svc"] {
        let target = if verb == "svc" { "class" } else { "y" };
        let rbf = folder.done(&format!("{verb} {LINE} --target {target} --test 0.3")).json();
        check_sums(&rbf["contributions"]);
        assert_eq!(rbf["contributions"][0]["exact"], false, "{verb}");
        let errors = numbers(&rbf["contributions"][0]["std_errors"]);
        assert!(errors.iter().any(|error| *error > 0.0), "{verb}");
    }
}

#[test]
fn partial_dependence_shows_the_effect_of_columns() {
    let folder = folder();
    let object = folder.done(&format!("krr {LINE} --target y")).json();
    let curve = |name: &str| {
        let all = object["dependence"].as_array().unwrap();
        all.iter().find(|curve| curve["name"] == name).unwrap().clone()
    };
    let (a, kind) = (curve("a"), curve("kind"));
    let means = numbers(&a["curves"][0]["mean"]);
    let values = numbers(&a["numbers"]);
    let slope = (means[19] - means[0]) / (values[19] - values[0]);
    assert!((slope - 3.0).abs() < 0.3, "{slope}");
    assert_eq!(kind["categories"], serde_json::json!(["blue", "red"]));
    let means = numbers(&kind["curves"][0]["mean"]);
    assert!((means[0] - means[1] - 5.0).abs() < 0.5, "{means:?}");
    for end in ["lower", "upper"] {
        assert_eq!(numbers(&a["curves"][0][end]).len(), 20);
    }
    // A curve for each of three classes, one for two.
    let classes = folder.done(&format!("svc {LINE} --target class")).json();
    assert_eq!(classes["dependence"][0]["curves"].as_array().unwrap().len(), 3);
}

#[test]
fn training_rows_are_listed_by_their_terms() {
    let folder = folder();
    for (verb, target) in [("krr", "y"), ("svr", "y"), ("svc", "class"), ("krr", "class")] {
        let object = folder.done(&format!("{verb} {LINE} --target {target}")).json();
        let rows = object["training_rows"].as_array().unwrap();
        assert_eq!(rows.len(), 3, "{verb} {target}");
        let terms: Vec<f64> = rows[0]["terms"]
            .as_array()
            .unwrap()
            .iter()
            .map(|term| term["term"].as_f64().unwrap().abs())
            .collect();
        assert!(terms.len() == 6 && terms.windows(2).all(|pair| pair[0] >= pair[1]), "{terms:?}");
        let for_what = rows[0]["speaks_for"].as_str().unwrap();
        assert_eq!(for_what == "a larger y", target == "y", "{for_what}");
    }
}

#[test]
fn substrings_have_weights() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{}\n", ["abab", "cdcd", "babab", "dcdcd"][i % 4], i % 2);
    let rows: String = (0..24).map(row).collect();
    folder.write("s.csv", format!("text,kind\n{rows}"));
    let line = "s.csv --columns text --target kind --explain";
    let object = folder.done(&format!("svc {line} --kernel 'spectrum(p=2)' --json -q")).json();
    let found = &object["substrings"][0];
    assert_eq!(found["speaks_for"], "1");
    let weights = numbers(&found["weights"]);
    for (name, weight) in found["substrings"].as_array().unwrap().iter().zip(weights) {
        assert_eq!(weight > 0.0, ["cd", "dc"].contains(&name.as_str().unwrap()), "{name} {weight}");
    }
    folder.done(&format!("svc {line} --kernel 'spectrum(p=2)' --report page.html -q"));
    let page = folder.read("page.html");
    assert!(page.contains("Weights of substrings") && page.contains("‘cd’"));
    assert!(page.contains("Training rows behind single predictions"));
    // A kernel without a feature for each substring has the other explanations.
    folder.done(&format!("svc {line} --kernel 'subsequences(p=2)' --report page.html -q"));
    assert!(!folder.read("page.html").contains("Weights of substrings"));
}

#[test]
fn pages_have_a_section_for_each_explanation() {
    let folder = folder();
    let pages = [
        "krr t.csv --target y --columns a,b,c,kind --label id --test 0.3",
        "svr t.csv --target y --columns a,b,c,kind",
        "svc t.csv --target class --columns a,b,c,kind",
    ];
    for line in pages {
        folder.done(&format!("{line} --explain --report page.html -q"));
        let page = folder.read("page.html");
        for heading in [
            "<h2>Importance of columns</h2>",
            "<h2>Partial dependence</h2>",
            "<h2>Contributions of columns to single predictions</h2>",
            "<h2>Training rows behind single predictions</h2>",
        ] {
            assert!(page.contains(heading), "{line}: {heading}");
        }
        assert!(!page.contains("\"NaN") && !page.contains(">NaN<"), "{line}");
    }
    // The same rows explained the same way each time.
    let twice = || folder.done(&format!("krr {LINE} --target y")).json()["contributions"].clone();
    assert_eq!(twice(), twice());
}
