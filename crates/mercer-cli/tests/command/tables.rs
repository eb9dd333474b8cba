//! Tables as they are: missing values, categories, dates, separators, and rows that are held out.

use crate::bad_input::check;
use crate::folder::{Folder, cells};

/// Passengers with blanks, categories and a column of names.
pub fn passengers(n: usize) -> String {
    let mut text = String::from("name,class,sex,age,fare,port,survived\n");
    for i in 0..n {
        let (sex, class) = (["female", "male"][i * 7 % 3 % 2], 1 + i * 5 % 3);
        let age = if i % 9 == 4 { String::new() } else { format!("{}", 3 + i * 37 % 70) };
        let port = ["S", "C", "Q", "S", "NA"][i * 3 % 5];
        let fare = 100 / class + i % 13;
        let survived = if (sex == "female") != (i % 11 == 0) { "yes" } else { "no" };
        text += &format!("passenger {i},{class},{sex},{age},{fare},{port},{survived}\n");
    }
    text
}

/// Sales by day: more on weekends.
pub fn sales(n: usize) -> String {
    let mut text = String::from("day,shop,sales\n");
    for i in 0..n {
        let (day, weekday) = (1 + i % 28, (i + 3) % 7);
        let month = 1 + i / 28;
        let weekend = if weekday >= 5 { 40 } else { 0 };
        text += &format!(
            "2024-{month:02}-{day:02},{},{}\n",
            ["north", "south"][i % 2],
            100 + weekend + i % 5
        );
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("p.csv", passengers(90));
    folder.write("s.csv", sales(84));
    folder
}

#[test]
fn missing_values_are_filled_stored_and_told() {
    let folder = folder();
    let run = folder.done("svc p.csv --target survived --columns ^name -m m.mercer");
    for part in
        ["28 values filled: age (10, by ", "port (18, by \"S\")", "categories  sex (2), port (3)"]
    {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let inspected = folder.done("inspect m.mercer").out;
    assert!(inspected.contains("28 values filled") && inspected.contains("port=C"), "{inspected}");
    folder.write("new.csv", "age,class,sex,port,fare\n,2,male,S,10\n30,1,female,X,20\n");
    let run = folder.done("predict m.mercer new.csv");
    assert_eq!(cells(&run.out).len(), 3);
    for part in ["\"age\": 1 missing cell filled with", "\"port\": 1 row has a category", "\"X\""] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let notes = folder.done("predict m.mercer new.csv --json -q").json()["notes"].clone();
    assert_eq!(notes.as_array().unwrap().len(), 2);
}

#[test]
fn rows_with_missing_values_are_dropped_on_request() {
    let folder = folder();
    let run = folder.done("svc p.csv --target survived --columns ^name --missing drop --json");
    let object = run.json();
    assert_eq!((object["rows"].as_u64(), object["dropped_rows"].as_u64()), (Some(64), Some(26)));
    assert!(run.err.contains("26 rows with missing values"), "{}", run.err);
    folder.write("gap.csv", "a,y\n1,2\n2,\n3,4\n4,5\n");
    check(&folder, "krr gap.csv --target y", 1, &["line 3", "1 value is missing"]);
    let object = folder.done("krr gap.csv --target y --missing drop --json -q").json();
    assert_eq!(object["rows"].as_u64(), Some(3));
}

#[test]
fn everything_that_cannot_be_used_is_listed_at_once() {
    let folder = folder();
    folder.write("bad.csv", "id,when,price,note,y\nk1,2024-01-01,1,,1\nk2,2024-01-02,2,,2\nk3,2024-01-03,x,,3\nk4,2024-01-04,4,,4\n");
    let parts = [
        "4 columns cannot be used",
        "\"id\" holds text with 4 different values",
        "\"when\" holds dates",
        "\"price\" holds text among numbers (\"x\"; 1 cell is text (line 4)",
        "\"note\" has no values",
        "--columns '^note'",
    ];
    check(&folder, "krr bad.csv --target y", 1, &parts);
    let parts = [
        "2 columns cannot be used",
        "10 values are missing (lines 6, 15, 24, 33, 42, …)",
        "\"port\"",
    ];
    check(&folder, "svc p.csv --target survived --columns ^name --missing refuse", 1, &parts);
    check(
        &folder,
        "kpca p.csv --columns name --kernel spectrum --missing median",
        1,
        &["--missing: does not apply", "strings"],
    );
    check(
        &folder,
        "svc p.csv --target survived --columns ^name --categories name",
        1,
        &["--categories", "not among the features"],
    );
}

#[test]
fn missing_targets_are_listed_at_once_and_can_be_dropped() {
    let folder = Folder::new();
    let row = |i: usize| {
        let (y, kind) = (i as f64 / 2.0, ["a", "b"][i % 2]);
        let (y, kind) = if i % 5 == 1 { (String::new(), "NA") } else { (y.to_string(), kind) };
        format!("{},{y},{kind}\n", i * i % 7)
    };
    folder.write("t.csv", format!("x,y,kind\n{}", (0..20).map(row).collect::<String>()));
    for line in ["krr t.csv --target y --columns x", "svc t.csv --target kind --columns x"] {
        let parts = ["4 values are missing (lines 3, 8, 13, 18)", "--missing drop"];
        check(&folder, line, 1, &parts);
        let run = folder.done(&format!("{line} --missing drop"));
        assert!(run.err.contains("16 rows × 1 column"), "{}", run.err);
    }
}

#[test]
fn categories_may_be_numbers_and_kernels_may_compare_them() {
    let folder = folder();
    let line = "svc p.csv --target survived --columns ^name --json -q";
    let names = |object: &serde_json::Value| object["column_names"].as_array().unwrap().len();
    assert_eq!(names(&folder.done(line).json()), 7); // class, sex, age, fare and three ports
    assert_eq!(names(&folder.done(&format!("{line} --categories class")).json()), 9);
    let gower = folder.done(&format!("{line} --kernel gower -m g.mercer")).json();
    assert_eq!((names(&gower), gower["scaling"].as_str()), (5, Some("none")));
    let accuracy = gower["svm"]["fit"]["scores"]["overall"]["value"].as_f64().unwrap();
    assert!(accuracy > 0.85, "{gower}");
    let run = folder.done("predict g.mercer p.csv");
    assert!(run.err.contains("accuracy"), "{}", run.err);
    let overlap = folder
        .done("kpca p.csv --columns class,sex,port --categories class --kernel overlap --json -q")
        .json();
    assert_eq!(overlap["kernel"].as_str(), Some("overlap"));
    check(&folder, "kpca p.csv --columns class --kernel gower --scale standard", 1, &["--scale"]);
}

#[test]
fn dates_are_expanded_on_request() {
    let folder = folder();
    check(&folder, "krr s.csv --target sales", 1, &["\"day\" holds dates", "--dates expand"]);
    let run = folder.done("krr s.csv --target sales --dates expand -m m.mercer --json");
    let object = run.json();
    let names: Vec<&str> =
        object["column_names"].as_array().unwrap().iter().filter_map(|n| n.as_str()).collect();
    assert_eq!(names, ["day_year", "day_month", "day_day", "day_weekday", "shop=south"]);
    let run = folder.done("predict m.mercer s.csv -q --append");
    assert_eq!(cells(&run.out)[0], ["day", "shop", "sales", "prediction_sales"]);
    assert_eq!(cells(&run.out)[1][0], "2024-01-01");
    check(&folder, "predict m.mercer p.csv", 1, &["needs column \"day\""]);
}

#[test]
fn held_out_rows_give_honest_scores() {
    let folder = folder();
    let line = "svc p.csv --target survived --columns ^name --json";
    let object = folder.done(&format!("{line} -q --test 0.3 -m m.mercer")).json();
    let test = &object["test"];
    assert_eq!((object["rows"].as_u64(), test["rows"].as_u64()), (Some(63), Some(27)));
    for metric in ["balanced_accuracy", "macro_f1", "matthews", "majority"] {
        let value = test[metric].as_f64().unwrap();
        assert!((-1.0..=1.0).contains(&value), "{metric}: {value}");
    }
    // What is stored is what was given, and another seed holds out other rows.
    let stored = folder.done("inspect m.mercer --json").json();
    assert_eq!(stored["test"], *test);
    let other = folder.done(&format!("{line} -q --test 0.3 --test-seed 1")).json();
    assert_ne!(other["test"], *test);
    let run = folder.done(&format!("{line} --test 30%"));
    assert!(
        run.err.contains("on 27 rows held out") && run.err.contains("yes: recall"),
        "{}",
        run.err
    );
    // The same rows by hand.
    let (head, tail) = (rows(&passengers(90), 0..60), rows(&passengers(90), 60..90));
    folder.write("head.csv", head);
    folder.write("tail.csv", tail);
    let apart = folder
        .done("svc head.csv --target survived --columns ^name --json -q --test tail.csv")
        .json();
    let last = folder.done(&format!("{line} -q --test 0.3333 --test-last")).json();
    assert_eq!(apart["test"], last["test"]);
    assert_eq!(apart["rows"], last["rows"]);
}

#[test]
fn groups_are_held_out_whole_and_are_no_features() {
    let folder = Folder::new();
    let mut text = String::from("patient,x,y\n");
    (0..60).for_each(|i| text += &format!("p{},{},{}\n", i / 6, i * 7 % 11, i * 7 % 11 + i / 6));
    folder.write("g.csv", &text);
    let object = folder.done("krr g.csv --target y --test 0.3 --groups patient --json -q").json();
    assert_eq!(object["test"]["rows"].as_u64(), Some(18));
    assert_eq!(object["column_names"], serde_json::json!(["x"]));
    check(&folder, "krr g.csv --target y --test 0.3 --groups y", 1, &["column \"y\""]);
    check(&folder, "krr g.csv --target y --test 1.5", 2, &["between 0 and 1"]);
    check(&folder, "svr g.csv --target y --groups patient", 2, &["--test"]);
}

/// The header and some rows of a table.
fn rows(table: &str, which: std::ops::Range<usize>) -> String {
    let lines: Vec<&str> = table.lines().collect();
    let kept =
        lines[1..].iter().enumerate().filter(|(i, _)| which.contains(i)).map(|(_, line)| *line);
    std::iter::once(lines[0]).chain(kept).map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_table_is_described_before_anything_is_fitted() {
    let folder = folder();
    folder.write("twice.csv", "id;x;y;z\n1;0,5;a;\n2;1,5;b;\n2;1,5;b;\n4;n/a;a;\n");
    let object = folder.done("inspect twice.csv --json").json();
    let column = |i: usize| object["columns"][i].clone();
    assert_eq!((object["rows"].as_u64(), object["duplicate_rows"].as_u64()), (Some(4), Some(1)));
    assert_eq!(
        (column(1)["type"].as_str(), column(1)["missing"].as_u64()),
        (Some("number"), Some(1))
    );
    assert_eq!(column(1)["max"].as_f64(), Some(1.5));
    assert_eq!(
        (column(2)["type"].as_str(), column(3)["type"].as_str()),
        (Some("category"), Some("empty"))
    );
    let text = folder.done("inspect p.csv").out;
    for part in [
        "90 rows × 7 columns",
        "categories",
        "S (36)",
        "\"name\" has a different text in every row",
        "passenger 0 |",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let text = folder.pipe("inspect - --header no", b"emil\nanna\n").out;
    assert!(text.contains("2 rows"), "{text}");
}

/// The smallest number of each column of a table, by `inspect`.
fn smallest(folder: &Folder, table: &str, content: &str) -> Vec<Option<f64>> {
    folder.write(table, content);
    let object = folder.done(&format!("inspect {table} --json")).json();
    object["columns"].as_array().unwrap().iter().map(|column| column["min"].as_f64()).collect()
}

#[test]
fn points_group_thousands_only_where_commas_are_decimal() {
    let folder = Folder::new();
    let of = |table: &str, content: &str| smallest(&folder, table, content);
    // Three decimals beside missing cells, or with none of them, are decimals.
    let blanks = "x,y\n1.142,2.125\nNA,3.250\n,1.500\n2.250,4.375\n";
    assert_eq!(of("a.csv", blanks), [Some(1.142), Some(1.5)]);
    assert_eq!(of("b.csv", &blanks.replace(',', ";")), [Some(1.142), Some(1.5)]);
    // In a table with decimal commas they are thousands, also beside numbers below them; but not where a zero leads.
    let commas = "x;y;z\n1.142;0,5;0.125\n950;1,5;0.250\n2.250;2,25;1.500\n";
    assert_eq!(of("c.csv", commas), [Some(950.0), Some(0.5), Some(0.125)]);
    let missing = "x;y\n1.142;0,5\nNA;1,5\n2.250.000;2,25\n";
    assert_eq!(of("d.csv", missing), [Some(1142.0), Some(0.5)]);
    let quoted = "x,y\n\"1,142.5\",1\n\"12,250.0\",2\n";
    assert_eq!(of("e.csv", quoted), [Some(1142.5), Some(1.0)]);
}

#[test]
fn signs_are_categories_and_labels() {
    let folder = Folder::new();
    let row = |i: usize| {
        let sign = ["+", "-"][i % 2];
        format!("{},{sign},{sign}\n", 0.1 * (i % 7) as f64 + (i % 2) as f64)
    };
    folder.write("t.csv", format!("a,sign,class\n{}", (0..30).map(row).collect::<String>()));
    let object = folder.done("inspect t.csv --json").json();
    for column in [1, 2] {
        let column = &object["columns"][column];
        assert_eq!(
            (&column["type"], &column["missing"]),
            (&"category".into(), &0.into()),
            "{column}"
        );
    }
    let run = folder.done("svc t.csv --target class --columns sign");
    assert!(run.err.contains("categories  sign (2)"), "{}", run.err);
    assert!(run.err.contains("classes     2: +, -"), "{}", run.err);
    assert!(run.err.contains("accuracy 1.000"), "{}", run.err);
}

#[test]
fn booleans_of_other_formats_are_understood() {
    let folder = Folder::new();
    let table = |no: &str, yes: &str| {
        let row = |i: usize| {
            let flag = [no, yes][i * 7 % 3 % 2];
            let value = (i % 9) as f64 + if flag == yes { 5.0 } else { 0.0 };
            format!("{},{flag},{value}\n", i % 9)
        };
        format!("a,flag,y\n{}", (0..40).map(row).collect::<String>())
    };
    folder.write("words.csv", table("False", "True"));
    folder.write("capitals.csv", table("FALSE", "TRUE"));
    folder.write("numbers.csv", table("0", "1"));
    for fitted in ["words.csv", "numbers.csv"] {
        folder.done(&format!("krr {fitted} --target y --model m.mercer -q"));
        let own = folder.done(&format!("predict m.mercer {fitted}")).out;
        for other in ["words.csv", "capitals.csv", "numbers.csv"] {
            let run = folder.done(&format!("predict m.mercer {other}"));
            assert_eq!(run.out, own, "{fitted} {other}");
            assert!(!run.err.contains("warning"), "{}", run.err);
        }
    }
}

#[test]
fn what_may_be_a_header_is_asked_for_or_told() {
    let folder = Folder::new();
    folder.write("n.csv", "species,0,1\nsetosa,5.1,3.5\nvirginica,6.1,2.9\nsetosa,5.0,3.3\n");
    check(&folder, "pca n.csv --label 1", 1, &["--header", "species,0,1"]);
    let object = folder.done("pca n.csv --label species --header yes --json -q").json();
    assert_eq!(object["rows"].as_u64(), Some(3));
    folder.write("list.csv", "emil\nanna\nkurt\nemma\n");
    let run = folder.done("kpca list.csv --kernel 'normalize(spectrum(p=2))'");
    assert!(run.err.contains("the first line (emil) was read as column names"), "{}", run.err);
    let run = folder.done("kpca list.csv --header no --kernel 'normalize(spectrum(p=2))'");
    assert!(!run.err.contains("read as column names") && run.err.contains("4 rows"), "{}", run.err);
}

#[test]
fn regressions_do_not_depend_on_the_unit_of_the_target() {
    let folder = Folder::new();
    let table = |unit: f64| {
        let row = |i: usize| {
            let x = i as f64 / 10.0;
            format!("{x},{}\n", unit * (x.sin() + 0.01 * (i % 7) as f64))
        };
        format!("x,y\n{}", (0..60).map(row).collect::<String>())
    };
    folder.write("small.csv", table(1.0));
    folder.write("large.csv", table(1e6));
    let r2 = |line: &str| {
        let object = folder.done(&format!("{line} --target y --json -q")).json();
        object["svm"]["fit"]["scores"]["overall"]["r2"].as_f64().unwrap()
    };
    let (small, large) = (r2("svr small.csv"), r2("svr large.csv"));
    assert!((small - large).abs() < 1e-3 && small > 0.9, "{small} {large}");
    assert!(r2("svr large.csv --absolute") < 0.1);
    let (small, large) = (r2("search small.csv"), r2("search large.csv"));
    assert!((small - large).abs() < 1e-3 && small > 0.9, "{small} {large}");
}

#[test]
fn one_column_that_decides_alone_is_told() {
    let folder = Folder::new();
    let rows: String =
        (0..30).map(|i| format!("{},{},{}\n", i % 5, i % 7, 1000 * (i % 11))).collect();
    folder.write("t.csv", format!("a,b,c\n{rows}"));
    let run = folder.done("pca t.csv");
    assert!(
        run.err.contains("column \"c\" alone has") && run.err.contains("--scale standard"),
        "{}",
        run.err
    );
    assert!(!folder.done("pca t.csv --scale standard").err.contains("alone has"));
}

#[test]
fn intervals_hold_what_they_promise() {
    let folder = Folder::new();
    let table = |n: usize, seed: usize| {
        let row = |i: usize| {
            // Noise of a linear congruential generator, the sum of three to look like a bell.
            let noise =
                |k: usize| ((i * 7919 + seed * 104_729 + k * 1_299_709) % 10_007) as f64 / 10_007.0;
            let x = 6.0 * noise(3);
            format!("{x},{}\n", x.sin() + 0.4 * (noise(0) + noise(1) + noise(2) - 1.5))
        };
        format!("x,y\n{}", (0..n).map(row).collect::<String>())
    };
    folder.write("t.csv", table(300, 1));
    folder.write("new.csv", table(1000, 2));
    folder.done("krr t.csv --target y -m m.mercer -q");
    let run = folder.done("predict m.mercer new.csv --interval 0.9 -q");
    assert_eq!(cells(&run.out)[0], ["y", "y_lower", "y_upper"]);
    for (level, low, high) in [(0.9, 0.86, 0.94), (0.5, 0.43, 0.57)] {
        let object =
            folder.done(&format!("predict m.mercer new.csv --interval {level} --json -q")).json();
        let coverage = object["coverage"].as_f64().unwrap();
        assert!((low..high).contains(&coverage), "{level}: {coverage}");
    }
    let posterior = "predict m.mercer new.csv --interval 0.9 --interval-method posterior";
    let object = folder.done(&format!("{posterior} --json -q")).json();
    // The table is even, not random: the noise is estimated a little too large.
    let coverage = object["coverage"].as_f64().unwrap();
    assert!((0.86..0.98).contains(&coverage), "{coverage}");
    let run = folder.done(&format!("{posterior} --std --noise -q"));
    assert_eq!(cells(&run.out)[0], ["y", "y_lower", "y_upper", "y_std"]);
    for row in &cells(&run.out)[1..20] {
        let number = |place: usize| row[place].parse::<f64>().unwrap();
        let expected = 1.6448536 * number(3);
        assert!((number(2) - number(0) - expected).abs() < 1e-3 * expected, "{row:?}");
        assert!((number(0) - number(1) - expected).abs() < 1e-3 * expected, "{row:?}");
    }
    check(&folder, "predict m.mercer new.csv --interval-method posterior", 2, &["--interval"]);
    folder.done("svr t.csv --target y -m svr.mercer -q");
    let line = "predict svr.mercer new.csv --interval 0.9 --interval-method posterior";
    check(&folder, line, 1, &["--interval-method", "mercer krr"]);
    folder.done("krr t.csv --target y -m folds.mercer --folds 5 -q");
    check(
        &folder,
        "predict folds.mercer new.csv --interval 0.9",
        1,
        &["--interval", "leave-one-out"],
    );
    check(&folder, "predict m.mercer new.csv --interval 0.999", 1, &["at least 999 training rows"]);
    check(&folder, "predict m.mercer new.csv --interval 1.5", 2, &["between 0 and 1"]);
}

#[test]
fn groups_of_columns_take_blanks_and_categories() {
    let folder = folder();
    let kernel = "'columns(age, fare: rbf) + column(port: overlap) + columns(sex, class: gower)'";
    let line = format!("svc p.csv --target survived --kernel {kernel} -m m.mercer");
    let run = folder.done(&line);
    for part in ["28 values filled: age (10, by ", "categories  port (3), sex (2)"] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    folder.write("new.csv", "age,class,sex,port,fare\n,2,male,S,10\n30,1,female,X,20\n");
    let run = folder.done("predict m.mercer new.csv");
    assert_eq!(cells(&run.out).len(), 3);
    for part in ["\"age\": 1 missing cell filled with", "\"port\": 1 row has a category", "\"X\""] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    // Alone, a group is the kernel on these columns.
    let named = folder.done("kpca p.csv --kernel 'columns(class, sex, port: gower)' -q");
    let chosen = folder.done("kpca p.csv --columns class,sex,port --kernel gower -q");
    assert_eq!(named.out, chosen.out);
    let line = "svc p.csv --target survived --kernel 'columns(age, port: rbf)'";
    check(&folder, line, 1, &["\"port\" holds categories", "column('port': overlap)"]);
    let line = "krr s.csv --target sales --dates expand --kernel 'columns(day: rbf)'";
    check(&folder, line, 1, &["\"day\" holds dates"]);
    let line = "search p.csv --target survived --kernel 'columns(age, fare: rbf)' --kernel \
                'columns(sex, class, port: gower)' -m best.mercer";
    folder.done(line);
    assert_eq!(cells(&folder.done("predict best.mercer new.csv -q").out).len(), 3);
}

#[test]
fn columns_of_a_periodic_kernel_keep_their_units() {
    let folder = Folder::new();
    let row = |i: usize| format!("{},{}\n", i, if i % 24 < 12 { 1.0 } else { -1.0 });
    folder.write("h.csv", String::from("hour,load\n") + &(0..72).map(row).collect::<String>());
    let line = "krr h.csv --target load --kernel 'periodic(period=24)' -m m.mercer --json -q";
    assert_eq!(folder.done(line).json()["scaling"], serde_json::json!("none"));
    folder.write("later.csv", "hour\n243\n255\n");
    let predicted = cells(&folder.done("predict m.mercer later.csv -q").out);
    let number = |row: usize| predicted[row][0].parse::<f64>().unwrap();
    assert!(number(1) > 0.5 && number(2) < -0.5, "{predicted:?}");
    let line = "krr h.csv --target load --kernel 'periodic(period=24)' --scale standard";
    check(&folder, line, 1, &["the period of the kernel is in the units of the columns"]);
    let mixed =
        "krr h.csv --target load --kernel 'columns(hour: periodic(period=24)) + column(hour: rbf)'";
    folder.done(mixed);
}

#[test]
fn kernels_with_a_width_see_standardised_columns_in_every_verb() {
    let folder = Folder::new();
    folder.write("t.csv", crate::folder::small_table(30));
    let kpca = |flags: &str| folder.done(&format!("kpca t.csv --columns x,y {flags} -q")).out;
    assert_eq!(kpca(""), kpca("--scale standard"));
    assert_ne!(kpca(""), kpca("--scale none"));
    assert_eq!(kpca("--kernel linear"), kpca("--kernel linear --scale none"));
    let check =
        |flags: &str| folder.done(&format!("check t.csv --columns x,y {flags} --json -q")).json();
    let largest = |flags: &str| check(flags)["eigenvalues"][0].clone();
    assert!(largest("--kernel rbf").is_number());
    assert_eq!(largest("--kernel rbf"), largest("--kernel rbf --scale standard"));
    assert_ne!(largest("--kernel rbf"), largest("--kernel rbf --scale none"));
    let widths = kpca("--kernel 'rbf(gamma=[0.5, 0.5])'");
    assert!(crate::folder::difference(&widths, &kpca("--kernel 'rbf(gamma=0.5)'")) < 1e-9);
}
