//! The weights of substrings in a model with a kernel that counts them.

use mercer::io::Model;
use mercer::{Error, Mat, Result};
use serde::Serialize;

use super::training_rows::terms_of;
use super::{Response, Subject};
use crate::machine::pairs;
use crate::plot::{self, Bars, Drawing, NamedBar};
use crate::report::Explanation;

/// The most substrings that are weighed.
const MOST: usize = 1_000_000;
/// Substrings that are listed for each function.
const LISTED: usize = 20;
/// The most functions that are shown.
const FUNCTIONS: usize = 6;

/// The weights of substrings in one function of a model.
#[derive(Debug, Serialize)]
pub struct Weights {
    /// What a positive weight speaks for.
    speaks_for: String,
    /// The substrings with the largest weights, positive or negative.
    substrings: Vec<String>,
    /// Their weights.
    weights: Vec<f64>,
    /// How many substrings there are.
    count: usize,
}

/// The weights in each function of the model; empty if its kernel has no feature for each substring.
pub fn weights(subject: &Subject<'_>) -> Result<Vec<Weights>> {
    let Some(terms) = terms_of(&subject.saved.model) else { return Ok(Vec::new()) };
    match terms.substring_weights(MOST) {
        Ok((names, weights)) => {
            let functions = functions(subject);
            let functions = functions.into_iter().take(FUNCTIONS).enumerate();
            Ok(functions.map(|(j, speaks_for)| largest(&names, &weights, j, speaks_for)).collect())
        }
        // Other kernels on strings count what cannot be listed.
        Err(Error::Parameter { .. }) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// What positive values of each function speak for.
fn functions(subject: &Subject<'_>) -> Vec<String> {
    let names = subject.evaluated.names;
    match names.classes {
        None => names.targets.iter().map(|target| format!("a larger {target}")).collect(),
        Some([_, second]) => vec![second.clone()],
        Some(classes) if matches!(subject.saved.model, Model::Svm(_)) => {
            let text =
                |(a, b): (usize, usize)| format!("{} rather than {}", classes[a], classes[b]);
            pairs(classes.len()).into_iter().map(text).collect()
        }
        Some(classes) => classes.to_vec(),
    }
}

fn largest(names: &[String], all: &Mat<f64>, which: usize, speaks_for: String) -> Weights {
    let weight = |s: usize| all[(s, which)];
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| weight(b).abs().total_cmp(&weight(a).abs()));
    order.truncate(LISTED);
    order.sort_by(|&a, &b| weight(b).total_cmp(&weight(a)));
    Weights {
        speaks_for,
        substrings: order.iter().map(|&s| names[s].clone()).collect(),
        weights: order.iter().map(|&s| weight(s)).collect(),
        count: names.len(),
    }
}

/// The section of a report.
pub fn section(functions: &[Weights], response: &Response<'_>) -> Option<Explanation> {
    let first = functions.first()?;
    let text = format!(
        "The kernel counts substrings, so that the model is a linear function of these counts, with a weight for each of {} substrings: exact. Shown are the {LISTED} with the \
         largest weights.{}",
        first.count,
        response.of_first()
    );
    Some(Explanation {
        heading: "Weights of substrings",
        text,
        pictures: functions.iter().map(draw).collect(),
        tables: Vec::new(),
    })
}

fn draw(function: &Weights) -> Drawing {
    // Quotes, because a substring may begin or end with a space.
    let bar = |(name, &value): (&String, &f64)| NamedBar {
        name: format!("‘{name}’"),
        value,
        error: f64::NAN,
    };
    let bars: Vec<NamedBar> = function.substrings.iter().zip(&function.weights).map(bar).collect();
    plot::bars(&Bars {
        title: "Weights of substrings",
        subtitle: &format!("positive weights favour {}", function.speaks_for),
        x_title: "weight",
        bars: &bars,
    })
}
