//! `transform` and `inspect`: models used in a later run.

use crate::folder::{Folder, cells, difference, small_table};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    folder
}

/// `t.csv` with its columns in another order and one more.
fn shuffled() -> String {
    let rows = cells(&small_table(60));
    rows.iter()
        .enumerate()
        .map(|(i, r)| {
            let extra = if i == 0 { "note".into() } else { format!("n{i}") };
            format!("{extra},{},{},{},{}\n", r[3], r[2], r[0], r[1])
        })
        .collect()
}

#[test]
fn the_training_table_gives_the_embedding_again() {
    let folder = folder();
    for fit in [
        "pca t.csv --label kind --scale standard -k 3",
        "pca t.csv --label kind --scale minmax --whiten",
        "kpca t.csv --label kind --scale standard -k 5",
        "kpca t.csv --label kind --scale minmax --no-center",
        "kpca t.csv --label kind -k 4 --kernel '0.5*rbf(sigma=median) + poly(degree=2)'",
    ] {
        let embedding = folder.done(&format!("{fit} -m m.mercer -q")).out;
        let again = folder.done("transform m.mercer t.csv -q").out;
        assert!(difference(&embedding, &again) < 1e-10, "{fit}");
        folder.write("u.csv", shuffled());
        let by_name = folder.done("transform m.mercer u.csv -q").out;
        assert_eq!(by_name, again, "{fit}");
        std::fs::remove_file(folder.path().join("m.mercer")).unwrap();
    }
}

#[test]
fn tables_without_names_are_matched_by_position() {
    let folder = folder();
    folder.done("kpca t.csv --label kind -m m.mercer -o o.csv");
    let text = folder.read("t.csv");
    let bare = text.split_once('\n').unwrap().1;
    folder.write("bare.csv", bare);
    let same = folder.done("transform m.mercer bare.csv -q").out;
    assert_eq!(same.lines().nth(1), folder.done("transform m.mercer t.csv -q").out.lines().nth(1));
    let numbers: String =
        bare.lines().map(|line| line.rsplit_once(',').unwrap().0.to_string() + "\n").collect();
    folder.write("numbers.csv", numbers);
    let unlabelled = folder.done("transform m.mercer numbers.csv -q").out;
    assert!(unlabelled.starts_with("component_1,component_2\n"));
    let chosen = folder.done("transform m.mercer bare.csv --columns 1-3 --label 4 -q").out;
    assert_eq!(chosen.lines().nth(5), same.lines().nth(5));
    folder.done("kpca t.csv --columns z,x -m two.mercer -o two.csv");
    let two = folder.done("transform two.mercer bare.csv -q").out;
    assert!(difference(&folder.read("two.csv"), &two) < 1e-10);
}

#[test]
fn missing_columns_are_named() {
    let folder = folder();
    folder.done("pca t.csv --label kind -m m.mercer -o o.csv");
    folder.write("u.csv", "x,z\n1,2\n");
    let run = folder.run("transform m.mercer u.csv -o p.csv");
    assert_eq!(run.code, Some(1));
    assert!(
        run.err.contains("u.csv: the model needs column \"y\"") && run.err.contains("x, z"),
        "{}",
        run.err
    );
    let run = folder.run("transform m.mercer u.csv --columns x,z -o p.csv");
    assert!(run.err.contains("needs 3 columns, but --columns selects 2"), "{}", run.err);
    folder.write("u.csv", "1,2\n3,4\n");
    let run = folder.run("transform m.mercer u.csv -o p.csv");
    assert!(run.err.contains("needs 3 columns, but the table has 2"), "{}", run.err);
    assert!(!folder.has("p.csv"));
}

#[test]
fn libsvm_text_may_leave_zeros_out() {
    let folder = Folder::new();
    folder.write("train.libsvm", "a 1:1 2:2\nb 1:3 3:1\na 2:1\nb 1:2 3:4\n");
    folder.write("new.libsvm", "a 1:1 2:2\n");
    let embedding = folder.done("pca train.libsvm -m m.mercer -q").out;
    let new = folder.done("transform m.mercer new.libsvm -q").out;
    let first: String = embedding.lines().take(2).map(|line| line.to_string() + "\n").collect();
    assert!(difference(&first, &new) < 1e-12);
}

#[test]
fn components_lead_back_to_rows() {
    let folder = folder();
    folder.done("pca t.csv --label kind --scale standard -k 3 -m p.mercer -o c.csv");
    let restored = folder.done("transform p.mercer c.csv --inverse -q").out;
    let original =
        folder.done("pca t.csv --columns kind,x,y,z --label kind -k 3 -m x.mercer --json -o d.csv");
    assert_eq!(original.json()["columns"], 3);
    let text = folder.read("t.csv");
    let reordered: String =
        cells(&text).iter().map(|r| format!("{},{},{},{}\n", r[3], r[0], r[1], r[2])).collect();
    assert!(difference(&restored, &reordered) < 1e-12);
    folder
        .done("kpca t.csv --label kind -k 10 --inverse --inverse-alpha 0.001 -m k.mercer -o c.csv");
    let near = folder.done("transform k.mercer c.csv --inverse -q").out;
    assert!(difference(&near, &reordered) < 0.5);
    folder.done("kpca t.csv --label kind -m n.mercer -o c.csv");
    let run = folder.run("transform n.mercer c.csv --inverse -o r.csv");
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("--inverse") && !folder.has("r.csv"), "{}", run.err);
}

#[test]
fn errors_are_the_distances_to_the_projection() {
    let folder = folder();
    folder.done("pca t.csv --label kind -k 3 -m m.mercer -o c.csv");
    let run = folder.done("transform m.mercer t.csv --errors --json").json();
    assert_eq!(run["result"]["columns"][3], "error");
    let rows = run["result"]["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row[3].as_f64().unwrap() < 1e-20));
    folder.done("kpca t.csv --label kind -k 2 -m m.mercer -o c.csv");
    let table = cells(&folder.done("transform m.mercer t.csv --errors -q").out);
    assert!(table[1..].iter().all(|row| (0.0..=2.0).contains(&row[3].parse::<f64>().unwrap())));
}

#[test]
fn inspect_describes_the_model() {
    let folder = folder();
    let fit = folder
        .done("kpca t.csv --label kind --scale standard -k 3 --inverse -m m.mercer --json")
        .json();
    let text = folder.done("inspect m.mercer").out;
    for part in [
        "kernel PCA, fitted on 60 rows × 3 columns, standardised",
        "x, y, z",
        "kind",
        "rbf(gamma=",
        "inverse map",
        "component",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let object = folder.done("inspect m.mercer --json").json();
    for key in [
        "rows",
        "column_names",
        "label",
        "kernel",
        "explained_variance",
        "report",
        "scaling",
        "inverse",
    ] {
        assert_eq!(object[key], fit[key], "{key}");
    }
}

#[test]
fn pictures_of_new_rows_are_drawn() {
    let folder = folder();
    folder.done("kpca t.csv --label kind -k 1 -m m.mercer -o c.csv -p fit.svg");
    folder.done("transform m.mercer t.csv -o d.csv -p new.svg -p new.png");
    assert!(folder.read("new.svg").contains("t.csv projected by m.mercer"));
}
