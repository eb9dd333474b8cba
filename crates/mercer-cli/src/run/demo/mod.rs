//! `mercer demo`: kernel PCA of generated data, with a summary and a plot.

mod data;
mod linear_classifier;
mod names;
mod picture;

use mercer::io::Staged;
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::pca::{Pca, PcaParams};
use mercer::points::Dense;
use mercer::{KernelSpec, Result};

use self::linear_classifier::LinearClassifier;
pub use self::names::{KNOWN, family};
use self::picture::GRID;
use super::Session;
use crate::args::{DemoArgs, Subject};
use crate::demo_data::{Labelled, Shape};
use crate::failure::Failure;
use crate::output_files;
use crate::plot::{Drawing, Field, grouped};
use crate::stdout;
use crate::summary::shown;

/// The result of the demonstration.
struct DemoResult {
    model: KernelPca,
    /// The accuracy in percent of a linear classifier on the components of PCA.
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
    /// The linear classifier on this many components, for the first class.
    Classifier(usize),
}

/// Runs `mercer demo`.
pub fn demo(session: &Session, args: &DemoArgs) -> std::result::Result<(), Failure> {
    if let Some(data) = &args.data {
        return data::write(session, args, data);
    }
    let (drawing, text) = match args.subject {
        Subject::Circles => of_shape(session, args, Shape::Circles)?,
        Subject::Spiral => of_shape(session, args, Shape::Spiral)?,
        Subject::Blobs => of_shape(session, args, Shape::Blobs)?,
        Subject::Names => {
            let found = names::find(session, args.kernel.as_ref())?;
            (found.draw(), found.summary(&pictures(args)))
        }
    };
    session.stop.while_writing(|| {
        let mut staged = Staged::new();
        output_files::stage_pictures(&mut staged, &args.plot, &drawing)?;
        session.context.poll()?;
        staged.commit()
    })?;
    session.progress.clear();
    let plot = output_files::printed(&args.plot, Some(&drawing)).unwrap_or_default();
    let gap = if plot.is_empty() { "" } else { "\n" };
    let text = if args.quiet { plot } else { plot + gap + &text };
    stdout::print(&text).map_err(Failure::Print)
}

/// The plot and the summary of a shape.
fn of_shape(session: &Session, args: &DemoArgs, shape: Shape) -> Result<(Drawing, String)> {
    let data = shape.sample(args.rows(), args.seed);
    let (kernel, count) = suitable(shape);
    let kernel = args.kernel.clone().map_or_else(|| kernel.parse(), Ok)?;
    let found = find(session, &data, kernel, count.min(data.points.len() - 1))?;
    session.progress.begin("plotting");
    Ok((picture::draw(shape, &data, &found), summary(args, shape, &data, &found)))
}

/// Where the pictures are, as a line; nothing if none is in a file.
fn pictures(args: &DemoArgs) -> String {
    let pictures = output_files::written(&args.plot).map(|picture| shown(&picture.path));
    let pictures: Vec<String> = pictures.collect();
    match pictures.is_empty() {
        true => String::new(),
        false => format!("Plot written to {}.\n", pictures.join(" and ")),
    }
}

/// A kernel and a number of components that separate the classes. Its width lies below the gap
/// between the curves and above the distance between neighbours on one. The arms of the spiral are
/// long, so that they need many components.
fn suitable(shape: Shape) -> (&'static str, usize) {
    match shape {
        Shape::Circles => ("rbf(sigma=0.35)", 2),
        Shape::Spiral => ("rbf(sigma=0.2)", 40),
        Shape::Blobs => ("rbf(sigma=0.8)", 2),
    }
}

/// The data, and whether it is linearly separable.
fn words(shape: Shape) -> (&'static str, &'static str) {
    match shape {
        Shape::Circles => ("two concentric circles", "They are not linearly separable."),
        Shape::Spiral => ("two spiral arms", "They are not linearly separable."),
        Shape::Blobs => ("three blobs", "They are linearly separable."),
    }
}

fn find(
    session: &Session,
    data: &Labelled,
    kernel: KernelSpec,
    count: usize,
) -> Result<DemoResult> {
    let context = &session.context;
    let (n, flat) = (data.points.len(), data.points.as_flattened());
    let params = KernelPcaParams::new(kernel).components(Components::Count(count));
    let model = KernelPca::fit(context, &params, &Dense::from_rows(flat, n, 2)?)?;
    let scores = model.training_scores();
    let classifier = LinearClassifier::fit(&scores, &data.labels);
    let ranges = Field::square_around(&data.points);
    let grid = Field::grid(ranges[0], ranges[1], GRID, GRID).into_flattened();
    let grid = Dense::from_vec(grid, GRID * GRID, 2)?;
    let over_plane = model.transform(context, &grid)?;
    let second = if count > 2 { Seen::Classifier(count) } else { Seen::Component(1) };
    let seen = [Seen::Component(0), second].map(|what| Function {
        what,
        rows: values(what, &scores, &classifier),
        grid: values(what, &over_plane, &classifier),
    });
    let plain = pca_accuracy(session, data)?;
    let kernel = classifier.accuracy(&scores, &data.labels);
    Ok(DemoResult { model, plain, kernel, seen, ranges })
}

/// The values of `what` where the components are `scores`.
fn values(what: Seen, scores: &Mat<f64>, classifier: &LinearClassifier) -> Vec<f64> {
    let value = |row: &[f64]| match what {
        Seen::Component(index) => row[index],
        Seen::Classifier(_) => classifier.value(0, row),
    };
    (0..scores.rows()).map(|i| value(scores.row(i))).collect()
}

/// The accuracy on the components of PCA.
fn pca_accuracy(session: &Session, data: &Labelled) -> Result<f64> {
    let x = MatRef::new(data.points.as_flattened(), data.points.len(), 2, 2);
    let params = PcaParams::default().components(Components::All);
    let pca = Pca::fit(&session.context, &params, x)?;
    let scores = pca.transform(&session.context, x)?;
    Ok(LinearClassifier::fit(&scores, &data.labels).accuracy(&scores, &data.labels))
}

fn summary(args: &DemoArgs, shape: Shape, data: &Labelled, found: &DemoResult) -> String {
    let (what, hard) = words(shape);
    let rows = grouped(data.points.len());
    let DemoResult { model, plain, kernel, .. } = found;
    let (spec, count, report) = (&model.params.kernel, model.k(), &model.report);
    let warnings: String = report.notes.iter().map(|note| format!("warning: {note}\n")).collect();
    format!(
        "{rows} generated rows: {what}. {hard}\n\
         Accuracy of a linear classifier on the components:\n\
         \n  PCA         {plain:5.1} %  (2 components)\
         \n  kernel PCA  {kernel:5.1} %  ({count} components of {spec})\n\
         \nKernel PCA: {:.2} s, largest residual {:.0e}.\n{warnings}{}",
        report.seconds,
        report.residual,
        pictures(args)
    )
}
