use super::*;

fn names(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

fn texts(column: &Column) -> Vec<String> {
    (0..column.len()).map(|row| column.text(row)).collect()
}

#[test]
fn the_largest_errors_come_first_with_the_numbers_of_their_rows() {
    let truth = [Column::F64(vec![1.0, 2.0, 3.0, 4.0])];
    let values = Mat::from_vec(vec![1.5, 2.0, 0.0, 4.25], 4, 1);
    let prediction = Prediction::Values { values, deviations: None };
    let targets = names(&["y"]);
    let evaluated = Evaluated {
        origin: Origin::HeldOut,
        numbers: &[7, 8, 20, 31],
        label: None,
        names: Names { targets: &targets, classes: None },
        truth: &truth,
        prediction: &prediction,
        counted: &[0, 1, 2, 3],
    };
    let tables = evaluated.tables();
    assert!(tables[0].caption().contains("held-out rows"));
    let table = tables[0].table();
    assert_eq!(texts(&table.columns[0]), ["20", "7", "31", "8"]);
    assert_eq!(table.columns[3], Column::F64(vec![-3.0, 0.5, 0.25, 0.0]));
    let rmse = ((0.25 + 9.0 + 0.0625) / 4.0f64).sqrt();
    assert!((evaluated.error() - rmse).abs() < 1e-15);
    // A row of weight 0 does not count.
    let fewer = Evaluated { counted: &[0, 1, 3], ..evaluated };
    assert_eq!(texts(&fewer.tables()[0].table().columns[0]), ["7", "31", "8"]);
}

#[test]
fn misclassified_rows_are_sorted_by_how_clearly_they_are_wrong() {
    let truth = [Column::Text(names(&["a", "b", "c", "a"]))];
    let scores =
        Mat::from_vec(vec![1.0, 1.5, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 3.0, 1.0, 0.0, 0.5], 4, 3);
    let prediction = Prediction::Classes {
        places: vec![1, 0, 2, 0],
        scores,
        decisions: None,
        probabilities: None,
    };
    let (targets, classes) = (names(&["kind"]), names(&["a", "b", "c"]));
    let label = ("who".to_string(), Column::Text(names(&["ann", "bob", "cy", "dee"])));
    let evaluated = Evaluated {
        origin: Origin::Training,
        numbers: &[1, 2, 3, 4],
        label: Some(&label),
        names: Names { targets: &targets, classes: Some(&classes) },
        truth: &truth,
        prediction: &prediction,
        counted: &[0, 1, 2, 3],
    };
    let tables = evaluated.tables();
    assert!(tables[0].caption().contains("Misclassified: 2 of 4 rows (training set"));
    let table = tables[0].table();
    assert_eq!(texts(&table.columns[1]), ["bob", "ann"]);
    assert_eq!(table.columns[4], Column::F64(vec![1.0, 0.5]));
    assert_eq!(evaluated.error(), 0.5);
    let right = Evaluated { counted: &[2, 3], ..evaluated };
    assert!(right.tables()[0].caption().starts_with("None of 2 rows is misclassified"));
}

#[test]
fn errors_of_several_targets_are_in_units_of_their_spread() {
    let truth = [Column::F64(vec![0.0, 2.0]), Column::F64(vec![0.0, 2000.0])];
    let values = Mat::from_vec(vec![1.0, 0.0, 2.0, 2500.0], 2, 2);
    let prediction = Prediction::Values { values, deviations: None };
    let targets = names(&["small", "large"]);
    let evaluated = Evaluated {
        origin: Origin::LeaveOneOut,
        numbers: &[1, 2],
        label: None,
        names: Names { targets: &targets, classes: None },
        truth: &truth,
        prediction: &prediction,
        counted: &[0, 1],
    };
    let tables = evaluated.tables();
    assert_eq!(texts(&tables[0].table().columns[1])[..2], ["small", "large"]);
    assert!((evaluated.error() - ((1.0 + 0.25) / 4.0f64).sqrt()).abs() < 1e-15);
}
