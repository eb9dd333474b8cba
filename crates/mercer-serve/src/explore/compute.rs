//! What panels compute with: samples, a kernel and a context that ends when nobody waits.

use std::sync::Arc;

use mercer::error::Error;
use mercer::gram;
use mercer::model::kernel_pca::KernelPcaParams;
use mercer::model::landmarks::LandmarkParams;
use mercer::points::Samples;
use mercer::{AnySamples, Components, Context, KernelPca, KernelSpec, Mat, SpecKernel};

use super::cache::Cache;
use super::data::DataSet;
use super::query::{Query, Refusal, Rows, refuse};

/// Rows that are fitted exactly; more by landmarks.
pub(super) const EXACT: usize = 2000;
/// Landmarks of larger fits.
pub(super) const LANDMARKS: usize = 400;

/// Fits that several panels use.
pub(super) type Fits = Cache<KernelPca>;

/// A question with all that is needed to answer it.
pub(super) struct Task<'a> {
    pub query: &'a Query,
    pub rows: Rows,
    pub kernel: KernelSpec,
    pub context: Context,
    pub fits: &'a Fits,
}

/// The refusal that an error of the library is.
pub(super) fn refused(error: Error) -> Refusal {
    match error {
        Error::Interrupted => (503, "the computation was stopped".into()),
        error if error.is_memory() => (413, error.to_string()),
        error => (422, error.to_string()),
    }
}

impl<'a> Task<'a> {
    pub fn new(
        query: &'a Query,
        sets: &[DataSet],
        context: Context,
        fits: &'a Fits,
    ) -> Result<Self, Refusal> {
        let rows = query.samples(sets)?;
        // Widths that depend on the data are those of the rows that are used.
        let kernel = query.kernel()?.resolve(&rows.x).map_err(refused)?;
        Ok(Self { query, rows, kernel, context, fits })
    }

    /// Rows.
    pub fn n(&self) -> usize {
        self.rows.x.n()
    }

    /// Whether fits use landmarks.
    pub fn landmarks(&self) -> Option<LandmarkParams> {
        (self.n() > EXACT).then(|| LANDMARKS.into())
    }

    /// How fits are made, in words.
    pub fn method(&self) -> String {
        match self.n() > EXACT {
            true => format!("{LANDMARKS} landmarks"),
            false => "exact".into(),
        }
    }

    /// Kernel PCA with `components`.
    pub fn kernel_pca(&self, components: usize) -> Result<Arc<KernelPca>, Refusal> {
        let center =
            self.query.more.get("center").and_then(serde_json::Value::as_bool).unwrap_or(true);
        let key = format!("{} {} {components} {center}", self.rows.key, self.kernel);
        self.fits.get(key, || {
            let count = components.min(self.n());
            let mut params = KernelPcaParams::new(self.kernel.clone())
                .components(Components::Count(count))
                .center(center)
                .remove_zero(true);
            params.landmarks = self.landmarks();
            KernelPca::fit(&self.context, &params, &self.rows.x).map_err(refused)
        })
    }

    /// Kernel values of the rows `x` with `y`: x.n × y.n.
    pub fn kernel_values(&self, x: &AnySamples, y: &AnySamples) -> Result<Mat<f64>, Refusal> {
        let (x, y) = (samples(x)?, samples(y)?);
        let kernel = SpecKernel::<f64>::new(&self.kernel).map_err(refused)?;
        let mut out = Mat::zeros(x.n(), y.n());
        gram::matrix(&self.context, &kernel, x, Some(y), out.view_mut()).map_err(refused)?;
        Ok(out)
    }

    /// The classes, of which there must be at least two.
    pub fn labels(&self) -> Result<&mercer::Labels, Refusal> {
        match &self.rows.labels {
            Some(labels) if labels.names.len() >= 2 => Ok(labels),
            Some(_) => refuse("all rows are of one class"),
            None => refuse("the table has no column of classes"),
        }
    }
}

/// Samples in double precision; this page has no others.
fn samples(x: &AnySamples) -> Result<&Samples<f64>, Refusal> {
    x.get::<f64>().ok_or_else(|| (500, "samples are in single precision".into()))
}

/// Numbers in single precision, which takes half as many characters.
pub(super) fn short(values: impl IntoIterator<Item = f64>) -> Vec<f32> {
    values.into_iter().map(|value| value as f32).collect()
}

/// Column `j` of a matrix.
pub(super) fn column(values: &Mat<f64>, j: usize) -> Vec<f32> {
    short((0..values.rows()).map(|i| values[(i, j)]))
}
