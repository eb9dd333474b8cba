//! A kernel on its training samples, seen from their mean where that saves digits.
//!
//! Regressions with an intercept have coefficients that sum to 0, and kernel k-means knows distances in feature space alone. Both see
//! no difference between k and k seen from a point ([`Recentred`]), whose values are small where samples lie far from the origin.

use std::sync::Arc;

use crate::error::{Error, Param, Result};
use crate::kernel::{Kernel, Recentred, SpecKernel};
use crate::linalg::view::Mat;
use crate::points::Samples;
use crate::real::Real;

/// A kernel and the training samples that it is evaluated on.
#[derive(Clone)]
pub(crate) struct KernelOn<T: Real> {
    /// The kernel, or the kernel seen from a point.
    pub kernel: Arc<dyn Kernel<Samples<T>, T>>,
    /// The samples, or the samples less that point.
    pub anchors: Samples<T>,
    recentred: Option<Recentred<T>>,
}

impl<T: Real> KernelOn<T> {
    /// The kernel on samples as they are.
    pub fn plain(kernel: &SpecKernel<T>, x: &Samples<T>) -> Self {
        Self { kernel: Arc::new(kernel.clone()), anchors: x.clone(), recentred: None }
    }

    /// The kernel seen from the mean of `x`, if that lies far from the origin and the kernel can be seen from it; else as it is.
    pub fn centred(kernel: &SpecKernel<T>, x: &Samples<T>) -> Self {
        let found = x.dense().and_then(|rows| rows.centred()).and_then(|centred| {
            let recentred = Recentred::new(kernel, &centred.point)?;
            (!recentred.is_of_differences()).then_some((recentred, &centred.rows))
        });
        match found {
            None => Self::plain(kernel, x),
            Some((recentred, rows)) => Self::about(recentred, rows.into()),
        }
    }

    /// The kernel seen from `point`, as a model says; without a point, as it is.
    pub fn at(kernel: &SpecKernel<T>, x: &Samples<T>, point: Option<&[T]>) -> Result<Self> {
        let Some(point) = point else { return Ok(Self::plain(kernel, x)) };
        let rows = x.need_dense("a recentred kernel")?;
        let recentred = Recentred::new(kernel, point).ok_or_else(|| {
            Error::parameter(Param::Kernel, "the kernel cannot be recentred at a point")
        })?;
        let known = rows.centred().filter(|centred| centred.point == point);
        let moved = known.map_or_else(|| rows.less(point), |centred| Ok(centred.rows.clone()))?;
        Ok(Self::about(recentred, moved.into()))
    }

    fn about(recentred: Recentred<T>, anchors: Samples<T>) -> Self {
        Self { kernel: Arc::new(recentred.clone()), anchors, recentred: Some(recentred) }
    }

    /// The point from which the kernel is seen, if it is.
    pub fn point(&self) -> Option<&[T]> {
        self.recentred.as_ref().map(Recentred::point)
    }

    /// New samples as the kernel takes them.
    pub fn moved(&self, x: &Samples<T>) -> Result<Samples<T>> {
        match (&self.recentred, x) {
            (None, _) => Ok(x.clone()),
            (Some(_), x) if self.anchors.is_same(x) => Ok(x.clone()),
            (Some(seen), Samples::Sparse(x)) => Ok(x.to_dense()?.less(seen.point())?.into()),
            (Some(seen), x) => Ok(x.need_dense("the model")?.less(seen.point())?.into()),
        }
    }

    /// Σ_i c_ij (k(m, x_i) − k(m, m)) for each column j of `coef` (n × t), whose columns sum to 0: what a sum of the kernel's values has more than
    /// the same sum of values seen from m.
    pub fn shifts(&self, coef: &Mat<f64>) -> Vec<f64> {
        let mut sums = vec![0.0; coef.cols()];
        let Some((seen, rows)) = self.recentred.as_ref().zip(self.anchors.dense()) else {
            return sums;
        };
        for (i, rise) in seen.rises(rows).into_iter().enumerate() {
            sums.iter_mut().zip(coef.row(i)).for_each(|(sum, c)| *sum += c * rise);
        }
        sums
    }
}
