//! How well decisions on landmarks agree with those of the true kernel, on a sample of the training set.

use super::SampledLoss;
use crate::context::Context;
use crate::error::Result;
use crate::gram;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::svm::check::Checked;
use crate::model::svm::exact_kernel::spread_out;
use crate::model::svm::problem::DualSolution;
use crate::model::svm::{SvmParams, Task};
use crate::points::{Points, Samples, Span};
use crate::real::Real;

/// Samples that are looked at, at most and at least.
const ROWS: (usize, usize) = (256, 16);
/// Kernel values that are worth it.
const VALUES: usize = 50_000_000;
/// Support vectors whose kernel values are computed at a time.
const CHUNK: usize = 4096;

/// Decisions with kernel values of pairs of training samples.
pub struct TrueKernel<'a>(Box<dyn Decide + 'a>);

trait Decide: Send + Sync {
    /// Σ β k(x, x_i) over (row, β) for each of `rows`.
    fn sums(&self, ctx: &Context, rows: &[usize], beta: &[(usize, f64)]) -> Result<Vec<f64>>;
}

struct On<T: Real> {
    on: KernelOn<T>,
    x: Samples<T>,
}

impl<T: Real> Decide for On<T> {
    fn sums(&self, ctx: &Context, rows: &[usize], beta: &[(usize, f64)]) -> Result<Vec<f64>> {
        let some = self.x.select(rows);
        let mut sums = vec![0.0; rows.len()];
        for part in beta.chunks(CHUNK) {
            let support = self.x.select(&part.iter().map(|(row, _)| *row).collect::<Vec<_>>());
            let mut values = Mat::<T>::try_zeros(rows.len(), part.len())?;
            gram::fill_kernel_values(
                ctx,
                &*self.on.kernel,
                Span::all(&some),
                &support,
                &mut values,
            )?;
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum +=
                    values.row(i).iter().zip(part).map(|(v, (_, b))| v.to_f64() * b).sum::<f64>();
            }
        }
        Ok(sums)
    }
}

impl<'a> TrueKernel<'a> {
    /// The kernel on samples `x`, as it takes them.
    pub fn new<T: Real + 'a>(on: &KernelOn<T>, x: &Samples<T>) -> Self {
        Self(Box::new(On { on: on.clone(), x: x.clone() }))
    }

    /// The loss of the solutions of all problems on a sample of their training samples.
    pub fn loss(
        &self,
        ctx: &Context,
        params: &SvmParams,
        checked: &Checked,
        rows: Option<&[usize]>,
        solved: &[DualSolution],
    ) -> Result<SampledLoss> {
        // Not watched: a model that was stopped has a report, too.
        let ctx = &ctx.unwatched();
        let support: usize = solved.iter().map(|solution| solution.report.support).sum();
        let most = (VALUES / support.max(1)).clamp(ROWS.1, ROWS.0);
        let mut total = Totals::default();
        for solution in solved {
            let some = spread_out(solution.samples.len(), most.div_ceil(solved.len()));
            let at = |place: usize| {
                rows.map_or(solution.samples[place], |rows| rows[solution.samples[place]])
            };
            let beta: Vec<(usize, f64)> = (0..solution.beta.len())
                .filter(|&place| solution.beta[place] != 0.0)
                .map(|place| (at(place), solution.beta[place]))
                .collect();
            let sums = self.0.sums(ctx, &some.iter().map(|&p| at(p)).collect::<Vec<_>>(), &beta)?;
            for (&place, sum) in some.iter().zip(sums) {
                let loss = |decision: f64| loss(params, checked, solution, place, decision);
                let (model, exact) = (solution.decisions[place], sum + solution.offset);
                total.add(loss(model), loss(exact), model - exact);
            }
        }
        Ok(total.mean())
    }
}

/// The loss of a decision on the sample at a place of a problem.
fn loss(
    params: &SvmParams,
    checked: &Checked,
    solution: &DualSolution,
    place: usize,
    decision: f64,
) -> f64 {
    let sample = solution.samples[place];
    match params.task {
        Task::CSvc | Task::NuSvc => {
            let first = checked.places[solution.samples[0]];
            let sign = if checked.places[sample] == first { 1.0 } else { -1.0 };
            (1.0 - sign * decision).max(0.0)
        }
        Task::OneClass => (-decision).max(0.0),
        Task::EpsilonSvr | Task::NuSvr => {
            let tube = solution.tube.unwrap_or(params.epsilon);
            ((checked.values[sample] - decision).abs() - tube).max(0.0)
        }
    }
}

#[derive(Default)]
struct Totals {
    rows: usize,
    model: f64,
    exact: f64,
    square: f64,
}

impl Totals {
    fn add(&mut self, model: f64, exact: f64, difference: f64) {
        self.rows += 1;
        self.model += model;
        self.exact += exact;
        self.square += difference * difference;
    }

    fn mean(self) -> SampledLoss {
        let n = self.rows.max(1) as f64;
        SampledLoss {
            rows: self.rows,
            of_model: self.model / n,
            of_true_kernel: self.exact / n,
            difference: (self.square / n).sqrt(),
        }
    }
}
