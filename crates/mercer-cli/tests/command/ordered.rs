//! Categories with an order.

use crate::folder::Folder;

/// A price that rises with the size in equal steps, and a row in which the size is missing.
fn folder() -> Folder {
    let folder = Folder::new();
    let sizes = ["small", "medium", "large", "huge"];
    let row = |i: usize| {
        let (size, x) = (i % 4, (i * 7 % 40) as f64 / 40.0);
        let name = if i == 5 { "" } else { sizes[size] };
        format!("{name},{x},{}\n", 10.0 * size as f64 + x)
    };
    folder.write("t.csv", format!("size,x,price\n{}", (0..80).map(row).collect::<String>()));
    folder.write("new.csv", "size,x\nhuge,0.5\ntiny,0.5\nsmall,0.5\n");
    folder
}

const ORDER: &str = "--ordered size=small,medium,large,huge";

fn numbers(object: &serde_json::Value, name: &str) -> Vec<f64> {
    let columns = object["result"]["columns"].as_array().unwrap();
    let place = columns.iter().position(|column| column == name).unwrap();
    let rows = object["result"]["rows"].as_array().unwrap();
    rows.iter().map(|row| row[place].as_f64().unwrap()).collect()
}

#[test]
fn ordered_categories_are_ranks_and_a_column_of_numbers() {
    let folder = folder();
    let run = folder.done(&format!("krr t.csv --target price {ORDER} --kernel linear -m m.mercer"));
    assert!(run.err.contains("size (small < medium < large < huge)"), "{}", run.err);
    // Of 79 ranks, the median is that of "medium" or "large".
    assert!(run.err.contains("1 value filled: size (1, by \"large\")"), "{}", run.err);
    let run = folder.done("predict m.mercer new.csv --json");
    let predicted = numbers(&run.json(), "price");
    // A linear function of ranks is exact here, but for the row whose size is not known.
    assert!((predicted[0] - 30.5).abs() < 1.0 && (predicted[2] - 0.5).abs() < 1.0, "{predicted:?}");
    // A size without a rank is treated as a missing one.
    assert!((predicted[1] - 20.5).abs() < 1.0, "{predicted:?}");
    assert!(
        run.err.contains("(first \"tiny\"), which has no rank: \"large\" takes its place"),
        "{}",
        run.err
    );
}

#[test]
fn ordered_categories_are_compared_by_rank_in_gower() {
    let folder = folder();
    folder.done(&format!("krr t.csv --target price {ORDER} --kernel gower -m m.mercer"));
    let predicted = numbers(&folder.done("predict m.mercer new.csv --json").json(), "price");
    assert!(predicted[0] > 25.0 && predicted[2] < 5.0, "{predicted:?}");
    let again = folder.done("krr t.csv --from-model m.mercer").err;
    assert!(again.contains("gower") && again.contains("small < medium"), "{again}");
    let shown = folder.done("inspect m.mercer");
    assert!((shown.out + &shown.err).contains("small < medium"));
}

#[test]
fn orders_are_checked() {
    let folder = folder();
    for (line, code, texts) in [
        ("krr t.csv --target price --ordered size", 2, &["size=small,medium,large"][..]),
        ("krr t.csv --target price --ordered size=small", 2, &["at least two"]),
        ("krr t.csv --target price --ordered size=a,b,a", 2, &["\"a\" is listed twice"]),
        ("krr t.csv --target price --ordered siez=a,b", 1, &["siez", "size"]),
        ("krr t.csv --target price --ordered price=a,b", 2, &["price", "not among the features"]),
        (
            "krr t.csv --target price --ordered size=small,medium",
            1,
            &["\"large\"", "40 cells are not in it (lines"],
        ),
        ("krr t.csv --target price --ordered size=a,b --ordered size=b,a", 2, &["given twice"]),
        ("krr t.csv --target price --ordered size=a,b --categories size", 2, &["--categories"]),
    ] {
        let run = folder.run(line);
        assert_eq!(run.code, Some(code), "{line}: {}", run.err);
        texts.iter().for_each(|text| assert!(run.err.contains(text), "{line}: {}", run.err));
    }
    let line = format!("krr t.csv --target price {ORDER} --missing refuse");
    let run = folder.run(&line);
    assert!(run.code == Some(1) && run.err.contains("1 value is missing (line 7)"), "{}", run.err);
}
