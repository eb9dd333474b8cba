//! Fits and predictions on a device: which samples and kernels go there, and what is done to them first.

use std::sync::Arc;

use super::kernel_on::KernelOn;
use super::note::{Note, NoteCode};
use super::origin::Seen;
use crate::context::Context;
use crate::device::{self, Backend, Device, OnDevice};
use crate::error::{Error, Param, Result};
use crate::kernel::{Kernel, KernelSpec, RowKernel, SpecKernel, Tile};
use crate::linalg::view::{Mat, MatMut};
use crate::points::{AnySamples, Samples, Span};
use crate::real::{NumbersMut, Real};

/// Fits on the device that `device` names, by `there`, or on the processor, by `here`. A device that was left to choose is not used where it is
/// missing or cannot compute the kernel; a note says so.
pub(super) fn place<M>(
    device: Device,
    there: impl FnOnce(Arc<dyn Backend>) -> Result<M>,
    here: impl FnOnce() -> Result<M>,
) -> Result<(M, Option<Note>)> {
    let choice = device::choose(device)?;
    let reason = match choice.backend {
        None => choice.reason,
        Some(backend) => match there(backend) {
            Err(Error::Parameter { name: Param::Device, message }) if device == Device::Auto => {
                Some(message)
            }
            Err(Error::Device(message)) if device == Device::Auto => Some(message),
            found => return found.map(|model| (model, None)),
        },
    };
    let note = reason.map(|reason| {
        Note::new(NoteCode::Device, format!("the kernel was computed on the processor: {reason}"))
    });
    here().map(|model| (model, note))
}

/// Refuses a device for what only the processor does.
pub(super) fn refuse(device: Device, what: &str) -> Result<()> {
    match device {
        Device::Cpu | Device::Auto => Ok(()),
        Device::Cuda(_) => {
            let message = format!("{what} on the processor only: use device cpu");
            Err(Error::parameter(Param::Device, message))
        }
    }
}

/// The device that predictions of a model are computed on: the one it was fitted on. One that was left to choose is not used for what it
/// cannot compute.
pub(super) fn for_predictions(
    device: Device,
    kernel: &KernelSpec,
    x: &AnySamples,
) -> Result<Option<Arc<dyn Backend>>> {
    match device {
        Device::Auto => {
            let computes = x.is_dense() && SpecKernel::<f64>::new(kernel)?.is_for_devices();
            Ok(if computes { device::choose(device)?.backend } else { None })
        }
        device => Ok(device::choose(device)?.backend),
    }
}

/// The matrix of the kernel on the samples of `on`.
pub(super) fn gram(
    ctx: &Context,
    backend: &dyn Backend,
    kernel: &SpecKernel<f64>,
    on: &KernelOn<f64>,
) -> Result<OnDevice> {
    let rows = row_kernel(kernel, on, &on.anchors)?;
    let mut diagonal = vec![0.0; on.anchors.n()];
    on.kernel.diag(Span::all(&on.anchors), &mut diagonal)?;
    backend.gram(ctx, rows, diagonal)
}

/// Writes k(x, anchors) · coef + offset, for samples as `on` takes them.
pub(super) fn scores<O: Real>(
    ctx: &Context,
    backend: &dyn Backend,
    (kernel, on): (&SpecKernel<f64>, &KernelOn<f64>),
    (coef, offset): (&Mat<f64>, &[f64]),
    x: &Samples<f64>,
    mut out: MatMut<'_, O>,
) -> Result<()> {
    let rows = row_kernel(kernel, on, x)?;
    write(&mut out, |out| backend.scores(ctx, &rows, coef, offset, out))
}

/// Hands `out` to `fill`, or a matrix of doubles that is rounded afterwards.
pub(super) fn write<O: Real>(
    out: &mut MatMut<'_, O>,
    fill: impl FnOnce(MatMut<'_, f64>) -> Result<()>,
) -> Result<()> {
    let (rows, cols, stride) = (out.rows, out.cols, out.stride);
    if let NumbersMut::F64(data) = O::numbers_mut(out.data) {
        return fill(MatMut::new(data, rows, cols, stride));
    }
    let mut values = Mat::try_zeros(rows, cols)?;
    fill(values.view_mut())?;
    for i in 0..rows {
        let line = &mut out.data[i * stride..i * stride + cols];
        line.iter_mut().zip(values.row(i)).for_each(|(place, v)| *place = O::from_f64(*v));
    }
    Ok(())
}

/// The kernel between `x` and the samples of `on`. A kernel that is seen from a point is computed from samples less it, where that is all there is to do.
fn row_kernel(kernel: &SpecKernel<f64>, on: &KernelOn<f64>, x: &Samples<f64>) -> Result<RowKernel> {
    if on.point().is_some() && !kernel.is_free_of_origin() {
        return Err(far());
    }
    kernel.row_kernel(&on.moved(x)?, &on.anchors)
}

/// The same for a kernel that is seen from sample `origin` of `anchors`, if it is: from samples less that one where moving them changes nothing else,
/// and else by values less those with it.
pub(super) fn seen_kernel(
    kernel: &SpecKernel<f64>,
    seen: &Seen<f64>,
    anchors: &Samples<f64>,
    x: &Samples<f64>,
    origin: Option<usize>,
) -> Result<RowKernel> {
    let Some(c) = origin else { return kernel.row_kernel(x, anchors) };
    let (anchors, x) = if kernel.is_free_of_origin() {
        let placed = seen.place(anchors)?;
        let moved = if x.is_same(anchors) { placed.clone() } else { seen.place(x)? };
        (placed, moved)
    } else if seen.is_moved() && loses_digits(kernel, seen, anchors)? {
        return Err(far());
    } else {
        (anchors.clone(), x.clone())
    };
    let inner = Box::new(kernel.row_kernel(&x, &anchors)?);
    let with = |x: &Samples<f64>| {
        let mut values = vec![0.0; x.n()];
        let tile = Tile::new(&mut values, x.n(), 1, 1);
        kernel.tile(Span::all(x), Span::new(&anchors, c..c + 1), tile).map(|()| values)
    };
    let (left, mut right) = (with(&x)?, with(&anchors)?);
    let own = right[c];
    right.iter_mut().for_each(|v| *v -= own);
    Ok(RowKernel::Less { inner, left, right })
}

/// Kernel values may be so many times as large as their differences.
const LARGER: f64 = 1e4;

/// Whether differences of kernel values lose more than a few digits, which those of samples that are moved do not.
fn loses_digits(
    kernel: &SpecKernel<f64>,
    seen: &Seen<f64>,
    anchors: &Samples<f64>,
) -> Result<bool> {
    let (mut values, mut differences) = (vec![0.0; anchors.n()], vec![0.0; anchors.n()]);
    kernel.diag(Span::all(anchors), &mut values)?;
    let placed = seen.place(anchors)?;
    seen.kernel.diag(Span::all(&placed), &mut differences)?;
    let largest = values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    let mean = differences.iter().map(|v| v.abs()).sum::<f64>() / anchors.n() as f64;
    Ok(largest > LARGER * mean)
}

fn far() -> Error {
    let message = "of samples that lie far from the origin this kernel is computed on the processor only: subtract the means of \
                   the columns first, or use device cpu";
    Error::parameter(Param::Device, message)
}
