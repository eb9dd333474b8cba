//! The input of a kernel method: samples, or a precomputed kernel matrix.

use std::ops::Range;

use mercer::io::Table;
use mercer::model::{Scaling, ScalingKind};
use mercer::points::{Part, Parts};
use mercer::real::Real;
use mercer::{Dtype, Input, Result, Samples};

use super::input_kind::{ColumnGroup, InputKind};
use super::numbers::{Numbers, Rows, Scales, sparse};
use crate::run::Session;

/// The input of a kernel method, with the scaling of its columns.
pub struct Prepared {
    /// The input.
    pub input: Input<'static>,
    /// The scaling of every column.
    pub scaling: Option<Scaling>,
}

impl Prepared {
    /// The rows of `features`, whose columns are of `input_kind`, in the number type `dtype`.
    pub fn of(
        session: &Session,
        features: &Table,
        input_kind: &InputKind,
        scales: Scales<'_>,
        dtype: Dtype,
    ) -> Result<Self> {
        if *input_kind == InputKind::Precomputed {
            let rows = Rows::of(session, features, Scales::Apply(None), dtype)?;
            return Ok(Self { input: Input::precomputed(rows.values), scaling: None });
        }
        match dtype {
            Dtype::F32 => Self::of_type::<f32>(session, features, input_kind, scales),
            Dtype::F64 => Self::of_type::<f64>(session, features, input_kind, scales),
        }
    }

    fn of_type<T: Real>(
        session: &Session,
        features: &Table,
        input_kind: &InputKind,
        scales: Scales<'_>,
    ) -> Result<Self> {
        let (samples, scaling) = match input_kind {
            InputKind::Groups(groups) => grouped::<T>(session, features, groups, scales)?,
            input_kind => plain::<T>(session, features, input_kind, scales)?,
        };
        Ok(Self { input: samples.into(), scaling })
    }
}

/// Samples, and the scaling of their columns.
type Scaled<T> = (Samples<T>, Option<Scaling>);

fn plain<T: Real>(
    session: &Session,
    features: &Table,
    input_kind: &InputKind,
    scales: Scales<'_>,
) -> Result<Scaled<T>> {
    if *input_kind == InputKind::Strings {
        input_kind.check(features)?;
        return Ok((Samples::Strings(features.texts(0)?), None));
    }
    if *input_kind == InputKind::Histograms {
        features.check_not_negative()?;
    }
    if features.is_sparse() && !shifts(scales) {
        let (rows, scaling) = sparse(features.clone(), scales)?;
        return Ok((Samples::Sparse(rows), scaling));
    }
    let mut rows = Numbers::of(session, features, scales)?;
    let scaling = rows.scaling.take();
    Ok((Samples::Dense(rows.dense()?), scaling))
}

/// Whether columns are shifted, so that zeros do not stay zeros.
fn shifts(scales: Scales<'_>) -> bool {
    match scales {
        Scales::Learn(_) | Scales::Apply(None) => false,
        Scales::Apply(Some(scaling)) => scaling.shift.iter().any(|shift| *shift != 0.0),
    }
}

fn grouped<T: Real>(
    session: &Session,
    features: &Table,
    groups: &[ColumnGroup],
    scales: Scales<'_>,
) -> Result<Scaled<T>> {
    let mut parts = Vec::with_capacity(groups.len());
    let mut all = Scaling::learn::<f64>(ScalingKind::None, &[], 0);
    let mut start = 0;
    for group in groups {
        let range = start..start + group.names.len();
        let group_scaling = scales_of(group, scales, &range);
        let own =
            group_scaling.as_ref().map_or(Scales::Learn(ScalingKind::None), GroupScaling::scales);
        let part = part_of(features, range.clone());
        let (samples, scaling) = plain(session, &part, &group.input_kind, own)?;
        let none = || Scaling::learn::<f64>(ScalingKind::None, &[], range.len());
        let scaling = scaling.unwrap_or_else(none);
        if scaling.kind != ScalingKind::None {
            all.kind = scaling.kind;
        }
        all.shift.extend(scaling.shift);
        all.factor.extend(scaling.factor);
        parts.push(Part { names: group.names.clone(), samples });
        start = range.end;
    }
    let scaling = Some(all).filter(|scaling| scaling.kind != ScalingKind::None);
    Ok((Samples::Parts(Parts::new(parts)?), scaling))
}

/// The scaling of a group: to be computed, or given.
enum GroupScaling {
    Learn(ScalingKind),
    Known(Scaling),
}

impl GroupScaling {
    fn scales(&self) -> Scales<'_> {
        match self {
            GroupScaling::Learn(kind) => Scales::Learn(*kind),
            GroupScaling::Known(scaling) => Scales::Apply(Some(scaling)),
        }
    }
}

/// How the columns `range` are scaled; none if they are not. Strings and histograms never are.
fn scales_of(
    group: &ColumnGroup,
    scales: Scales<'_>,
    range: &Range<usize>,
) -> Option<GroupScaling> {
    match scales {
        _ if group.input_kind != InputKind::Numbers => None,
        Scales::Learn(kind) => Some(GroupScaling::Learn(kind)),
        Scales::Apply(scaling) => scaling.map(|scaling| {
            GroupScaling::Known(Scaling {
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
        columns: table.columns[range.clone()].to_vec(),
        indicators: (table.indicators.iter().filter(|&i| range.contains(i)))
            .map(|i| i - range.start)
            .collect(),
        path: table.path.clone(),
        lines: table.lines.clone(),
        ..Table::default()
    }
}
