//! `search`: what is compared, what is chosen, what comes out.

use crate::folder::{Folder, cells, houses, small_table};

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn the_best_is_chosen_and_fitted_on_all_rows() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    let line = "search t.csv --target kind --columns y,z --costs 0.1,1,10 --gammas 0.1,1";
    let run = folder.done(&format!("{line} -m m.mercer"));
    let table = cells(&run.out);
    assert_eq!(
        (table.len(), &table[0][..]),
        (7, &["kernel", "cost", "accuracy", "std_error"].map(String::from)[..])
    );
    let scores: Vec<f64> = table[1..].iter().map(|row| row[2].parse().unwrap()).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    for part in [
        "support vector classification of kind",
        "(stratified 5-fold cross-validation, 2 kernels × 3 costs)",
        "score       accuracy",
    ] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let object = folder.done(&format!("{line} --json -q")).json();
    let place = |key: &str| object["chosen"][key].as_u64().unwrap() as usize;
    let chosen = &object["grid"][place("kernel")];
    assert_eq!(object["kernel"], chosen["kernel"]);
    assert_eq!(object["svm"]["c"], chosen["costs"][place("cost")]);
    assert_eq!(number(&chosen["scores"][place("cost")]), scores[0]);
    // The same as a fit with what was chosen.
    let cost = number(&object["svm"]["c"]);
    let kernel = object["kernel"].as_str().unwrap();
    folder.done(&format!(
        "svc t.csv --target kind --columns y,z --kernel '{kernel}' -C {cost} --tolerance 1e-6 -q -m n.mercer"
    ));
    let found = |model: &str| folder.done(&format!("predict {model} t.csv -q")).out;
    assert_eq!(found("m.mercer"), found("n.mercer"));
}

#[test]
fn numbers_are_predicted_unless_they_are_classes() {
    let folder = Folder::new();
    folder.write("h.csv", houses(60));
    let run = folder.done("search h.csv --target price --label id --absolute --costs 100,1000 --kernel 'rbf(gamma=0.1)' --epsilon 2");
    assert!(run.out.starts_with("kernel,cost,r2,std_error\n"), "{}", run.out);
    for part in [
        "support vector regression of price",
        "score       R² 0.9",
        "epsilon 2",
        "the largest in the grid",
    ] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let numbered = small_table(60).replace("red", "1").replace("green", "2").replace("blue", "10");
    folder.write("n.csv", numbered);
    let run = folder.done("search n.csv --target kind --costs 1 --gammas 1");
    assert!(run.err.contains("only 3 distinct values: add --classify"), "{}", run.err);
    let run = folder.done("search n.csv --target kind --costs 1 --gammas 1 --classify");
    assert!(run.err.contains("3: 1, 2, 10"), "{}", run.err);
}

#[test]
fn open_widths_stand_for_several_and_the_seed_decides_the_folds() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(45));
    let run = folder.done("search t.csv --target kind --columns z,y --costs 1,2 --kernel rbf --kernel linear --folds 3");
    assert!(
        run.err.contains("(stratified 3-fold cross-validation, 7 kernels × 2 costs)"),
        "{}",
        run.err
    );
    let grid = |seed: u32| {
        let line = format!(
            "search t.csv --target kind --columns z --costs 1 --gammas 1 --seed {seed} --json -q"
        );
        folder.done(&line).json()["grid"].clone()
    };
    assert!(grid(1) == grid(1) && (2..6).any(|seed| grid(seed) != grid(1)));
}

#[test]
fn what_is_found_is_saved_drawn_and_calibrated() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    let line = "search t.csv --target kind --columns x,y --costs 1 --gammas 0.5,1 --probability sigmoid \
                --class-weight balanced -m m.mercer -o o.csv -p p.svg -q";
    folder.done(line);
    assert!(folder.read("p.svg").contains("Support vector classification of kind (t.csv)"));
    assert!(folder.read("o.csv").starts_with("kind,prediction,probability_blue"));
    let text = folder.done("inspect m.mercer").out;
    assert!(text.contains("(stratified 5-fold cross-validation, 2 kernels × 1 cost)"), "{text}");
}
