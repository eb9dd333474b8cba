use super::{dense, normal};
use crate::context::Context;
use crate::hypothesis::{Mmd, MmdParams, Null, columns};
use crate::points::Dense;

/// Four columns of 150 + 90 rows: the second is shifted, the last two are indicators of categories.
fn table(seed: u64) -> Dense<f64> {
    let values = normal(240, 2, 0.0, seed);
    let rows = values.chunks_exact(2).enumerate().flat_map(|(i, row)| {
        let is_new = i >= 150;
        let category = f64::from(u8::from(i % 3 == 0));
        [row[0], row[1] + if is_new { 0.9 } else { 0.0 }, category, 1.0 - category]
    });
    dense(rows.collect(), 4)
}

#[test]
fn a_column_has_the_energy_distance() {
    let x = table(1);
    let found = columns(&Context::new(2), &x, &[0..1, 1..2], 150, 99, 3).unwrap();
    for (k, test) in found.iter().enumerate() {
        let column = dense((0..240).map(|i| x.row(i)[k]).collect(), 1);
        let mut params = MmdParams::new("energy".parse().unwrap());
        (params.null, params.seed) = (Null::Permutations(99), 3);
        let expected = Mmd::test(&Context::new(1), &params, &column, 150).unwrap().outcome;
        assert!((test.statistic - expected.statistic).abs() < 1e-12);
        assert_eq!(test.p_value, expected.p_value);
    }
}

#[test]
fn the_column_that_moved_is_found_for_any_number_of_threads() {
    let groups = [0..1, 1..2, 2..4];
    let run = |threads| columns(&Context::new(threads), &table(5), &groups, 150, 199, 0).unwrap();
    let found = run(1);
    assert_eq!((found[1].p_value, found[1].adjusted), (0.005, 0.015));
    assert!(found[0].adjusted > 0.05 && found[2].adjusted > 0.05, "{found:?}");
    for (a, b) in found.iter().zip(run(3)) {
        assert_eq!((a.statistic, a.p_value), (b.statistic, b.p_value));
    }
}

#[test]
fn a_constant_column_has_not_moved() {
    let x = dense(vec![0.1; 40], 1);
    let found = columns(&Context::new(1), &x, std::slice::from_ref(&(0..1)), 17, 99, 0).unwrap();
    assert_eq!((found[0].statistic, found[0].adjusted), (0.0, 1.0));
}

#[test]
fn what_cannot_be_tested_is_refused() {
    let (ctx, x) = (Context::new(1), table(7));
    let refuse = |ctx: &Context, end: usize, first: usize, count: usize, part: &str| {
        let group = 0..end;
        let group = std::slice::from_ref(&group);
        let error = columns(ctx, &x, group, first, count, 0).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refuse(&ctx, 1, 0, 99, "one table empty");
    refuse(&ctx, 1, 240, 99, "one table empty");
    refuse(&ctx, 5, 100, 99, "do not exist");
    refuse(&ctx, 1, 100, 2, "at least 9");
    refuse(&Context::new(1).with_budget(5000), 1, 100, 999, "fewer permutations");
}
