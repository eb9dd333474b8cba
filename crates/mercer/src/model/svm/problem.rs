//! The dual problem of each task, and what its solution means.

use super::check::Checked;
use super::report::ProblemReport;
use super::settle::Settled;
use super::{SvmParams, Task};
use crate::gram::Columns;
use crate::solve::smo::{Assessment, Problem, Solution, Stop, Variable};

/// A dual problem on some of the samples with positive weight.
pub(super) struct DualProblem {
    pub task: Task,
    /// Places among the samples that count, one per variable; `NuSvr` has each twice.
    pub samples: Vec<usize>,
    pub problem: Problem,
    /// What the coefficients of each group sum up to, in size; for the tasks with `nu`.
    sums: Vec<f64>,
    /// What is taken off the kernel values of each variable; empty for nothing.
    taken_off: Vec<f64>,
    /// What is taken off all kernel values beside.
    constant: f64,
}

/// The solution of a dual problem, in the orientation of LIBSVM: positive for the first class.
pub(super) struct DualSolution {
    /// Places among the samples that count.
    pub samples: Vec<usize>,
    /// One per sample.
    pub beta: Vec<f64>,
    /// The decision of each sample, its own coefficient included.
    pub decisions: Vec<f64>,
    /// K' β, of the matrix that the solver worked on.
    pub slopes: Vec<f64>,
    /// What K' β lacks to be decisions, for tasks whose coefficients sum up to 0.
    pub working_offset: f64,
    /// What K β lacks to be decisions.
    pub offset: f64,
    /// What decisions were divided by: the margin of nu-SVC.
    pub units: f64,
    /// Half the width of the tube, where it is found.
    pub tube: Option<f64>,
    pub report: ProblemReport,
    pub rounds: u64,
    pub asked: u64,
    pub hits: u64,
}

/// Sums of coefficients that differ by this share are equal.
const BALANCED: f64 = 1e-10;

impl DualProblem {
    /// The problem of two classes, by place.
    pub fn pair(params: &SvmParams, checked: &Checked, first: usize, second: usize) -> Self {
        let of =
            |class: usize| (0..checked.rows.len()).filter(move |&i| checked.places[i] == class);
        let samples: Vec<usize> = of(first).chain(of(second)).collect();
        let nu = params.task == Task::NuSvc;
        let variable = |&i: &usize| {
            let (class, weight) = (checked.places[i], checked.weights[i]);
            let most = if nu { weight } else { params.c * checked.class_weights[class] * weight };
            let sign = if class == first { 1.0 } else { -1.0 };
            one_sided(sign, most, if nu { 0.0 } else { -sign })
        };
        let variables: Vec<Variable> = samples.iter().map(variable).collect();
        let group = match nu {
            true => samples.iter().map(|&i| u8::from(checked.places[i] != first)).collect(),
            false => vec![0; samples.len()],
        };
        let total: f64 = if nu { samples.iter().map(|&i| checked.weights[i]).sum() } else { 0.0 };
        let sums = if nu { vec![0.5 * params.nu * total; 2] } else { Vec::new() };
        let problem = Problem { variables, group, f: None };
        Self { task: params.task, samples, problem, sums, taken_off: Vec::new(), constant: 0.0 }
            .started()
    }

    /// The problem of all samples, for tasks without classes.
    pub fn whole(params: &SvmParams, checked: &Checked) -> Self {
        let n = checked.rows.len();
        let weight: f64 = checked.weights.iter().sum();
        let (variables, group, sums): (Vec<Variable>, Vec<u8>, Vec<f64>) = match params.task {
            Task::OneClass => {
                let most = checked.weights.iter();
                (
                    most.map(|&w| one_sided(1.0, w, 0.0)).collect(),
                    vec![0; n],
                    vec![params.nu * weight],
                )
            }
            Task::NuSvr => {
                let side = |sign: f64| {
                    let each = checked.weights.iter().zip(&checked.values);
                    each.map(move |(w, y)| one_sided(sign, params.c * w, -y))
                };
                let sums = vec![0.5 * params.c * params.nu * weight; 2];
                let group = (0..2 * n).map(|v| u8::from(v >= n)).collect();
                (side(1.0).chain(side(-1.0)).collect(), group, sums)
            }
            _ => {
                let each = checked.weights.iter().zip(&checked.values);
                let variable = |(w, y): (&f64, &f64)| Variable {
                    beta: 0.0,
                    lower: -params.c * w,
                    upper: params.c * w,
                    linear: -y,
                    kink: params.epsilon,
                };
                (each.map(variable).collect(), vec![0; n], Vec::new())
            }
        };
        let copies = variables.len() / n.max(1);
        let samples = (0..copies).flat_map(|_| 0..n).collect();
        let problem = Problem { variables, group, f: None };
        Self { task: params.task, samples, problem, sums, taken_off: Vec::new(), constant: 0.0 }
            .started()
    }

    /// The same problem without some of its samples: their coefficients are fixed at 0.
    pub fn without(mut self, is_left_out: impl Fn(usize) -> bool) -> Self {
        let before: f64 = self.room(0) + self.room(1);
        for (variable, &sample) in self.problem.variables.iter_mut().zip(&self.samples) {
            if is_left_out(sample) {
                *variable = Variable { linear: variable.linear, ..Variable::FIXED };
            }
        }
        // The share nu is one of the samples that remain; what both groups have room for bounds it.
        let after = self.room(0) + self.room(1);
        let most = (0..self.sums.len()).map(|g| self.room(g as u8)).fold(f64::INFINITY, f64::min);
        self.sums.iter_mut().for_each(|sum| *sum = (*sum * after / before).min(most));
        self.started()
    }

    /// What the coefficients of a group can sum up to, in size.
    fn room(&self, g: u8) -> f64 {
        let own = self.problem.variables.iter().zip(&self.problem.group);
        own.filter(|(_, group)| **group == g).map(|(v, _)| v.upper - v.lower).sum()
    }

    /// Starts from coefficients (one per sample that counts) close to the solution.
    pub fn start_from(mut self, beta: &[f64]) -> Self {
        let mut scale = [1.0; 2];
        if self.task == Task::NuSvc {
            // A fitted model is in units of its margin.
            for (g, scale) in scale.iter_mut().enumerate() {
                let own = self.samples.iter().zip(&self.problem.group);
                let own = own.filter(|(_, group)| usize::from(**group) == g);
                let now: f64 = own.map(|(&sample, _)| beta[sample].abs()).sum();
                *scale = if now > 0.0 { self.sums[g] / now } else { 1.0 };
            }
        }
        let each = self.problem.variables.iter_mut().zip(&self.samples).zip(&self.problem.group);
        for ((variable, &sample), &group) in each {
            let near = scale[usize::from(group)] * beta[sample];
            variable.beta = near.clamp(variable.lower, variable.upper);
        }
        if self.sums.is_empty() {
            let size = |sign: f64| -> f64 {
                self.problem.variables.iter().map(|v| (sign * v.beta).max(0.0)).sum()
            };
            let (up, down) = (size(1.0), size(-1.0));
            let least = up.min(down);
            for variable in &mut self.problem.variables {
                let own = if variable.beta > 0.0 { up } else { down };
                // What rounding leaves of a solution's sums must not take coefficients off their bounds.
                if own > least * (1.0 + BALANCED) {
                    variable.beta *= least / own;
                }
            }
        }
        self.started()
    }

    /// Sets K β of a start from `beta` (both one per sample that counts), which holds if that start could be made as it is.
    pub fn with_slopes(mut self, beta: &[f64], slopes: &[f64]) -> Self {
        let each = self.problem.variables.iter().zip(&self.samples);
        if each.clone().all(|(variable, &sample)| variable.beta == beta[sample]) {
            self.problem.f = Some(self.samples.iter().map(|&sample| slopes[sample]).collect());
        }
        self
    }

    /// The same problem with a matrix K' = K − u1ᵀ − 1uᵀ − constant, where sample i has u = `of(i)`. Coefficients that do not sum up
    /// to 0 feel that as a linear term.
    pub fn less(mut self, of: impl Fn(usize) -> f64, constant: f64) -> Self {
        self.constant = constant;
        self.taken_off = self.samples.iter().map(|&sample| of(sample)).collect();
        let total = self.total();
        for (variable, u) in self.problem.variables.iter_mut().zip(&self.taken_off) {
            variable.linear += total * u;
        }
        self
    }

    /// What all coefficients sum up to.
    fn total(&self) -> f64 {
        if self.task == Task::OneClass { self.sums[0] } else { 0.0 }
    }

    /// How many samples there are, each counted once.
    pub fn distinct(&self) -> usize {
        if self.task == Task::NuSvr { self.samples.len() / 2 } else { self.samples.len() }
    }

    /// The coefficient of each sample.
    pub fn folded(&self, solution: &Solution) -> Vec<f64> {
        let beta = |v: usize| solution.variables[v].beta;
        let n = self.distinct();
        (0..n)
            .map(|i| if self.samples.len() > n { beta(i) + beta(i + n) } else { beta(i) })
            .collect()
    }

    /// A number for each variable, given one for each sample.
    pub fn unfolded(&self, mut f: Vec<f64>) -> Vec<f64> {
        let n = self.distinct();
        if self.samples.len() > n {
            f.extend_from_within(..n);
        }
        f
    }

    /// Brings the sums of groups to what they must be: as in LIBSVM, from the first sample on where something is missing.
    fn started(mut self) -> Self {
        for (g, &sum) in self.sums.iter().enumerate() {
            let own = |(_, group): &(&mut Variable, &u8)| usize::from(**group) == g;
            let Problem { variables, group, .. } = &mut self.problem;
            let now: f64 = variables
                .iter()
                .zip(&*group)
                .filter(|(_, group)| usize::from(**group) == g)
                .map(|(v, _)| v.beta.abs())
                .sum();
            let scale = if now > sum { sum / now } else { 1.0 };
            let mut missing = sum - now * scale;
            for (variable, _) in variables.iter_mut().zip(&*group).filter(own) {
                let sign = if variable.upper > 0.0 { 1.0 } else { -1.0 };
                let most = variable.upper - variable.lower;
                let size = variable.beta.abs() * scale;
                let more = missing.min(most - size).max(0.0);
                variable.beta = sign * (size + more);
                missing -= more;
            }
        }
        self
    }

    /// The columns of all variables, where samples have more than one.
    pub fn repeated<'a>(
        &self,
        columns: &'a dyn Columns<f64>,
    ) -> Option<Box<dyn Columns<f64> + 'a>> {
        let n = self.distinct();
        let sample_of = || (0..self.samples.len()).map(|v| v % n).collect::<Vec<_>>();
        (self.samples.len() > n).then(|| columns.restrict(&sample_of()))
    }

    /// What a solution means.
    pub fn finish(self, settled: Settled) -> DualSolution {
        let beta = self.folded(&settled.solution);
        let Settled { solution, assessment, rounding, certified, precision } = settled;
        let (total, n) = (self.total(), beta.len());
        let off = |i: usize| self.taken_off.get(i).copied().unwrap_or(0.0);
        let (units, stop) = self.units(&assessment, rounding, solution.info.stop);
        let working_offset =
            -assessment.balance.iter().sum::<f64>() / assessment.balance.len() as f64;
        // Around their mean, because coefficients that sum up to 0 do so but for rounding.
        let mean = (0..n).map(off).sum::<f64>() / n as f64;
        let around: f64 = beta.iter().enumerate().map(|(i, b)| b * (off(i) - mean)).sum();
        let common = around + total * (mean + self.constant);
        let slopes = solution.f[..n].iter();
        let decisions =
            slopes.clone().enumerate().map(|(i, f)| (f + total * off(i) + working_offset) / units);
        // Of a sample that has two variables, one is 0.
        let bounded = |v: usize| solution.variables.get(v).is_some_and(|v| v.is_bounded());
        let is_bounded = |i: usize| beta[i] != 0.0 && (bounded(i) || bounded(i + n));
        let tube = (self.task == Task::NuSvr)
            .then(|| 0.5 * (assessment.balance[1] - assessment.balance[0]).max(0.0));
        let report = ProblemReport {
            iterations: solution.info.iterations,
            objective: (assessment.objective + 0.5 * total * total * self.constant)
                / (units * units),
            gap: assessment.gap.map(|gap| gap / (units * units)),
            violation: assessment.violation,
            rounding,
            rows: n,
            certified_rows: certified,
            precision: precision.into(),
            support: beta.iter().filter(|b| **b != 0.0).count(),
            bounded: (0..n).filter(|&i| is_bounded(i)).count(),
            stop,
        };
        DualSolution {
            decisions: decisions.collect(),
            slopes: slopes.map(|f| f / units).collect(),
            working_offset: working_offset / units,
            offset: (working_offset - common) / units,
            units,
            tube,
            report,
            rounds: solution.info.rounds,
            asked: solution.info.asked,
            hits: solution.info.hits,
            beta: beta.iter().map(|b| b / units).collect(),
            samples: self.samples[..n].to_vec(),
        }
    }

    /// The margin, where it is found together with the function.
    pub fn margin(&self, balance: &[f64]) -> Option<f64> {
        (self.task == Task::NuSvc).then(|| 0.5 * (balance[0] - balance[1]))
    }

    /// What a unit of decisions is, and how the solver ended: of `NuSvc`, whose margin is found together with the function, the
    /// margin. Where there is none, and where a solver was stopped before it came to one, decisions stay as they are.
    fn units(&self, assessment: &Assessment, rounding: Option<f64>, stop: Stop) -> (f64, Stop) {
        let Some(margin) = self.margin(&assessment.balance) else { return (1.0, stop) };
        let noise = assessment.violation.max(rounding.unwrap_or(0.0));
        match stop {
            Stop::Converged | Stop::Stalled if margin <= noise => (1.0, Stop::NoMargin),
            _ if margin > 0.0 => (margin, stop),
            _ => (1.0, stop),
        }
    }
}

/// A coefficient between 0 and `most`, with a sign.
fn one_sided(sign: f64, most: f64, linear: f64) -> Variable {
    let (lower, upper) = if sign > 0.0 { (0.0, most) } else { (-most, 0.0) };
    Variable { beta: 0.0, lower, upper, linear, kink: 0.0 }
}
