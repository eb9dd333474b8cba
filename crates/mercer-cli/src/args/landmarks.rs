//! The flags of low-rank fits.

use clap::Args;
use mercer::model::landmarks::{LandmarkCount, LandmarkParams};

/// How many landmarks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Landmarks {
    /// So many.
    Count(usize),
    /// As many as leave no more than the tolerance.
    Auto,
}

fn landmarks(text: &str) -> Result<Landmarks, String> {
    match (text, text.parse()) {
        ("auto", _) => Ok(Landmarks::Auto),
        (_, Ok(count)) if count >= 1 => Ok(Landmarks::Count(count)),
        _ => Err("must be a count of at least 1, or auto".into()),
    }
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if share > 0.0 && share < 1.0 => Ok(share),
        _ => Err("must be a number strictly between 0 and 1".into()),
    }
}

/// An approximation by landmarks.
#[derive(Debug, Args)]
pub struct LandmarkArgs {
    /// Approximate the kernel matrix by this many rows, for large tables and for features of any kernel, or `auto` for as many as
    /// --landmark-tolerance takes [default: exact]
    #[arg(hide_short_help = true, long, value_name = "COUNT", value_parser = landmarks, help_heading = "Kernel")]
    pub landmarks: Option<Landmarks>,
    /// The share of the trace of the kernel matrix that `--landmarks auto` may leave
    #[arg(hide_short_help = true, long, value_name = "SHARE", requires = "landmarks", default_value = "0.01",
          value_parser = share, help_heading = "Kernel")]
    pub landmark_tolerance: f64,
}

impl LandmarkArgs {
    /// The parameters of a low-rank fit, if one is wanted.
    pub fn params(&self, seed: u64) -> Option<LandmarkParams> {
        let count = match self.landmarks? {
            Landmarks::Count(count) => LandmarkCount::Count(count),
            Landmarks::Auto => LandmarkCount::Tolerance(self.landmark_tolerance),
        };
        Some(LandmarkParams::new(count).seed(seed))
    }
}
