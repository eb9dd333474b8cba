//! The basis of a Krylov search and the matrix projected onto it.

use super::Pairs;
use crate::context::{Context, Stream};
use crate::error::Result;
use crate::linalg::block::{Block, Small, combine, product};
use crate::linalg::eigen;
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;

/// What is left of a product outside of the basis counts as rounding error below this share of the largest product.
const FLOOR: f64 = 1e-14;

/// The basis, the projected matrix and the block to multiply next.
pub(super) struct State {
    basis: Vec<Block>,
    /// Columns of the basis that are not zero.
    active: Vec<usize>,
    /// basisᵀ A basis, with room for a block more.
    projected: Mat<f64>,
    next: Block,
    /// The length of the longest column of a product so far: at most ‖A‖.
    size: f64,
    /// The length of the longest column of all that was dropped from products: what A · basis has outside of the span of
    /// the basis and of `next`.
    dropped: f64,
}

impl State {
    /// An empty basis with room for `capacity` blocks and one more.
    pub(super) fn new(next: Block, capacity: usize) -> Self {
        let room = (capacity + 1) * WIDTH;
        let projected = Mat::zeros(room, room);
        Self { basis: Vec::new(), active: Vec::new(), projected, next, size: 0.0, dropped: 0.0 }
    }

    /// Makes room for `capacity` blocks and one more.
    pub(super) fn make_room(&mut self, capacity: usize) {
        let (held, room) = (self.projected.rows(), (capacity + 1) * WIDTH);
        if room > held {
            let value = |i: usize, j: usize| self.projected[(i, j)];
            self.projected =
                Mat::from_fn(
                    room,
                    room,
                    |i, j| if i < held && j < held { value(i, j) } else { 0.0 },
                );
        }
    }

    /// The block to multiply next.
    pub(super) fn next(&self) -> &Block {
        &self.next
    }

    /// Blocks in the basis.
    pub(super) fn blocks(&self) -> usize {
        self.basis.len()
    }

    /// Below this length a column of a product is rounding error.
    pub(super) fn floor(&self) -> f64 {
        FLOOR * self.size
    }

    /// Takes `next` into the basis, given `w` = A · next; leaves in `next` the part of `w` outside of the basis, made
    /// orthonormal, and returns its factor.
    pub(super) fn extend(&mut self, w: &mut Block) -> Result<Small> {
        self.size = self.size.max(w.largest_length());
        self.basis.push(std::mem::replace(&mut self.next, Block::zeros(w.len())));
        let last = self.basis.len() - 1;
        self.active.extend(active_columns(&self.basis[last]).map(|c| last * WIDTH + c));
        for round in 0..2 {
            for m in 0..=last {
                let part = self.basis[m].inner(w);
                w.add_product(&self.basis[m], &part.map(|row| row.map(|v| -v)));
                self.project(m, last, &part, round > 0);
            }
        }
        self.dropped = self.dropped.max(w.clear_short(self.floor()));
        self.next.lanes_mut().copy_from_slice(w.lanes());
        let (r, dropped) = self.next.orthonormalize()?;
        // Rounding in the division by a small R lets the basis back in.
        self.leave_basis();
        let (again, _) = self.next.orthonormalize()?;
        match dropped > 0.0 {
            false => Ok(product(&again, &r)),
            true => self.take_dropped(w),
        }
    }

    /// Takes out of `next` what rounding let back in of the basis.
    fn leave_basis(&mut self) {
        for block in &self.basis {
            let part = block.inner(&self.next);
            self.next.add_product(block, &part.map(|row| row.map(|v| -v)));
        }
    }

    /// Where directions of `w` were dropped, they are short beside the others but not beside rounding errors: the Gram
    /// matrix of `w` squares lengths. What is left of `w` outside of `next` has them at their full length, and takes the
    /// places of the columns of `next` that became zero.
    fn take_dropped(&mut self, w: &Block) -> Result<Small> {
        let mut rest = self.outside(w);
        rest.clear_short(self.floor());
        rest.orthonormalize()?;
        let free: Vec<usize> = not_active(&self.next);
        let found: Vec<usize> = active_columns(&rest).take(free.len()).collect();
        for (lane, add) in self.next.lanes_mut().iter_mut().zip(rest.lanes()) {
            free.iter().zip(&found).for_each(|(&to, &from)| lane[to] = add[from]);
        }
        self.leave_basis();
        self.next.orthonormalize()?;
        self.dropped = self.dropped.max(self.outside(w).largest_length());
        Ok(self.next.inner(w))
    }

    /// The part of `w` that is orthogonal to `next`.
    fn outside(&self, w: &Block) -> Block {
        let mut rest = w.clone();
        for _ in 0..2 {
            let part = self.next.inner(&rest);
            rest.add_product(&self.next, &part.map(|row| row.map(|v| -v)));
        }
        rest
    }

    /// Writes block (m, last) of the projected matrix and its mirror image.
    fn project(&mut self, m: usize, last: usize, part: &Small, onto: bool) {
        for i in 0..WIDTH {
            for j in 0..WIDTH {
                let (row, col) = (m * WIDTH + i, last * WIDTH + j);
                let value = if onto { self.projected[(row, col)] + part[i][j] } else { part[i][j] };
                self.projected[(row, col)] = value;
                self.projected[(col, row)] = value;
            }
        }
    }

    /// Eigenpairs of the projected matrix.
    pub(super) fn ritz(&self, ctx: &Context) -> Result<Ritz> {
        let active = &self.active;
        let m = active.len();
        // The lower triangle is read; both halves hold the same numbers up to the order of two roundings.
        let h = Mat::from_fn(m, m, |i, j| self.projected[(active[i], active[j])]);
        let eigen = eigen::symmetric(&ctx.without_steps(), h)?;
        let mut vectors = Mat::zeros(self.basis.len() * WIDTH, m);
        for (i, &row) in active.iter().enumerate() {
            for j in 0..m {
                vectors[(row, j)] = eigen.vectors[(j, i)];
            }
        }
        Ok(Ritz { values: eigen.values, vectors, dropped: self.dropped })
    }

    /// Starts a new direction when the basis is invariant but too small.
    pub(super) fn refill(&mut self, stream: &mut Stream) -> Result<()> {
        let n = self.next.len();
        let free = n - self.active.len();
        self.next = Block::normal(n, WIDTH.min(free), stream);
        for _ in 0..2 {
            for block in &self.basis {
                let part = block.inner(&self.next);
                self.next.add_product(block, &part.map(|row| row.map(|v| -v)));
            }
            self.next.orthonormalize()?;
        }
        Ok(())
    }

    /// Keeps the best Ritz vectors only.
    pub(super) fn restart(&mut self, ritz: &Ritz, count: usize) {
        // No more than there are: a basis of low rank has fewer vectors than its blocks have columns.
        let there = ritz.values.len().div_ceil(WIDTH);
        let keep = (count.div_ceil(WIDTH) + 2).min(self.basis.len() - 1).min(there);
        let kept = (0..keep).map(|m| combine(&self.basis, &ritz.vectors, m * WIDTH)).collect();
        self.basis = kept;
        self.active = (0..(keep * WIDTH).min(ritz.values.len())).collect();
        self.projected.data_mut().fill(0.0);
        for &i in &self.active {
            self.projected[(i, i)] = ritz.values[i];
        }
    }

    /// The first `count` Ritz pairs.
    pub(super) fn pairs(&self, ritz: &Ritz, count: usize) -> Pairs {
        let n = self.next.len();
        let mut vectors = Mat::zeros(count, n);
        for from in (0..count).step_by(WIDTH) {
            let block = combine(&self.basis, &ritz.vectors, from);
            for c in 0..WIDTH.min(count - from) {
                let row = vectors.row_mut(from + c);
                for (value, lane) in row.iter_mut().zip(block.lanes()) {
                    *value = lane[c];
                }
            }
        }
        Pairs { values: ritz.values[..count].to_vec(), vectors }
    }
}

/// The columns of an orthonormal block that are not zero.
fn active_columns(block: &Block) -> impl Iterator<Item = usize> {
    let gram = block.inner(block);
    (0..WIDTH).filter(move |&c| gram[c][c] > 0.5)
}

/// Those that are zero.
fn not_active(block: &Block) -> Vec<usize> {
    let active: Vec<usize> = active_columns(block).collect();
    (0..WIDTH).filter(|c| !active.contains(c)).collect()
}

/// Eigenpairs of the projected matrix; column j of `vectors` belongs to value j.
pub(super) struct Ritz {
    /// Descending.
    pub(super) values: Vec<f64>,
    vectors: Mat<f64>,
    dropped: f64,
}

impl Ritz {
    /// The largest relative residual of the first `count` pairs: ‖R · s‖ with the last block's part s of the vector, and
    /// what was dropped from any block.
    pub(super) fn residual(&self, r: &Small, count: usize) -> f64 {
        let norm = self.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        if norm == 0.0 {
            return 0.0;
        }
        let last = self.vectors.rows() - WIDTH;
        let mut worst: f64 = 0.0;
        for j in 0..count.min(self.values.len()) {
            let part: [f64; WIDTH] = std::array::from_fn(|i| self.vectors[(last + i, j)]);
            let coupled: f64 = r
                .iter()
                .map(|row| row.iter().zip(&part).map(|(a, b)| a * b).sum::<f64>().powi(2))
                .sum();
            worst = worst.max(coupled.sqrt());
        }
        (worst + self.dropped) / norm
    }
}
