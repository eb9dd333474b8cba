//! The machines of all cells as one: support vectors one after the other, cell by cell and class by class.

use super::{CellChoice, CellState, Checked, Own};
use crate::kernel::KernelSpec;
use crate::linalg::view::Mat;
use crate::model::prepared::Prepared;
use crate::model::report::Report;
use crate::model::svm::decode::pairs;
use crate::model::svm::report::{ProblemReport, SvmReport};
use crate::model::svm::{CellParams, Stop, Svm, SvmParams};
use crate::points::{AnySamples, Dtype};
use crate::real::Real;

/// The machine of a cell.
pub struct Part {
    /// The rows it was fitted on, among those that count.
    pub rows: Vec<usize>,
    /// Their classes, by place.
    pub present: Vec<usize>,
    /// None where there is one class.
    pub model: Option<Svm>,
}

/// Decisions of pairs among `present` classes (by place of `k`) as decisions of all pairs: a class without samples has lost against those that have
/// some. Of two classes the second is positive, of more the first of a pair.
pub fn widened(own: &[f64], present: &[usize], k: usize) -> Vec<f64> {
    if k < 2 {
        return own.to_vec();
    }
    let place = |class: usize| present.iter().position(|other| *other == class);
    let flip = if present.len() == 2 && k > 2 { -1.0 } else { 1.0 };
    let decision = |(i, j): (usize, usize)| match (place(i), place(j)) {
        (Some(a), Some(b)) => {
            let local = pairs(present.len()).position(|pair| pair == (a, b)).unwrap_or(0);
            flip * own[local]
        }
        (Some(_), None) => 1.0,
        (None, Some(_)) => -1.0,
        (None, None) => 0.0,
    };
    let sign = if k == 2 && present.len() == 1 { -1.0 } else { 1.0 };
    pairs(k).map(|pair| sign * decision(pair)).collect()
}

/// All coefficients so far.
#[derive(Default)]
struct Columns {
    support: Vec<usize>,
    /// For each support vector, the coefficient in each line.
    coef: Vec<Vec<f64>>,
    counts: Vec<usize>,
    offset: Vec<f64>,
    problems: Vec<ProblemReport>,
}

impl Columns {
    fn add(&mut self, part: &Part, checked: &Checked) {
        let k = checked.classes.len();
        let own = part.model.as_ref().map_or(&[][..], |model| &model.offset);
        self.offset.extend(widened(own, &part.present, k));
        let mut counts = vec![0; k.max(1)];
        if let Some(model) = &part.model {
            for column in 0..model.support.len() {
                let row = part.rows[model.support[column]];
                let class = checked.places.get(row).copied().unwrap_or(0);
                counts[class] += 1;
                self.support.push(checked.rows[row]);
                self.coef.push(lines(model, column, class, &part.present, k));
            }
        }
        self.counts.extend(counts);
        self.problems.extend(reports(part, k));
    }
}

/// The coefficients of a support vector of `class` in the lines of a machine of k classes.
fn lines(model: &Svm, column: usize, class: usize, present: &[usize], k: usize) -> Vec<f64> {
    let mut lines = vec![0.0; k.max(2) - 1];
    if k <= 2 {
        lines[0] = model.coef[(0, column)];
        return lines;
    }
    let flip = if present.len() == 2 { -1.0 } else { 1.0 };
    let others = present.iter().filter(|other| **other != class);
    for (r, &other) in others.enumerate() {
        let line = if other < class { other } else { other - 1 };
        lines[line] = flip * model.coef[(r, column)];
    }
    lines
}

/// The certificates of all pairs; those of pairs without samples of both classes have nothing to solve.
fn reports(part: &Part, k: usize) -> Vec<ProblemReport> {
    let known = part.model.as_ref().and_then(|model| model.report.machine.as_ref());
    let known = known.map_or(&[][..], |machine| &machine.problems);
    let precision = known.first().map_or(f64::NAME, |problem| &problem.precision);
    if k < 2 {
        return known.to_vec();
    }
    let place = |class: usize| part.present.iter().position(|other| *other == class);
    let of = |(i, j): (usize, usize)| {
        let both = place(i).zip(place(j));
        let local = both.and_then(|pair| pairs(part.present.len()).position(|own| own == pair));
        local.and_then(|local| known.get(local).cloned()).unwrap_or_else(|| nothing(precision))
    };
    pairs(k).map(of).collect()
}

fn nothing(precision: &str) -> ProblemReport {
    ProblemReport {
        iterations: 0,
        objective: 0.0,
        gap: Some(0.0),
        violation: 0.0,
        rounding: Some(0.0),
        rows: 0,
        certified_rows: 0,
        precision: precision.into(),
        support: 0,
        bounded: 0,
        stop: Stop::Converged,
    }
}

/// One model of all cells, without anchors and centres. `own` is what was chosen for each cell, or nothing.
pub fn merge(
    params: &SvmParams,
    checked: &Checked,
    parts: &[Part],
    own: &[Own],
    x: &AnySamples,
) -> Svm {
    let mut all = Columns::default();
    parts.iter().for_each(|part| all.add(part, checked));
    let k = checked.classes.len();
    let of_class = |class: usize| all.counts.iter().skip(class).step_by(k.max(1)).sum();
    let in_double = |part: &Part| part.model.as_ref().is_some_and(|m| m.computed_in == Dtype::F64);
    let computed_in = if parts.iter().any(in_double) { Dtype::F64 } else { x.dtype() };
    let report = report(parts, all.problems, computed_in, !own.is_empty());
    let (kernels, own) = numbered(own);
    let cells = params.cells.clone().map(|cells| CellParams { kernels, ..cells });
    Svm {
        params: SvmParams { cells, ..params.clone() },
        anchors: None,
        dtype: x.dtype(),
        computed_in,
        trained_on: x.n(),
        counts: (0..k.max(1)).map(of_class).collect(),
        coef: Mat::from_fn(k.max(2) - 1, all.coef.len(), |line, s| all.coef[s][line]),
        support: all.support,
        landmarks: None,
        cells: Some(CellState { counts: all.counts, own }),
        offset: all.offset,
        classes: (k > 0).then(|| checked.classes.clone()),
        class_weights: (k > 0).then(|| checked.class_weights.clone()),
        calibration: None,
        prepared: Prepared::default(),
        report,
    }
}

/// The kernels of cells, each once, and the choice of each cell by the place of its kernel.
fn numbered(own: &[Own]) -> (Vec<KernelSpec>, Vec<CellChoice>) {
    let mut kernels: Vec<KernelSpec> = Vec::new();
    let choice = |(kernel, c): &Own| {
        let known = kernels.iter().position(|other| other == kernel);
        let place = known.unwrap_or_else(|| {
            kernels.push(kernel.clone());
            kernels.len() - 1
        });
        CellChoice { kernel: place, c: *c }
    };
    let choices = own.iter().map(choice).collect();
    (kernels, choices)
}

fn report(
    parts: &[Part],
    problems: Vec<ProblemReport>,
    computed_in: Dtype,
    is_own: bool,
) -> Report {
    let of = |number: fn(&SvmReport) -> u64| {
        let each = parts.iter().filter_map(|part| part.model.as_ref()?.report.machine.as_ref());
        each.map(number).sum()
    };
    let alone = parts.iter().filter(|part| part.model.is_none()).count();
    let of_its_own = if is_own { ", with a kernel and a C of its own" } else { "" };
    let mut reason = format!("{} cells have an exact SVM each{of_its_own}", parts.len() - alone);
    if alone > 0 {
        reason += &format!("; {alone} cells contain samples of a single class, which they predict");
    }
    Report {
        solver: "smo".into(),
        storage: "cells".into(),
        reason,
        residual: problems.iter().map(|problem| problem.violation).fold(0.0, f64::max),
        converged: problems.iter().all(|problem| problem.stop == Stop::Converged),
        precision: computed_in.name().into(),
        machine: Some(SvmReport {
            choice: None,
            precision: computed_in.name().into(),
            problems,
            tube: None,
            columns_used: of(|machine| machine.columns_used),
            cache_hits: of(|machine| machine.cache_hits),
        }),
        ..Report::default()
    }
}

impl CellState {
    /// The support vectors of each cell.
    pub(super) fn segments(&self, classes: usize) -> Vec<std::ops::Range<usize>> {
        let mut start = 0;
        let sizes = self.counts.chunks(classes.max(1)).map(|counts| counts.iter().sum::<usize>());
        sizes
            .map(|size| {
                start += size;
                start - size..start
            })
            .collect()
    }
}

impl Svm {
    /// The parameters of the machine of a cell.
    fn params_of_cell(&self, cells: &CellState, cell: usize) -> SvmParams {
        let (mut params, own) = (self.params.clone(), cells.own.get(cell));
        let kernels = params.cells.take().map_or(Vec::new(), |cells| cells.kernels);
        if let Some((choice, kernel)) = own.and_then(|own| Some((own, kernels.get(own.kernel)?))) {
            (params.kernel, params.c) = (kernel.clone(), choice.c);
        }
        params
    }

    /// The machine of each cell.
    pub(super) fn of_cells(&self, cells: &CellState, anchors: &AnySamples) -> Vec<Svm> {
        let k = self.classes.as_ref().map_or(0, Vec::len);
        let segments = cells.segments(k);
        let problems = self.offset.len() / segments.len().max(1);
        let machine = |(cell, columns): (usize, std::ops::Range<usize>)| {
            let own: Vec<usize> = columns.clone().collect();
            Svm {
                params: self.params_of_cell(cells, cell),
                support: (0..own.len()).collect(),
                anchors: Some(anchors.select(&own)),
                counts: cells.counts[cell * k.max(1)..(cell + 1) * k.max(1)].to_vec(),
                coef: Mat::from_fn(self.coef.rows(), own.len(), |line, s| {
                    self.coef[(line, own[s])]
                }),
                offset: self.offset[cell * problems..(cell + 1) * problems].to_vec(),
                classes: self.classes.clone(),
                class_weights: None,
                calibration: None,
                cells: None,
                landmarks: None,
                prepared: Prepared::default(),
                report: Report::default(),
                ..*self
            }
        };
        segments.into_iter().enumerate().map(machine).collect()
    }
}
