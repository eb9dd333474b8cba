//! The Hilbert–Schmidt independence criterion: whether the two halves of pairs (x_i, y_i) are independent.
//!
//! HSIC = 1/n² tr(K J L J) = 1/n² Σ K̄_ij L̄_ij, where K and L are the kernel matrices of the x and of the y, J centres, and K̄ = JKJ. If x and y are
//! independent, then which y stands beside which x is arbitrary: HSIC is compared with its values after permutations of the y, or with a Gamma distribution
//! of their mean and variance. With the kernels `energy` it is the squared distance covariance.
//!
//! Gretton, Fukumizu, Teo, Song, Schölkopf and Smola (2007), A kernel statistical test of independence.

use std::time::Instant;

use rayon::prelude::*;

use super::mmd::{by_moments, by_permutations};
use super::moments::{self, CentredSums, Means};
use super::{Null, Outcome, check_permutations};
use crate::context::{Context, Reservation, SharedProgress, Stream};
use crate::error::{Error, Param, Result};
use crate::gram::{Gram, MatrixFree, matrix_bytes, plan};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::gathered;
use crate::linalg::view::Mat;
use crate::model::kernel_on::KernelOn;
use crate::model::{Input, symmetric};
use crate::points::{Samples, with_matrix, with_samples};
use crate::real::Real;

/// Parameters of the test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HsicParams {
    /// The kernels of x and of y; widths that depend on the data are resolved on each.
    pub kernels: [KernelSpec; 2],
    /// What the statistic is compared with.
    pub null: Null,
    /// Seed of the permutations.
    pub seed: u64,
}

impl HsicParams {
    /// A test with these kernels of x and y, by 999 permutations.
    pub fn new(x: KernelSpec, y: KernelSpec) -> Self {
        Self { kernels: [x, y], null: Null::Permutations(999), seed: 0 }
    }
}

/// The result of the test.
#[derive(Clone, Debug)]
pub struct Hsic {
    /// Statistic and p-value.
    pub outcome: Outcome,
    /// HSIC(x, y) / √(HSIC(x, x) · HSIC(y, y)): between 0 and 1, and 1 where one matrix is a multiple of the other (centred kernel alignment).
    pub correlation: f64,
}

impl Hsic {
    /// Tests whether the rows of `x` are independent of those of `y`.
    pub fn test<'a>(
        ctx: &Context,
        params: &HsicParams,
        x: impl Into<Input<'a>>,
        y: impl Into<Input<'a>>,
    ) -> Result<Self> {
        Self::test_inputs(ctx, params, &[x.into(), y.into()])
    }

    fn test_inputs(ctx: &Context, params: &HsicParams, inputs: &[Input<'_>; 2]) -> Result<Self> {
        let started = Instant::now();
        check(params, inputs)?;
        let mut found = match params.null {
            Null::Permutations(count) => by_matrices(ctx, params, inputs, count)?,
            Null::Gamma => with_gram(ctx, &params.kernels[0], &inputs[0], |first, x| {
                with_gram(ctx, &params.kernels[1], &inputs[1], |second, y| {
                    let mut found = by_sums(ctx, x, y)?;
                    found.outcome.kernels.extend(first.into_iter().cloned().chain(second.cloned()));
                    Ok(found)
                })
            })?,
        };
        found.outcome.used = inputs[0].n();
        found.outcome.seconds = started.elapsed().as_secs_f64();
        Ok(found)
    }
}

fn check(params: &HsicParams, [x, y]: &[Input<'_>; 2]) -> Result<()> {
    if x.n() != y.n() {
        let message = format!("x has {} samples, but y has {}: they must be pairs", x.n(), y.n());
        return Err(Error::Shape(message));
    }
    match params.null {
        Null::Permutations(count) => check_permutations(count)?,
        Null::Gamma if x.n() < 5 => {
            let message = "the Gamma distribution needs at least 5 pairs: use permutations";
            return Err(Error::parameter(Param::Named("null"), message));
        }
        Null::Gamma => {}
    }
    match x.n() < 2 {
        true => Err(Error::Shape("at least 2 pairs are required".into())),
        false => Ok(()),
    }
}

/// Hands on the Gram matrix of an input, stored if it fits beside another one, and its kernel.
fn with_gram<R>(
    ctx: &Context,
    spec: &KernelSpec,
    input: &Input<'_>,
    work: impl FnOnce(Option<&KernelSpec>, &dyn Gram) -> Result<R>,
) -> Result<R> {
    match input {
        Input::Samples(x) => with_samples!(x, x => {
            let (on, spec) = kernel_on(spec, x)?;
            let gram = gram_of(ctx, &on)?;
            work(Some(&spec), &*gram)
        }),
        Input::Precomputed { values, .. } => {
            with_matrix!(values.view(), matrix => work(None, &symmetric(matrix)?))
        }
        Input::Gram(gram) => work(None, *gram),
    }
}

/// The kernel on samples, seen from their mean where that saves digits, and as it was resolved.
fn kernel_on<T: Real>(spec: &KernelSpec, x: &Samples<T>) -> Result<(KernelOn<T>, KernelSpec)> {
    let spec = spec.resolve(x)?;
    Ok((KernelOn::centred(&SpecKernel::<T>::new(&spec)?, x), spec))
}

/// The Gram matrix, stored where two fit side by side.
fn gram_of<'a, T: Real>(ctx: &Context, on: &'a KernelOn<T>) -> Result<Box<dyn Gram + 'a>> {
    let n = on.anchors.n();
    // Beside the matrix are columns of both and a product.
    let plan = plan::<T>(&ctx.split(2), n, 1024 * n as u64)?;
    plan.build(ctx, &*on.kernel, &on.anchors)
}

/// Statistic and moments from sums over columns; no matrix need be stored.
fn by_sums(ctx: &Context, x: &dyn Gram, y: &dyn Gram) -> Result<Hsic> {
    let n = x.n();
    let (sums, product) = moments::centred(ctx, &[x, y])?;
    let pairs = (n * n) as f64;
    let (mean, variance) = moments::of_permutations(n, &sums[0], &sums[1]);
    let mut outcome =
        by_moments((product / pairs).max(0.0), (mean / pairs, variance / (pairs * pairs)));
    outcome.storage = "columns".into();
    Ok(Hsic { outcome, correlation: correlation(product, &sums[0], &sums[1]) })
}

/// HSIC relative to its largest possible value.
fn correlation(product: f64, x: &CentredSums, y: &CentredSums) -> f64 {
    let size = (x.squares * y.squares).sqrt();
    if size > 0.0 { (product / size).clamp(0.0, 1.0) } else { 0.0 }
}

const HINT: &str =
    "use the Gamma distribution (which stores no matrix) or fewer rows, or raise the memory budget";

/// Both centred matrices are held, and read once for each permutation.
fn by_matrices(
    ctx: &Context,
    params: &HsicParams,
    inputs: &[Input<'_>; 2],
    count: usize,
) -> Result<Hsic> {
    let n = inputs[0].n();
    let orders_bytes = 4 * ((count + 1) * n) as u64;
    let both = matrix_bytes::<f64>(n, 2 * n).saturating_add(orders_bytes);
    ctx.need("both kernel matrices", both, HINT)?;
    let _orders = ctx.reserve("the permutations", orders_bytes, HINT)?;
    let (x, _held_x, first) = centred_matrix(ctx, &params.kernels[0], &inputs[0])?;
    let (y, _held_y, second) = centred_matrix(ctx, &params.kernels[1], &inputs[1])?;
    let pairs = (n * n) as f64;
    let orders = orders(ctx, n, count, params.seed)?;
    let progress = SharedProgress::new("permutations", orders.len());
    let one = |order: &Vec<u32>| {
        ctx.poll()?;
        let value = permuted_product(&x, &y, order) / pairs;
        progress.add(ctx, 1)?;
        Ok(value)
    };
    let values = ctx.install(|| orders.par_iter().map(one).collect::<Result<Vec<f64>>>())?;
    let squares = |matrix: &Mat<f64>| {
        let identity: Vec<u32> = (0..n as u32).collect();
        let squares = permuted_product(matrix, matrix, &identity);
        CentredSums { squares, ..CentredSums::default() }
    };
    let (of_x, of_y) = (squares(&x), squares(&y));
    let correlation = correlation(values[0] * pairs, &of_x, &of_y);
    let noise = 32.0 * f64::EPSILON * (of_x.squares * of_y.squares).sqrt() / pairs;
    let mut outcome = by_permutations(values, noise);
    outcome.storage = "both matrices".into();
    outcome.kernels.extend(first.into_iter().chain(second));
    Ok(Hsic { outcome, correlation })
}

/// The centred kernel matrix, whole.
fn centred_matrix(
    ctx: &Context,
    spec: &KernelSpec,
    input: &Input<'_>,
) -> Result<(Mat<f64>, Reservation, Option<KernelSpec>)> {
    let held = ctx.reserve("the kernel matrix", matrix_bytes::<f64>(input.n(), input.n()), HINT)?;
    let (matrix, spec) = match input {
        Input::Samples(x) => with_samples!(x, x => {
            let (on, spec) = kernel_on(spec, x)?;
            let gram = MatrixFree::new(&*on.kernel, on.anchors.clone());
            (centred(ctx, &gram)?, Some(spec))
        }),
        Input::Precomputed { values, .. } => {
            (with_matrix!(values.view(), matrix => centred(ctx, &symmetric(matrix)?))?, None)
        }
        Input::Gram(gram) => (centred(ctx, *gram)?, None),
    };
    Ok((matrix, held, spec))
}

fn centred(ctx: &Context, gram: &dyn Gram) -> Result<Mat<f64>> {
    let n = gram.n();
    let mut matrix = gram.lower(ctx)?;
    for i in 0..n {
        ctx.poll()?;
        (0..i).for_each(|j| matrix[(j, i)] = matrix[(i, j)]);
    }
    let means = Means::of_matrix(ctx, &matrix);
    means.centre(ctx, matrix, 0)
}

/// The identity, and `count` random orders of n samples.
fn orders(ctx: &Context, n: usize, count: usize, seed: u64) -> Result<Vec<Vec<u32>>> {
    let mut stream = Stream::new(seed, "permutations of pairs");
    let mut order: Vec<u32> = (0..n as u32).collect();
    let mut orders = vec![order.clone()];
    for _ in 0..count {
        ctx.poll()?;
        (0..n).for_each(|i| order.swap(i, i + stream.below(n - i)));
        orders.push(order.clone());
    }
    Ok(orders)
}

/// Σ_ij A_ij B_π(i)π(j) of symmetric matrices, by their lower triangles.
fn permuted_product(a: &Mat<f64>, b: &Mat<f64>, order: &[u32]) -> f64 {
    let line = |i: usize| {
        let (left, right) = (a.row(i), b.row(order[i] as usize));
        2.0 * gathered::dot(&left[..i], right, &order[..i]) + left[i] * right[order[i] as usize]
    };
    (0..a.rows()).map(line).sum()
}
