//! Pictures that need no plane of two columns: rows by their components, predictions against what is true, and the
//! scores of a search.

use mercer::Result;

use super::super::learn::Grid;
use super::super::lesson::Target;
use super::super::{Done, Job, Task};
use super::{machine, titles};
use crate::facts::{counted, kernel_in_short};
use crate::plot::{self, Curve, Curves, Drawing, LabelColumn, Mark, Scatter};
use crate::run::Session;
use crate::run::agreement::{self, Agreement};
use crate::run::components;
use crate::said::{Said, is_inside};
use crate::scores::{Measure, in_short};

/// The rows that the machine learned from, and what it says of them.
pub fn draw_rows(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    done: &Done,
) -> Result<Drawing> {
    session.progress.begin("drawing");
    let [title, subtitle] = titles(job, done);
    match (&task.lesson.target, &done.said) {
        (Target::Values(truth), Said::Values { values, .. }) => {
            let predicted: Vec<f64> = (0..values.rows()).map(|row| values[(row, 0)]).collect();
            let target = &done.chosen.targets[0].0;
            let titles = &[title, format!("{subtitle}; rows that it learned from; dashed: equal")];
            Ok(agreement::draw(&Agreement { titles, target, truth, predicted: &predicted }))
        }
        (Target::Classes { classes, places, .. }, _) => {
            let names: Vec<&str> = places.iter().map(|&place| classes[place].as_str()).collect();
            let key = &done.chosen.targets[0].0;
            by_components(session, task, done, [&title, &subtitle], (key, &names))
        }
        (_, Said::Sides(sides)) => {
            let name = |side: &f64| if is_inside(*side) { "inside" } else { "outside" };
            let names: Vec<&str> = sides.iter().map(name).collect();
            by_components(session, task, done, [&title, &subtitle], ("", &names))
        }
        _ => unreachable!("a machine predicts values, classes or sides"),
    }
}

fn by_components(
    session: &Session,
    task: &Task<'_>,
    done: &Done,
    [title, subtitle]: [&str; 2],
    (key, names): (&str, &[&str]),
) -> Result<Drawing> {
    let (features, scaling) = (&done.chosen.features, done.learned.scaling.as_ref());
    let kernel = &machine(done).params.kernel;
    let plane =
        components::plane(session, (features, &task.form), scaling, kernel, components::MOST)?;
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
pub fn draw_grid(job: &Job<'_>, done: &Done, grid: &Grid) -> Drawing {
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
    let [title, _] = titles(job, done);
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
