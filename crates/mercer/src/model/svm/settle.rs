//! Certification of a solution: slopes are recomputed with the exact kernel, in double precision, and the
//! solver goes on from those until they agree, or until rounding keeps them from it.

use super::exact_kernel::spread_out;
use super::fit::Fit;
use super::problem::DualProblem;
use crate::context::Context;
use crate::error::Result;
use crate::gram::Columns;
use crate::real::Real;
use crate::solve::smo::{self, Assessment, Info, Problem, Solution, Solver, Stop};

/// A solution with its certificate.
pub(super) struct Settled {
    pub solution: Solution,
    pub assessment: Assessment,
    /// By how much rounding of kernel values makes slopes uncertain; none where nothing was certified.
    pub rounding: Option<f64>,
    /// Samples whose slopes were computed anew.
    pub certified: usize,
    /// The numbers in which the slopes were computed that the solver ended with.
    pub precision: &'static str,
}

/// The solver's own tolerance as a share of the one that is asked for: the rest is for what its slopes are wrong by.
pub(super) const SOLVER_SHARE: f64 = 15.0 / 16.0;
/// The share of the work of a fit that a certificate may cost.
const SHARE: f64 = 0.02;
/// Numbers read up to which slopes of all samples are computed anew in any case.
const CHEAP: f64 = 3e7;
/// Samples at least whose slopes are computed anew.
const LEAST: usize = 128;
/// Rounding errors of a slope, in units of the largest kernel value times the length of the vector of coefficients.
pub(super) const ROUNDING: f64 = 2.0 * f64::EPSILON;
/// How often a solver may go on from slopes computed anew.
const TURNS: usize = 20;
/// How often it may with columns in single precision.
const SINGLE_TURNS: usize = 4;
/// A part of a search need not be as exact: what its slopes may be wrong by, in tolerances.
const UNCERTIFIED: f64 = 30.0;

impl Fit<'_> {
    /// Certifies what a solver found, and goes on in double precision where it is not good enough.
    pub(super) fn settle<S: Real>(
        &self,
        ctx: &Context,
        dual: &DualProblem,
        solution: Solution,
        solver: &mut Solver<'_, S>,
    ) -> Result<Settled> {
        let (samples, cost_per_entry) = (dual.distinct(), solver.cost_per_entry());
        let (assessment, certified) = match self.is_certified {
            false => (Assessment::new(&solution.variables, &solution.f, &dual.problem.group), 0),
            // Not watched: a model that was stopped needs a certificate that is right, too.
            true => self.assess(&ctx.unwatched(), dual, &solution, cost_per_entry)?,
        };
        let mut settled =
            Settled { solution, assessment, rounding: None, certified, precision: S::NAME };
        if settled.is_open() && self.is_to_go_on::<S>(dual, &settled) {
            let columns = self.exact_kernel.exact(&self.rows_of(dual, samples))?;
            let is_single = S::EPSILON > f64::EPSILON;
            // Iterative refinement: from recomputed slopes, errors of columns in single precision count only for what the coefficients
            // still move, and the solver has these columns in its cache.
            if is_single {
                self.refine(ctx, dual, &*columns, solver, SINGLE_TURNS, &mut settled)?;
            }
            if settled.is_open() && settled.assessment.violation > self.params.tolerance {
                solver.release();
                let repeated = dual.repeated(&*columns);
                let mut solver = Solver::new(repeated.as_deref().unwrap_or(&*columns));
                self.refine(ctx, dual, &*columns, &mut solver, TURNS, &mut settled)?;
            }
        }
        if self.is_certified {
            let rounding =
                ROUNDING * self.exact_kernel.largest() * length(&dual.folded(&settled.solution));
            let is_within = settled.assessment.violation.max(rounding) <= self.params.tolerance;
            settled.rounding = Some(rounding);
            if settled.is_open() {
                settled.solution.info.stop =
                    if is_within { Stop::Converged } else { Stop::Stalled };
            }
        }
        Ok(settled)
    }

    fn is_to_go_on<S: Real>(&self, dual: &DualProblem, settled: &Settled) -> bool {
        match self.is_certified {
            true => settled.assessment.violation > self.params.tolerance,
            false => {
                let error =
                    self.exact_kernel.single_error() * length(&dual.folded(&settled.solution));
                S::EPSILON > 1e-10 && error > UNCERTIFIED * self.params.tolerance
            }
        }
    }

    /// Assesses a solution by slopes of the true kernel: of all samples, or of some where that would cost more than its share.
    fn assess(
        &self,
        ctx: &Context,
        dual: &DualProblem,
        solution: &Solution,
        cost_per_entry: usize,
    ) -> Result<(Assessment, usize)> {
        let n = dual.distinct();
        let beta = support(&dual.folded(solution));
        let row = (beta.len().max(1) * self.exact_kernel.cost_per_entry()) as f64;
        let allowed = (SHARE * work(&solution.info, n, cost_per_entry)).max(CHEAP) / row;
        let group = &dual.problem.group;
        if allowed >= n as f64 {
            let columns = self.exact_kernel.exact(&self.rows_of(dual, n))?;
            let f = dual.unfolded(smo::slopes(ctx, &*columns, &beta, n)?);
            return Ok((Assessment::new(&solution.variables, &f, group), n));
        }
        let some = spread_out(n, (allowed as usize).max(LEAST));
        let which: Vec<usize> = some.iter().copied().chain(beta.iter().map(|(i, _)| *i)).collect();
        let which: Vec<usize> = which.iter().map(|&i| self.at(dual.samples[i])).collect();
        let columns = self.exact_kernel.exact(&which)?;
        let placed: Vec<(usize, f64)> =
            beta.iter().enumerate().map(|(k, (_, b))| (some.len() + k, *b)).collect();
        let f = smo::slopes(ctx, &*columns, &placed, some.len())?;
        let copies = solution.f.len() / n;
        let error = |(&i, f): (&usize, &f64)| (i, f - solution.f[i]);
        let errors: Vec<(usize, f64)> = some.iter().zip(&f).map(error).collect();
        let errors: Vec<(usize, f64)> = (0..copies)
            .flat_map(|copy| errors.iter().map(move |(i, e)| (copy * n + i, *e)))
            .collect();
        let own = Assessment::new(&solution.variables, &solution.f, group);
        Ok((own.corrected(&solution.variables, &solution.f, group, &errors), some.len()))
    }

    /// Goes on from slopes computed anew with the true kernel, as long as that brings the violation down.
    fn refine<S: Real>(
        &self,
        ctx: &Context,
        dual: &DualProblem,
        columns: &dyn Columns<f64>,
        solver: &mut Solver<'_, S>,
        turns: usize,
        settled: &mut Settled,
    ) -> Result<()> {
        let n = dual.distinct();
        let anew = |solution: &Solution| -> Result<Vec<f64>> {
            let beta = support(&dual.folded(solution));
            Ok(dual.unfolded(smo::slopes(&ctx.unwatched(), columns, &beta, n)?))
        };
        settled.precision = f64::NAME;
        let mut best: Option<f64> = None;
        for turn in 0..=turns {
            let f = anew(&settled.solution)?;
            let variables = settled.solution.variables.clone();
            let group = dual.problem.group.clone();
            let before = Assessment::new(&variables, &f, &group);
            let is_better = best.is_none_or(|best| before.violation <= 0.5 * best);
            let is_done = before.violation <= self.params.tolerance;
            best = Some(best.map_or(before.violation, |best| best.min(before.violation)));
            (settled.assessment, settled.certified) = (before, n);
            settled.solution.f.clone_from(&f);
            if is_done || !is_better || !settled.is_open() || turn == turns {
                return Ok(());
            }
            let used = settled.solution.info.iterations;
            let problem = Problem { variables, group, f: Some(f) };
            let after = solver.solve(ctx, problem, &self.solver_params(used))?;
            settled.solution = Solution { info: sum(&settled.solution.info, after.info), ..after };
        }
        Ok(())
    }

    /// The places of a problem's first samples among those of the true kernel.
    fn rows_of(&self, dual: &DualProblem, count: usize) -> Vec<usize> {
        dual.samples[..count].iter().map(|&sample| self.at(sample)).collect()
    }
}

impl Settled {
    /// Whether nothing but the violation decides how it ends.
    fn is_open(&self) -> bool {
        matches!(self.solution.info.stop, Stop::Converged | Stop::Stalled)
    }
}

/// Numbers read by a solver, about: kernel columns, and lines of kernel values at each step.
fn work(info: &Info, n: usize, cost_per_entry: usize) -> f64 {
    let inside = n.min(2048) as f64;
    let columns = (info.asked as f64 + inside) * n as f64 * cost_per_entry.max(1) as f64;
    columns + 2.0 * info.iterations as f64 * inside
}

/// The coefficients that are not 0, with their places.
fn support(beta: &[f64]) -> Vec<(usize, f64)> {
    beta.iter().copied().enumerate().filter(|(_, b)| *b != 0.0).collect()
}

fn length(beta: &[f64]) -> f64 {
    beta.iter().map(|b| b * b).sum::<f64>().sqrt()
}

/// What two solvers did, one after the other.
fn sum(first: &Info, second: Info) -> Info {
    Info {
        iterations: first.iterations + second.iterations,
        rounds: first.rounds + second.rounds,
        asked: first.asked + second.asked,
        hits: first.hits + second.hits,
        stop: second.stop,
    }
}
