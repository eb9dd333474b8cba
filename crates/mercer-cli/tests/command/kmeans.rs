//! `kmeans` on good tables: clusters, files, pictures, new rows.

use std::collections::HashMap;

use crate::folder::{Folder, cells, clouds, difference, ring_table};
use crate::svm_fit::{check, number};
use crate::svm_pictures::check as drawn;

/// The numbers of a column of a CSV text.
pub fn column(text: &str, name: &str) -> Vec<f64> {
    let table = cells(text);
    let place = table[0].iter().position(|title| title == name).expect(name);
    table[1..].iter().map(|row| row[place].parse().expect("a number")).collect()
}

#[test]
fn clouds_are_found_and_told() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    let run = folder.done("kmeans t.csv -k 3 --label cloud -o o.csv -m m.mercer -v");
    check(
        &run.err,
        &[
            "kernel k-means of t.csv: 60 rows × 3 columns, standardised",
            "label       cloud (kept in the output, not used in the fit)",
            "kernel      rbf(gamma=0.333333)",
            "clusters    3, 20 rows each",
            "objective   ",
            ", converged; best of 10 k-means++ initialisations",
            "storage     ",
            "written     o.csv, m.mercer",
        ],
    );
    assert!(!run.err.contains("warning"), "{}", run.err);
    assert!(run.out.starts_with("cluster,rows,share,mean_distance\n"), "{}", run.out);
    assert_eq!(column(&run.out, "rows"), [20.0; 3]);
    let rows = folder.read("o.csv");
    assert_eq!(cells(&rows)[0], ["cloud", "cluster", "distance"]);
    let mut cluster_of = HashMap::new();
    for row in &cells(&rows)[1..] {
        assert_eq!(*cluster_of.entry(row[0].clone()).or_insert(row[1].clone()), row[1]);
    }
    assert_eq!(cluster_of.len(), 3);
    let (clusters, distances) = (column(&rows, "cluster"), column(&rows, "distance"));
    for (cluster, mean) in (1..).zip(column(&run.out, "mean_distance")) {
        let own = clusters.iter().zip(&distances).filter(|(c, _)| **c == f64::from(cluster));
        let sum: f64 = own.map(|(_, distance)| distance).sum();
        assert!((sum / 20.0 - mean).abs() < 1e-12, "{cluster}: {sum} {mean}");
    }
    let object = folder.done("kmeans t.csv -k 3 --label cloud --json -q").json();
    let squares: f64 = distances.iter().map(|distance| distance * distance).sum();
    assert!((number(&object["clustering"]["inertia"]) / squares - 1.0).abs() < 1e-9);
    assert_eq!(object["clustering"]["sizes"], serde_json::json!([20, 20, 20]));
    assert_eq!(object["result"]["columns"], serde_json::json!(["cluster", "distance"]));
    assert_eq!(
        (&object["command"], &object["estimator"]),
        (&"kmeans".into(), &"kernel_kmeans".into())
    );
    assert!(object["components"].is_null() && object["detector"].is_null());
}

#[test]
fn a_linear_kernel_measures_plain_distances() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(45));
    let line = "kmeans t.csv -k 4 --label cloud --kernel linear --scale none -q -o o.csv --json";
    let inertia = number(&folder.done(line).json()["clustering"]["inertia"]);
    let (rows, output) = (clouds(45), folder.read("o.csv"));
    let (clusters, found) = (column(&output, "cluster"), column(&output, "distance"));
    let x: Vec<Vec<f64>> = ["x", "y", "z"].iter().map(|name| column(&rows, name)).collect();
    let mut sum = 0.0;
    for (row, cluster) in clusters.iter().enumerate() {
        let own: Vec<usize> = (0..45).filter(|&i| clusters[i] == *cluster).collect();
        let mean =
            |values: &Vec<f64>| own.iter().map(|&i| values[i]).sum::<f64>() / own.len() as f64;
        let square: f64 = x.iter().map(|values| (values[row] - mean(values)).powi(2)).sum();
        assert!((square.sqrt() - found[row]).abs() < 1e-7, "{row}");
        sum += square;
    }
    assert!((inertia / sum - 1.0).abs() < 1e-9, "{inertia} {sum}");
}

#[test]
fn the_best_of_several_starts_is_kept_and_seeds_repeat() {
    let folder = Folder::new();
    folder.write("t.csv", ring_table(90));
    let inertia = |flags: &str| {
        let line = format!("kmeans t.csv -k 7 --label side {flags} --json -q -o o.csv");
        let object = folder.done(&line).json();
        (number(&object["clustering"]["inertia"]), folder.read("o.csv"))
    };
    for init in ["k-means++", "random"] {
        let one = inertia(&format!("--init {init} --seed 3 --n-init 1"));
        assert_eq!(one, inertia(&format!("--init {init} --seed 3 --n-init 1 --threads 1")));
        assert!(inertia(&format!("--init {init} --seed 3 --n-init 8")).0 <= one.0);
    }
    let run = folder.done("kmeans t.csv -k 2 --label side --init spectral --n-init 5 -v");
    check(&run.err, &["; spectral initialisation"]);
    let run = folder.done("kmeans t.csv -k 7 --label side --n-init 4 -v");
    check(&run.err, &["best of 4 k-means++ initialisations"]);
    let run = folder.done("kmeans t.csv -k 7 --label side --init random --max-iter 1");
    check(&run.err, &["1, not converged (maximum 1)", "warning: "]);
}

#[test]
fn a_row_of_weight_two_counts_as_two_rows() {
    let folder = Folder::new();
    let text = clouds(30);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let weighted = |(i, row): (usize, &&str)| format!("{row},{}\n", i % 3);
    let repeated = |(i, row): (usize, &&str)| format!("{row}\n").repeat(i % 3);
    let head = "x,y,z,cloud";
    let table: String = rows.iter().enumerate().map(weighted).collect();
    folder.write("w.csv", format!("{head},w\n{table}"));
    let table: String = rows.iter().enumerate().map(repeated).collect();
    folder.write("r.csv", format!("{head}\n{table}"));
    let flags = "-k 1 --label cloud --kernel 'rbf(gamma=0.1)' --scale none -q";
    let one = folder.done(&format!("kmeans w.csv {flags} --weights w -m w.mercer")).out;
    let two = folder.done(&format!("kmeans r.csv {flags} -m r.mercer")).out;
    let mean = |text: &str| column(text, "mean_distance")[0];
    assert!((mean(&one) - mean(&two)).abs() < 1e-12);
    let of = |model: &str| folder.done(&format!("predict {model} w.csv -q")).out;
    assert!(difference(&of("w.mercer"), &of("r.mercer")) < 1e-9);
}

#[test]
fn new_rows_go_to_the_nearest_centre() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    let fit = folder.done("kmeans t.csv -k 3 --label cloud -o o.csv -m m.mercer");
    let run = folder.done("predict m.mercer t.csv");
    check(
        &run.err,
        &["prediction of clusters for 60 rows of t.csv", "m.mercer: kernel k-means", "20 rows"],
    );
    assert!(difference(&run.out, &folder.read("o.csv")) < 1e-7);
    folder.write("new.csv", "z,y,x\n2.1,0.9,9\n");
    let right = cells(&folder.read("o.csv")).into_iter().find(|row| row[0] == "right").unwrap();
    let run = folder.done("predict m.mercer new.csv");
    assert_eq!(cells(&run.out)[1][0], right[1]);
    let text = folder.done("inspect m.mercer").out;
    check(&text, &["m.mercer: kernel k-means, fitted on 60 rows × 3 columns", "x, y, z"]);
    check(&text, &["cluster  rows     share  mean_distance\n      1    20  0.333333"]);
    for line in fit.err.lines().skip(1).filter(|l| !l.contains("time ") && !l.contains("written "))
    {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    let fit = folder.done("kmeans t.csv -k 3 --label cloud --json -q").json();
    let object = folder.done("inspect m.mercer --json").json();
    for key in ["estimator", "kernel", "clustering", "scaling", "column_names", "label"] {
        assert_eq!(object[key], fit[key], "{key}");
    }
    folder.write("named.csv", clouds(30).replace("cloud\n", "cluster\n"));
    let run = folder.done("predict m.mercer named.csv --label cluster -q");
    assert_eq!(cells(&run.out)[0], ["cluster", "prediction_cluster", "distance"]);
}

#[test]
fn threads_and_precision_hardly_matter() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(70));
    let of = |flags: &str| {
        folder.done(&format!("kmeans t.csv -k 3 --label cloud -q -o o.csv {flags}"));
        folder.read("o.csv")
    };
    assert_eq!(of("--threads 1"), of("--threads 3"));
    assert!(difference(&of(""), &of("--precision f32")) < 1e-3);
    assert!(difference(&of(""), &of("--precision mixed")) < 1e-3);
}

#[test]
fn as_many_clusters_as_rows_or_one_or_rows_that_are_equal() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(12));
    let run = folder.done("kmeans t.csv -k 12 --label cloud");
    assert_eq!(column(&run.out, "rows"), [1.0; 12]);
    assert!(column(&run.out, "mean_distance").iter().all(|mean| *mean < 1e-6));
    assert_eq!(column(&folder.done("kmeans t.csv -k 1 --label cloud -q").out, "share"), [1.0]);
    folder.write("one.csv", "a,b\n1,2\n");
    assert_eq!(column(&folder.done("kmeans one.csv -k 1 -q").out, "rows"), [1.0]);
    folder.write("equal.csv", "a,b,c\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n");
    let run = folder.done("kmeans equal.csv -k 3 -o o.csv -m m.mercer -p p.svg");
    check(&run.err, &["warning: only 1 of 3 clusters", "clusters    3, 0 to 4 rows each"]);
    assert_eq!(column(&folder.read("o.csv"), "distance"), [0.0; 4]);
    assert!(run.out.contains("NaN"), "{}", run.out);
    let output = folder.done("predict m.mercer equal.csv -q").out;
    assert_eq!(output, folder.read("o.csv"));
}

#[test]
fn pictures_show_regions_components_or_a_strip() {
    let folder = Folder::new();
    folder.write("t.csv", clouds(60));
    folder.done("kmeans t.csv -k 3 --label cloud --columns x,y -q -p p.svg -p p.png");
    assert!(folder.bytes("p.png").starts_with(b"\x89PNG"));
    let svg = folder.read("p.svg");
    drawn(&svg, &["Kernel k-means of t.csv", "60 rows × 2 columns; rbf(gamma=0.5)", ">x<", ">y<"]);
    drawn(
        &svg,
        &[">cluster<", ">1: 20 rows<", ">3: 20 rows<", ">boundary<", "3 clusters, objective"],
    );
    folder.done("kmeans t.csv -k 3 --label cloud -q -p p.svg");
    drawn(&folder.read("p.svg"), &["component 1 (", "component 2 (", ">2: 20 rows<"]);
    folder.done("kmeans t.csv -k 3 --columns x -q -p p.svg");
    drawn(&folder.read("p.svg"), &[">x<", ">cluster<", ">1: "]);
    folder.done("kmeans t.csv -k 20 --label cloud --columns x,y -q -p p.svg");
    drawn(&folder.read("p.svg"), &["… 6 more"]);
    folder.write("equal.csv", "a,b\n1,2\n1,2\n1,2\n");
    folder.done("kmeans equal.csv -k 2 -q -p p.svg -p p.png");
    drawn(&folder.read("p.svg"), &[">1: 3 rows<", ">2: 0 rows<"]);
}
