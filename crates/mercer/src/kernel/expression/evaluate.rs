//! Evaluates a kernel expression inside a tile, so that sums and products never need more than one
//! further tile each.

use std::marker::PhantomData;

use super::compile::{Node, compile};
use crate::error::{Error, Param, Result};
use crate::kernel::spec::{check_histograms, group_of, not_for};
use crate::kernel::vector::Member;
use crate::kernel::vector::measure::{
    Measure, Rows, inverse_roots, multiply_outer, set_coincident,
};
use crate::kernel::{Kernel, KernelSpec, Tile};
use crate::linalg::vmath;
use crate::points::{Dense, Samples, Span, Strings};
use crate::real::Real;

/// The kernel of a resolved [`KernelSpec`], on the samples it is for.
#[derive(Debug, Clone)]
pub struct SpecKernel<T> {
    spec: KernelSpec,
    root: Node,
    number: PhantomData<fn() -> T>,
}

impl<T: Real> SpecKernel<T> {
    /// The kernel that `spec` describes. Refuses a spec with rules that still wait for data (see
    /// [`KernelSpec::resolve`]), with parameters outside their domains, or with numbers beyond the
    /// range of `T`.
    #[doc(hidden)]
    pub fn new(spec: &KernelSpec) -> Result<Self> {
        spec.check()?;
        if !spec.is_resolved() {
            let message =
                format!("{spec} depends on the data: resolve it with the training samples");
            return Err(Error::parameter(Param::Kernel, message));
        }
        Ok(Self { root: compile::<T>(&spec.0)?, spec: spec.clone(), number: PhantomData })
    }

    pub(in crate::kernel) fn root(&self) -> &Node {
        &self.root
    }

    /// Whether the kernel is a dot product of samples, or a weighted sum of such.
    #[doc(hidden)]
    pub fn is_linear(&self) -> bool {
        self.root.is_linear()
    }

    /// Whether all samples may be moved by the same vector: the centred matrix of kernel values does not change.
    #[doc(hidden)]
    pub fn is_free_of_origin(&self) -> bool {
        self.root.is_free_of_origin()
    }
}

impl<T: Real> Kernel<Samples<T>, T> for SpecKernel<T> {
    fn tile(
        &self,
        rows: Span<'_, Samples<T>>,
        cols: Span<'_, Samples<T>>,
        mut out: Tile<'_, T>,
    ) -> Result<()> {
        assert_eq!((out.rows(), out.cols()), (rows.len(), cols.len()), "tile and spans differ");
        if rows.is_empty() || cols.is_empty() {
            return Ok(());
        }
        self.root.tile(rows, cols, &mut out)
    }

    fn diag(&self, points: Span<'_, Samples<T>>, out: &mut [T]) -> Result<()> {
        assert_eq!(out.len(), points.len(), "diagonal and span differ");
        self.root.diag(points, out)
    }

    fn spec(&self) -> Option<KernelSpec> {
        Some(self.spec.clone())
    }
}

/// Rows of numbers are one kind of samples.
impl<T: Real> Kernel<Dense<T>, T> for SpecKernel<T> {
    fn tile(
        &self,
        rows: Span<'_, Dense<T>>,
        cols: Span<'_, Dense<T>>,
        out: Tile<'_, T>,
    ) -> Result<()> {
        let (left, right) = (Samples::from(rows.points), Samples::from(cols.points));
        self.tile(Span::new(&left, rows.range()), Span::new(&right, cols.range()), out)
    }

    fn diag(&self, points: Span<'_, Dense<T>>, out: &mut [T]) -> Result<()> {
        let samples = Samples::from(points.points);
        self.diag(Span::new(&samples, points.range()), out)
    }

    fn spec(&self) -> Option<KernelSpec> {
        Some(self.spec.clone())
    }
}

/// The part of `span` that a kernel on the columns `names` reads.
fn on_columns<'a, T: Real>(
    span: Span<'a, Samples<T>>,
    names: &[String],
) -> Result<Span<'a, Samples<T>>> {
    Ok(Span::new(group_of(span.points, names)?, span.range()))
}

impl Node {
    fn is_linear(&self) -> bool {
        match self {
            Node::Member(member) => matches!(member, Member::Linear(_)),
            Node::Sum(terms) => terms.iter().all(|(_, node)| node.is_linear()),
            _ => false,
        }
    }

    /// Whether only differences of samples count.
    pub(super) fn is_of_differences(&self) -> bool {
        match self {
            Node::Member(member) => member.measure().is_of_differences(),
            Node::Sum(terms) => terms.iter().all(|(_, node)| node.is_of_differences()),
            Node::Product(factors) => factors.iter().all(Node::is_of_differences),
            Node::Normalize(inner) | Node::Mapped(_, inner) => inner.is_of_differences(),
            Node::Columns(..) | Node::Custom(_) | Node::Texts(_) => false,
        }
    }

    fn is_free_of_origin(&self) -> bool {
        match self {
            Node::Sum(terms) => terms.iter().all(|(_, node)| node.is_free_of_origin()),
            node => node.is_linear() || node.is_of_differences(),
        }
    }

    pub(super) fn tile<T: Real>(
        &self,
        rows: Span<'_, Samples<T>>,
        cols: Span<'_, Samples<T>>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        match self {
            Node::Member(member) => {
                fill(member.measure(), rows, cols, out)?;
                // Row by row, so that the steps of a profile find their numbers in the nearest
                // cache.
                (0..out.rows()).for_each(|i| member.apply(out.row(i)));
                Ok(())
            }
            Node::Columns(names, inner) => {
                inner.tile(on_columns(rows, names)?, on_columns(cols, names)?, out)
            }
            Node::Mapped(map, inner) => {
                let left = map.apply(rows.points)?;
                // The same set on both sides stays the same set, whose samples coincide with themselves.
                let right = if same(rows, cols) { left.clone() } else { map.apply(cols.points)? };
                inner.tile(Span::new(&left, rows.range()), Span::new(&right, cols.range()), out)
            }
            Node::Texts(member) => member.tile(texts(rows)?, texts(cols)?, out),
            Node::Custom(custom) => custom.tile(rows, cols, out),
            Node::Sum(terms) => {
                let (scale, first) = &terms[0];
                first.tile(rows, cols, out)?;
                if *scale != 1.0 {
                    let scale = T::from_f64(*scale);
                    (0..out.rows()).for_each(|i| vmath::map(out.row(i), |v| v * scale));
                }
                combine(
                    terms[1..].iter().map(|(c, node)| (node, add(T::from_f64(*c)))),
                    rows,
                    cols,
                    out,
                )
            }
            Node::Product(factors) => {
                factors[0].tile(rows, cols, out)?;
                combine(factors[1..].iter().map(|node| (node, multiply)), rows, cols, out)
            }
            Node::Normalize(inner) => {
                inner.tile(rows, cols, out)?;
                let (left, right) = (inner.lengths(rows)?, inner.lengths(cols)?);
                multiply_outer(out, &inverse_roots(&left), &inverse_roots(&right));
                set_coincident(rows, cols, out, |v| if v == T::ZERO { v } else { T::ONE });
                Ok(())
            }
        }
    }

    pub(in crate::kernel) fn diag<T: Real>(
        &self,
        points: Span<'_, Samples<T>>,
        out: &mut [T],
    ) -> Result<()> {
        match self {
            Node::Member(member) => {
                fill_diag(member.measure(), points, out)?;
                member.apply(out);
            }
            Node::Columns(names, inner) => inner.diag(on_columns(points, names)?, out)?,
            Node::Mapped(map, inner) => {
                inner.diag(Span::new(&map.apply(points.points)?, points.range()), out)?;
            }
            Node::Texts(member) => member.diag(texts(points)?, out)?,
            Node::Custom(_) => {
                for (i, value) in out.iter_mut().enumerate() {
                    let one = points.part(i..i + 1);
                    self.tile(one, one, &mut Tile::new(std::slice::from_mut(value), 1, 1, 1))?;
                }
            }
            Node::Sum(terms) => {
                let mut sum = vec![T::ZERO; out.len()];
                for (scale, node) in terms {
                    node.diag(points, out)?;
                    accumulate(&mut sum, out, add(T::from_f64(*scale)));
                }
                out.copy_from_slice(&sum);
            }
            Node::Product(factors) => {
                let mut product = vec![T::ONE; out.len()];
                for node in factors {
                    node.diag(points, out)?;
                    accumulate(&mut product, out, multiply);
                }
                out.copy_from_slice(&product);
            }
            Node::Normalize(inner) => {
                out.copy_from_slice(&inner.lengths(points)?);
                vmath::map(out, |v| if v == T::ZERO { v } else { T::ONE });
            }
        }
        Ok(())
    }

    /// k(x, x) of every sample, the squared lengths in feature space that normalising divides by.
    pub(super) fn lengths<T: Real>(&self, points: Span<'_, Samples<T>>) -> Result<Vec<T>> {
        let mut lengths = vec![T::ZERO; points.len()];
        self.diag(points, &mut lengths)?;
        match lengths.iter().position(|&v| !(v >= T::ZERO && v.is_finite())) {
            None => Ok(lengths),
            Some(i) => Err(Error::Numeric(format!(
                "cannot normalise the kernel: k(x, x) is {:?} for the sample at row {}, \
                 and must be finite and not negative",
                lengths[i],
                points.start + i
            ))),
        }
    }
}

/// Whether both spans are of one set of rows of numbers.
fn same<T: Real>(rows: Span<'_, Samples<T>>, cols: Span<'_, Samples<T>>) -> bool {
    match (rows.points, cols.points) {
        (Samples::Dense(x), Samples::Dense(y)) => x.is_same(y),
        (Samples::Sparse(x), Samples::Sparse(y)) => x.is_same(y),
        _ => false,
    }
}

/// Evaluates each node into a scratch tile and merges it into `out`.
fn combine<'n, T: Real, F: Fn(&mut T, T)>(
    nodes: impl ExactSizeIterator<Item = (&'n Node, F)>,
    rows: Span<'_, Samples<T>>,
    cols: Span<'_, Samples<T>>,
    out: &mut Tile<'_, T>,
) -> Result<()> {
    if nodes.len() == 0 {
        return Ok(());
    }
    let (n, m) = (out.rows(), out.cols());
    let mut scratch = vec![T::ZERO; n * m];
    for (node, merge) in nodes {
        node.tile(rows, cols, &mut Tile::new(&mut scratch, n, m, m))?;
        for (i, values) in scratch.chunks_exact(m).enumerate() {
            accumulate(out.row(i), values, &merge);
        }
    }
    Ok(())
}

fn accumulate<T: Real>(into: &mut [T], values: &[T], merge: impl Fn(&mut T, T)) {
    into.iter_mut().zip(values).for_each(|(place, &v)| merge(place, v));
}

fn add<T: Real>(scale: T) -> impl Fn(&mut T, T) {
    move |place, v| *place += scale * v
}

fn multiply<T: Real>(place: &mut T, v: T) {
    *place = *place * v;
}

/// Measures between samples that are rows of numbers.
pub(in crate::kernel) fn fill<T: Real>(
    measure: Measure,
    rows: Span<'_, Samples<T>>,
    cols: Span<'_, Samples<T>>,
    out: &mut Tile<'_, T>,
) -> Result<()> {
    let (left, right) = (numbers(measure, rows)?, numbers(measure, cols)?);
    check_features(rows.points.features(), cols.points.features())?;
    measure.fill_any(left, right, out);
    Ok(())
}

/// Measures every sample against itself.
pub(in crate::kernel) fn fill_diag<T: Real>(
    measure: Measure,
    points: Span<'_, Samples<T>>,
    out: &mut [T],
) -> Result<()> {
    measure.fill_diag_any(numbers(measure, points)?, out);
    Ok(())
}

/// The rows of numbers of a span, none below 0 where the measure is of histograms.
fn numbers<T: Real>(measure: Measure, span: Span<'_, Samples<T>>) -> Result<Rows<'_, T>> {
    if measure.is_of_histograms() {
        check_histograms(span.points)?;
    }
    match span.points {
        Samples::Dense(x) => Ok(Rows::Dense(Span::new(x, span.range()))),
        Samples::Sparse(x) => Ok(Rows::Sparse(Span::new(x, span.range()))),
        other => Err(not_for("the kernel", "rows of numbers", other)),
    }
}

/// The texts of a span.
fn texts<T: Real>(span: Span<'_, Samples<T>>) -> Result<Span<'_, Strings>> {
    match span.points {
        Samples::Strings(texts) => Ok(Span::new(texts, span.range())),
        other => Err(not_for("the kernel", "strings", other)),
    }
}

fn check_features(d: usize, other: usize) -> Result<()> {
    match d == other {
        true => Ok(()),
        false => {
            let text =
                format!("samples with {d} features cannot be compared with samples with {other}");
            Err(Error::Shape(text))
        }
    }
}
