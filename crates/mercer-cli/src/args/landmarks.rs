//! The flags of low-rank fits.

use clap::{Args, ValueEnum};
use mercer::model::landmarks::{LandmarkCount, LandmarkMethod, LandmarkParams};

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

/// How landmarks are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Method {
    /// Randomly pivoted Cholesky: rows that are poorly represented so far are more likely
    PivotedCholesky,
    /// Every row with the same probability
    Uniform,
    /// The means of as many clusters of rows, for columns of numbers
    #[value(name = "kmeans")]
    KMeans,
}

impl From<Method> for LandmarkMethod {
    fn from(method: Method) -> Self {
        match method {
            Method::PivotedCholesky => LandmarkMethod::PivotedCholesky,
            Method::Uniform => LandmarkMethod::Uniform,
            Method::KMeans => LandmarkMethod::KMeans,
        }
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
    /// How landmarks are chosen among the rows
    #[arg(hide_short_help = true, long, value_enum, value_name = "METHOD", requires = "landmarks",
          default_value_t = Method::PivotedCholesky, help_heading = "Kernel")]
    pub landmark_method: Method,
    /// Store in the model what it takes to add the rows of other tables later, with `mercer continue`: as many numbers as
    /// landmarks times landmarks
    #[arg(hide_short_help = true, long, requires = "landmarks", help_heading = "Kernel")]
    pub keep_sums: bool,
}

/// A cluster.
#[derive(Debug, Args)]
pub struct DaskArgs {
    /// Fit on the workers of a Dask cluster, which must see the table under the same path: the address of its scheduler, such as
    /// `tcp://10.0.0.1:8786`. Takes few other flags, and python3 with the package: `pip install mercer[dask]`
    #[arg(
        hide_short_help = true,
        long,
        value_name = "ADDRESS",
        requires = "landmarks",
        help_heading = "Resources"
    )]
    pub dask: Option<String>,
}

impl LandmarkArgs {
    /// The parameters of a low-rank fit, if one is wanted.
    pub fn params(&self, seed: u64) -> Option<LandmarkParams> {
        let count = match self.landmarks? {
            Landmarks::Count(count) => LandmarkCount::Count(count),
            Landmarks::Auto => LandmarkCount::Tolerance(self.landmark_tolerance),
        };
        let params = LandmarkParams::new(count).method(self.landmark_method.into()).seed(seed);
        Some(params.keep_sums(self.keep_sums))
    }
}
