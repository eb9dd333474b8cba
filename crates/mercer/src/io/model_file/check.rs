//! Whether the parts of a model fit together. The same check guards writing and reading, so that what was saved can be
//! loaded, and nothing that was loaded makes a later step fail.

use super::{ModelFile, landmarks, notes};
use crate::kernel::{KernelSpec, SpecKernel};
use crate::linalg::view::Mat;
use crate::model::inverse::{Inverse, InverseParams};
use crate::model::kernel_pca::KernelPca;
use crate::model::kernel_ridge::KernelRidge;
use crate::model::origin::Origin;
use crate::model::pca::Pca;
use crate::model::{Components, Scaling};
use crate::points::{Dtype, with_dtype};

pub(super) type Checked = Result<(), String>;

/// Refuses what does not fit together, in the words of what is wrong.
pub fn check(saved: &ModelFile) -> Checked {
    saved.model.persist().check()?;
    let inputs = saved.model.inputs();
    if let Some(scale) = &saved.scaling {
        scaling(scale, inputs)?;
    }
    if let Some(names) = &saved.feature_names {
        count("names of columns", names.len(), inputs)?;
    }
    notes::check(saved)
}

pub(super) fn pca(model: &Pca) -> Checked {
    let (n, d, k) = (model.n, model.d(), model.k());
    if n < 2 || d == 0 || k > n.min(d) {
        return Err(format!("{k} components of {n} samples with {d} features are impossible"));
    }
    shape("components", &model.components, k, d)?;
    finite("mean", &model.mean)?;
    finite("components", model.components.data())?;
    finite("variance", &model.variance)?;
    finite("total and noise variance", &[model.total_variance, model.noise_variance])?;
    match model.params.components {
        Components::Count(0) => Ok(()),
        choice => components(choice),
    }
}

/// A sample that kernel values are taken relative to, with its own kernel values if and only if the matrix was given.
fn origin(origin: &Origin, n: usize, given: bool) -> Checked {
    if origin.sample >= n {
        return Err(format!("the origin is sample {} of {n}", origin.sample));
    }
    finite("mean relative to the origin", &[origin.mean])?;
    match &origin.row {
        Some(row) if given => {
            count("kernel values of the origin", row.len(), n)?;
            finite("kernel values of the origin", row)
        }
        None if !given => Ok(()),
        Some(_) => Err("there are kernel values of the origin beside the samples".into()),
        None => Err("the kernel values of the origin are missing".into()),
    }
}

pub(super) fn kernel_pca(model: &KernelPca) -> Checked {
    let (n, k) = (model.n(), model.k());
    if n == 0 || k > n {
        return Err(format!("{k} components of {n} samples are impossible"));
    }
    shape("coefficients", &model.coef, n, k)?;
    count("offsets", model.offset.len(), k)?;
    finite("eigenvalues", &model.eigenvalues)?;
    finite("coefficients", model.coef.data())?;
    finite("offsets", &model.offset)?;
    finite("trace and mean", &[model.trace, model.mean])?;
    landmarks::check(model.landmarks.as_ref(), model.report.landmarks.is_some(), n, 0)?;
    if let Some(origin) = &model.origin {
        self::origin(origin, n, model.anchors.is_none())?;
    }
    if let Some(eta) = model.eigenvalues.iter().find(|eta| **eta < 0.0) {
        return Err(format!("an eigenvalue is {eta:e}, below 0"));
    }
    components(model.params.components)?;
    model.params.inverse.as_ref().map_or(Ok(()), alpha)?;
    match (&model.anchors, &model.inverse) {
        (None, None) => Ok(()),
        (None, Some(_)) => Err("there is an inverse map, but no samples".into()),
        (Some(anchors), map_back) => {
            count("training samples", anchors.n(), n)?;
            kernel(&model.params.kernel, model.dtype)?;
            map_back.as_ref().map_or(Ok(()), |map| inverse(map, n, anchors.features(), k))
        }
    }
}

pub(super) fn kernel_ridge(model: &KernelRidge) -> Checked {
    let (n, t) = (model.n(), model.t());
    if n == 0 || t == 0 {
        return Err(format!("{t} targets of {n} samples are impossible"));
    }
    count("offsets", model.offset.len(), t)?;
    finite("coefficients", model.coef.data())?;
    finite("offsets", &model.offset)?;
    model.params.alpha.iter().try_for_each(|&alpha| penalty("penalty", alpha))?;
    if ![1, t].contains(&model.params.alpha.len()) {
        return Err(format!("there are {} penalties for {t} targets", model.params.alpha.len()));
    }
    landmarks::check(model.landmarks.as_ref(), model.report.landmarks.is_some(), n, t)?;
    if let Some(weights) = &model.weights {
        count("weights", weights.len(), n)?;
        if !weights.iter().all(|w| *w >= 0.0 && w.is_finite()) || weights.iter().all(|w| *w == 0.0)
        {
            return Err("the weights are negative, not finite, or all zero".into());
        }
    }
    if let Some(classes) = &model.classes {
        count("classes", classes.len(), if t == 1 { 2 } else { t })?;
    }
    match &model.anchors {
        None => Ok(()),
        Some(anchors) => {
            count("training samples", anchors.n(), n)?;
            kernel(&model.params.kernel, model.dtype)
        }
    }
}

fn inverse(map: &Inverse, n: usize, d: usize, k: usize) -> Checked {
    count("samples of the inverse map", map.anchors.n(), n)?;
    count("components of the inverse map", map.anchors.features(), k)?;
    shape("coefficients of the inverse map", &map.coef, n, d)?;
    count("offsets of the inverse map", map.offset.len(), d)?;
    finite("coefficients of the inverse map", map.coef.data())?;
    finite("offsets of the inverse map", &map.offset)?;
    alpha(&map.params)?;
    kernel(&map.params.kernel, map.anchors.dtype())
}

/// Whether a kernel can be evaluated with numbers of a type.
pub(super) fn kernel(spec: &KernelSpec, dtype: Dtype) -> Checked {
    let built = with_dtype!(dtype, T => SpecKernel::<T>::new(spec).map(drop));
    built.map_err(|error| error.to_string())
}

fn alpha(params: &InverseParams) -> Checked {
    let alpha = params.alpha.ok_or("the penalty of the inverse map is missing")?;
    penalty("penalty of the inverse map", alpha)
}

fn penalty(what: &str, alpha: f64) -> Checked {
    if alpha >= 0.0 && alpha.is_finite() {
        return Ok(());
    }
    Err(format!("the {what} must not be negative, but is {alpha}"))
}

fn components(choice: Components) -> Checked {
    choice.check(usize::MAX, "the format").map_err(|error| error.to_string())
}

fn scaling(scaling: &Scaling, inputs: usize) -> Checked {
    count("shifts of the scaling", scaling.shift.len(), inputs)?;
    count("factors of the scaling", scaling.factor.len(), inputs)?;
    finite("shifts of the scaling", &scaling.shift)?;
    finite("factors of the scaling", &scaling.factor)?;
    match scaling.factor.contains(&0.0) {
        true => Err("a factor of the scaling is 0: it cannot be inverted".into()),
        false => Ok(()),
    }
}

pub(super) fn count(what: &str, found: usize, expected: usize) -> Checked {
    if found == expected {
        return Ok(());
    }
    Err(format!("there are {found} {what}, expected {expected}"))
}

pub(super) fn shape(what: &str, matrix: &Mat<f64>, rows: usize, cols: usize) -> Checked {
    let (r, c) = (matrix.rows(), matrix.cols());
    if (r, c) == (rows, cols) {
        return Ok(());
    }
    Err(format!("the {what} are {r} × {c}, expected {rows} × {cols}"))
}

pub(super) fn finite(what: &str, numbers: &[f64]) -> Checked {
    match numbers.iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(at) => Err(format!("entry {at} (zero-based) of the {what} is {}", numbers[at])),
    }
}
