//! In which numbers kernel values are computed: single where that is as good as rounding double, else double.

use super::Svm;
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::gram::{Columns, Evaluated};
use crate::kernel::{Kernel, KernelSpec, SpecKernel, Tile};
use crate::points::{Dense, Points, Samples, Span};
use crate::real::Real;
use crate::solve::smo::Room;

/// A kernel with samples in the numbers that suit them.
pub(super) enum Source<T: Real> {
    /// In single precision, around the mean where only differences count.
    Single(SpecKernel<f32>, Samples<f32>),
    /// As the samples are.
    Own(SpecKernel<T>, Samples<T>),
    /// In double precision, for samples in single precision whose products cancel.
    Double(SpecKernel<f64>, Samples<f64>),
}

/// Samples that are compared to see whether single precision is good enough.
const PROBED: usize = 128;
/// Products of all features of all pairs up to which double precision costs some milliseconds.
const CHEAP: usize = 100_000_000;
/// The error of a kernel value, as a share of the largest, that a sum over many support vectors still forgives.
const FORGIVEN: f64 = 1e-6;

impl<T: Real> Source<T> {
    /// Sets aside what samples in other numbers take: n × d, in single precision or, of those in single precision, in double.
    pub fn reserve(ctx: &Context, x: &Samples<T>) -> Result<Reservation> {
        let size = if T::EPSILON < 1e-10 { size_of::<f32>() } else { size_of::<f64>() } as u64;
        let bytes = size.saturating_mul(x.n() as u64).saturating_mul(x.width() as u64);
        let hint = "fit on fewer rows or raise the budget";
        let least = bytes.saturating_add(Room::least(x.n(), x.width()));
        ctx.need("a support vector machine", least, hint)?;
        ctx.reserve("the samples in another precision", bytes, hint)
    }

    /// Chooses for a resolved kernel.
    pub fn new(spec: &KernelSpec, x: &Samples<T>) -> Result<Self> {
        // Few samples cost next to nothing in any numbers, and at an extreme C every digit counts.
        if (x.n() * x.n()).saturating_mul(x.width()) <= CHEAP && T::EPSILON < 1e-10 {
            return Ok(Source::Own(SpecKernel::new(spec)?, x.clone()));
        }
        if let Ok(kernel) = SpecKernel::<f32>::new(spec)
            && let Some(points) = tame(&kernel, spec, x)?
        {
            return Ok(Source::Single(kernel, points));
        }
        match T::EPSILON < 1e-10 {
            true => Ok(Source::Own(SpecKernel::new(spec)?, x.clone())),
            false => Ok(Source::Double(SpecKernel::new(spec)?, x.convert()?)),
        }
    }

    /// The columns of its matrix.
    pub fn columns(&self) -> Box<dyn Columns + '_> {
        match self {
            Source::Single(kernel, points) => Box::new(Evaluated::new(kernel, points.clone())),
            Source::Own(kernel, points) => Box::new(Evaluated::new(kernel, points.clone())),
            Source::Double(kernel, points) => Box::new(Evaluated::new(kernel, points.clone())),
        }
    }

    /// Writes down in a machine fitted on `x` what it needs to know of its samples.
    pub fn tell(&self, model: &mut Svm<T>, x: &Samples<T>, kernel: &KernelSpec) -> Result<()> {
        model.anchors = Some(x.select(&model.support));
        model.params.kernel = kernel.resolve(x)?;
        if let Some(machine) = &mut model.report.machine {
            machine.precision = self.precision().into();
        }
        Ok(())
    }

    /// `"f32"` or `"f64"`.
    fn precision(&self) -> &'static str {
        match self {
            Source::Single(..) => f32::NAME,
            Source::Own(..) => T::NAME,
            Source::Double(..) => f64::NAME,
        }
    }
}

/// The samples in single precision, as they are or around their mean, if kernel values come out as well as rounded ones.
fn tame<T: Real>(
    kernel: &SpecKernel<f32>,
    spec: &KernelSpec,
    x: &Samples<T>,
) -> Result<Option<Samples<f32>>> {
    let exact = SpecKernel::<f64>::new(spec)?;
    let some: Vec<usize> = (0..PROBED.min(x.n())).map(|k| k * x.n() / PROBED.min(x.n())).collect();
    let true_values = square(&exact, &x.select(&some).convert::<f64>()?)?;
    let good = |points: &Samples<f32>| -> Result<bool> {
        let values = square(kernel, &points.select(&some))?;
        let largest = true_values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let errors = values.iter().zip(&true_values).map(|(v, exact)| (v.f64() - exact).abs());
        Ok(errors.fold(0.0, f64::max) <= FORGIVEN * largest)
    };
    if let Ok(plain) = x.convert::<f32>()
        && good(&plain)?
    {
        return Ok(Some(plain));
    }
    let Some(rows) = x.dense() else { return Ok(None) };
    if !kernel.measured().is_some_and(|measured| measured.is_of_differences()) {
        return Ok(None);
    }
    let centred = Samples::from(around_mean(rows)?);
    Ok(good(&centred)?.then_some(centred))
}

fn square<T: Real>(kernel: &SpecKernel<T>, points: &Samples<T>) -> Result<Vec<T>> {
    let n = points.n();
    let mut values = vec![T::ZERO; n * n];
    kernel.tile(Span::all(points), Span::all(points), Tile::new(&mut values, n, n, n))?;
    Ok(values)
}

/// Differences stay what they are, and numbers become smaller.
fn around_mean<T: Real>(x: &Dense<T>) -> Result<Dense<f32>> {
    let (n, d) = (x.n(), x.d());
    let mut mean = vec![0.0_f64; d];
    for row in x.data().chunks_exact(d) {
        mean.iter_mut().zip(row).for_each(|(sum, v)| *sum += v.f64());
    }
    mean.iter_mut().for_each(|sum| *sum /= n as f64);
    let around = |(at, v): (usize, &T)| (v.f64() - mean[at % d]) as f32;
    Dense::from_vec(x.data().iter().enumerate().map(around).collect(), n, d)
}
