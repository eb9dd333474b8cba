//! Eigenpairs into coefficients, offsets and a report.

use super::{KernelPca, KernelPcaParams};
use crate::gram::Plan;
use crate::linalg::view::Mat;
use crate::model::components::{Components, fix_signs};
use crate::model::note::{Note, NoteCode};
use crate::model::origin::Size;
use crate::model::prepared::Prepared;
use crate::model::report::Report;
use crate::points::Dtype;
use crate::solve::eigen::{Solver, Spectrum};
use crate::solve::threshold::{negative_share, rounding, zero_share};

/// The model without its samples. `means` are the row means of K and their mean, if K was centred.
pub(super) fn assemble(
    params: &KernelPcaParams,
    mut spectrum: Spectrum,
    trace: f64,
    means: Option<(&[f64], f64)>,
    size: Size,
    plan: &Plan,
    dtype: Dtype,
) -> KernelPca {
    let n = spectrum.vectors.cols();
    let mut report = report(&spectrum, plan, trace, norm(&spectrum, means, size, n), dtype);
    if means.is_some() {
        centre_rows(&mut spectrum.vectors);
    }
    fix_signs(&mut spectrum.vectors);
    let zero = spectrum.values[0].abs() * zero_share(dtype.epsilon());
    let zero = zero.max(rounding(dtype.epsilon(), n, size.entry));
    let alive = spectrum.values.iter().take_while(|eta| **eta > zero).count();
    let drop = params.remove_zero || params.components == Components::All;
    let k = if drop { alive } else { spectrum.values.len() };
    if alive < k {
        let dead = k - alive;
        report.notes.push(Note::new(
            NoteCode::ZeroVariance,
            format!("{dead} of {k} components have zero variance: their scores are 0"),
        ));
    }
    let mut eigenvalues = spectrum.values[..k].to_vec();
    eigenvalues[alive.min(k)..].fill(0.0);
    let root = |c: usize| eigenvalues[c].sqrt();
    let coef =
        Mat::from_fn(n, k, |i, c| if c < alive { spectrum.vectors[(c, i)] / root(c) } else { 0.0 });
    let offset = means.map_or_else(|| vec![0.0; k], |(means, mean)| offset(&coef, means, mean));
    KernelPca {
        params: params.clone(),
        eigenvalues,
        coef,
        offset,
        trace,
        mean: means.map_or(0.0, |(_, mean)| mean),
        origin: None,
        landmarks: None,
        anchors: None,
        dtype,
        computed_in: dtype,
        inverse: None,
        prepared: Prepared::default(),
        report,
    }
}

/// −(1/n) 1ᵀK a_i. The mean of all means is taken away first: 1ᵀa = 0, and large equal numbers would cancel.
fn offset(coef: &Mat<f64>, means: &[f64], mean: f64) -> Vec<f64> {
    let mut offset = vec![0.0; coef.cols()];
    for (i, own) in means.iter().enumerate() {
        offset.iter_mut().zip(coef.row(i)).for_each(|(o, a)| *o -= (own - mean) * a);
    }
    offset
}

/// Takes away the mean of each row and brings it to length 1 again. Twice: what is left of a mean after the first time is
/// a rounding error of that mean, and after the second of nothing.
fn centre_rows(rows: &mut Mat<f64>) {
    let n = rows.cols() as f64;
    for i in 0..rows.rows() {
        let row = rows.row_mut(i);
        for _ in 0..2 {
            let mean = row.iter().sum::<f64>() / n;
            row.iter_mut().for_each(|v| *v -= mean);
        }
        let length = row.iter().map(|v| v * v).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|v| *v /= length);
        }
    }
}

/// About ‖K‖ before centring, which rounding errors of kernel values are relative to.
fn norm(spectrum: &Spectrum, means: Option<(&[f64], f64)>, size: Size, n: usize) -> f64 {
    let centred = spectrum.values[0].abs().max(spectrum.smallest.abs());
    let mean = means.map_or(0.0, |(_, mean)| n as f64 * mean.abs());
    centred.max(mean).max(size.norm)
}

fn report(spectrum: &Spectrum, plan: &Plan, trace: f64, norm: f64, dtype: Dtype) -> Report {
    let n = spectrum.vectors.cols();
    let mut notes = Vec::new();
    if spectrum.smallest < -norm * negative_share(dtype.epsilon(), n) {
        notes.push(Note::new(NoteCode::Indefinite, indefinite(spectrum, trace)));
    }
    if !spectrum.converged {
        notes.push(Note::new(NoteCode::NotConverged, format!(
            "the eigenvectors did not converge: residual {:.1e} after {} passes; raise the maximum number of \
             passes or the tolerance",
            spectrum.residual, spectrum.passes
        )));
    }
    Report {
        solver: if spectrum.solver == Solver::Full { "full".into() } else { "krylov".into() },
        storage: plan.words(),
        reason: plan.reason.clone(),
        passes: spectrum.passes,
        residual: spectrum.residual,
        converged: spectrum.converged,
        precision: dtype.name().into(),
        seconds: 0.0,
        notes,
        system: None,
        machine: None,
        clusters: None,
        landmarks: None,
        optimization: None,
    }
}

/// What to say of a matrix with negative eigenvalues.
fn indefinite(spectrum: &Spectrum, trace: f64) -> String {
    let largest = spectrum.values[0].abs().max(spectrum.smallest.abs());
    let size = match spectrum.negative_sum {
        Some(sum) => {
            format!("; the negative eigenvalues sum to {:.2e} of the trace", (sum / trace).abs())
        }
        None => String::new(),
    };
    format!(
        "the kernel is indefinite on this data: its most negative eigenvalue is {:.3e}, {:.2e} of the \
         largest{size}; components with negative eigenvalues are dropped",
        spectrum.smallest,
        (spectrum.smallest / largest).abs(),
    )
}
