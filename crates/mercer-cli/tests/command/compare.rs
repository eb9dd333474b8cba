//! `mercer compare`.

use crate::bad_input::check;
use crate::folder::Folder;

/// Rows of `a,b,city`; b is shifted, and the cities are others, if `is_moved`.
fn table(rows: usize, from: usize, is_moved: bool) -> String {
    let row = |i: usize| {
        // Fractions of multiples of irrational numbers: evenly spread from any row on.
        let t = i as f64;
        let a = (0.618_033_988_75 * t).fract();
        let b = (0.414_213_562_37 * t).fract() + if is_moved { 0.5 } else { 0.0 };
        let city =
            ["ulm", "bonn", "kiel"][if is_moved && !i.is_multiple_of(4) { 2 } else { i % 3 }];
        format!("{a:.4},{b:.4},{city}\n")
    };
    "a,b,city\n".to_string() + &(from..from + rows).map(row).collect::<String>()
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("old.csv", table(120, 0, false));
    folder.write("same.csv", table(90, 500, false));
    folder.write("moved.csv", table(80, 900, true));
    folder
}

#[test]
fn a_difference_is_found_with_the_columns_that_moved() {
    let folder = folder();
    let found = folder.done("compare old.csv moved.csv --json -q").json();
    assert_eq!(found["detected"], true);
    assert_eq!(found["p_value"], 0.001);
    assert_eq!(found["rows"], serde_json::json!([120, 80]));
    let columns = found["columns"].as_array().unwrap();
    let moved: Vec<&str> = columns
        .iter()
        .filter(|column| column["moved"] == true)
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert!(moved.contains(&"b") && moved.contains(&"city") && !moved.contains(&"a"), "{moved:?}");
    let run = folder.done("compare old.csv moved.csv");
    assert!(run.err.contains("a difference was detected: p = 0.001"), "{}", run.err);
    assert!(run.err.contains("2 of 3 moved"), "{}", run.err);
    assert!(run.out.starts_with("column,moved,adjusted_p,p,energy_distance"), "{}", run.out);
}

#[test]
fn nothing_found_is_not_called_equal() {
    let run = folder().done("compare old.csv same.csv");
    assert!(run.err.contains("no difference was detected: p = "), "{}", run.err);
    assert!(run.err.contains("no evidence that both tables come from one distribution"));
    assert!(!run.err.contains("equal") && !run.err.contains("identical"), "{}", run.err);
}

#[test]
fn results_do_not_depend_on_threads_memory_or_the_order_of_columns() {
    let folder = folder();
    let turned: String = table(80, 900, true)
        .lines()
        .map(|line| line.split(',').rev().collect::<Vec<_>>().join(",") + ",9\n")
        .collect();
    folder.write("turned.csv", turned.replacen(",9", ",more", 1));
    let run = |line: &str| {
        let mut found = folder.done(&format!("compare old.csv {line} --json -q")).json();
        for key in ["seconds", "tables", "outputs"] {
            found.as_object_mut().unwrap().remove(key);
        }
        found
    };
    let plain = run("moved.csv");
    for line in ["moved.csv --threads 1", "moved.csv --threads 3 --memory 6MiB", "turned.csv"] {
        assert_eq!(run(line), plain, "{line}");
    }
    let noted = folder.done("compare old.csv turned.csv");
    assert!(
        noted.err.contains("columns of the new table alone are left out: more"),
        "{}",
        noted.err
    );
}

#[test]
fn pictures_reports_and_witnesses_are_written() {
    let folder = folder();
    let line = "compare old.csv moved.csv --columns a,b --plot map.svg --plot map.png --report p.html -o w.csv";
    folder.done(line);
    assert!(folder.read("map.svg").contains("old") && folder.read("map.svg").contains("new"));
    let page = folder.read("p.html");
    for part in ["A difference was detected", "Holm", "witness", "adjusted_p", "Where old.csv"] {
        assert!(page.contains(part), "{part}");
    }
    let rows = folder.read("w.csv");
    assert_eq!(rows.lines().count(), 201);
    assert!(rows.starts_with("table,row,witness\nold,1,") && rows.contains("\nnew,80,"));
    folder.done("compare old.csv moved.csv --plot along.svg -q");
    assert!(folder.read("along.svg").contains("city (p = "));
}

#[test]
fn texts_are_compared_as_a_whole() {
    let folder = folder();
    let line = "--columns city --kernel spectrum(p=2)";
    let run =
        folder.done(&format!("compare old.csv moved.csv {line} --plot t.svg --report t.html"));
    assert!(run.err.contains("a difference was detected"), "{}", run.err);
    assert!(run.err.contains("tested together only"), "{}", run.err);
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = folder();
    folder.write("other.csv", "a,c\n1,2\n3,4\n");
    folder.write("one.csv", "a,b,city\n1,2,ulm\n");
    folder.write("blank.csv", "a,b,city\n1,2,ulm\n3,,ulm\n5,6,bonn\n");
    for (line, part) in [
        ("old.csv other.csv", "the columns b, city of old.csv are missing"),
        ("old.csv one.csv", "at least two rows"),
        ("old.csv absent.csv", "absent.csv"),
        ("old.csv blank.csv --missing refuse", "missing"),
        ("old.csv same.csv --kernel precomputed", "not by precomputed values"),
        ("- -", "only one of both tables"),
    ] {
        check(&folder, &format!("compare {line}"), 1, &[part]);
    }
    for (line, part) in [
        ("compare old.csv", "<NEW>"),
        ("compare old.csv same.csv --permutations 3", "--permutations"),
        ("compare old.csv same.csv --level 1", "must be below 1"),
        ("compare old.csv same.csv --output old.csv", "are the same file"),
        ("compare old.csv same.csv --output same.csv", "are the same file"),
    ] {
        check(&folder, line, 2, &[part]);
    }
    let dropped = folder.done("compare old.csv blank.csv --missing drop --output w.csv");
    assert!(dropped.err.contains("1 row with a missing value left out"), "{}", dropped.err);
    assert!(folder.read("w.csv").ends_with('\n') && folder.read("w.csv").contains("\nnew,3,"));
}
