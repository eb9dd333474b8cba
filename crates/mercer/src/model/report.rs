//! What a fit tells of itself: the certificate that comes with every model.

use serde::{Deserialize, Deserializer, Serialize};

/// How a fit went. Not converging is not an error: it is told here, and the doors warn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The method that found the eigenpairs.
    pub solver: String,
    /// How the matrix was held.
    pub storage: String,
    /// Why it was held that way.
    pub reason: String,
    /// Passes over the matrix; 0 where all eigenpairs were computed at once.
    pub passes: usize,
    /// The largest residual ‖K v − η v‖ / ‖K‖.
    #[serde(deserialize_with = "number_or_null")]
    pub residual: f64,
    /// Whether the residuals reached the tolerance.
    pub converged: bool,
    /// The type of the tiles, `f32` or `f64`.
    pub precision: String,
    /// Seconds taken.
    #[serde(deserialize_with = "number_or_null")]
    pub seconds: f64,
    /// Things a user should know, one sentence each.
    pub notes: Vec<String>,
}

/// JSON has no word for NaN and writes null: a report of a fit that went wrong must be readable too.
fn number_or_null<'de, D: Deserializer<'de>>(input: D) -> Result<f64, D::Error> {
    Ok(Option::<f64>::deserialize(input)?.unwrap_or(f64::NAN))
}
