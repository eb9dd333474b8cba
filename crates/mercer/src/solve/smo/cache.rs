//! Kernel columns that were computed once and may be needed again, and the sums over them.

use rayon::prelude::*;

use crate::context::{Context, try_pieces};
use crate::error::Result;
use crate::gram::{ColumnBlock, Columns};
use crate::kernel::Tile;
use crate::linalg::pairs::{add_columns, add_rows, turn};
use crate::real::Real;

/// Rows that are worked on at a time: so many that preparing the columns does not show, and in enough pieces for many threads.
const ROWS: std::ops::RangeInclusive<usize> = 128..=1024;
const PIECES: usize = 64;
/// Columns that are computed at a time: with so many rows, a tile that stays in the second-level cache.
const COLS: usize = 64;
/// Columns whose memory is taken at once.
const SLAB: usize = 64;

/// Rows of a piece of so many.
fn rows_of_piece(rows: usize) -> usize {
    (rows / PIECES).next_multiple_of(*ROWS.start()).clamp(*ROWS.start(), *ROWS.end())
}

/// A change of one coefficient.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Whose.
    pub column: usize,
    /// By how much.
    pub by: f64,
}

/// Memory for columns, cut by rows so that threads can work on their own rows.
pub struct Cache<S> {
    /// Rows of a piece.
    height: usize,
    capacity: usize,
    slot_of: Vec<u32>,
    owner: Vec<u32>,
    used: Vec<u64>,
    clock: u64,
    parts: Vec<Vec<Vec<S>>>, // by rows, then by slab: SLAB × height numbers
    spare: Vec<Vec<S>>,
    /// Columns asked for.
    pub asked: u64,
    /// Columns that were here.
    pub hits: u64,
}

const NOWHERE: u32 = u32::MAX;

impl<S: Real> Cache<S> {
    /// A cache without room.
    pub fn new() -> Self {
        Self {
            height: *ROWS.end(),
            capacity: 0,
            slot_of: Vec::new(),
            owner: Vec::new(),
            used: Vec::new(),
            clock: 0,
            parts: Vec::new(),
            spare: Vec::new(),
            asked: 0,
            hits: 0,
        }
    }

    /// At most `bytes` for columns. Forgets all columns; from now on they have `rows` numbers. Memory is kept for reuse.
    pub fn restart(&mut self, rows: usize, bytes: u64) {
        self.spare.extend(self.parts.drain(..).flatten());
        let height = rows_of_piece(rows);
        if height != self.height {
            self.spare.clear();
        }
        self.height = height;
        self.parts = vec![Vec::new(); rows.div_ceil(height)];
        let column = (rows.next_multiple_of(height) * size_of::<S>()) as u64;
        // Memory is taken a slab at a time.
        let slabs = usize::try_from(bytes / (column * SLAB as u64).max(1)).unwrap_or(usize::MAX);
        self.capacity = slabs.saturating_mul(SLAB).min(rows);
        self.slot_of = vec![NOWHERE; rows];
        self.owner.clear();
        self.used.clear();
    }

    /// `f += Σ by · column`.
    pub fn apply(
        &mut self,
        ctx: &Context,
        source: &dyn Columns<S>,
        changes: &[Change],
        f: &mut [f64],
    ) -> Result<()> {
        self.clock += 1;
        self.asked += changes.len() as u64;
        let (here, absent): (Vec<Change>, Vec<Change>) =
            changes.iter().partition(|change| self.slot_of[change.column] != NOWHERE);
        self.hits += here.len() as u64;
        let slots: Vec<usize> = here.iter().map(|c| self.slot_of[c.column] as usize).collect();
        let steps: Vec<f64> = here.iter().map(|c| c.by).collect();
        slots.iter().for_each(|&slot| self.used[slot] = self.clock);
        let places: Vec<u32> = absent.iter().map(|c| self.place(c.column)).collect();
        let new = NewColumns::new(source, &absent);
        let height = self.height;
        self.parts.par_iter_mut().zip(f.par_chunks_mut(height)).enumerate().try_for_each(
            |(part, (slabs, f))| {
                let lines: Vec<&[S]> =
                    slots.iter().map(|&slot| &line(slabs, slot, height)[..f.len()]).collect();
                add_columns(f, &lines, &steps);
                new.add(ctx, part * height, f, |cols, tile| {
                    keep(slabs, &places[cols], tile, height)
                })
            },
        )
    }

    /// A slot for a new column: an unused one, or that of the column that was used longest ago; none if there is no room.
    fn place(&mut self, column: usize) -> u32 {
        let slot = if self.owner.len() < self.capacity {
            if self.owner.len().is_multiple_of(SLAB) {
                for part in &mut self.parts {
                    part.push(
                        self.spare.pop().unwrap_or_else(|| vec![S::ZERO; SLAB * self.height]),
                    );
                }
            }
            self.owner.push(NOWHERE);
            self.used.push(0);
            self.owner.len() - 1
        } else {
            let oldest = (0..self.used.len()).min_by_key(|&slot| self.used[slot]);
            match oldest.filter(|&slot| self.used[slot] < self.clock) {
                None => return NOWHERE,
                Some(slot) => {
                    self.slot_of[self.owner[slot] as usize] = NOWHERE;
                    slot
                }
            }
        };
        self.owner[slot] = column as u32;
        self.used[slot] = self.clock;
        self.slot_of[column] = slot as u32;
        slot as u32
    }
}

fn line<S>(slabs: &[Vec<S>], slot: usize, height: usize) -> &[S] {
    &slabs[slot / SLAB][slot % SLAB * height..][..height]
}

/// Stores the columns of a tile that have a place.
fn keep<S: Real>(slabs: &mut [Vec<S>], places: &[u32], tile: &[S], height: usize) {
    let rows = tile.len() / COLS;
    if places.iter().all(|&place| place == NOWHERE) {
        return;
    }
    let mut unwanted: Vec<Vec<S>> = Vec::new();
    unwanted.resize_with(places.iter().filter(|&&p| p == NOWHERE).count(), || vec![S::ZERO; rows]);
    let mut unwanted = unwanted.iter_mut();
    // Lines of all slabs by place, so that each can be lent out once.
    let mut wanted: Vec<(u32, usize)> = places.iter().copied().zip(0..).collect();
    wanted.sort_unstable();
    let mut by_column: Vec<Option<&mut [S]>> = Vec::new();
    by_column.resize_with(places.len(), || None);
    let mut wanted = wanted.into_iter().peekable();
    for (s, slab) in slabs.iter_mut().enumerate() {
        for (l, line) in slab.chunks_exact_mut(height).enumerate() {
            if let Some((_, c)) = wanted.next_if(|&(place, _)| place as usize == s * SLAB + l) {
                by_column[c] = Some(&mut line[..rows]);
            }
        }
    }
    let mut lines: Vec<&mut [S]> = Vec::with_capacity(places.len());
    for line in by_column {
        match line {
            Some(line) => lines.push(line),
            None => lines.push(unwanted.next().expect("a line for each column without a place")),
        }
    }
    turn(tile, COLS, &mut lines);
}

/// Columns to compute, with the changes of their coefficients in blocks of [`COLS`].
struct NewColumns<'a, S> {
    block: Box<dyn ColumnBlock<S> + 'a>,
    count: usize,
    steps: Vec<f64>,
}

impl<'a, S: Real> NewColumns<'a, S> {
    fn new(source: &'a dyn Columns<S>, changes: &[Change]) -> Self {
        let which: Vec<usize> = changes.iter().map(|c| c.column).collect();
        let mut steps: Vec<f64> = changes.iter().map(|c| c.by).collect();
        steps.resize(steps.len().next_multiple_of(COLS), 0.0);
        Self { block: source.column_block(&which), count: which.len(), steps }
    }

    /// Computes the rows from `start` on, adds them to `f`, and shows each tile to `keep`.
    fn add(
        &self,
        ctx: &Context,
        start: usize,
        f: &mut [f64],
        mut keep: impl FnMut(std::ops::Range<usize>, &[S]),
    ) -> Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let rows = f.len();
        let mut values = vec![S::ZERO; COLS * rows];
        for from in (0..self.count).step_by(COLS) {
            ctx.poll()?;
            let cols = from..(from + COLS).min(self.count);
            if cols.len() < COLS {
                values.fill(S::ZERO);
            }
            let tile = Tile::new(&mut values, rows, cols.len(), COLS);
            self.block.fill(start..start + rows, cols.clone(), tile)?;
            add_rows(f, &values, &self.steps[from..from + COLS]);
            keep(cols, &values);
        }
        Ok(())
    }
}

/// `f += Σ by · column` without keeping columns.
pub fn apply_once<S: Real>(
    ctx: &Context,
    source: &dyn Columns<S>,
    changes: &[Change],
    f: &mut [f64],
) -> Result<()> {
    let new = NewColumns::new(source, changes);
    let height = rows_of_piece(f.len());
    try_pieces(f, height, &|part, f| new.add(ctx, part * height, f, |_, _| ()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::gram::Stored;
    use crate::linalg::view::Mat;

    #[test]
    fn whatever_the_room_sums_are_the_same() {
        let n = 10 * ROWS.start() + 100;
        let mut stream = Stream::new(4, "cache");
        let factor: Vec<f32> = (0..n).map(|_| stream.normal() as f32).collect();
        let matrix = Mat::from_fn(n, n, |i, j| factor[i] * factor[j]);
        let source = Stored::new(matrix.view());
        let ctx = Context::new(2);
        let column = (n.next_multiple_of(rows_of_piece(n)) * size_of::<f32>()) as u64;
        let mut results: Vec<Vec<f64>> = Vec::new();
        for (room, some_hits) in [(0, false), (70, true), (n as u64, true)] {
            let mut cache = Cache::<f32>::new();
            cache.restart(n, room * column);
            let mut f = vec![0.0; n];
            let mut stream = Stream::new(5, "changes");
            for _ in 0..12 {
                let which = stream.sample(90, 40);
                let changes: Vec<Change> =
                    which.into_iter().map(|c| Change { column: c, by: stream.normal() }).collect();
                cache.apply(&ctx, &source, &changes, &mut f).unwrap();
            }
            assert_eq!(cache.hits > 0, some_hits, "{room}");
            assert_eq!(cache.asked, 12 * 40);
            results.push(f);
        }
        for other in &results[1..] {
            assert!(results[0].iter().zip(other).all(|(a, b)| (a - b).abs() < 1e-9));
        }
    }
}
