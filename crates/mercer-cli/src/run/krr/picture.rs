//! Plots of the scores of a search.

use mercer::select::{Score, Table};

use super::fit::{Fitted, Grid, Task};
use crate::facts::{counted, kernel_in_short};
use crate::plot::{self, Baseline, Curve, Curves, Drawing, Mark};
use crate::run::columns::Chosen;
use crate::run::families;
use crate::scores::{Measure, Scored, in_short};
use crate::summary::file_name;

/// The scores of all candidates, for --plot.
pub fn draw(task: &Task<'_>, chosen: &Chosen, fitted: &Fitted) -> Vec<Drawing> {
    let is_plotted = !task.args.plot.is_empty();
    let grid = fitted.grid.as_ref().ok().filter(|_| is_plotted);
    grid.map(|grid| draw_scores(task, chosen, grid, false)).into_iter().collect()
}

/// The best curve of each family of kernels, for a report.
pub fn draw_families<E>(
    task: &Task<'_>,
    chosen: &Chosen,
    grid: std::result::Result<&Grid, E>,
) -> Option<Drawing> {
    grid.ok().map(|grid| draw_scores(task, chosen, grid, true))
}

/// The scores against the penalty: of every kernel, or with `best_of_family` only of the best of each family.
fn draw_scores(task: &Task<'_>, chosen: &Chosen, grid: &Grid, best_of_family: bool) -> Drawing {
    let [title, mut subtitle] = titles(task, chosen, grid);
    let (curves, y_title, level) = match task.args.search.alpha_per_target {
        true => (per_target(task, chosen, grid), per_target_title(), 1.0),
        false => {
            let mut curves = per_kernel(task, grid);
            if best_of_family {
                let all = curves.len();
                let kept = families::best(&grid.kernels, &best_scores(grid), grid.chosen.kernel);
                curves = kept.into_iter().map(|kernel| curves[kernel].clone()).collect();
                subtitle += &families::note(curves.len(), all);
            }
            (curves, title_of(task), level(task))
        }
    };
    let name = match task.measure() {
        Measure::Accuracy => "majority class",
        _ => "mean of the target",
    };
    let has_level =
        matches!(task.measure(), Measure::Accuracy | Measure::Rmse | Measure::RmseOfClasses);
    plot::curves(&Curves {
        title: &title,
        subtitle: &subtitle,
        x_title: "penalty alpha",
        y_title: &y_title,
        curves,
        baseline: (level > 0.0 && has_level).then_some(Baseline { value: level, name }),
        is_error: task.measure().is_error(),
    })
}

/// The best score of each kernel; larger is better.
fn best_scores(grid: &Grid) -> Vec<f64> {
    let best = |table: &Table| {
        let scores = (0..table.alphas.len()).map(|a| table.compared(a));
        scores.filter(|score| !score.is_nan()).fold(f64::NEG_INFINITY, f64::max)
    };
    grid.tables.iter().map(best).collect()
}

fn title_of(task: &Task<'_>) -> String {
    format!("cross-validated {}", task.measure().name())
}

fn per_target_title() -> String {
    "cross-validated RMSE / standard deviation of the target".into()
}

/// The score of a constant prediction.
fn level(task: &Task<'_>) -> f64 {
    let targets = &task.values;
    if task.measure() != Measure::Accuracy {
        let variances = task.variances.iter().map(|v| v.unwrap_or(0.0));
        return (variances.sum::<f64>() / targets.cols() as f64).sqrt();
    }
    let weight = |i: usize| task.targets.weights.as_ref().map_or(1.0, |w| w[i]);
    let share = |j: usize, sign: f64| {
        let own = (0..targets.rows()).filter(|&i| sign * targets[(i, j)] > 0.0);
        own.map(weight).sum::<f64>() / (0..targets.rows()).map(weight).sum::<f64>()
    };
    let shares = (0..targets.cols()).map(|j| share(j, 1.0));
    let other = (targets.cols() == 1).then(|| share(0, -1.0));
    shares.chain(other).fold(0.0, f64::max)
}

fn titles(task: &Task<'_>, chosen: &Chosen, grid: &Grid) -> [String; 2] {
    let args = task.args;
    let file = file_name(args.table.source.path());
    let names: Vec<&str> = chosen.targets.iter().map(|(name, _)| name.as_str()).collect();
    let method = match task.classes() {
        Some(_) => "Kernel ridge classification",
        None => "Kernel ridge regression",
    };
    let rows = counted(chosen.features.n_rows(), "row");
    let columns = counted(chosen.features.n_columns(), "column");
    let how = task.validation_name();
    let kernel = args.search.alpha_per_target.then(|| &grid.kernels[grid.chosen.kernel]);
    let kernel = kernel.map(|k| format!(", {}", kernel_in_short(k)));
    let band = match (args.search.gcv, args.search.alpha.len()) {
        (true, _) => "",
        (false, 1) => "; bar: ± one standard error",
        (false, _) => "; shaded: ± one standard error",
    };
    let subtitle = format!("{rows} × {columns}{}; {how}{band}", kernel.unwrap_or_default());
    [format!("{method} of {} ({file})", names.join(", ")), subtitle]
}

/// A line for each kernel: the mean over targets.
fn per_kernel(task: &Task<'_>, grid: &Grid) -> Vec<Curve> {
    let measure = task.measure();
    let curve = |(index, table): (usize, &Table)| {
        let scored = |a: usize| Scored::of(measure, table.score(a), None);
        let mut curve = line(table, scored, kernel_in_short(&grid.kernels[index]));
        if index == grid.chosen.kernel {
            let place = grid.chosen.alphas[0];
            let text = format!("alpha {}, {}", short(table.alphas[place]), scored(place).text());
            curve.mark = mark(table, place, text);
        } else {
            curve.spreads.clear();
        }
        curve
    };
    grid.tables.iter().enumerate().map(curve).collect()
}

/// A line for each target, with the kernel that was chosen. Divided by the standard deviations, errors
/// of different targets are comparable.
fn per_target(task: &Task<'_>, chosen: &Chosen, grid: &Grid) -> Vec<Curve> {
    let table = &grid.tables[grid.chosen.kernel];
    let curve = |(j, (name, _)): (usize, &(String, mercer::io::Column))| {
        let unit = task.variances[j].unwrap_or(1.0);
        let scored = |a: usize| {
            let (value, spread) = (table.scores[(a, j)] / unit, table.std_errors[(a, j)] / unit);
            Scored::of(Measure::Rmse, Score { value, std_error: spread }, None)
        };
        let place = grid.chosen.alphas[j];
        let title = format!("{name}: alpha {}", short(table.alphas[place]));
        Curve { mark: mark(table, place, String::new()), ..line(table, scored, title) }
    };
    chosen.targets.iter().enumerate().map(curve).collect()
}

/// A line by rising penalty.
fn line(table: &Table, scored: impl Fn(usize) -> Scored, name: String) -> Curve {
    let order = order(table);
    let points = order.iter().map(|&a| [table.alphas[a], scored(a).value]);
    let spreads = order.iter().map(|&a| scored(a).spread.unwrap_or(f64::NAN));
    Curve { name, points: points.collect(), spreads: spreads.collect(), mark: None }
}

fn order(table: &Table) -> Vec<usize> {
    let mut order: Vec<usize> = (0..table.alphas.len()).collect();
    order.sort_by(|&a, &b| table.alphas[a].total_cmp(&table.alphas[b]));
    order
}

fn mark(table: &Table, place: usize, text: String) -> Option<Mark> {
    let index = order(table).into_iter().position(|a| a == place)?;
    Some(Mark { index, text })
}

/// A penalty with a typographic minus sign.
fn short(alpha: f64) -> String {
    in_short(alpha).replace('-', "\u{2212}")
}
