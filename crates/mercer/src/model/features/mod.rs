//! A feature map fitted on samples: its kernel resolved, its random parts drawn, and its error measured on pairs of samples.

mod count;
mod measure;

#[cfg(test)]
mod tests;

pub use measure::ApproximationError;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::report::Report;
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::kernel::{FeatureMap, FeatureMapOptions, Frequencies, KernelSpec, RandomFeatures, Rows};
use crate::linalg::view::{Mat, MatMut, MatRef};
use crate::points::{AnyMat, AnySamples, Dense, Dtype, Samples, with_samples};
use crate::real::{NumbersMut, Real};

/// How many random features there are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeatureCount {
    /// So many.
    Count(usize),
    /// As many as make the expected root mean square error on pairs of samples at most this.
    Error(f64),
}

/// The parameters of a fitted feature map, of a single kernel on rows of numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelFeaturesParams {
    /// The kernel.
    pub kernel: KernelSpec,
    /// Random features; `None` for a kernel whose map is not random.
    pub random: Option<FeatureCount>,
    /// How the frequencies of random features are drawn.
    pub frequencies: Frequencies,
    /// Seed of the random features and of the pairs that their error is measured on.
    pub seed: u64,
    /// As in [`FeatureMapOptions`].
    pub samples: usize,
    /// As in [`FeatureMapOptions`].
    pub interval: Option<f64>,
    /// As in [`FeatureMapOptions`].
    pub by_sample: bool,
}

impl KernelFeaturesParams {
    /// The map of `kernel` without random features.
    pub fn new(kernel: KernelSpec) -> Self {
        let FeatureMapOptions { samples, interval, by_sample, .. } = FeatureMapOptions::default();
        let (frequencies, seed) = (Frequencies::Auto, 0);
        Self { kernel, random: None, frequencies, seed, samples, interval, by_sample }
    }

    /// The same with `components` random features.
    pub fn random(self, components: usize) -> Self {
        Self { random: Some(FeatureCount::Count(components)), ..self }
    }

    /// The options of the map, with the number of random features known.
    pub(crate) fn options(&self, components: Option<usize>) -> FeatureMapOptions {
        let (seed, frequencies) = (self.seed, self.frequencies);
        FeatureMapOptions {
            samples: self.samples,
            interval: self.interval,
            by_sample: self.by_sample,
            random: components.map(|components| RandomFeatures { components, seed, frequencies }),
            columns: Vec::new(),
        }
    }
}

/// A fitted feature map.
#[derive(Clone, Debug)]
pub struct KernelFeatures {
    /// The parameters, with the kernel as it was resolved.
    pub params: KernelFeaturesParams,
    /// The map.
    pub map: FeatureMap,
    /// Training samples.
    pub n: usize,
    /// The number type of the training samples.
    pub dtype: Dtype,
    /// How far inner products are from the kernel, measured on pairs of training samples; `None` where there is no pair.
    pub error: Option<ApproximationError>,
    /// The report of the fit.
    pub report: Report,
}

/// What a map is fitted on: rows of numbers, read in place or as samples.
#[derive(Clone, Copy)]
enum Source<'a> {
    Samples(&'a AnySamples),
    Matrix(AnyMat<'a>),
}

impl Source<'_> {
    fn n(&self) -> usize {
        match self {
            Source::Samples(x) => x.n(),
            Source::Matrix(x) => x.rows(),
        }
    }

    fn d(&self) -> usize {
        match self {
            Source::Samples(x) => x.features(),
            Source::Matrix(x) => x.cols(),
        }
    }

    fn dtype(&self) -> Dtype {
        match self {
            Source::Samples(x) => x.dtype(),
            Source::Matrix(x) => x.dtype(),
        }
    }

    /// The kernel with its parameters as numbers. All samples are copied only where they are needed for that.
    fn resolve(&self, kernel: &KernelSpec) -> Result<KernelSpec> {
        match self {
            _ if kernel.is_resolved() => Ok(kernel.clone()),
            Source::Samples(x) => kernel.resolve(*x),
            Source::Matrix(x) => kernel.resolve(&x.to_dense::<f64>()?),
        }
    }

    /// The rows `idx` in double precision.
    fn rows(&self, idx: &[usize]) -> Result<Samples<f64>> {
        match self {
            Source::Samples(x) => x.select(idx).to_type(),
            Source::Matrix(x) => {
                let numbers = idx.iter().flat_map(|&i| (0..x.cols()).map(move |j| x.at(i, j)));
                Ok(Dense::from_vec(numbers.collect(), idx.len(), x.cols())?.into())
            }
        }
    }
}

impl KernelFeatures {
    /// Fits the map on samples that are rows of numbers, sparse or not.
    pub fn fit(
        ctx: &Context,
        params: &KernelFeaturesParams,
        x: impl Into<AnySamples>,
    ) -> Result<Self> {
        let x = x.into();
        if !(x.is_dense() || x.is_sparse()) {
            let text = format!("features need rows of numbers, but the samples are {}", x.kind());
            return Err(Error::Shape(text));
        }
        Self::fit_on(ctx, params, Source::Samples(&x))
    }

    /// The same on a matrix (n × d) that is read in place.
    pub fn fit_matrix<'a>(
        ctx: &Context,
        params: &KernelFeaturesParams,
        x: impl Into<AnyMat<'a>>,
    ) -> Result<Self> {
        let x = x.into();
        if x.rows() == 0 || x.cols() == 0 {
            let shape = (x.rows(), x.cols());
            return Err(Error::Shape(format!("there are no samples: the shape is {shape:?}")));
        }
        Self::fit_on(ctx, params, Source::Matrix(x))
    }

    fn fit_on(ctx: &Context, params: &KernelFeaturesParams, x: Source<'_>) -> Result<Self> {
        let started = Instant::now();
        if params.kernel.as_leaf().is_none() {
            let message =
                format!("{} is no single kernel, which a fitted map needs", params.kernel);
            return Err(Error::parameter(Param::Kernel, message));
        }
        let mut params = params.clone();
        params.kernel = x.resolve(&params.kernel)?;
        let components = match params.random {
            None => None,
            Some(FeatureCount::Count(count)) => Some(count),
            Some(FeatureCount::Error(target)) => Some(count::needed(&params, x, target)?),
        };
        let map = FeatureMap::new(&params.kernel, x.d(), &params.options(components))?;
        let error = measure::measure(ctx, &params, &map, x)?;
        let mut report = Report { converged: true, ..Report::default() };
        report.solver = if components.is_some() { "random features" } else { "features" }.into();
        report.precision = x.dtype().name().into();
        report.seconds = started.elapsed().as_secs_f64();
        Ok(Self { params, map, n: x.n(), dtype: x.dtype(), error, report })
    }

    /// Numbers of a row.
    pub fn d(&self) -> usize {
        self.map.columns()
    }

    /// Features of a row.
    pub fn k(&self) -> usize {
        self.map.dimension()
    }

    /// The features of samples in double precision: m × k.
    pub fn transform(&self, ctx: &Context, x: impl Into<AnySamples>) -> Result<Mat<f64>> {
        let x: Samples<f64> = with_samples!(x.into(), x => x.convert())?;
        let mut out = Mat::try_zeros(x.n(), self.k())?;
        self.map.matrix_into(ctx, rows_of(&x)?, out.view_mut())?;
        Ok(out)
    }

    /// The features of each number of a column (m × 1) alone, of a map that looks at the columns one by one: zeros have none, so that
    /// those of sparse rows are found by those of their numbers.
    pub fn transform_values(&self, ctx: &Context, x: AnyMat<'_>) -> Result<Mat<f64>> {
        if self.params.random.is_some() {
            return Err(Error::Shape("random features depend on all columns together".into()));
        }
        let map = FeatureMap::new(&self.params.kernel, 1, &self.params.options(None))?;
        let column = Mat::from_fn(x.rows(), x.cols(), |i, j| x.at(i, j));
        map.matrix(ctx, column.view())
    }

    /// Writes the features of samples (m × k), in their number type.
    pub fn transform_into<O: Real>(
        &self,
        ctx: &Context,
        x: &AnySamples,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        let (rows, cols, stride) = (out.rows, out.cols, out.stride);
        match (x, O::numbers_mut(out.data)) {
            (AnySamples::F32(x), NumbersMut::F32(out)) => {
                self.map.matrix_into(ctx, rows_of(x)?, MatMut::new(out, rows, cols, stride))
            }
            (AnySamples::F64(x), NumbersMut::F64(out)) => {
                self.map.matrix_into(ctx, rows_of(x)?, MatMut::new(out, rows, cols, stride))
            }
            _ => Err(other_type()),
        }
    }

    /// The same for a matrix (m × d) that is read in place.
    pub fn transform_matrix_into<O: Real>(
        &self,
        ctx: &Context,
        x: AnyMat<'_>,
        out: MatMut<'_, O>,
    ) -> Result<()> {
        let (rows, cols, stride) = (out.rows, out.cols, out.stride);
        match (x, O::numbers_mut(out.data)) {
            (AnyMat::F32(x), NumbersMut::F32(out)) => {
                self.map.matrix_into(ctx, Rows::Dense(x), MatMut::new(out, rows, cols, stride))
            }
            (AnyMat::F64(x), NumbersMut::F64(out)) => {
                self.map.matrix_into(ctx, Rows::Dense(x), MatMut::new(out, rows, cols, stride))
            }
            _ => Err(other_type()),
        }
    }
}

fn other_type() -> Error {
    Error::Shape("rows and features must have the same number type".into())
}

fn rows_of<T: Real>(x: &Samples<T>) -> Result<Rows<'_, T>> {
    match x {
        Samples::Sparse(x) => Ok(Rows::Sparse(x)),
        _ => {
            let x = x.need_dense("a feature map")?;
            Ok(Rows::Dense(MatRef::new(x.data(), x.n(), x.d(), x.d())))
        }
    }
}
