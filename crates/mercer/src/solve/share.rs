//! The largest eigenpairs of a Gram matrix that together reach a share of its trace.
//!
//! How many those are is not known beforehand. Products find some, then more, and go on from what they have; before each
//! step the fewest that can suffice are worked out, and whether those fit the memory budget.

use super::eigen::{
    Params, Solver, Spectrum, by_products, few_pays, full, resolve, workspace_bytes,
};
use super::krylov;
use crate::context::Context;
use crate::error::Result;
use crate::gram::Gram;

/// Eigenpairs to begin with.
pub const FIRST: usize = 32;

/// The largest eigenpairs that together reach `share` of `trace`, at least one.
pub fn share(
    ctx: &Context,
    gram: &dyn Gram,
    share: f64,
    trace: f64,
    params: &Params,
) -> Result<Spectrum> {
    let search = Search { ctx, n: gram.n(), goal: share * trace, params, free: ctx.budget() };
    let first = FIRST.min(search.n);
    if resolve(search.n, first, params.solver) == Solver::Full {
        return search.decompose(gram, first);
    }
    let count = match &params.start {
        Some(start) => first.max(search.fewest_by_norm(start)),
        None => first,
    };
    if search.should_decompose(count) {
        return search.decompose(gram, search.n);
    }
    search.afford(count)?;
    let spectrum = by_products(ctx, gram, count, params, &mut |values| search.more(values))?;
    match search.reached_by(&spectrum.values) {
        None if spectrum.converged && search.should_decompose(search.fewest(&spectrum.values)) => {
            search.decompose(gram, search.n)
        }
        _ => Ok(search.cut(spectrum)),
    }
}

struct Search<'a> {
    ctx: &'a Context,
    n: usize,
    /// The sum of eigenvalues to reach.
    goal: f64,
    params: &'a Params,
    /// Bytes that were left of the budget before the search.
    free: u64,
}

impl Search<'_> {
    /// How many of the eigenvalues reach the goal.
    fn reached_by(&self, values: &[f64]) -> Option<usize> {
        let mut sum = 0.0;
        let last = values.iter().position(|value| {
            sum += value.max(0.0);
            sum >= self.goal
        });
        last.map(|last| last + 1)
    }

    /// Only the pairs that are needed.
    fn cut(&self, mut spectrum: Spectrum) -> Spectrum {
        if let Some(count) = self.reached_by(&spectrum.values) {
            spectrum.truncate(count);
        }
        spectrum
    }

    /// The pairs needed by decomposition: `first` of them, where those alone can be had, else all.
    fn decompose(&self, gram: &dyn Gram, first: usize) -> Result<Spectrum> {
        let count = if few_pays(self.n, first) { first } else { self.n };
        let spectrum = full(self.ctx, gram, count)?;
        if count == self.n || self.reached_by(&spectrum.values).is_some() {
            return Ok(self.cut(spectrum));
        }
        Ok(self.cut(full(self.ctx, gram, self.n)?))
    }

    /// How many pairs to look for, given the largest eigenvalues; `None` if these are enough, or if all eigenvalues had
    /// better be had by decomposition.
    fn more(&self, values: &[f64]) -> Result<Option<usize>> {
        let smallest = values.last().copied().unwrap_or(0.0);
        if self.reached_by(values).is_some() || values.len() == self.n || smallest <= 0.0 {
            return Ok(None);
        }
        let fewest = self.fewest(values);
        if self.should_decompose(fewest) {
            return Ok(None);
        }
        self.afford(fewest)?;
        let twice = (2 * values.len()).min(self.n);
        Ok(Some(if self.bytes(twice) <= self.free { fewest.max(twice) } else { fewest }))
    }

    /// The fewest pairs that can reach the goal, for no further eigenvalue exceeds the last of these.
    fn fewest(&self, values: &[f64]) -> usize {
        let sum: f64 = values.iter().map(|value| value.max(0.0)).sum();
        let smallest = values.last().copied().unwrap_or(0.0);
        let more = ((self.goal - sum) / smallest).ceil();
        if more >= 0.0 { (values.len() as f64 + more).min(self.n as f64) as usize } else { self.n }
    }

    /// A number of pairs that cannot reach the goal, from the first product alone: the sum of m eigenvalues is at most
    /// √m·‖K‖_F, and of a random orthonormal block Q of c columns ‖KQ‖²_F is c/n·‖K‖²_F on average. A quarter allows for
    /// chance.
    fn fewest_by_norm(&self, start: &krylov::Start) -> usize {
        let squares = |lengths: [f64; 16]| lengths.iter().map(|l| l * l).sum::<f64>();
        let columns = squares(start.block.lengths());
        let norm = squares(start.product.lengths()) * self.n as f64 / columns;
        let fewest = (0.25 * self.goal * self.goal / norm).floor();
        if fewest >= 1.0 { (fewest.min(self.n as f64)) as usize } else { 1 }
    }

    /// Whether so many pairs cost more by products than all by decomposition, which fits the budget.
    fn should_decompose(&self, count: usize) -> bool {
        resolve(self.n, count, self.params.solver) == Solver::Full
            && workspace_bytes(self.n, self.n, Solver::Full) <= self.free
    }

    fn bytes(&self, count: usize) -> u64 {
        krylov::workspace_bytes(self.n, count)
    }

    /// Refuses a search for at least `count` pairs where they do not fit the budget.
    fn afford(&self, count: usize) -> Result<()> {
        let hint = "request a smaller fraction or a number of components, fit on fewer rows, or raise the memory budget";
        // What the search holds already, it keeps.
        let held = self.free.saturating_sub(self.ctx.budget());
        let more = self.bytes(count).saturating_sub(held);
        self.ctx.need("the decomposition for this fraction of the variance", more, hint)
    }
}
