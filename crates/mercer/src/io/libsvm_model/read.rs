//! Reads a model from text.

use super::body::Body;
use super::head::{Head, Parsed, at};
use super::turn::{Pairwise, Turned};
use crate::error::Error;
use crate::io::model_file::svm::check;
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::model::svm::{Calibration, Svm, SvmParams, Task};
use crate::model::{Note, NoteCode};
use crate::model::{Prepared, Report};
use crate::points::{Dense, Dtype, Points};

/// Why a text is no model.
pub enum Fault {
    /// What is wrong, and on which line.
    Text(String),
    /// Memory.
    Other(Error),
}

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Fault::Text(message)
    }
}

/// Reads a model whose support vectors take at most `max_bytes`.
pub fn parse(bytes: &[u8], max_bytes: u64) -> Result<Svm, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let line = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
        at(line, "this is not UTF-8 text, so it is not a LIBSVM model")
    })?;
    // A line without its end was cut off: "1:0.5" may have been "1:0.53". So it does not count.
    let (text, cut) = text.rsplit_once('\n').unwrap_or(("", text));
    let mut lines = (1..).zip(text.lines());
    let head = Head::read(&mut lines)?;
    let (task, kernel) = (head.task()?, head.kernel()?);
    let (_, total) = head.count("total_sv")?;
    if total == 0 {
        let what = "total_sv is 0: without support vectors the features are unknown";
        return Err(at(head.end, what).into());
    }
    let classes = if task.is_classification() { Some(classes(&head, total)?) } else { None };
    let rows = classes.as_ref().map_or(1, |classes| classes.labels.len() - 1);
    let body = Body::read(lines, head.end, total, rows)?;
    if !cut.trim().is_empty() {
        let line = text.lines().count() + 1;
        return Err(at(line, "the file ends within this line: it was cut off").into());
    }
    let model = match classes {
        Some(classes) => classifier(&head, task, classes, &body)?,
        None => single(&head, task, &body)?,
    };
    let model = with_vectors(model, kernel, &body, max_bytes)?;
    check::svm(&model.machine)?;
    Ok(model.machine)
}

/// A model without its support vectors, and the position of each of them in the text.
struct Unfinished {
    machine: Svm,
    places: Vec<usize>,
}

/// What the head says of classes.
struct Classes {
    labels: Vec<i32>,
    counts: Vec<usize>,
}

fn classes(head: &Head<'_>, total: usize) -> Parsed<Classes> {
    let (line, count) = head.count("nr_class")?;
    if count < 2 {
        return Err(at(line, format!("nr_class is {count}, but a classifier has at least 2")));
    }
    let (line, labels) = head.integers::<i32>("label", count)?;
    let mut sorted = labels.clone();
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(at(line, format!("label {} appears twice", pair[0])));
    }
    let (line, counts) = head.integers::<usize>("nr_sv", count)?;
    let sum = counts.iter().try_fold(0_usize, |sum, &count| sum.checked_add(count));
    if sum != Some(total) {
        return Err(at(line, format!("nr_sv does not add up to total_sv, {total}")));
    }
    Ok(Classes { labels, counts })
}

fn classifier(head: &Head<'_>, task: Task, classes: Classes, body: &Body) -> Parsed<Unfinished> {
    let count = classes.labels.len();
    let problems = count * (count - 1) / 2;
    let platt = match (head.has("probA"), head.has("probB")) {
        (false, false) => None,
        _ => Some((head.numbers("probA", problems)?, head.numbers("probB", problems)?)),
    };
    let Classes { labels, counts } = classes;
    let rho = head.numbers("rho", problems)?;
    let pairwise = Pairwise { labels, counts, coef: body.coef.clone(), rho, platt };
    let Turned { labels, counts, coef, offset, curves, places } = pairwise.turned();
    let machine = Svm {
        counts,
        classes: Some(labels.iter().map(i32::to_string).collect()),
        calibration: curves.map(|curves| Calibration { curves, folds: 0 }),
        ..bare(task, coef, offset, notes(head, task))
    };
    Ok(Unfinished { machine, places })
}

/// A regression, or the support of a distribution.
fn single(head: &Head<'_>, task: Task, body: &Body) -> Parsed<Unfinished> {
    let offset = head.numbers("rho", 1)?.iter().map(|rho| -rho).collect();
    let coef = Mat::from_vec(body.coef.clone(), 1, body.coef.len());
    let machine = bare(task, coef, offset, notes(head, task));
    Ok(Unfinished { places: (0..body.coef.len()).collect(), machine })
}

fn bare(task: Task, coef: Mat<f64>, offset: Vec<f64>, notes: Vec<Note>) -> Svm {
    let total = coef.cols();
    let report = Report {
        solver: "LIBSVM".into(),
        storage: "unknown".into(),
        reason: "read from a LIBSVM model, which does not hold c, nu, epsilon and the tolerance"
            .into(),
        residual: f64::NAN,
        converged: true,
        precision: "f64".into(),
        seconds: f64::NAN,
        notes,
        ..Report::default()
    };
    Svm {
        params: SvmParams::new(task, KernelSpec::linear()),
        support: (0..total).collect(),
        anchors: None,
        dtype: Dtype::F64,
        computed_in: Dtype::F64,
        trained_on: total,
        counts: vec![total],
        coef,
        landmarks: None,
        cells: None,
        offset,
        classes: None,
        class_weights: None,
        calibration: None,
        prepared: Prepared::default(),
        report,
    }
}

fn notes(head: &Head<'_>, task: Task) -> Vec<Note> {
    let mut notes = Vec::new();
    if head.has("prob_density_marks") {
        notes.push(Note::new(
            NoteCode::Omitted,
            "the densities of the LIBSVM model (prob_density_marks) were ignored",
        ));
    }
    if !task.is_classification() && head.has("probA") {
        notes.push(Note::new(
            NoteCode::Omitted,
            "the noise of the LIBSVM model (probA) was ignored",
        ));
    }
    notes
}

/// Puts the kernel and the support vectors in.
fn with_vectors(
    mut model: Unfinished,
    kernel: Option<KernelSpec>,
    body: &Body,
    max_bytes: u64,
) -> Result<Unfinished, Fault> {
    let machine = &mut model.machine;
    let Some(kernel) = kernel else {
        let serials = body.serials()?;
        machine.trained_on = serials.iter().max().map_or(0, |last| last + 1);
        machine.support = model.places.iter().map(|&place| serials[place]).collect();
        return Ok(model);
    };
    let rows = body.rows(max_bytes).map_err(|needed| {
        let hint = "its largest index may be a mistake; otherwise raise the memory budget";
        Fault::Other(Error::memory("the model's support vectors", needed, max_bytes, hint))
    })?;
    let all = Dense::from_vec(rows.data, machine.trained_on, rows.d);
    let all = all.map_err(|error| format!("its support vectors: {error}"))?;
    machine.anchors = Some(all.select(&model.places).into());
    machine.params.kernel = kernel;
    Ok(model)
}
