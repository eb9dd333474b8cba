//! Models of more than two columns, on the plane of the first two principal components of the scaled rows.
//!
//! The plane goes through the mean of the rows. Decisions are those of its points; rows are projected onto it, so that a row may lie
//! in the region of a class other than its predicted one.

use mercer::io::{Column, Table};
use mercer::model::pca::Pca;
use mercer::{Dtype, Mat, Result};

use super::super::{Job, SvmResult, Task};
use super::{Canvas, at, draw_canvas};
use crate::data::{InputKind, Rows, Scales};
use crate::plot::{Drawing, Field, Group, Shape, component_title};
use crate::prediction::Prediction;
use crate::run::Session;
use crate::run::plane;

/// The most columns of such a plane.
const MOST_COLUMNS: usize = 1_000;
/// Points of the grid that are evaluated at a time, because each has as many numbers as a row.
const PIECE: usize = 2_048;

/// Whether rows have principal components, and points between them are possible rows.
pub fn is_possible(task: &Task<'_>, features: &Table) -> bool {
    let columns = features.n_columns();
    let is_plane = (3..=MOST_COLUMNS).contains(&columns) && features.n_rows() > 2;
    task.input_kind == InputKind::Numbers && is_plane && !features.is_sparse()
}

/// Draws regions, rows, errors and support vectors.
pub fn draw(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: &SvmResult,
) -> Result<Drawing> {
    let (features, scaling) = (&result.chosen.features, result.fitted.scaling.as_ref());
    let rows = Rows::of(session, features, Scales::Apply(scaling), Dtype::F64)?;
    let pca = Pca::fit(&session.context, &Pca::params().components(2), rows.values.view())?;
    let scores = pca.transform(&session.context, rows.values.view())?;
    // Rows on a line have one component, and equal ones none.
    let score = |row: usize, axis: usize| if axis < pca.k() { scores[(row, axis)] } else { 0.0 };
    let points: Vec<[f64; 2]> =
        (0..scores.rows()).map(|row| [0, 1].map(|axis| score(row, axis))).collect();
    let window = Field::rectangle_around(&points);
    let grid = plane::grid_points(window);
    let ratios = pca.explained_variance_ratio();
    let canvas = Canvas {
        values: decisions(session, result, &pca, &grid)?,
        window,
        points,
        axes: [0, 1].map(|axis| component_title(axis, ratios.get(axis).copied())),
        note: "; plane through the mean, rows projected",
        marks_errors: true,
    };
    Ok(draw_canvas(job, task, result, &canvas))
}

/// The decision values at points of the plane.
fn decisions(
    session: &Session,
    result: &SvmResult,
    pca: &Pca,
    grid: &[[f64; 2]],
) -> Result<Mat<f64>> {
    let (mut values, mut problems) = (Vec::new(), 0);
    for piece in grid.chunks(PIECE) {
        let table = rows_at(result, pca, piece)?;
        let found = at(session, result, &table)?;
        problems = found.cols();
        values.extend(found.into_vec());
        session.context.poll()?;
    }
    Ok(Mat::from_vec(values, grid.len(), problems))
}

/// The rows that points of the plane stand for.
fn rows_at(result: &SvmResult, pca: &Pca, points: &[[f64; 2]]) -> Result<Table> {
    let (features, d) = (&result.chosen.features, pca.d());
    let mut values: Vec<f64> = points.iter().flat_map(|point| lifted(pca, point)).collect();
    if let Some(scaling) = &result.fitted.scaling {
        scaling.undo(&mut values, d)?;
    }
    let column = |j: usize| values.iter().skip(j).step_by(d).copied().collect();
    let columns = (0..d).map(|j| Column::F64(column(j))).collect();
    Ok(Table { names: features.names.clone(), columns, ..Table::default() })
}

/// The mean of the rows plus a combination of the components.
fn lifted(pca: &Pca, point: &[f64; 2]) -> Vec<f64> {
    let along = |j: usize| {
        (0..pca.k().min(2)).map(|axis| point[axis] * pca.components[(axis, j)]).sum::<f64>()
    };
    (0..pca.d()).map(|j| pca.mean[j] + along(j)).collect()
}

/// The groups of rows, with a cross in the colour of its true class for each row that is misclassified.
pub fn with_errors(
    prediction: &Prediction,
    mut groups: Vec<Group>,
    mut group: Vec<usize>,
) -> (Vec<Group>, Vec<usize>) {
    let Prediction::Classes { places, .. } = prediction else { return (groups, group) };
    let classes = groups.len();
    if group == *places {
        return (groups, group);
    }
    for place in 0..classes {
        let own = groups[place].clone();
        let hover = format!("{}, misclassified", own.name.as_deref().unwrap_or_default());
        let name = (place == 0).then(|| "misclassified".to_string());
        groups.push(Group { name, shape: Shape::Cross, ..own }.hover_text(&hover));
    }
    for (own, place) in group.iter_mut().zip(places) {
        *own += if own == place { 0 } else { classes };
    }
    (groups, group)
}

#[cfg(test)]
mod tests {
    use mercer::Context;

    use super::*;

    #[test]
    fn points_of_the_plane_have_the_components_that_they_were_made_of() {
        let context = Context::new(1);
        let x = Mat::from_fn(12, 4, |i, j| ((i * (j + 2) * 7) % 11) as f64);
        let pca = Pca::fit(&context, &Pca::params().components(2), x.view()).unwrap();
        let point = [1.25, -0.5];
        let row = Mat::from_vec(lifted(&pca, &point), 1, 4);
        let scores = pca.transform(&context, row.view()).unwrap();
        assert!((0..2).all(|axis| (scores[(0, axis)] - point[axis]).abs() < 1e-12));
    }

    #[test]
    fn misclassified_rows_are_crosses_in_the_colour_of_their_class() {
        let groups = vec![Group::of_class(0, "a"), Group::of_class(1, "b")];
        let prediction = Prediction::Classes {
            places: vec![0, 0, 1],
            scores: Mat::zeros(3, 1),
            decisions: None,
            probabilities: None,
        };
        let (groups, group) = with_errors(&prediction, groups, vec![0, 1, 1]);
        assert_eq!(group, [0, 3, 1]);
        assert_eq!((groups[3].shape, groups[3].colour), (Shape::Cross, groups[1].colour));
        let names: Vec<_> = groups.iter().map(|group| group.name.as_deref()).collect();
        assert_eq!(names, [Some("a"), Some("b"), Some("misclassified"), None]);
    }
}
