//! What a kernel does to each row before two rows are measured: columns are scaled, so that each has a width of its own, or wound around
//! circles, so that values repeat.

use std::f64::consts::TAU;
use std::sync::Arc;

use crate::error::{Error, Param, Result};
use crate::kernel::Leaf;
use crate::points::{Csr, Dense, Samples};
use crate::real::Real;

/// x_j → f_j·x_j, or with periods x_j → f_j·(cos, sin)(2π·x_j/p_j).
#[derive(Debug, Clone)]
pub(in crate::kernel) struct RowMap {
    family: &'static str,
    factors: Numbers,
    periods: Option<Numbers>,
}

/// A number for each column.
#[derive(Debug, Clone)]
enum Numbers {
    All(f64),
    /// The parameter, and its number for each column.
    Each(&'static str, Arc<[f64]>),
}

impl Numbers {
    /// The numbers of a parameter of `leaf`; `f` of each, where there is one for each column.
    fn each(leaf: &Leaf, name: &'static str, f: impl Fn(f64) -> f64) -> Option<Self> {
        let numbers = leaf.list(name)?;
        Some(Self::Each(name, numbers.iter().map(|&number| f(number)).collect()))
    }

    fn at(&self, column: usize) -> f64 {
        match self {
            Self::All(number) => *number,
            Self::Each(_, numbers) => numbers[column],
        }
    }

    fn check(&self, family: &str, d: usize) -> Result<()> {
        match self {
            Self::Each(name, numbers) if numbers.len() != d => Err(Error::parameter(
                Param::Kernel,
                format!(
                    "{name} of {family} has {} numbers, but the samples have {d} columns: give one number for each \
                     column, or a single one for all",
                    numbers.len()
                ),
            )),
            _ => Ok(()),
        }
    }

    /// The bits of all numbers, which identify a map.
    fn write_bits(&self, key: &mut Vec<u64>) {
        match self {
            Self::All(number) => key.extend([0, number.to_bits()]),
            Self::Each(_, numbers) => {
                key.push(numbers.len() as u64);
                key.extend(numbers.iter().map(|number| number.to_bits()));
            }
        }
    }
}

impl RowMap {
    /// Columns scaled by `factor` of their numbers for the parameter `name`, if there is one for each.
    pub(super) fn scale(
        leaf: &Leaf,
        name: &'static str,
        factor: impl Fn(f64) -> f64,
    ) -> Option<Self> {
        let factors = Numbers::each(leaf, name, factor)?;
        Some(Self { family: leaf.family().name, factors, periods: None })
    }

    /// Columns wound around circles whose radius is 1, or 1/length where each column has a length of its own.
    pub(super) fn circles(leaf: &Leaf, period: &'static str, length: &'static str) -> Self {
        let factors = Numbers::each(leaf, length, f64::recip).unwrap_or(Numbers::All(1.0));
        let periods = Numbers::each(leaf, period, |period| period)
            .unwrap_or_else(|| Numbers::All(leaf.number(period)));
        Self { family: leaf.family().name, factors, periods: Some(periods) }
    }

    /// Refuses samples with another number of columns than the map has numbers, and those it has no form for.
    pub(in crate::kernel) fn check<T: Real>(&self, x: &Samples<T>) -> Result<()> {
        let d = x.features();
        self.factors.check(self.family, d)?;
        self.periods.as_ref().map_or(Ok(()), |periods| periods.check(self.family, d))?;
        match x {
            Samples::Dense(_) => Ok(()),
            Samples::Sparse(_) if self.periods.is_none() => Ok(()),
            other => Err(Error::parameter(
                Param::Kernel,
                format!(
                    "{} is for dense rows of numbers, but the samples are {}",
                    self.family,
                    other.kind()
                ),
            )),
        }
    }

    /// The mapped samples. They stay with `x`, so that all tiles of a matrix share them.
    pub(in crate::kernel) fn apply<T: Real>(&self, x: &Samples<T>) -> Result<Samples<T>> {
        self.check(x)?;
        let key = self.key();
        match x {
            Samples::Dense(x) => x.derived(&key, || self.dense(x)).map(Samples::Dense),
            Samples::Sparse(x) => x.derived(&key, || self.sparse(x)).map(Samples::Sparse),
            _ => unreachable!("checked above"),
        }
    }

    fn key(&self) -> Vec<u64> {
        let mut key = vec![u64::from(self.periods.is_some())];
        self.factors.write_bits(&mut key);
        self.periods.iter().for_each(|periods| periods.write_bits(&mut key));
        key
    }

    fn dense<T: Real>(&self, x: &Dense<T>) -> Result<Dense<T>> {
        let each = if self.periods.is_some() { 2 } else { 1 };
        let mut data = Vec::with_capacity(x.data().len() * each);
        for i in 0..x.n() {
            x.row(i).iter().enumerate().for_each(|(j, v)| self.write(j, v.to_f64(), &mut data));
        }
        Dense::from_vec(data, x.n(), x.d() * each).map_err(|_| self.beyond::<T>())
    }

    fn sparse<T: Real>(&self, x: &Csr<T>) -> Result<Csr<T>> {
        let scaled = x.map_entries(|j, v| T::from_f64(self.factors.at(j) * v.to_f64()));
        let fits = scaled.norms().iter().all(|norm| norm.is_finite());
        if fits { Ok(scaled) } else { Err(self.beyond::<T>()) }
    }

    /// Appends what the number `v` of the column j becomes.
    fn write<T: Real>(&self, j: usize, v: f64, out: &mut Vec<T>) {
        let factor = self.factors.at(j);
        match &self.periods {
            None => out.push(T::from_f64(factor * v)),
            Some(periods) => {
                // The whole turns are taken off first: of a large number, they would cost the digits of the angle.
                let turns = v / periods.at(j);
                let (sine, cosine) = (TAU * (turns - turns.round())).sin_cos();
                out.extend([T::from_f64(factor * cosine), T::from_f64(factor * sine)]);
            }
        }
    }

    fn beyond<T: Real>(&self) -> Error {
        Error::parameter(
            Param::Kernel,
            format!("the columns scaled by {} exceed the range of {}", self.family, T::NAME),
        )
    }
}
