//! Plots of support vector machines: over the plane of two columns, or along one.

mod others;
mod principal;

use mercer::io::Table;
use mercer::model::svm::{Svm, Task as SvmTask, votes};
use mercer::{Error, Labels, Mat, Result, Target};

use super::{Job, SvmResult, Task};
use crate::facts::{counted, kernel_in_short, svm_method};
use crate::machine::machine_of;
use crate::plot::{self, Background, Drawing, Field, Group, Map, Marks, Regions, Shape, Tube};
use crate::prediction::{Prediction, is_inside};
use crate::run::Session;
use crate::run::plane::{self, Window, number};
use crate::run::prediction::decisions;
use crate::scores::in_short;
use crate::summary::file_name;

/// Points of a function of one column.
const LINE: usize = 481;
/// Colours of a scale of values.
const SHADES: usize = 24;
/// The decision at which the colours of two classes are strongest: twice the margin.
const FULL: f64 = 2.0;
const RING: &str = "support vector";

/// The plotted domain.
pub enum View {
    /// A rectangle of the plane of two columns.
    Plane(Window),
    /// A range of the only column.
    Line([f64; 2]),
}

/// The domain of the plot, if one is requested. An impossible plot is refused before the fit, which may take long; a
/// report shows another one instead.
pub fn view(job: &Job<'_>, task: &Task<'_>, features: &Table) -> Result<Option<View>> {
    let is_requested = !job.outputs.plot.is_empty();
    if !is_requested && job.outputs.results.page.report.is_none() {
        return Ok(None);
    }
    let values = || (0..features.n_rows()).map(|row| number(features, row, 0));
    if !task.input_kind.is_vector() && (!is_requested || task.search.is_some()) {
        return Ok(None);
    }
    if !task.input_kind.is_vector() {
        let message = "plots need numeric feature columns, which this kernel does not take";
        return Err(Error::parameter("--plot", message));
    }
    match (features.n_columns(), &task.targets.target) {
        (1, Target::Values(_)) => Ok(Some(View::Line(Field::range_around(values())))),
        (2, _) => Ok(Some(View::Plane(plane::window(features)))),
        _ if !is_requested => Ok(None),
        // A search has scores to plot, whatever its columns are.
        _ if task.search.is_some() => Ok(None),
        (count, target) => {
            let needed = if matches!(target, Target::Values(_)) { "one or two" } else { "two" };
            let names: Vec<String> = (0..count.min(2)).map(|j| features.name(j)).collect();
            let fix = match count {
                1 => "add another feature column".into(),
                _ => format!("choose two, e.g. --columns {}", names.join(",")),
            };
            let message =
                format!("a plot needs {needed} feature columns, but the model has {count}: {fix}");
            Err(Error::parameter("--plot", message))
        }
    }
}

/// Plots the model.
pub fn draw(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: &SvmResult,
    view: &View,
) -> Result<Drawing> {
    session.progress.begin("plotting");
    match view {
        View::Line(range) => draw_line(session, job, task, result, *range),
        View::Plane(window) => draw_plane(session, job, task, result, *window),
    }
}

/// The scores of a search: as shaded cells where there are several kernels and costs, else as lines.
pub fn draw_search(job: &Job<'_>, result: &SvmResult) -> Option<Drawing> {
    let grid = result.fitted.grid.as_ref()?;
    let map = others::draw_heat_map(job, result, grid);
    Some(map.unwrap_or_else(|| others::draw_grid(job, result, grid)))
}

/// All that a report shows: the model in `view` if that can be drawn, else the rows in another way, and
/// what a search compared; and what could not be shown.
pub fn draw_all(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: &SvmResult,
    view: Option<&View>,
) -> Result<(Vec<Drawing>, Option<String>)> {
    let (mut drawings, mut note) = (Vec::new(), None);
    match view {
        Some(view) => drawings.push(draw(session, job, task, result, view)?),
        None => match others::draw_rows(session, job, task, result) {
            // A plot that exceeds the budget does not fail a fit that is within it.
            Err(error) if error.is_memory() => {
                note = Some("no plot of the rows: it does not fit into the memory budget".into());
            }
            drawing => drawings.extend(drawing?),
        },
    }
    let grid = result.fitted.grid.as_ref();
    drawings.extend(grid.map(|grid| others::draw_grid(job, result, grid)));
    drawings.extend(grid.and_then(|grid| others::draw_heat_map(job, result, grid)));
    Ok((drawings, note))
}

/// The decision values at the points of the plot.
fn at(session: &Session, result: &SvmResult, table: &Table) -> Result<Mat<f64>> {
    decisions(session, &result.fitted.model, result.fitted.scaling.as_ref(), table)
}

fn draw_line(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: &SvmResult,
    [low, high]: [f64; 2],
) -> Result<Drawing> {
    let place = |i: usize| low + (high - low) * i as f64 / (LINE - 1) as f64;
    let x: Vec<f64> = (0..LINE).map(place).collect();
    let values = at(session, result, &plane::rows(&result.chosen.features, vec![x.clone()]))?;
    let function: Vec<[f64; 2]> = x.iter().enumerate().map(|(i, &x)| [x, values[(i, 0)]]).collect();
    let Target::Values(targets) = &task.targets.target else {
        unreachable!("only regressions are plotted along one column")
    };
    let features = &result.chosen.features;
    let points: Vec<[f64; 2]> =
        targets.data().iter().enumerate().map(|(i, &y)| [number(features, i, 0), y]).collect();
    let row = Group::of_class(0, "row");
    let reach = reach(result, targets.data());
    let [title, subtitle] = titles(job, result);
    Ok(plot::tube(&Tube {
        title: &title,
        subtitle: &subtitle,
        x_title: &features.name(0),
        y_title: &result.chosen.targets[0].0,
        function: &function,
        tube: (reach, format!("tube ± {}", in_short(reach))),
        marks: Marks {
            points: &points,
            group: &vec![0; points.len()],
            groups: std::slice::from_ref(&row),
            ringed: &ringed(result),
        },
        ring_name: RING,
    }))
}

/// How far the tube reaches. Where its width is not known, it ends where the first support vector is: all of them are on its edge or
/// beyond.
fn reach(result: &SvmResult, targets: &[f64]) -> f64 {
    let machine = machine(result);
    let Prediction::Values { values, .. } = &result.prediction else {
        unreachable!("a regression predicts values")
    };
    if machine.params.task == SvmTask::EpsilonSvr {
        return machine.params.epsilon;
    }
    if let Some(tube) = machine.report.machine.as_ref().and_then(|report| report.tube) {
        return tube;
    }
    let apart = |&row: &usize| (targets[row] - values[(row, 0)]).abs();
    let least = machine.support.iter().map(apart).fold(f64::INFINITY, f64::min);
    if least.is_finite() { least } else { 0.0 }
}

/// A plane with the rows and the decisions over it.
struct Canvas {
    window: Window,
    points: Vec<[f64; 2]>,
    /// The decision values at the points of the grid.
    values: Mat<f64>,
    /// The titles of the axes.
    axes: [String; 2],
    /// What is added to the line below the title.
    note: &'static str,
    /// Whether misclassified rows have marks of their own.
    marks_errors: bool,
}

fn draw_plane(
    session: &Session,
    job: &Job<'_>,
    task: &Task<'_>,
    result: &SvmResult,
    window: Window,
) -> Result<Drawing> {
    let features = &result.chosen.features;
    let canvas = Canvas {
        values: at(session, result, &plane::grid(features, window))?,
        window,
        points: plane::points(features),
        axes: [0, 1].map(|axis| features.name(axis)),
        note: "",
        marks_errors: false,
    };
    Ok(draw_canvas(job, task, result, &canvas))
}

fn draw_canvas(job: &Job<'_>, task: &Task<'_>, result: &SvmResult, canvas: &Canvas) -> Drawing {
    let values = &canvas.values;
    let first: Vec<f64> = (0..values.rows()).map(|i| values[(i, 0)]).collect();
    let field = plane::field(canvas.window, &first);
    let (groups, group) = groups(task, result, &first);
    let colours: Vec<[u8; 3]> = groups.iter().map(|group| group.colour).collect();
    let (class, change);
    let background = match &task.targets.target {
        Target::Classes { labels, .. } if labels.names.len() > 2 => {
            class = votes(values, labels.names.len());
            change = changes(values, &class, labels.names.len());
            Background::Regions(Regions { grid: field, class: &class, change: &change }, colours)
        }
        Target::Classes { .. } => Background::Sides {
            field,
            colours: [colours[0], colours[1]],
            full: [FULL; 2],
            margins: true,
        },
        Target::Unsupervised => Background::Sides {
            field,
            colours: [colours[1], colours[0]],
            full: largest(&first),
            margins: false,
        },
        Target::Values(targets) => {
            Background::Heights { field, ends: ends(targets.data(), &first), line: None }
        }
    };
    let (groups, group) = match canvas.marks_errors {
        true => principal::with_errors(&result.prediction, groups, group),
        false => (groups, group),
    };
    let [title, subtitle] = titles(job, result);
    plot::map(&Map {
        title: &title,
        subtitle: &format!("{subtitle}{}", canvas.note),
        x_title: &canvas.axes[0],
        y_title: &canvas.axes[1],
        key_title: result.chosen.targets.first().map_or("", |(name, _)| name),
        background,
        marks: Marks {
            points: &canvas.points,
            group: &group,
            groups: &groups,
            ringed: &ringed(result),
        },
        ring_name: RING,
    })
}

/// Halvings of the way between two points of the grid: as fine as a pixel needs.
const HALVINGS: usize = 10;

/// The share of the way between two points of the grid at which the class changes, by decisions that
/// are straight lines between them.
fn changes<'a>(
    values: &'a Mat<f64>,
    class: &'a [usize],
    classes: usize,
) -> impl Fn(usize, usize) -> f64 + 'a {
    move |from, to| {
        let (start, end) = (values.row(from), values.row(to));
        let is_before = |share: f64| {
            let row: Vec<f64> = start.iter().zip(end).map(|(a, b)| a + share * (b - a)).collect();
            votes(&Mat::from_vec(row, 1, start.len()), classes)[0] == class[from]
        };
        let halve = |(low, high): (f64, f64), _| {
            let middle = (low + high) / 2.0;
            if is_before(middle) { (middle, high) } else { (low, middle) }
        };
        (0..HALVINGS).fold((0.0, 1.0), halve).0
    }
}

/// How rows look, and the look of each row.
fn groups(task: &Task<'_>, result: &SvmResult, field: &[f64]) -> (Vec<Group>, Vec<usize>) {
    match (&task.targets.target, &result.prediction) {
        (Target::Classes { labels: Labels { names: classes, places }, .. }, _) => {
            let named = classes.iter().enumerate();
            (named.map(|(i, name)| Group::of_class(i, name)).collect(), places.clone())
        }
        (Target::Values(targets), _) => {
            let [low, high] = ends(targets.data(), field);
            let last = (SHADES - 1) as f64;
            let shade =
                |v: &f64| (last * ((v - low) / (high - low)).clamp(0.0, 1.0)).round() as usize;
            let shades = (0..SHADES).map(|i| Group::on_scale(i as f64 / last)).collect();
            (shades, targets.data().iter().map(shade).collect())
        }
        (Target::Unsupervised, Prediction::OneClass(sides)) => {
            let group: Vec<usize> = sides.iter().map(|d| usize::from(!is_inside(*d))).collect();
            let outside = group.iter().sum::<usize>();
            let inside =
                Group::of_class(0, &format!("inside: {}", counted(group.len() - outside, "row")))
                    .hover_text("inside");
            let outer = Group::of_class(1, &format!("outside: {}", counted(outside, "row")))
                .hover_text("outside");
            (vec![inside, Group { shape: Shape::Cross, ..outer }], group)
        }
        (Target::Unsupervised, _) => unreachable!("a one-class machine predicts decision values"),
    }
}

/// The largest values of both signs.
fn largest(values: &[f64]) -> [f64; 2] {
    let of = |sign: f64| values.iter().map(|v| sign * v).fold(0.0, f64::max);
    [of(-1.0), of(1.0)].map(|size| if size > 0.0 { size } else { 1.0 })
}

/// The ends of a scale that shows targets and function.
fn ends(targets: &[f64], field: &[f64]) -> [f64; 2] {
    let all = targets.iter().chain(field).filter(|v| v.is_finite());
    let (low, high) = all.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
    if low < high { [low, high] } else { [low - 1.0, high + 1.0] }
}

fn machine(result: &SvmResult) -> &Svm {
    machine_of(&result.fitted.model).expect("the model is a support vector machine")
}

fn ringed(result: &SvmResult) -> Vec<bool> {
    let mut ringed = vec![false; result.chosen.features.n_rows()];
    machine(result).support.iter().for_each(|&row| ringed[row] = true);
    ringed
}

fn titles(job: &Job<'_>, result: &SvmResult) -> [String; 2] {
    let machine = machine(result);
    let file = file_name(job.table.source.path());
    let mut method = svm_method(machine.params.task).to_string();
    method[..1].make_ascii_uppercase();
    let title = match result.chosen.targets.first() {
        Some((name, _)) => format!("{method} of {name} ({file})"),
        None => format!("{method} ({file})"),
    };
    let (params, rows) = (&machine.params, counted(machine.trained_on, "row"));
    let c = format!("C {}", in_short(params.c));
    let nu = format!("nu {}", in_short(params.nu));
    let parameters = match params.task {
        SvmTask::CSvc => c,
        SvmTask::EpsilonSvr => format!("{c}, epsilon {}", in_short(params.epsilon)),
        SvmTask::NuSvr => format!("{c}, {nu}"),
        _ => nu,
    };
    let kernel = kernel_in_short(&params.kernel.to_string());
    let support = counted(machine.support.len(), "support vector");
    [title, format!("{rows}; {kernel}, {parameters}; {support}")]
}
