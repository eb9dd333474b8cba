//! Scores as a picture: a map over the plane of two columns, or all in falling order.

use mercer::Result;
use mercer::io::Table;

use super::Known;
use crate::args::OutliersArgs;
use crate::data::{Form, kernel_of};
use crate::facts::{counted, kernel_in_short};
use crate::plot::{self, Drawing, Falling, Ground, Group, Map, Marks, Shape};
use crate::run::Session;
use crate::run::evaluate::evaluate;
use crate::run::plane;
use crate::said::Said;
use crate::scores::in_short;
use crate::summary::file_name;

/// Draws the scores of `features` as SVG text, in the way that shows them best; in `all` ways for a report.
pub fn draw(
    session: &Session,
    args: &OutliersArgs,
    (features, form): (&Table, &Form),
    known: &Known,
    all: bool,
) -> Result<Vec<Drawing>> {
    session.progress.begin("drawing");
    let titles = titles(args, features, known);
    let is_plane = features.n_columns() == 2 && form.is_space();
    let mut drawings = Vec::new();
    if is_plane {
        drawings.push(draw_plane(session, features, known, &titles)?);
    }
    if all || !is_plane {
        drawings.push(draw_falling(known, &titles));
    }
    Ok(drawings)
}

fn draw_plane(
    session: &Session,
    features: &Table,
    known: &Known,
    [title, subtitle]: &[String; 2],
) -> Result<Drawing> {
    let window = plane::window(features);
    let grid = plane::grid(features, window);
    let said = evaluate(session, &known.model, known.scaling.as_ref(), &grid, false)?;
    let Said::Unusual(over) = said else { unreachable!("a detector tells how unusual rows are") };
    let unusual = &known.unusual;
    let rows = 0..unusual.scores.len();
    let group: Vec<usize> = rows.map(|row| usize::from(unusual.is_outlier(row))).collect();
    let [outliers, others] = names(known);
    // Bright on the dark colours of small scores, where most rows are.
    let usual = Group { shape: Shape::Circle, ..Group::of_class(5, &others).told("usual") };
    let groups =
        [usual, Group { shape: Shape::Cross, ..Group::of_class(1, &outliers).told("outlier") }];
    let line = threshold_name(known);
    let field = plane::field(window, &over.scores);
    Ok(plot::map(&Map {
        title,
        subtitle,
        x_title: &features.name(0),
        y_title: &features.name(1),
        key_title: "score",
        ground: Ground::Heights {
            field,
            ends: ends(&over.scores),
            line: Some((unusual.threshold, &line)),
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

/// The ends of the scale of scores.
fn ends(scores: &[f64]) -> [f64; 2] {
    let most = scores.iter().copied().filter(|score| score.is_finite()).fold(0.0, f64::max);
    [0.0, if most > 0.0 { most } else { 1.0 }]
}

fn draw_falling(known: &Known, [title, subtitle]: &[String; 2]) -> Drawing {
    let unusual = &known.unusual;
    let scores: Vec<f64> = known.ranking.order.iter().map(|&row| unusual.scores[row]).collect();
    let [outliers, others] = names(known);
    plot::falling(&Falling {
        title,
        subtitle,
        x_title: "rank, from the most unusual row on",
        y_title: "score",
        scores: &scores,
        rows: &known.ranking.order,
        threshold: (unusual.threshold, &threshold_name(known)),
        names: [&outliers, &others],
    })
}

/// The names of outliers and of all other rows.
fn names(known: &Known) -> [String; 2] {
    let outliers = known.unusual.outliers();
    let others = known.unusual.scores.len() - outliers;
    [("outliers", outliers), ("others", others)]
        .map(|(name, count)| format!("{name}: {}", counted(count, "row")))
}

fn threshold_name(known: &Known) -> String {
    format!("threshold {}", in_short(known.unusual.threshold))
}

fn titles(args: &OutliersArgs, features: &Table, known: &Known) -> [String; 2] {
    let rows = counted(features.n_rows(), "row");
    let columns = counted(features.n_columns(), "column");
    let kernel = kernel_of(&known.model).map_or_else(String::new, |kernel| kernel.to_string());
    let (kernel, components) = (kernel_in_short(&kernel), counted(known.model.k(), "component"));
    let share = in_short(args.contamination);
    [
        format!("Unusual rows of {}", file_name(args.table.source.path())),
        format!("{rows} × {columns}; {kernel}; {components}; contamination {share}"),
    ]
}
