//! The largest eigenpairs of a symmetric operator that can only be multiplied with.
//!
//! Given A (n × n, symmetric) and k, find η_1 ≥ … ≥ η_k and orthonormal v_1 … v_k with ‖A v_i − η_i v_i‖ ≤ tol · ‖A‖.
//!
//! Block Krylov with full orthogonalisation and thick restarts:
//!
//! ```text
//! Q ← orthonormal random block; basis ← []
//! repeat
//!     append Q to the basis                          n × m, orthonormal
//!     W ← A Q                                        one pass over the matrix
//!     H ← basisᵀ A basis                             grows by one block column: basisᵀ W
//!     W ← W − basis (basisᵀ W), twice; Q R ← W       the next block, and what couples it to the basis
//!     (θ, S) ← eigenpairs of H                       Ritz values; the residual of pair i is ‖R · S_last,i‖
//!     stop when the first k residuals are small
//!     if the basis is full: basis ← basis · S_keep, H ← diag(θ_keep)
//! ```
//!
//! The pass over the matrix is all the cost that counts, so the method is chosen for the fewest passes: all earlier
//! blocks stay in the basis, and a restart keeps the best of them. Residuals come from R at no cost, and since the basis is
//! orthonormal to rounding they are true residuals.

use crate::context::{Context, Step, Stream};
use crate::error::Result;
use crate::gram::Operator;
use crate::linalg::block::{Block, Small, combine, product};
use crate::linalg::eigen;
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;

/// What to compute and how well.
#[derive(Clone, Debug)]
pub struct Params {
    /// Eigenpairs wanted, 1 ≤ count ≤ n.
    pub count: usize,
    /// Residuals ‖A v − η v‖ / ‖A‖ to reach.
    pub tolerance: f64,
    /// Passes over the matrix at most.
    pub max_passes: usize,
    /// Seed of the starting block.
    pub seed: u64,
}

/// An orthonormal block to begin with and its product with the matrix, where the caller has both already.
#[derive(Clone, Debug)]
pub struct Start {
    /// n × 16; columns are orthonormal or zero.
    pub block: Block,
    /// The matrix times the block.
    pub product: Block,
}

/// A random block to begin with: orthonormal columns that sum to 0, the last one zero.
pub fn centred_start(n: usize, seed: u64) -> Result<Block> {
    let columns = (WIDTH - 1).min(n.saturating_sub(1));
    let mut block = Block::normal(n, columns, &mut Stream::new(seed, "krylov start"));
    block.centre();
    block.orthonormalize()?;
    Ok(block)
}

/// How it went.
#[derive(Clone, Debug)]
pub struct Info {
    /// Passes over the matrix.
    pub passes: usize,
    /// The largest residual ‖A v − η v‖ / ‖A‖ of the returned pairs.
    pub residual: f64,
    /// Whether every residual reached the tolerance.
    pub converged: bool,
    /// The smallest Ritz value, which no eigenvalue at the low end exceeds.
    pub smallest: f64,
}

/// Eigenpairs, eigenvalues descending.
#[derive(Clone, Debug)]
pub struct Pairs {
    /// The eigenvalues, descending.
    pub values: Vec<f64>,
    /// Row i is the unit eigenvector of `values[i]`: count × n.
    pub vectors: Mat<f64>,
}

/// The basis, the projected matrix and the block to multiply next.
struct State {
    basis: Vec<Block>,
    /// Columns of the basis that are not zero.
    active: Vec<usize>,
    /// basisᵀ A basis, with room for a block more.
    projected: Mat<f64>,
    next: Block,
}

/// Blocks that the basis may hold before a restart: room for the wanted pairs and as much again for convergence.
fn capacity(count: usize, n: usize) -> usize {
    let wanted = count.div_ceil(WIDTH);
    (2 * wanted + 20).min(n.div_ceil(WIDTH) + 1)
}

/// Bytes that the solver takes beside the operator.
pub fn workspace_bytes(n: usize, count: usize) -> u64 {
    let blocks = capacity(count, n) as u64 + 4 + count.div_ceil(WIDTH) as u64;
    blocks * n as u64 * WIDTH as u64 * 8
}

/// The `count` algebraically largest eigenpairs of `a`, from `start` or a random block.
pub fn largest(
    ctx: &Context,
    a: &dyn Operator,
    params: &Params,
    start: Option<Start>,
) -> Result<(Pairs, Info)> {
    let n = a.n();
    assert!(0 < params.count && params.count <= n, "between 1 and n eigenpairs");
    let capacity = capacity(params.count, n);
    let hint = "ask for fewer components, fit on fewer rows, or raise the budget";
    let _held = ctx.reserve("the Krylov solver", workspace_bytes(n, params.count), hint)?;
    let mut stream = Stream::new(params.seed, "krylov start");
    let (next, mut known) = match start {
        Some(start) => (start.block, Some(start.product)),
        None => {
            let mut block = Block::normal(n, WIDTH.min(n), &mut stream);
            block.orthonormalize()?;
            (block, None)
        }
    };
    let size = (capacity + 1) * WIDTH;
    let mut state =
        State { basis: Vec::new(), active: Vec::new(), projected: Mat::zeros(size, size), next };
    let mut product = Block::zeros(n);
    let mut progress = Progress::new(params.tolerance);
    for passes in 1.. {
        match known.take() {
            Some(first) => product = first,
            None => a.apply(ctx, &state.next, &mut product)?,
        }
        let (r, dropped) = state.extend(&mut product)?;
        let ritz = state.ritz()?;
        let norm = ritz.values.iter().fold(0.0_f64, |m, v| m.max(v.abs()));
        let residual = ritz.residual(&r, dropped, params.count, norm);
        ctx.step(progress.step(passes, residual))?;
        let exhausted = state.exhausted(&r);
        let enough = ritz.values.len() >= params.count;
        let converged = enough && (residual <= params.tolerance || exhausted);
        if converged || (passes >= params.max_passes && enough) {
            let smallest = ritz.values.last().copied().unwrap_or(0.0);
            let info = Info { passes, residual, converged, smallest };
            return Ok((state.pairs(&ritz, params.count), info));
        }
        if exhausted {
            state.refill(&mut stream)?;
        } else if state.basis.len() >= capacity {
            state.restart(&ritz, params.count);
        }
    }
    unreachable!("the loop ends by a return")
}

impl State {
    /// Takes `next` into the basis, given `w` = A · next; leaves in `next` the part of `w` outside of the basis, made
    /// orthonormal, and returns its factor and the size of what rounding made useless.
    fn extend(&mut self, w: &mut Block) -> Result<(Small, f64)> {
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
        self.next.lanes_mut().copy_from_slice(w.lanes());
        let (r, dropped) = self.next.orthonormalize()?;
        // Rounding in the division by a small R lets the basis back in; one more round takes it out.
        for m in 0..=last {
            let part = self.basis[m].inner(&self.next);
            self.next.add_product(&self.basis[m], &part.map(|row| row.map(|v| -v)));
        }
        let (again, _) = self.next.orthonormalize()?;
        Ok((product(&again, &r), dropped))
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

    /// Nothing is left outside of the basis: it is invariant.
    fn exhausted(&self, r: &Small) -> bool {
        r.as_flattened().iter().all(|&v| v == 0.0)
    }

    fn ritz(&self) -> Result<Ritz> {
        let active = &self.active;
        let m = active.len();
        // The lower triangle is read; both halves hold the same numbers up to the order of two roundings.
        let h = Mat::from_fn(m, m, |i, j| self.projected[(active[i], active[j])]);
        let eigen = eigen::small(&h)?;
        let mut vectors = Mat::zeros(self.basis.len() * WIDTH, m);
        for (i, &row) in active.iter().enumerate() {
            for j in 0..m {
                vectors[(row, j)] = eigen.vectors[(j, i)];
            }
        }
        Ok(Ritz { values: eigen.values, vectors })
    }

    /// Starts a new direction when the basis is invariant but too small.
    fn refill(&mut self, stream: &mut Stream) -> Result<()> {
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
    fn restart(&mut self, ritz: &Ritz, count: usize) {
        let keep = (count.div_ceil(WIDTH) + 2).min(self.basis.len() - 1);
        let kept = (0..keep).map(|m| combine(&self.basis, &ritz.vectors, m * WIDTH)).collect();
        self.basis = kept;
        self.active = (0..(keep * WIDTH).min(ritz.values.len())).collect();
        self.projected.data_mut().fill(0.0);
        for &i in &self.active {
            self.projected[(i, i)] = ritz.values[i];
        }
    }

    fn pairs(&self, ritz: &Ritz, count: usize) -> Pairs {
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

/// Eigenpairs of the projected matrix; column j of `vectors` belongs to value j.
struct Ritz {
    values: Vec<f64>,
    vectors: Mat<f64>,
}

impl Ritz {
    /// The largest relative residual of the first `count` pairs: ‖R · s‖ with the last block's part s of the vector.
    fn residual(&self, r: &Small, dropped: f64, count: usize, norm: f64) -> f64 {
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
            let lost = dropped * part.iter().map(|v| v * v).sum::<f64>().sqrt();
            worst = worst.max(coupled.sqrt() + lost);
        }
        worst / norm
    }
}

/// Estimates what remains from the rate at which the residual falls.
struct Progress {
    tolerance: f64,
    first: Option<f64>,
}

impl Progress {
    fn new(tolerance: f64) -> Self {
        Self { tolerance, first: None }
    }

    fn step(&mut self, passes: usize, residual: f64) -> Step {
        let first = *self.first.get_or_insert(residual.max(self.tolerance));
        let digits_wanted = (first / self.tolerance).log10().max(1.0);
        let digits_won = (first / residual.max(self.tolerance)).log10().max(0.0);
        let rate = (digits_won / passes as f64).max(digits_wanted / 60.0);
        let total = passes as f64 + (digits_wanted - digits_won) / rate;
        Step::converging("eigenvectors", passes as f64, total, residual)
    }
}
