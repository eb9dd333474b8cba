//! Kernels on the command line, and the list of all kernel families.

use std::str::FromStr;

use mercer::kernel::{Family, Input, families};
use mercer::{Error, KernelSpec};

/// The value of `--kernel` for a table of kernel values.
const PRECOMPUTED: &str = "precomputed";

/// A kernel to compute, or precomputed values.
#[derive(Debug, Clone, PartialEq)]
pub enum Kernel {
    /// A specification.
    Spec(KernelSpec),
    /// The table holds kernel values.
    Precomputed,
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.trim() == PRECOMPUTED {
            return Ok(Kernel::Precomputed);
        }
        let spec: KernelSpec = text.parse()?;
        match spec.custom_names().first() {
            None => Ok(Kernel::Spec(spec)),
            Some(name) => Err(Error::parameter(
                "kernel",
                format!(
                    "own({name}) is a user-defined function, which only Rust and Python support"
                ),
            )),
        }
    }
}

impl std::fmt::Display for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Kernel::Spec(spec) => write!(f, "{spec}"),
            Kernel::Precomputed => f.write_str(PRECOMPUTED),
        }
    }
}

impl Kernel {
    /// The specification for the parameters of a model; a placeholder, never evaluated, for precomputed values.
    pub fn spec(&self) -> KernelSpec {
        match self {
            Kernel::Spec(spec) => spec.clone(),
            Kernel::Precomputed => "linear".parse().expect("a kernel"),
        }
    }
}

/// Input types of kernels, with the headings of their families.
pub const INPUTS: [(Input, &str); 4] = [
    (Input::Vectors, "Kernels on vectors"),
    (Input::Histograms, "Kernels on histograms (non-negative numbers)"),
    (Input::Categories, "Kernels on categories and mixed tables"),
    (Input::Strings, "Kernels on strings"),
];

/// Combinations of kernels.
pub const COMBINATIONS: [(&str, &str); 3] = [
    (
        "a + b, a*b, 2*a, normalize(a)",
        "Sums, products, scaling and normalisation of kernels a and b.",
    ),
    (
        "columns(age, income: a) * column(title: b)",
        "Kernels on subsets of the columns, for tables of numbers and strings.",
    ),
    ("precomputed", "The table is a kernel matrix: the kernel values of each row with all rows."),
];

/// The families on `input`.
pub fn families_for(input: Input) -> impl Iterator<Item = &'static Family> {
    families().iter().copied().filter(move |family| family.input == input)
}

/// A family as it is written, with its parameters.
pub fn call(family: &Family) -> String {
    let names: Vec<&str> = family.parameters.iter().map(|p| p.name).collect();
    match names.is_empty() {
        true => family.name.to_string(),
        false => format!("{}({})", family.name, names.join(", ")),
    }
}

/// The examples, and where to find the rest.
pub(super) fn in_short(examples: &str) -> String {
    format!("{examples}\n\n`--help` explains all options, `mercer kernels` all kernels.")
}

/// The examples, followed by the list of kernel families.
pub(super) fn with_kernels(examples: &str) -> String {
    let mut text = format!("{examples}\n");
    let line = |call: &str, doc: &str| format!("  {call}\n      {doc}\n");
    for (input, title) in INPUTS {
        let families = families_for(input).map(|family| line(&call(family), family.doc));
        text += &format!("\n{title}:\n{}", families.collect::<String>());
    }
    let combined: String = COMBINATIONS.iter().map(|(call, doc)| line(call, doc)).collect();
    (text + "\nCombinations:\n" + &combined).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precomputed_is_accepted_and_user_defined_functions_are_refused() {
        assert_eq!(" precomputed ".parse::<Kernel>().unwrap(), Kernel::Precomputed);
        assert_eq!("rbf(sigma=2)".parse::<Kernel>().unwrap().to_string(), "rbf(sigma=2)");
        let error = "rbf + own(mine)".parse::<Kernel>().unwrap_err().to_string();
        assert!(error.contains("own(mine)") && error.contains("Python"), "{error}");
    }

    #[test]
    fn every_family_is_listed_once() {
        let listed = INPUTS.iter().flat_map(|(input, _)| families_for(*input)).count();
        assert_eq!(listed, families().len());
    }
}
