//! Projection of rows on their first two kernel principal components, for plots.

use mercer::io::Table;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::landmarks::LandmarkParams;
use mercer::model::{Components, Scaling};
use mercer::{Dtype, KernelSpec, Result};

use super::Session;
use crate::data::{InputKind, Prepared, Scales};
use crate::plot::component_title;

/// The residual of components that are only plotted.
const TOLERANCE: f64 = 1e-4;

/// The largest number of rows in a report's plot.
pub const MOST: usize = 2_000;

/// Rows along one or two axes.
pub struct Plane {
    /// The places of the rows that are shown.
    pub rows: Vec<usize>,
    /// One or two axes, with the place of each of these rows on them.
    pub axes: Vec<Vec<f64>>,
    /// The titles of the axes.
    pub titles: Vec<String>,
}

/// The rows of `features` by their first two components under `kernel`: all of them, or `most` that lie
/// evenly among them. Components of a fit on landmarks are those on landmarks, of which there are so many.
pub fn plane(
    session: &Session,
    (features, input_kind): (&Table, &InputKind),
    scaling: Option<&Scaling>,
    (kernel, landmarks): (&KernelSpec, Option<(&LandmarkParams, usize)>),
    most: usize,
) -> Result<Plane> {
    let n = features.n_rows();
    let mut params = KernelPcaParams::new(kernel.clone())
        .components(Components::Count(2.min(landmarks.map_or(n, |(_, count)| count))))
        .tolerance(TOLERANCE)
        .remove_zero(true);
    params.landmarks = landmarks.map(|(params, _)| params.clone());
    let rows = evenly(n, most);
    let context = &session.context;
    let scales = Scales::Apply(scaling);
    let all = Prepared::of(session, features, input_kind, scales, Dtype::F64)?.input;
    let part = if rows.len() < n { all.select(&rows) } else { all };
    let model = KernelPca::fit(context, &params, &part)?;
    let scores = match landmarks {
        Some(_) => model.transform(context, &part)?,
        None => model.training_scores(),
    };
    let ratios = model.explained_variance_ratio();
    let axis = |index: usize| (0..scores.rows()).map(|row| scores[(row, index)]).collect();
    let mut axes: Vec<Vec<f64>> = (0..model.k()).map(axis).collect();
    if axes.is_empty() {
        // Rows that are all equal have no component.
        axes.push(vec![0.0; rows.len()]);
    }
    let title = |index: usize| component_title(index, ratios.get(index).copied());
    let titles = (0..axes.len()).map(title).collect();
    Ok(Plane { rows, axes, titles })
}

/// `most` of `n` places that lie evenly among them, or all.
fn evenly(n: usize, most: usize) -> Vec<usize> {
    match n <= most {
        true => (0..n).collect(),
        false => (0..most).map(|i| i * n / most).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_chosen_evenly() {
        assert_eq!(evenly(3, 5), [0, 1, 2]);
        assert_eq!(evenly(10, 4), [0, 2, 5, 7]);
    }
}
