//! `auto`: outputs, the time budget, refusals.

use serde_json::Value;

use crate::folder::{Folder, cells, houses, ring_table, rings};
use crate::tables::passengers;
use crate::texts;

/// The models of a JSON report.
pub fn models(object: &Value) -> Vec<&Value> {
    object["leaderboard"].as_array().expect("a list of models").iter().collect()
}

/// The model of that name.
pub fn model<'a>(object: &'a Value, name: &str) -> &'a Value {
    models(object).into_iter().find(|model| model["model"] == name).expect(name)
}

#[test]
fn the_summary_names_winner_certainty_cost_and_command() {
    let folder = Folder::new();
    folder.write("rings.csv", ring_table(90));
    let run = folder.done("auto rings.csv --target side --time 60");
    for part in [
        "best of 12 models for side in rings.csv: ",
        ", accuracy ",
        "over 5 folds; parameters are chosen within each",
        "no kernel method is better than the best baseline",
        "k = ",
        "compared on all 90",
        "of a budget of 60 s",
        "command     mercer ",
    ] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let table = cells(&run.out);
    assert_eq!(table[0], ["model", "accuracy", "std_error", "seconds", "kind", "status"]);
    assert_eq!(table.len(), 13);
    let scores: Vec<f64> = table[1..].iter().map(|row| row[1].parse().unwrap()).collect();
    assert!(scores.windows(2).all(|pair| pair[0] >= pair[1]), "{scores:?}");
    // Neighbours find rings too, and of equal scores the baseline comes first; a line does not divide them.
    assert_eq!([&table[1][0], &table[1][4]], ["nearest neighbours", "baseline"]);
    assert!(run.err.contains("no command fits nearest neighbours: command and model are those of"));
    let place = |name: &str| table.iter().position(|row| row[0] == name).unwrap();
    assert!(place("SVM (RBF)") < place("SVM (linear)"));
}

#[test]
fn the_object_says_which_models_are_not_told_apart() {
    let folder = Folder::new();
    folder.write("h.csv", houses(60));
    let object = folder.done("auto h.csv --target price --label id --metric rmse --json -q").json();
    assert_eq!((&object["task"], &object["metric"]), (&"regression".into(), &"rmse".into()));
    let models = models(&object);
    let score = |model: &Value| model["score"].as_f64().unwrap();
    assert!(models.windows(2).all(|pair| score(pair[0]) <= score(pair[1])));
    assert_eq!(object["best"], models[0]["model"]);
    let scores = |model: &Value| -> Vec<f64> {
        model["scores"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
    };
    let best = scores(models[0]);
    let mut close = Vec::new();
    for other in &models[1..] {
        let gaps: Vec<f64> = scores(other).iter().zip(&best).map(|(a, b)| a - b).collect();
        let mean = gaps.iter().sum::<f64>() / 5.0;
        let squares: f64 = gaps.iter().map(|gap| (gap - mean).powi(2)).sum();
        if mean <= 2.0 * (squares / 20.0).sqrt() {
            close.push(other["model"].clone());
        }
    }
    assert_eq!(object["undecided"], Value::Array(close));
    let is_kernel = models[0]["baseline"] == false;
    assert_eq!(object["kernel_is_better"], is_kernel);
    assert_eq!(model(&object, "nearest neighbours")["chosen"].as_array().unwrap().len(), 5);
    assert!(object["model"].is_null(), "nothing is fitted that nobody asked for");
}

#[test]
fn the_time_is_kept_and_baselines_are_always_done() {
    let folder = Folder::new();
    folder.write("h.csv", houses(900));
    let run = folder.done("auto h.csv --target price --label id --time 0.2 --json");
    let object = run.json();
    for name in ["mean", "nearest neighbours", "kernel ridge (linear)"] {
        assert_eq!(model(&object, name)["status"], "done", "{name}");
    }
    let late = models(&object).into_iter().filter(|model| model["status"] == "out of time");
    assert!(late.count() >= 4, "{}", run.err);
    assert!(run.err.contains("not done") && run.err.contains("--time sets the budget"));
}

#[test]
fn many_rows_are_drawn_from_and_the_model_knows_all() {
    let folder = Folder::new();
    folder.write("rings.libsvm", rings(300));
    let line = "auto rings.libsvm --task classification --max-rows 80 --time 20 -m m.mercer";
    let run = folder.done(line);
    assert!(run.err.contains("compared on 80 of 300, drawn at random (--seed 0)"), "{}", run.err);
    let saved = folder.done("inspect m.mercer --json").json();
    assert_eq!(saved["rows"], 300);
    let other =
        folder.done("auto rings.libsvm --max-rows 80 --task classification --seed 1 --json -q");
    assert_eq!((&other.json()["rows"], &other.json()["compared_rows"]), (&300.into(), &80.into()));
}

#[test]
fn gaps_categories_and_small_classes_are_taken_as_they_are() {
    let folder = Folder::new();
    folder.write("p.csv", passengers(80));
    folder.done("auto p.csv --target survived --columns ^name --time 10 -m m.mercer -q");
    folder.done("predict m.mercer p.csv -q");
    let row = |i: usize| {
        let class = if i < 50 {
            "a"
        } else if i < 100 {
            "b"
        } else {
            "c"
        };
        let t = i as f64;
        format!("{:.3},{:.3},{class}\n", t.sin() + t / 40.0, (1.7 * t).cos() - t / 60.0)
    };
    folder.write("s.csv", "u,v,k\n".to_string() + &(0..102).map(row).collect::<String>());
    let line = "auto s.csv --target k --metric balanced-accuracy --json";
    let object = folder.done(line).json();
    assert!(models(&object).iter().all(|model| model["status"] == "done"));
    // Without the last row the third class has a single one.
    folder.write("t.csv", "u,v,k\n".to_string() + &(0..101).map(row).collect::<String>());
    let run = folder.done("auto t.csv --target k");
    assert!(
        run.err.contains("classes with a single row") && run.err.contains(": c\n"),
        "{}",
        run.err
    );
}

#[test]
fn texts_are_compared_by_string_kernels() {
    let folder = Folder::new();
    folder.write("people.csv", texts::people());
    let line = "auto people.csv --target side --columns name -m m.mercer --json -q";
    let object = folder.done(line).json();
    assert_eq!(model(&object, "SVM (spectrum)")["status"], "done");
    assert_eq!(model(&object, "SVM (characters)")["baseline"], true);
    let found = cells(&folder.done("predict m.mercer people.csv -q").out);
    assert_eq!(found.len(), 11);
    folder.done("auto people.csv --target size --columns name --folds 3 -q");
}

#[test]
fn pictures_and_reports_show_all_models() {
    let folder = Folder::new();
    folder.write("h.csv", houses(40));
    let run =
        folder.done("auto h.csv --target price --label id -p a.svg -p a.png -p - --report a.html");
    for name in ["kernel ridge (polynomial)", "nearest neighbours"] {
        for text in [folder.read("a.svg"), folder.read("a.html"), run.out.clone()] {
            assert!(text.contains(name), "{name}");
        }
    }
    assert!(folder.read("a.html").contains("mercer auto h.csv"));
    assert!(run.out.contains('█') && folder.bytes("a.png").starts_with(b"\x89PNG"));
}

#[test]
fn impossible_requests_are_refused() {
    let folder = Folder::new();
    let rows =
        |y: &str| (0..20).map(|i| format!("{},{y}\n", f64::from(i).sin())).collect::<String>();
    folder.write("constant.csv", "x,y\n".to_string() + &rows("3.5"));
    folder.write("class.csv", "x,y\n".to_string() + &rows("a"));
    folder.write("few.csv", "x,y\n1,2\n2,3\n3,5\n");
    folder.write("h.csv", houses(40));
    let data = [
        ("auto constant.csv --target y", "the target is 3.5 in every row"),
        ("auto class.csv --target y", "the target has only one class"),
        ("auto few.csv --target y", "requires at least 10"),
        (
            "auto h.csv --target price --label id --metric accuracy",
            "--metric: accuracy does not score",
        ),
        ("auto h.csv --target price --label id --task classification", "different"),
        ("auto h.csv --target area,price --label id", "one target column"),
        ("auto h.csv --target price", "\"id\" holds text with 40 different values"),
        ("auto h.csv", "choose the target column"),
    ];
    for (line, message) in data {
        let run = folder.run(line);
        let code = if run.err.starts_with("mercer: --") { 2 } else { 1 };
        assert_eq!(run.code, Some(code), "{line}\n{}", run.err);
        assert!(run.err.contains(message), "{line}\n{}", run.err);
    }
    let usage = [
        "--time 0",
        "--folds 1",
        "--max-rows 5",
        "--task both",
        "--metric auc",
        "--task regression --metric accuracy",
        "-m h.csv",
    ];
    for flags in usage {
        let run = folder.run(&format!("auto h.csv --target price {flags}"));
        assert_eq!(run.code, Some(2), "{flags}\n{}", run.err);
    }
}
