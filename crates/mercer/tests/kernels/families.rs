//! What every family says of itself, and the refusals that follow from it.

use mercer::KernelSpec;
use mercer::kernel::{Definite, Domain, Family, Parameter, Rule, Value, families};

fn parameters() -> impl Iterator<Item = (&'static Family, &'static Parameter)> {
    families().iter().flat_map(|family| family.parameters.iter().map(move |p| (*family, p)))
}

fn with(family: &Family, parameter: &Parameter, value: Value) -> mercer::Result<KernelSpec> {
    KernelSpec::member(family.name, &[(parameter.name, value)])
}

#[test]
fn names_are_unique_and_documented() {
    let mut names: Vec<_> = families().iter().flat_map(|family| family.names()).collect();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    for family in families() {
        assert!(family.doc.ends_with('.') && !family.formula.is_empty(), "{}", family.name);
        if let Definite::When(condition, _) = family.definite {
            assert!(!condition.is_empty(), "{}", family.name);
        }
    }
    assert!(parameters().all(|(_, parameter)| parameter.doc.ends_with('.')));
}

#[test]
fn defaults_and_alternatives_are_sound() {
    for (family, parameter) in parameters() {
        let place = format!("{} {}", family.name, parameter.name);
        match (parameter.default, parameter.instead_of) {
            (Some(default), None) => assert!(parameter.allows(default), "{place}"),
            (None, Some(other)) => assert!(family.parameter(other).is_some(), "{place}"),
            other => panic!("{place} needs a default or stands for another, not {other:?}"),
        }
    }
}

#[test]
fn values_outside_a_domain_are_refused() {
    let bad = |domain| match domain {
        Domain::Any => vec![],
        Domain::Positive => vec![0.0, -0.0, -1e-300, -5.0],
        Domain::NotNegative => vec![-1e-300, -5.0],
        Domain::Share => vec![0.0, -0.5, 1.5],
        Domain::PositiveInteger => vec![0.0, -2.0, 1.5, 1e300],
        Domain::Count => vec![-1.0, 0.5, 1e300],
        Domain::OneOf(_) => vec![0.0, 3.0, -0.5],
        Domain::Words(_) => vec![0.0, 1.0],
    };
    for (family, parameter) in parameters() {
        let never = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for number in bad(parameter.domain).into_iter().chain(never) {
            let error = with(family, parameter, number.into()).unwrap_err().to_string();
            assert!(error.contains(&format!("{} must be", parameter.name)), "{error}");
        }
    }
}

#[test]
fn rules_are_taken_where_they_are_offered() {
    for (family, parameter) in parameters() {
        for rule in Rule::ALL {
            let result = with(family, parameter, rule.into());
            assert_eq!(result.is_ok(), parameter.rules.contains(&rule), "{result:?}");
            assert!(result.map_or(true, |spec| !spec.is_resolved()));
        }
    }
}
