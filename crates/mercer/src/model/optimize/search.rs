//! The search: from the given parameters, and from more starts at random.

use std::time::Instant;

use super::problem::Problem;
use super::{OptimizationReport, OptimizeParams, Optimized};
use crate::context::{Step, Stream};
use crate::error::{Error, Param, Result};
use crate::kernel::Hyperparameter;
use crate::solve::lbfgs::{self, Info};

/// A step moves no parameter by more than this factor's logarithm: far away, objectives are flat.
const LONGEST: f64 = 3.0;

/// A gradient as small as this at the start is that of a plateau.
const FLAT: f64 = 1e-12;

/// Further starts lie within this factor of the given one.
const AWAY: f64 = 100.0;

pub(super) fn search(problem: &Problem<'_>, params: &OptimizeParams) -> Result<Optimized> {
    let started = Instant::now();
    let all = problem.hyperparameters();
    let first = problem.start();
    let limits = bounds(&all, params.bounds);
    let settings = lbfgs::Params {
        tolerance: params.tolerance,
        max_evaluations: params.max_evaluations.max(1),
        longest: LONGEST,
        bounds: limits.clone(),
    };
    let most = (params.restarts + 1) * settings.max_evaluations;
    let mut run = Run { problem, evaluations: 0, most, start: None };
    let mut stream = Stream::new(params.seed, "kernel parameters");
    let mut starts = Vec::new();
    let mut best: Option<(Vec<f64>, Info)> = None;
    for place in 0..=params.restarts {
        let from =
            if place == 0 { first.clone() } else { at_random(&first, &limits, &all, &mut stream) };
        let found = run.climb(from, &settings)?;
        if place == 0 && found.is_none() {
            return Err(no_start());
        }
        starts.push(found.as_ref().map(|(_, info)| problem.shown(info.value).0));
        if let Some(found) = found
            && best.as_ref().is_none_or(|best| found.1.value < best.1.value)
        {
            best = Some(found);
        }
    }
    let (z, info) = best.expect("the first start has a value");
    let (kernel, alpha) = problem.at(&z);
    let is_held = |i: &usize| z[*i] <= limits[*i].0 || z[*i] >= limits[*i].1;
    let report = OptimizationReport {
        objective: problem.objective,
        start: problem.shown(run.start.unwrap_or(f64::NAN)).0,
        value: problem.shown(info.value).0,
        gradient: info.residual / info.value.abs().max(1.0),
        converged: info.converged,
        evaluations: run.evaluations,
        starts,
        parameters: all.iter().zip(&z).map(|(p, z)| (p.name.clone(), z.exp())).collect(),
        at_bounds: (0..z.len()).filter(is_held).map(|i| all[i].name.clone()).collect(),
        seconds: started.elapsed().as_secs_f64(),
    };
    Ok(Optimized { kernel, alpha, report })
}

fn no_start() -> Error {
    Error::parameter(
        Param::Kernel,
        "the objective has no value for the given parameters: the kernel matrix with alpha on its diagonal is not positive definite, \
         or constant; raise alpha or change the kernel",
    )
}

struct Run<'a> {
    problem: &'a Problem<'a>,
    evaluations: usize,
    most: usize,
    /// The loss of the given parameters.
    start: Option<f64>,
}

impl Run<'_> {
    /// The best point that one start leads to; none where the objective has no value there.
    fn climb(
        &mut self,
        start: Vec<f64>,
        settings: &lbfgs::Params,
    ) -> Result<Option<(Vec<f64>, Info)>> {
        let found = lbfgs::minimize(start, settings, |z| {
            let found = self.problem.evaluate(z, true)?;
            self.evaluations += 1;
            self.start.get_or_insert(found.0);
            let (done, total) = (self.evaluations as f64, self.most as f64);
            let residual = found.1.iter().fold(0.0_f64, |most, g| most.max(g.abs()));
            let step = Step::converging("kernel parameters", done, total, residual);
            self.problem.ctx.step(step)?;
            Ok(found)
        })?;
        let (z, mut info) = found;
        // Where no sample sees another, nothing moves with a width: that is a plateau, and no optimum.
        info.converged &= info.evaluations > 1 || info.residual > FLAT;
        Ok(Some((z, info)).filter(|(_, info)| info.value.is_finite()))
    }
}

/// The logarithms between which each parameter may move.
fn bounds(all: &[Hyperparameter], (low, high): (f64, f64)) -> Vec<(f64, f64)> {
    let of = |parameter: &Hyperparameter| {
        let (at, power) = (parameter.value.ln(), if parameter.is_rate { 2.0 } else { 1.0 });
        (at + power * low.ln(), at + power * high.ln())
    };
    all.iter().map(of).collect()
}

fn at_random(
    first: &[f64],
    bounds: &[(f64, f64)],
    all: &[Hyperparameter],
    stream: &mut Stream,
) -> Vec<f64> {
    let mut place = |((at, (low, high)), parameter): ((&f64, &(f64, f64)), &Hyperparameter)| {
        let power = if parameter.is_rate { 2.0 } else { 1.0 };
        (at + power * AWAY.ln() * (2.0 * stream.uniform() - 1.0)).clamp(*low, *high)
    };
    first.iter().zip(bounds).zip(all).map(&mut place).collect()
}
