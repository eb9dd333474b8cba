//! `mercer demo`: the main job on data made on the spot, told in plain words and ending in a
//! picture.

mod cut;
mod names;
mod picture;

use mercer::io::Staged;
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::pca::{Pca, PcaParams};
use mercer::points::Dense;
use mercer::{KernelSpec, Result};

use self::cut::Cut;
use self::picture::GRID;
use super::Session;
use crate::args::{DemoArgs, Subject};
use crate::deliver;
use crate::demo_data::{Labelled, Shape};
use crate::failure::Failure;
use crate::output;
use crate::plot::{Drawing, Field, grouped};
use crate::summary::shown;

/// What the demonstration found.
struct Found {
    model: KernelPca<f64>,
    /// The share of rows, in percent, that a straight cut through both components of PCA puts in
    /// the right class.
    plain: f64,
    /// The same for the components of kernel PCA.
    kernel: f64,
    /// The two functions that the picture shows.
    seen: [Function; 2],
    /// The ranges of the plane.
    ranges: [[f64; 2]; 2],
}

/// A function of the plane.
struct Function {
    what: Seen,
    /// Its values at the rows of the data.
    rows: Vec<f64>,
    /// Its values on a grid over the plane.
    grid: Vec<f64>,
}

/// What a picture shows.
#[derive(Debug, Clone, Copy)]
enum Seen {
    /// A component, counted from 0.
    Component(usize),
    /// The linear function of so many components that tells the first class from the rest.
    Cut(usize),
}

/// Runs `mercer demo`.
pub fn demo(session: &Session, args: &DemoArgs) -> std::result::Result<(), Failure> {
    let (drawing, text) = match args.subject {
        Subject::Circles => of_shape(session, args, Shape::Circles)?,
        Subject::Spiral => of_shape(session, args, Shape::Spiral)?,
        Subject::Blobs => of_shape(session, args, Shape::Blobs)?,
        Subject::Names => {
            let found = names::find(session, args.kernel.as_ref())?;
            (found.draw(), found.story(&pictures(args)))
        }
    };
    session.stop.while_writing(|| {
        let mut staged = Staged::new();
        deliver::stage_pictures(&mut staged, &args.plot, &drawing)?;
        session.context.poll()?;
        staged.commit()
    })?;
    session.progress.clear();
    let plot = deliver::printed(&args.plot, Some(&drawing)).unwrap_or_default();
    let gap = if plot.is_empty() { "" } else { "\n" };
    let text = if args.quiet { plot } else { plot + gap + &text };
    output::print(&text).map_err(Failure::Print)
}

/// The picture and the story of a shape.
fn of_shape(session: &Session, args: &DemoArgs, shape: Shape) -> Result<(Drawing, String)> {
    let data = shape.sample(args.rows as usize, args.seed);
    let (kernel, count) = suitable(shape);
    let kernel = args.kernel.clone().map_or_else(|| kernel.parse(), Ok)?;
    let found = find(session, &data, kernel, count.min(data.points.len() - 1))?;
    session.progress.begin("drawing");
    Ok((picture::draw(shape, &data, &found), story(args, shape, &data, &found)))
}

/// Where the pictures are, as a line; nothing if none is in a file.
fn pictures(args: &DemoArgs) -> String {
    let pictures = deliver::written(&args.plot).map(|picture| shown(&picture.path));
    let pictures: Vec<String> = pictures.collect();
    match pictures.is_empty() {
        true => String::new(),
        false => format!("The picture is in {}.\n", pictures.join(" and ")),
    }
}

/// A kernel and a number of components that tell the classes apart. Its width lies below the gap
/// between the curves and above the distance between neighbours on one. The arms of the spiral are
/// long, so that they need many components.
fn suitable(shape: Shape) -> (&'static str, usize) {
    match shape {
        Shape::Circles => ("rbf(sigma=0.35)", 2),
        Shape::Spiral => ("rbf(sigma=0.2)", 40),
        Shape::Blobs => ("rbf(sigma=0.8)", 2),
    }
}

/// What the data is, and what is hard about it.
fn words(shape: Shape) -> (&'static str, &'static str) {
    match shape {
        Shape::Circles => ("two concentric circles", "No straight line separates the circles."),
        Shape::Spiral => ("two spiral arms", "No straight line separates the arms."),
        Shape::Blobs => ("three blobs", "Straight lines separate the blobs already."),
    }
}

fn find(session: &Session, data: &Labelled, kernel: KernelSpec, count: usize) -> Result<Found> {
    let context = &session.context;
    let (n, flat) = (data.points.len(), data.points.as_flattened());
    let params =
        KernelPcaParams { components: Components::Count(count), ..KernelPcaParams::new(kernel) };
    let model = KernelPca::fit(context, &params, &Dense::from_rows(flat, n, 2)?)?;
    let scores = model.training_scores();
    let cut = Cut::fit(&scores, &data.labels);
    let ranges = Field::square_around(&data.points);
    let grid = Field::grid(ranges[0], ranges[1], GRID, GRID).into_flattened();
    let grid = Dense::from_vec(grid, GRID * GRID, 2)?;
    let mut over_plane = Mat::zeros(GRID * GRID, count);
    model.transform(context, &grid, over_plane.view_mut())?;
    let second = if count > 2 { Seen::Cut(count) } else { Seen::Component(1) };
    let seen = [Seen::Component(0), second].map(|what| Function {
        what,
        rows: values(what, &scores, &cut),
        grid: values(what, &over_plane, &cut),
    });
    let plain = plain_share(session, data)?;
    let kernel = cut.right(&scores, &data.labels);
    Ok(Found { model, plain, kernel, seen, ranges })
}

/// The values of `what` where the components are `scores`.
fn values(what: Seen, scores: &Mat<f64>, cut: &Cut) -> Vec<f64> {
    let value = |row: &[f64]| match what {
        Seen::Component(index) => row[index],
        Seen::Cut(_) => cut.value(0, row),
    };
    (0..scores.rows()).map(|i| value(scores.row(i))).collect()
}

/// How well PCA does on the same rows.
fn plain_share(session: &Session, data: &Labelled) -> Result<f64> {
    let x = MatRef::new(data.points.as_flattened(), data.points.len(), 2, 2);
    let params = PcaParams { components: Components::All, ..PcaParams::default() };
    let pca = Pca::fit(&session.context, &params, x)?;
    let mut scores = Mat::zeros(x.rows(), pca.k());
    pca.transform(&session.context, x, scores.view_mut())?;
    Ok(Cut::fit(&scores, &data.labels).right(&scores, &data.labels))
}

fn story(args: &DemoArgs, shape: Shape, data: &Labelled, found: &Found) -> String {
    let (what, hard) = words(shape);
    let rows = grouped(data.points.len());
    let Found { model, plain, kernel, .. } = found;
    let (spec, count, report) = (&model.params.kernel, model.k(), &model.report);
    let warnings: String = report.notes.iter().map(|note| format!("warning: {note}\n")).collect();
    format!(
        "{rows} rows, made on the spot: {what}. {hard}\n\
         A straight cut through the components puts so many rows in the right class:\n\
         \n  PCA         {plain:5.1} %  (2 components)\
         \n  kernel PCA  {kernel:5.1} %  ({count} components of {spec})\n\
         \nKernel PCA took {:.2} s; largest residual {:.0e}.\n{warnings}{}",
        report.seconds,
        report.residual,
        pictures(args)
    )
}
