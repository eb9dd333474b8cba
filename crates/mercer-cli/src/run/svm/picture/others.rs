//! Plots that need no plane of two columns: rows by components, predicted against true values, and the
//! scores of a search.

use mercer::{Labels, Result, Target};

use super::super::fit::Grid;
use super::super::{Job, SvmResult, Task};
use super::{machine, titles};
use crate::facts::{counted, kernel_in_short};
use crate::plot::{self, Curve, Curves, Drawing, LabelColumn, Mark, Scatter};
use crate::prediction::{Prediction, is_inside};
use crate::run::Session;
use crate::run::components;
use crate::run::predicted_vs_true::{self, PredictedVsTrue};
use crate::scores::{Measure, in_short};

/// The training set and its predictions.
pub fn draw_rows(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: &SvmResult,
) -> Result<Drawing> {
    session.progress.begin("plotting");
    let [title, subtitle] = titles(job, result);
    match (&task.targets.target, &result.prediction) {
        (Target::Values(truth), Prediction::Values { values, .. }) => {
            let predicted: Vec<f64> = (0..values.rows()).map(|row| values[(row, 0)]).collect();
            let target = &result.chosen.targets[0].0;
            let titles = &[title, format!("{subtitle}; training set; dashed: predicted = true")];
            Ok(predicted_vs_true::draw(&PredictedVsTrue {
                titles,
                target,
                truth: truth.data(),
                predicted: &predicted,
            }))
        }
        (Target::Classes { labels: Labels { names: classes, places }, .. }, _) => {
            let names: Vec<&str> = places.iter().map(|&place| classes[place].as_str()).collect();
            let key = &result.chosen.targets[0].0;
            by_components(session, task, result, [&title, &subtitle], (key, &names))
        }
        (_, Prediction::OneClass(sides)) => {
            let name = |side: &f64| if is_inside(*side) { "inside" } else { "outside" };
            let names: Vec<&str> = sides.iter().map(name).collect();
            by_components(session, task, result, [&title, &subtitle], ("", &names))
        }
        _ => unreachable!("a support vector machine predicts values, classes or decisions"),
    }
}

fn by_components(
    session: &Session,
    task: &Task<'_>,
    result: &SvmResult,
    [title, subtitle]: [&str; 2],
    (key, names): (&str, &[&str]),
) -> Result<Drawing> {
    let (features, scaling) = (&result.chosen.features, result.fitted.scaling.as_ref());
    let kernel = &machine(result).params.kernel;
    let plane = components::plane(
        session,
        (features, &task.input_kind),
        scaling,
        kernel,
        components::MOST,
    )?;
    let shown = match plane.rows.len() < names.len() {
        true => format!("; {} of them shown", counted(plane.rows.len(), "row")),
        false => String::new(),
    };
    let values: Vec<String> = plane.rows.iter().map(|&row| names[row].to_string()).collect();
    Ok(plot::scatter(&Scatter {
        title,
        subtitle: &format!("{subtitle}{shown}"),
        x: &plane.axes[0],
        y: plane.axes.get(1).map(Vec::as_slice),
        x_title: &plane.titles[0],
        y_title: plane.titles.get(1).map_or("", String::as_str),
        labels: Some(LabelColumn { name: key, values: &values }),
        names: None,
        rows: Some(&plane.rows),
        diagonal: false,
    }))
}

/// The scores of all kernels against the cost.
pub fn draw_grid(job: &Job<'_>, result: &SvmResult, grid: &Grid) -> Drawing {
    let mut order: Vec<usize> = (0..grid.costs.len()).collect();
    order.sort_by(|&a, &b| grid.costs[a].total_cmp(&grid.costs[b]));
    let curve = |kernel: usize| {
        let points = order.iter().map(|&cost| [grid.costs[cost], grid.score(kernel, cost).value]);
        let spread = |&cost: &usize| grid.score(kernel, cost).spread.unwrap_or(f64::NAN);
        let is_chosen = kernel == grid.chosen.0;
        let mark = order.iter().position(|&cost| is_chosen && cost == grid.chosen.1).map(|index| {
            let (cost, score) = (grid.costs[grid.chosen.1], grid.score(kernel, grid.chosen.1));
            Mark { index, text: format!("C {}, {}", in_short(cost), score.text()) }
        });
        Curve {
            name: kernel_in_short(&grid.kernels[kernel]),
            points: points.collect(),
            spreads: if is_chosen { order.iter().map(spread).collect() } else { Vec::new() },
            mark,
        }
    };
    let [title, _] = titles(job, result);
    let kernels = counted(grid.kernels.len(), "kernel");
    plot::curves(&Curves {
        title: &format!("Search: {}", title),
        subtitle: &format!(
            "{kernels} × {}; shaded: ± one standard error",
            counted(grid.costs.len(), "cost")
        ),
        x_title: "cost C",
        y_title: if grid.measure == Measure::R2 {
            "cross-validated R²"
        } else {
            "cross-validated accuracy"
        },
        curves: (0..grid.kernels.len()).map(curve).collect(),
        baseline: None,
        is_error: false,
    })
}
