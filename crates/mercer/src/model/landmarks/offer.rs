//! What landmarks would do where an exact fit cannot be made in the memory that is left, or takes very long.

use super::capacity::{Eligible, Fit, eligible, most_that_fit};
use crate::context::{Context, Step};
use crate::error::{Error, Result};
use crate::model::input::Input;
use crate::model::note::{Note, NoteCode};

/// Fits that are estimated to take longer get a note.
const LONG: f64 = 3600.0;
/// Seconds for a kernel value on one thread, and for each feature of it.
const SECONDS: (f64, f64) = (2e-9, 5e-11);
/// Kernel values that a thread reads from memory in a second.
const READ: f64 = 1e9;
/// Fewer landmarks are not worth offering.
const FEWEST: usize = 10;

/// The error of an exact fit on samples: a refusal for memory names the number of landmarks that fits, of fits with t targets that take `needed` bytes.
pub(in crate::model) fn offer(
    ctx: &Context,
    error: Error,
    (x, t): (Eligible, usize),
    needed: &dyn Fn(&Fit) -> u64,
) -> Error {
    match error {
        Error::Memory { what, needed: bytes, set_by, budget, used, hint } => {
            let most = most_that_fit(ctx.budget(), x, t, needed);
            let hint = match most >= FEWEST {
                true => format!("{hint}, or approximate the matrix with at most {most} landmarks")
                    .into(),
                false => hint,
            };
            Error::Memory { what, needed: bytes, set_by, budget, used, hint }
        }
        other => other,
    }
}

/// A note on an exact fit that takes longer than an hour, as estimated from its size, which is reported before the work begins. The matrix is read or
/// computed some `passes` times.
pub(in crate::model) fn slow(
    ctx: &Context,
    input: &Input<'_>,
    passes: usize,
    needed: &dyn Fn(&Fit) -> u64,
) -> Result<Option<Note>> {
    let Input::Samples(x) = input else { return Ok(None) };
    if seconds(x.n(), x.features(), passes, ctx.threads(), |bytes| bytes <= ctx.budget()) <= LONG {
        return Ok(None);
    }
    let Some(text) = text(ctx, (eligible(input), x.features()), passes, needed) else {
        return Ok(None);
    };
    ctx.step(Step { message: Some(text.clone()), ..Step::new("planning", 0.0, 1.0) })?;
    Ok(Some(Note::new(NoteCode::Landmarks, text)))
}

fn text(
    ctx: &Context,
    (x, d): (Eligible, usize),
    passes: usize,
    needed: &dyn Fn(&Fit) -> u64,
) -> Option<String> {
    let n = x.n;
    let seconds = seconds(n, d, passes, ctx.threads(), |bytes| bytes <= ctx.budget());
    let most = most_that_fit(ctx.budget(), x, 1, needed);
    (seconds > LONG && most >= FEWEST).then(|| {
        let hours = seconds / 3600.0;
        format!(
            "an exact fit of {n} rows is estimated to take {hours:.0} hours or more: a fit on landmarks takes a fraction of that, and {most} landmarks fit in memory"
        )
    })
}

fn seconds(n: usize, d: usize, passes: usize, threads: usize, fits: impl Fn(u64) -> bool) -> f64 {
    let (n, passes) = (n as f64, passes as f64);
    let values = n * n / 2.0;
    let computed = values * (SECONDS.0 + SECONDS.1 * d as f64);
    let one = match fits((8.0 * values) as u64) {
        _ if passes == 0.0 => 0.0,
        true => computed + passes * values / READ,
        false => passes * computed,
    };
    one / threads as f64
}

#[cfg(test)]
mod tests {
    use super::super::capacity::either_bytes;
    use super::*;

    #[test]
    fn long_fits_are_announced_with_the_landmarks_that_fit() {
        let ctx = Context::new(2).with_budget(1 << 30);
        let rows = |n| (Eligible { n, row_bytes: 168 }, 20);
        let needed = &either_bytes;
        assert_eq!(text(&ctx, rows(100_000), 20, needed), None);
        let found = text(&ctx, rows(1_000_000), 20, needed).unwrap();
        assert!(found.contains("1000000 rows") && found.contains("hours"), "{found}");
        let most: usize = found.split(' ').rev().nth(4).unwrap().parse().unwrap();
        assert!((1000..=5000).contains(&most), "{found}");
        let small = Context::new(2).with_budget(1 << 10);
        assert_eq!(text(&small, rows(1_000_000), 20, needed), None);
    }

    #[test]
    fn a_refusal_for_memory_names_the_landmarks_that_fit() {
        let ctx = Context::new(1).with_budget(50 << 20);
        let error = Error::memory("the solver", 1 << 40, 50 << 20, "fit on fewer rows");
        let x = Eligible { n: 1_000_000, row_bytes: 168 };
        let found = offer(&ctx, error, (x, 1), &either_bytes).to_string();
        assert!(found.contains("fit on fewer rows, or approximate the matrix with at most "));
        let other = offer(&ctx, Error::Interrupted, (x, 1), &either_bytes);
        assert_eq!(other.to_string(), "interrupted");
    }
}
