//! The choice among an exact machine, one on landmarks, and cells.
//!
//! Small machines of each kind are fitted to a sample of the rows. They say how well each kind does on rows that it has not seen, and how the work grows with their
//! number. What is chosen depends on the samples, the parameters and the memory budget, and not on the clock: the same fit is the same at any time and
//! on any number of threads. Seconds are reported, but not used in the choice.

mod pilot;
mod work;

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::cells::CellParams;
use super::check::Checked;
use super::{Svm, SvmParams, Task};
use crate::context::{Context, Step};
use crate::error::{Error, Param, Result};
use crate::model::input::Input;
use crate::model::landmarks::{LandmarkCount, LandmarkParams};
use crate::model::targets::Targets;
use crate::points::{AnySamples, with_samples};
use pilot::Pilots;
use work::{Size, Work};

/// Landmarks, and the rows of cells, of the whole fit.
const LANDMARKS: usize = 1000;
const CELL: usize = 2000;
/// Units of work up to which an exact machine is fitted whatever the others take: some seconds.
const LITTLE: f64 = 5e9;
/// How many times less work an approximation must be.
const WORTH: f64 = 3.0;

/// What a kind of machine is expected to take, and how well a small one did.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModeEstimate {
    /// `exact`, or the parameter that asks for it, such as `landmarks=1000`.
    pub mode: String,
    /// Units of work: about as many nanoseconds on two cores.
    pub work: f64,
    /// Seconds on this machine, as estimated from the small SVMs.
    pub seconds: f64,
    /// Bytes of working storage.
    pub bytes: u64,
    /// The share of held-out rows that the small machine is wrong about; of regressions that of the variance that it does not explain, of one-class
    /// machines that of rows on which it differs from the exact one.
    pub loss: f64,
    /// Whether that is as good as the exact one, but for chance.
    pub is_accurate: bool,
}

/// How the kind of machine was chosen.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModeChoice {
    /// What was chosen.
    pub chosen: String,
    /// Why.
    pub reason: String,
    /// Rows that small machines were fitted to.
    pub rows: usize,
    /// Rows that they were held to.
    pub held_out: usize,
    /// All kinds that come into question; empty where the rows are few.
    pub modes: Vec<ModeEstimate>,
}

impl ModeChoice {
    /// In a line for each kind, and one for the choice.
    #[doc(hidden)]
    pub fn lines(&self) -> Vec<String> {
        let line = |mode: &ModeEstimate| {
            let word = if mode.is_accurate { "" } else { ": less accurate" };
            format!(
                "{}: about {}, {}, loss {:.2} % on a sample{word}",
                mode.mode,
                duration(mode.seconds),
                size(mode.bytes),
                100.0 * mode.loss
            )
        };
        let mut lines: Vec<String> = self.modes.iter().map(line).collect();
        lines.push(format!("{} is chosen: {}", self.chosen, self.reason));
        lines
    }
}

/// Two digits are more than an estimate has.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1.0 => "a second or less".into(),
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} minutes", s / 60.0),
        s => format!("{:.0} hours", s / 3600.0),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        b if b < 1 << 30 => format!("{:.0} MiB", b as f64 / f64::from(1 << 20)),
        b => format!("{:.1} GiB", b as f64 / f64::from(1 << 30)),
    }
}

impl Svm {
    /// The parameters that are chosen for a fit with `params`, which ask for a choice, and how they were.
    pub(super) fn chosen_mode(
        ctx: &Context,
        params: &SvmParams,
        input: &Input<'_>,
        targets: &Targets,
    ) -> Result<(SvmParams, ModeChoice)> {
        let x = samples(params, input)?;
        let started = Instant::now();
        let checked = Checked::new(params, targets, x.n())?;
        let spec = with_samples!(x, x => params.kernel.resolve(x))?;
        let plain = SvmParams { auto: false, kernel: spec, ..params.clone() };
        let n = checked.rows.len();
        let choice = match Pilots::new(ctx, &plain, x, &checked)? {
            None => few(n),
            Some(pilots) => decide(ctx, &plain, x, n, &pilots),
        };
        let text = choice.lines().join("; ");
        ctx.step(Step { message: Some(text), ..Step::new("estimates", 1.0, 1.0) })?;
        let left =
            params.max_seconds.map(|most| (most - started.elapsed().as_secs_f64()).max(1e-3));
        Ok((SvmParams { max_seconds: left, ..with_mode(&plain, &choice.chosen) }, choice))
    }
}

/// The samples of a fit whose kind is to be chosen.
fn samples<'a>(params: &SvmParams, input: &'a Input<'_>) -> Result<&'a AnySamples> {
    let wrong = |text: &'static str| Err(Error::parameter(Param::Approximation, text));
    if params.landmarks.is_some() || params.cells.is_some() {
        return wrong(
            "cannot be combined with landmarks or cells, which select an approximation already",
        );
    }
    match input {
        Input::Samples(x) => Ok(x),
        _ => wrong("not available with a precomputed kernel: give samples"),
    }
}

fn few(n: usize) -> ModeChoice {
    let reason = format!("{n} rows are too few for an approximation to pay");
    ModeChoice { chosen: EXACT.into(), reason, ..ModeChoice::default() }
}

const EXACT: &str = "exact";

/// The parameters of a kind by its name.
fn with_mode(params: &SvmParams, mode: &str) -> SvmParams {
    let count = |prefix: &str| mode.strip_prefix(prefix).and_then(|count| count.parse().ok());
    let landmarks = count("landmarks=").map(|m| LandmarkParams::new(LandmarkCount::Count(m)));
    let cells = count("cells=").map(CellParams::new);
    SvmParams { landmarks, cells, ..params.clone() }
}

/// Estimates all kinds, and chooses the one with the least work among those that are accurate; the exact one where that does not pay.
fn decide(
    ctx: &Context,
    params: &SvmParams,
    x: &AnySamples,
    n: usize,
    pilots: &Pilots,
) -> ModeChoice {
    let cost = with_samples!(x, x => crate::points::Points::cost(x));
    let size = Size { n, cost, budget: ctx.budget(), threads: ctx.threads() };
    let work = Work::new(size, params, pilots);
    let m = LANDMARKS.min(n / 10);
    let mut modes = vec![work.exact(EXACT), work.landmarks(format!("landmarks={m}"), m)];
    if params.task != Task::NuSvc {
        modes.push(work.cells(format!("cells={CELL}"), CELL));
    }
    let exact = modes[0].work;
    let of_least = |best: usize, i: usize| {
        let is_better = modes[i].is_accurate && modes[i].work < modes[best].work;
        if is_better { i } else { best }
    };
    let least = (1..modes.len()).fold(0, of_least);
    let others = modes[1..].iter().any(|mode| mode.is_accurate);
    let (chosen, reason) = match least {
        _ if exact <= LITTLE => (0, "it takes little time".into()),
        0 if others => (0, "it is expected to take the least time".into()),
        0 => (0, "approximations are less accurate on a sample of the rows".into()),
        i if exact < WORTH * modes[i].work => {
            (0, format!("{} would not take much less time", modes[i].mode))
        }
        i => (
            i,
            "on a sample of the rows it is as accurate as the exact fit, and it takes less time"
                .into(),
        ),
    };
    ModeChoice {
        chosen: modes[chosen].mode.clone(),
        reason,
        rows: pilots.rows,
        held_out: pilots.held_out,
        modes,
    }
}
