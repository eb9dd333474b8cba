//! The precision in which kernel values are computed: single where that is as good as rounding double, else double.

use std::sync::Arc;

use super::exact_kernel::{ExactKernel, PROBED, Probe, Working, common, references, spread_out};
use crate::context::{Context, Reservation};
use crate::error::Result;
use crate::gram::{Columns, Evaluated, Reach};
use crate::kernel::{Kernel, KernelSpec, Recentred, SpecKernel, Tile};
use crate::points::{Dense, Dtype, Points, Samples, Span};
use crate::real::Real;
use crate::solve::smo::MemoryPlan;

/// A kernel on samples, in the precision that suffices.
pub(super) struct KernelPrecision<T: Real> {
    centred: Centred<T>,
    numbers: Numbers,
    /// What is taken off values after they are computed.
    shift: Vec<f64>,
    /// What is taken off values, in whatever way.
    taken_off: Vec<f64>,
    /// What is taken off all values alike, beside.
    constant: f64,
    largest: f64,
    single_error: f64,
    /// How far samples reach, where kernel values fall off with distance.
    reach: Option<Reach>,
}

/// A kernel on samples in numbers of a type.
type Compiled<T> = Arc<dyn Kernel<Samples<T>, T>>;
/// A kernel and samples in single precision, and the error of their values.
type InSingle = (Compiled<f32>, Samples<f32>, f64);

/// A kernel with samples less a centre.
struct Centred<T: Real> {
    kernel: Compiled<f64>,
    x: Samples<T>,
    /// What is taken off every sample.
    centre: Option<Vec<f64>>,
    /// The kernel seen from the centre, where its values are not those of the kernel.
    recentred: Option<Recentred<f64>>,
}

/// The samples in the numbers that suit them.
enum Numbers {
    /// Values are computed in single precision.
    Single(Compiled<f32>, Samples<f32>),
    /// They are computed in double precision, and rounded.
    Rounded(Samples<f64>),
    /// They are computed and kept in double precision.
    Double(Samples<f64>),
}

/// Products of all features of all pairs up to which double precision costs some milliseconds.
const CHEAP: usize = 100_000_000;
/// The error of a kernel value, as a share of the largest around the mean, that a sum over many support vectors still forgives.
const FORGIVEN: f64 = 2e-6;
/// How far the mean must be from 0, in squares of the spread around it, for samples to be moved there.
const FAR_MEAN: f64 = 16.0;
/// Samples at most that a mean and the largest value are taken from.
const ENOUGH: usize = 4096;
/// Numbers up to which sparse samples are written out: 2 MiB.
const SMALL: usize = 1 << 18;

impl<T: Real> KernelPrecision<T> {
    /// Sets aside what samples in other numbers, or less their mean, take: n × d, in up to double precision.
    pub fn reserve(ctx: &Context, x: &Samples<T>) -> Result<Reservation> {
        let cost = x.cost();
        let each = if is_small(x) { 8 * x.features() as u64 } else { cost.bytes };
        let bytes = each.saturating_mul(x.n() as u64);
        let hint = "fit on fewer rows or raise the memory budget";
        let least = bytes.saturating_add(MemoryPlan::least(x.n(), cost));
        ctx.need("a support vector machine", least, hint)?;
        ctx.reserve("the samples in another precision", bytes, hint)
    }

    /// For a resolved kernel.
    pub fn new(spec: &KernelSpec, x: &Samples<T>) -> Result<Self> {
        let x = &written_out(x)?;
        let some = spread_out(x.n(), PROBED);
        let centred = Centred::new(spec, x, &some)?;
        let exact = Probe::new(square(&*centred.kernel, &centred.points(&some)?)?);
        // Few samples cost next to nothing in any numbers, and at an extreme C every digit counts.
        let is_cheap = (x.n() * x.n()).saturating_mul(x.cost().eval_cost) <= CHEAP;
        // A user-defined function is not given rounded numbers.
        let unseen = spec.custom_functions().is_empty()
            || matches!(x, Samples::Items(_) | Samples::Strings(_));
        let is_single = !is_cheap && unseen;
        let single =
            if is_single { centred.to_f32_if_sufficient(spec, &exact, &some)? } else { None };
        let rounded = f64::from(f32::EPSILON) * exact.spread;
        let (numbers, single_error) = match single {
            Some((kernel, points, error)) => (Numbers::Single(kernel, points), error),
            None if is_cheap => (Numbers::Double(centred.points_of(x)?), rounded),
            None => (Numbers::Rounded(centred.points_of(x)?), rounded),
        };
        let shift = match &numbers {
            Numbers::Double(points) | Numbers::Rounded(points) if exact.is_far() => {
                centred.in_common(points)?
            }
            _ => Vec::new(),
        };
        let constant = centred.recentred.as_ref().map_or(0.0, Recentred::at_point);
        let taken_off = centred.rises()?.unwrap_or_else(|| shift.clone());
        let largest = centred.largest(spec)?.max(exact.largest);
        let reach = match &numbers {
            Numbers::Single(_, points) if centred.recentred.is_none() => {
                let square = SpecKernel::<f64>::new(spec)?.reach();
                points.dense().zip(square).and_then(|(rows, square)| Reach::new(rows, square))
            }
            _ => None,
        };
        Ok(Self { centred, numbers, shift, taken_off, constant, largest, single_error, reach })
    }

    fn evaluated(&self, points: Samples<f64>) -> Evaluated<'_, Samples<f64>, f64> {
        Evaluated::new(&*self.centred.kernel, points).less(&self.shift)
    }
}

impl<T: Real> Centred<T> {
    /// Finds the centre: far away, and where values of `some` samples have most in common. Functions of differences are
    /// moved at no cost.
    fn new(spec: &KernelSpec, x: &Samples<T>, some: &[usize]) -> Result<Self> {
        let kernel = SpecKernel::<f64>::new(spec)?;
        let centre = x.dense().and_then(far_mean);
        let recentred = centre.as_deref().and_then(|centre| Recentred::new(&kernel, centre));
        let (centre, recentred) = match recentred {
            None => (None, None),
            Some(recentred) if recentred.is_of_differences() => (centre, None),
            Some(recentred) => {
                let probe = Probe::new(square(&kernel, &x.select(some).convert()?)?);
                if probe.is_far() { (centre, Some(recentred)) } else { (None, None) }
            }
        };
        let kernel: Compiled<f64> = match &recentred {
            Some(recentred) => Arc::new(recentred.clone()),
            None => Arc::new(kernel),
        };
        Ok(Self { kernel, x: x.clone(), centre, recentred })
    }

    /// Kernel and samples in single precision and the error of values, if these come out as well as rounded ones.
    fn to_f32_if_sufficient(
        &self,
        spec: &KernelSpec,
        exact: &Probe,
        some: &[usize],
    ) -> Result<Option<InSingle>> {
        let Ok(kernel) = SpecKernel::<f32>::new(spec) else { return Ok(None) };
        let converted = match (&self.centre, self.x.dense()) {
            (Some(centre), Some(rows)) => around::<T, f32>(rows, centre).map(Samples::from),
            _ => self.x.convert::<f32>(),
        };
        let Ok(points) = converted else { return Ok(None) };
        let kernel: Compiled<f32> = match &self.recentred {
            None => Arc::new(kernel),
            Some(seen) => {
                let point: Vec<f32> = seen.point().iter().map(|&v| v as f32).collect();
                let Some(seen) = Recentred::new(&kernel, &point) else { return Ok(None) };
                Arc::new(seen)
            }
        };
        let values = square(&*kernel, &points.select(some))?;
        let errors = values.iter().zip(&exact.values).map(|(v, exact)| (v.to_f64() - exact).abs());
        let error = errors.fold(0.0, f64::max);
        Ok(f32_suffices(error, exact).then_some((kernel, points, error)))
    }

    /// Samples in double precision, less the centre.
    fn points(&self, which: &[usize]) -> Result<Samples<f64>> {
        self.points_of(&self.x.select(which))
    }

    fn points_of(&self, x: &Samples<T>) -> Result<Samples<f64>> {
        match (&self.centre, x.dense()) {
            (Some(centre), Some(rows)) => Ok(around::<T, f64>(rows, centre)?.into()),
            _ => x.convert(),
        }
    }

    /// What the values of each sample with all others have in common.
    fn in_common(&self, points: &Samples<f64>) -> Result<Vec<f64>> {
        let with = references(points.n());
        let (n, count) = (points.n(), with.len());
        let mut values = vec![0.0; n * count];
        let tile = Tile::new(&mut values, n, count, count);
        let some = points.select(&with);
        self.kernel.tile(Span::all(points), Span::all(&some), tile)?;
        Ok(common(&values, &with))
    }

    /// k(c, x) − k(c, c) of each sample x, where the kernel is seen from the centre c.
    fn rises(&self) -> Result<Option<Vec<f64>>> {
        let Some(seen) = &self.recentred else { return Ok(None) };
        let rows = self.x.need_dense("a centre")?;
        let mut less = vec![0.0; rows.d()];
        let rise = |row: &[T]| {
            let each = less.iter_mut().zip(row).zip(seen.point());
            each.for_each(|((to, v), c)| *to = v.to_f64() - c);
            seen.rise(&less)
        };
        Ok(Some(rows.data().chunks_exact(rows.d()).map(rise).collect()))
    }

    /// The largest value of a sample with itself, of enough of them; 0 where that would call a user-defined function.
    fn largest(&self, spec: &KernelSpec) -> Result<f64> {
        if !spec.custom_functions().is_empty() {
            return Ok(0.0);
        }
        let points = self.points(&spread_out(self.x.n(), ENOUGH))?;
        let mut values = vec![0.0; points.n()];
        self.kernel.diag(Span::all(&points), &mut values)?;
        Ok(values.iter().fold(0.0, |most, v| most.max(v.abs())))
    }
}

/// Whether kernel values with this error in single precision are as good as rounded ones.
fn f32_suffices(error: f64, exact: &Probe) -> bool {
    error <= FORGIVEN * exact.spread
}

/// Whether samples are sparse rows that take little with their zeros.
fn is_small<T: Real>(x: &Samples<T>) -> bool {
    matches!(x, Samples::Sparse(_)) && x.n().saturating_mul(x.features()) <= SMALL
}

/// The samples, small sparse ones with their zeros: sums in the same order as for dense samples give the same model to the
/// last bit, where the order would decide between steps that are equally good.
fn written_out<T: Real>(x: &Samples<T>) -> Result<Samples<T>> {
    let Samples::Sparse(rows) = x else { return Ok(x.clone()) };
    if !is_small(x) || rows.d() == 0 {
        return Ok(x.clone());
    }
    let (starts, d) = (rows.starts(), rows.d());
    let mut data = vec![T::ZERO; rows.n() * d];
    for (line, ends) in data.chunks_exact_mut(d).zip(starts.windows(2)) {
        for at in ends[0]..ends[1] {
            line[rows.columns()[at] as usize] = rows.values()[at];
        }
    }
    Ok(Dense::from_vec(data, rows.n(), d)?.into())
}

impl<T: Real> ExactKernel for KernelPrecision<T> {
    fn columns(&self) -> Working<'_> {
        match &self.numbers {
            Numbers::Single(kernel, points) => {
                let columns = Evaluated::new(&**kernel, points.clone());
                Working::Single(Box::new(columns.within(self.reach.clone())))
            }
            Numbers::Rounded(points) => Working::Single(Box::new(self.evaluated(points.clone()))),
            Numbers::Double(points) => Working::Double(Box::new(self.evaluated(points.clone()))),
        }
    }

    fn exact<'a>(&'a self, which: &[usize]) -> Result<Box<dyn Columns<f64> + 'a>> {
        let shift: Vec<f64> = match self.shift.is_empty() {
            true => Vec::new(),
            false => which.iter().map(|&i| self.shift[i]).collect(),
        };
        Ok(Box::new(
            Evaluated::new(&*self.centred.kernel, self.centred.points(which)?).less(&shift),
        ))
    }

    fn taken_off(&self) -> &[f64] {
        &self.taken_off
    }

    fn constant(&self) -> f64 {
        self.constant
    }

    fn cost_per_entry(&self) -> usize {
        self.centred.x.cost().eval_cost.max(1)
    }

    fn largest(&self) -> f64 {
        self.largest
    }

    fn single_error(&self) -> f64 {
        self.single_error
    }

    fn computed_in(&self) -> Dtype {
        match self.numbers {
            Numbers::Single(..) => Dtype::F32,
            _ => Dtype::F64,
        }
    }

    fn dtype(&self) -> Dtype {
        Dtype::of::<T>()
    }
}

fn square<T: Real>(kernel: &dyn Kernel<Samples<T>, T>, points: &Samples<T>) -> Result<Vec<T>> {
    let n = points.n();
    let mut values = vec![T::ZERO; n * n];
    kernel.tile(Span::all(points), Span::all(points), Tile::new(&mut values, n, n, n))?;
    Ok(values)
}

/// The mean of the samples, or of enough of them, if they are much farther from 0 than from it; in numbers that single
/// precision knows, so that it is the same in both.
pub(super) fn far_mean<T: Real>(x: &Dense<T>) -> Option<Vec<f64>> {
    let some = spread_out(x.n(), ENOUGH);
    let count = some.len() as f64;
    let mut mean = vec![0.0_f64; x.d()];
    for &i in &some {
        mean.iter_mut().zip(x.row(i)).for_each(|(sum, v)| *sum += v.to_f64());
    }
    mean.iter_mut().for_each(|sum| *sum = f64::from((*sum / count) as f32));
    if mean.iter().any(|v| v.is_infinite()) {
        return None;
    }
    let square = |&i: &usize| -> f64 {
        x.row(i).iter().zip(&mean).map(|(v, mean)| (v.to_f64() - mean).powi(2)).sum()
    };
    let spread = some.iter().map(square).sum::<f64>() / count;
    let far: f64 = mean.iter().map(|v| v * v).sum();
    (far > FAR_MEAN * spread).then_some(mean)
}

/// Samples less `centre`: differences stay what they are, and numbers become smaller.
pub(super) fn around<T: Real, U: Real>(x: &Dense<T>, centre: &[f64]) -> Result<Dense<U>> {
    let d = x.d();
    let less = |(at, v): (usize, &T)| U::from_f64(v.to_f64() - centre[at % d]);
    Dense::from_vec(x.data().iter().enumerate().map(less).collect(), x.n(), d)
}
