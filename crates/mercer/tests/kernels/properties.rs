//! Laws of the text form, over random descriptions and random text.

use mercer::KernelSpec;
use mercer::kernel::{Domain, Family, Parameter, Value, families};
use proptest::prelude::*;

fn value_of(domain: Domain) -> BoxedStrategy<Value> {
    let positive = prop_oneof![0.001..1000.0, (-1000..1000).prop_map(|e| 2f64.powi(e))];
    let number = match domain {
        Domain::Positive => positive.boxed(),
        Domain::NotNegative => prop_oneof![positive, Just(0.0)].boxed(),
        Domain::Share => prop_oneof![0.001..1.0, Just(1.0)].boxed(),
        Domain::Any => prop_oneof![-10.0..10.0, Just(0.0), Just(-1e-200), Just(1e200)].boxed(),
        Domain::PositiveInteger => (1u32..).prop_map(f64::from).boxed(),
        Domain::Count => any::<u32>().prop_map(f64::from).boxed(),
        Domain::OneOf(numbers) => prop::sample::select(numbers).boxed(),
        Domain::Words(words) => return prop::sample::select(words).prop_map(Value::Word).boxed(),
    };
    number.prop_map(Value::Number).boxed()
}

fn value(parameter: &'static Parameter) -> BoxedStrategy<Value> {
    let value = value_of(parameter.domain);
    match parameter.rules {
        [] => value,
        rules => prop_oneof![value, prop::sample::select(rules).prop_map(Value::Rule)].boxed(),
    }
}

/// A random member: every parameter left out or given, of alternatives at most one.
fn member(family: &'static Family) -> BoxedStrategy<KernelSpec> {
    let values: Vec<_> = family.parameters.iter().map(|p| prop::option::of(value(p))).collect();
    let build = move |values: Vec<Option<Value>>| {
        let mut written: Vec<(&'static Parameter, Value)> = Vec::new();
        for (parameter, value) in family.parameters.iter().zip(values) {
            let free = written.iter().all(|(other, _)| other.group() != parameter.group());
            written.extend(value.filter(|_| free).map(|value| (parameter, value)));
        }
        let named: Vec<_> = written.iter().map(|(p, value)| (p.name, *value)).collect();
        KernelSpec::member(family.name, &named).unwrap()
    };
    values.prop_map(build).boxed()
}

fn any_spec() -> impl Strategy<Value = KernelSpec> {
    let leaf = prop::sample::select(families()).prop_flat_map(member);
    leaf.prop_recursive(5, 24, 2, |inner| {
        let pair = || (inner.clone(), inner.clone());
        prop_oneof![
            pair().prop_map(|(a, b)| a + b),
            pair().prop_map(|(a, b)| a * b),
            (0.01..100.0, inner.clone()).prop_map(|(scale, spec)| scale * spec),
            inner.prop_map(KernelSpec::normalize),
        ]
    })
}

/// Text made of pieces of the grammar, which reaches further into the parser than random
/// characters.
fn near_text() -> impl Strategy<Value = String> {
    let mut pieces = vec![
        "(",
        ")",
        "*",
        "+",
        "-",
        ",",
        "=",
        ".",
        "1",
        "0.5",
        "1e",
        "2e-3",
        " ",
        "normalize",
        "é",
    ];
    pieces.extend(families().iter().flat_map(|family| family.names()));
    pieces.extend(families().iter().flat_map(|family| family.parameters.iter().map(|p| p.name)));
    pieces.extend(["scale", "auto", "median", "mean", "inf", "nan", "words"]);
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

fn check_text(text: &str) {
    match text.parse::<KernelSpec>() {
        Ok(spec) => assert_eq!(spec.to_string().parse::<KernelSpec>().unwrap(), spec),
        Err(mercer::Error::Spec { position, .. }) => assert!(position <= text.chars().count()),
        Err(other) => panic!("{text:?}: {other}"),
    }
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn printing_and_parsing_are_inverse(spec in any_spec()) {
        let text = spec.to_string();
        prop_assert_eq!(&text.parse::<KernelSpec>().unwrap(), &spec);
        prop_assert_eq!(text.parse::<KernelSpec>().unwrap().to_string(), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        check_text(&text);
    }

    #[test]
    fn nearly_right_text_is_read_or_refused(text in near_text()) {
        check_text(&text);
    }
}
