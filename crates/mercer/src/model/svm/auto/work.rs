//! What machines of each kind take for all rows: by the counts of the small machines, and by constants that were measured.

use super::ModeEstimate;
use super::pilot::{Pilot, Pilots};
use crate::model::svm::fit::CACHE;
use crate::model::svm::{SvmParams, Task};
use crate::points::Cost;
use crate::solve::smo::MemoryPlan;

/// Units of work for a kernel value, beside those for the numbers that it is computed from, and for each of these.
const VALUE: f64 = 0.7;
const NUMBER: f64 = 0.04;
/// For each number of a step of the exact solver, and rows that it works on at a time.
const STEP: f64 = 0.25;
const WORKING: f64 = 2048.0;
/// For a feature of a row: its kernel value and the sweeps over it; for each product of its triangular solve; for each number of a step.
const FEATURE: f64 = 6.0;
const PRODUCT: f64 = 0.001;
const DESCENT: f64 = 0.3;
/// How many times features are computed that do not fit in memory.
const AGAIN: f64 = 6.0;
/// For a kernel value of a cell, with the steps on it.
const IN_CELL: f64 = 1.3;
/// Rows of neighbours that cells learn from beside, and cells for each that is full.
const WITH_OTHERS: f64 = 1.25;
const DIVIDED: f64 = 1.6;
/// Within how many standard errors, and within which share of its loss, a small machine is as good as the exact one.
const ERRORS: f64 = 1.0;
const SHARE: f64 = 0.1;
/// By how many rows a one-class machine may differ.
const DIFFERENT: f64 = 0.02;
/// Bytes for each row beside features.
const EACH: u64 = 256;

/// The sizes of the whole fit.
pub(super) struct Size {
    pub n: usize,
    pub cost: Cost,
    pub budget: u64,
    /// For the bytes that are reported, which do not enter the choice.
    pub threads: usize,
}

/// Estimates for the whole fit.
pub(super) struct Work<'a> {
    size: Size,
    params: &'a SvmParams,
    pilots: &'a Pilots,
    /// Units of work for a kernel value.
    value: f64,
    /// All rows for each of the small machines.
    times: f64,
}

/// An exponent of growth, from what two sizes took whose rows differ by a factor of two.
fn growth(half: f64, whole: f64, (least, most): (f64, f64)) -> f64 {
    if half <= 0.0 { most } else { (whole / half).log2().clamp(least, most) }
}

impl<'a> Work<'a> {
    pub fn new(size: Size, params: &'a SvmParams, pilots: &'a Pilots) -> Self {
        let value = VALUE + NUMBER * size.cost.eval_cost as f64;
        let times = size.n as f64 / pilots.rows as f64;
        Self { size, params, pilots, value, times }
    }

    /// Units of an exact fit with so many values and steps.
    fn of_exact(&self, values: f64, steps: f64, rows: f64) -> f64 {
        self.value * values + STEP * steps * WORKING.min(rows)
    }

    fn of_landmarks(&self, rows: f64, m: f64, steps: f64) -> f64 {
        rows * m * (FEATURE + PRODUCT * m + self.value) + DESCENT * steps * m
    }

    fn of_cells(&self, rows: f64, size: f64) -> f64 {
        let routed = 2.0 * rows * (DIVIDED * rows / size) * self.value;
        routed + IN_CELL * self.value * rows * size * WITH_OTHERS * WITH_OTHERS
    }

    /// Seconds for a unit, as kernel values take them here.
    fn seconds(&self) -> f64 {
        (self.pilots.value / self.value).clamp(0.2e-9, 2e-8)
    }

    fn estimate(&self, mode: String, work: f64, bytes: u64, pilot: &Pilot) -> ModeEstimate {
        let (loss, exact) = (pilot.loss, self.pilots.exact.loss);
        let error = (exact * (1.0 - exact)).max(0.0) / self.pilots.held_out.max(1) as f64;
        let most = match self.params.task {
            Task::OneClass => DIFFERENT,
            _ => exact + (ERRORS * error.sqrt()).max(SHARE * exact),
        };
        let seconds = work * self.seconds();
        ModeEstimate { mode, work, seconds, bytes, loss, is_accurate: loss <= most }
    }

    pub fn exact(&self, mode: &str) -> ModeEstimate {
        let Pilots { exact, half, .. } = self.pilots;
        // Values are columns times rows: columns grow less than rows, and the less, the more rows there are.
        let values = exact.values * self.times.powf(growth(half.values, exact.values, (1.3, 1.85)));
        let steps = exact.steps * self.times.powf(growth(half.steps, exact.steps, (0.5, 1.3)));
        let work = self.of_exact(values, steps, self.size.n as f64);
        let cache = self.params.cache.unwrap_or(CACHE).min(self.size.budget);
        let plan =
            MemoryPlan::within::<f32>(self.size.budget, self.size.n, 1, self.size.cost, cache);
        self.estimate(mode.into(), work, plan.bytes, exact)
    }

    pub fn landmarks(&self, mode: String, m: usize) -> ModeEstimate {
        let pilot = &self.pilots.landmarks;
        let (n, features) = (self.size.n as f64, 4 * (self.size.n * m) as u64);
        // Steps are those of rows near the margin: they grow with the rows.
        let steps = pilot.steps * self.times;
        let mut work = self.of_landmarks(n, m as f64, steps);
        let beside = EACH * self.size.n as u64 + 16 * (m * m) as u64;
        if features + beside > self.size.budget {
            work *= AGAIN;
        }
        let bytes = (features + beside).min(self.size.budget);
        self.estimate(mode, work, bytes, pilot)
    }

    pub fn cells(&self, mode: String, rows: usize) -> ModeEstimate {
        let pilot = self.pilots.cells.as_ref().unwrap_or(&self.pilots.exact);
        let largest = (WITH_OTHERS * rows as f64) as usize;
        let one = MemoryPlan::wanted::<f64>(largest, self.size.cost);
        let bytes = (one * self.size.threads as u64).min(self.size.budget);
        self.estimate(mode, self.of_cells(self.size.n as f64, rows as f64), bytes, pilot)
    }
}
