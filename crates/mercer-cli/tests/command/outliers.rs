//! `outliers` on good tables: the ranking, files, pictures, new rows.

use crate::folder::{Folder, cells, clouds, difference, houses};
use crate::kmeans::column;
use crate::svm_fit::{check, number};
use crate::svm_pictures::check as drawn;

/// Three clouds and, in row 41, something that belongs to none of them.
fn strange(rows: usize) -> String {
    let mut lines: Vec<String> = clouds(rows).lines().map(String::from).collect();
    lines.insert(41, "4.5,4.5,9.5,odd".into());
    lines.join("\n") + "\n"
}

#[test]
fn the_odd_row_comes_first() {
    let folder = Folder::new();
    folder.write("t.csv", strange(59));
    let line = "outliers t.csv --label cloud -k 2 --top 4 -o o.csv -m m.mercer";
    let run = folder.done(line);
    check(
        &run.err,
        &[
            "kernel PCA outlier detector of t.csv: 60 rows × 3 columns, standardised",
            "label       cloud (kept in the output, not used in the fit)",
            "kernel      rbf(gamma=0.333333), centred",
            "components  2, explaining ",
            "score       reconstruction: squared distance in feature space from the projection",
            "threshold   ",
            " (contamination 0.1)",
            "outliers    6 of 60 rows (10.0 %)",
            "written     o.csv, m.mercer",
        ],
    );
    let top = cells(&run.out);
    let titles = ["rank", "row", "cloud", "score", "score_ratio", "outlier", "percentile"];
    assert_eq!((top.len(), &top[0][..]), (5, &titles.map(String::from)[..]));
    assert_eq!(top[1][..3], ["1", "41", "odd"]);
    assert!((column(&run.out, "percentile")[0] - 100.0 * 59.0 / 60.0).abs() < 1e-10);
    assert_eq!(column(&run.out, "rank"), [1.0, 2.0, 3.0, 4.0]);
    let rows = folder.read("o.csv");
    assert_eq!(cells(&rows)[0], ["cloud", "row", "score", "score_ratio", "outlier", "rank"]);
    let scores = column(&rows, "score");
    let object = folder.done(&format!("{line} --json -q")).json();
    let threshold = number(&object["detector"]["threshold"]);
    for (row, output) in cells(&rows)[1..].iter().enumerate() {
        let above = scores.iter().filter(|other| **other > scores[row]).count();
        assert_eq!((&output[1], &output[5]), (&(row + 1).to_string(), &(above + 1).to_string()));
        let decision: f64 = output[3].parse().unwrap();
        assert!((decision * threshold / scores[row] - 1.0).abs() < 1e-12);
        assert_eq!(output[4] == "yes", scores[row] > threshold);
    }
    assert_eq!(number(&object["detector"]["outliers"]), 6.0);
    assert_eq!(object["estimator"], "kernel_pca_detector");
    assert!(object["result"].is_null() && object["components"] == 2);
}

#[test]
fn the_scores_set_the_threshold_on_request() {
    let folder = Folder::new();
    folder.write("t.csv", strange(119));
    let line = "outliers t.csv --label cloud -k 2 --contamination auto -m m.mercer --json -q";
    let detector = folder.done(line).json()["detector"].clone();
    let (share, outliers) = (number(&detector["contamination"]), number(&detector["outliers"]));
    assert!((1.0..30.0).contains(&outliers) && share == outliers / 120.0, "{detector}");
    let predicted = folder.done("predict m.mercer t.csv").out;
    let found =
        cells(&predicted)[1..].iter().filter(|row| row.contains(&"yes".to_string())).count();
    assert_eq!(found as f64, outliers);
    // Three clouds alone have no outliers.
    folder.write("usual.csv", clouds(120));
    let run = folder.done("outliers usual.csv --label cloud -k 2 --contamination auto -m u.mercer");
    assert!(
        run.err.contains("(contamination 0)") && run.err.contains("outliers    0 of"),
        "{}",
        run.err
    );
    let again = folder.done("outliers usual.csv --label cloud --from-model u.mercer");
    assert!(again.err.contains("outliers    0 of 120"), "{}", again.err);
    let wrong = folder.run("outliers t.csv --contamination 0.9");
    assert!(wrong.code == Some(2) && wrong.err.contains("or auto"), "{}", wrong.err);
}

/// Three components explain all of three columns: what is left are rounding errors, and no scores.
#[test]
fn scores_below_rounding_cause_a_warning() {
    let folder = Folder::new();
    folder.write("t.csv", strange(50));
    let run = folder.done("outliers t.csv --label cloud -k 3 --kernel linear -o o.csv");
    assert!(run.err.contains("51 of 51 training samples is below rounding"), "{}", run.err);
    let fewer = folder.done("outliers t.csv --label cloud -k 2 --kernel linear -o o.csv");
    assert!(!fewer.err.contains("below rounding"), "{}", fewer.err);
}

#[test]
fn scores_are_those_of_kernel_pca() {
    let folder = Folder::new();
    folder.write("t.csv", strange(50));
    folder.done("kpca t.csv --label cloud --scale standard -k 4 -q -m k.mercer -o k.csv");
    let errors = folder.done("transform k.mercer t.csv --errors -q").out;
    let scores = |flags: &str| {
        folder.done(&format!("outliers t.csv --label cloud -k 4 {flags} -q -o o.csv"));
        column(&folder.read("o.csv"), "score")
    };
    for (score, error) in scores("").iter().zip(column(&errors, "error")) {
        assert!((score - error).abs() < 1e-9, "{score} {error}");
    }
    let components = folder.read("k.csv");
    let along: Vec<Vec<f64>> =
        (1..=4).map(|i| column(&components, &format!("component_{i}"))).collect();
    for (row, score) in scores("--score projections").iter().enumerate() {
        let sum: f64 = along.iter().map(|component| component[row].abs()).sum();
        assert!((score - sum).abs() < 1e-7, "{row}: {score} {sum}");
    }
}

#[test]
fn contamination_sets_how_many() {
    let folder = Folder::new();
    folder.write("h.csv", houses(100));
    for (share, count) in [("0.01", 1.0), ("0.25", 25.0), ("0.5", 50.0)] {
        let line = format!("outliers h.csv --label id --contamination {share} --json -q");
        assert_eq!(number(&folder.done(&line).json()["detector"]["outliers"]), count);
    }
    let run = folder.done("outliers h.csv --label id -q");
    assert_eq!(cells(&run.out).len(), 11);
    assert_eq!(cells(&folder.done("outliers h.csv --label id --top 500 -q").out).len(), 101);
    let few = folder.done("outliers h.csv --label id --components 90% --json -q").json();
    let shares = few["explained_variance_ratio"].as_array().unwrap();
    assert!(shares.iter().map(number).sum::<f64>() >= 0.9);
}

#[test]
fn new_rows_are_evaluated_by_the_same_threshold() {
    let folder = Folder::new();
    folder.write("t.csv", strange(60));
    let fit = folder.done("outliers t.csv --label cloud -k 5 -o o.csv -m m.mercer");
    let run = folder.done("predict m.mercer t.csv");
    check(&run.err, &["prediction of outliers for 61 rows of t.csv", "outliers    6 rows (9.8 %)"]);
    let kept = cells(&folder.read("o.csv")).into_iter();
    let kept: String = kept.map(|r| [&r[0][..], &r[2], &r[3], &r[4]].join(",") + "\n").collect();
    assert!(difference(&run.out, &kept) < 1e-9);
    folder.write("new.csv", "x,y,z\n400,-400,90\n0,0,0\n");
    let output = cells(&folder.done("predict m.mercer new.csv -q").out);
    assert_eq!(output[0], ["score", "score_ratio", "outlier"]);
    assert_eq!((&output[1][2][..], &output[2][2][..]), ("yes", "no"));
    let text = folder.done("inspect m.mercer").out;
    check(
        &text,
        &["kernel PCA outlier detector, fitted on 61 rows × 3 columns", "component      variance"],
    );
    for line in fit.err.lines().skip(1).filter(|l| !l.contains("time ") && !l.contains("written "))
    {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    let fit = folder.done("outliers t.csv --label cloud -k 5 --json -q").json();
    let object = folder.done("inspect m.mercer --json").json();
    for key in ["estimator", "kernel", "detector", "components", "explained_variance", "label"] {
        assert_eq!(object[key], fit[key], "{key}");
    }
}

#[test]
fn components_that_leave_nothing_are_warned_of() {
    let folder = Folder::new();
    folder.write("t.csv", strange(50));
    let warned = |flags: &str| {
        let run = folder.done(&format!("outliers t.csv --label cloud {flags}"));
        run.err.contains("warning: the components explain all of the variance")
    };
    assert!(warned("-k all") && warned("--kernel linear -k 3"));
    assert!(!warned("-k 5") && !warned("-k all --score projections"));
}

#[test]
fn rows_that_are_equal_have_no_outliers() {
    let folder = Folder::new();
    folder.write("equal.csv", "a,b\n1,2\n1,2\n1,2\n1,2\n");
    let run = folder.done("outliers equal.csv -o o.csv -m m.mercer -p p.svg -p p.png");
    check(&run.err, &["outliers    0 of 4 rows (0.0 %)", "threshold   0 ("]);
    let output = folder.read("o.csv");
    assert_eq!(column(&output, "score"), [0.0; 4]);
    assert_eq!(column(&output, "rank"), [1.0; 4]);
    assert!(cells(&output)[1..].iter().all(|row| row[2] == "NaN" && row[3] == "no"), "{output}");
    let object = folder.done("outliers equal.csv --json -q").json();
    assert!(object["result"]["rows"][0][2].is_null());
}

#[test]
fn threads_and_precision_hardly_matter() {
    let folder = Folder::new();
    folder.write("t.csv", strange(70));
    let of = |flags: &str| {
        folder.done(&format!("outliers t.csv --label cloud -k 4 -q -o o.csv {flags}"));
        folder.read("o.csv")
    };
    assert_eq!(of("--threads 1"), of("--threads 3"));
    for flags in ["--precision f32", "--precision mixed"] {
        let (whole, narrow) = (column(&of(""), "score"), column(&of(flags), "score"));
        assert!(whole.iter().zip(narrow).all(|(a, b)| (a - b).abs() < 1e-4), "{flags}");
    }
}

#[test]
fn pictures_show_a_map_or_all_scores() {
    let folder = Folder::new();
    folder.write("t.csv", strange(60));
    folder.done("outliers t.csv --label cloud --columns x,y -k 4 -q -p p.svg -p p.png");
    assert!(folder.bytes("p.png").starts_with(b"\x89PNG"));
    let svg = folder.read("p.svg");
    drawn(&svg, &["Outliers of t.csv", "61 rows × 2 columns; rbf(gamma=0.5", "4 components"]);
    drawn(&svg, &[">x<", ">score<", "linearGradient", ">outliers: 6 rows<", ">threshold 0."]);
    folder.done("outliers t.csv --label cloud -q -p p.svg");
    let svg = folder.read("p.svg");
    drawn(&svg, &["rank (largest score first)", ">inliers: 55 rows<", "stroke-dasharray"]);
}
