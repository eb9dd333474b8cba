//! The number of clusters, chosen among several.
//!
//! The expected numbers are those of `mercer.choose_n_clusters` in Python, for standardised iris, `rbf` with gamma 0.25 and
//! k from 2 to 5: exact for the silhouette, which draws nothing, and within a few standard errors for the others.

use crate::folder::Folder;

/// The list `key` of the choice in a JSON report.
fn numbers(json: &str, key: &str) -> Vec<f64> {
    let choice = json.split_once("\"choice\":").expect("a choice").1;
    let list = choice.split_once(&format!("\"{key}\":[")).expect(key).1;
    let list = list.split(']').next().expect(key);
    list.split(',').map(|number| number.parse().expect(number)).collect()
}

fn chosen(folder: &Folder, criterion: &str) -> (String, Vec<f64>) {
    let line = format!(
        "kmeans iris.csv -k 2..5 --columns ^species --kernel 'rbf(gamma=0.25)' --choose {criterion} --json"
    );
    let json = folder.done(&line).out;
    let scores = numbers(&json, "scores");
    (json, scores)
}

#[test]
fn scores_are_those_of_python() {
    let folder = Folder::new();
    folder.done("demo --data iris.csv -q");
    let (json, scores) = chosen(&folder, "silhouette");
    let expected = [0.379540974628, 0.33932400319, 0.325950361921, 0.2894993237];
    for (score, expected) in scores.iter().zip(expected) {
        assert!((score - expected).abs() < 1e-10, "{score} {expected}");
    }
    assert!(json.contains("\"chosen\":2") && json.contains("\"clusters\":2,"), "{json}");
    let (json, scores) = chosen(&folder, "gap");
    let expected = [0.482768266063, 0.587389760568, 0.59145206195, 0.640756266479];
    for (score, expected) in scores.iter().zip(expected) {
        assert!((score - expected).abs() < 0.05, "{score} {expected}");
    }
    assert!(numbers(&json, "std_errors").iter().all(|error| *error < 0.05), "{json}");
    let (json, scores) = chosen(&folder, "stability");
    assert!(scores[0] > 0.99 && scores[2] < 0.9, "{scores:?}");
    assert!(json.contains("\"chosen\":2"), "{json}");
}

#[test]
fn the_choice_is_in_summary_model_and_report() {
    let folder = Folder::new();
    folder.done("demo --data iris.csv -q");
    let line = "kmeans iris.csv -k 2..4 --label species -m m.mercer --report r.html";
    let run = folder.done(line);
    assert!(
        run.err.contains("chosen by   silhouette") && run.err.contains("(chosen)"),
        "{}",
        run.err
    );
    assert!(folder.done("inspect m.mercer").out.contains("chosen by   silhouette"));
    assert!(folder.read("r.html").contains("Scores of the numbers of clusters"));
    let wrong = folder.run("kmeans iris.csv -k 2..150 --label species");
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("at most 149"), "{}", wrong.err);
}
