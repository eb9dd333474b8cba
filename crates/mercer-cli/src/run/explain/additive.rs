//! Whether a model is a sum of functions of some columns each, and of which.

use mercer::KernelSpec;
use mercer::io::{Model, ModelFile};
use mercer::kernel::Shape;

use crate::data::InputKind;
use crate::explain::{ColumnSet, SourceColumn};
use crate::machine::machine_of;

/// Families of kernels that are sums over columns.
const SUMS: [&str; 8] = [
    "linear",
    "gower",
    "overlap",
    "additive_chi2",
    "intersection",
    "hellinger",
    "jensen_shannon",
    "constant",
];

/// The columns of each function of the sum; none if the model of `saved` is no such sum, or has a single function.
pub fn column_sets(saved: &ModelFile, sources: &[SourceColumn]) -> Option<Vec<ColumnSet>> {
    let kernel = match &saved.model {
        Model::KernelRidge(ridge) => &ridge.params.kernel,
        Model::Svm(machine) => &machine.params.kernel,
        _ => return None,
    };
    // Of more than two classes, scores are votes of pairs of classes.
    let classes = machine_of(&saved.model).and_then(|machine| machine.classes.as_ref());
    if classes.is_some_and(|classes| classes.len() > 2) {
        return None;
    }
    let terms = terms(kernel);
    let sets = match InputKind::of_model(&saved.model) {
        InputKind::Groups(groups) => {
            let groups: Vec<&[String]> = groups.iter().map(|group| &group.names[..]).collect();
            of_groups(&groups, &terms, sources)?
        }
        _ if terms.iter().all(is_sum) => sources.iter().map(of_source).collect(),
        _ => return None,
    };
    (sets.len() > 1).then_some(sets)
}

/// The terms of a sum, without their factors.
fn terms(kernel: &KernelSpec) -> Vec<KernelSpec> {
    match kernel.shape() {
        Shape::Sum(parts) => parts.iter().flat_map(terms).collect(),
        Shape::Scale(_, inner) => terms(&inner),
        _ => vec![kernel.clone()],
    }
}

/// Whether a kernel is a sum over columns.
fn is_sum(kernel: &KernelSpec) -> bool {
    matches!(kernel.shape(), Shape::Member(leaf) if SUMS.contains(&leaf.family().name))
}

fn of_source(source: &SourceColumn) -> ColumnSet {
    ColumnSet { name: source.name.clone(), columns: source.columns.clone().collect() }
}

/// A set for each group of columns; none if a term reads several groups. Groups stand one after the other, a column for each name.
fn of_groups(
    groups: &[&[String]],
    terms: &[KernelSpec],
    sources: &[SourceColumn],
) -> Option<Vec<ColumnSet>> {
    if terms.iter().any(|term| term.columns().len() != 1) {
        return None;
    }
    let (mut sets, mut start) = (Vec::new(), 0);
    for names in groups {
        let columns = start..start + names.len();
        start = columns.end;
        let mut own = terms.iter().filter(|term| term.columns()[0] == *names);
        let is_sum = own.all(|term| match term.shape() {
            Shape::Columns(_, inner) => self::terms(&inner).iter().all(self::is_sum),
            _ => false,
        });
        match is_sum {
            true => sets.extend(sources.get(columns)?.iter().map(of_source)),
            false => sets.push(ColumnSet { name: names.join(", "), columns: columns.collect() }),
        }
    }
    Some(sets)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| text.to_string()).collect()
    }

    fn sources(count: usize) -> Vec<SourceColumn> {
        let one = |i: usize| SourceColumn {
            name: ["a", "b", "c"][i].into(),
            columns: i..i + 1,
            values: None,
        };
        (0..count).map(one).collect()
    }

    #[test]
    fn sums_over_columns_are_recognised() {
        let is_all = |text: &str| terms(&text.parse().unwrap()).iter().all(is_sum);
        assert!(is_all("linear") && is_all("2*gower + overlap") && is_all("linear + constant"));
        assert!(!is_all("rbf(gamma=1)") && !is_all("linear + rbf(gamma=1)"));
        assert!(!is_all("linear * linear"));
    }

    #[test]
    fn groups_of_a_sum_are_functions_of_their_own() {
        let (first, second) = (names(&["a", "b"]), names(&["c"]));
        let groups = [&first[..], &second[..]];
        let sets = |text: &str| {
            let sets = of_groups(&groups, &terms(&text.parse().unwrap()), &sources(3))?;
            Some(sets.into_iter().map(|set| (set.name, set.columns)).collect::<Vec<_>>())
        };
        let found = sets("columns(a, b: rbf(gamma=1)) + 2*columns(c: linear)").unwrap();
        assert_eq!(found, [("a, b".into(), vec![0, 1]), ("c".into(), vec![2])]);
        let found = sets("columns(a, b: linear) + columns(c: rbf(gamma=1))").unwrap();
        assert_eq!(found.len(), 3);
        assert!(sets("columns(a, b: linear) * columns(c: linear)").is_none());
    }
}
