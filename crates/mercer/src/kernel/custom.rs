//! User-defined kernels: functions on items of any type, or on samples of the library.
//! In a sum with a built-in kernel, both see the same samples.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::error::{Error, Param, Result};
use crate::kernel::spec::not_for;
use crate::kernel::{Kernel, Tile};
use crate::points::{Points, Samples, Span};
use crate::real::Real;

/// A function of two items, called for a block of pairs at a time. As an [`Any`] it can be downcast by its creator.
pub trait CustomKernel: Any + Send + Sync {
    /// Writes k(row i, column j) to `out[i · columns + j]`.
    fn block(&self, rows: ItemBlock<'_>, cols: ItemBlock<'_>, out: &mut [f64]) -> Result<()>;
}

/// Some items of a store. For samples of the library, the store is the sample set: a `Dense`, `Csr` or `Strings`.
#[derive(Clone, Copy)]
pub struct ItemBlock<'a> {
    /// The collection that holds the items.
    pub store: &'a (dyn Any + Send + Sync),
    /// The indices of the items in it.
    pub at: &'a [usize],
}

/// A user-defined kernel in a description: its name, and the function unless it was read from text or a file.
#[derive(Clone)]
pub struct Custom {
    name: String,
    function: Option<Arc<dyn CustomKernel>>,
}

impl Custom {
    pub(super) fn new(name: &str, function: Option<Arc<dyn CustomKernel>>) -> Self {
        Self { name: name.into(), function }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The function, if there is one.
    pub fn bound(&self) -> Option<&Arc<dyn CustomKernel>> {
        self.function.as_ref()
    }

    /// The same name with `function`.
    pub(super) fn bound_to(&self, function: Arc<dyn CustomKernel>) -> Self {
        Self { name: self.name.clone(), function: Some(function) }
    }

    fn function(&self) -> Result<&dyn CustomKernel> {
        self.function.as_deref().ok_or_else(|| {
            let message = format!(
                "custom({}) is a user-defined function, which cannot be stored as text: bind it first",
                self.name
            );
            Error::parameter(Param::Kernel, message)
        })
    }

    /// Fills a tile. Values that are not finite, and pairs of one set whose values differ with the order, are refused.
    pub(super) fn tile<T: Real>(
        &self,
        rows: Span<'_, Samples<T>>,
        cols: Span<'_, Samples<T>>,
        out: &mut Tile<'_, T>,
    ) -> Result<()> {
        let width = cols.len();
        let mut values = vec![0.0; rows.len() * width];
        let (left, right) = (self.seen(rows)?, self.seen(cols)?);
        self.function()?.block(left.chosen(), right.chosen(), &mut values)?;
        if let Some(at) = values.iter().position(|v| !T::from_f64(*v).is_finite()) {
            let (row, col) = (rows.start + at / width, cols.start + at % width);
            return Err(self.fault(format!(
                "the value for samples {row} and {col} is {}, not a finite number",
                values[at]
            )));
        }
        if rows.points.is_same(cols.points) && rows.range() == cols.range() {
            self.check_symmetric(&values, width, rows.start)?;
        }
        for i in 0..rows.len() {
            let line = &values[i * width..][..width];
            out.row(i).iter_mut().zip(line).for_each(|(to, v)| *to = T::from_f64(*v));
        }
        Ok(())
    }

    /// The samples of a span as the function sees them.
    fn seen<'a, T: Real>(&self, span: Span<'a, Samples<T>>) -> Result<Seen<'a>> {
        let places = || span.range().collect();
        Ok(match span.points {
            Samples::Items(items) => {
                Seen { store: &**items.store(), at: items.at()[span.range()].into() }
            }
            Samples::Dense(x) => Seen { store: x, at: places() },
            Samples::Sparse(x) => Seen { store: x, at: places() },
            Samples::Strings(texts) => Seen { store: texts, at: places() },
            other @ Samples::Parts(_) => return Err(not_for(&self.name, "whole samples", other)),
        })
    }

    fn check_symmetric(&self, values: &[f64], n: usize, start: usize) -> Result<()> {
        let largest = values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        for i in 0..n {
            for j in 0..i {
                let (one, other) = (values[i * n + j], values[j * n + i]);
                if (one - other).abs() > ASYMMETRY * largest {
                    let (row, col) = (start + i, start + j);
                    return Err(self.fault(format!(
                        "the function is not symmetric: {one} for samples {row} and {col}, {other} for {col} and {row}"
                    )));
                }
            }
        }
        Ok(())
    }

    fn fault(&self, message: String) -> Error {
        Error::Numeric(format!("kernel {}: {message}", self.name))
    }
}

/// The difference, as a share of the largest value, that roundings in another order may make.
const ASYMMETRY: f64 = 1e-6;

/// A store, and the places in it of some samples.
struct Seen<'a> {
    store: &'a (dyn Any + Send + Sync),
    at: Vec<usize>,
}

impl Seen<'_> {
    fn chosen(&self) -> ItemBlock<'_> {
        ItemBlock { store: self.store, at: &self.at }
    }
}

/// Two are equal if they have one name and share one function.
impl PartialEq for Custom {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.function, &other.function) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (None, None) => true,
            _ => false,
        };
        same && self.name == other.name
    }
}

impl fmt::Debug for Custom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Custom({}, bound: {})", self.name, self.function.is_some())
    }
}

/// A function of two items of the type `S`.
pub(super) struct PairFunction<S, F> {
    name: String,
    function: F,
    items: std::marker::PhantomData<fn(&S)>,
}

impl<S, F> PairFunction<S, F> {
    pub(super) fn new(name: &str, function: F) -> Self {
        Self { name: name.into(), function, items: std::marker::PhantomData }
    }
}

impl<S, F> CustomKernel for PairFunction<S, F>
where
    S: Send + Sync + 'static,
    F: Fn(&S, &S) -> f64 + Send + Sync + 'static,
{
    fn block(&self, rows: ItemBlock<'_>, cols: ItemBlock<'_>, out: &mut [f64]) -> Result<()> {
        let (left, right) = (self.items(rows)?, self.items(cols)?);
        for (&row, line) in rows.at.iter().zip(out.chunks_exact_mut(cols.at.len())) {
            for (&col, value) in cols.at.iter().zip(line) {
                *value = (self.function)(&left[row], &right[col]);
            }
        }
        Ok(())
    }
}

impl<S: 'static, F> PairFunction<S, F> {
    fn items<'a>(&self, chosen: ItemBlock<'a>) -> Result<&'a [S]> {
        chosen.store.downcast_ref::<Vec<S>>().map(Vec::as_slice).ok_or_else(|| {
            let wanted = std::any::type_name::<S>();
            Error::Shape(format!("kernel {}: the items are not of type {wanted}", self.name))
        })
    }
}

/// A kernel of the user's own type.
pub(super) struct TileFunction<P, K> {
    name: String,
    kernel: K,
    samples: std::marker::PhantomData<fn(&P)>,
}

impl<P, K> TileFunction<P, K> {
    pub(super) fn new(name: &str, kernel: K) -> Self {
        Self { name: name.into(), kernel, samples: std::marker::PhantomData }
    }
}

impl<P: Points + 'static, K: Kernel<P, f64> + 'static> CustomKernel for TileFunction<P, K> {
    fn block(&self, rows: ItemBlock<'_>, cols: ItemBlock<'_>, out: &mut [f64]) -> Result<()> {
        let (left, right) = (self.samples(rows)?, self.samples(cols)?);
        let (height, width) = (rows.at.len(), cols.at.len());
        let (mut some, mut others) = (None, None);
        let (rows, cols) = (span(left, rows.at, &mut some), span(right, cols.at, &mut others));
        self.kernel.tile(rows, cols, Tile::new(out, height, width, width))
    }
}

/// The samples at `at`: as they lie if they are consecutive, else copied to `chosen`.
fn span<'a, P: Points>(points: &'a P, at: &[usize], chosen: &'a mut Option<P>) -> Span<'a, P> {
    let start = at.first().copied().unwrap_or(0);
    match at.iter().enumerate().all(|(i, &place)| place == start + i) {
        true => Span::new(points, start..start + at.len()),
        false => Span::all(chosen.insert(points.select(at))),
    }
}

impl<P: 'static, K> TileFunction<P, K> {
    fn samples<'a>(&self, chosen: ItemBlock<'a>) -> Result<&'a P> {
        chosen.store.downcast_ref().ok_or_else(|| {
            let wanted = std::any::type_name::<P>();
            Error::Shape(format!("kernel {}: the samples are not {wanted}", self.name))
        })
    }
}
