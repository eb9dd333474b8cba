//! What pages lead with: scores outside of the fit, the worst rows, explanations; and `--verbose` and `--explain`.

use crate::folder::{Folder, cells, clouds, houses, small_table};

/// A table whose target depends on `x` alone, with a row that does not fit.
fn line_table(rows: usize) -> String {
    let row = |i: usize| {
        let (x, z) = ((i * 37 % rows) as f64 / 10.0, (i * 53 % rows) as f64 / 10.0);
        let y = if i == 17 { -50.0 } else { 3.0 * x };
        format!("{x},{z},{y},r{i}\n")
    };
    format!("x,z,y,id\n{}", (0..rows).map(row).collect::<String>())
}

fn page(folder: &Folder, line: &str) -> String {
    folder.done(&format!("{line} --report page.html -q"));
    folder.read("page.html")
}

/// The first line of a page.
fn answer(page: &str) -> Option<&str> {
    let (_, rest) = page.split_once("<p class=\"answer\">")?;
    rest.split_once("</p>").map(|(answer, _)| answer)
}

fn section<'a>(page: &'a str, id: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<section id=\"{id}\">")).expect("the section");
    rest.split_once("</section>").expect("its end").0
}

#[test]
fn pages_lead_with_a_score_outside_of_the_fit() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(90));
    folder.write("l.csv", line_table(60));
    let held = page(&folder, "svc t.csv --target kind --test 0.3");
    assert!(answer(&held).unwrap().starts_with("Accuracy "), "{:?}", answer(&held));
    assert!(section(&held, "results").contains("held-out rows"));
    assert!(section(&held, "summary").contains("that the model was not fitted on"));
    let object = folder.done("svc t.csv --target kind --test 0.3 --json -q").json();
    let value = object["test"]["scores"]["overall"]["value"].as_f64().unwrap();
    assert!(answer(&held).unwrap().contains(&format!("{value:.2}")), "{:?}", answer(&held));
    let left_out = page(&folder, "krr l.csv --target y --label id");
    assert!(answer(&left_out).unwrap().starts_with("RMSE "), "{:?}", answer(&left_out));
    assert!(section(&left_out, "results").contains("leave-one-out predictions"));
    // Where there is only a score of the training set, it is no headline.
    let plain = page(&folder, "svc t.csv --target kind");
    assert_eq!(answer(&plain), None);
    assert!(section(&plain, "summary").contains("(training set)"));
    let none = page(&folder, "search t.csv --target kind --costs 1,10 --folds 3");
    assert!(section(&none, "summary").contains("slightly optimistic"));
}

#[test]
fn the_worst_row_is_named_by_its_label_and_its_number_in_the_table() {
    let folder = Folder::new();
    folder.write("l.csv", line_table(60));
    let first = |page: &str| {
        let results = section(page, "results").to_string();
        let (_, body) = results.split_once("<tbody>\n<tr>").expect("rows");
        body.split_once("</tr>").unwrap().0.to_string()
    };
    let all = first(&page(&folder, "krr l.csv --target y --label id"));
    assert!(all.contains(">18<") && all.contains(">r17<"), "{all}");
    // The last rows are held out: their numbers are those of the whole table.
    let last = page(&folder, "svr l.csv --target y --label id --test 0.75 --test-last");
    let row = first(&last);
    assert!(row.contains(">18<") && row.contains(">r17<") && row.contains("−50"), "{row}");
    // Rows that are left out because of missing values do not shift the others.
    let gaps = folder.read("l.csv").replacen("0,0,0,r0", ",0,0,r0", 1);
    folder.write("g.csv", gaps);
    let dropped = first(&page(&folder, "svr g.csv --target y --label id --missing drop"));
    assert!(dropped.contains(">18<") && dropped.contains(">r17<"), "{dropped}");
}

#[test]
fn summaries_are_short_unless_asked() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    folder.write("h.csv", houses(60));
    for line in [
        "pca t.csv --label kind",
        "kpca t.csv --label kind",
        "krr h.csv --target price --label id",
        "svc t.csv --target kind",
        "svr h.csv --target price --label id",
        "oneclass h.csv --label id",
        "search t.csv --target kind --costs 1,10 --folds 3",
        "kmeans t.csv --label kind -k 2",
        "outliers h.csv --label id",
    ] {
        let short = folder.done(line).err;
        for name in ["solver", "storage", "optimum", "cache", "condition", "time"] {
            assert!(!short.contains(&format!("\n  {name:<11} ")), "{line}: {short}");
        }
        let long = folder.done(&format!("{line} --verbose")).err;
        for name in ["solver", "storage", "time"] {
            assert!(long.contains(&format!("\n  {name:<11} ")), "{line}: {long}");
        }
    }
    // A failed certificate is always reported.
    let run = folder.done("kmeans t.csv --label kind -k 5 --max-iter 1 --n-init 1");
    assert!(run.err.contains("not converged") && run.err.contains("warning: "), "{}", run.err);
    assert_eq!(folder.run("pca t.csv --label kind -v -q").code, Some(2));
}

#[test]
fn importance_finds_the_column_that_matters() {
    let folder = Folder::new();
    folder.write("l.csv", line_table(80));
    for line in [
        "krr l.csv --target y --columns x,z",
        "krr l.csv --target y --columns x,z --test 0.3",
        "svr l.csv --target y --columns x,z",
        "search l.csv --target y --columns x,z --costs 1,10 --folds 3",
    ] {
        let object = folder.done(&format!("{line} --explain --json -q")).json();
        let importance = &object["importance"];
        assert_eq!(importance["columns"][0]["name"], "x", "{line}");
        assert!(importance["columns"][0]["std_error"].as_f64().unwrap() > 0.0);
        let from = if line.contains("--test") { "held_out" } else { "training" };
        assert_eq!(importance["rows_from"], from, "{line}");
    }
    let run = folder.done("krr l.csv --target y --columns x,z --explain");
    assert!(run.err.contains("importance  x "), "{}", run.err);
    assert!(
        folder.done("krr l.csv --target y --columns x,z --json -q").json()["importance"].is_null()
    );
    let shown = page(&folder, "svr l.csv --target y --columns x,z --explain");
    assert!(section(&shown, "explanation1").contains("growth of the RMSE"));
    folder.write("t.csv", small_table(60));
    let shown = page(&folder, "svc t.csv --target kind --explain --test 0.3");
    assert!(section(&shown, "explanation1").contains("held-out rows"));
    assert_eq!(folder.run("outliers l.csv --explain").code, Some(2));
}

#[test]
fn clusters_have_profiles_and_outliers_have_reasons() {
    let folder = Folder::new();
    folder.write("c.csv", clouds(60));
    let shown = page(&folder, "kmeans c.csv -k 3 --label cloud");
    assert!(section(&shown, "explanation1").contains("Clusters and labels"));
    assert!(section(&shown, "explanation2").contains("Profile of the clusters"));
    folder.write("l.csv", line_table(60));
    let shown = page(&folder, "outliers l.csv --label id --kernel linear -k 1 --top 3");
    let why = section(&shown, "explanation1");
    assert!(why.contains("r17") && why.contains("y = −50 (−"), "{why}");
}

#[test]
fn pages_name_the_files_with_their_checksums() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    folder.write("n.csv", small_table(30));
    let shown = page(&folder, "svc t.csv --target kind --test n.csv");
    let files = section(&shown, "files");
    for name in ["t.csv", "n.csv"] {
        let bytes = folder.read(name);
        let mut sum = flate2::Crc::new();
        sum.update(bytes.as_bytes());
        assert!(files.contains(&format!("{:08x}", sum.sum())), "{name}: {files}");
        assert!(files.contains(&format!("{} bytes", bytes.len())), "{name}: {files}");
        assert!(files.contains(&format!(">{}</td>", cells(&bytes).len() - 1)), "{name}: {files}");
    }
}
