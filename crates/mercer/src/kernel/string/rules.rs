//! Finds the values of rules from texts.

use super::edit::median_distance;
use super::unit;
use crate::error::{Error, Result};
use crate::kernel::{Leaf, Rule};
use crate::points::{Strings, distinct_symbols};

/// The number that `rule` stands for as the parameter called `parameter` of `leaf`, a member of a family of kernels on texts, for the training
/// texts `strings`.
pub(in crate::kernel) fn rule_value(
    leaf: &Leaf,
    parameter: &'static str,
    rule: Rule,
    strings: &Strings,
) -> Result<f64> {
    let refuse = |why: &str| {
        let message =
            format!("{} has no value here, because {why}: set it to a number", rule.name());
        Err(Error::parameter(parameter, message))
    };
    match rule {
        Rule::Auto => match distinct_symbols(strings, unit(leaf)) {
            0 => refuse("all strings are empty"),
            count => Ok(count as f64),
        },
        Rule::Median => match median_distance(strings, unit(leaf)) {
            None => refuse("there is only one string"),
            Some(0.0) => refuse("at least half of all pairs of strings are equal"),
            Some(median) => Ok(median),
        },
        Rule::Scale | Rule::Mean => refuse("strings are not rows of numbers"),
    }
}
