//! Predictions against what is true, as a picture.

use crate::plot::{self, Drawing, Scatter};

/// Predictions for rows, with what is true of them.
pub struct Agreement<'a> {
    /// The title and the line below it.
    pub titles: &'a [String; 2],
    /// The name of what is predicted.
    pub target: &'a str,
    /// What is true of each row.
    pub truth: &'a [f64],
    /// What is predicted for it.
    pub predicted: &'a [f64],
}

/// Draws rows by what is true and what is predicted.
pub fn draw(agreement: &Agreement<'_>) -> Drawing {
    plot::scatter(&Scatter {
        title: &agreement.titles[0],
        subtitle: &agreement.titles[1],
        x: agreement.truth,
        y: Some(agreement.predicted),
        x_title: agreement.target,
        y_title: &format!("{}, predicted", agreement.target),
        labels: None,
        names: None,
        rows: None,
        diagonal: true,
    })
}
