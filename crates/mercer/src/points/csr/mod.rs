//! Sparse rows of numbers.

mod read;
mod turn;

pub use read::Place;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::error::Result;
use crate::linalg::nonzeros::Nonzeros;
use crate::linalg::sparse::{Lists, ListsView};
use crate::points::dense::known;
use crate::points::derived::Derived;
use crate::points::{Cost, Points};
use crate::real::Real;

/// n × d numbers of which only those that are not zero are kept, row by row, all finite, n ≥ 1 and 1 ≤ d < 2³², with the squared norm
/// and the sum of absolute values of every row. Clones share the numbers.
#[derive(Clone)]
pub struct Csr<T: Real>(Arc<Store<T>>);

struct Store<T: Real> {
    d: usize,
    lists: Lists<T>,
    roots: OnceLock<Csr<T>>,
    negative: OnceLock<Option<(usize, usize)>>,
    derived: Derived<Csr<T>>,
}

impl<T: Real> Csr<T> {
    /// The n × d samples whose row i has the numbers `values[starts[i]..starts[i + 1]]` in the columns `at[..]` of the same places:
    /// `starts` has n + 1 numbers from 0 on. Columns of a row may come in any order and more than once, in which case their
    /// numbers are added up.
    pub fn new(
        n: usize,
        d: usize,
        starts: &[impl Place],
        at: &[impl Place],
        values: &[T],
    ) -> Result<Self> {
        read::read(n, d, starts, at, values)
    }

    /// No samples of d ≥ 1 features: the support vectors of a machine that needs none.
    pub(crate) fn empty(d: usize) -> Self {
        assert!(d > 0, "samples have at least one feature");
        Self::from_lists(Lists::new(Nonzeros::new()), d)
    }

    /// Rows known to be in order: finite numbers other than 0 in rising columns below d.
    fn from_lists(lists: Lists<T>, d: usize) -> Self {
        Self(Arc::new(Store {
            d,
            lists,
            roots: OnceLock::new(),
            negative: OnceLock::new(),
            derived: Derived::default(),
        }))
    }

    /// Rows.
    pub fn n(&self) -> usize {
        self.norms().len()
    }

    /// Columns.
    pub fn d(&self) -> usize {
        self.0.d
    }

    /// The columns of row i that are not zero, rising, and their numbers.
    #[doc(hidden)]
    pub fn row(&self, i: usize) -> (&[u32], &[T]) {
        self.0.lists.entries().all().row(i)
    }

    /// Where each row starts among `columns` and `values`, and where the last ends, n + 1.
    #[doc(hidden)]
    pub fn starts(&self) -> &[usize] {
        self.0.lists.entries().starts()
    }

    /// The columns of all numbers, row after row.
    #[doc(hidden)]
    pub fn columns(&self) -> &[u32] {
        self.0.lists.entries().at()
    }

    /// All numbers that are not zero, row after row.
    #[doc(hidden)]
    pub fn values(&self) -> &[T] {
        self.0.lists.entries().values()
    }

    /// The squared Euclidean norm of every row, n.
    #[doc(hidden)]
    pub fn norms(&self) -> &[T] {
        self.0.lists.norms()
    }

    /// The sum of absolute values of every row, n.
    #[doc(hidden)]
    pub fn sums(&self) -> &[T] {
        self.0.lists.sums()
    }

    /// The rows of `range`, as the pairing functions take them.
    #[doc(hidden)]
    pub fn rows(&self, range: Range<usize>) -> ListsView<'_, T> {
        self.0.lists.rows(range)
    }

    /// The square roots of all numbers; 0 for numbers below 0. Taken once.
    #[doc(hidden)]
    pub fn roots(&self) -> &Csr<T> {
        self.0.roots.get_or_init(|| {
            self.map_entries(|_, value| if value > T::ZERO { value.sqrt() } else { T::ZERO })
        })
    }

    /// The row and column of the first number below 0. Looked for once.
    #[doc(hidden)]
    pub fn first_negative(&self) -> Option<(usize, usize)> {
        *self.0.negative.get_or_init(|| {
            let at = self.values().iter().position(|&value| value < T::ZERO)?;
            let row = self.starts().partition_point(|&start| start <= at) - 1;
            Some((row, self.columns()[at] as usize))
        })
    }

    /// The number at a row and a column.
    #[doc(hidden)]
    pub fn at(&self, row: usize, column: usize) -> T {
        let (columns, values) = self.row(row);
        let found = u32::try_from(column).ok().and_then(|at| columns.binary_search(&at).ok());
        found.map_or(T::ZERO, |place| values[place])
    }

    /// The rows that `make` computes from these with the numbers `key`. A few such sets stay with them.
    #[doc(hidden)]
    pub fn derived(&self, key: &[u64], make: impl FnOnce() -> Result<Self>) -> Result<Self> {
        self.0.derived.get(key, make)
    }

    /// Whether both are clones of one set, so that equal indices mean the same sample.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The same columns with other numbers, `f` of the column and the number; those that become 0 are dropped.
    pub(crate) fn map_entries(&self, f: impl Fn(usize, T) -> T) -> Self {
        let mut entries = Nonzeros::new();
        for (at, values) in self.0.lists.entries().all().iter() {
            for (&at, &value) in at.iter().zip(values) {
                let value = f(at as usize, value);
                if value != T::ZERO {
                    entries.push(at, value);
                }
            }
            entries.end_row();
        }
        Self::from_lists(Lists::new(entries), self.0.d)
    }
}

impl<T: Real> Points for Csr<T> {
    fn len(&self) -> usize {
        self.n()
    }

    /// By the mean count of numbers that are not zero, at least 1: each has a column, and each row a start.
    fn cost(&self) -> Cost {
        let count = (self.values().len() / self.n().max(1)).max(1);
        Cost { eval_cost: count, bytes: 12 * count as u64 + 8 }
    }

    fn select(&self, idx: &[usize]) -> Self {
        let store = Store {
            d: self.0.d,
            lists: self.0.lists.select(idx),
            // What is known of the whole need not be looked for in a part.
            roots: known(&self.0.roots, |roots| roots.select(idx)),
            negative: match self.0.negative.get() {
                Some(None) => OnceLock::from(None),
                _ => OnceLock::new(),
            },
            derived: Derived::default(),
        };
        Self(Arc::new(store))
    }
}

impl<T: Real> std::fmt::Debug for Csr<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Csr<{}>({} × {}, {} numbers)", T::NAME, self.n(), self.d(), self.values().len())
    }
}
