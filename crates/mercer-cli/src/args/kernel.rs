//! A kernel as the command line names it, and the list of all of them.

use std::str::FromStr;

use mercer::kernel::{Family, Input, families};
use mercer::{Error, KernelSpec};

/// The word for a table that holds kernel values.
const GIVEN: &str = "precomputed";

/// A kernel to compute, or the word that the table holds its values.
#[derive(Debug, Clone, PartialEq)]
pub enum Kernel {
    /// One that is described.
    Spec(KernelSpec),
    /// Its values are given.
    Precomputed,
}

impl FromStr for Kernel {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        if text.trim() == GIVEN {
            return Ok(Kernel::Precomputed);
        }
        let spec: KernelSpec = text.parse()?;
        match spec.custom_names().first() {
            None => Ok(Kernel::Spec(spec)),
            Some(name) => Err(Error::parameter(
                "kernel",
                format!("own({name}) is a function of your own, which Rust and Python can take"),
            )),
        }
    }
}

impl std::fmt::Display for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Kernel::Spec(spec) => write!(f, "{spec}"),
            Kernel::Precomputed => f.write_str(GIVEN),
        }
    }
}

impl Kernel {
    /// The description for the parameters of a model. That of given values is never evaluated.
    pub fn spec(&self) -> KernelSpec {
        match self {
            Kernel::Spec(spec) => spec.clone(),
            Kernel::Precomputed => "linear".parse().expect("a kernel"),
        }
    }
}

/// What kernels compare, with the words above the families that compare it.
pub const INPUTS: [(Input, &str); 3] = [
    (Input::Vectors, "Kernels for numbers"),
    (Input::Histograms, "Kernels for histograms, numbers of which none is negative"),
    (Input::Strings, "Kernels for texts"),
];

/// Ways to make kernels of kernels.
pub const COMBINATIONS: [(&str, &str); 3] = [
    ("a + b, a*b, 2*a, normalize(a)", "Combinations of kernels a and b."),
    (
        "columns(age, income: a) * column(title: b)",
        "Kernels on some of the columns, for tables of numbers and texts.",
    ),
    ("precomputed", "The table holds kernel values: those of each row with all rows."),
];

/// The families that compare `input`.
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

/// The examples, and the families of kernels as they describe themselves.
pub(super) fn with_kernels(examples: &str) -> String {
    let mut text = format!("{examples}\n");
    let line = |call: &str, doc: &str| format!("  {call}\n      {doc}\n");
    for (input, title) in INPUTS {
        let families = families_for(input).map(|family| line(&call(family), family.doc));
        text += &format!("\n{title}:\n{}", families.collect::<String>());
    }
    let combined: String = COMBINATIONS.iter().map(|(call, doc)| line(call, doc)).collect();
    (text + "\nMade of these:\n" + &combined).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_values_are_a_word_and_own_functions_are_refused() {
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
