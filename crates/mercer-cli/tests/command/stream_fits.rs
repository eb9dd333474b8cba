//! Regressions, clusters and features of tables that exceed the memory budget are those of the same tables in memory, to the last bit.

use crate::folder::Folder;
use crate::svm_fit::check;

const ROWS: usize = 12_000;
const SMALL: &str = "--memory 4200000";

/// Numbers, two targets, a class, weights and a name.
fn table(rows: usize) -> String {
    let mut text = String::from("a,b,c,y,z,w,kind,name\n");
    for i in 0..rows {
        let value = |k: usize| ((i * (2 * k + 3)) as f64 * 0.37 + k as f64).sin();
        let (y, z) = (3.0 * value(0) + value(1), value(2) - value(0));
        let kind = if y > 1.5 {
            "high"
        } else if z > 0.3 {
            "mixed"
        } else {
            "low"
        };
        // The last class comes late.
        let kind = if i > 9000 && i % 50 == 0 { "rare" } else { kind };
        let (a, b, c, w) = (value(0), value(1), 10.0 * value(2), i % 3);
        text += &format!("{a},{b},{c},{y},{z},{w},{kind},n{i}\n");
    }
    text
}

/// A table, and the same rows in a directory, whose files are blocks.
fn folder() -> Folder {
    let folder = Folder::new();
    let text = table(ROWS);
    folder.write("t.csv", &text);
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for (number, part) in lines[1..].chunks(2500).enumerate() {
        folder
            .write(&format!("parts/{number}.csv"), format!("{}\n{}\n", lines[0], part.join("\n")));
    }
    folder
}

/// The line of a fit in blocks.
fn in_blocks(line: &str) -> String {
    format!("{} {SMALL}", line.replace("t.csv", "parts"))
}

/// Runs `line` in memory and in blocks; their results and models' predictions are the same.
fn same(folder: &Folder, line: &str) {
    let whole = folder.done(&format!("{line} -o whole.csv -m whole.mercer"));
    assert!(!whole.err.contains("exceeds"), "{}", whole.err);
    let run = folder.done(&format!("{} -o blocks.csv -m blocks.mercer", in_blocks(line)));
    check(&run.err, &["12,000 rows", "exceeds the memory budget", "5 blocks", "passes"]);
    assert_eq!(folder.read("blocks.csv"), folder.read("whole.csv"), "{line}");
}

const KRR: &str = "krr t.csv --columns a,b,c --label name --landmarks 6 --landmark-method uniform";

#[test]
fn regressions_in_blocks_are_those_in_memory() {
    let folder = folder();
    for flags in [
        "--target y",
        "--target y,z --weights w --kernel 'rbf(gamma=0.3)' --alpha 0.01,0.1 --alpha-per-target",
        "--target y --kernel 'rbf(gamma=scale)' --gcv --scale minmax --no-intercept",
        "--target y --kernel 'rbf(gamma=0.2)' --alpha 0.1 --no-score --precision mixed --scale none",
    ] {
        same(&folder, &format!("{KRR} {flags}"));
    }
    // Scores, too.
    let line = format!("{KRR} --target y --alpha 0.01,0.1 --json -q");
    let (whole, blocks) = (folder.done(&line).json(), folder.done(&in_blocks(&line)).json());
    assert_eq!(whole["grid"][0]["scores"], blocks["grid"][0]["scores"]);
    assert_eq!(whole["chosen"], blocks["chosen"]);
    let r2 = |of: &serde_json::Value| of["regression"]["scores"]["overall"]["r2"].as_f64().unwrap();
    assert!((r2(&whole) - r2(&blocks)).abs() < 1e-9, "{whole}");
    assert!(
        whole["report"]["landmarks"]["full_system"] == blocks["report"]["landmarks"]["full_system"]
    );
}

#[test]
fn classes_in_blocks_are_those_of_all_rows() {
    let folder = folder();
    same(&folder, &format!("{KRR} --target kind --weights w --alpha 0.01,1"));
    let run =
        folder.done(&format!("{} -m k.mercer", in_blocks(&format!("{KRR} --target kind --gcv"))));
    check(&run.err, &["kernel ridge classification", "4: high, low, mixed, rare"]);
    let run = folder.done(&format!("predict k.mercer t.csv {SMALL} -o p.csv"));
    check(&run.err, &["exceeds the memory budget"]);
    // Numbers as classes.
    same(&folder, &format!("{KRR} --target w --classify --kernel 'rbf(gamma=0.5)' --alpha 0.1,1"));
    let run =
        folder.run(&format!("krr t.csv --columns a,b --landmarks 6 --landmark-method uniform --target name --gcv {SMALL}"));
    assert!(run.code == Some(1) && run.err.contains("different class"), "{}", run.err);
}

#[test]
fn all_rows_say_whether_a_label_is_a_class() {
    let folder = Folder::new();
    let rows = |label: &str, from: usize, to: usize| -> String {
        (from..to).map(|i| format!("{label} 1:{} 2:{}\n", i % 17, i * i % 23)).collect()
    };
    // In the order of the labels: the first block has one alone.
    for (name, last) in [("classes", "2"), ("values", "2.5")] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        folder.write(&format!("{name}/0.libsvm"), rows("1", 0, 9000));
        folder.write(&format!("{name}/1.libsvm"), rows(last, 9000, ROWS));
    }
    let line = "--landmarks 4 --landmark-method uniform --kernel 'rbf(gamma=0.1)' --alpha 0.1 --no-score --memory 800000 --scale none";
    let run = folder.done(&format!("krr classes {line}"));
    check(&run.err, &["2 distinct integers", "kernel ridge classification", "exceeds the memory"]);
    let run = folder.done(&format!("krr values {line}"));
    check(&run.err, &["kernel ridge regression", "exceeds the memory", "2 blocks"]);
    assert!(!run.err.contains("treated as classes"), "{}", run.err);
}

#[test]
fn clusters_in_blocks_are_those_in_memory() {
    let folder = folder();
    let line = "kmeans t.csv --columns a,b,c --label name -k 3 --n-init 2 --landmarks 3 --landmark-method uniform";
    for flags in ["", "--weights w --row-numbers --scale minmax"] {
        same(&folder, &format!("{line} {flags}"));
        let clusters = |name: &str| {
            let facts = folder.done(&format!("inspect {name}.mercer --json")).json();
            facts["clustering"].clone()
        };
        assert_eq!(clusters("blocks"), clusters("whole"));
    }
}

#[test]
fn features_in_blocks_are_those_in_memory() {
    let folder = folder();
    let line = "features t.csv --columns a,b,c --label name";
    same(&folder, &format!("{line} --kernel rbf --landmarks 6 --landmark-method uniform"));
    let run = folder.done(&format!("transform blocks.mercer t.csv {SMALL} -o again.csv"));
    check(&run.err, &["exceeds the memory budget"]);
    assert_eq!(folder.read("again.csv"), folder.read("whole.csv"));
    for flags in [
        "--kernel 'rbf(gamma=0.2)' --components 8",
        "--kernel 'rbf(gamma=scale)' --components 8 --scale standard",
        "--kernel 'poly(degree=2)'",
    ] {
        folder.done(&format!("{line} {flags} -o whole.csv"));
        let run = folder.done(&format!("{} -o blocks.csv", in_blocks(&format!("{line} {flags}"))));
        check(&run.err, &["exceeds the memory budget"]);
        assert_eq!(folder.read("blocks.csv"), folder.read("whole.csv"), "{flags}");
    }
}

/// The medians of columns that are read in blocks are those of the table in memory, and new rows are filled with them.
#[test]
fn missing_values_in_blocks_are_filled_with_the_medians_of_all_rows() {
    let folder = Folder::new();
    let text = table(ROWS);
    let lines: Vec<&str> = text.lines().collect();
    // Rows without b, most of them in the last file.
    let holed = |(i, line): (usize, &&str)| match i {
        _ if i % 97 == 5 || (i > 10_500 && i % 5 == 0) => {
            let cells: Vec<&str> = line.split(',').collect();
            format!("{},,{}", cells[0], cells[2..].join(","))
        }
        _ => (*line).to_string(),
    };
    let rows: Vec<String> = lines[1..].iter().enumerate().map(holed).collect();
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    folder.write("t.csv", format!("{}\n{}\n", lines[0], rows.join("\n")));
    for (number, part) in rows.chunks(2500).enumerate() {
        folder
            .write(&format!("parts/{number}.csv"), format!("{}\n{}\n", lines[0], part.join("\n")));
    }
    let line = "kpca t.csv --columns a,b,c --label name -k 2 --landmarks 6 --landmark-method uniform --kernel 'rbf(gamma=0.3)'";
    let refused = folder.run(&in_blocks(&format!("{line} -o blocks.csv")));
    assert_eq!(refused.code, Some(1));
    check(&refused.err, &["0.csv: line 7, column \"b\"", "is missing a value", "--missing median"]);
    for flags in ["--scale none", "--scale standard", "--scale minmax"] {
        same(&folder, &format!("{line} --missing median {flags}"));
        for (model, output) in [("whole", "a.csv"), ("blocks", "b.csv")] {
            folder.done(&format!("transform {model}.mercer t.csv -o {output}"));
        }
        assert_eq!(folder.read("a.csv"), folder.read("b.csv"), "{flags}");
    }
    let said = folder.done(&in_blocks(&format!("{line} --missing median -o blocks.csv")));
    check(&said.err, &["values filled: b ("]);
    folder.done(&format!("transform blocks.mercer parts {SMALL} -o b.csv"));
    assert_eq!(folder.read("a.csv"), folder.read("b.csv"));
    same(
        &folder,
        &format!("{KRR} --target y --alpha 0.1 --kernel 'rbf(gamma=0.3)' --missing median"),
    );
}

#[test]
fn refusals_say_what_reads_in_blocks() {
    let folder = folder();
    folder.done(&format!(
        "{KRR} --target y --alpha 0.1 --no-score --kernel 'rbf(gamma=1)' -m m.mercer"
    ));
    let tiny = "--memory 300000";
    for (line, way_out) in [
        (
            "krr t.csv --columns a,b,c --target y",
            "fit with --landmarks, which reads a table in blocks",
        ),
        (
            "kmeans t.csv --columns a,b,c -k 2",
            "fit with --landmarks, which reads a table in blocks",
        ),
        ("outliers t.csv --columns a,b,c", "fit with --landmarks, which reads a table in blocks"),
        ("predict m.mercer t.csv", "--output, which reads a table in blocks"),
        ("features t.csv --columns a,b,c --kernel 'poly(degree=2)'", "--output, which reads"),
    ] {
        let run = folder.run(&format!("{line} {tiny}"));
        assert!(run.code == Some(1) && run.err.contains(way_out), "{line}: {}", run.err);
    }
    for flags in ["--folds 3", "--test 0.2", "--nested", "--explain", "--plot p.svg"] {
        let run = folder.run(&format!("{KRR} --target y {SMALL} {flags}"));
        check(&run.err, &["not available for a table that is read in blocks"]);
    }
    let run = folder.run(&format!("{KRR} --target y --metric mae {SMALL}"));
    check(&run.err, &["squared error or the accuracy"]);
}

#[test]
fn machines_in_blocks_are_those_in_memory() {
    let folder = folder();
    let on = "--columns a,b,c --label name --landmarks 6 --landmark-method uniform";
    for line in [
        format!("svc t.csv {on} --target kind -C 10"),
        format!("svc t.csv {on} --target kind --class-weight balanced --weights w --scale minmax"),
        format!("svc t.csv {on} --target kind --nu 0.02"),
        format!("svr t.csv {on} --target y"),
        format!("svr t.csv {on} --target y --absolute --weights w"),
        format!("oneclass t.csv {on}"),
    ] {
        same(&folder, &line);
    }
    // Rows whose classes and weights come with them may be predicted in blocks, too.
    let run = folder.done(&format!("predict blocks.mercer parts {SMALL} -o again.csv"));
    check(&run.err, &["exceeds the memory budget"]);
}

#[test]
fn machines_in_blocks_refuse_what_needs_all_rows() {
    let folder = folder();
    let line = in_blocks("svc t.csv --columns a,b,c --label name --target kind --landmarks 6");
    for flags in ["--polish", "--probability sigmoid", "--intervals", "--test 0.2", "--plot p.svg"]
    {
        let run = folder.run(&format!("{line} {flags}"));
        let flag = flags.split(' ').next().unwrap();
        assert!(run.code != Some(0), "{flags}");
        check(&run.err, &[flag, "not available for a table that is read in blocks"]);
    }
    let exact = in_blocks("svc t.csv --columns a,b,c --label name --target kind");
    let run = folder.run(&exact);
    assert!(run.code != Some(0));
    check(&run.err, &["--landmarks, which reads a table in blocks"]);
}
