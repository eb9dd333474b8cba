//! `mercer demo`: the main job on data made on the spot, told in plain words and ending in a
//! picture.

use std::io::Write;

use mercer::io::Staged;
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::pca::{Pca, PcaParams};
use mercer::points::Dense;
use mercer::{KernelSpec, Result};

use super::Session;
use crate::args::DemoArgs;
use crate::deliver;
use crate::demo_data::{Labelled, Shape};
use crate::failure::Failure;
use crate::plot::{self, Field, LabelColumn, Multiples, Panel, component_title, grouped};
use crate::summary::shown;

/// Components looked at.
const COMPONENTS: usize = 2;
/// Points of the grid along each side on which components are drawn.
const GRID: usize = 140;

/// What the demonstration found.
struct Found {
    model: KernelPca<f64>,
    /// The first two components of every row.
    embedding: Vec<[f64; 2]>,
    /// The same by PCA, for comparison.
    plain: Vec<[f64; 2]>,
    /// The components over the plane.
    fields: Vec<Vec<f64>>,
    /// The ranges of the plane.
    ranges: [[f64; 2]; 2],
}

/// Runs `mercer demo`.
pub fn demo(session: &Session, args: &DemoArgs) -> std::result::Result<(), Failure> {
    let data = args.shape.sample(args.rows as usize, args.seed);
    let kernel = args.kernel.clone().map_or_else(|| suitable(args.shape), Ok)?;
    let found = find(session, &data, kernel)?;
    session.progress.begin("drawing");
    let svg = draw(args.shape, &data, &found);
    session.stop.while_writing(|| {
        let mut staged = Staged::new();
        deliver::stage_pictures(&mut staged, &args.plot, &svg)?;
        session.context.poll()?;
        staged.commit()
    })?;
    session.progress.clear();
    if args.quiet {
        return Ok(());
    }
    let text = story(args, &data, &found);
    std::io::stdout().write_all(text.as_bytes()).map_err(Failure::Print)
}

/// Widths that tell neighbours on one curve from points of the other: below the gap between the
/// curves, above the distance between neighbours.
fn suitable(shape: Shape) -> Result<KernelSpec> {
    match shape {
        Shape::Circles => "rbf(sigma=0.25)".parse(),
        Shape::Spiral => "rbf(sigma=0.1)".parse(),
        Shape::Blobs => "rbf(sigma=0.8)".parse(),
    }
}

fn find(session: &Session, data: &Labelled, kernel: KernelSpec) -> Result<Found> {
    let context = &session.context;
    let n = data.points.len();
    let flat: Vec<f64> = data.points.iter().flatten().copied().collect();
    let components = Components::Count(COMPONENTS);
    let pca = PcaParams { components, ..PcaParams::default() };
    let view = MatRef::new(&flat, n, 2, 2);
    let pca = Pca::fit(context, &pca, view)?;
    let mut plain = Mat::zeros(n, COMPONENTS);
    pca.transform(context, view, plain.view_mut())?;
    let params = KernelPcaParams { components, ..KernelPcaParams::new(kernel) };
    let model = KernelPca::fit(context, &params, &Dense::from_vec(flat, n, 2)?)?;
    let embedding = pairs(&model.training_scores());
    let ranges = Field::square_around(&data.points);
    let grid: Vec<f64> = Field::grid(ranges[0], ranges[1], GRID, GRID).into_flattened();
    let grid = Dense::from_vec(grid, GRID * GRID, 2)?;
    let mut values = Mat::zeros(GRID * GRID, COMPONENTS);
    model.transform(context, &grid, values.view_mut())?;
    let field = |c: usize| (0..GRID * GRID).map(|i| values[(i, c)]).collect();
    let fields = (0..COMPONENTS).map(field).collect();
    Ok(Found { model, embedding, plain: pairs(&plain), fields, ranges })
}

fn pairs(scores: &Mat<f64>) -> Vec<[f64; 2]> {
    (0..scores.rows()).map(|i| [scores[(i, 0)], scores[(i, 1)]]).collect()
}

fn draw(shape: Shape, data: &Labelled, found: &Found) -> String {
    let ratios = found.model.explained_variance_ratio();
    let axes = [0, 1].map(|c| component_title(c, Some(ratios[c])));
    let titles = ["component 1 over the plane", "component 2 over the plane"];
    let field = |c: usize| {
        let [x, y] = found.ranges;
        Field { x, y, columns: GRID, rows: GRID, values: &found.fields[c] }
    };
    let plane = |title, field| Panel {
        title,
        x_title: "x",
        y_title: "y",
        points: &data.points,
        field,
        equal_units: true,
    };
    let embedding = Panel {
        title: "the rows in terms of both",
        x_title: &axes[0],
        y_title: &axes[1],
        points: &found.embedding,
        field: None,
        equal_units: false,
    };
    plot::multiples(&Multiples {
        title: &format!("Kernel PCA of {}", words(shape).0),
        subtitle: &format!(
            "{} rows, {}: lines join places of equal value, the dark one is zero",
            grouped(data.points.len()),
            found.model.params.kernel
        ),
        panels: vec![
            plane("the input", None),
            embedding,
            plane(titles[0], Some(field(0))),
            plane(titles[1], Some(field(1))),
        ],
        labels: Some(LabelColumn { name: "class", values: &data.labels }),
    })
}

/// What the data is, and what is hard about it.
fn words(shape: Shape) -> (&'static str, &'static str) {
    match shape {
        Shape::Circles => ("two concentric circles", "No straight line separates the circles"),
        Shape::Spiral => ("two spiral arms", "No straight line separates the arms"),
        Shape::Blobs => ("three blobs", "The blobs are easy, also for plain PCA"),
    }
}

fn story(args: &DemoArgs, data: &Labelled, found: &Found) -> String {
    let (what, hard) = words(args.shape);
    let rows = grouped(data.points.len());
    let kernel = &found.model.params.kernel;
    let place = match args.shape {
        Shape::Blobs => "the first two components",
        _ => "the first component alone",
    };
    let judge = |points: &[[f64; 2]]| match args.shape {
        Shape::Blobs => nearest_means(points, &data.labels),
        _ => best_threshold(points, &data.labels),
    };
    let (plain, kernel_share) = (judge(&found.plain), judge(&found.embedding));
    let pictures: Vec<String> = args.plot.iter().map(|picture| shown(&picture.path)).collect();
    let warnings: String =
        found.model.report.notes.iter().map(|note| format!("warning: {note}\n")).collect();
    format!(
        "{rows} rows: {what}, made on the spot. {hard}.\n\
         \n  PCA         {place} puts {plain:.1} % of the rows in the right class\
         \n  kernel PCA  {place} puts {kernel_share:.1} % of the rows in the right class\n\
         \nThe kernel is {kernel}; {}, {:.2} s.\n{warnings}\
         The picture is in {}.\n",
        solver(found),
        found.model.report.seconds,
        pictures.join(" and ")
    )
}

fn solver(found: &Found) -> String {
    let report = &found.model.report;
    format!("solver {}, residual {:.0e}", report.solver, report.residual)
}

/// The largest share of rows, in percent, that one threshold on the first component puts on the
/// side of their class, for two classes.
fn best_threshold(points: &[[f64; 2]], labels: &[String]) -> f64 {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[a][0].total_cmp(&points[b][0]));
    let is_first = |row: usize| labels[row] == labels[0];
    let firsts = (0..points.len()).filter(|&row| is_first(row)).count();
    let mut below = [0usize; 2];
    let mut best = 0;
    for row in order {
        below[usize::from(is_first(row))] += 1;
        let right = below[0] + firsts - below[1];
        best = best.max(right).max(points.len() - right);
    }
    100.0 * best as f64 / points.len() as f64
}

/// The share of rows, in percent, that lie nearest to the mean of their own class.
fn nearest_means(points: &[[f64; 2]], labels: &[String]) -> f64 {
    let mut names: Vec<&String> = labels.iter().collect();
    names.sort();
    names.dedup();
    let mean = |name: &String| {
        let of_class = points.iter().zip(labels).filter(|(_, label)| *label == name);
        let (count, sum) = of_class.fold((0.0, [0.0, 0.0]), |(count, sum), (point, _)| {
            (count + 1.0, [sum[0] + point[0], sum[1] + point[1]])
        });
        sum.map(|total: f64| total / count)
    };
    let means: Vec<[f64; 2]> = names.iter().map(|name| mean(name)).collect();
    let nearest = |point: &[f64; 2]| {
        let distance = |i: usize| (means[i][0] - point[0]).hypot(means[i][1] - point[1]);
        (0..means.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
    };
    let right = |(point, label): &(&[f64; 2], &String)| {
        nearest(point).is_some_and(|i| names[i] == *label)
    };
    100.0 * points.iter().zip(labels).filter(right).count() as f64 / points.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thresholds_and_means_count_what_is_right() {
        let labels: Vec<String> = ["a", "b", "a", "b"].map(String::from).into();
        let apart = [[0.0, 0.0], [3.0, 0.0], [1.0, 0.0], [4.0, 0.0]];
        let mixed = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]];
        assert_eq!((best_threshold(&apart, &labels), best_threshold(&mixed, &labels)), (100.0, 75.0));
        assert_eq!(nearest_means(&apart, &labels), 100.0);
    }
}
