//! `krr` on valid tables: choice, summary and files.

use crate::folder::{Folder, cells, houses, small_table};

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("h.csv", houses(80));
    folder
}

fn number(value: &serde_json::Value) -> f64 {
    value.as_f64().expect("a number")
}

#[test]
fn the_best_of_the_grid_is_chosen_and_told_with_its_spread() {
    let folder = folder();
    let run = folder.done("krr h.csv --target price --label id --verbose");
    assert!(run.out.is_empty());
    for part in [
        "kernel ridge regression of price in h.csv: 80 rows × 3 columns, standardised",
        "rbf(gamma=",
        "with intercept",
        " ± ",
        "R² 0.9",
        "(leave-one-out, ",
        "condition",
        "residual",
    ] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let object = folder.done("krr h.csv --target price --label id --json -q").json();
    let grid = object["grid"].as_array().unwrap();
    let (kernel, alpha) = (&object["chosen"]["kernel"], &object["chosen"]["alphas"][0]);
    let (kernel, alpha) = (kernel.as_u64().unwrap() as usize, alpha.as_u64().unwrap() as usize);
    let all = grid.iter().flat_map(|kernel| kernel["scores"].as_array().unwrap());
    let largest = all.map(|scores| number(&scores[0])).fold(f64::NEG_INFINITY, f64::max);
    assert_eq!(number(&grid[kernel]["scores"][alpha][0]), largest);
    let regression = &object["regression"];
    assert_eq!(regression["selection"]["score"], grid[kernel]["scores"][alpha][0]);
    assert_eq!(object["kernel"], grid[kernel]["kernel"]);
    assert_eq!(regression["alpha"][0], grid[kernel]["alphas"][alpha]);
    let (rmse, spread) =
        (&regression["scores"]["overall"]["value"], &regression["scores"]["overall"]["spread"]);
    assert!((number(rmse).powi(2) + largest).abs() < 1e-9 * largest.abs());
    let of_square = number(&grid[kernel]["spreads"][alpha][0]);
    assert!((number(spread) * 2.0 * number(rmse) / of_square - 1.0).abs() < 1e-12);
}

#[test]
fn leave_one_out_is_what_fits_without_each_row_say() {
    let folder = folder();
    let fixed = "--target price --label id --kernel 'rbf(gamma=0.1)' --alpha 0.3 --scale none";
    let object = folder.done(&format!("krr h.csv {fixed} --json -q")).json();
    let reported = number(&object["regression"]["scores"]["overall"]["value"]);
    let text = houses(80);
    let lines: Vec<&str> = text.lines().collect();
    let mut squares = 0.0;
    for row in 1..lines.len() {
        let others: Vec<&str> = (0..lines.len()).filter(|&i| i != row).map(|i| lines[i]).collect();
        folder.write("others.csv", others.join("\n"));
        folder.write("one.csv", format!("{}\n{}\n", lines[0], lines[row]));
        folder.done(&format!("krr others.csv {fixed} --no-score -q -m m.mercer"));
        let found = cells(&folder.done("predict m.mercer one.csv -q").out)[1][1].clone();
        let truth: f64 = lines[row].rsplit(',').next().unwrap().parse().unwrap();
        squares += (found.parse::<f64>().unwrap() - truth).powi(2);
    }
    let naive = (squares / 80.0).sqrt();
    assert!((reported / naive - 1.0).abs() < 1e-6, "{reported} {naive}");
}

#[test]
fn one_kernel_and_penalty_is_a_plain_fit_with_a_score() {
    let folder = folder();
    let line = "krr h.csv --target price --label id --kernel 'rbf(gamma=scale)' --alpha 0.1";
    let run = folder.done(&format!("{line} -o a.csv"));
    assert!(run.err.contains("alpha       0.1\n") && run.err.contains("(leave-one-out)\n"));
    let bare = folder.done(&format!("{line} --no-score -o b.csv"));
    assert!(bare.err.contains("score       not computed (--no-score)"), "{}", bare.err);
    assert_eq!(folder.read("a.csv"), folder.read("b.csv"));
    let table = cells(&folder.read("a.csv"));
    assert_eq!(
        (table.len(), &table[0][..]),
        (81, &["id", "price", "prediction"].map(String::from)[..])
    );
    let zero = folder.done(&line.replace("0.1", "0"));
    assert!(zero.err.contains("not available: cross-validation requires --alpha greater than 0"));
}

#[test]
fn grids_folds_and_gcv() {
    let folder = folder();
    let base = "krr h.csv --target price --label id";
    let grid = folder.done(&format!("{base} --json -q")).json()["grid"].clone();
    let kernels = grid.as_array().unwrap().len();
    let penalties = grid[0]["alphas"].as_array().unwrap().len();
    assert!(kernels > 3 && penalties > 20);
    let (one_more, whole) = (kernels + 1, format!("{kernels} kernels × {penalties} penalties"));
    let cases = [
        ("", format!("(leave-one-out, {whole})")),
        ("--folds 5", format!("(5 folds, {whole})")),
        ("--gcv", format!("(generalised cross-validation, {whole})")),
        ("--alpha 0.1,1 --alpha 10", format!("(leave-one-out, {kernels} kernels × 3 penalties)")),
        ("--kernel rbf --kernel linear --alpha 1", format!("{one_more} kernels × 1 penalty)")),
        ("--kernel 'poly(degree=2)' --kernel linear", format!("2 kernels × {penalties} penalties")),
        ("--kernel linear --kernel linear --alpha 1", "(leave-one-out)".into()),
    ];
    for (flags, part) in cases {
        let run = folder.done(&format!("{base} {flags}"));
        assert!(run.err.contains(&part), "no {part:?} in {}", run.err);
    }
    let seeded = |seed: u32| {
        folder.done(&format!("{base} --folds 5 --seed {seed} --json -q")).json()["grid"].clone()
    };
    assert!(seeded(1) == seeded(1) && seeded(1) != seeded(2), "the seed decides the folds");
    assert!(!folder.done(&format!("{base} --gcv")).err.contains(" ± "));
}

#[test]
fn weights_count_rows() {
    let folder = Folder::new();
    let text = houses(40);
    let rows: Vec<&str> = text.lines().skip(1).collect();
    let weighted = |(i, row): (usize, &&str)| format!("{row},{}\n", i % 3);
    let weights: String = rows.iter().enumerate().map(weighted).collect();
    folder.write("w.csv", format!("id,area,age,rooms,price,w\n{weights}"));
    let repeated: String =
        rows.iter().enumerate().map(|(i, row)| format!("{row}\n").repeat(i % 3)).collect();
    folder.write("r.csv", format!("id,area,age,rooms,price\n{repeated}"));
    let fixed = "--target price --label id --kernel 'rbf(sigma=2)' --alpha 0.5 --scale none -q";
    folder.done(&format!("krr w.csv {fixed} --weights w -m w.mercer"));
    folder.done(&format!("krr r.csv {fixed} -m r.mercer"));
    let (a, b) = (
        folder.done("predict w.mercer w.csv -q").out,
        folder.done("predict r.mercer w.csv -q").out,
    );
    assert!(crate::folder::difference(&a, &b) < 1e-7);
}

#[test]
fn text_targets_are_classes_and_numbers_may_be() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    let run = folder.done("krr t.csv --target kind -o o.csv");
    for part in ["kernel ridge classification of kind", "3: blue, green, red", "accuracy 1.000"] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let table = cells(&folder.read("o.csv"));
    assert_eq!(table[0], ["kind", "prediction"]);
    assert!(table[1..].iter().filter(|row| row[0] == row[1]).count() > 50);
    let numbered =
        folder.read("t.csv").replace("red", "1").replace("green", "2").replace("blue", "10");
    folder.write("n.csv", numbered);
    let object = folder.done("krr n.csv --target kind --classify -o n-out.npy --json -q").json();
    assert_eq!(object["regression"]["classes"], serde_json::json!(["1", "2", "10"]));
    assert!(folder.done("krr n.csv --target kind").err.contains("RMSE"));
    let gcv = folder.done("krr t.csv --target kind --gcv").err;
    assert!(gcv.contains("RMSE of the ±1 targets"), "{gcv}");
}

#[test]
fn several_targets_share_a_penalty_or_have_their_own() {
    let folder = folder();
    let run = folder.done("krr h.csv --target price,age --label id -o o.csv -m m.mercer");
    for part in ["of price, age in", "over 2 targets", "price: RMSE", "age: RMSE"] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let names = ["id", "price", "prediction_price", "age", "prediction_age"];
    assert_eq!(cells(&folder.read("o.csv"))[0], names);
    let predicted = folder.done("predict m.mercer h.csv");
    assert_eq!(cells(&predicted.out)[0], ["id", "price", "age"]);
    assert!(predicted.err.contains("price: RMSE"), "{}", predicted.err);
    let own = "krr h.csv --target 3,price --label id --alpha-per-target --json -q -p p.svg";
    let object = folder.done(own).json();
    assert_eq!(object["regression"]["targets"], serde_json::json!(["age", "price"]));
    assert_eq!(object["regression"]["alpha"].as_array().unwrap().len(), 2);
    assert!(folder.read("p.svg").contains(">age: alpha "));
}

#[test]
fn a_constant_target_has_no_r2() {
    let folder = Folder::new();
    folder.write("c.csv", "a,b,y\n1,2,7\n2,1,7\n3,4,7\n4,4,7\n");
    let run = folder.done("krr c.csv --target y -m m.mercer -p p.svg");
    assert!(run.err.contains("R² undefined: the target is constant"), "{}", run.err);
    assert!(!run.err.contains("NaN") && !folder.read("p.svg").contains("NaN"));
    let run = folder.done("predict m.mercer c.csv");
    assert!(run.err.contains("R² undefined") && run.out.starts_with("y\n7\n"), "{}", run.out);
}

#[test]
fn pictures_show_every_kernel_and_the_choice() {
    let folder = folder();
    folder.done("krr h.csv --target price --label id -p s.svg -p s.png");
    let svg = folder.read("s.svg");
    let grid = folder.done("krr h.csv --target price --label id --json -q").json()["grid"].clone();
    let names =
        svg.lines().filter(|line| line.starts_with("<text") && line.contains(">rbf(gamma="));
    assert_eq!(names.count(), grid.as_array().unwrap().len());
    assert!(svg.contains("<title>rbf(gamma=") && svg.contains(": penalty alpha "));
    for part in
        ["regression of price (h.csv)", ">alpha ", "cross-validated RMSE", "mean of the target"]
    {
        assert!(svg.contains(part), "{part}");
    }
    assert!(folder.bytes("s.png").starts_with(b"\x89PNG"));
    folder.write("t.csv", small_table(30));
    folder.done("krr t.csv --target kind -p t.svg");
    assert!(folder.read("t.svg").contains("majority class"));
}

#[test]
fn the_label_of_libsvm_text_is_the_target() {
    let folder = Folder::new();
    let rows: String = (0..20).map(|i| format!("{} 1:{} 2:{}\n", i % 2, i % 2, i)).collect();
    folder.write("t.libsvm", rows);
    let run = folder.done("krr t.libsvm --classify -m m.mercer");
    assert!(run.err.contains("classification of label"), "{}", run.err);
    let run = folder.done("predict m.mercer t.libsvm");
    assert!(run.out.starts_with("label\n0\n1\n"), "{}", run.out);
    assert!(run.err.contains("accuracy 1.000"), "{}", run.err);
}

#[test]
fn precision_solver_and_threads_do_not_change_the_answer() {
    let folder = folder();
    let line = "krr h.csv --target price --label id --kernel 'rbf(sigma=3)' --alpha 0.1 -q -o";
    folder.done(&format!("{line} a.csv --threads 1"));
    folder.done(&format!("{line} b.csv --threads 2"));
    assert_eq!(folder.read("a.csv"), folder.read("b.csv"));
    for solver in ["cholesky", "eigen", "cg"] {
        folder.done(&format!("{line} c.csv --solver {solver}"));
        let apart = crate::folder::difference(&folder.read("a.csv"), &folder.read("c.csv"));
        assert!(apart < 1e-5, "{solver}: {apart}");
    }
    folder.done(&format!("{line} d.csv --precision mixed"));
    assert!(crate::folder::difference(&folder.read("a.csv"), &folder.read("d.csv")) < 0.5);
    let plain = folder.done("krr h.csv --target price --label id --no-intercept --scale minmax");
    assert!(plain.err.contains("without intercept") && plain.err.contains("scaled to [0, 1]"));
}
