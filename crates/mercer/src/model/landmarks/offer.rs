//! What landmarks would do where an exact fit cannot be made in the memory that is left, or takes very long.

use super::basis::{MOST, most_that_fit};
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

/// The samples that landmarks could be chosen among: none of a matrix that was computed before.
pub(in crate::model) fn eligible(input: &Input<'_>) -> usize {
    if let Input::Samples(x) = input { x.n() } else { 0 }
}

/// The error of an exact fit on n samples: a refusal for memory names the number of landmarks that fits.
pub(in crate::model) fn offer(ctx: &Context, error: Error, n: usize) -> Error {
    match error {
        Error::Memory { what, needed, set_by, budget, used, hint } => {
            let most = most_that_fit(ctx.budget(), n.min(MOST));
            let hint = match most >= FEWEST {
                true => format!("{hint}, or approximate the matrix with at most {most} landmarks")
                    .into(),
                false => hint,
            };
            Error::Memory { what, needed, set_by, budget, used, hint }
        }
        other => other,
    }
}

/// A note on an exact fit that takes longer than an hour, as far as can be told from its size, which is reported before the work begins. The matrix is read or
/// computed some `passes` times.
pub(in crate::model) fn slow(
    ctx: &Context,
    input: &Input<'_>,
    passes: usize,
) -> Result<Option<Note>> {
    let Input::Samples(x) = input else { return Ok(None) };
    let Some(text) = text(ctx, (x.n(), x.features()), passes) else { return Ok(None) };
    ctx.step(Step { message: Some(text.clone()), ..Step::new("planning", 0.0, 1.0) })?;
    Ok(Some(Note::new(NoteCode::Landmarks, text)))
}

fn text(ctx: &Context, (n, d): (usize, usize), passes: usize) -> Option<String> {
    let seconds = seconds(n, d, passes, ctx.threads(), |bytes| bytes <= ctx.budget());
    let most = most_that_fit(ctx.budget(), n.min(MOST));
    (seconds > LONG && most >= FEWEST).then(|| {
        let hours = seconds / 3600.0;
        format!(
            "an exact fit of {n} rows is estimated to take {hours:.0} hours or more: a fit on landmarks takes a small part of that, and \
             {most} of them fit in memory"
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
    use super::*;

    #[test]
    fn long_fits_are_announced_with_the_landmarks_that_fit() {
        let ctx = Context::new(2).with_budget(1 << 30);
        assert_eq!(text(&ctx, (100_000, 20), 20), None);
        let found = text(&ctx, (1_000_000, 20), 20).unwrap();
        assert!(found.contains("1000000 rows") && found.contains("hours"), "{found}");
        let most: usize = found.split(' ').rev().nth(5).unwrap().parse().unwrap();
        assert!((1000..=MOST).contains(&most), "{found}");
        assert_eq!(text(&Context::new(2).with_budget(1 << 10), (1_000_000, 20), 20), None);
    }

    #[test]
    fn a_refusal_for_memory_names_the_landmarks_that_fit() {
        let ctx = Context::new(1).with_budget(50 << 20);
        let error = Error::memory("the solver", 1 << 40, 50 << 20, "fit on fewer rows");
        let found = offer(&ctx, error, 1_000_000).to_string();
        assert!(found.contains("fit on fewer rows, or approximate the matrix with at most "));
        let other = offer(&ctx, Error::Interrupted, 10);
        assert_eq!(other.to_string(), "interrupted");
    }
}
