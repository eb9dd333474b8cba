//! A table as a kernel method takes it: samples, or kernel values.

use std::ops::Range;

use mercer::Result;
use mercer::io::Table;
use mercer::linalg::view::Mat;
use mercer::model::{Scaling, ScalingKind};
use mercer::points::{Part, Parts, Samples};
use mercer::real::Real;

use super::form::{Form, Group};
use super::numbers::{Numbers, Scales, sparse};
use crate::run::Session;

/// What a kernel method takes.
#[derive(Debug)]
pub enum Basis<T: Real> {
    /// Samples, which the kernel compares.
    Samples(Samples<T>),
    /// Kernel values of the rows with the samples that are learned from.
    Matrix(Mat<T>),
}

/// What a kernel method takes, and what was done to the columns of the table.
#[derive(Debug)]
pub struct Prepared<T: Real> {
    /// What it takes.
    pub basis: Basis<T>,
    /// What was done to every column.
    pub scaling: Option<Scaling>,
}

impl<T: Real> Basis<T> {
    /// Rows.
    pub fn n(&self) -> usize {
        match self {
            Basis::Samples(x) => x.n(),
            Basis::Matrix(values) => values.rows(),
        }
    }
}

impl<T: Real> Prepared<T> {
    /// The rows of `features`, whose columns are of `form`.
    pub fn of(
        session: &Session,
        features: &Table,
        form: &Form,
        scales: Scales<'_>,
    ) -> Result<Self> {
        if *form == Form::Given {
            let rows = Numbers::<T>::of(session, features, Scales::Apply(None))?;
            let basis = Basis::Matrix(Mat::from_vec(rows.values, rows.n, rows.d));
            return Ok(Self { basis, scaling: None });
        }
        let (samples, scaling) = match form {
            Form::Groups(groups) => grouped(session, features, groups, scales)?,
            form => plain(session, features.clone(), form, scales)?,
        };
        Ok(Self { basis: Basis::Samples(samples), scaling })
    }
}

/// Samples, and what was done to the columns.
type Scaled<T> = (Samples<T>, Option<Scaling>);

fn plain<T: Real>(
    session: &Session,
    features: Table,
    form: &Form,
    scales: Scales<'_>,
) -> Result<Scaled<T>> {
    if *form == Form::Texts {
        form.check(&features)?;
        return Ok((Samples::Strings(features.texts(0)?), None));
    }
    if *form == Form::Histograms {
        features.check_not_negative()?;
    }
    if features.is_sparse() && !shifts(scales) {
        let (rows, scaling) = sparse(features, scales)?;
        return Ok((Samples::Sparse(rows), scaling));
    }
    let mut rows = Numbers::of(session, &features, scales)?;
    let scaling = rows.scaling.take();
    Ok((Samples::Dense(rows.dense()?), scaling))
}

/// Whether columns are moved, so that zeros do not stay zeros.
fn shifts(scales: Scales<'_>) -> bool {
    match scales {
        Scales::Learn(_) | Scales::Apply(None) => false,
        Scales::Apply(Some(scaling)) => scaling.shift.iter().any(|shift| *shift != 0.0),
    }
}

fn grouped<T: Real>(
    session: &Session,
    features: &Table,
    groups: &[Group],
    scales: Scales<'_>,
) -> Result<Scaled<T>> {
    let mut parts = Vec::with_capacity(groups.len());
    let mut whole = Scaling::learn::<f64>(ScalingKind::None, &[], 0);
    let mut start = 0;
    for group in groups {
        let range = start..start + group.names.len();
        let own = scales_of(group, scales, &range);
        let own = own.as_ref().map_or(Scales::Learn(ScalingKind::None), Own::scales);
        let part = part_of(features, range.clone());
        let (samples, scaling) = plain(session, part, &group.form, own)?;
        let none = || Scaling::learn::<f64>(ScalingKind::None, &[], range.len());
        let scaling = scaling.unwrap_or_else(none);
        if scaling.kind != ScalingKind::None {
            whole.kind = scaling.kind;
        }
        whole.shift.extend(scaling.shift);
        whole.factor.extend(scaling.factor);
        parts.push(Part { names: group.names.clone(), samples });
        start = range.end;
    }
    let scaling = Some(whole).filter(|scaling| scaling.kind != ScalingKind::None);
    Ok((Samples::Parts(Parts::new(parts)?), scaling))
}

/// The scaling of a group, which is to be learned or is known.
enum Own {
    Learn(ScalingKind),
    Known(Scaling),
}

impl Own {
    fn scales(&self) -> Scales<'_> {
        match self {
            Own::Learn(kind) => Scales::Learn(*kind),
            Own::Known(scaling) => Scales::Apply(Some(scaling)),
        }
    }
}

/// How the columns `range` are scaled; none if they are not. Texts and histograms never are.
fn scales_of(group: &Group, scales: Scales<'_>, range: &Range<usize>) -> Option<Own> {
    match scales {
        _ if group.form != Form::Numbers => None,
        Scales::Learn(kind) => Some(Own::Learn(kind)),
        Scales::Apply(scaling) => scaling.map(|scaling| {
            Own::Known(Scaling {
                kind: scaling.kind,
                shift: scaling.shift[range.clone()].to_vec(),
                factor: scaling.factor[range.clone()].to_vec(),
            })
        }),
    }
}

/// Some columns of a table.
fn part_of(table: &Table, range: Range<usize>) -> Table {
    Table {
        names: table.names.as_ref().map(|names| names[range.clone()].to_vec()),
        columns: table.columns[range].to_vec(),
        label: None,
        path: table.path.clone(),
        lines: table.lines.clone(),
    }
}
