//! Header and tensors as a support vector machine.

use super::{PLATT, SLOPES, STEPS, STOPS};
use crate::io::model_file::frame::Fault;
use crate::io::model_file::header::Header;
use crate::io::model_file::landmarks;
use crate::io::model_file::samples;
use crate::io::model_file::tensors::Tensors;
use crate::io::model_file::unpack::params;
use crate::model::svm::{
    Calibration, CellChoice, CellState, Curve, LowRankState, ProblemReport, Svm,
};
use crate::model::{Prepared, Report};
use crate::points::Dtype;
use crate::real::Real;

/// A machine. Whether its parts fit together is for [`super::check`] to say.
pub fn svm(header: &Header, tensors: &mut Tensors<'_>) -> Result<Svm, Fault> {
    let (problems, count) = (header.k, tensors.length("support")?);
    let classes = header.classes.as_ref().map_or(1, Vec::len);
    let rows = if header.classes.is_some() { classes.saturating_sub(1) } else { 1 };
    let weights = tensors.has("class_weights").then(|| tensors.real("class_weights", &[classes]));
    // Machines of samples in single precision may have been solved in double: the report of the file says so.
    let solved_in = header.report.machine.as_ref().map_or("", |machine| &machine.precision);
    let computed_in = if solved_in == f64::NAME { Dtype::F64 } else { header.precision };
    let is_low_rank = header.report.landmarks.is_some();
    let (lines, columns) =
        if is_low_rank { (problems, tensors.columns("coef")?) } else { (rows, count) };
    let landmarks = match landmarks::unpack(header, tensors, columns, 0, false)? {
        None => None,
        Some(landmarks) => {
            // Where each class is told from all others, there is a line for each.
            let lines = tensors.rows("landmarks.dual")?;
            let dual = tensors.matrix("landmarks.dual", lines, count)?;
            Some(LowRankState { landmarks, dual })
        }
    };
    let cells = cells(tensors)?;
    // The centres of cells follow the support vectors.
    let centres = cells.as_ref().map_or(0, |cells| cells.counts.len() / classes.max(1));
    Ok(Svm {
        params: params(&header.params)?,
        support: tensors.counts("support", count)?,
        anchors: samples::anchors(header, tensors, columns.saturating_add(centres))?,
        cells,
        landmarks,
        dtype: header.precision,
        computed_in,
        trained_on: header.n,
        counts: tensors.counts("counts", classes)?,
        coef: tensors.matrix("coef", lines, columns)?,
        offset: tensors.real("offset", &[problems])?,
        classes: header.classes.clone(),
        class_weights: weights.transpose()?,
        calibration: calibration(header, tensors)?,
        prepared: Prepared::default(),
        report: report(header, tensors)?,
    })
}

fn cells(tensors: &mut Tensors<'_>) -> Result<Option<CellState>, Fault> {
    if !tensors.has("cells.counts") {
        return Ok(None);
    }
    let count = tensors.length("cells.counts")?;
    let counts = tensors.counts("cells.counts", count)?;
    let mut own = Vec::new();
    if tensors.has("cells.kernel") {
        let count = tensors.length("cells.kernel")?;
        let kernels = tensors.counts("cells.kernel", count)?;
        let cs: Vec<f64> = tensors.real("cells.c", &[count])?;
        own = kernels.into_iter().zip(cs).map(|(kernel, c)| CellChoice { kernel, c }).collect();
    }
    Ok(Some(CellState { counts, own }))
}

fn calibration(header: &Header, tensors: &mut Tensors<'_>) -> Result<Option<Calibration>, Fault> {
    let Some(folds) = header.calibration.as_ref().map(|calibration| calibration.folds) else {
        return Ok(None);
    };
    let count = tensors.length("curves.kind")?;
    let kinds = tensors.places("curves.kind", &[count])?;
    let ends = tensors.places("curves.ends", &[count])?;
    let total = tensors.length("curves.numbers")?;
    let numbers: Vec<f64> = tensors.real("curves.numbers", &[total])?;
    let wrong = |what: &str| Fault::Invalid(format!("its calibration {what}"));
    let mut start = 0;
    let mut curves = Vec::with_capacity(kinds.len());
    for (&kind, &end) in kinds.iter().zip(&ends) {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let own = numbers.get(start..end).ok_or_else(|| wrong("has ends out of order"))?;
        curves.push(curve(kind, own).ok_or_else(|| wrong("has a curve of unknown kind"))?);
        start = end;
    }
    if start != numbers.len() {
        return Err(wrong("has numbers that belong to no curve"));
    }
    Ok(Some(Calibration { curves, folds }))
}

fn curve(kind: u64, numbers: &[f64]) -> Option<Curve> {
    match (kind, numbers) {
        (SLOPES, &[below, above]) => Some(Curve::Slopes { below, above }),
        (PLATT, &[a, b]) => Some(Curve::Platt { a, b }),
        (STEPS, points) if points.len().is_multiple_of(2) => {
            let (at, value) = points.split_at(points.len() / 2);
            Some(Curve::Steps { at: at.to_vec(), value: value.to_vec() })
        }
        _ => None,
    }
}

/// The report of the header with the certificates of the problems, if there are any.
fn report(header: &Header, tensors: &mut Tensors<'_>) -> Result<Report, Fault> {
    let mut report = header.report.clone();
    let Some(machine) = &mut report.machine else { return Ok(report) };
    if !tensors.has("problems.counts") {
        return Ok(report);
    }
    let solved = tensors.rows("problems.counts")?;
    let counts = tensors.places("problems.counts", &[solved, 4])?;
    let numbers = tensors.reported("problems.numbers", &[solved, 3])?;
    // Files of earlier versions do not record what a certificate rests on.
    let (certified, rounding) = match tensors.has("problems.certified") {
        true => (
            tensors.places("problems.certified", &[solved, 3])?,
            tensors.reported("problems.rounding", &[solved])?,
        ),
        false => (vec![0; 3 * solved], vec![f64::NAN; solved]),
    };
    let known = |number: f64| (!number.is_nan()).then_some(number);
    let each = counts.chunks_exact(4).zip(numbers.chunks_exact(3));
    for ((counts, numbers), (certified, rounding)) in
        each.zip(certified.chunks_exact(3).zip(rounding))
    {
        let unknown =
            || Fault::Invalid("a solver of its report stopped for an unknown reason".into());
        let size = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        machine.problems.push(ProblemReport {
            iterations: counts[0],
            objective: numbers[0],
            gap: known(numbers[1]),
            violation: numbers[2],
            rounding: known(rounding),
            rows: size(certified[0]),
            certified_rows: size(certified[1]),
            precision: match certified[2] {
                32 => "f32".into(),
                64 => "f64".into(),
                _ => String::new(),
            },
            support: size(counts[1]),
            bounded: size(counts[2]),
            stop: *STOPS.get(size(counts[3])).ok_or_else(unknown)?,
        });
    }
    Ok(report)
}
