//! Stage two: from a band to a tridiagonal matrix, by chasing bulges.
//!
//! Sweep s annihilates column s below the subdiagonal with a reflector on the `WIDTH` rows from s + 1 on. Applied from
//! both sides it fills a block below the band, whose first column the next reflector annihilates, on the next
//! `WIDTH` rows, and so on down to the end. Step (s, k) applies reflector k of sweep s to its diagonal block and to the
//! block below, and makes reflector k + 1 there; it needs step (s − 1, k + 1) and no later one of an earlier sweep.
//!
//! So sweeps may follow each other at a distance of two steps. A team of `TEAM` sweeps goes down together in one
//! thread, to use each piece of the band several times while it is in the cache; another thread may follow with the
//! next team. The order of operations on any number is fixed, so the result does not depend on the threads.
//!
//! Reflector k of sweep s is kept in row s of the dense matrix, in the columns of its rows: the upper triangle, which is
//! free, holds them all.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::WIDTH;
use super::reflector::{Block, Reflector, STRIDE, annihilate, both_sides, chase};
use crate::context::Context;
use crate::error::Result;
use crate::linalg::shared::Shared;
use crate::linalg::view::Mat;

/// Sweeps that go down together.
const TEAM: usize = 4;

/// The tridiagonal matrix and the scales of the reflectors that led to it.
pub(super) struct Tridiagonal {
    /// n entries.
    pub(super) diagonal: Vec<f64>,
    /// n entries, the last one zero.
    pub(super) below: Vec<f64>,
    /// τ of reflector k of sweep s at s · `steps(n)` + k.
    pub(super) scales: Vec<f64>,
}

/// The most reflectors that a sweep has.
pub(super) fn steps(n: usize) -> usize {
    n.saturating_sub(1).div_ceil(WIDTH)
}

/// Reflectors of sweep `s`.
fn length(n: usize, s: usize) -> usize {
    (n - s - 1).div_ceil(WIDTH)
}

/// Reduces the band of `a` (see [`super::band`]) to a tridiagonal matrix; the reflectors go to the upper triangle of `a`.
pub(super) fn reduce(
    ctx: &Context,
    a: &mut Mat<f64>,
    done: &(dyn Fn(f64) -> Result<()> + Sync),
) -> Result<Tridiagonal> {
    let n = a.rows();
    let mut band = copy_band(a);
    let mut scales = vec![0.0; n * steps(n)];
    let chase = Chase {
        n,
        band: Shared::new(&mut band),
        upper: Shared::new(a.data_mut()),
        scales: Shared::new(&mut scales),
        progress: (0..n.saturating_sub(2).div_ceil(TEAM)).map(|_| AtomicUsize::new(0)).collect(),
        next: AtomicUsize::new(0),
        stop: AtomicBool::new(false),
    };
    let results = rayon::broadcast(|_| chase.work(ctx, done));
    results.into_iter().collect::<Result<()>>()?;
    let entry = |i: usize, j: usize| band[8 + j * STRIDE + i];
    Ok(Tridiagonal {
        diagonal: (0..n).map(|i| entry(i, i)).collect(),
        below: (0..n).map(|i| if i + 1 < n { entry(i + 1, i) } else { 0.0 }).collect(),
        scales,
    })
}

/// The band with columns side by side, entry (i, j) at 8 + j·STRIDE + i, and zeros for as many rows and columns beyond
/// the last that every block is whole.
fn copy_band(a: &Mat<f64>) -> Vec<f64> {
    let n = a.rows();
    let mut band = vec![0.0; 8 + (n + 2 * WIDTH) * (STRIDE + 1)];
    for (i, row) in a.data().chunks_exact(n).enumerate() {
        for j in i.saturating_sub(WIDTH)..=i {
            band[8 + j * STRIDE + i] = row[j];
        }
    }
    band
}

struct Chase<'a> {
    n: usize,
    band: Shared<'a, f64>,
    upper: Shared<'a, f64>,
    scales: Shared<'a, f64>,
    /// Beats that each team has done; `usize::MAX` when it is through.
    progress: Vec<AtomicUsize>,
    next: AtomicUsize,
    stop: AtomicBool,
}

/// Stops the other tasks if this one panics, in the monitor say: they would wait for its team for ever.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

impl Chase<'_> {
    /// Takes one team after another until none is left. Teams are taken in order, so the earliest unfinished one is
    /// always at work and never waits: no number of threads can lock up.
    fn work(&self, ctx: &Context, done: &dyn Fn(f64) -> Result<()>) -> Result<()> {
        let _guard = StopOnPanic(&self.stop);
        loop {
            let team = self.next.fetch_add(1, Ordering::Relaxed);
            if team >= self.progress.len() || self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            let left = 1.0 - (team * TEAM) as f64 / self.n as f64;
            if let Err(error) = ctx.poll().and_then(|()| done(1.0 - left * left)) {
                self.stop.store(true, Ordering::Relaxed);
                return Err(error);
            }
            self.descend(team);
        }
    }

    /// Runs the sweeps of a team; in beat t, its sweep r does step t − 2r.
    fn descend(&self, team: usize) {
        let first = team * TEAM;
        let sweeps = TEAM.min(self.n - 2 - first);
        let mut current = [Reflector { v: [0.0; WIDTH], tau: 0.0 }; TEAM];
        let beats = (0..sweeps).map(|r| length(self.n, first + r) + 2 * r).max().unwrap_or(0);
        for beat in 0..beats {
            if !self.wait(team, beat + 2 * TEAM) {
                break;
            }
            for r in 0..sweeps.min(beat / 2 + 1) {
                if beat - 2 * r < length(self.n, first + r) {
                    self.step(first + r, beat - 2 * r, &mut current[r]);
                }
            }
            self.progress[team].store(beat + 1, Ordering::Release);
        }
        self.progress[team].store(usize::MAX, Ordering::Release);
    }

    /// Waits until the team before has done `beats` beats; false if the work is to be given up.
    fn wait(&self, team: usize, beats: usize) -> bool {
        let Some(before) = team.checked_sub(1) else {
            return true;
        };
        let mut turns = 0u32;
        while self.progress[before].load(Ordering::Acquire) < beats {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            turns += 1;
            if turns < 1000 { std::hint::spin_loop() } else { std::thread::yield_now() }
        }
        true
    }

    /// Step (s, k), with reflector k in `current`, which becomes reflector k + 1.
    fn step(&self, s: usize, k: usize, current: &mut Reflector) {
        let top = s + 1 + k * WIDTH;
        let corner = |i: usize, j: usize, size: usize| {
            // SAFETY: step (s, k) starts only when step (s − 1, k + 1) is done, and later steps of earlier sweeps lie in columns to
            // the right of this one's blocks: no other task uses the numbers now. `part` checks that they lie within the band.
            unsafe { self.band.part(8 + j * STRIDE + i, size) }
        };
        let whole = (WIDTH - 1) * STRIDE + WIDTH;
        if k == 0 {
            // SAFETY: `corner` checked that the WIDTH numbers of column s lie within the band, and no other task uses them now.
            *current = unsafe { annihilate(corner(top, s, WIDTH)) };
            self.keep(s, 0, current);
        }
        // SAFETY: `corner` checked that the block lies within the band, and no other task uses it now; the band starts with eight
        // numbers, so that those before the first column are there.
        both_sides::<f64>(unsafe { Block::new(corner(top, top, whole)) }, current);
        if top + WIDTH < self.n {
            let h = *current;
            // SAFETY: as for the diagonal block.
            chase::<f64>(unsafe { Block::new(corner(top + WIDTH, top, whole)) }, &h, current);
            self.keep(s, k + 1, current);
        }
    }

    /// Stores reflector k of sweep s for the way back.
    fn keep(&self, s: usize, k: usize, reflector: &Reflector) {
        let top = s + 1 + k * WIDTH;
        let count = WIDTH.min(self.n - top);
        // SAFETY: each reflector has its own place in the upper triangle and among the scales, so that no other task writes there,
        // and nothing is read before all tasks have ended.
        unsafe {
            let place = self.upper.part(s * self.n + top, count);
            std::ptr::copy_nonoverlapping(reflector.v.as_ptr(), place, count);
            *self.scales.part(s * steps(self.n) + k, 1) = reflector.tau;
        }
    }
}
