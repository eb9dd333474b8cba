//! Laws that every kernel keeps, whatever the texts.

use proptest::prelude::*;

use super::{diag, member, strings, tile, values};
use crate::points::{Points, Span};

const KERNELS: &[&str] = &[
    "spectrum(2)",
    "spectrum(3, unit=bytes)",
    "spectrum(1, unit=words)",
    "substrings(4)",
    "substrings(12)",
    "all_substrings(unit=words)",
    "exponential",
    "exponential(0.99, unit=bytes)",
    "edit(width=4)",
    "edit(gamma=0.001, unit=words)",
    "gappy(4, m=1)",
    "gappy(12, m=9, unit=bytes)",
    "mismatch(alphabet=6)",
    "mismatch(7, m=4, alphabet=3)",
    "subsequences(2)",
    "subsequences(6, decay=0.8)",
    "subsequences(11, decay=0.9)",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    /// Values do not depend on the tile they are computed in, to the last bit, nor on the set they are in; rows and
    /// columns may be exchanged; the diagonal is that of the tile; nothing exceeds its lengths.
    #[test]
    fn values_depend_on_two_texts_alone(
        texts in prop::collection::vec("[ab ]{0,9}|[abcdé世 ]{0,80}", 2..24),
        cut in 0.0..1.0_f64,
    ) {
        let x = strings(&texts);
        let n = x.n();
        let cut = (cut * n as f64) as usize;
        for text in KERNELS {
            let kernel = member(text);
            let all = values(&kernel, &x, &x);
            let at = |i: usize, j: usize| all[i * n + j];
            let part: Vec<f64> = tile(&kernel, Span::new(&x, cut..n), Span::new(&x, 0..cut + 1));
            for (i, row) in part.chunks_exact(cut + 1).enumerate() {
                prop_assert_eq!(row, &all[(cut + i) * n..][..cut + 1], "{}", text);
            }
            let order: Vec<usize> = (0..n).rev().collect();
            prop_assert_eq!(&values(&kernel, &x.select(&order), &x)[..n], &all[(n - 1) * n..]);
            let apart = values(&kernel, &strings(&texts[..cut + 1]), &strings(&texts));
            prop_assert_eq!(&apart[..], &all[..(cut + 1) * n], "{}", text);
            let diagonal = diag(&kernel, &x);
            for i in 0..n {
                let close = |a: f64, b: f64| (a - b).abs() <= 1e-13 * a.abs();
                prop_assert!(close(diagonal[i], at(i, i)), "{} {}", text, i);
                for j in 0..i {
                    prop_assert!(close(at(i, j), at(j, i)), "{} {} {}", text, i, j);
                    let most = (diagonal[i] * diagonal[j]).sqrt();
                    prop_assert!(at(i, j) <= most * (1.0 + 1e-12), "{} {} {}", text, i, j);
                }
            }
        }
    }
}
