//! `--report`: the page that every fitting verb can write.

use crate::folder::{Folder, clouds, houses, ring_table, small_table, words};

/// The parts that every report has.
const SECTIONS: [&str; 10] = [
    "summary",
    "results",
    "pictures",
    "data",
    "settings",
    "details",
    "certificate",
    "computation",
    "files",
    "timings",
];

/// Runs `line` with a report and returns its page, whole and needing nothing from elsewhere.
fn page(folder: &Folder, line: &str) -> String {
    folder.done(&format!("{line} --report page.html -q"));
    let page = folder.read("page.html");
    let place = |id: &str| page.find(&format!("<section id=\"{id}\">"));
    let places = SECTIONS.map(|id| place(id).unwrap_or_else(|| panic!("{line}: no section {id}")));
    assert!(places.is_sorted(), "{line}: {places:?}");
    assert!(page.ends_with("</html>\n"), "{line}");
    // The name of the language of pictures is no address that anything is fetched from.
    let rest = page.replace("http://www.w3.org/2000/svg", "");
    for part in ["http://", "https://", "@import", "url(\"", "<link"] {
        assert!(!rest.contains(part), "{line}: {part}");
    }
    // Texts of a table may say what they like, where they are no tags.
    let mut tags = rest.split('<').filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag);
    assert!(tags.all(|tag| !tag.contains(" src=")), "{line}: something is fetched");
    assert_eq!(page.matches("<figure>").count(), page.matches("</svg>\n</figure>").count());
    page
}

fn has(page: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(page.contains(part), "no {part:?}"));
}

/// The command line on a page.
fn command(page: &str) -> String {
    let (_, rest) = page.split_once("<pre id=\"command\">mercer ").expect("a command");
    rest.split_once("</pre>").expect("its end").0.to_string()
}

#[test]
fn components_come_with_spectrum_and_certificate() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    for verb in ["pca", "kpca"] {
        let page = page(&folder, &format!("{verb} t.csv --label kind -k 3"));
        has(&page, &["component 1 (", "residual", "3 distinct values", "90 %", "converged"]);
        has(&page, &["3 components explain", "columns most correlated with it", "highest row"]);
        assert_eq!(page.matches("<figure>").count(), 2);
    }
}

#[test]
fn regressions_show_scores_and_agreement() {
    let folder = Folder::new();
    folder.write("h.csv", houses(60));
    let page = page(&folder, "krr h.csv --target price --label id");
    has(&page, &["predicted price", "penalty alpha", "condition number", "standard error"]);
    folder.write("t.csv", small_table(60));
    let page = self::page(&folder, "krr t.csv --target kind");
    has(&page, &["true classes in rows", "true class</th>", "leave-one-out predictions"]);
    // Without a score there is no path, but there are predictions.
    let plain = self::page(
        &folder,
        "krr t.csv --target x --columns y,z --kernel 'rbf(gamma=1)' --alpha 1 --no-score",
    );
    has(&plain, &["predicted x", "No score on rows outside of the fit", "training set; new rows"]);
}

#[test]
fn machines_are_plotted_for_any_input() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    folder.write("r.csv", ring_table(60));
    folder.write("h.csv", houses(60));
    let many = page(&folder, "svc t.csv --target kind");
    has(&many, &["component 1 (", "duality gap", "blue vs green", "true classes in rows"]);
    has(&many, &["plane through the mean", "misclassified", "No score on rows outside of the fit"]);
    let plane = page(&folder, "svc r.csv --target side");
    has(&plane, &["support vector", "margin"]);
    has(&page(&folder, "svr h.csv --target price --columns area,age,rooms"), &["predicted price"]);
    has(&page(&folder, "svr h.csv --target price --columns area"), &["tube"]);
    has(&page(&folder, "oneclass h.csv --columns area,age,rooms"), &["inside", "outside"]);
    let found = page(&folder, "search t.csv --target kind --costs 1,10 --folds 3");
    has(&found, &["cost C", "Cross-validation scores", "cross-validated accuracy"]);
    assert_eq!(found.matches("<figure>").count(), 3);
}

#[test]
fn machines_of_texts_have_a_picture_too() {
    let folder = Folder::new();
    let names = ["ann may", "ann lee", "bob ray", "bob fay", "ann ray", "bob lee"];
    let rows: String = names.iter().map(|name| format!("{name},{}\n", &name[..3])).collect();
    folder.write("n.csv", format!("name,first\n{rows}"));
    let page = page(&folder, "svc n.csv --target first --columns name --kernel 'spectrum(p=2)'");
    has(&page, &["component 1 (", "6 distinct values"]);
    // A picture by itself is still refused: it would have no columns for its axes.
    let run =
        folder.run("svc n.csv --target first --columns name --kernel 'spectrum(p=2)' --plot p.svg");
    assert_eq!(run.code, Some(2));
}

#[test]
fn clusters_and_outliers_are_shown() {
    let folder = Folder::new();
    folder.write("c.csv", clouds(60));
    has(&page(&folder, "kmeans c.csv -k 3 --label cloud"), &["Clusters", "mean_distance"]);
    folder.write("h.csv", houses(60));
    let page = page(&folder, "outliers h.csv --columns area,age");
    has(
        &page,
        &["Rows with the largest outlier scores", "threshold", "rank (largest score first)"],
    );
    assert_eq!(page.matches("<figure>").count(), 2);
}

#[test]
fn the_command_on_the_page_makes_the_page_again() {
    let folder = Folder::new();
    folder.write("it is.csv", small_table(40));
    // The memory that is free changes from run to run.
    let settings = "--label kind --kernel 'rbf(gamma=0.5)' -k 2 --memory 1GiB";
    let first = page(&folder, &format!("kpca 'it is.csv' {settings}"));
    let line = command(&first);
    assert!(words(&line).contains(&"it is.csv".to_string()), "{line}");
    folder.done(&line);
    let again = folder.read("page.html");
    let part = |page: &str| {
        let begin = page.find("<section id=\"results\">").unwrap();
        page[begin..page.find("<section id=\"details\">").unwrap()].to_string()
    };
    assert_eq!(part(&first), part(&again));
}

#[test]
fn names_and_texts_of_a_table_stay_texts() {
    let folder = Folder::new();
    let table = small_table(30).replace("x,y,z,kind", "<b>x</b>,y,z,\"<script>alert(1)</script>\"");
    folder.write("t.csv", table.replace("red", "\"<img src=x>\""));
    let page = page(&folder, "kpca t.csv --label 4 -k 2");
    assert_eq!(page.matches("<script>").count(), 1, "only the page's own");
    assert!(!page.contains("<img") && !page.contains("<b>"));
    has(&page, &["&lt;b&gt;x&lt;/b&gt;", "&lt;script&gt;alert(1)"]);
}

#[test]
fn a_page_is_one_of_the_files_that_appear_together_or_not_at_all() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(30));
    let run = folder.done("kpca t.csv --label kind --report r.html --plot p.svg -o o.csv");
    assert!(run.err.contains("written     o.csv, p.svg, r.html"), "{}", run.err);
    let object = folder.done("kmeans t.csv --label kind -k 2 --report r.html --json -q").json();
    assert_eq!(object["outputs"]["report_page"], "r.html");
    for (line, part) in [
        ("kpca t.csv --label kind --report r.pdf", "must be .html"),
        ("kpca t.csv --label kind --report no/r.html", "does not exist"),
        ("kpca t.csv --label kind --report r.html --plot r.html", ".svg or .png"),
        ("svc t.csv --target kind --report m.html -m m.html", "same file"),
        ("transform m.mercer t.csv --report r.html", "unexpected argument"),
    ] {
        let run = folder.run(line);
        assert_eq!(run.code, Some(2), "{line}");
        assert!(run.err.contains(part), "{line}: {}", run.err);
    }
    let empty = Folder::new();
    empty.write("t.csv", "x,y\n1,2\n1,inf\n");
    assert_eq!(empty.run("kpca t.csv --report r.html").code, Some(1));
    assert_eq!(empty.names(), ["t.csv"]);
}

#[test]
fn wide_tables_and_constant_columns_are_summarised() {
    let folder = Folder::new();
    let header: Vec<String> = (0..80).map(|j| format!("c{j}")).collect();
    let row = |i: usize| {
        let cells = (0..80).map(|j| if j == 0 { "7".into() } else { format!("{}", (i * j) % 11) });
        cells.collect::<Vec<_>>().join(",") + "\n"
    };
    let rows: String = (0..20).map(row).collect();
    folder.write("w.csv", format!("{}\n{rows}", header.join(",")));
    let page = page(&folder, "pca w.csv -k 2");
    has(&page, &["… 20 more columns", "constant"]);
}
