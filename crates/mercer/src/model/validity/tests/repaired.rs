//! Repaired matrices, and values of new samples.

use super::*;

fn indefinite(n: usize) -> Vec<Mat<f64>> {
    let x = normal(n, 3, 20);
    let noise = normal(n, n, 21);
    vec![
        matrix_of(&x, sigmoid),
        matrix_of(&x, |a, b| -distance(a, b)),
        matrix_of(&x, |a, b| if distance(a, b) < 1.5 { 1.0 } else { 0.0 }),
        Mat::from_fn(n, n, |i, j| noise[(i, j)] + noise[(j, i)] + if i == j { 3.0 } else { 0.0 }),
    ]
}

fn has_negative_diagonal(matrix: &Mat<f64>) -> bool {
    (0..matrix.rows()).any(|i| matrix[(i, i)] < 0.0)
}

fn applied(correction: &Correction, values: &Mat<f64>) -> Mat<f64> {
    correction.apply(values).unwrap()
}

fn check_psd(matrix: &Mat<f64>, what: impl std::fmt::Debug) {
    let n = matrix.rows();
    let values = eigenvalues(matrix);
    assert!(values[n - 1] >= -1e-13 * n as f64 * values[0], "{what:?}: {}", values[n - 1]);
    for i in 0..n {
        assert!((0..i).all(|j| matrix[(i, j)] == matrix[(j, i)]), "{what:?}: row {i}");
    }
}

#[test]
fn repaired_matrices_are_positive_semi_definite() {
    for n in [2, 20, 280] {
        for (which, matrix) in indefinite(n).iter().enumerate() {
            for method in Repair::ALL {
                if method == Repair::Nearest && has_negative_diagonal(matrix) {
                    continue;
                }
                let repaired = repair(method, matrix).unwrap();
                check_psd(&repaired.matrix, (n, which, method));
                assert!(repaired.converged, "{n} {which} {method}");
                assert!(assess(&repaired.matrix).unwrap().is_valid());
                let change = apart(&repaired.matrix, matrix) / size(matrix);
                assert!((repaired.change - change).abs() <= 1e-12 * change, "{method}");
            }
        }
    }
}

/// ‖K' − K‖² is the sum over negative eigenvalues of λ² for clip, 4λ² for flip; n·λ_min² for shift.
#[test]
fn changes_are_those_of_the_eigenvalues() {
    for matrix in indefinite(60) {
        let values = eigenvalues(&matrix);
        let squares: f64 = values.iter().filter(|v| **v < 0.0).map(|v| v * v).sum();
        let shift = 60f64.sqrt() * values[59].abs();
        for (method, want) in [
            (Repair::Clip, squares.sqrt()),
            (Repair::Flip, 2.0 * squares.sqrt()),
            (Repair::Shift, shift),
        ] {
            let found = apart(&repair(method, &matrix).unwrap().matrix, &matrix);
            assert!((found - want).abs() < 1e-10 * want, "{method}: {found} {want}");
        }
    }
}

/// No other positive semi-definite matrix is nearer than the clipped one: not the other repairs, nor matrices around it.
#[test]
fn clip_is_nearest() {
    for matrix in indefinite(30) {
        let clipped = repair(Repair::Clip, &matrix).unwrap();
        for method in [Repair::Flip, Repair::Shift] {
            assert!(clipped.change <= repair(method, &matrix).unwrap().change);
        }
        let best = apart(&clipped.matrix, &matrix);
        let factor = normal(30, 30, 22);
        for step in [1e-3, 0.1, 1.0] {
            // (1 − s)·K' + s·F Fᵀ is positive semi-definite.
            let other = Mat::from_fn(30, 30, |i, j| {
                (1.0 - step) * clipped.matrix[(i, j)] + step * dot(factor.row(i), factor.row(j))
            });
            assert!(apart(&other, &matrix) >= best, "{step}");
        }
    }
}

#[test]
fn nearest_keeps_the_diagonal_and_is_nearest_of_those_that_do() {
    for n in [2, 30, 100] {
        for matrix in indefinite(n) {
            if has_negative_diagonal(&matrix) {
                let refused = repair(Repair::Nearest, &matrix).unwrap_err();
                assert!(refused.to_string().contains("no kernel has such a diagonal"), "{refused}");
                continue;
            }
            let nearest = repair(Repair::Nearest, &matrix).unwrap();
            assert!((0..n).all(|i| nearest.matrix[(i, i)] == matrix[(i, i)]));
            assert!(nearest.change + 1e-12 >= repair(Repair::Clip, &matrix).unwrap().change);
            check_not_nearer(&matrix, &nearest.matrix, n);
        }
    }
}

/// Other positive semi-definite matrices with the same diagonal, on the way to far ones and beside it, are not nearer.
fn check_not_nearer(matrix: &Mat<f64>, nearest: &Mat<f64>, n: usize) {
    let best = apart(nearest, matrix);
    let clipped = repair(Repair::Clip, matrix).unwrap().matrix;
    let factor = normal(n, n, 23);
    let noise = Mat::from_fn(n, n, |i, j| dot(factor.row(i), factor.row(j)));
    for other in [clipped, noise] {
        let root = |i: usize| (matrix[(i, i)] / other[(i, i)].max(1e-300)).sqrt();
        for step in [1e-6, 1e-3, 0.1, 1.0] {
            let mixed = Mat::from_fn(n, n, |i, j| {
                (1.0 - step) * nearest[(i, j)] + step * root(i) * root(j) * other[(i, j)]
            });
            let found = apart(&mixed, matrix);
            assert!(found >= best * (1.0 - 1e-12), "{n}, {step}: {found} {best}");
        }
    }
}

/// Higham's method to the letter, with Dykstra's correction, until nothing moves.
#[test]
fn nearest_is_what_alternating_projections_tend_to() {
    let n = 12;
    let noise = normal(n, n, 24);
    let matrix = Mat::from_fn(n, n, |i, j| match i == j {
        true => 1.0 + 0.1 * i as f64,
        false => 0.3 * (noise[(i, j)] + noise[(j, i)]),
    });
    let (mut y, mut correction) = (matrix.clone(), Mat::zeros(n, n));
    for _ in 0..3000 {
        let r = Mat::from_fn(n, n, |i, j| y[(i, j)] - correction[(i, j)]);
        let x = repair(Repair::Clip, &r).unwrap().matrix;
        correction = Mat::from_fn(n, n, |i, j| x[(i, j)] - r[(i, j)]);
        y = x;
        (0..n).for_each(|i| y[(i, i)] = matrix[(i, i)]);
    }
    let nearest = repair(Repair::Nearest, &matrix).unwrap();
    assert!(apart(&nearest.matrix, &y) < 1e-8, "{}", apart(&nearest.matrix, &y));
}

/// The correlation matrix of Higham (2002), whose nearest one is known.
#[test]
fn the_example_of_the_literature_comes_out() {
    let matrix = Mat::from_vec(vec![1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0], 3, 3);
    let found = repair(Repair::Nearest, &matrix).unwrap().matrix;
    let want = [1.0, 0.7607, 0.1573, 0.7607, 1.0, 0.7607, 0.1573, 0.7607, 1.0];
    assert!(found.data().iter().zip(want).all(|(a, b)| (a - b).abs() < 5e-5), "{found:?}");
}

#[test]
fn samples_of_length_zero_have_no_values() {
    let mut matrix = matrix_of(&normal(12, 2, 25), sigmoid);
    matrix[(4, 4)] = 0.0;
    let nearest = repair(Repair::Nearest, &matrix).unwrap();
    assert!((0..12).all(|j| nearest.matrix[(4, j)] == 0.0 && nearest.matrix[(j, 4)] == 0.0));
    check_psd(&nearest.matrix, "one zero");
    let all = Mat::zeros(5, 5);
    for method in Repair::ALL {
        let repaired = repair(method, &all).unwrap();
        assert_eq!((repaired.matrix, repaired.change), (all.clone(), 0.0));
    }
}

#[test]
fn values_of_a_training_sample_become_its_repaired_row() {
    for matrix in indefinite(40) {
        for method in [Repair::Clip, Repair::Flip] {
            let repaired = repair(method, &matrix).unwrap();
            let found = applied(&repaired.correction, &matrix);
            assert!(apart(&found, &repaired.matrix) < 1e-9 * size(&matrix), "{method}");
            let diagonal: Vec<f64> = (0..40).map(|i| matrix[(i, i)]).collect();
            let diagonal = repaired.correction.diagonal(matrix.view(), &diagonal).unwrap();
            for (i, diagonal) in diagonal.iter().enumerate() {
                let want = repaired.matrix[(i, i)];
                assert!(
                    (diagonal - want).abs() < 1e-9 * size(&matrix),
                    "{method}: {diagonal} {want}"
                );
            }
        }
    }
}

#[test]
fn a_shift_adds_to_values_of_samples_with_themselves_alone() {
    for matrix in indefinite(25) {
        let repaired = repair(Repair::Shift, &matrix).unwrap();
        assert_eq!(applied(&repaired.correction, &matrix), matrix);
        let diagonal: Vec<f64> = (0..25).map(|i| matrix[(i, i)]).collect();
        let diagonal = repaired.correction.diagonal(matrix.view(), &diagonal).unwrap();
        for (i, diagonal) in diagonal.iter().enumerate() {
            assert!((diagonal - repaired.matrix[(i, i)]).abs() < 1e-12 * size(&matrix));
        }
    }
}

/// No eigenvalue is small: rows are met exactly. The nearest matrix keeps values of samples with themselves.
#[test]
fn nearest_meets_rows_of_training_samples() {
    let n = 16;
    let matrix = Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 => 1.0,
        d if d == n / 2 => 1.5,
        _ => 0.0,
    });
    let repaired = repair(Repair::Nearest, &matrix).unwrap();
    let found = applied(&repaired.correction, &matrix);
    assert!(apart(&found, &repaired.matrix) < 1e-9, "{}", apart(&found, &repaired.matrix));
    assert_eq!(repaired.correction.diagonal(matrix.view(), &vec![1.0; n]).unwrap(), vec![1.0; n]);
    // With small eigenvalues, nearly.
    let matrix = matrix_of(&normal(80, 3, 26), sigmoid);
    let repaired = repair(Repair::Nearest, &matrix).unwrap();
    let found = applied(&repaired.correction, &matrix);
    let error = apart(&found, &repaired.matrix) / size(&repaired.matrix);
    assert!(error < 0.05, "{error}");
}

/// New samples repaired alone come close to what they are when repaired with the others.
#[test]
fn new_samples_are_repaired_as_if_they_had_been_there() {
    let (n, m) = (120, 20);
    let whole = matrix_of(&normal(n + m, 3, 27), sigmoid);
    let train = Mat::from_fn(n, n, |i, j| whole[(i, j)]);
    let new = Mat::from_fn(m, n, |i, j| whole[(n + i, j)]);
    for (method, most) in [(Repair::Clip, 0.07), (Repair::Flip, 0.14), (Repair::Nearest, 0.05)] {
        let together = repair(method, &whole).unwrap().matrix;
        let together = Mat::from_fn(m, n, |i, j| together[(n + i, j)]);
        let found = applied(&repair(method, &train).unwrap().correction, &new);
        let error = apart(&found, &together) / size(&together);
        let untouched = apart(&new, &together) / size(&together);
        assert!(error < most && error < 0.5 * untouched, "{method}: {error} {untouched}");
    }
}

#[test]
fn a_kernel_needs_no_repair_and_its_values_stay() {
    let x = normal(50, 3, 28);
    for matrix in [matrix_of(&x, dot), matrix_of(&x, |a, b| (-distance(a, b)).exp())] {
        for method in Repair::ALL {
            let repaired = repair(method, &matrix).unwrap();
            assert!(repaired.change < 1e-13, "{method}: {}", repaired.change);
            assert_eq!(repaired.correction.rank(), 0);
            let new = normal(4, 50, 29);
            assert_eq!(applied(&repaired.correction, &new), new);
        }
    }
}

#[test]
fn single_precision_is_taken_as_such() {
    let matrix = matrix_of(&normal(50, 3, 30), dot);
    let single = Mat::from_fn(50, 50, |i, j| matrix[(i, j)] as f32);
    let repaired = Repair::Clip.fit(&Context::new(1), single.view()).unwrap();
    assert_eq!(repaired.correction.rank(), 0);
    let mut out = Mat::<f32>::zeros(50, 50);
    repaired.correction.apply_into(single.view(), out.view_mut()).unwrap();
    assert_eq!(out, single);
}

#[test]
fn what_is_kept_survives_a_file_and_is_checked() {
    let matrix = matrix_of(&normal(20, 2, 31), sigmoid);
    for method in Repair::ALL {
        let kept = repair(method, &matrix).unwrap().correction;
        let text = serde_json::to_string(&kept).unwrap();
        assert_eq!(serde_json::from_str::<Correction>(&text).unwrap(), kept);
        let wrong = text.replace("\"samples\":20", "\"samples\":0");
        assert!(serde_json::from_str::<Correction>(&wrong).is_err());
        if kept.rank() > 0 {
            let wrong = text.replace("\"samples\":20", "\"samples\":7");
            assert!(serde_json::from_str::<Correction>(&wrong).is_err());
        }
        assert_eq!(method.to_string().parse::<Repair>().unwrap(), method);
    }
    assert!(
        "mend".parse::<Repair>().unwrap_err().to_string().contains("clip, flip, shift or nearest")
    );
}

#[test]
fn values_of_another_shape_are_refused() {
    let kept = repair(Repair::Clip, &matrix_of(&normal(6, 2, 32), sigmoid)).unwrap().correction;
    let wide = Mat::<f64>::zeros(2, 7);
    let mut out = Mat::<f64>::zeros(2, 7);
    let refused = kept.apply(&wide).unwrap_err();
    assert!(matches!(refused, Error::Features { expected: 6, found: 7 }), "{refused}");
    let values = Mat::<f64>::zeros(2, 6);
    assert!(kept.apply_into(values.view(), out.view_mut()).is_err());
    assert!(kept.diagonal(values.view(), &[1.0]).is_err());
    assert!(kept.diagonal(values.view(), &[1.0, f64::NAN]).is_err());
}

#[test]
fn threads_change_nothing() {
    let matrix = matrix_of(&normal(300, 3, 33), sigmoid);
    for method in Repair::ALL {
        let [one, two] = [1, 2].map(|t| method.fit(&Context::new(t), matrix.view()).unwrap());
        assert_eq!(one, two, "{method}");
    }
}
