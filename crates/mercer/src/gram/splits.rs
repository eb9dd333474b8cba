//! Quadratic forms xᵀKx of hundreds of vectors in one pass over the tiles of K: what permutation tests and the wild bootstrap need.
//!
//! Each vector has two values only, one for each side of a split of the samples, so that a bit stands for an entry. A tile is multiplied with
//! all vectors as a matrix while it is in the cache. K need not be stored for that.

use rayon::prelude::*;

use super::Gram;
use super::tiles::{TILE, Tiles, span};
use crate::context::{Context, Reservation, SharedProgress};
use crate::error::Result;
use crate::linalg::alloc;
use crate::linalg::block::Block;
use crate::linalg::product::{self, Onto};
use crate::linalg::skinny::{TileRef, WIDTH};
use crate::linalg::view::{MatMut, MatRef};
use crate::real::Real;

/// Vectors that a tile is multiplied with at a time.
const PANEL: usize = 192;
const HINT: &str = "use fewer permutations or rows, or raise the memory budget";

/// Splits of n samples in two groups. Split c is the vector whose entry is `high` for samples of its first group and `low` for the others.
#[derive(Clone, Debug)]
pub struct Splits {
    n: usize,
    count: usize,
    low: f64,
    high: f64,
    /// A bit for each split, 64 of them in a number, sample after sample.
    bits: Vec<u64>,
}

impl Splits {
    /// `count` splits of n samples with empty first groups.
    pub fn new(n: usize, count: usize, low: f64, high: f64) -> Result<Self> {
        let mut bits = alloc::with_capacity(n * count.div_ceil(64))?;
        bits.resize(n * count.div_ceil(64), 0);
        Ok(Self { n, count, low, high, bits })
    }

    /// Bytes that they take.
    pub fn bytes(n: usize, count: usize) -> u64 {
        (n as u64).saturating_mul(8 * count.div_ceil(64) as u64)
    }

    /// Bytes that their forms take at least, beside them and the matrix: a tile in both types, its products, and sums.
    pub fn product_bytes(n: usize, count: usize) -> u64 {
        let tile = TILE.min(n);
        8 * (2 * tile * tile + 3 * tile * PANEL + 2 * count) as u64
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Puts sample i in the first group of split c.
    pub fn put(&mut self, i: usize, c: usize) {
        assert!(i < self.n && c < self.count);
        let words = self.count.div_ceil(64);
        self.bits[i * words + c / 64] |= 1 << (c % 64);
    }

    /// Whether sample i is in the first group of split c.
    pub fn holds(&self, i: usize, c: usize) -> bool {
        let words = self.count.div_ceil(64);
        self.bits[i * words + c / 64] >> (c % 64) & 1 == 1
    }

    /// Entry i of vector c.
    pub fn value(&self, i: usize, c: usize) -> f64 {
        if self.holds(i, c) { self.high } else { self.low }
    }

    /// The two values of all vectors: outside of the first group, and in it.
    pub fn values(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Whether sample i is in the first groups of 64 splits, from split 64·word on.
    pub fn word(&self, i: usize, word: usize) -> u64 {
        self.bits[i * self.count.div_ceil(64) + word]
    }

    /// Writes the entries `rows` of the vectors `from..from + width`: rows.len() × width.
    fn fill(&self, rows: std::ops::Range<usize>, from: usize, width: usize, out: &mut [f64]) {
        assert!(from.is_multiple_of(64));
        for (i, line) in rows.zip(out.chunks_exact_mut(width)) {
            for (word, values) in line.chunks_mut(64).enumerate() {
                let bits = self.word(i, from / 64 + word);
                let entry = |c: usize| if bits >> c & 1 == 1 { self.high } else { self.low };
                values.iter_mut().enumerate().for_each(|(c, to)| *to = entry(c));
            }
        }
    }
}

/// The forms of all splits, by tiles. Sums of block rows are added up in their order.
pub(super) fn by_tiles<S: Tiles>(source: &S, ctx: &Context, splits: &Splits) -> Result<Vec<f64>> {
    let (n, blocks) = (source.size(), source.size().div_ceil(TILE));
    assert_eq!(n, splits.n);
    let (_reservation, at_once) = room(ctx, n, splits.count)?;
    let progress = SharedProgress::new("permutations", blocks * (blocks + 1) / 2);
    let block_row = |i: usize| {
        let mut work = Work::new(n);
        let mut forms = vec![0.0; splits.count];
        for j in 0..=i {
            ctx.poll()?;
            let tile = source.tile(i, j, &mut work.scratch)?;
            widen(tile, &mut work.tile);
            let (rows, cols) = (span(i, n), span(j, n));
            let tile = MatRef::new(&work.tile, rows.len(), cols.len(), cols.len());
            let factor = if i == j { 1.0 } else { 2.0 };
            for from in (0..splits.count).step_by(PANEL) {
                let width = PANEL.min(splits.count - from);
                splits.fill(cols.clone(), from, width, &mut work.right[..cols.len() * width]);
                let image = &mut work.image[..rows.len() * width];
                let right = MatRef::new(&work.right, cols.len(), width, width);
                let out = MatMut::new(image, rows.len(), width, width);
                product::multiply(tile, right, out, Onto::Nothing);
                splits.fill(rows.clone(), from, width, &mut work.left[..rows.len() * width]);
                add_products(
                    &work.left,
                    &work.image,
                    rows.len(),
                    factor,
                    &mut forms[from..from + width],
                );
            }
        }
        progress.add(ctx, i + 1)?;
        Ok(forms)
    };
    // The longest first, so that threads finish together.
    let rows: Vec<usize> = (0..blocks).rev().collect();
    let mut forms = vec![0.0; splits.count];
    for wave in rows.chunks(at_once) {
        let work = || wave.par_iter().map(|&i| block_row(i)).collect::<Result<Vec<Vec<f64>>>>();
        for part in ctx.install(work)? {
            forms.iter_mut().zip(part).for_each(|(sum, more)| *sum += more);
        }
    }
    Ok(forms)
}

/// Sets aside what block rows need, and says how many of them are worked on before their sums are added up: as many as there are where all threads have room.
fn room(ctx: &Context, n: usize, count: usize) -> Result<(Reservation, usize)> {
    let (what, blocks) = ("the products with all permutations", n.div_ceil(TILE));
    let each = Splits::product_bytes(n, count);
    let mut reservation = ctx.reserve(what, each, HINT)?;
    let threads = ctx.threads().min(blocks);
    let more = (1..threads).take_while(|_| reservation.extend(what, each, HINT).is_ok()).count();
    let sums = 8 * (blocks * count) as u64;
    let is_roomy = more + 1 == threads && reservation.extend(what, sums, HINT).is_ok();
    Ok((reservation, if is_roomy { blocks } else { more + 1 }))
}

/// What a task needs for its products.
struct Work<T> {
    scratch: Vec<T>,
    tile: Vec<f64>,
    left: Vec<f64>,
    right: Vec<f64>,
    image: Vec<f64>,
}

impl<T> Work<T> {
    fn new(n: usize) -> Self {
        let panel = || vec![0.0; TILE.min(n) * PANEL];
        Self {
            scratch: Vec::new(),
            tile: Vec::new(),
            left: panel(),
            right: panel(),
            image: panel(),
        }
    }
}

/// A tile in double precision without gaps.
fn widen<T: Real>(tile: TileRef<'_, T>, out: &mut Vec<f64>) {
    out.clear();
    for row in 0..tile.rows {
        let line = &tile.data[row * tile.stride..][..tile.cols];
        out.extend(line.iter().map(|value| value.to_f64()));
    }
}

/// `forms += factor · Σ_rows left ∘ image`, column by column.
fn add_products(left: &[f64], image: &[f64], rows: usize, factor: f64, forms: &mut [f64]) {
    let width = forms.len();
    let mut sums = vec![0.0; width];
    for (a, b) in left.chunks_exact(width).zip(image.chunks_exact(width)).take(rows) {
        sums.iter_mut().zip(a.iter().zip(b)).for_each(|(sum, (a, b))| *sum += a * b);
    }
    forms.iter_mut().zip(&sums).for_each(|(form, sum)| *form += factor * sum);
}

/// The same for a matrix that only multiplies, sixteen vectors at a time.
pub(super) fn by_blocks<G: Gram + ?Sized>(
    gram: &G,
    ctx: &Context,
    splits: &Splits,
) -> Result<Vec<f64>> {
    let n = gram.n();
    let progress = SharedProgress::new("permutations", splits.count);
    let mut forms = Vec::with_capacity(splits.count);
    for from in (0..splits.count).step_by(WIDTH) {
        let width = WIDTH.min(splits.count - from);
        let entry = |i: usize, c: usize| if c < width { splits.value(i, from + c) } else { 0.0 };
        let v = Block::from_fn(n, entry);
        let mut image = Block::try_zeros(n)?;
        gram.apply(ctx, &v, &mut image)?;
        let pairs = || v.lanes().iter().zip(image.lanes());
        forms.extend((0..width).map(|c| pairs().map(|(a, b)| a[c] * b[c]).sum::<f64>()));
        progress.add(ctx, width)?;
    }
    Ok(forms)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;
    use crate::gram::{LowRank, Operator, Precomputed};
    use crate::linalg::view::Mat;

    fn random(n: usize, count: usize, seed: u64) -> Splits {
        let mut stream = Stream::new(seed, "splits");
        let mut splits = Splits::new(n, count, -0.25, 0.5).unwrap();
        for i in 0..n {
            (0..count).for_each(|c| {
                if stream.below(3) == 0 {
                    splits.put(i, c)
                }
            });
        }
        splits
    }

    #[test]
    fn forms_are_those_of_two_loops_on_any_storage_and_number_of_threads() {
        for (n, count) in [(1, 1), (7, 3), (TILE, 65), (2 * TILE + 40, PANEL + 9)] {
            let mut stream = Stream::new(3, "values");
            let factor = Mat::from_vec((0..n * 4).map(|_| stream.normal()).collect(), n, 4);
            let entry =
                |i: usize, j: usize| (0..4).map(|c| factor[(i, c)] * factor[(j, c)]).sum::<f64>();
            let matrix = Mat::from_fn(n, n, entry);
            let splits = random(n, count, 5);
            let naive = |c: usize| -> f64 {
                let line =
                    |i: usize| (0..n).map(|j| matrix[(i, j)] * splits.value(j, c)).sum::<f64>();
                (0..n).map(|i| splits.value(i, c) * line(i)).sum()
            };
            let gram = Precomputed::new(matrix.view()).unwrap();
            let found = gram.forms(&Context::new(1), &splits).unwrap();
            let scale: f64 = matrix.data().iter().map(|v| v.abs()).sum();
            for (c, form) in found.iter().enumerate() {
                assert!((form - naive(c)).abs() <= 1e-13 * scale, "{n} {c}: {form}");
            }
            assert_eq!(found, gram.forms(&Context::new(3), &splits).unwrap());
            let low_rank = LowRank::new(factor);
            assert_eq!(low_rank.n(), n);
            let others = low_rank.forms(&Context::new(2), &splits).unwrap();
            assert!(others.iter().zip(&found).all(|(a, b)| (a - b).abs() <= 1e-13 * scale));
        }
    }

    #[test]
    fn a_budget_is_kept() {
        let matrix = Mat::from_fn(40, 40, |i, j| if i == j { 1.0 } else { 0.0 });
        let gram = Precomputed::new(matrix.view()).unwrap();
        let ctx = Context::new(1).with_budget(10_000);
        let error = gram.forms(&ctx, &random(40, 100, 1)).unwrap_err();
        assert!(error.is_memory() && error.to_string().contains("fewer permutations"), "{error}");
    }
}
