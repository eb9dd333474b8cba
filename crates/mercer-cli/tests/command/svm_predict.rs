//! `predict` and `inspect` with support vector machines, fitted by mercer and by LIBSVM.

use crate::folder::{Folder, cells, difference, houses, ring_table, rings, small_table};

#[test]
fn classes_come_with_decisions_and_probabilities() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(90));
    let run = folder
        .done("svc t.csv --target kind --columns y,z --probability sigmoid -m m.mercer -o o.csv");
    assert!(
        run.err.contains("probability sigmoid calibration, 5-fold cross-validation"),
        "{}",
        run.err
    );
    let shares = ["probability_blue", "probability_green", "probability_red"];
    assert_eq!(cells(&folder.read("o.csv"))[0][2..], shares);
    let run = folder.done("predict m.mercer t.csv --decisions --scores --probability");
    let table = cells(&run.out);
    let pairs = ["decision_blue_green", "decision_blue_red", "decision_green_red"];
    assert_eq!(table[0][0], "kind");
    assert_eq!(table[0][1..4], ["score_blue", "score_green", "score_red"]);
    assert_eq!(
        (&table[0][4..7], &table[0][7..]),
        (&pairs.map(String::from)[..], &shares.map(String::from)[..])
    );
    let names = ["blue", "green", "red"];
    for row in &table[1..] {
        let numbers: Vec<f64> = row[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        let best =
            |values: &[f64]| (0..3).max_by(|&a, &b| values[a].total_cmp(&values[b])).unwrap();
        assert_eq!(
            (names[best(&numbers[..3])], names[best(&numbers[6..])]),
            (&row[0][..], &row[0][..])
        );
        assert!((numbers[6..].iter().sum::<f64>() - 1.0).abs() < 1e-9);
        // The winner has most pairs for it.
        let votes = [numbers[3], numbers[4], numbers[5]].map(|d| d > 0.0);
        let won = [
            usize::from(votes[0]) + usize::from(votes[1]),
            usize::from(!votes[0]) + usize::from(votes[2]),
            usize::from(!votes[1]) + usize::from(!votes[2]),
        ];
        let place = names.iter().position(|name| *name == row[0]).unwrap();
        assert_eq!(won[place], *won.iter().max().unwrap());
    }
    for part in ["support vector classification", "accuracy", "blue: ", "/30"] {
        assert!(run.err.contains(part), "no {part:?} in {}", run.err);
    }
    let again =
        folder.done("svc t.csv --target kind --columns y,z --probability sigmoid -m n.mercer -q");
    assert!(again.out.is_empty());
    let second = folder.done("predict n.mercer t.csv --probability -q").out;
    assert_eq!(second, folder.done("predict m.mercer t.csv --probability -q").out);
    let object = folder.done("predict m.mercer t.csv --json -q").json();
    let counts = object["confusion"]["counts"].as_array().unwrap();
    let all: u64 =
        counts.iter().flat_map(|c| c.as_array().unwrap()).map(|c| c.as_u64().unwrap()).sum();
    assert_eq!(all, 90);
}

#[test]
fn two_classes_have_one_decision() {
    let folder = Folder::new();
    folder.write("t.csv", ring_table(60));
    folder.done("svc t.csv --target side --probability isotonic -m m.mercer -q");
    let table = cells(&folder.done("predict m.mercer t.csv --decisions --probability -q").out);
    assert_eq!(table[0], ["side", "decision_out", "probability_in", "probability_out"]);
    for row in &table[1..] {
        let numbers: Vec<f64> = row[1..].iter().map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(row[0] == "out", numbers[0] > 0.0);
        assert_eq!(row[0] == "out", numbers[2] > numbers[1], "{row:?}");
    }
}

#[test]
fn values_and_sides() {
    let folder = Folder::new();
    folder.write("h.csv", houses(60));
    folder
        .done("svr h.csv --target price --label id -C 1000 --absolute --epsilon 5 -q -m r.mercer -o fit.csv");
    let run = folder.done("predict r.mercer h.csv");
    assert!(run.err.contains("RMSE") && run.err.contains("R² 0.9"), "{}", run.err);
    let fit = cells(&folder.read("fit.csv"));
    let fit: String = fit.iter().map(|row| format!("{},{}\n", row[0], row[2])).collect();
    assert!(difference(&fit.replacen("prediction", "price", 1), &run.out) < 1e-9);
    folder.done("oneclass h.csv --label id -q -m o.mercer -o sides.csv");
    folder.write("far.csv", "id,area,age,rooms,price\nfar,9999,9999,99,9999\n");
    let run = folder.done("predict o.mercer far.csv");
    assert!(run.out.starts_with("id,side,decision\nfar,-1,-"), "{}", run.out);
    assert!(
        run.err.contains("prediction of one-class decisions for 1 row of far.csv"),
        "{}",
        run.err
    );
    assert!(run.err.contains("outside     1 row (100.0 %)"), "{}", run.err);
    let same = folder.done("predict o.mercer h.csv -q").out;
    assert!(difference(&same, &folder.read("sides.csv")) < 1e-9);
}

#[test]
fn inspect_agrees_with_the_fit() {
    let folder = Folder::new();
    folder.write("t.csv", small_table(60));
    let fit = folder.done("svc t.csv --target kind -C 2 --probability sigmoid -m m.mercer");
    let text = folder.done("inspect m.mercer").out;
    assert!(
        text.contains("support vector classification, fitted on 60 rows × 3 columns"),
        "{text}"
    );
    assert!(text.contains("target      kind"), "{text}");
    for line in
        fit.err.lines().skip(1).filter(|line| !line.contains("time ") && !line.contains("written "))
    {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    let fit = folder.done("svc t.csv --target kind -C 2 --probability sigmoid --json -q").json();
    let object = folder.done("inspect m.mercer --json").json();
    for key in ["estimator", "rows", "kernel", "svm", "scaling", "column_names"] {
        assert_eq!(object[key], fit[key], "{key}");
    }
    assert_eq!(object["report"]["machine"], fit["report"]["machine"]);
}

#[test]
fn libsvm_models_are_written_and_read() {
    let folder = Folder::new();
    folder.write("t.libsvm", rings(60));
    folder.done("svc t.libsvm --scale none --libsvm-model t.model -m m.mercer -q");
    assert!(folder.read("t.model").starts_with("svm_type c_svc\nkernel_type rbf\n"));
    let ours = folder.done("predict m.mercer t.libsvm --decisions -q").out;
    let run = folder.done("predict t.model t.libsvm --decisions");
    assert!(run.err.contains("accuracy 1.000"), "{}", run.err);
    let theirs = cells(&run.out);
    assert_eq!(theirs[0], ["label", "prediction", "decision_1"]);
    let theirs: String = theirs.iter().map(|row| format!("{},{}\n", row[1], row[2])).collect();
    assert!(difference(&ours, &theirs.replacen("prediction", "label", 1)) < 1e-6);
    let text = folder.done("inspect t.model").out;
    assert!(
        text.contains("support vector classification") && text.contains("rbf(gamma="),
        "{text}"
    );
    let run = folder.done("svc t.libsvm --scale none --probability sigmoid --libsvm-model p.model");
    assert!(run.err.contains("warning: the calibration was omitted"), "{}", run.err);
}

#[test]
fn what_libsvm_text_leaves_out_is_zero() {
    let folder = Folder::new();
    folder.write("t.libsvm", rings(60));
    folder.done("svc t.libsvm --scale none --kernel 'rbf(gamma=0.5)' --libsvm-model t.model -q");
    folder.write("narrow.libsvm", "1 1:0.1\n");
    folder.write("full.csv", "0.1,0\n");
    let narrow = cells(&folder.done("predict t.model narrow.libsvm --decisions -q").out);
    let full = cells(&folder.done("predict t.model full.csv --header no --decisions -q").out);
    assert_eq!(narrow[1][2], full[1][1]);
    // A column that no support vector has takes part in distances.
    folder.write("wide.libsvm", "1 1:0.1 3:100\n");
    let wide = cells(&folder.done("predict t.model wide.libsvm --decisions -q").out);
    assert_ne!(wide[1][2], narrow[1][2]);
}
