//! Plots that need no plane of two columns: rows by components, and the scores of a search.

use mercer::{Labels, Result, Target};

use super::super::fit::Grid;
use super::super::{Job, SvmResult, Task};
use super::{machine, principal, titles};
use crate::facts::{counted, kernel_in_short};
use crate::plot::{self, Cells, Curve, Curves, Drawing, LabelColumn, Mark, Scatter};
use crate::prediction::{Prediction, is_inside};
use crate::run::Session;
use crate::run::components;
use crate::run::families;
use crate::scores::in_short;

/// The training set and its predictions.
pub fn draw_rows(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: &SvmResult,
) -> Result<Option<Drawing>> {
    session.progress.begin("plotting");
    let [title, subtitle] = titles(job, result);
    match (&task.targets.target, &result.prediction) {
        // Predicted against true values are drawn of all regressions.
        (Target::Values(_), _) => Ok(None),
        _ if principal::is_possible(task, &result.chosen.features) => {
            principal::draw(session, job, task, result).map(Some)
        }
        (Target::Classes { labels: Labels { names: classes, places }, .. }, _) => {
            let names: Vec<&str> = places.iter().map(|&place| classes[place].as_str()).collect();
            let key = &result.chosen.targets[0].0;
            by_components(session, task, result, [&title, &subtitle], (key, &names)).map(Some)
        }
        (_, Prediction::OneClass(sides)) => {
            let name = |side: &f64| if is_inside(*side) { "inside" } else { "outside" };
            let names: Vec<&str> = sides.iter().map(name).collect();
            by_components(session, task, result, [&title, &subtitle], ("", &names)).map(Some)
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
        (kernel, None),
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

/// The most kernels and costs of a heat map.
const MOST_CELLS: usize = 24;

/// The scores of all kernels and costs as shaded cells; none where one of them is alone.
pub fn draw_heat_map(job: &Job<'_>, result: &SvmResult, grid: &Grid) -> Option<Drawing> {
    let (kernels, costs) = (grid.kernels.len(), grid.costs.len());
    if kernels.min(costs) < 2 || kernels.max(costs) > MOST_CELLS {
        return None;
    }
    let mut order: Vec<usize> = (0..costs).collect();
    order.sort_by(|&a, &b| grid.costs[a].total_cmp(&grid.costs[b]));
    let value = |kernel: usize, cost: usize| grid.score(kernel, cost).value;
    let all = (0..kernels).flat_map(|kernel| order.iter().map(move |&cost| value(kernel, cost)));
    let (low, high) = all.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let shade = |v: f64| {
        let share = if high > low { (v - low) / (high - low) } else { 0.5 };
        if grid.measure.is_error() { 1.0 - share } else { share }
    };
    let cells = |kernel: usize, of: &dyn Fn(f64) -> String| -> Vec<String> {
        order.iter().map(|&cost| of(value(kernel, cost))).collect()
    };
    let texts: Vec<Vec<String>> =
        (0..kernels).map(|kernel| cells(kernel, &|v| plot::significant(v, 3))).collect();
    let shades: Vec<Vec<f64>> = (0..kernels)
        .map(|kernel| order.iter().map(|&cost| shade(value(kernel, cost))).collect())
        .collect();
    let column = order.iter().position(|&cost| cost == grid.chosen.1)?;
    let [title, _] = titles(job, result);
    Some(plot::cells(&Cells {
        title: &format!("Search: {title}"),
        subtitle: &format!("{}, {}; framed: chosen", grid.measure.name(), grid.folds.method()),
        x_title: "cost C",
        y_title: "kernel",
        columns: &order.iter().map(|&cost| in_short(grid.costs[cost])).collect::<Vec<_>>(),
        rows: &grid.kernels.iter().map(|kernel| kernel_in_short(kernel)).collect::<Vec<_>>(),
        shades: &shades,
        texts: &texts,
        marked: Some((grid.chosen.0, column)),
    }))
}

/// The scores of the best kernel of each family against the cost.
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
    let best = |kernel: usize| {
        let scores = (0..grid.costs.len()).map(|cost| grid.score(kernel, cost).value);
        scores.filter(|score| !score.is_nan()).fold(f64::NEG_INFINITY, f64::max)
    };
    let scores: Vec<f64> = (0..grid.kernels.len()).map(best).collect();
    let shown = families::best(&grid.kernels, &scores, grid.chosen.0);
    let left_out = families::note(shown.len(), grid.kernels.len());
    plot::curves(&Curves {
        title: &format!("Search: {}", title),
        subtitle: &format!(
            "{kernels} × {}{left_out}; shaded: ± one standard error",
            counted(grid.costs.len(), "cost")
        ),
        x_title: "cost C",
        y_title: &format!("cross-validated {}", grid.measure.name()),
        curves: shown.into_iter().map(curve).collect(),
        baseline: None,
        is_error: grid.measure.is_error(),
    })
}
