//! Scores of searches and of held-out rows: metrics, folds, nested cross-validation, finer grids, intervals and sets of classes.

use crate::bad_input::check;
use crate::folder::{Folder, cells};

/// Noise between 0 and 1: the number k of row i, by splitmix64.
fn noise(i: usize, k: usize) -> f64 {
    let mut z = (1000 * i + k + 1) as u64;
    z = z.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Two overlapping classes with groups of four rows: `a,b,g,y`.
fn two_classes(n: usize, seed: usize) -> String {
    let row = |i: usize| {
        let (class, j) = (i % 2, i + 1000 * seed);
        let x = 1.2 * class as f64 + 2.0 * (noise(j, 1) + noise(j, 2)) - 2.0;
        format!("{x:.4},{:.4},g{},{}\n", noise(j, 3), i / 4, ["no", "yes"][class])
    };
    format!("a,b,g,y\n{}", (0..n).map(row).collect::<String>())
}

/// A noisy sine: `x,y`.
fn sine(n: usize, seed: usize) -> String {
    let row = |i: usize| {
        let j = i + 1000 * seed;
        let x = 6.0 * noise(j, 1);
        format!("{x:.4},{:.4}\n", x.sin() + 0.6 * (noise(j, 2) + noise(j, 3) - 1.0))
    };
    format!("x,y\n{}", (0..n).map(row).collect::<String>())
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("c.csv", two_classes(160, 0));
    folder.write("new.csv", two_classes(600, 1));
    folder.write("r.csv", sine(200, 0));
    folder.write("later.csv", sine(600, 1));
    folder
}

#[test]
fn held_out_rows_have_all_metrics() {
    let folder = folder();
    let line = "svc c.csv --target y --columns a,b --test 0.3 --probability sigmoid --json";
    let run = folder.done(line);
    let test = run.json()["test"].clone();
    for metric in ["roc_auc", "roc_auc_std_error", "log_loss", "brier", "calibration_error"] {
        let value = test[metric].as_f64().unwrap();
        assert!((0.0..2.0).contains(&value), "{metric}: {value}");
    }
    assert!(run.err.contains("ROC AUC") && run.err.contains("Brier score"), "{}", run.err);
    let plain = folder.done("svc c.csv --target y --columns a,b --test 0.3 --json -q").json();
    assert!(plain["test"]["log_loss"].is_null() && plain["test"]["roc_auc"].is_number());
    let test = folder.done("krr r.csv --target y --test 0.3 --json -q").json()["test"].clone();
    let (mae, rmse) = (&test["mae"], &test["scores"]["overall"]["value"]);
    assert!(mae.as_f64().unwrap() < rmse.as_f64().unwrap(), "{test}");
    let coverage = test["intervals"]["coverage"].as_f64().unwrap();
    assert!((0.75..=1.0).contains(&coverage) && test["intervals"]["pinball"].is_number(), "{test}");
}

#[test]
fn searches_choose_by_the_metric() {
    let folder = folder();
    for metric in ["accuracy", "balanced-accuracy", "macro-f1", "mcc", "roc-auc"] {
        let line = format!("search c.csv --target y --columns a,b --costs 1,10 --metric {metric}");
        let object = folder.done(&format!("{line} --json -q")).json();
        let name = object["svm"]["fit"]["search"]["score"]["measure"].as_str().unwrap().to_string();
        assert_eq!(name.replace("matthews", "mcc").replace('_', "-"), metric);
        folder.done(&format!("krr c.csv --target y --columns a,b --metric {metric} -q"));
    }
    let r2 = folder.done("krr r.csv --target y --metric r2");
    assert!(r2.err.contains("score       R² 0."), "{}", r2.err);
    let mae = folder.done("search r.csv --target y --metric mae --json").json();
    let score = mae["svm"]["fit"]["search"]["score"]["value"].as_f64().unwrap();
    assert!((0.05..0.5).contains(&score), "{score}");
    check(&folder, "krr r.csv --target y --metric mcc", 1, &["metric", "mcc", "r2, rmse, mae"]);
    check(&folder, "search c.csv --target y --metric f2", 2, &["macro-f1"]);
    check(&folder, "krr c.csv --target y --gcv --metric mcc", 2, &["--metric", "--gcv"]);
}

#[test]
fn losses_of_probabilities_and_quantiles_are_metrics() {
    let folder = folder();
    // The score of the choice and of the whole search, which has to be of the metric.
    let found = |line: &str, metric: &str| {
        let report = folder.done(&format!("search {line} --json -q")).json();
        let [kernel, cost] =
            ["kernel", "cost"].map(|key| report["chosen"][key].as_u64().unwrap() as usize);
        assert_eq!(report["nested"]["score"]["measure"], metric, "{line}");
        let own = report["grid"][kernel]["scores"][cost].as_f64().unwrap();
        (own, report["nested"]["score"]["value"].as_f64().unwrap())
    };
    let line = "c.csv --target y --columns a,b --probability sigmoid --costs 0.1,10 --kernel 'rbf(gamma=0.5)' --folds 3 --nested=2";
    for (metric, key, chance) in [("log-loss", "log_loss", 2.0_f64.ln()), ("brier", "brier", 0.25)]
    {
        let (own, outer) = found(&format!("{line} --metric {metric}"), key);
        let between = |loss: f64| loss > 0.1 * chance && loss < chance;
        assert!(between(own) && between(outer), "{metric}: {own} {outer}");
    }
    // In time order too, where calibration sees earlier rows alone.
    found(&format!("{line} --metric brier --time-ordered"), "brier");
    let (own, outer) = found(
        "r.csv --target y --costs 0.1,10 --kernel rbf --metric pinball --nested=2",
        "pinball",
    );
    assert!(own > 0.01 && own < 0.1 && outer > 0.01 && outer < 0.1, "{own} {outer}");
    let krr = folder.done("krr r.csv --target y --metric pinball --json -q").json();
    // The mean of the largest tenth of errors, times 0.05: not more than twice the RMSE here.
    let loss = krr["regression"]["scores"]["overall"]["value"].as_f64().unwrap();
    assert!(loss > 0.01 && loss < 0.1, "{loss}");
    let refused = [
        ("search c.csv --target y --metric log-loss", "add --probability sigmoid"),
        ("krr c.csv --target y --metric brier", "use `mercer search --probability sigmoid`"),
        (
            "search r.csv --target y --metric brier --probability sigmoid",
            "--probability: the target is numeric",
        ),
        ("search c.csv --target y --metric pinball", "--metric: pinball does not score classes"),
        ("krr r.csv --target y --metric f2", "log-loss, brier"),
    ];
    for (line, message) in refused {
        let run = folder.run(line);
        assert_eq!(run.code, Some(2), "{line}: {}", run.err);
        assert!(run.err.contains(message), "{line}: {}", run.err);
    }
}

#[test]
fn small_classes_do_not_fail() {
    let folder = Folder::new();
    let row = |i: usize| {
        let class = usize::from(i >= 50) + usize::from(i >= 100);
        format!(
            "{:.3},{:.3},{}\n",
            2.0 * class as f64 + noise(i, 1),
            noise(i, 2),
            ["a", "b", "c"][class]
        )
    };
    let rows = |n: usize| format!("u,v,k\n{}", (0..n).map(row).collect::<String>());
    folder.write("t.csv", rows(102));
    for line in ["search t.csv --target k --costs 1,10", "krr t.csv --target k --folds 5"] {
        let run = folder.done(line);
        assert!(run.err.contains("c (2 rows)") && run.err.contains("stratified"), "{}", run.err);
    }
    folder.write("one.csv", rows(101));
    let run = folder.done("search one.csv --target k --costs 1,10");
    assert!(run.err.contains("whose training rows lack a class"), "{}", run.err);
}

#[test]
fn folds_keep_groups_together_and_time_in_order() {
    let folder = folder();
    let grouped = folder.done("krr c.csv --target y --groups g");
    assert!(grouped.err.contains("grouped 5-fold cross-validation"), "{}", grouped.err);
    let grouped = folder.done("search c.csv --target y --groups g --costs 1");
    assert!(grouped.err.contains("grouped 5-fold cross-validation"), "{}", grouped.err);
    let timed = folder.done("krr r.csv --target y --time-ordered --folds 3");
    assert!(timed.err.contains("time-ordered 3-fold"), "{}", timed.err);
    let repeated = folder.done("search c.csv --target y --columns a,b --repeats 3 --costs 1");
    assert!(repeated.err.contains("3 × stratified 5-fold"), "{}", repeated.err);
    check(&folder, "krr r.csv --target y --time-ordered --repeats 2", 2, &["--repeats"]);
    check(&folder, "svc c.csv --target y --groups g", 2, &["--groups requires --test"]);
}

#[test]
fn nested_scores_are_the_headline() {
    let folder = folder();
    for line in
        ["search c.csv --target y --columns a,b --costs 1,10", "krr c.csv --target y --columns a,b"]
    {
        let run = folder.done(&format!("{line} --nested=4 --json -m m.mercer"));
        let nested = run.json()["nested"].clone();
        assert_eq!(nested["folds"].as_array().unwrap().len(), 4);
        let score = nested["score"]["value"].as_f64().unwrap();
        assert!((0.5..1.0).contains(&score), "{nested}");
        let (outer, inner) = (run.err.find("nested "), run.err.find("inner score"));
        assert!(outer.unwrap() < inner.unwrap(), "{}", run.err);
        assert_eq!(folder.done("inspect m.mercer --json").json()["nested"], nested);
    }
}

#[test]
fn a_finer_grid_is_no_worse() {
    let folder = folder();
    let line = "search c.csv --target y --columns a,b --costs 0.1,1,10,100 --json -q";
    let score = |line: &str| {
        let search = folder.done(line).json()["svm"]["fit"]["search"].clone();
        (search["score"]["value"].as_f64().unwrap(), search["refined"].as_u64())
    };
    let (coarse, fine) = (score(line), score(&format!("{line} --refine --plot p.svg")));
    assert!(fine.0 >= coarse.0, "{fine:?} {coarse:?}");
    assert_eq!((coarse.1, fine.1), (None, Some(25)));
    let run = folder.done("search c.csv --target y --columns a,b --gammas 1e-6,1e-5,0.5 --costs 1");
    assert!(run.err.contains("the best gamma is the largest"), "{}", run.err);
}

#[test]
fn intervals_and_sets_hold_what_they_promise() {
    let folder = folder();
    let coverage = |fit: &str, table: &str| {
        folder.done(&format!("{fit} -m m.mercer -q"));
        let object =
            folder.done(&format!("predict m.mercer {table} --interval 0.9 --json -q")).json();
        (object["coverage"].as_f64().unwrap(), object["set_size"].as_f64())
    };
    for fit in [
        "svr r.csv --target y --intervals",
        "svr r.csv --target y --test 0.5",
        "search r.csv --target y --intervals",
    ] {
        let (share, _) = coverage(fit, "later.csv");
        assert!((0.83..0.97).contains(&share), "{fit}: {share}");
    }
    for fit in
        ["svc c.csv --target y --columns a,b --intervals", "krr c.csv --target y --columns a,b"]
    {
        let (share, size) = coverage(fit, "new.csv");
        assert!((0.83..0.99).contains(&share) && size.unwrap() < 2.0, "{fit}: {share}");
    }
    let table = folder.done("predict m.mercer new.csv --interval 0.99 -q").out;
    assert_eq!(cells(&table)[0], ["y", "y_set"]);
    assert!(cells(&table).iter().any(|row| row[1] == "no|yes"), "{table}");
    folder.done("svr r.csv --target y -m bare.mercer -q");
    check(&folder, "predict bare.mercer later.csv --interval 0.9", 1, &["--intervals", "--test"]);
}

#[test]
fn reports_show_held_out_rows_and_searches() {
    let folder = folder();
    folder.done(
        "svc c.csv --target y --columns a,b --test 0.3 --probability sigmoid --report svc.html -q",
    );
    let page = std::fs::read_to_string(folder.path().join("svc.html")).unwrap();
    for title in [
        "ROC curve of y",
        "Precision and recall of y",
        "Calibration of the",
        "Confusion matrix of y",
    ] {
        assert!(page.contains(title), "{title}");
    }
    folder.done("krr c.csv --target y --columns a,b --test 0.3 --report krr.html -q");
    let page = std::fs::read_to_string(folder.path().join("krr.html")).unwrap();
    assert!(page.contains("ROC curve of y") && !page.contains("Calibration of the"));
    folder.write(
        "wide.csv",
        sine(60, 0)
            .lines()
            .map(|l| format!("{l},{l}\n"))
            .collect::<String>()
            .replacen("x,y,x,y", "x,y,u,v", 1),
    );
    folder.done("search wide.csv --target y --plot map.svg --report s.html -q");
    let map = std::fs::read_to_string(folder.path().join("map.svg")).unwrap();
    assert!(map.contains("cost C") && map.contains("framed: chosen"), "{map}");
    let printed = folder.done("search wide.csv --target y --plot - -q").out;
    assert!(printed.contains("framed: chosen"), "{printed}");
}
