//! Small machines of each kind on a sample of the rows.

use std::time::Instant;

use crate::context::{Context, Step, Stream};
use crate::error::{Error, Result};
use crate::gram;
use crate::kernel::SpecKernel;
use crate::linalg::view::Mat;
use crate::model::landmarks::{LandmarkCount, LandmarkParams};
use crate::model::svm::cells::{CellParams, present, targets_of};
use crate::model::svm::check::Checked;
use crate::model::svm::decode::votes;
use crate::model::svm::{Svm, SvmParams, Task};
use crate::points::{AnySamples, Span, with_samples};

/// Rows that the small machines are fitted to, and as many more that they are held to.
const ROWS: usize = 4096;
/// Their landmarks, and the rows of their cells.
const LANDMARKS: usize = 256;
const CELL: usize = 512;

/// Columns of kernel values that are timed.
const TIMED: usize = 512;

/// What a small machine did.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pilot {
    /// Kernel values of columns that were computed.
    pub values: f64,
    /// Steps of its solver.
    pub steps: f64,
    pub loss: f64,
}

/// All small machines.
pub(super) struct Pilots {
    pub rows: usize,
    pub held_out: usize,
    /// Seconds for a kernel value.
    pub value: f64,
    pub half: Pilot,
    pub exact: Pilot,
    pub landmarks: Pilot,
    /// None for nu-SVC, which has no cells.
    pub cells: Option<Pilot>,
}

/// The sample, and how machines are held to the rest of it.
struct Sample<'a> {
    x: &'a AnySamples,
    checked: &'a Checked,
    /// Places among the rows that count.
    train: Vec<usize>,
    test: Vec<usize>,
    present: Vec<usize>,
}

impl Pilots {
    /// None where there are not many more rows than these machines take, or their sample has one class alone.
    pub fn new(
        ctx: &Context,
        params: &SvmParams,
        x: &AnySamples,
        checked: &Checked,
    ) -> Result<Option<Self>> {
        let n = checked.rows.len();
        if n < 4 * ROWS {
            return Ok(None);
        }
        let drawn = Stream::new(0, "pilot").sample(n, 2 * ROWS);
        let (train, test): (Vec<usize>, Vec<usize>) =
            drawn.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
        let present = present(checked, &train);
        if present.len() == 1 {
            return Ok(None);
        }
        let sample = Sample { x, checked, train, test, present };
        let half = Sample {
            train: sample.train.iter().copied().step_by(2).collect(),
            present: sample.present.clone(),
            test: Vec::new(),
            ..sample
        };
        let half_has_all = super::super::cells::present(checked, &half.train) == sample.present;
        let quiet = ctx.without_steps();
        let reported = |done: f64| ctx.step(Step::new("machines of a sample", done, 4.0));
        reported(0.0)?;
        let (exact, decisions) = sample.pilot(&quiet, params, None)?;
        reported(1.0)?;
        let half = match half_has_all {
            true => half.pilot(&quiet, params, None)?.0,
            // Too few rows of a class: the work grows with the square.
            false => Pilot { values: exact.values / 4.0, steps: exact.steps / 2.0, ..exact },
        };
        reported(2.0)?;
        let wanted = LandmarkParams::new(LandmarkCount::Count(LANDMARKS));
        let low_rank = SvmParams { landmarks: Some(wanted), ..params.clone() };
        let landmarks = sample.pilot(&quiet, &low_rank, Some(&decisions))?.0;
        reported(3.0)?;
        let in_cells = SvmParams { cells: Some(CellParams::new(CELL)), ..params.clone() };
        let cells = match params.task {
            Task::NuSvc => None,
            _ => Some(sample.pilot(&quiet, &in_cells, Some(&decisions))?.0),
        };
        reported(4.0)?;
        let value = sample.seconds_of_value(&quiet, params)?;
        let (rows, held_out) = (sample.train.len(), sample.test.len());
        Ok(Some(Self { rows, held_out, value, half, exact, landmarks, cells }))
    }
}

impl Sample<'_> {
    /// Seconds to compute a kernel value, among many; memory is touched before.
    fn seconds_of_value(&self, ctx: &Context, params: &SvmParams) -> Result<f64> {
        let rows = |places: &[usize]| -> AnySamples {
            let rows: Vec<usize> = places.iter().map(|&i| self.checked.rows[i]).collect();
            self.x.select(&rows)
        };
        let (some, others) = (rows(&self.test), rows(&self.train[..TIMED]));
        with_samples!(&some, x => {
            let kernel = SpecKernel::new(&params.kernel)?;
            let others = others.to_type()?;
            let mut values = Mat::try_zeros(x.n(), TIMED)?;
            let mut seconds = f64::INFINITY;
            for _ in 0..3 {
                let started = Instant::now();
                gram::fill_kernel_values(ctx, &kernel, Span::all(x), &others, &mut values)?;
                seconds = seconds.min(started.elapsed().as_secs_f64());
            }
            Ok(seconds / (x.n() * TIMED) as f64)
        })
    }

    /// Fits a machine, and holds it to the test rows; returns its decisions for these, too.
    fn pilot(
        &self,
        ctx: &Context,
        params: &SvmParams,
        exact: Option<&Mat<f64>>,
    ) -> Result<(Pilot, Mat<f64>)> {
        let rows = |places: &[usize]| -> AnySamples {
            let rows: Vec<usize> = places.iter().map(|&i| self.checked.rows[i]).collect();
            self.x.select(&rows)
        };
        let targets = targets_of(self.checked, &self.train, &self.present);
        let model = Svm::fit(ctx, params, &rows(&self.train), &targets, None)?;
        if model.was_interrupted() {
            return Err(Error::Interrupted);
        }
        let decisions = match self.test.is_empty() {
            true => Mat::zeros(0, 1),
            false => model.decisions(ctx, &rows(&self.test))?,
        };
        let machine = model.report.machine.as_ref();
        let problems = machine.map_or(&[][..], |machine| &machine.problems);
        let rows: f64 = problems.iter().map(|problem| problem.rows as f64).sum();
        let columns = machine.map_or(0.0, |machine| machine.columns_used as f64);
        // Where all values fit in one working set, no column is asked for.
        let width = rows / problems.len().max(1) as f64;
        let values = match columns {
            0.0 => problems.iter().map(|problem| (problem.rows as f64).powi(2)).sum(),
            columns => columns * width,
        };
        let pilot = Pilot {
            values,
            steps: problems.iter().map(|problem| problem.iterations as f64).sum(),
            loss: self.loss(&decisions, exact),
        };
        Ok((pilot, decisions))
    }

    fn loss(&self, decisions: &Mat<f64>, exact: Option<&Mat<f64>>) -> f64 {
        let count = self.test.len().max(1) as f64;
        if !self.checked.classes.is_empty() {
            let found = votes(decisions, self.present.len());
            let is_wrong =
                |(place, &i): (&usize, &usize)| self.present[*place] != self.checked.places[i];
            return found.iter().zip(&self.test).filter(|pair| is_wrong(*pair)).count() as f64
                / count;
        }
        if !self.checked.values.is_empty() {
            let truth: Vec<f64> = self.test.iter().map(|&i| self.checked.values[i]).collect();
            let mean = truth.iter().sum::<f64>() / count;
            let spread: f64 = truth.iter().map(|y| (y - mean).powi(2)).sum();
            let errors = truth.iter().zip(decisions.data()).map(|(y, f)| (y - f).powi(2));
            return if spread > 0.0 { errors.sum::<f64>() / spread } else { 0.0 };
        }
        let Some(exact) = exact else { return 0.0 };
        let both = decisions.data().iter().zip(exact.data());
        both.filter(|(a, b)| (**a >= 0.0) != (**b >= 0.0)).count() as f64 / count
    }
}
