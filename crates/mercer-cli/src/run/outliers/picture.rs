//! Plots of outlier scores: a map over the plane of two columns, or sorted.

use mercer::Result;
use mercer::io::Table;

use super::OutlierFit;
use crate::args::{Contamination, OutliersArgs};
use crate::data::{InputKind, kernel_of};
use crate::facts::{counted, kernel_in_short};
use crate::plot::{self, Background, Drawing, Group, Map, Marks, Shape, SortedScores};
use crate::prediction::Prediction;
use crate::run::Session;
use crate::run::plane;
use crate::run::prediction::predict;
use crate::scores::in_short;
use crate::summary::file_name;

/// Plots the scores of `features`: a map for two columns, else sorted; for a report, `all` of these.
pub fn draw(
    session: &Session,
    args: &OutliersArgs,
    (features, input_kind): (&Table, &InputKind),
    fit: &OutlierFit,
    all: bool,
) -> Result<Vec<Drawing>> {
    session.progress.begin("plotting");
    let titles = titles(args, features, fit);
    let is_plane = features.n_columns() == 2 && input_kind.is_vector();
    let mut drawings = Vec::new();
    if is_plane {
        drawings.push(draw_plane(session, features, fit, &titles)?);
    }
    if all || !is_plane {
        drawings.push(draw_sorted(fit, &titles));
    }
    Ok(drawings)
}

fn draw_plane(
    session: &Session,
    features: &Table,
    fit: &OutlierFit,
    [title, subtitle]: &[String; 2],
) -> Result<Drawing> {
    let window = plane::window(features);
    let grid = plane::grid(features, window);
    let prediction = predict(session, &fit.model, fit.scaling.as_ref(), &grid, false)?;
    let Prediction::Outliers(over) = prediction else {
        unreachable!("a detector predicts outlier scores")
    };
    let outliers = &fit.outliers;
    let rows = 0..outliers.scores.len();
    let group: Vec<usize> = rows.map(|row| usize::from(outliers.is_outlier(row))).collect();
    let [outlier_name, inlier_name] = names(fit);
    // The colours below the rows are dark and bright; ink with a rim of paper is seen on both.
    let inlier =
        Group { shape: Shape::Circle, ..Group::of_class(9, &inlier_name).hover_text("inlier") };
    let groups = [
        inlier,
        Group { shape: Shape::Cross, ..Group::of_class(1, &outlier_name).hover_text("outlier") },
    ];
    let line = threshold_name(fit);
    let field = plane::field(window, &over.scores);
    Ok(plot::map(&Map {
        title,
        subtitle,
        x_title: &features.name(0),
        y_title: &features.name(1),
        key_title: "score",
        background: Background::Ranks {
            field,
            levels: &quantiles(&outliers.scores),
            line: (outliers.threshold, &line),
        },
        marks: Marks {
            points: &plane::points(features),
            group: &group,
            groups: &groups,
            ringed: &vec![false; group.len()],
        },
        ring_name: "",
    }))
}

/// Steps of the scale of colours.
const STEPS: usize = 24;

/// Quantiles of the scores of the rows: colours that change at them differ where the rows are.
fn quantiles(scores: &[f64]) -> Vec<f64> {
    let mut sorted: Vec<f64> = scores.iter().copied().filter(|score| score.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let mut levels: Vec<f64> =
        (1..=STEPS).filter_map(|step| sorted.get(step * last / STEPS).copied()).collect();
    levels.dedup();
    levels
}

fn draw_sorted(fit: &OutlierFit, [title, subtitle]: &[String; 2]) -> Drawing {
    let outliers = &fit.outliers;
    let scores: Vec<f64> = fit.ranking.order.iter().map(|&row| outliers.scores[row]).collect();
    let [outlier_name, inlier_name] = names(fit);
    plot::sorted_scores(&SortedScores {
        title,
        subtitle,
        x_title: "rank (largest score first)",
        y_title: "score",
        scores: &scores,
        rows: &fit.ranking.order,
        threshold: (outliers.threshold, &threshold_name(fit)),
        names: [&outlier_name, &inlier_name],
    })
}

/// The names of outliers and of all other rows.
fn names(fit: &OutlierFit) -> [String; 2] {
    let outliers = fit.outliers.count();
    let others = fit.outliers.scores.len() - outliers;
    [("outliers", outliers), ("inliers", others)]
        .map(|(name, count)| format!("{name}: {}", counted(count, "row")))
}

fn threshold_name(fit: &OutlierFit) -> String {
    format!("threshold {}", in_short(fit.outliers.threshold))
}

fn titles(args: &OutliersArgs, features: &Table, fit: &OutlierFit) -> [String; 2] {
    let rows = counted(features.n_rows(), "row");
    let columns = counted(features.n_columns(), "column");
    let kernel = kernel_of(&fit.model).map_or_else(String::new, |kernel| kernel.to_string());
    let (kernel, components) = (kernel_in_short(&kernel), counted(fit.model.k(), "component"));
    let share = match args.contamination {
        Contamination::Auto => "auto".into(),
        Contamination::Share(share) => in_short(share),
    };
    [
        format!("Outliers of {}", file_name(args.table.source.path())),
        format!("{rows} × {columns}; {kernel}; {components}; contamination {share}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_quantiles_without_repetition() {
        let scores: Vec<f64> = (0..=48).rev().map(|i| f64::from(i * i)).collect();
        let levels = quantiles(&scores);
        assert_eq!((levels.len(), levels[0], levels[23]), (24, 4.0, 2304.0));
        assert_eq!(quantiles(&[2.0; 9]), [2.0]);
        assert!(quantiles(&[]).is_empty());
    }
}
