//! Few rows of a positive semidefinite matrix that stand for all: randomly pivoted Cholesky with rejection.
//!
//! Given K (n × n), find pivots S and F (n × |S|) with K ≈ F Fᵀ, the Nyström approximation of K from the columns S. Pivots are drawn with
//! probabilities proportional to the diagonal d of what is left, K − F Fᵀ, whose sum is the trace of the error, exactly.
//!
//! Drawing one pivot at a time would be slow. A block of proposals is drawn from the same d; within the block, a proposal is accepted with the share of
//! its d that the accepted ones before it leave, which gives the distribution of one at a time (Epperly, Tropp and Webber, 2024). The size of
//! blocks is fixed, so that the result depends on the seed alone.

use rayon::prelude::*;

use crate::context::{Context, Step, Stream};
use crate::error::{Error, Result};
use crate::gram::Gram;
use crate::linalg::cholesky;
use crate::linalg::product::{Onto, multiply};
use crate::linalg::view::{Mat, MatMut};

/// How many pivots, and how well.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    /// Pivots at most.
    pub most: usize,
    /// The share of the trace that may be left: pivots are added until no more is, or `most` are found.
    pub tolerance: f64,
    /// Seed of the random choices.
    pub seed: u64,
}

/// The pivots and the error that they leave.
#[derive(Clone, Debug)]
pub struct Info {
    /// Rows of the matrix, in the order in which they were chosen.
    pub pivots: Vec<usize>,
    /// The trace of the matrix.
    pub trace: f64,
    /// The share of the trace that is left after some numbers of pivots.
    pub curve: Vec<(usize, f64)>,
}

const WHAT: &str = "the choice of landmarks";
const HINT: &str = "use fewer landmarks or raise the memory budget";
/// Rows of F that one task computes.
const ROWS: usize = 512;

/// What is left of a diagonal entry is a rounding error if it is at most this share of it, for entries with relative errors `epsilon`.
pub fn lost_share(epsilon: f64) -> f64 {
    (30.0 * epsilon).max(1e-12)
}

/// Bytes that it takes beside the matrix for `most` pivots among n rows.
pub fn workspace_bytes(n: usize, most: usize) -> u64 {
    proposed_bytes(n, most).saturating_add(columns_bytes(n, most.min(n)))
}

/// Bytes of a block of proposals, as columns of K and of F, and of two diagonals.
fn proposed_bytes(n: usize, most: usize) -> u64 {
    columns_bytes(n, 2 * proposals(most.min(n)) + 2)
}

/// Bytes of so many columns.
fn columns_bytes(n: usize, count: usize) -> u64 {
    8u64.saturating_mul(n as u64).saturating_mul(count as u64)
}

/// Proposals of a block, for so many pivots in all.
fn proposals(most: usize) -> usize {
    (most / 10).clamp(8, 128)
}

/// Chooses pivots of `gram`, whose diagonal must not be negative.
pub fn pivoted_cholesky(ctx: &Context, gram: &dyn Gram, params: &Params) -> Result<Info> {
    // Columns are set aside as they are found: where a tolerance ends the search, they are few.
    let mut reservation = ctx.reserve(WHAT, proposed_bytes(gram.n(), params.most), HINT)?;
    let mut column = |count: usize| reservation.extend(WHAT, columns_bytes(gram.n(), count), HINT);
    Ok(choose(ctx, gram, params, &mut column)?.0)
}

/// F (n × |S|), where the caller has set [`workspace_bytes`] aside, and as much again for F.
pub(super) fn factor(ctx: &Context, gram: &dyn Gram, params: &Params) -> Result<Mat<f64>> {
    let (_, panels) = choose(ctx, gram, params, &mut |_| Ok(()))?;
    let width = panels.iter().map(Mat::cols).sum();
    let mut f = Mat::try_zeros(gram.n(), width)?;
    let mut from = 0;
    for panel in panels {
        let to = from + panel.cols();
        (0..panel.rows()).for_each(|i| f.row_mut(i)[from..to].copy_from_slice(panel.row(i)));
        from = to;
    }
    Ok(f)
}

/// The pivots and F by blocks of columns, each of which `column` allows.
fn choose(
    ctx: &Context,
    gram: &dyn Gram,
    params: &Params,
    column: &mut dyn FnMut(usize) -> Result<()>,
) -> Result<(Info, Vec<Mat<f64>>)> {
    let n = gram.n();
    let left = gram.diag(ctx)?;
    if let Some(row) = left.iter().position(|v| !(*v >= 0.0 && v.is_finite())) {
        return Err(Error::Numeric(format!(
            "k(x, x) is {} for a sample: landmarks need a positive semidefinite kernel with finite values",
            left[row]
        )));
    }
    let trace: f64 = left.iter().sum();
    let mut work = Work { panels: Vec::new(), pivots: Vec::new(), left };
    let mut stream = Stream::new(params.seed, "pivoted cholesky");
    let mut curve = vec![(0, 1.0)];
    let (most, lost) = (params.most.min(n), lost_share(gram.dtype().epsilon()));
    while work.pivots.len() < most && trace > 0.0 {
        let drawn = work.draw(&mut stream, proposals(params.most));
        let columns = gram.columns(ctx, &drawn)?;
        let room = most - work.pivots.len();
        let accepted = work.accept(&columns, &drawn, room, lost, &mut stream);
        if accepted.is_empty() {
            break;
        }
        column(accepted.len())?;
        work.add(ctx, &columns, &drawn, &accepted)?;
        let share = work.left.iter().sum::<f64>() / trace;
        curve.push((work.pivots.len(), share));
        ctx.step(Step::new("landmarks", work.pivots.len() as f64, most as f64))?;
        if share <= params.tolerance {
            break;
        }
    }
    Ok((Info { pivots: work.pivots, trace, curve }, work.panels))
}

/// The factor so far.
struct Work {
    /// F by blocks of columns, each n × b.
    panels: Vec<Mat<f64>>,
    pivots: Vec<usize>,
    /// The diagonal of K − F Fᵀ.
    left: Vec<f64>,
}

impl Work {
    /// Rows drawn with probabilities proportional to what is left of their diagonal.
    fn draw(&self, stream: &mut Stream, count: usize) -> Vec<usize> {
        let sums: Vec<f64> = self
            .left
            .iter()
            .scan(0.0, |sum, v| {
                *sum += v;
                Some(*sum)
            })
            .collect();
        let all = sums[sums.len() - 1];
        let row = |u: f64| sums.partition_point(|sum| *sum <= u * all).min(sums.len() - 1);
        (0..count).map(|_| row(stream.uniform())).collect()
    }

    /// The places of the proposals that are kept, at most `most`: each with the share of its diagonal that those before it leave. `columns` are
    /// those of K.
    fn accept(
        &self,
        columns: &Mat<f64>,
        drawn: &[usize],
        most: usize,
        lost: f64,
        stream: &mut Stream,
    ) -> Vec<usize> {
        let mut h = self.among(columns, drawn);
        let mut accepted = Vec::new();
        for j in 0..drawn.len() {
            let chance = stream.uniform() * self.left[drawn[j]];
            let pivot = h[(j, j)];
            let zero = lost * columns[(drawn[j], j)];
            if accepted.len() == most || pivot <= chance || pivot <= zero {
                continue;
            }
            accepted.push(j);
            let column: Vec<f64> = (0..drawn.len()).map(|i| h[(i, j)] / pivot.sqrt()).collect();
            for (i, by) in column.iter().enumerate().skip(j) {
                h.row_mut(i).iter_mut().zip(&column).for_each(|(v, c)| *v -= by * c);
            }
        }
        accepted
    }

    /// K − F Fᵀ among the rows `which`, whose columns of K are given.
    fn among(&self, columns: &Mat<f64>, which: &[usize]) -> Mat<f64> {
        let mut h = rows_of(columns, which);
        for panel in &self.panels {
            let part = rows_of(panel, which);
            multiply(part.view(), part.view().transposed(), h.view_mut(), Onto::Difference);
        }
        h
    }

    /// Adds the accepted ones among the proposals as pivots: their columns of K − F Fᵀ, divided by the factor of their own rows.
    fn add(
        &mut self,
        ctx: &Context,
        columns: &Mat<f64>,
        drawn: &[usize],
        accepted: &[usize],
    ) -> Result<()> {
        let which: Vec<usize> = accepted.iter().map(|&j| drawn[j]).collect();
        let (n, b) = (columns.rows(), which.len());
        let parts: Vec<Mat<f64>> = self.panels.iter().map(|panel| rows_of(panel, &which)).collect();
        let mut panel = Mat::try_zeros(n, b)?;
        ctx.install(|| {
            let pieces = panel.data_mut().par_chunks_mut(ROWS * b).enumerate();
            pieces.for_each(|(piece, rows)| {
                let count = rows.len() / b;
                for (i, row) in rows.chunks_exact_mut(b).enumerate() {
                    let from = columns.row(piece * ROWS + i);
                    row.iter_mut().zip(accepted).for_each(|(v, &j)| *v = from[j]);
                }
                for (panel, part) in self.panels.iter().zip(&parts) {
                    let left = panel.view().row_range(piece * ROWS, count);
                    let out = MatMut::new(rows, count, b, b);
                    multiply(left, part.view().transposed(), out, Onto::Difference);
                }
            });
        });
        let mut factor = rows_of(&panel, &which);
        cholesky::factor(ctx, &mut factor)?;
        cholesky::divide_rows(ctx, &factor, &mut panel)?;
        for (i, left) in self.left.iter_mut().enumerate() {
            *left = (*left - panel.row(i).iter().map(|v| v * v).sum::<f64>()).max(0.0);
        }
        which.iter().for_each(|&i| self.left[i] = 0.0);
        self.pivots.extend_from_slice(&which);
        self.panels.push(panel);
        Ok(())
    }
}

fn rows_of(panel: &Mat<f64>, which: &[usize]) -> Mat<f64> {
    Mat::from_fn(which.len(), panel.cols(), |i, j| panel[(which[i], j)])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gram::Precomputed;

    /// The kernel matrix of points on a line, most of them in one place.
    fn matrix(n: usize) -> Mat<f64> {
        let x = |i: usize| if i.is_multiple_of(10) { i as f64 } else { (i as f64).sin() };
        Mat::from_fn(n, n, |i, j| (-0.5 * (x(i) - x(j)).powi(2)).exp())
    }

    fn run(threads: usize, k: &Mat<f64>, most: usize, tolerance: f64, seed: u64) -> Info {
        let ctx = Context::new(threads);
        let gram = Precomputed::new(k.view()).unwrap();
        pivoted_cholesky(&ctx, &gram, &Params { most, tolerance, seed }).unwrap()
    }

    /// The trace of K − K_S K_SS⁻¹ K_Sᵀ, one pivot at a time; those that depend on others are passed over.
    fn left(k: &Mat<f64>, pivots: &[usize]) -> f64 {
        let n = k.rows();
        let mut rest = k.clone();
        for &p in pivots {
            let column: Vec<f64> = (0..n).map(|i| rest[(i, p)]).collect();
            if column[p] > 1e-10 {
                for i in 0..n {
                    let by = column[i] / column[p];
                    rest.row_mut(i).iter_mut().zip(&column).for_each(|(v, c)| *v -= by * c);
                }
            }
        }
        (0..n).map(|i| rest[(i, i)]).sum()
    }

    #[test]
    fn the_error_is_the_trace_of_what_is_left() {
        let k = matrix(400);
        let info = run(2, &k, 30, 0.0, 1);
        assert_eq!(info.pivots.len(), 30);
        let (count, share) = *info.curve.last().unwrap();
        assert_eq!(count, 30);
        assert!((share * info.trace - left(&k, &info.pivots)).abs() < 1e-9 * info.trace);
        let falls = info.curve.windows(2).all(|pair| pair[1].1 <= pair[0].1);
        assert!(falls && info.curve[0] == (0, 1.0));
    }

    #[test]
    fn pivots_are_distinct_and_depend_on_the_seed_alone() {
        let k = matrix(300);
        let info = run(1, &k, 40, 0.0, 7);
        assert_eq!(info.pivots, run(2, &k, 40, 0.0, 7).pivots);
        assert_ne!(info.pivots, run(2, &k, 40, 0.0, 8).pivots);
        let mut sorted = info.pivots.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 40);
    }

    #[test]
    fn it_ends_at_the_tolerance_and_at_the_rank() {
        let k = matrix(400);
        let info = run(2, &k, 400, 0.01, 3);
        let counts = info.curve.len();
        assert!(info.curve[counts - 1].1 <= 0.01 && info.curve[counts - 2].1 > 0.01);
        let x = Mat::from_fn(50, 3, |i, j| ((i * (j + 1)) as f64).cos());
        let low = Mat::from_fn(50, 50, |i, j| (0..3).map(|c| x[(i, c)] * x[(j, c)]).sum());
        assert_eq!(run(1, &low, 50, 1e-12, 5).pivots.len(), 3);
    }

    /// Samples far from the others are chosen, which a uniform choice would miss.
    #[test]
    fn it_beats_a_uniform_choice() {
        let k = matrix(400);
        let chosen = run(2, &k, 40, 0.0, 1).curve.last().unwrap().1;
        let uniform: Vec<usize> = (0..40).map(|i| (i * 37 + 11) % 400).collect();
        assert!(chosen * 400.0 < 0.7 * left(&k, &uniform), "{chosen}");
    }
}
