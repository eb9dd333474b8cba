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
//!     if W is lost in rounding: Q ← a random block orthogonal to the basis
//! ```
//!
//! Where A vanishes on such a random block, it vanishes outside of the basis: every vector there is an eigenvector of
//! eigenvalue 0, and no further products are needed.
//!
//! How many pairs are wanted may depend on those found so far: the search then goes on with the same basis.
//!
//! The pass over the matrix is all the cost that counts, so the method is chosen for the fewest passes: all earlier
//! blocks stay in the basis, and a restart keeps the best of them. Residuals come from R at no cost, and since the basis is
//! orthonormal to rounding they are true residuals.

mod state;

use crate::context::{Context, Step, Stream};
use crate::error::{Error, Result};
use crate::gram::Operator;
use crate::linalg::block::Block;
use crate::linalg::skinny::WIDTH;
use crate::linalg::view::Mat;
use state::State;

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

/// Beyond so many blocks, the basis is looked at after every second block, beyond twice as many after every third.
const LOOK_EVERY: usize = 24;

const WHAT: &str = "the Krylov solver";
const HINT: &str = "request fewer components, fit on fewer rows, or raise the memory budget";

/// Blocks that the basis may hold before a restart: room for the wanted pairs and as much again for convergence.
fn capacity(count: usize, n: usize) -> usize {
    let wanted = count.div_ceil(WIDTH);
    (2 * wanted + 20).min(n.div_ceil(WIDTH) + 1)
}

/// Blocks up to which the projected matrix is too small to count: it and its eigenpairs take 5 MiB.
const SMALL: u64 = 25;

/// Bytes that the solver takes beside the operator: the basis, and the projected matrix with its eigenpairs.
pub fn workspace_bytes(n: usize, count: usize) -> u64 {
    let capacity = capacity(count, n) as u64;
    let blocks = capacity + 4 + count.div_ceil(WIDTH) as u64;
    let projected = ((capacity + 1).pow(2)).saturating_sub(SMALL.pow(2)) * (WIDTH * WIDTH) as u64;
    (blocks * n as u64 * WIDTH as u64 + 4 * projected) * 8
}

/// The `count` algebraically largest eigenpairs of `a`, from `start` or a random block.
pub fn largest(
    ctx: &Context,
    a: &dyn Operator,
    params: &Params,
    start: Option<Start>,
) -> Result<(Pairs, Info)> {
    growing(ctx, a, params, start, &mut |_| Ok(None))
}

/// As [`largest`], but whenever the pairs wanted have converged `more` is asked, given all their eigenvalues, how many are
/// wanted instead; `None` ends the search.
pub fn growing(
    ctx: &Context,
    a: &dyn Operator,
    params: &Params,
    start: Option<Start>,
    more: &mut dyn FnMut(&[f64]) -> Result<Option<usize>>,
) -> Result<(Pairs, Info)> {
    let n = a.n();
    assert!(0 < params.count && params.count <= n, "between 1 and n eigenpairs");
    let mut reservation = ctx.reserve(WHAT, workspace_bytes(n, params.count), HINT)?;
    let mut search = Search::new(n, params, start)?;
    let mut allowed = params.max_passes;
    loop {
        let Some(found) = search.advance(ctx, a)? else { continue };
        if !(found.converged || (search.passes >= allowed && found.enough)) {
            search.prepare(&found)?;
            continue;
        }
        let wanted = match found.converged {
            true => more(&found.ritz.values[..search.count])?,
            false => None,
        };
        match wanted {
            Some(count) if count > search.count => {
                let count = count.min(n);
                let more = workspace_bytes(n, count).saturating_sub(reservation.bytes());
                reservation.extend(WHAT, more, HINT)?;
                search.want(count);
                allowed = search.passes + params.max_passes;
                search.prepare(&found)?;
            }
            _ => return Ok(search.finish(&found)),
        }
    }
}

/// The basis so far, and what it is for.
struct Search {
    count: usize,
    tolerance: f64,
    capacity: usize,
    state: State,
    stream: Stream,
    passes: usize,
    /// The product with the next block, where it is known already.
    known: Option<Block>,
    /// Whether the next block is a random one.
    fresh: bool,
    /// Whether the matrix vanishes outside of the basis.
    complete: bool,
    progress: Progress,
}

/// What one pass has found.
struct Found {
    ritz: state::Ritz,
    residual: f64,
    enough: bool,
    exhausted: bool,
    converged: bool,
}

impl Search {
    fn new(n: usize, params: &Params, start: Option<Start>) -> Result<Self> {
        let mut stream = Stream::new(params.seed, "krylov start");
        let (next, known) = match start {
            Some(start) => (start.block, Some(start.product)),
            None => {
                let mut block = Block::normal(n, WIDTH.min(n), &mut stream);
                block.orthonormalize()?;
                (block, None)
            }
        };
        let capacity = capacity(params.count, n);
        Ok(Self {
            count: params.count,
            tolerance: params.tolerance,
            capacity,
            state: State::new(next, capacity),
            stream,
            passes: 0,
            known,
            fresh: false,
            complete: false,
            progress: Progress::new(params.tolerance),
        })
    }

    /// Takes the next block into the basis: one pass over the matrix. What the basis then holds is looked at less and less
    /// often as it grows, for that costs the cube of its size.
    fn advance(&mut self, ctx: &Context, a: &dyn Operator) -> Result<Option<Found>> {
        let mut product = self.product(ctx, a)?;
        let r = self.state.extend(&mut product)?;
        let exhausted = r.as_flattened().iter().all(|&v| v == 0.0);
        let blocks = self.state.blocks();
        let due = blocks.is_multiple_of(1 + blocks / LOOK_EVERY) || blocks >= self.capacity;
        if !(due || exhausted) {
            return Ok(None);
        }
        let ritz = self.state.ritz(ctx)?;
        let residual = ritz.residual(&r, self.count);
        ctx.step(self.progress.step(self.passes, residual))?;
        let enough = ritz.values.len() >= self.count;
        let converged = enough && residual.is_finite() && (residual <= self.tolerance || exhausted);
        Ok(Some(Found { ritz, residual, enough, exhausted, converged }))
    }

    fn product(&mut self, ctx: &Context, a: &dyn Operator) -> Result<Block> {
        let mut product = Block::zeros(a.n());
        self.passes += usize::from(!self.complete);
        match self.known.take() {
            Some(known) => product = known,
            None if self.complete => {}
            None => a.apply(ctx, self.state.next(), &mut product)?,
        }
        let size = product.largest_length();
        if !size.is_finite() {
            let message = "the matrix has values that are not finite, or so large that their sums overflow: scale \
                           the data down";
            return Err(Error::Numeric(message.into()));
        }
        self.complete |= self.fresh && size <= self.state.floor();
        self.fresh = false;
        Ok(product)
    }

    /// Makes room, and finds a block to go on with.
    fn prepare(&mut self, found: &Found) -> Result<()> {
        if self.state.blocks() >= self.capacity {
            self.state.restart(&found.ritz, self.count);
        }
        if found.exhausted {
            self.state.refill(&mut self.stream)?;
            self.fresh = true;
        }
        Ok(())
    }

    fn want(&mut self, count: usize) {
        self.count = count;
        self.capacity = capacity(count, self.state.next().len());
        self.state.make_room(self.capacity);
    }

    fn finish(&self, found: &Found) -> (Pairs, Info) {
        let smallest = found.ritz.values.last().copied().unwrap_or(0.0);
        let (residual, converged) = (found.residual, found.converged);
        let info = Info { passes: self.passes, residual, converged, smallest };
        (self.state.pairs(&found.ritz, self.count), info)
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
