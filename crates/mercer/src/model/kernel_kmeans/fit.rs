//! From samples or a matrix to clusters: checks, storage, starts.

use std::time::Instant;

use super::check::check;
use super::{Init, KernelKMeans, KernelKMeansParams};
use crate::context::{Context, Step, Stream};
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, Groups, LowRank, Plan, Scaled, plan};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;
use crate::model::input::{Input, symmetric};
use crate::model::kernel_on::KernelOn;
use crate::model::landmarks::{
    Fit as LandmarkFit, Whole, eligible, landmark_bytes, offer, samples_of, slow,
};
use crate::points::{Dense, Dtype, Samples, with_matrix, with_samples};
use crate::real::Real;
use crate::solve::eigen::{self, Solver};
use crate::solve::lloyd::{self, Chooser, Problem, Solution};

/// Starts of the small k-means on eigenvectors.
const SPECTRAL_STARTS: usize = 10;
/// Rounds that read the whole matrix, for an estimate of the time.
const PASSES: usize = 10;

impl KernelKMeans {
    /// Fits on samples or on a kernel matrix, with weights that are not negative; `None` for 1.
    pub fn fit<'a>(
        ctx: &Context,
        params: &KernelKMeansParams,
        input: impl Into<Input<'a>>,
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        Self::fit_input(ctx, params, input.into(), weights)
    }

    fn fit_input(
        ctx: &Context,
        params: &KernelKMeansParams,
        input: Input<'_>,
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        if params.landmarks.is_some() {
            let x = samples_of(input)?;
            let dtype = x.dtype();
            return Self::fit_blocks(ctx, params, &mut Whole::new(x, None, weights), dtype);
        }
        let started = Instant::now();
        // With a linear kernel, the matrix is not formed.
        let is_formed = params.kernel != KernelSpec::linear();
        let passes = if is_formed { PASSES * params.clusters.div_ceil(WIDTH) } else { 0 };
        let needed = |fit: &LandmarkFit| landmark_bytes(params, fit, ctx.threads());
        let (x, slow) = (eligible(&input), slow(ctx, &input, passes, &needed)?);
        let mut model = ctx.install(|| {
            let checked = || check(params, input.n(), weights);
            match &input {
                Input::Samples(x) => {
                    let fit = Fit { params, weights: &checked()?, dtype: x.dtype() };
                    with_samples!(x, x => fit.on_samples(ctx, x))
                }
                Input::Precomputed { values, .. } => with_matrix!(values.view(), matrix => {
                    let gram = symmetric(matrix)?;
                    Fit { params, weights: &checked()?, dtype: values.dtype() }.on_gram(ctx, &gram)
                }),
                Input::Gram(gram) => {
                    Fit { params, weights: &checked()?, dtype: gram.dtype() }.on_gram(ctx, *gram)
                }
            }
        })
        .map_err(|error| offer(ctx, error, (x, 0), &needed))?;
        model.report.notes.extend(slow);
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }
}

/// Bytes beside the matrix: sums before and after a round, and those of the tasks that share a pass.
pub(in crate::model) fn workspace(n: usize, params: &KernelKMeansParams) -> u64 {
    let eigen = match params.init {
        Init::Spectral => eigen::workspace_bytes(n, params.clusters, Solver::Auto),
        _ => 0,
    };
    sums_bytes(n, params.clusters).saturating_add(eigen)
}

/// Bytes of the sums over clusters, before and after a round, of blocks to compute them with, and of what each sample has.
fn sums_bytes(n: usize, k: usize) -> u64 {
    let each = (3 * 8 * WIDTH as u64 + 128).saturating_mul(n as u64);
    Groups::bytes(n, k).saturating_mul(2).saturating_add(each)
}

/// A fit on a matrix that is held somehow.
pub(super) struct Fit<'a> {
    pub(super) params: &'a KernelKMeansParams,
    pub(super) weights: &'a [f64],
    pub(super) dtype: Dtype,
}

impl Fit<'_> {
    fn on_samples<T: Real>(&self, ctx: &Context, x: &Samples<T>) -> Result<KernelKMeans> {
        let spec = self.params.kernel.resolve(x)?;
        let kernel = SpecKernel::<T>::new(&spec)?;
        let on = KernelOn::centred(&kernel, x);
        let factor = on.anchors.dense().filter(|x| spec == KernelSpec::linear() && x.d() < x.n());
        let mut model = match factor {
            Some(rows) => self.on_factor(ctx, rows)?,
            None => {
                let plan = plan::<T>(ctx, x.n(), workspace(x.n(), self.params))?;
                let gram = plan.build(ctx, &*on.kernel, &on.anchors)?;
                self.run(ctx, &*gram, plan)?
            }
        };
        model.params.kernel = spec;
        model.point = on.point().map(|point| point.iter().map(|v| v.to_f64()).collect());
        model.anchors = Some(x.into());
        Ok(model)
    }

    fn on_gram(&self, ctx: &Context, gram: &dyn Gram) -> Result<KernelKMeans> {
        let mut model = self.run(ctx, gram, Plan::given())?;
        model.report.storage = "given".into();
        Ok(model)
    }

    fn run(&self, ctx: &Context, gram: &dyn Gram, plan: Plan) -> Result<KernelKMeans> {
        let hint = "use fewer clusters or rows, or raise the memory budget";
        let bytes = sums_bytes(gram.n(), self.params.clusters);
        let _reservation = ctx.reserve("the sums over clusters", bytes, hint)?;
        let diagonal = gram.diag(ctx)?;
        let problem = self.problem(gram, &diagonal, self.dtype.epsilon());
        let (solution, starts) = match &self.params.init {
            Init::Labels(labels) => (self.rounds(ctx, &problem, labels.clone(), 0, 1)?, 1),
            Init::Spectral => {
                let labels = self.spectral(ctx, gram)?;
                (self.rounds(ctx, &problem, labels, 0, 1)?, 1)
            }
            Init::PlusPlus => self.best(ctx, &problem, Chooser::PlusPlus, self.params.starts)?,
            Init::Random => self.best(ctx, &problem, Chooser::Random, self.params.starts)?,
        };
        Ok(self.assemble(solution, starts, &plan))
    }

    /// The matrix of a linear kernel is the product of the samples with themselves, and need not be formed.
    fn on_factor<T: Real>(&self, ctx: &Context, x: &Dense<T>) -> Result<KernelKMeans> {
        let bytes = 8 * x.n() as u64 * (x.d() + self.params.clusters) as u64;
        let hint = "use fewer rows or raise the memory budget";
        let _reservation = ctx.reserve("the samples in double precision", bytes, hint)?;
        let samples = Mat::from_fn(x.n(), x.d(), |i, j| x.row(i)[j].to_f64());
        let mut model = self.run(ctx, &LowRank::new(samples), Plan::given())?;
        model.report.storage = "samples".into();
        model.report.reason =
            "the kernel is linear: products are computed from the samples, and the kernel matrix is not formed".into();
        Ok(model)
    }

    fn problem<'b>(&'b self, gram: &'b dyn Gram, diagonal: &'b [f64], epsilon: f64) -> Problem<'b> {
        Problem { gram, diagonal, weights: self.weights, k: self.params.clusters, epsilon }
    }

    /// The best of several starts: that of the lowest objective, the first of equals.
    fn best(
        &self,
        ctx: &Context,
        problem: &Problem<'_>,
        chooser: Chooser,
        starts: usize,
    ) -> Result<(Solution, usize)> {
        let (mut best, mut done) = (None::<Solution>, 0);
        let mut stream = Stream::new(self.params.seed, "kernel k-means");
        for start in 0..starts {
            let found = lloyd::choose(ctx, problem, chooser, &mut stream)
                .and_then(|labels| self.rounds(ctx, problem, labels, start, starts));
            let found = match found {
                Err(Error::Interrupted) if best.is_some() && ctx.is_out_of_time() => break,
                found => found?,
            };
            // Lower by more than rounding: which of equal starts is kept must not depend on the storage.
            let lower = |b: &Solution| {
                found.centres.objective < b.centres.objective - 1e-9 * b.centres.objective.abs()
            };
            if best.as_ref().is_none_or(lower) {
                best = Some(found);
            }
            done = start + 1;
            if ctx.is_out_of_time() {
                break;
            }
        }
        let best = best.ok_or_else(|| Error::parameter(Param::Starts, "must be at least 1"))?;
        Ok((best, done))
    }

    fn rounds(
        &self,
        ctx: &Context,
        problem: &Problem<'_>,
        labels: Vec<usize>,
        start: usize,
        starts: usize,
    ) -> Result<Solution> {
        let params =
            lloyd::Params { max_rounds: self.params.max_rounds, tolerance: self.params.tolerance };
        lloyd::lloyd(ctx, problem, labels, &params, &|done, message| Step {
            message: Some(message),
            ..Step::new("k-means", start as f64 + done, starts as f64)
        })
    }

    /// Labels by k-means on the k leading eigenvectors of S K S, S² = weights, each row scaled to length 1 (Ng, Jordan and
    /// Weiss): where clusters hardly touch, the rows of a cluster then have nearly the same direction, whatever the
    /// weights of its samples.
    fn spectral(&self, ctx: &Context, gram: &dyn Gram) -> Result<Vec<usize>> {
        let (n, k) = (gram.n(), self.params.clusters);
        let roots: Vec<f64> = self.weights.iter().map(|w| w.sqrt()).collect();
        let scaled = Scaled::new(gram, &roots);
        let params =
            eigen::Params::new(Solver::Auto, None, self.dtype.epsilon(), None, self.params.seed)?;
        let pairs = eigen::largest(ctx, &scaled, k, &params)?;
        let length = |i: usize| (0..k).map(|c| pairs.vectors[(c, i)].powi(2)).sum::<f64>().sqrt();
        let lengths: Vec<f64> = (0..n).map(length).collect();
        let entry = |i: usize, c: usize| match lengths[i] > 0.0 {
            true => pairs.vectors[(c, i)] / lengths[i],
            false => 0.0,
        };
        let rows = LowRank::new(Mat::from_fn(n, k, entry));
        let diagonal = rows.diag(ctx)?;
        let problem = self.problem(&rows, &diagonal, f64::EPSILON);
        let quiet = ctx.without_steps();
        Ok(self.best(&quiet, &problem, Chooser::PlusPlus, SPECTRAL_STARTS)?.0.labels)
    }
}
