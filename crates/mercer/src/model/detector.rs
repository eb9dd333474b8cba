//! Outlier detection by kernel PCA: samples that the leading components of the others do not explain, or that lie far out along
//! them.

use serde::{Deserialize, Serialize};

use super::components::Components;
use super::input::{Input, all_columns};
use super::kernel_pca::{KernelPca, KernelPcaParams, Residuals};
use super::landmarks::{Beside, Packet, RowBlocks, STAGE, Work, Workers, phase, report_read};
use super::note::{Note, NoteCode};
use super::report::Report;
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::points::{AnySamples, Dtype};

/// The outlier score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum OutlierScore {
    /// Σ_i |f_i(x)|: it lies far out along the components.
    Projections,
    /// k̄(x, x) − Σ_i f_i(x)²: it lies far from the span of the components.
    Reconstruction,
}

impl OutlierScore {
    /// `projections` or `reconstruction`.
    #[doc(hidden)]
    pub fn name(self) -> &'static str {
        match self {
            OutlierScore::Projections => "projections",
            OutlierScore::Reconstruction => "reconstruction",
        }
    }
}

/// Parameters of the detector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DetectorParams {
    /// The components; a count beyond the number of samples means that number.
    pub pca: KernelPcaParams,
    /// The score.
    pub score: OutlierScore,
    /// The fraction of outliers in the training set: above 0 and at most ½.
    pub contamination: f64,
}

/// Residuals below this multiple of their rounding errors in single precision are computed in double.
const CLEAR: f64 = 1e3;
/// The share of residuals lost in rounding from which on a note is made.
const LOST: f64 = 0.01;

/// Components by default: enough to follow the shape of most data, few enough not to explain its outliers.
#[doc(hidden)]
pub const COMPONENTS: usize = 20;

impl DetectorParams {
    /// A detector with `kernel` and defaults for the rest: 20 components, the reconstruction error, a contamination of 0.1.
    #[doc(hidden)]
    pub fn new(kernel: KernelSpec) -> Self {
        let components = Components::Count(COMPONENTS);
        let pca = KernelPcaParams { components, ..KernelPcaParams::new(kernel) };
        Self { pca, score: OutlierScore::Reconstruction, contamination: 0.1 }
    }

    fn check(&self) -> Result<()> {
        if self.contamination > 0.0 && self.contamination <= 0.5 {
            return Ok(());
        }
        let message = format!("must be in the range (0, 0.5], got {}", self.contamination);
        Err(Error::parameter(Param::Contamination, message))
    }

    /// The parameters of kernel PCA on n samples.
    fn pca_on(&self, n: usize) -> KernelPcaParams {
        let components = match self.pca.components {
            Components::Count(count) => Components::Count(count.min(n)),
            other => other,
        };
        KernelPcaParams { components, inverse: None, ..self.pca.clone() }
    }
}

/// A fitted detector.
#[derive(Clone)]
pub struct Detector {
    /// The components.
    pub pca: KernelPca,
    /// The score.
    pub score: OutlierScore,
    /// The fraction of outliers in the training set.
    pub contamination: f64,
    /// Samples with a score above it are outliers: the quantile of the training scores at 1 − `contamination`, interpolated.
    pub threshold: f64,
    /// The scores of the training samples; larger is more abnormal.
    pub training: Vec<f64>,
}

impl Detector {
    /// Fits on samples, or on a kernel matrix, of which only the lower triangle is read.
    pub fn fit<'a>(
        ctx: &Context,
        params: &DetectorParams,
        input: impl Into<Input<'a>>,
    ) -> Result<Self> {
        Self::fit_input(ctx, params, input.into())
    }

    fn fit_input(ctx: &Context, params: &DetectorParams, input: Input<'_>) -> Result<Self> {
        params.check()?;
        let pca_params = params.pca_on(input.n());
        let mut detector = Self::new(KernelPca::fit(ctx, &pca_params, &input)?, params);
        // Of training samples, the kernel values with themselves are those of the diagonal.
        let (whole, diagonal);
        let training = match &input {
            Input::Samples(x) => x.into(),
            Input::Precomputed { values, .. } => {
                diagonal = (0..input.n()).map(|i| values.at(i, i)).collect::<Vec<_>>();
                Input::precomputed(values.view()).with_diagonal(&diagonal)
            }
            Input::Gram(gram) => {
                whole = all_columns(ctx, *gram)?;
                diagonal = gram.diag(ctx)?;
                Input::precomputed(&whole.0).with_diagonal(&diagonal)
            }
        };
        if params.score == OutlierScore::Projections {
            detector.set_training(detector.scores(ctx, &training)?);
            return Ok(detector);
        }
        let mut residuals = detector.pca.residuals(ctx, &training)?;
        if let Input::Samples(x) = &input
            && x.dtype() == Dtype::F32
            && residuals.mean() < CLEAR * residuals.mean_noise()
        {
            // In double precision: the residuals left by components in single precision would be rounding errors.
            let in_double = KernelPca::fit(ctx, &pca_params, x.to_type::<f64>()?)?;
            let anchors = match (&in_double.landmarks, &in_double.anchors) {
                (Some(_), Some(landmarks)) => landmarks.to_type::<f32>()?.into(),
                _ => x.clone(),
            };
            detector.pca = in_double.for_samples(anchors);
            residuals = detector.pca.residuals(ctx, x)?;
        }
        detector.set_residuals(residuals);
        Ok(detector)
    }

    /// Fits on rows that come in blocks, with the landmarks that the parameters ask for. The rows are read once more than for kernel PCA.
    #[doc(hidden)]
    pub fn fit_blocks(
        ctx: &Context,
        params: &DetectorParams,
        source: &mut dyn RowBlocks,
        dtype: Dtype,
    ) -> Result<Self> {
        params.check()?;
        source.rewind(3)?;
        let pca_params = params.pca_on(usize::MAX);
        let phases = &ctx.in_phases(STAGE, phase::FIT_AND_EVALUATE);
        let pca = KernelPca::fit_blocks(phases, &pca_params, source, dtype)?;
        let mut detector = Self::new(pca, params);
        let scored = &phases.phase(phase::EVALUATE);
        if params.score == OutlierScore::Projections {
            detector.set_training(detector.projections_of(scored, source)?);
            return Ok(detector);
        }
        let mut residuals = detector.residuals_of(scored, source)?;
        if dtype == Dtype::F32 && residuals.mean() < CLEAR * residuals.mean_noise() {
            let in_double = KernelPca::fit_blocks(ctx, &pca_params, source, Dtype::F64)?;
            if let Some(landmarks) = &in_double.anchors {
                let landmarks = landmarks.to_type::<f32>()?.into();
                detector.pca = in_double.for_samples(landmarks);
                residuals = detector.residuals_of(ctx, source)?;
            }
        }
        detector.set_residuals(residuals);
        Ok(detector)
    }

    /// Goes on with more rows: see [`Detector::fit_more`].
    #[doc(hidden)]
    pub fn continue_with(&mut self, ctx: &Context, source: &mut dyn RowBlocks) -> Result<()> {
        source.rewind(2)?;
        let mut next = self.clone();
        let dtype = self.pca.dtype;
        if let (Dtype::F64, Some(landmarks)) = (self.pca.computed_in, &self.pca.anchors) {
            let landmarks = landmarks.to_type::<f64>()?.into();
            next.pca = next.pca.for_samples(landmarks);
        }
        next.pca.continue_with(ctx, source)?;
        if let (Dtype::F32, Dtype::F64, Some(landmarks)) =
            (dtype, next.pca.dtype, &next.pca.anchors)
        {
            let landmarks = landmarks.to_type::<f32>()?.into();
            next.pca = next.pca.for_samples(landmarks);
        }
        let scores = match self.score {
            OutlierScore::Projections => next.projections_of(ctx, source)?,
            OutlierScore::Reconstruction => {
                let residuals = next.residuals_of(ctx, source)?;
                next.pca.report.notes.extend(lost_in_rounding(&residuals));
                residuals.values
            }
        };
        next.set_training([&self.training[..], &scores].concat());
        *self = next;
        Ok(())
    }

    /// The sums of projections of all rows of a source.
    fn projections_of(&self, ctx: &Context, source: &mut dyn RowBlocks) -> Result<Vec<f64>> {
        if let Some(workers) = source.workers() {
            return Ok(self.scores_of_workers(ctx, workers)?.values);
        }
        let mut scores = Vec::new();
        each_block(ctx, source, |x| {
            scores.extend(sums(&self.pca.transform(&ctx.without_steps(), x)?));
            Ok(())
        })?;
        Ok(scores)
    }

    /// The residuals of all rows of a source.
    fn residuals_of(&self, ctx: &Context, source: &mut dyn RowBlocks) -> Result<Residuals> {
        if let Some(workers) = source.workers() {
            return self.scores_of_workers(ctx, workers);
        }
        let mut all = Residuals { values: Vec::new(), noise: Vec::new() };
        each_block(ctx, source, |x| {
            let Residuals { values, noise } = self.pca.residuals(&ctx.without_steps(), x)?;
            all.values.extend(values);
            all.noise.extend(noise);
            Ok(())
        })?;
        Ok(all)
    }

    /// The scores of rows that lie elsewhere, with their noise where they have any.
    fn scores_of_workers(&self, ctx: &Context, workers: &mut dyn Workers) -> Result<Residuals> {
        let is_residual = self.score == OutlierScore::Reconstruction;
        let mut pass = Packet::new(SCORES).with_places("residuals", [u64::from(is_residual)]);
        pass.model = Some(Box::new(self.pca.clone()));
        let mut all = Residuals { values: Vec::new(), noise: Vec::new() };
        for found in workers.run(ctx, &pass, false)? {
            all.values.extend(found.reals("values")?);
            all.noise.extend(found.reals("noise")?);
        }
        Ok(all)
    }

    fn new(pca: KernelPca, params: &DetectorParams) -> Self {
        let DetectorParams { score, contamination, .. } = *params;
        Self { pca, score, contamination, threshold: f64::NAN, training: Vec::new() }
    }

    fn set_residuals(&mut self, residuals: Residuals) {
        self.pca.report.notes.extend(lost_in_rounding(&residuals));
        self.set_training(residuals.values);
    }

    /// Another fraction of outliers in the training set, with the threshold that belongs to it.
    #[doc(hidden)]
    #[must_use]
    pub fn with_contamination(mut self, contamination: f64) -> Self {
        self.contamination = contamination;
        self.threshold = quantile(&self.training, 1.0 - contamination);
        self
    }

    fn set_training(&mut self, scores: Vec<f64>) {
        self.threshold = quantile(&scores, 1.0 - self.contamination);
        self.training = scores;
    }

    /// The outlier scores of new samples; larger is more abnormal. Kernel values need, for the reconstruction error, those of
    /// the samples with themselves ([`Input::with_diagonal`]).
    pub fn scores<'a>(&self, ctx: &Context, input: impl Into<Input<'a>>) -> Result<Vec<f64>> {
        self.scores_input(ctx, input.into())
    }

    fn scores_input(&self, ctx: &Context, input: Input<'_>) -> Result<Vec<f64>> {
        match (self.score, &input) {
            (OutlierScore::Reconstruction, Input::Precomputed { diagonal: None, .. }) => {
                Err(Error::parameter(
                    Param::Diagonal,
                    "the reconstruction error needs the diagonal k(x, x) of the samples",
                ))
            }
            (OutlierScore::Reconstruction, _) => self.pca.reconstruction_error(ctx, input),
            (OutlierScore::Projections, _) => Ok(sums(&self.pca.transform(ctx, input)?)),
        }
    }

    /// The report of the fit.
    #[doc(hidden)]
    pub fn report(&self) -> &Report {
        &self.pca.report
    }
}

/// The name of the pass for the scores of rows.
pub(super) const SCORES: &str = "scores";

/// The pass for the scores of parts of the rows.
pub(super) struct ScoresWork {
    pca: Box<KernelPca>,
    is_residual: bool,
}

impl ScoresWork {
    /// As the packet says.
    pub fn new(pass: &Packet) -> Result<Self> {
        let missing = || Error::Shape("there is no model to be evaluated".into());
        let pca = pass.model.clone().ok_or_else(missing)?;
        Ok(Self { pca, is_residual: pass.place("residuals")? == 1 })
    }
}

impl Work for ScoresWork {
    fn part(
        &self,
        ctx: &Context,
        _: u64,
        source: &mut dyn RowBlocks,
        _: &Beside,
    ) -> Result<Packet> {
        let (mut scores, mut noises) = (Vec::new(), Vec::new());
        while let Some(block) = source.next()? {
            ctx.poll()?;
            if self.is_residual {
                let Residuals { values, noise } = self.pca.residuals(ctx, &block.samples)?;
                scores.extend(values);
                noises.extend(noise);
            } else {
                scores.extend(sums(&self.pca.transform(ctx, &block.samples)?));
            }
        }
        Ok(Packet::new(SCORES).with_reals("values", scores).with_reals("noise", noises))
    }
}

/// Goes through the rows of a source once more.
fn each_block(
    ctx: &Context,
    source: &mut dyn RowBlocks,
    mut work: impl FnMut(&AnySamples) -> Result<()>,
) -> Result<()> {
    source.rewind(1)?;
    let (mut done, total) = (0, source.rows());
    while let Some(block) = source.next()? {
        work(&block.samples)?;
        done += block.samples.n() as u64;
        drop(block);
        report_read(ctx, "scores", (done, total, source.share()))?;
    }
    Ok(())
}

/// The note on training samples that the components explain up to rounding errors.
fn lost_in_rounding(residuals: &Residuals) -> Option<Note> {
    let (lost, all) = (residuals.lost(), residuals.values.len());
    (lost as f64 > LOST * all as f64).then(|| {
        let text = format!(
            "the reconstruction error of {lost} of {all} training samples is below rounding error, so their \
             scores are meaningless: use fewer components, scale the features, or score by projections"
        );
        Note::new(NoteCode::LostInRounding, text)
    })
}

fn sums(scores: &Mat<f64>) -> Vec<f64> {
    let sum = |i: usize| scores.row(i).iter().map(|f| f.abs()).sum();
    (0..scores.rows()).map(sum).collect()
}

/// A quantile of the values, with linear interpolation.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let place = share * (sorted.len() - 1) as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + part * (sorted[above] - sorted[below])
}
