//! Laws over random symmetric matrices.

use proptest::prelude::*;

use super::*;

/// A random symmetric matrix of one of several kinds, of size 1 to 12.
fn any_symmetric() -> impl Strategy<Value = Mat<f64>> {
    let sizes = (1usize..=12, 0u64..1000, prop::sample::select(vec![1e-8, 1.0, 1e9]), 0..4);
    sizes.prop_map(|(n, seed, scale, kind)| {
        let (a, r) = (normal(n, n, seed), normal(n, 2, seed + 1));
        Mat::from_fn(n, n, |i, j| {
            scale
                * match kind {
                    0 => a[(i, j)] + a[(j, i)],
                    1 => dot(r.row(i), r.row(j)),
                    2 => dot(a.row(i), a.row(j)),
                    _ => -((i * j) as f64).sqrt() * f64::from(i != j),
                }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn the_verdict_is_that_of_the_smallest_eigenvalue(matrix in any_symmetric()) {
        let found = assess(&matrix).unwrap();
        let values = eigenvalues(&matrix);
        let largest = values.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let smallest = values[values.len() - 1];
        if smallest < -1e-9 * largest {
            let witness = found.witness.unwrap();
            prop_assert!(witness.value < 0.0 && witness.value >= smallest * (1.0 + 1e-9));
        } else if smallest > -1e-13 * largest {
            prop_assert!(found.is_valid(), "{found}");
        }
    }

    #[test]
    fn negating_a_matrix_of_full_rank_makes_it_indefinite(matrix in any_symmetric()) {
        let negated = Mat::from_fn(matrix.rows(), matrix.rows(), |i, j| -matrix[(i, j)]);
        let both = [&matrix, &negated].map(|m| assess(m).unwrap());
        let is_zero = matrix.data().iter().all(|v| *v == 0.0);
        prop_assert_eq!(both[0].is_valid() && both[1].is_valid(), is_zero);
        if !is_zero {
            let sum = both[0].negative_share + both[1].negative_share;
            prop_assert!((sum - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn repairs_are_valid_and_need_no_repair(matrix in any_symmetric()) {
        for method in Repair::ALL {
            let negative = (0..matrix.rows()).any(|i| matrix[(i, i)] < 0.0);
            match repair(method, &matrix) {
                Err(refused) => prop_assert!(method == Repair::Nearest && negative, "{refused}"),
                Ok(once) => {
                    let found = assess(&once.matrix).unwrap();
                    prop_assert!(found.is_valid(), "{method}: {found}");
                    let twice = repair(method, &once.matrix).unwrap();
                    prop_assert!(twice.change < 1e-9, "{method}: {}", twice.change);
                }
            }
        }
    }

    #[test]
    fn the_order_of_samples_does_not_matter(matrix in any_symmetric()) {
        let n = matrix.rows();
        let turned = Mat::from_fn(n, n, |i, j| matrix[(n - 1 - i, n - 1 - j)]);
        let (a, b) = (assess(&matrix).unwrap(), assess(&turned).unwrap());
        prop_assert_eq!(a.is_valid(), b.is_valid());
        prop_assert!((a.ratio - b.ratio).abs() < 1e-9);
    }
}
