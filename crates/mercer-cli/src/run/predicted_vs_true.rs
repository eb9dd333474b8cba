//! A plot of predicted against true values.

use crate::plot::{self, Drawing, Scatter};
use crate::prediction::Evaluated;

/// Predicted and true values.
pub struct PredictedVsTrue<'a> {
    /// The title and the line below it.
    pub titles: &'a [String; 2],
    /// The name of the target.
    pub target: &'a str,
    /// True values.
    pub truth: &'a [f64],
    /// Predicted values.
    pub predicted: &'a [f64],
}

/// Plots predicted against true values.
pub fn draw(plot_data: &PredictedVsTrue<'_>) -> Drawing {
    plot::scatter(&Scatter {
        title: &plot_data.titles[0],
        subtitle: &plot_data.titles[1],
        x: plot_data.truth,
        y: Some(plot_data.predicted),
        x_title: &format!("true {}", plot_data.target),
        y_title: &format!("predicted {}", plot_data.target),
        labels: None,
        names: None,
        rows: None,
        diagonal: true,
    })
}

/// Predicted against true values of the first target; none of a classifier.
pub fn of_evaluated(evaluated: &Evaluated<'_>) -> Option<Drawing> {
    let (truth, predicted) = evaluated.values()?;
    let target = evaluated.names.targets.first()?;
    let title = format!("{target}: predicted vs true");
    let subtitle = format!("{}; dashed: predicted = true", evaluated.origin.name());
    let titles = &[title, subtitle];
    Some(draw(&PredictedVsTrue { titles, target, truth: &truth, predicted: &predicted }))
}
