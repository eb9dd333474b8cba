//! Sparse rows made from other samples, and other samples from them.

use std::any::Any;

use super::Csr;
use crate::error::{Error, Result};
use crate::linalg::nonzeros::Nonzeros;
use crate::linalg::sparse::Lists;
use crate::points::Dense;
use crate::points::check::{beyond_range, too_large};
use crate::real::Real;

impl<T: Real> Csr<T> {
    /// The same samples without their zeros.
    pub fn from_dense(x: &Dense<T>) -> Result<Self> {
        if x.d() > u32::MAX as usize {
            let text =
                format!("sparse samples can have at most {} features, got {}", u32::MAX, x.d());
            return Err(Error::Shape(text));
        }
        Ok(Self::from_lists(Lists::new(Nonzeros::gather(x.data(), x.d(), 0)), x.d()))
    }

    /// The same samples with their zeros, if there is memory for them.
    pub fn to_dense(&self) -> Result<Dense<T>> {
        let (n, d) = (self.n(), self.d());
        let mut data = Vec::new();
        let count = n.checked_mul(d).filter(|&count| data.try_reserve_exact(count).is_ok());
        let Some(count) = count else {
            return Err(Error::Shape(format!("not enough memory for {n} × {d} values")));
        };
        data.resize(count, T::ZERO);
        for i in 0..n {
            let (at, values) = self.row(i);
            at.iter().zip(values).for_each(|(&at, &v)| data[i * d + at as usize] = v);
        }
        if n == 0 { Ok(Dense::empty(d)) } else { Dense::from_vec(data, n, d) }
    }

    /// The same samples in another number type. A value beyond that type's range is an error; the same type is a cheap clone.
    #[doc(hidden)]
    pub fn convert<U: Real>(&self) -> Result<Csr<U>> {
        if let Some(same) = (self as &dyn Any).downcast_ref::<Csr<U>>() {
            return Ok(same.clone());
        }
        let mut entries = Nonzeros::new();
        for i in 0..self.n() {
            let (at, values) = self.row(i);
            for (&at, &value) in at.iter().zip(values) {
                let converted = U::from_f64(value.to_f64());
                if !converted.is_finite() {
                    return Err(beyond_range::<T, U>(i, at as usize, value));
                }
                if converted != U::ZERO {
                    entries.push(at, converted);
                }
            }
            entries.end_row();
        }
        let lists = Lists::new(entries);
        match lists.norms().iter().position(|&norm| !(norm * U::from_f64(4.0)).is_finite()) {
            None => Ok(Csr::from_lists(lists, self.d())),
            Some(row) => Err(too_large::<U>(row)),
        }
    }
}
