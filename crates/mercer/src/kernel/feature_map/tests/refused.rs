//! What has no map, and data that a map cannot take.

use super::*;

fn check(found: Result<FeatureMap>, part: &str) {
    let text = found.expect_err(part).to_string();
    assert!(text.contains(part), "{text}");
}

#[test]
fn kernels_without_an_explicit_map_say_why() {
    for text in ["rbf(gamma=1)", "laplacian(gamma=1)", "matern", "linear*rational_quadratic"] {
        check(map_of(text, 3), "infinitely many features");
        check(map_of(text, 3), "set a number of random ones");
    }
    check(map_of("sigmoid(gamma=1)", 3), "not positive definite in general");
    check(map_of("poly(coef0=-1)", 3), "coef0 must not be negative");
    check(map_of("poly(gamma=scale)", 3), "depends on the data");
}

#[test]
fn too_many_features_are_refused_with_their_number() {
    check(map_of("poly(degree=5)", 100), "has 96560646 features");
    check(map_of("poly(degree=1000)", 100_000), "more than 10^38 features");
    check(map_of("poly(degree=4294967295)", 2), "features");
    check(map_of("poly(degree=2000)", 1), "exceed the range of f64");
    check(map_of("poly(degree=4294967295, coef0=0)", 1), "exceed the range of f64");
    check(map_of("poly(degree=2)*poly(degree=2)*poly(degree=2)", 100), "features, more than");
    check(FeatureMap::intersection(MOST_FEATURES, 2), "has 20000000 features");
    check(FeatureMap::intersection(1, 1_000_000), "at most");
    assert!(FeatureMap::linear(MOST_FEATURES).is_ok());
}

#[test]
fn maps_of_other_columns_do_not_fit_together() {
    let [two, three] = [2, 3].map(|d| FeatureMap::linear(d).unwrap());
    check(FeatureMap::sum(vec![two.clone(), three.clone()]), "2 features");
    check(FeatureMap::product(vec![two.clone(), three]), "2 features");
    check(FeatureMap::sum(Vec::new()), "no feature maps");
    check(two.clone().select(&[0], 5), "2 features");
    check(two.clone().select(&[0, 5], 5), "no column 5");
    check(two.clone().scale(-1.0), "positive");
    check(two.scale(f64::NAN), "positive");
    check(FeatureMap::linear(0), "at least 1");
}

#[test]
fn bad_data_is_refused_with_its_place() {
    let ctx = Context::new(1);
    let map = FeatureMap::hellinger(3).unwrap();
    let mut x = histograms(4, 3, 20);
    x[(2, 1)] = -0.5;
    let text = map.matrix(&ctx, x.view()).unwrap_err().to_string();
    assert!(text.contains("row 2, column 1") && text.contains("-0.5"), "{text}");
    x[(2, 1)] = f64::NAN;
    let refused = map.matrix(&ctx, x.view()).unwrap_err();
    assert!(matches!(refused, Error::NotFinite { row: 2, column: 1, .. }), "{refused}");
    let wide = normal(2, 4, 21);
    let refused = map.matrix(&ctx, wide.view()).unwrap_err();
    assert!(matches!(refused, Error::Features { expected: 3, found: 4 }), "{refused}");
    let mut out = Mat::zeros(2, 2);
    assert!(matches!(map.apply(x.view(), out.view_mut()), Err(Error::Shape(_))));
    let large = Mat::from_vec(vec![0.0, 0.0, 1e200, 0.0], 2, 2);
    let text = map_of("poly", 2).unwrap().matrix(&ctx, large.view()).unwrap_err().to_string();
    assert!(text.contains("of row 1 overflows"), "{text}");
}

#[test]
fn memory_is_checked_first() {
    let map = map_of("poly(degree=3)", 10).unwrap();
    let refused = map.matrix(&Context::new(1).with_budget(1000), normal(10, 10, 22).view());
    assert!(matches!(refused, Err(Error::Memory { .. })));
}
