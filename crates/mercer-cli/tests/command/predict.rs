//! `predict` and `inspect` with models of `krr`.

use crate::folder::{Folder, cells, difference, houses, small_table};

fn fitted() -> Folder {
    let folder = Folder::new();
    folder.write("h.csv", houses(80));
    folder.done("krr h.csv --target price --label id -q -m m.mercer -o fit.csv");
    folder
}

/// `h.csv` with its columns in another order, one more, and no target.
fn shuffled() -> String {
    let rows = cells(&houses(80));
    rows.iter().map(|r| format!("{},{},{},note,{}\n", r[3], r[0], r[1], r[2])).collect()
}

#[test]
fn the_training_table_gives_the_fit_again() {
    let folder = fitted();
    let run = folder.done("predict m.mercer h.csv");
    assert!(run.err.contains("prediction of price for 80 rows of h.csv"), "{}", run.err);
    assert!(run.err.contains("RMSE") && run.err.contains("(on this table)"), "{}", run.err);
    let fit = cells(&folder.read("fit.csv"));
    let fit: String = fit.iter().map(|r| format!("{},{}\n", r[0], r[2])).collect();
    let found = run.out.replacen("price", "prediction", 1);
    assert!(difference(&fit, &found) < 1e-9);
}

#[test]
fn columns_are_found_by_name_and_by_position() {
    let folder = fitted();
    let expected = folder.done("predict m.mercer h.csv -q").out;
    folder.write("u.csv", shuffled());
    let run = folder.done("predict m.mercer u.csv");
    assert_eq!(run.out, expected);
    assert!(!run.err.contains("score"), "{}", run.err);
    let text = houses(80);
    folder.write("bare.csv", text.split_once('\n').unwrap().1);
    let bare = folder.done("predict m.mercer bare.csv");
    assert_eq!(bare.out.lines().nth(3), expected.lines().nth(3));
    assert!(bare.err.contains("RMSE"), "{}", bare.err);
    let chosen = folder.done("predict m.mercer bare.csv --columns 2-4 --label 1 -q").out;
    assert_eq!(chosen.lines().nth(3), expected.lines().nth(3));
    let same = folder.done("predict m.mercer h.csv --label price -q").out;
    assert!(same.starts_with("price,prediction_price\n"), "{same}");
    folder.write("part.csv", "id,area\na,1\n");
    let run = folder.run("predict m.mercer part.csv -o o.csv");
    assert_eq!((run.code, folder.has("o.csv")), (Some(1), false));
    assert!(run.err.contains("the model needs column \"age\""), "{}", run.err);
}

#[test]
fn a_target_with_gaps_is_predicted_all_the_same() {
    let folder = fitted();
    let gap = houses(80).lines().take(4).collect::<Vec<_>>().join("\n");
    let (kept, _) = gap.rsplit_once(',').unwrap();
    folder.write("gap.csv", format!("{kept},\n"));
    let run = folder.done("predict m.mercer gap.csv");
    assert_eq!(run.out.lines().count(), 4);
    assert!(run.err.contains("not available: price is not a number in row 3"), "{}", run.err);
}

#[test]
fn standard_deviations_are_small_where_rows_are_known() {
    let folder = fitted();
    folder.write("far.csv", "id,area,age,rooms\na,1000,900,80\n");
    let near = cells(&folder.done("predict m.mercer h.csv --std -q").out);
    assert_eq!(near[0], ["id", "price", "price_std"]);
    let far = cells(&folder.done("predict m.mercer far.csv --std -q").out);
    let std = |row: &[String]| row[2].parse::<f64>().unwrap();
    assert!(near[1..].iter().all(|row| std(row) > 0.0 && std(row) < std(&far[1])));
}

#[test]
fn classes_come_with_their_scores() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    folder.done("krr t.csv --target kind -q -m m.mercer");
    let table = cells(&folder.done("predict m.mercer t.csv --scores -q").out);
    assert_eq!(table[0], ["kind", "score_blue", "score_green", "score_red"]);
    for row in &table[1..] {
        let scores: Vec<f64> = row[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        let best = (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap();
        assert_eq!(row[0], ["blue", "green", "red"][best]);
    }
    let run = folder.done("predict m.mercer t.csv --json");
    assert!(run.err.contains("accuracy"), "{}", run.err);
    let object = run.json();
    assert_eq!((&object["command"], &object["rows"]), (&"predict".into(), &60.into()));
    assert_eq!(object["result"]["columns"][0], "kind");
    assert!(object["result"]["rows"][0][0].is_string());
    assert_eq!(object["scores"]["overall"]["measure"], "accuracy");
    let two: String = folder
        .read("t.csv")
        .lines()
        .filter(|l| !l.ends_with("blue"))
        .map(|l| format!("{l}\n"))
        .collect();
    folder.write("two.csv", two);
    folder.done("krr two.csv --target kind -q -m two.mercer");
    let table = cells(&folder.done("predict two.mercer two.csv --scores -q").out);
    assert_eq!(table[0], ["kind", "score_red"]);
    for row in &table[1..] {
        assert_eq!(row[0] == "red", row[1].parse::<f64>().unwrap() > 0.0);
    }
}

#[test]
fn every_format_takes_predictions() {
    let folder = fitted();
    for name in ["o.csv", "o.tsv", "o.parquet", "o.npy", "o.libsvm", "o.csv.gz"] {
        let run = folder.done(&format!("predict m.mercer h.csv -o {name}"));
        assert!(run.out.is_empty() && run.err.contains(name) && folder.has(name), "{name}");
    }
    assert!(folder.done("predict m.mercer h.csv -o o.csv --json -q").json()["result"].is_null());
}

#[test]
fn inspect_tells_of_regressions() {
    let folder = fitted();
    let text = folder.done("inspect m.mercer").out;
    for part in [
        "kernel ridge regression, fitted on 80 rows × 3 columns",
        "target      price",
        "with intercept",
        "alpha ",
        "R² 0.9",
        " ± ",
        "condition",
        "residual",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let fit = folder.done("krr h.csv --target price --label id -q --json").json();
    let object = folder.done("inspect m.mercer --json").json();
    for key in ["estimator", "rows", "kernel", "regression", "scaling", "column_names"] {
        assert_eq!(object[key], fit[key], "{key}");
    }
    assert!(object["components"].is_null() && object["explained_variance"].is_null());
    folder.write("t.csv", small_table(30));
    folder.done("krr t.csv --target kind -q -m c.mercer");
    let text = folder.done("inspect c.mercer").out;
    assert!(text.contains("3: blue, green, red") && text.contains("accuracy"), "{text}");
}

#[test]
fn each_kind_of_model_has_its_verb() {
    let folder = fitted();
    folder.done("pca h.csv --label id -q -m p.mercer -o c.csv");
    let run = folder.run("transform m.mercer h.csv");
    assert_eq!(run.code, Some(1));
    assert!(
        run.err.contains("this model makes predictions") && run.err.contains("`mercer predict`")
    );
    let run = folder.run("predict p.mercer h.csv");
    assert_eq!(run.code, Some(1));
    assert!(run.err.contains("not predictions") && run.err.contains("`mercer transform`"));
}

#[test]
fn noise_is_part_of_the_deviation_of_new_values() {
    let folder = Folder::new();
    // A sum of twelve uniform numbers is nearly normal; standard deviation 0.3.
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut rows = |n: usize| {
        let mut text = String::from("x,y\n");
        for i in 0..n {
            let x = i as f64 * 12.0 / n as f64;
            let noise: f64 = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
            text += &format!("{x},{}\n", x.sin() + 0.3 * noise);
        }
        text
    };
    folder.write("train.csv", rows(300));
    folder.write("new.csv", rows(200));
    folder.done("krr train.csv --target y -m m.mercer");
    let truth = cells(&folder.read("new.csv"));
    let covered = |flags: &str| {
        let found = cells(&folder.done(&format!("predict m.mercer new.csv {flags} -q")).out);
        assert_eq!(found[0], ["y", "y_std"]);
        let number = |text: &String| text.parse::<f64>().unwrap();
        let is_inside = |i: &usize| {
            let apart = number(&truth[*i][1]) - number(&found[*i][0]);
            apart.abs() <= 1.645 * number(&found[*i][1])
        };
        (1..=200).filter(is_inside).count()
    };
    assert!((170..=190).contains(&covered("--std --noise")), "{}", covered("--std --noise"));
    assert!(covered("--std") < 100, "{}", covered("--std"));
    crate::bad_input::check(&folder, "predict m.mercer new.csv --noise", 2, &["--std"]);
}
