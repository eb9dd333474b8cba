//! Writes a model as text. Numbers have the fewest digits that read back as the same number.

use std::io::{self, Write};

use crate::error::{Error, Param, Result};
use crate::io::column::push_shortest;
use crate::io::model_file::svm::check;
use crate::kernel::Leaf;
use crate::model::svm::{Curve, Svm};
use crate::points::{AnySamples, Samples, with_samples};
use crate::real::Real;

/// A model that LIBSVM's format can hold.
pub struct Text<'a> {
    model: &'a Svm,
    head: Vec<String>,
    /// What turns our decisions into LIBSVM's.
    sign: f64,
    /// What the format could not hold, one sentence each.
    pub notes: Vec<String>,
}

impl<'a> Text<'a> {
    /// Refuses what the format has no words for.
    pub fn of(model: &'a Svm) -> Result<Self> {
        let refuse = |why| Error::Shape(format!("the model cannot be written: {why}"));
        check::svm(model).map_err(refuse)?;
        if model.landmarks.is_some() {
            return Err(refuse(
                "LIBSVM's format has no landmarks: polish the model, or fit it without them".into(),
            ));
        }
        if model.cells.is_some() {
            return Err(refuse("LIBSVM's format has no cells: fit the model without them".into()));
        }
        if model.support.is_empty() {
            return Err(refuse(
                "LIBSVM's format cannot hold a model without support vectors".into(),
            ));
        }
        let sign = if model.classes.as_ref().is_some_and(|classes| classes.len() == 2) {
            -1.0
        } else {
            1.0
        };
        let is_numbers = |anchors: &AnySamples| with_samples!(anchors, x => matches!(x, Samples::Dense(_) | Samples::Sparse(_)));
        if let Some(anchors) = model.anchors.as_ref().filter(|anchors| !is_numbers(anchors)) {
            let kind = anchors.kind();
            return Err(refuse(format!(
                "LIBSVM's format is for rows of numbers, but the samples are {kind}"
            )));
        }
        let mut text = Self { model, head: Vec::new(), sign, notes: Vec::new() };
        text.head.push(format!("svm_type {}", model.params.task.name()));
        text.kernel()?;
        text.machine()?;
        text.curves();
        if model.classes.is_some() {
            text.list("nr_sv", model.counts.iter().map(usize::to_string));
        }
        Ok(text)
    }

    fn list(&mut self, key: &str, values: impl Iterator<Item = String>) {
        let values: Vec<String> = values.collect();
        self.head.push(format!("{key} {}", values.join(" ")));
    }

    fn kernel(&mut self) -> Result<()> {
        if self.model.anchors.is_none() {
            self.head.push("kernel_type precomputed".into());
            return Ok(());
        }
        let spec = &self.model.params.kernel;
        let lines = spec.as_leaf().and_then(kernel_lines).ok_or_else(|| {
            Error::parameter(
                Param::Kernel,
                format!(
                    "LIBSVM has no kernel {spec}, only plain linear, poly, rbf and sigmoid: save the model as \
                     .mercer, or fit it on a kernel matrix"
                ),
            )
        })?;
        self.head.extend(lines);
        Ok(())
    }

    fn machine(&mut self) -> Result<()> {
        let model = self.model;
        let classes = model.classes.as_deref();
        self.head.push(format!("nr_class {}", classes.map_or(2, <[String]>::len)));
        self.head.push(format!("total_sv {}", model.support.len()));
        let rho = model.offset.iter().map(|offset| shortest(-self.sign * offset));
        let rho: Vec<String> = rho.collect();
        self.list("rho", rho.into_iter());
        if let Some(classes) = classes {
            let labels = labels(classes)?;
            self.list("label", labels.iter().map(i32::to_string));
        }
        Ok(())
    }

    /// Platt's curves; others cannot be said.
    fn curves(&mut self) {
        let Some(calibration) = &self.model.calibration else { return };
        let platt = |curve: &Curve| match curve {
            Curve::Platt { a, b } => Some((*a, *b)),
            _ => None,
        };
        match calibration.curves.iter().map(platt).collect::<Option<Vec<_>>>() {
            Some(curves) => {
                let sign = self.sign;
                self.list("probA", curves.iter().map(|(a, _)| shortest(*a)));
                self.list("probB", curves.iter().map(|(_, b)| shortest(sign * b)));
            }
            None => self.notes.push(
                "the calibration was omitted: LIBSVM's format has only sigmoids with one slope, so `svm-predict \
                 -b 1` will reject this model"
                    .into(),
            ),
        }
    }

    /// Writes the text.
    pub fn write_to(&self, out: &mut impl Write) -> io::Result<()> {
        self.head.iter().try_for_each(|line| writeln!(out, "{line}"))?;
        writeln!(out, "SV")?;
        let last = self.last_feature();
        let mut line = String::new();
        for j in 0..self.model.support.len() {
            line.clear();
            for row in 0..self.model.coef.rows() {
                push_number(&mut line, self.sign * self.model.coef[(row, j)]);
                line.push(' ');
            }
            match &self.model.anchors {
                Some(anchors) => push_pairs(&mut line, pairs(anchors, j), last.filter(|_| j == 0)),
                None => line.push_str(&format!("0:{}", self.model.support[j] + 1)),
            }
            line.push('\n');
            out.write_all(line.as_bytes())?;
        }
        Ok(())
    }

    /// The last feature, if it is 0 in all support vectors. One of those zeros is written, so that a reader knows how many
    /// features there are.
    fn last_feature(&self) -> Option<usize> {
        let anchors = self.model.anchors.as_ref()?;
        let last = anchors.features() - 1;
        let is_zero = |j: usize| pairs(anchors, j).last().is_none_or(|(index, _)| *index < last);
        (0..anchors.n()).all(is_zero).then_some(last)
    }
}

/// The lines that describe a kernel, if LIBSVM has it.
fn kernel_lines(leaf: &Leaf) -> Option<Vec<String>> {
    let number = |name| leaf.optional(name);
    let gamma = || {
        let from_sigma = || number("sigma").map(|sigma| 0.5 / (sigma * sigma));
        let from_width = || number("width").map(|width| 1.0 / (width * width));
        let gamma = from_sigma().or_else(from_width).or_else(|| number("gamma"))?;
        Some(format!("gamma {}", shortest(gamma)))
    };
    let coef0 = || Some(format!("coef0 {}", shortest(number("coef0")?)));
    let kind = |name| Some(format!("kernel_type {name}"));
    let degree = || Some(format!("degree {}", number("degree")?));
    match leaf.family().name {
        "linear" => [kind("linear")].into_iter().collect(),
        "poly" => [kind("polynomial"), degree(), gamma(), coef0()].into_iter().collect(),
        "rbf" => [kind("rbf"), gamma()].into_iter().collect(),
        "sigmoid" => [kind("sigmoid"), gamma(), coef0()].into_iter().collect(),
        _ => None,
    }
}

/// The names of classes as LIBSVM's labels.
fn labels(classes: &[String]) -> Result<Vec<i32>> {
    let refuse = |what: String| {
        let way_out = "use integer class labels and fit again, or save the model as .mercer";
        Error::parameter(Param::Classes, format!("{what}: {way_out}"))
    };
    let label = |name: &String| {
        let what = || format!("{name:?} is not a 32-bit integer, as labels are in LIBSVM's format");
        name.parse::<i32>().map_err(|_| refuse(what()))
    };
    let labels: Vec<i32> = classes.iter().map(label).collect::<Result<_>>()?;
    let distinct: std::collections::BTreeSet<&i32> = labels.iter().collect();
    if distinct.len() < labels.len() {
        return Err(refuse("two class names denote the same integer".into()));
    }
    Ok(labels)
}

fn shortest(number: f64) -> String {
    let mut text = String::new();
    push_number(&mut text, number);
    text
}

fn push_number(line: &mut String, number: f64) {
    push_shortest(line, number, number.abs());
}

/// The features that are not 0, and `shown` in any case.
fn push_pairs(line: &mut String, row: Vec<(usize, f64)>, shown: Option<usize>) {
    let zero = shown.map(|index| (index, 0.0));
    for (index, value) in row.into_iter().chain(zero) {
        line.push_str(&format!("{}:", index + 1));
        push_number(line, value);
        line.push(' ');
    }
}

/// The places and values of row j that are not zero.
fn pairs(rows: &AnySamples, j: usize) -> Vec<(usize, f64)> {
    with_samples!(rows, rows => match rows {
        Samples::Dense(x) => {
            let all = x.row(j).iter().map(|v| v.to_f64()).enumerate();
            all.filter(|(_, value)| *value != 0.0).collect()
        }
        Samples::Sparse(x) => {
            let (at, values) = x.row(j);
            at.iter().map(|&index| index as usize).zip(values.iter().map(|v| v.to_f64())).collect()
        }
        other => unreachable!("{} are refused before", other.kind()),
    })
}
