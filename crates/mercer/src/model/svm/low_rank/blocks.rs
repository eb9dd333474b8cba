//! Machines on landmarks of rows that come in blocks: the features of all rows are computed in one pass, and the solver sees nothing else.

use std::cell::RefCell;
use std::time::Instant;

use super::features::{Store, least_bytes};
use super::maker::Maker;
use super::rows::{Adding, TrainingRows, WantedSum};
use super::{Fit, LowRank, check, is_lost_in_rounding};
use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::landmarks::{
    self, Basis, LandmarkState, Regrouped, RowBlock, RowBlocks, STAGE, phase, required,
};
use crate::model::svm::check::Checked;
use crate::model::svm::{Svm, SvmParams, Task};
use crate::model::targets::{Labels, Target, Targets};
use crate::points::{AnySamples, Dtype, with_dtype};
use crate::real::Real;

/// How often rows are read: landmarks are chosen, features computed, some rows picked, and these compared with all support vectors.
const PASSES: usize = 4;
/// Bytes of the target, the weight and the number of a row.
const ROW: u64 = 24;

impl Svm {
    /// Fits on landmarks of rows that come in blocks, which are read four times. `like` says what targets are: its labels have the names and weights of classes and no
    /// places, and targets of blocks are as [`Targets::regressed`] has them.
    #[doc(hidden)]
    pub fn fit_blocks(
        ctx: &Context,
        params: &SvmParams,
        like: &Targets,
        source: &mut dyn RowBlocks,
        dtype: Dtype,
        start: Option<&Svm>,
    ) -> Result<Self> {
        let started = Instant::now();
        check(params, required(params.landmarks.as_ref())?)?;
        refuse(params, source)?;
        let mut model =
            with_dtype!(dtype, T => fit::<T>(ctx, params, like, source, (start, started)))?;
        if dtype == Dtype::F32 && is_lost_in_rounding(&model, params.tolerance) {
            let double = fit::<f64>(ctx, params, like, source, (start, started))?;
            model = double.seen_in_single()?;
        }
        model.report.seconds = started.elapsed().as_secs_f64();
        Ok(model)
    }
}

/// Refuses what needs all rows in memory.
fn refuse(params: &SvmParams, source: &mut dyn RowBlocks) -> Result<()> {
    if params.polish {
        let text =
            "not available for rows in blocks: the exact machine needs all of them in memory";
        return Err(Error::parameter(Param::Polish, text));
    }
    if source.workers().is_some() {
        let text = "support vector machines on landmarks are not fitted on rows of other machines";
        return Err(Error::parameter(Param::Landmarks, text));
    }
    Ok(())
}

fn fit<T: Real>(
    ctx: &Context,
    params: &SvmParams,
    like: &Targets,
    source: &mut dyn RowBlocks,
    (start, started): (Option<&Svm>, Instant),
) -> Result<Svm> {
    let wanted = required(params.landmarks.as_ref())?;
    let found = RefCell::new(Found::new(like, params.task));
    let mut rows = Regrouped::new(Counted { inner: source, found: &found });
    rows.rewind(PASSES)?;
    let phases = &ctx.in_phases(STAGE, phase::BEGIN);
    let needed = |fit: &landmarks::Fit| {
        ROW * fit.rows + least_bytes::<T>(usize::try_from(fit.rows).unwrap_or(usize::MAX), fit.m)
    };
    let center = params.task != Task::OneClass;
    let basis = Basis::<T>::choose(phases, &params.kernel, wanted, center, &mut rows, &needed)?;
    let basis = basis.without_sums(ctx)?;
    let hint = "raise the memory budget";
    let bytes = ROW * found.borrow().rows() as u64;
    let _targets = ctx.reserve("the targets of all rows", bytes, hint)?;
    let state = LandmarkState { point: basis.point(), mean_coef: Vec::new(), sums: None };
    let known = (
        basis.spec.clone(),
        (&basis.landmarks).into(),
        state,
        basis.report.clone(),
        basis.factor.clone(),
    );
    let maker = Maker::new(&basis.on, &basis.factor);
    let n = usize::try_from(basis.report.rows).unwrap_or(usize::MAX);
    let features = read(&phases.phase(phase::SUM), &maker, (n, params.task), &mut rows)?;
    let low_rank = LowRank::with_features(known, features, Dtype::of::<T>(), wanted.seed);
    let (targets, all) = found.borrow_mut().take();
    let checked = Checked::new(params, &targets, all)?;
    let fit = Fit { params, checked: &checked, rows: None, started };
    let passes = Passes { source: RefCell::new(&mut rows), on: &basis.on, n };
    low_rank.fit(ctx, fit, all, start, &passes)
}

/// The features of all rows, in a pass.
fn read<T: Real>(
    ctx: &Context,
    maker: &Maker<T>,
    (n, task): (usize, Task),
    rows: &mut dyn RowBlocks,
) -> Result<super::features::Features<'static>> {
    let each = if task == Task::NuSvr { 2 } else { 1 };
    let (mut store, mut sums) = (Store::new(ctx, n, maker.m(), each * n)?, maker.no_sums());
    rows.rewind(1)?;
    while let Some(block) = rows.next()? {
        let x = maker.on.moved(&block.samples.to_type()?)?;
        let before = sums.squares.len();
        maker.each(ctx, &x, &mut sums, |from, features| {
            store.push(ctx, features)?;
            ctx.step(Step::new("features", (before + from + features.rows()) as f64, n as f64))
        })?;
    }
    Ok(store.finish(sums))
}

/// Rows that are read again.
struct Passes<'a, 's, T: Real> {
    source: RefCell<&'s mut dyn RowBlocks>,
    on: &'a KernelOn<T>,
    n: usize,
}

impl<T: Real> Passes<'_, '_, T> {
    /// Reads all rows once, each block with the number of its first row.
    fn each(
        &self,
        ctx: &Context,
        stage: &'static str,
        mut take: impl FnMut(usize, &AnySamples) -> Result<()>,
    ) -> Result<()> {
        let mut source = self.source.borrow_mut();
        source.rewind(1)?;
        let mut from = 0;
        while let Some(block) = source.next()? {
            take(from, &block.samples)?;
            from += block.samples.n();
            ctx.step(Step::new(stage, from as f64, self.n as f64))?;
        }
        Ok(())
    }
}

impl<T: Real> TrainingRows for Passes<'_, '_, T> {
    fn samples(&self, ctx: &Context, rows: &[usize]) -> Result<AnySamples> {
        let mut parts = Vec::new();
        self.each(ctx, "picking rows", |from, samples| {
            let below = |row: usize| rows.partition_point(|at| *at < row);
            let own = &rows[below(from)..below(from + samples.n())];
            let places: Vec<usize> = own.iter().map(|row| row - from).collect();
            if !places.is_empty() {
                parts.push(samples.select(&places));
            }
            Ok(())
        })?;
        AnySamples::concat(&parts)
    }

    fn sums(
        &self,
        ctx: &Context,
        looked: &AnySamples,
        wanted: &[WantedSum],
    ) -> Result<Vec<Vec<f64>>> {
        let mut adding = Adding::new(self.on, looked, wanted)?;
        let quiet = &ctx.without_steps();
        self.each(ctx, "comparing with the kernel", |from, samples| {
            adding.add(quiet, from, &self.on.moved(&samples.to_type()?)?)
        })?;
        Ok(adding.sums)
    }
}

/// What is to be learned of all rows.
struct Found<'a> {
    like: &'a Targets,
    /// How many columns the targets of a block have.
    columns: usize,
    places: Vec<usize>,
    values: Vec<f64>,
    weights: Vec<f64>,
    /// Whether they were taken: later passes find the same.
    is_done: bool,
}

impl<'a> Found<'a> {
    fn new(like: &'a Targets, task: Task) -> Self {
        let columns = match (like.class_labels().map_or(0, |labels| labels.names.len()), task) {
            (0, Task::OneClass) => 0,
            (0..=2, _) => 1,
            (classes, _) => classes,
        };
        let (places, values, weights) = (Vec::new(), Vec::new(), Vec::new());
        Self { like, columns, places, values, weights, is_done: false }
    }

    fn rows(&self) -> usize {
        self.weights.len()
    }

    fn clear(&mut self) {
        self.places.clear();
        self.values.clear();
        self.weights.clear();
    }

    fn add(&mut self, block: &RowBlock<'_>) -> Result<()> {
        let (n, before) = (block.samples.n(), self.rows());
        if self.is_done {
            return Ok(());
        }
        landmarks::check_rows(block, before, self.columns)?;
        match &block.weights {
            Some(weights) => self.weights.extend(weights.iter()),
            None => self.weights.extend(std::iter::repeat_n(1.0, n)),
        }
        let Some(y) = &block.targets else { return Ok(()) };
        for i in 0..n {
            match (self.like.class_labels(), y.row(i)) {
                (None, row) => self.values.push(row[0]),
                (Some(_), [second]) => self.places.push(usize::from(*second > 0.0)),
                (Some(_), row) => self.places.push(row.iter().position(|v| *v > 0.0).unwrap_or(0)),
            }
        }
        Ok(())
    }

    /// The targets of all rows, and how many there are.
    fn take(&mut self) -> (Targets, usize) {
        self.is_done = true;
        let (places, values) = (std::mem::take(&mut self.places), std::mem::take(&mut self.values));
        let (rows, weights) = (self.rows(), std::mem::take(&mut self.weights));
        let targets = match &self.like.target {
            Target::Classes { labels, weights } => {
                Targets::labels(Labels { names: labels.names.clone(), places })
                    .with_class_weights(weights.clone())
            }
            _ if self.columns == 0 => Targets::unsupervised(),
            _ => Targets::matrix(Mat::from_vec(values, rows, 1)),
        };
        (targets.with_weights(Some(weights)), rows)
    }
}

/// The rows of a source that count: those of weight 0 are left out.
struct Counted<'a, 'f, 'l> {
    inner: &'a mut dyn RowBlocks,
    found: &'f RefCell<Found<'l>>,
}

impl RowBlocks for Counted<'_, '_, '_> {
    fn rewind(&mut self, passes: usize) -> Result<()> {
        self.found.borrow_mut().clear();
        self.inner.rewind(passes)
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        loop {
            let Some(block) = self.inner.next()? else { return Ok(None) };
            self.found.borrow_mut().add(&block)?;
            let counts = |weights: &[f64]| -> Vec<usize> {
                (0..weights.len()).filter(|&row| weights[row] != 0.0).collect()
            };
            let kept = block.weights.as_deref().map(counts);
            let samples = match kept.filter(|kept| kept.len() < block.samples.n()) {
                None => block.samples,
                Some(kept) if kept.is_empty() => continue,
                Some(kept) => block.samples.select(&kept),
            };
            return Ok(Some(RowBlock::new(samples)));
        }
    }

    fn rows(&self) -> Option<u64> {
        // Those of weight 0 are known after the first pass.
        None
    }

    fn share(&self) -> Option<f64> {
        let read = self.found.borrow().rows() as f64;
        self.inner.share().or_else(|| Some(read / self.inner.rows()? as f64))
    }
}
