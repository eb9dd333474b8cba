//! Intervals of predictions.

use clap::{Args, ValueEnum};

use super::values::probability;

/// How intervals are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IntervalMethod {
    /// From residuals of rows that the model was not fitted on: no assumption about the noise, the same width everywhere
    Conformal,
    /// From the posterior of kernel ridge regression with its estimated noise: normal noise is assumed, wider far from the training rows
    Posterior,
}

/// Intervals of predictions.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct IntervalArgs {
    /// Add an interval that holds the true value with this probability, e.g. `0.9`, or of a classifier the
    /// set of classes that holds the true one
    #[arg(long = "interval", value_name = "LEVEL", value_parser = probability, help_heading = "Output")]
    pub level: Option<f64>,
    /// How intervals are computed [default: conformal]
    #[arg(
        hide_short_help = true,
        long = "interval-method",
        value_enum,
        value_name = "METHOD",
        requires = "level",
        help_heading = "Output"
    )]
    pub method: Option<IntervalMethod>,
}

impl IntervalArgs {
    /// The level of intervals by the posterior, if they are requested.
    pub fn posterior_level(&self) -> Option<f64> {
        self.level.filter(|_| self.method == Some(IntervalMethod::Posterior))
    }
}
