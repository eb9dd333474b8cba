//! The text form: printing, resolving and the errors that point at a character.

use mercer::kernel::{Rule, Shape, Value};
use mercer::{Dense, Error, KernelSpec, SpecKernel};

use crate::support::{normal, spec};

#[test]
fn text_prints_in_canonical_form() {
    let check = |text: &str, expected: &str| {
        assert_eq!(spec(text).to_string(), expected, "{text}");
        assert_eq!(spec(expected), spec(text), "{text}");
    };
    check("rbf(sigma=2)", "rbf(sigma=2)");
    check("  rbf ( sigma = 2.0 , ) ", "rbf(sigma=2)");
    check("rbf()", "rbf");
    check("gaussian", "rbf");
    check("polynomial(2)", "poly(degree=2)");
    check("poly(coef0=-1.5e-3, degree=2)", "poly(degree=2, coef0=-0.0015)");
    check(
        "0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)*linear",
        "0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)*linear",
    );
    check("normalize(poly(degree=3))", "normalize(poly(degree=3))");
    check("a".replace('a', "((linear))").as_str(), "linear");
    check("linear + (rbf + cosine)", "linear + rbf + cosine");
    check("linear*(rbf*cosine)*2*3", "6*linear*rbf*cosine");
    check("2*(linear + 0.5*cosine)*rbf", "2*(linear + 0.5*cosine)*rbf");
    check("1*linear", "linear");
    check("0.5*(2*linear)", "linear");
    check("rbf(gamma=1e-300) + .5*linear + 2.*cosine", "rbf(gamma=1e-300) + 0.5*linear + 2*cosine");
    check("rbf(gamma=scale) + rbf(sigma=median)", "rbf(gamma=scale) + rbf(sigma=median)");
    check("rbf(\n\tgamma=auto\n)", "rbf(gamma=auto)");
    check(
        "column(age:rbf)*columns( income ,\"post code\" : linear)",
        "columns(age: rbf)*columns(income, 'post code': linear)",
    );
    check("columns(0, 12: rbf + linear)", "columns(0, 12: rbf + linear)");
    check(r"columns('it\'s', 'a\\b': linear)", r"columns('it\'s', 'a\\b': linear)");
    check("2*own(overlap) + custom('my kernel')", "2*custom(overlap) + custom('my kernel')");
    check("normalize(columns(nan: linear))", "normalize(columns('nan': linear))");
}

/// `text` is refused at `position` with a message that contains `part`.
fn refuse(text: &str, position: usize, part: &str) {
    match text.parse::<KernelSpec>() {
        Ok(spec) => panic!("{text:?} was read as {spec}"),
        Err(Error::Spec { position: found, message, .. }) => {
            assert!(message.contains(part), "{text:?}: {message:?} lacks {part:?}");
            assert_eq!(found, position, "{text:?}: {message}");
        }
        Err(other) => panic!("{text:?}: {other}"),
    }
}

#[test]
fn errors_point_at_the_character() {
    refuse("", 0, "expected a kernel such as rbf, not the end");
    refuse("   ", 3, "expected a kernel");
    refuse("rfb", 0, "unknown kernel 'rfb': did you mean 'rbf'?");
    refuse("linear + RBF", 9, "did you mean 'rbf'?");
    refuse("normalise(rbf)", 0, "did you mean 'normalize'?");
    refuse("quantum", 0, "known kernels are linear, poly, rbf");
    refuse("rbf(gama=1)", 4, "unknown parameter 'gama': did you mean 'gamma'?");
    refuse("matern(length_scale=1)", 7, "did you mean 'length'?");
    refuse("rbf(zzz=1)", 4, "rbf has gamma, sigma, width");
    refuse("linear(gamma=1)", 7, "linear has none");
    refuse("linear(1)", 7, "linear has no parameters");
    refuse("columns(age rbf)", 12, "expected ',' or ':' after the name of a column");
    refuse("columns(: rbf)", 8, "expected a name");
    refuse("columns('': rbf)", 8, "the name is empty");
    refuse("columns(a, a: rbf)", 11, "named twice");
    refuse("columns(a: columns(b: rbf))", 18, "has its columns already");
    refuse("columns(a: rbf", 14, "expected ')'");
    refuse("columns", 7, "expected '(' after columns");
    refuse("columns('a: rbf)", 8, "expected a name");
    refuse("own", 3, "expected '(' after custom");
    refuse("rbf(gamma=-1)", 10, "gamma must be a number of at least 0, not -1");
    refuse("rbf(sigma=0)", 10, "sigma must be a positive number, not 0");
    refuse("rbf(gamma=nan)", 10, "not nan");
    refuse("rbf(gamma=1e999)", 10, "not 1e999");
    refuse(
        "rbf(gamma=skale)",
        10,
        "gamma must be a number of at least 0 or scale or auto, not 'skale': did you mean 'scale'?",
    );
    refuse("rbf(sigma=scale)", 10, "sigma must be a positive number or median, not 'scale'");
    refuse("rbf(gamma=)", 10, "expected a value for gamma, not ')'");
    refuse("rbf(gamma=-)", 11, "expected a number");
    refuse("rbf(gamma)", 4, "gamma needs a value");
    refuse("rbf(2)", 4, "name this value: gamma, sigma, width");
    refuse("rbf(gamma=1, sigma=2)", 13, "give only one of gamma, sigma, width");
    refuse("rbf(gamma=1, gamma=2)", 13, "gamma is given twice");
    refuse("poly(2, 3)", 8, "must be named: degree, gamma, coef0");
    refuse("poly(2.5)", 5, "degree must be a positive integer, not 2.5");
    refuse("poly(degree=0)", 12, "degree must be a positive integer");
    refuse("poly(degree=5e9)", 12, "degree must be a positive integer");
    refuse("matern(nu=2)", 10, "nu must be one of 0.5, 1.5, 2.5, not 2");
    refuse("0*rbf", 0, "a scale must be a positive number, not 0");
    refuse("linear + -2*rbf", 9, "a scale must be a positive number, not -2");
    refuse("inf*rbf", 0, "a scale must be a positive number, not inf");
    refuse("linear + 1e300*1e300*rbf", 9, "the product of the scales is inf");
    refuse("1e-300*(1e-300*rbf)", 0, "the product of the scales is 0.0");
    refuse("linear + 2", 9, "a number alone is not a kernel");
    refuse("2 rbf", 0, "a number alone is not a kernel");
    refuse("-rbf", 0, "cannot be negated");
    refuse("rbf - linear", 4, "cannot be subtracted");
    refuse("rbf/2", 3, "cannot be divided");
    refuse("rbf rbf", 4, "expected '+', '*' or the end of the text, not 'rbf'");
    refuse("rbf(gamma=1", 11, "expected ')' for the '(' at character 3, not the end");
    refuse("rbf(", 4, "expected ')' for the '(' at character 3, not the end");
    refuse("rbf(gamma=1,", 12, "expected ')' for the '(' at character 3, not the end");
    refuse("(rbf", 4, "expected ')' for the '(' at character 0");
    refuse("rbf(gamma=1 sigma=2)", 12, "not 'sigma'");
    refuse("rbf)", 3, "there is no '(' for this ')'");
    refuse("normalize", 9, "expected '(' after normalize");
    refuse("normalize()", 10, "expected a kernel");
    refuse("rbf +", 5, "expected a kernel");
    refuse("rbf ++ rbf", 5, "expected a kernel such as rbf, not '+'");
    refuse("é + rbf", 0, "unknown kernel 'é'");
    refuse("rbf + ñandú(", 6, "unknown kernel 'ñandú'");
    refuse("rbf(sigma=2) + £", 15, "not '£'");
}

#[test]
fn parameters_beside_a_kernel_go_where_they_are_open() {
    let check = |text: &str, name: &str, value: Value, expected: (&str, usize, usize)| {
        let found = spec(text).fill(name, value).unwrap();
        assert_eq!(
            (found.spec.to_string().as_str(), found.taken, found.already_set),
            expected,
            "{text}"
        );
    };
    check("rbf", "gamma", 2.0.into(), ("rbf(gamma=2)", 1, 0));
    check("rbf(sigma=3)", "gamma", 2.0.into(), ("rbf(sigma=3)", 0, 1));
    check("linear + matern", "gamma", 2.0.into(), ("linear + matern", 0, 0));
    check("rbf", "gamma", Rule::Median.into(), ("rbf(sigma=median)", 1, 0));
    check(
        "2*rbf(gamma=1)*columns(a: laplacian) + normalize(poly)",
        "gamma",
        0.0.into(),
        ("2*rbf(gamma=1)*columns(a: laplacian(gamma=0)) + normalize(poly(gamma=0))", 2, 1),
    );
    assert!(spec("poly").fill("degree", 2.5.into()).is_err());
    assert!(spec("laplacian").fill("gamma", Rule::Median.into()).is_err());
}

/// The text of a kernel from its shape and those of its parts.
fn put_together(kernel: &KernelSpec) -> KernelSpec {
    let all =
        |parts: Vec<KernelSpec>| -> Vec<KernelSpec> { parts.iter().map(put_together).collect() };
    match kernel.shape() {
        Shape::Member(leaf) => spec(&leaf.to_string()),
        Shape::Sum(parts) => all(parts).into_iter().reduce(|a, b| a + b).unwrap(),
        Shape::Product(parts) => all(parts).into_iter().reduce(|a, b| a * b).unwrap(),
        Shape::Scale(factor, inner) => factor * put_together(&inner),
        Shape::Normalize(inner) => put_together(&inner).normalize(),
        Shape::Columns(names, inner) => {
            spec(&format!("columns({}: {})", names.join(", "), put_together(&inner)))
        }
        Shape::Custom(name) => spec(&format!("custom({name})")),
    }
}

#[test]
fn a_kernel_is_what_its_shape_says() {
    for text in [
        "rbf(gamma=2)",
        "3*rbf + linear*poly(degree=2) + 0.5*(linear + cosine)",
        "normalize(2*own(mine) + columns(a, b: rbf(sigma=median)*linear))",
    ] {
        assert_eq!(put_together(&spec(text)), spec(text));
    }
}

#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| format!("{}linear{}", "(".repeat(depth), ")".repeat(depth));
    assert_eq!(spec(&nested(64)).to_string(), "linear");
    refuse(&nested(65), 64, "nest deeper than 64");
    refuse(&"(".repeat(1_000_000), 64, "nest deeper than 64");
    refuse(&"normalize(".repeat(100_000), 649, "nest deeper than 64");
    let long = vec!["rbf*linear"; 20_000].join(" + ");
    assert_eq!(spec(&long).to_string(), long);
}

#[test]
fn the_error_text_shows_the_place() {
    let error = "linear +\nrfb".parse::<KernelSpec>().unwrap_err().to_string();
    assert_eq!(error, "unknown kernel 'rfb': did you mean 'rbf'?\n  linear + rfb\n           ^");
}

#[test]
fn rust_expressions_build_the_same_descriptions() {
    let built =
        0.5 * KernelSpec::rbf_gamma(0.1) + KernelSpec::poly(2, 1.0, 1.0) * KernelSpec::linear();
    assert_eq!(built, spec("0.5*rbf(gamma=0.1) + poly(degree=2, gamma=1, coef0=1)*linear"));
    let rest =
        KernelSpec::laplacian(1.0) * 2.0 + KernelSpec::sigmoid(1.0, 0.0) + KernelSpec::cosine();
    assert_eq!(
        rest.normalize(),
        spec("normalize(2*laplacian(1) + sigmoid(gamma=1, coef0=0) + cosine)")
    );
    let more = KernelSpec::rational_quadratic(1.0, 2.0) + KernelSpec::matern(0.5, 2.0);
    assert_eq!(more, spec("rq(alpha=1, length=2) + matern(nu=0.5, length=2)"));
    let histograms = KernelSpec::hellinger()
        + KernelSpec::intersection() * KernelSpec::chi2(2.0)
        + KernelSpec::additive_chi2()
        + KernelSpec::jensen_shannon()
        + KernelSpec::constant();
    let text = "hellinger + intersection*chi2(gamma=2) + additive_chi2 + jensen_shannon + constant";
    assert_eq!(histograms, spec(text));
    let widths = KernelSpec::rbf_sigma(1.0) + KernelSpec::rbf_width(2.0);
    assert_eq!(widths, spec("rbf(sigma=1) + rbf(width=2)"));
    let named = KernelSpec::member("rbf", &[("gamma", Value::Rule(Rule::Auto))]).unwrap();
    assert_eq!(named, spec("rbf(gamma=auto)"));
    assert!(KernelSpec::member("rbf", &[("degree", 2.0.into())]).is_err());
}

#[test]
fn bad_numbers_from_rust_are_refused_where_they_are_used() {
    let check = |spec: KernelSpec, part: &str| {
        let error = SpecKernel::<f64>::new(&spec).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
        assert!(spec.resolve(&normal::<f64>(3, 2, 1)).is_err());
    };
    check(KernelSpec::rbf_gamma(-1.0), "gamma must be a number of at least 0, not -1");
    check(KernelSpec::rbf_gamma(f64::NAN), "not NaN");
    check(-1.0 * KernelSpec::linear(), "a scale must be a positive number, not -1");
    check(f64::INFINITY * KernelSpec::linear(), "not inf");
    check(KernelSpec::poly(0, 1.0, 1.0), "degree must be a positive integer");
}

#[test]
fn numbers_beyond_the_number_type_are_refused() {
    let check = |text: &str, f32_works: bool, f64_works: bool| {
        assert_eq!(SpecKernel::<f32>::new(&spec(text)).is_ok(), f32_works, "{text} in f32");
        assert_eq!(SpecKernel::<f64>::new(&spec(text)).is_ok(), f64_works, "{text} in f64");
    };
    check("rbf(sigma=1e-30)", false, true);
    check("rbf(sigma=1e-200)", false, false);
    check("matern(length=1e-60)", false, true);
    check("rq(length=1e-30)", false, true);
    check("poly(gamma=1e60)", false, true);
    check("1e60*linear", false, true);
    check("1e-60*linear", false, true);
    check("rbf(gamma=scale)", false, false);
}

#[test]
fn properties_of_descriptions() {
    let check = |text: &str, resolved: bool, definite: bool| {
        let spec = spec(text);
        assert_eq!((spec.is_resolved(), spec.positive_definite()), (resolved, definite), "{text}");
    };
    check("rbf", false, true);
    check("rbf(width=1)", true, true);
    check("poly", true, true);
    check("poly(coef0=-1)", true, false);
    check("poly(gamma=auto, coef0=-1)", false, false);
    check("sigmoid(gamma=1)", true, false);
    check("2*normalize(linear*rbf(gamma=1) + cosine)", true, true);
    check("linear + linear*sigmoid", false, false);
}

#[test]
fn rules_become_numbers() {
    let x = Dense::from_rows(&[0.0, 0.0, 3.0, 4.0, 0.0, 8.0], 3, 2).unwrap();
    let check = |text: &str, expected: &str| {
        let resolved = spec(text).resolve(&x).unwrap();
        assert_eq!(resolved.to_string(), expected);
        assert!(resolved.is_resolved() && resolved.resolve(&x).unwrap() == resolved);
    };
    // Entries 0, 0, 3, 4, 0, 8: mean 2.5, variance 89/6 − 6.25 = 103/12; distances 5, 5, 8.
    let scale = spec("rbf").resolve(&x).unwrap().as_leaf().unwrap().optional("gamma").unwrap();
    assert!((scale - 12.0 / 206.0).abs() < 1e-16);
    check("rbf(gamma=auto)", "rbf(gamma=0.5)");
    check("2*rbf(sigma=median) + linear", "2*rbf(sigma=5) + linear");
    check("matern(length=median)", "matern(nu=1.5, length=5)");
    check(
        "normalize(poly)*rbf(width=3)",
        "normalize(poly(degree=3, gamma=1, coef0=1))*rbf(width=3)",
    );
    // χ² distances of (2, 0), (6, 0), (0, 2): 16/8 = 2, 2 + 2 = 4, 6 + 2 = 8; their mean 14/3.
    let histograms = Dense::from_rows(&[2.0, 0.0, 6.0, 0.0, 0.0, 2.0], 3, 2).unwrap();
    let mean = spec("chi2(mean)").resolve(&histograms).unwrap();
    let gamma = mean.as_leaf().unwrap().optional("gamma").unwrap();
    assert!((gamma - 3.0 / 14.0).abs() < 1e-16);
    check("chi2 + constant", "chi2(gamma=1) + constant");
    check("sigmoid + laplacian", "sigmoid(gamma=0.5, coef0=1) + laplacian(gamma=0.5)");
}

#[test]
fn rules_on_odd_data() {
    let check = |text: &str, data: &[f64], expected: &str| {
        let x = Dense::from_rows(data, data.len(), 1).unwrap();
        let found = spec(text).resolve(&x).map_or_else(|e| e.to_string(), |s| s.to_string());
        assert!(found.contains(expected), "{found:?} lacks {expected:?}");
    };
    check("rbf(gamma=scale)", &[2.0, 2.0], "rbf(gamma=1)");
    check("rbf(gamma=scale)", &[0.0, 1e-160], "variance of the data exceeds the range");
    check(
        "rbf(sigma=median)",
        &[2.0],
        "sigma: median has no value here, because there is only one sample",
    );
    check(
        "rbf(sigma=median)",
        &[2.0, 2.0, 2.0, 2.0, 3.0],
        "at least half of all pairs of samples are equal",
    );
    check(
        "chi2(gamma=mean)",
        &[2.0],
        "gamma: mean has no value here, because there is only one sample",
    );
    check("chi2(gamma=mean)", &[2.0, 2.0], "because all samples are equal");
    check("rbf(sigma=median)", &[0.0, 1.0, 3.0, 7.0], "rbf(sigma=3.5)"); // 1 2 3 4 6 7
}

#[test]
fn the_median_of_many_samples_is_near_and_repeats() {
    let x = normal::<f64>(3000, 4, 1);
    let median = || spec("rbf(sigma=median)").resolve(&x).unwrap();
    let value = median().as_leaf().unwrap().optional("sigma").unwrap();
    // ‖x − y‖² is twice a χ² of four degrees, whose median is 3.3567.
    assert!((value - (2.0f64 * 3.3567).sqrt()).abs() < 0.05, "{value}");
    assert_eq!(median(), median());
}

#[test]
fn serialises_as_its_text() {
    let spec = spec("0.5*rbf(sigma=median) + linear");
    let json = serde_json::to_string(&spec).unwrap();
    assert_eq!(json, "\"0.5*rbf(sigma=median) + linear\"");
    assert_eq!(serde_json::from_str::<KernelSpec>(&json).unwrap(), spec);
    let error = serde_json::from_str::<KernelSpec>("\"rfb\"").unwrap_err().to_string();
    assert!(error.contains("did you mean 'rbf'?"), "{error}");
}
