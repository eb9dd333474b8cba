//! The models that are compared: baselines, and kernel methods that choose their own parameters.

use mercer::{KernelSpec, Result};

use crate::args::Kernel;

/// A model of the comparison.
pub struct Candidate {
    /// Its name in tables.
    pub name: String,
    /// Whether it is one that a kernel method should be better than: the mean or the majority, neighbours, linear models.
    pub is_baseline: bool,
    /// Whether it is compared even if the time is over.
    pub is_always: bool,
    /// What is fitted.
    pub method: Method,
}

/// What is fitted, with what its inner cross-validation compares.
#[derive(Clone)]
pub enum Method {
    /// The most frequent class, or the mean.
    Constant,
    /// Nearest neighbours, by the distances that a kernel gives: of the linear one, Euclidean distances.
    Neighbours(KernelSpec),
    /// Kernel ridge regression, or its classifier; all widths and penalties of the kernels.
    Ridge(Vec<Kernel>),
    /// A support vector machine; all widths of the kernels, with these costs.
    Machine(Vec<Kernel>, Vec<f64>),
}

/// Names of kernels in tables, and the kernels that stand behind them.
type Named = (&'static str, &'static [&'static str]);

const VECTORS: [Named; 4] = [
    ("RBF", &["rbf"]),
    ("Laplacian", &["laplacian"]),
    ("Matérn", &["matern"]),
    ("polynomial", &["poly(degree=2, gamma=auto)", "poly(degree=3, gamma=auto)"]),
];
const STRINGS: [Named; 3] = [
    (
        "spectrum",
        &[
            "normalize(spectrum(p=2))",
            "normalize(spectrum(p=3))",
            "normalize(spectrum(p=4))",
            "normalize(spectrum(p=5))",
        ],
    ),
    ("substrings", &["normalize(substrings(p=3))", "normalize(substrings(p=5))"]),
    ("words", &["normalize(spectrum(p=1, unit=words))"]),
];
const LINEAR: Named = ("linear", &["linear"]);
const CHARACTERS: Named = ("characters", &["normalize(spectrum(p=1))"]);

/// Costs of margin errors; for numbers in standard deviations of the target.
const CLASS_COSTS: [f64; 5] = [0.125, 1.0, 8.0, 64.0, 512.0];
const VALUE_COSTS: [f64; 4] = [0.25, 2.0, 16.0, 128.0];
/// Linear models and polynomials of a large cost take long, and fit noise.
const SMALL_COSTS: [f64; 4] = [0.015625, 0.125, 1.0, 8.0];

/// The models for a table of texts or of numbers, in the order in which they are tried.
pub fn candidates(is_classes: bool, is_texts: bool) -> Result<Vec<Candidate>> {
    let (linear, neighbours) = match is_texts {
        true => (CHARACTERS, "normalize(spectrum(p=3))"),
        false => (LINEAR, "linear"),
    };
    let constant = if is_classes { "majority class" } else { "mean" };
    let baseline = |name: &str, method| Candidate {
        name: name.into(),
        is_baseline: true,
        is_always: true,
        method,
    };
    let mut all = vec![
        baseline(constant, Method::Constant),
        baseline("nearest neighbours", Method::Neighbours(neighbours.parse()?)),
    ];
    // The usual linear model for the task is always compared, the other one if there is time.
    for method in methods(is_classes) {
        let is_always = method == if is_classes { Kind::Machine } else { Kind::Ridge };
        let candidate = candidate(method, linear, is_classes)?;
        all.push(Candidate { is_baseline: true, is_always, ..candidate });
    }
    for named in if is_texts { &STRINGS[..] } else { &VECTORS[..] } {
        for method in methods(is_classes) {
            all.push(candidate(method, *named, is_classes)?);
        }
    }
    Ok(all)
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Ridge,
    Machine,
}

/// Searches of machines for classes share kernel values among folds; those for numbers take longer.
fn methods(is_classes: bool) -> [Kind; 2] {
    if is_classes { [Kind::Machine, Kind::Ridge] } else { [Kind::Ridge, Kind::Machine] }
}

fn candidate(kind: Kind, (title, kernels): Named, is_classes: bool) -> Result<Candidate> {
    let kernels: Vec<Kernel> = kernels.iter().map(|text| text.parse()).collect::<Result<_>>()?;
    let costs = match title {
        "linear" | "characters" | "polynomial" => SMALL_COSTS.to_vec(),
        _ if is_classes => CLASS_COSTS.to_vec(),
        _ => VALUE_COSTS.to_vec(),
    };
    let (name, method) = match kind {
        Kind::Ridge => ("kernel ridge", Method::Ridge(kernels)),
        Kind::Machine => ("SVM", Method::Machine(kernels, costs)),
    };
    let name = format!("{name} ({title})");
    Ok(Candidate { name, is_baseline: false, is_always: false, method })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baselines_come_first_and_linear_models_are_among_them() {
        for (is_classes, is_texts) in [(true, false), (false, false), (true, true), (false, true)] {
            let all = candidates(is_classes, is_texts).unwrap();
            assert!(all[..4].iter().all(|one| one.is_baseline));
            assert!(all[4..].iter().all(|one| !one.is_baseline && !one.is_always));
            assert_eq!(all.iter().filter(|one| one.is_always).count(), 3);
            let mut names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all.len());
        }
    }
}
