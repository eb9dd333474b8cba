//! Writing the outputs: all files or none, then standard output.

use std::io::Write;
use std::path::Path;

use mercer::io::{Format, Model, Staged, Table, stage_libsvm_model, stage_model, stage_table};
use mercer::{Error, Result};

use crate::args::{ModelFile, OutputArgs, PageFile, Picture, PictureFormat, TableFile};
use crate::failure::Failure;
use crate::plot::{self, Drawing, LabelColumn, Scatter, Screen};
use crate::results::Results;
use crate::run::Session;
use crate::summary::{Outputs, shown};
use crate::terminal_table;

/// Pixels per unit of a picture in PNG.
const PNG_ZOOM: f32 = 2.0;

/// The outputs of a run that computes components.
pub struct ComponentOutput<'a> {
    /// The result of every row.
    pub results: &'a Results,
    /// The model, with the file it goes to.
    pub model: Option<(&'a ModelFile, &'a mercer::io::ModelFile)>,
    /// The title and the line below it of pictures.
    pub titles: [String; 2],
    /// The share of the variance of each component, for pictures.
    pub ratios: &'a [f64],
    /// The string of every row, for plots of strings.
    pub texts: Option<Vec<String>>,
}

/// The files of a run with their content.
#[derive(Default)]
pub struct Files<'a> {
    /// The table of results.
    pub table: Option<(&'a TableFile, Table)>,
    /// The model.
    pub model: Option<(&'a ModelFile, &'a mercer::io::ModelFile)>,
    /// The model as text, as LIBSVM reads it.
    pub libsvm_model: Option<(&'a ModelFile, &'a mercer::io::ModelFile)>,
    /// The pictures, all of one drawing.
    pub pictures: &'a [Picture],
    /// The drawing; there is one if there are pictures.
    pub drawing: Option<Drawing>,
    /// The HTML report.
    pub page: Option<(&'a PageFile, String)>,
}

/// All files that `args` request.
pub fn files<'a>(args: &'a OutputArgs, component_output: &ComponentOutput<'a>) -> Files<'a> {
    let table = args.output.as_ref().map(|file| {
        let with_label = file.format != Format::Npy;
        (file, component_output.results.table(with_label))
    });
    let drawing = if args.plot.is_empty() { None } else { Some(draw(component_output)) };
    Files {
        table,
        model: component_output.model,
        pictures: &args.plot,
        drawing,
        ..Files::default()
    }
}

/// Writes all of `files`, or none.
pub fn write_files(session: &Session, files: &Files<'_>) -> Result<Outputs> {
    session.progress.begin("writing");
    let mut notes = Vec::new();
    session.stop.while_writing(|| {
        let mut staged = Staged::new();
        if let Some((file, table)) = &files.table {
            stage_table(&mut staged, &file.path, table)?;
        }
        if let Some((file, saved)) = files.model {
            stage_model(&mut staged, &file.path, saved)?;
        }
        if let Some((file, saved)) = files.libsvm_model {
            notes = stage_libsvm(&mut staged, &file.path, saved)?;
        }
        if let Some(drawing) = &files.drawing {
            stage_pictures(&mut staged, files.pictures, drawing)?;
        }
        if let Some((file, page)) = &files.page {
            stage_bytes(&mut staged, &file.path, page.as_bytes())?;
        }
        session.context.poll()?;
        staged.commit()
    })?;
    Ok(Outputs {
        table: files.table.as_ref().map(|(file, _)| shown(&file.path)),
        model: files.model.map(|(file, _)| shown(&file.path)),
        libsvm_model: files.libsvm_model.map(|(file, _)| shown(&file.path)),
        plots: written(files.pictures).map(|picture| shown(&picture.path)).collect(),
        printed: printed(files.pictures, files.drawing.as_ref()),
        report_page: files.page.as_ref().map(|(file, _)| shown(&file.path)),
        notes,
    })
}

/// Prepares a support vector machine as text; returns what the format could not hold.
fn stage_libsvm(
    staged: &mut Staged,
    path: &Path,
    saved: &mercer::io::ModelFile,
) -> Result<Vec<String>> {
    match &saved.model {
        Model::Svm(svm) => stage_libsvm_model(staged, path, svm),
        _ => unreachable!("only support vector machines have a LIBSVM file"),
    }
}

/// Prepares `drawing` in every requested format.
pub fn stage_pictures(staged: &mut Staged, pictures: &[Picture], drawing: &Drawing) -> Result<()> {
    for picture in pictures {
        match picture.format {
            PictureFormat::Svg => stage_bytes(staged, &picture.path, drawing.svg.as_bytes())?,
            PictureFormat::Png => {
                stage_bytes(staged, &picture.path, &plot::png(&drawing.svg, PNG_ZOOM)?)?;
            }
            PictureFormat::Terminal => {}
        }
    }
    Ok(())
}

/// The pictures that go to files.
pub fn written(pictures: &[Picture]) -> impl Iterator<Item = &Picture> {
    pictures.iter().filter(|picture| !picture.is_printed())
}

/// `drawing` for standard output, if one of the pictures goes there.
pub fn printed(pictures: &[Picture], drawing: Option<&Drawing>) -> Option<String> {
    let is_requested = pictures.iter().any(Picture::is_printed);
    drawing.filter(|_| is_requested).map(|drawing| drawing.text(&Screen::of_stdout()))
}

fn stage_bytes(staged: &mut Staged, path: &Path, bytes: &[u8]) -> Result<()> {
    staged.add(path, |out| out.write_all(bytes).map_err(|source| Error::file(path, source)))
}

/// Prints the plot on standard output, and the results, unless a file holds them.
pub fn print(
    args: &OutputArgs,
    outputs: &Outputs,
    results: &Results,
) -> std::result::Result<(), Failure> {
    outputs.print_plot(args.output.is_none()).map_err(Failure::Print)?;
    match args.output {
        Some(_) => Ok(()),
        None => terminal_table::print(&results.table(true)).map_err(Failure::Print),
    }
}

/// A scatter of the first two components, or of the only one.
pub fn draw(component_output: &ComponentOutput<'_>) -> Drawing {
    let results = component_output.results;
    let (x, y) =
        (results.column(0), (component_output.ratios.len() > 1).then(|| results.column(1)));
    let title =
        |index: usize| plot::component_title(index, component_output.ratios.get(index).copied());
    // Strings that are their own labels are written beside the points and need no colours.
    let labels =
        results.label_texts().filter(|labels| Some(labels) != component_output.texts.as_ref());
    let name = results.label.as_ref().map_or("", |(name, _)| name);
    plot::scatter(&Scatter {
        title: &component_output.titles[0],
        subtitle: &component_output.titles[1],
        x: &x,
        y: y.as_deref(),
        x_title: &title(0),
        y_title: &title(1),
        labels: labels.as_ref().map(|values| LabelColumn { name, values }),
        names: component_output.texts.as_deref(),
        rows: None,
        diagonal: false,
    })
}
