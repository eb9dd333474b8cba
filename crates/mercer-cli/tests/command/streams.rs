//! Tables that exceed the memory budget are read in blocks, with the results of the same table in memory.

use crate::folder::Folder;
use crate::svm_fit::check;

const ROWS: usize = 6000;
const SMALL: &str = "--memory 1500000";

/// Numbers, a target and a name.
fn table(rows: usize) -> String {
    let mut text = String::from("a,b,c,y,name\n");
    for i in 0..rows {
        let value = |k: usize| ((i * (2 * k + 3)) as f64 * 0.37 + k as f64).sin();
        let name = ["ash", "elm", "oak"][i % 3];
        text +=
            &format!("{},{},{},{},{name}\n", value(0), value(1), 10.0 * value(2), value(0) * 3.0);
    }
    text
}

fn parts(folder: &Folder) {
    std::fs::create_dir(folder.path().join("parts")).unwrap();
    let text = table(ROWS);
    let mut lines = text.lines();
    let head = lines.next().unwrap();
    let lines: Vec<&str> = lines.collect();
    for (number, part) in lines.chunks(2500).enumerate() {
        folder.write(&format!("parts/{number}.csv"), format!("{head}\n{}\n", part.join("\n")));
    }
}

#[test]
fn kernel_pca_in_blocks_is_that_in_memory() {
    let folder = Folder::new();
    folder.write("t.csv", table(ROWS));
    parts(&folder);
    let line = "--columns a,b,c --label name -k 2 --landmarks 6 --landmark-method uniform";
    folder.done(&format!("kpca t.csv {line} -o whole.csv -m whole.mercer"));
    for (source, name) in [("t.csv", "one"), ("parts", "directory"), ("'parts/*.csv'", "pattern")] {
        let run =
            folder.done(&format!("kpca {source} {line} {SMALL} -o {name}.csv -m {name}.mercer"));
        check(&run.err, &["6,000 rows × 3 columns", "exceeds the memory budget", "passes"]);
        assert_eq!(folder.read(&format!("{name}.csv")), folder.read("whole.csv"), "{source}");
        let run = folder.done(&format!("transform {name}.mercer {source} {SMALL} -o again.csv"));
        check(&run.err, &["6,000 rows", "exceeds the memory budget", "1 pass"]);
        assert_eq!(folder.read("again.csv"), folder.read("whole.csv"));
    }
    // What fits is read whole, a directory too.
    let run = folder.done(&format!("kpca parts {line} -o memory.csv"));
    assert!(!run.err.contains("exceeds"), "{}", run.err);
    assert_eq!(folder.read("memory.csv"), folder.read("whole.csv"));
}

#[test]
fn outliers_and_predictions_in_blocks_are_those_in_memory() {
    let folder = Folder::new();
    folder.write("t.csv", table(ROWS));
    let line = "--columns a,b,c --label name -k 3 --landmarks 6 --landmark-method uniform";
    folder.done(&format!("outliers t.csv {line} -o whole.csv -m m.mercer"));
    let run = folder.done(&format!("outliers t.csv {line} {SMALL} -o blocks.csv"));
    check(&run.err, &["exceeds the memory budget"]);
    assert_eq!(folder.read("blocks.csv"), folder.read("whole.csv"));
    for flags in ["", "--row-numbers", "--append"] {
        folder.done(&format!("predict m.mercer t.csv {flags} -o p.csv"));
        folder.done(&format!("predict m.mercer t.csv {flags} {SMALL} -o q.csv"));
        assert_eq!(folder.read("p.csv"), folder.read("q.csv"), "{flags}");
    }
    folder.write("small.csv", table(300));
    folder.done("krr small.csv --columns a,b,c --target y --kernel rbf --alpha 0.1 -m krr.mercer");
    folder.done("predict krr.mercer t.csv -o p.parquet");
    let run = folder.done(&format!("predict krr.mercer t.csv {SMALL} -o q.parquet"));
    check(&run.err, &["not computed for a table that is read in blocks"]);
    folder.done("predict krr.mercer t.csv -o p.npy");
    folder.done(&format!("predict krr.mercer t.csv {SMALL} -o q.npy"));
    let numbers = |name: &str| {
        let bytes = folder.bytes(name);
        let header = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        bytes[header..].to_vec()
    };
    assert_eq!(numbers("p.npy"), numbers("q.npy"));
}

#[test]
fn rows_with_missing_values_are_named_or_left_out() {
    let folder = Folder::new();
    let text = table(ROWS);
    let mut lines: Vec<String> = text.lines().map(String::from).collect();
    lines[4321] = ",1,2,3,elm".into();
    folder.write("t.csv", lines.join("\n"));
    let line =
        "kpca t.csv --columns a,b,c --label name -k 2 --landmarks 6 --landmark-method uniform";
    let run = folder.run(&format!("{line} {SMALL} -o s.csv"));
    assert_eq!(run.code, Some(1));
    check(&run.err, &["line 4322, column \"a\" is missing a value", "--missing drop"]);
    assert!(!folder.has("s.csv"));
    folder.done(&format!("{line} --missing drop -o whole.csv"));
    folder.done(&format!("{line} --missing drop {SMALL} -o s.csv"));
    assert_eq!(folder.read("s.csv"), folder.read("whole.csv"));
    // All rows of a file, and so of a block.
    parts(&folder);
    folder.write("parts/9.csv", "a,b,c,y,name\n,1,2,3,elm\n,2,3,4,oak\n");
    folder.write("t.csv", table(ROWS));
    folder.done(&format!("{line} --missing drop -o whole.csv"));
    let line = line.replace("t.csv", "parts");
    folder.done(&format!("{line} --missing drop {SMALL} -o s.csv"));
    assert_eq!(folder.read("s.csv"), folder.read("whole.csv"));
}

#[test]
fn what_blocks_cannot_do_is_refused() {
    let folder = Folder::new();
    folder.write("t.csv", table(ROWS));
    let line = format!("kpca t.csv --columns a,b,c -k 2 --landmarks 6 {SMALL}");
    for (flags, message) in
        [("--plot p.svg", "--plot: not available"), ("--report r.html", "--report: not available")]
    {
        let run = folder.run(&format!("{line} {flags}"));
        assert!(run.code != Some(0) && run.err.contains(message), "{flags}: {}", run.err);
    }
    folder.done("kpca t.csv --columns a,b,c -k 2 --landmarks 6 -m m.mercer");
    let run = folder.run("kpca t.csv --columns a,b,c -k 2 --landmarks 2000 --memory 1MB");
    assert!(run.err.contains("use at most"), "{}", run.err);
    let run = folder.run(&format!("kpca 'none/*.csv' --landmarks 5 -k 2 {SMALL}"));
    assert_eq!(run.code, Some(1), "{}", run.err);
    parts(&folder);
    let run = folder.run(&format!("transform m.mercer parts {SMALL} -o parts/1.csv"));
    assert!(run.err.contains("is a file of the table"), "{}", run.err);
    folder.write("parts/9.csv", "a,b,c,y\n1,2,3,4\n5,6,7,8\n");
    let run = folder.run(&format!("kpca parts --columns a,b,c -k 2 --landmarks 6 {SMALL}"));
    assert!(run.err.contains("9.csv") && run.err.contains("4 columns"), "{}", run.err);
}
