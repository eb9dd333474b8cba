//! Decisions and probabilities by two loops, once from the text in LIBSVM's way and once from the machine in ours.

use super::super::turn::row;
use super::{PRECOMPUTED, THREE, TWO, numbers, read};
use crate::model::svm::Svm;

/// The numbers behind `key` in the text.
fn listed(text: &str, key: &str) -> Vec<f64> {
    let line = text.lines().find(|line| line.split(' ').next() == Some(key)).unwrap();
    line.split(' ').skip(1).map(|word| word.parse().unwrap()).collect()
}

/// The features that a line of support vectors names, from the first on.
fn features<'a>(words: impl Iterator<Item = &'a str>) -> Vec<f64> {
    let mut row = vec![0.0; 3];
    for word in words {
        let (index, value) = word.split_once(':').unwrap();
        row[index.parse::<usize>().unwrap() - 1] = value.parse().unwrap();
    }
    row
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| a * b).sum()
}

fn kernel(text: &str, x: &[f64], y: &[f64]) -> f64 {
    let gamma = listed(text, "gamma")[0];
    if text.contains("rbf") {
        let distance: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
        return (-gamma * distance).exp();
    }
    (gamma * dot(x, y) + listed(text, "coef0")[0]).powi(3)
}

/// LIBSVM's decision for the classes i < j of its own order, positive for i.
fn libsvm(text: &str, x: &[f64], i: usize, j: usize) -> f64 {
    let counts = listed(text, "nr_sv");
    let k = counts.len();
    let lines = text.lines().skip_while(|line| *line != "SV").skip(1);
    let owners = (0..k).flat_map(|class| vec![class; counts[class] as usize]);
    let mut sum = -listed(text, "rho")[(0..i).map(|a| k - 1 - a).sum::<usize>() + j - i - 1];
    for (line, owner) in lines.zip(owners) {
        let words: Vec<&str> = line.split(' ').collect();
        let value = kernel(text, x, &features(words[k - 1..].iter().copied()));
        // As svm_predict_values: the row of class i's vectors is j − 1, that of class j's is i.
        match owner {
            owner if owner == i => sum += words[j - 1].parse::<f64>().unwrap() * value,
            owner if owner == j => sum += words[i].parse::<f64>().unwrap() * value,
            _ => {}
        }
    }
    sum
}

/// Our decision for the classes p < q, by the words of `Svm::coef` and `Svm::offset`.
fn ours(model: &Svm, text: &str, x: &[f64], p: usize, q: usize) -> f64 {
    let k = model.counts.len();
    let owners: Vec<usize> = (0..k).flat_map(|class| vec![class; model.counts[class]]).collect();
    let mut sum = model.offset[(0..p).map(|a| k - 1 - a).sum::<usize>() + q - p - 1];
    for (j, &owner) in owners.iter().enumerate().filter(|(_, owner)| [p, q].contains(owner)) {
        let other = if owner == p { q } else { p };
        let anchors = numbers(model.anchors.as_ref().unwrap());
        let value = kernel(text, x, &anchors[j * x.len()..][..x.len()]);
        sum += model.coef[(row(owner, other), j)] * value;
    }
    sum
}

const SAMPLES: [[f64; 3]; 4] =
    [[0.0, 0.0, 0.0], [1.0, -0.5, 0.25], [-2.0, 1.0, 1.5], [0.5, 2.0, -1.0]];

#[test]
fn three_classes_out_of_order_decide_as_before() {
    let model = read(THREE);
    assert_eq!(model.classes.as_deref().unwrap(), ["-2", "3", "5"]);
    assert_eq!(model.counts, [1, 3, 2]);
    assert_eq!(numbers(model.anchors.as_ref().unwrap())[..3], [-0.25, 2.0, 0.0]);
    // LIBSVM's places of our classes.
    let place = [1, 2, 0];
    for x in SAMPLES {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let (a, b) = (place[p], place[q]);
            let libsvm = if a < b { libsvm(THREE, &x, a, b) } else { -libsvm(THREE, &x, b, a) };
            let found = ours(&model, THREE, &x, p, q);
            assert!((found - libsvm).abs() < 1e-12, "({p}, {q}): {found}, not {libsvm}");
        }
    }
}

#[test]
fn of_two_classes_a_positive_decision_speaks_for_the_second() {
    let turned = TWO.replace("label 1 -1", "label -1 1");
    for (text, sign) in [(TWO, 1.0), (turned.as_str(), -1.0)] {
        let model = read(text);
        assert_eq!(model.classes.as_deref().unwrap(), ["-1", "1"]);
        for x in SAMPLES {
            let (found, libsvm) = (ours(&model, text, &x, 0, 1), libsvm(text, &x, 0, 1));
            assert!((found - sign * libsvm).abs() < 1e-12, "{found}, not {sign} · {libsvm}");
        }
    }
}

#[test]
fn probabilities_of_pairs_are_those_of_libsvm() {
    let turned = TWO.replace("label 1 -1", "label -1 1");
    // Our pairs, with LIBSVM's places of both classes and of the one that a positive decision of ours speaks for.
    let three = [((0, 1), (1, 2), 1), ((0, 2), (0, 1), 1), ((1, 2), (0, 2), 2)];
    let cases: [(&str, &[_]); 3] =
        [(THREE, &three), (TWO, &[((0, 1), (0, 1), 0)]), (&turned, &[((0, 1), (0, 1), 1)])];
    for (text, pairs) in cases {
        let model = read(text);
        let (a, b) = (listed(text, "probA"), listed(text, "probB"));
        let k = model.counts.len();
        for (problem, &((p, q), (i, j), spoken_for)) in pairs.iter().enumerate() {
            let theirs = (0..i).map(|a| k - 1 - a).sum::<usize>() + j - i - 1;
            for x in SAMPLES {
                let first = 1.0 / (1.0 + (a[theirs] * libsvm(text, &x, i, j) + b[theirs]).exp());
                let expected = if spoken_for == i { first } else { 1.0 - first };
                let curve = &model.calibration.as_ref().unwrap().curves[problem];
                let found = curve.at(ours(&model, text, &x, p, q));
                assert!((found - expected).abs() < 1e-12, "({p}, {q}): {found}, not {expected}");
            }
        }
    }
}

#[test]
fn given_kernel_matrices_keep_their_samples() {
    let model = read(PRECOMPUTED);
    assert!(model.anchors.is_none());
    assert_eq!((model.trained_on, &model.support[..]), (9, &[3, 0, 8][..]));
    // Two classes in order: signs change, LIBSVM's `sum − rho` is positive for the first.
    assert_eq!(model.coef.data(), [-1.0, 0.75, 0.25]);
    assert_eq!(model.offset, [0.25]);
    let turned = read(&PRECOMPUTED.replace("label 0 1", "label 1 0"));
    assert_eq!(turned.support, [0, 8, 3]);
    assert_eq!((turned.coef.data(), &turned.offset[..]), (&[-0.75, -0.25, 1.0][..], &[-0.25][..]));
}
