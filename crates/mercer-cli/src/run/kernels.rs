//! `mercer kernels`: all kernel families, by input type.

use mercer::kernel::{Definite, Family, Input, Parameter, Rule};
use serde::Serialize;

use crate::args::{COMBINATIONS, INPUTS, KernelsArgs, families_for};
use crate::failure::Failure;
use crate::stdout;
use crate::summary;

/// A family as an object.
#[derive(Debug, Serialize)]
struct FamilyObject {
    name: &'static str,
    /// Other names.
    aliases: &'static [&'static str],
    /// `vectors`, `histograms` or `texts`.
    input: &'static str,
    doc: &'static str,
    formula: &'static str,
    /// `always`, `no`, or the condition.
    positive_definite: &'static str,
    parameters: Vec<ParameterObject>,
}

#[derive(Debug, Serialize)]
struct ParameterObject {
    name: &'static str,
    doc: &'static str,
    /// Null for a parameter that may be written instead of another.
    default: Option<String>,
    /// The values it may have.
    values: String,
    /// The rules that set its value from the data.
    rules: Vec<&'static str>,
}

/// Runs `mercer kernels`.
pub fn kernels(args: &KernelsArgs) -> Result<(), Failure> {
    let all = || INPUTS.iter().flat_map(|(input, _)| families_for(*input));
    if args.json {
        let families: Vec<FamilyObject> = all().map(FamilyObject::of).collect();
        return summary::print_object(&families).map_err(Failure::Print);
    }
    let mut text = String::new();
    for (input, title) in INPUTS {
        text += &format!("{title}\n\n");
        families_for(input).for_each(|family| text += &described(family));
        text.push('\n');
    }
    text += "Combinations\n\n";
    COMBINATIONS.iter().for_each(|(call, doc)| text += &format!("  {call}\n      {doc}\n"));
    text += WIDTHS;
    for rule in Rule::ALL {
        text += &format!("  {:<7} {}\n", rule.name(), rule.doc());
    }
    stdout::print(&text).map_err(Failure::Print)
}

/// How the names of the width of an RBF kernel are related.
const WIDTHS: &str = "
Widths

  rbf takes one of three names for the same width, all after --scale:
    gamma   exp(-gamma·‖x - x'‖²)
    sigma   the standard deviation of the Gaussian, exp(-‖x - x'‖²/(2·sigma²)): gamma = 1/(2·sigma²)
    width   the distance at which the kernel is 1/e, exp(-‖x - x'‖²/width²):    gamma = 1/width²
  so that sigma = 1/√(2·gamma) and width = √2·sigma. Small gamma, large sigma and large width mean smooth.
  A list gives each column a width of its own, as in rbf(gamma=[0.1, 2, 0]): a gamma of 0 leaves the column out.
  A rule sets the number from the data, once, when a model is fitted:
";

fn described(family: &Family) -> String {
    let parameters: Vec<String> = family.parameters.iter().map(parameter).collect();
    let call = match parameters.is_empty() {
        true => family.name.to_string(),
        false => format!("{}({})", family.name, parameters.join(", ")),
    };
    let definite = match family.definite {
        Definite::Always => String::new(),
        Definite::No => "\n      not positive definite in general".into(),
        Definite::When(when, _) => format!("\n      positive definite when {when}"),
    };
    format!("  {call}\n      {}\n      {}{definite}\n", family.formula, family.doc)
}

/// `gamma=scale`, or the name alone of a parameter that may be written instead of another.
fn parameter(parameter: &Parameter) -> String {
    match parameter.default {
        Some(value) => format!("{}={value}", parameter.name),
        None => format!("{}=…", parameter.name),
    }
}

impl FamilyObject {
    fn of(family: &'static Family) -> Self {
        Self {
            name: family.name,
            aliases: family.aliases,
            input: match family.input {
                Input::Vectors => "vectors",
                Input::Histograms => "histograms",
                Input::Categories => "categories",
                Input::Strings => "texts",
            },
            doc: family.doc,
            formula: family.formula,
            positive_definite: match family.definite {
                Definite::Always => "always",
                Definite::No => "no",
                Definite::When(when, _) => when,
            },
            parameters: family.parameters.iter().map(ParameterObject::of).collect(),
        }
    }
}

impl ParameterObject {
    fn of(parameter: &'static Parameter) -> Self {
        Self {
            name: parameter.name,
            doc: parameter.doc,
            default: parameter.default.map(|value| value.to_string()),
            values: parameter.domain.to_string(),
            rules: parameter.rules.iter().map(|rule| rule.name()).collect(),
        }
    }
}
