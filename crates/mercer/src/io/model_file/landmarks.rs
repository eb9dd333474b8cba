//! What a low-rank model has more than an exact one, in files.

use super::check::Checked;
use super::frame::Fault;
use super::header::Header;
use super::tensors::{Tensor, Tensors};
use crate::gram::LandmarkSums;
use crate::linalg::view::Mat;
use crate::model::landmarks::LandmarkState;

/// The arrays of a low-rank model beside coefficients and landmarks.
pub fn tensors(state: &LandmarkState) -> Vec<Tensor<'_>> {
    let LandmarkState { point, mean_coef, sums } = state;
    let mut tensors = vec![Tensor::real("landmarks.mean_coef", &[mean_coef.len()], mean_coef)];
    tensors.extend(point.iter().map(|p| Tensor::real("landmarks.point", &[p.len()], p)));
    if let Some(sums) = sums {
        let t = sums.t();
        tensors.extend([
            Tensor::matrix("landmarks.gram", &sums.gram),
            Tensor::matrix("landmarks.moments", &sums.moments),
            Tensor::number("landmarks.trace", &sums.trace),
            Tensor::number("landmarks.weight", &sums.weight),
            Tensor::places("landmarks.count", &[1], std::iter::once(sums.count)),
            Tensor::real("landmarks.target_origin", &[t], &sums.target_origin),
            Tensor::real("landmarks.target_sums", &[t], &sums.target_sums),
            Tensor::real("landmarks.target_squares", &[t], &sums.target_squares),
        ]);
    }
    tensors
}

/// Reads the arrays of a low-rank model with m landmarks and t targets; `None` for an exact one. Its report shows which it is.
pub fn unpack(
    header: &Header,
    tensors: &mut Tensors<'_>,
    m: usize,
    t: usize,
    center: bool,
) -> Result<Option<LandmarkState>, Fault> {
    if header.report.landmarks.is_none() {
        return Ok(None);
    }
    let mean_coef = tensors.real("landmarks.mean_coef", &[if center { m } else { 0 }])?;
    let point = match (tensors.has("landmarks.point"), header.d) {
        (true, Some(d)) => Some(tensors.real("landmarks.point", &[d])?),
        _ => None,
    };
    let sums = tensors.has("landmarks.gram").then(|| sums(tensors, m, t)).transpose()?;
    Ok(Some(LandmarkState { point, mean_coef, sums }))
}

fn sums(tensors: &mut Tensors<'_>, m: usize, t: usize) -> Result<LandmarkSums, Fault> {
    let columns =
        t.checked_add(1).ok_or_else(|| Fault::Invalid("it has too many targets".into()))?;
    let gram: Mat<f64> = tensors.matrix("landmarks.gram", m, m)?;
    Ok(LandmarkSums {
        gram,
        moments: tensors.matrix("landmarks.moments", m, columns)?,
        trace: tensors.number("landmarks.trace")?,
        weight: tensors.number("landmarks.weight")?,
        count: tensors.places("landmarks.count", &[1])?[0],
        target_origin: tensors.real("landmarks.target_origin", &[t])?,
        target_sums: tensors.real("landmarks.target_sums", &[t])?,
        target_squares: tensors.real("landmarks.target_squares", &[t])?,
    })
}

/// Whether the parts of a low-rank model with m landmarks and t targets fit together.
pub fn check(state: Option<&LandmarkState>, reported: bool, m: usize, t: usize) -> Checked {
    let Some(state) = state else {
        return if reported {
            Err("it has a report on landmarks, but no landmarks".into())
        } else {
            Ok(())
        };
    };
    if !reported {
        return Err("it has landmarks, but no report on them".into());
    }
    let fits = |sums: &LandmarkSums| sums.m() == m && sums.t() == t && sums.weight > 0.0;
    let means = [0, m].contains(&state.mean_coef.len());
    if !means || state.sums.as_ref().is_some_and(|sums| !fits(sums)) {
        return Err(format!("the sums over its rows do not fit {m} landmarks and {t} targets"));
    }
    let point = state.point.iter().flatten();
    match state.mean_coef.iter().chain(point).all(|v| v.is_finite()) {
        true => Ok(()),
        false => Err("a number of its landmarks is not finite".into()),
    }
}
