//! The rows of a table in blocks, as a fit takes them: columns by role, scaled; labels as the classes of the whole table.

use std::borrow::Cow;
use std::collections::BTreeSet;

use mercer::context::Step;
use mercer::io::Table;
use mercer::io::encoding::{Encoding, Medians};
use mercer::io::stream::TableStream;
use mercer::model::landmarks::{RowBlock, RowBlocks};
use mercer::model::{Scaling, ScalingKind, ScalingPasses, classes};
use mercer::real::Real;
use mercer::{Dtype, Error, Input, Labels, Result, Targets};

use super::target_variance::TargetVariance;
use super::{Reading, in_block};
use crate::args::{Dates, Missing, Precision};
use crate::data::{InputKind, Prepared, Scales, Types, about};
use crate::run::Session;
use crate::run::columns::{self, Chosen, Roles, TargetKind};

/// A table in blocks with the roles of its columns.
pub struct FitRows<'a> {
    session: &'a Session,
    stream: TableStream,
    /// The roles; whether targets are classes is what the first block says.
    pub roles: Roles<'a>,
    /// The columns of the first block by role.
    first: Chosen,
    /// The classes, if the target has any.
    pub classes: Option<Vec<String>>,
    scaling: Option<Scaling>,
    /// The precision.
    pub types: Types,
    reading: Reading,
    dropped: usize,
    variance: TargetVariance,
}

impl<'a> FitRows<'a> {
    /// Reads the first block, and learns scaling and classes, which takes passes of its own.
    pub fn new(
        session: &'a Session,
        mut stream: TableStream,
        roles: Roles<'a>,
        scaling: ScalingKind,
        precision: Precision,
    ) -> Result<Self> {
        check(&roles)?;
        let (first, targets) = first_rows(&mut stream, &roles)?;
        let is_open = roles.kind == TargetKind::Either;
        let roles = Roles { kind: decided(roles.kind, &targets), in_blocks: true, ..roles };
        let types = Types::of(precision, &first.features);
        let (reading, classes) = (Reading::default(), None);
        let mut rows = Self {
            session,
            stream,
            roles,
            first,
            classes,
            scaling: None,
            types,
            reading,
            dropped: 0,
            variance: TargetVariance::default(),
        };
        session.progress.begin("preparing");
        if rows.roles.encoding.missing == Some(Missing::Median) {
            rows.learn_medians()?;
        }
        if targets.class_labels().is_some() {
            rows.classes = Some(rows.learn_classes(is_open)?);
        }
        rows.scaling = rows.learn_scaling(scaling)?;
        Ok(rows)
    }

    /// The columns of the first block by role.
    pub fn first(&self) -> &Chosen {
        &self.first
    }

    /// The table, the columns by role as far as the first block shows, and the scaling.
    pub fn into_parts(self) -> (TableStream, Chosen, Option<Scaling>, Reading) {
        let mut first = self.first;
        first.places.dropped_rows = self.dropped;
        (self.stream, first, self.scaling, self.reading)
    }

    /// The variance of each target over the rows of the last pass; none where it is constant.
    pub fn variances(&self) -> Vec<Option<f64>> {
        self.variance.variances()
    }

    /// How many columns targets are regressed on.
    pub fn regressed(&self) -> usize {
        match &self.classes {
            Some(names) if names.len() > 2 => names.len(),
            Some(_) => 1,
            None => self.first.targets.len(),
        }
    }

    /// The classes of all rows; where only the first rows say that targets are classes, the others must be mostly words, too.
    fn learn_classes(&mut self, is_open: bool) -> Result<Vec<String>> {
        let (mut names, mut numbers) = (BTreeSet::new(), 0);
        let rows = self.pass(|_, targets| {
            if let Some(own) = targets.class_labels() {
                let is_number: Vec<bool> = own
                    .names
                    .iter()
                    .map(|name| name.trim().parse::<f64>().is_ok_and(f64::is_finite))
                    .collect();
                numbers += own.places.iter().filter(|place| is_number[**place]).count() as u64;
                names.extend(own.names.iter().cloned());
            }
            Ok(())
        })?;
        if is_open && 2 * numbers > rows {
            let message = format!(
                "the target holds text in the first rows, but {numbers} of all {rows} rows are numbers: correct the text, or treat the target as class labels with --classify"
            );
            return Err(about(self.stream.head(), message));
        }
        if names.len() as u64 == rows && rows > 2 {
            let column = self.first.places.targets.first().map_or(0, |target| target.column);
            return Err(columns::all_different(self.stream.head(), column));
        }
        Ok(Labels::new(&names.into_iter().collect::<Vec<_>>()).names)
    }

    fn learn_scaling(&mut self, kind: ScalingKind) -> Result<Option<Scaling>> {
        if kind == ScalingKind::None || self.roles.input_kind.has_strings() {
            return Ok(None);
        }
        if self.first.features.is_sparse() {
            let message = "sparse rows cannot be scaled in blocks: use none";
            return Err(Error::parameter("--scale", message));
        }
        let single = self.types.work == Dtype::F32 && self.first.features.is_f32();
        if single { self.scaling_as::<f32>(kind) } else { self.scaling_as::<f64>(kind) }.map(Some)
    }

    fn scaling_as<T: Real>(&mut self, kind: ScalingKind) -> Result<Scaling> {
        let rows = match self.stream.rows().filter(|_| !self.drops()) {
            Some(rows) => rows,
            None => self.pass(|_, _| Ok(()))?,
        };
        let mut passes = ScalingPasses::new::<T>(kind, rows, self.first.features.n_columns());
        for _ in 0..passes.passes() {
            self.pass(|chosen, _| {
                passes.add(&chosen.features.matrix::<T>().map_err(in_block)?);
                Ok(())
            })?;
            passes.end_pass();
        }
        Ok(passes.finish())
    }

    /// Learns what stands in for missing values.
    fn learn_medians(&mut self) -> Result<()> {
        let kind = self.roles.input_kind;
        if kind.is_encoded() && self.first.features.is_sparse() {
            return Ok(()); // What is left out is zero.
        }
        if !kind.is_encoded() {
            let message = format!("does not apply to a kernel on {}", kind.name());
            return Err(Error::parameter("--missing", message));
        }
        let columns = self.first.features.n_columns();
        let mut medians = Medians::new(&self.session.context, columns)?;
        while medians.needs_pass() {
            self.pass(|chosen, _| medians.add(&chosen.features).map_err(in_block))?;
            medians.end_pass();
        }
        let encoding = medians.finish(&self.first.features)?;
        (self.first.features, _) = encoding.apply(self.first.features.clone())?;
        self.first.places.encoding = Some(encoding);
        Ok(())
    }

    /// Whether rows with a missing value are left out.
    fn drops(&self) -> bool {
        self.roles.encoding.missing == Some(Missing::Drop)
    }

    /// Reads all rows once; returns how many are used.
    fn pass(&mut self, mut visit: impl FnMut(&Chosen, &Targets) -> Result<()>) -> Result<u64> {
        self.rewind(1)?;
        let total = self.stream.rows();
        let mut used = 0;
        while let Some((chosen, targets)) = self.next_chosen()? {
            used += chosen.features.n_rows() as u64;
            visit(&chosen, &targets)?;
            let (done, context) = (self.reading.rows as f64, &self.session.context);
            match (total, self.stream.share()) {
                (Some(n), _) => context.step(Step::new("preparing", done, n as f64))?,
                (None, Some(share)) => context.step(Step::new("preparing", share, 1.0))?,
                (None, None) => context.poll()?,
            }
        }
        Ok(used)
    }

    /// The columns by role of the next block that has rows to use.
    fn next_chosen(&mut self) -> Result<Option<(Chosen, Targets)>> {
        while let Some(table) = self.stream.next_table()? {
            if self.reading.blocks == 0 {
                self.reading.passes += 1;
            }
            self.reading.blocks += 1;
            self.reading.rows += table.n_rows() as u64;
            let all = table.n_rows();
            let (chosen, targets, _) = columns::split(table, &self.roles)?;
            self.variance.add(&targets);
            self.dropped += all - chosen.features.n_rows();
            if chosen.features.n_rows() > 0 {
                return Ok(Some((filled(chosen, self.first.places.encoding.as_ref())?, targets)));
            }
        }
        Ok(None)
    }

    fn block(&self, chosen: &Chosen, targets: Targets) -> Result<RowBlock<'static>> {
        let scales = Scales::Apply(self.scaling.as_ref());
        let (kind, work) = (self.roles.input_kind, self.types.work);
        let Input::Samples(samples) =
            Prepared::of(self.session, &chosen.features, kind, scales, work)?.input
        else {
            unreachable!("a kernel matrix is not read in blocks");
        };
        let mut block = RowBlock::new(samples);
        let weights = targets.weights.clone();
        if !chosen.targets.is_empty() {
            block.targets = Some(Cow::Owned(self.in_all_classes(targets)?.regressed()?));
        }
        block.weights = weights.map(Cow::Owned);
        Ok(block)
    }

    /// Targets whose classes are those of the whole table.
    fn in_all_classes(&self, targets: Targets) -> Result<Targets> {
        match (&self.classes, targets.class_labels()) {
            (Some(names), Some(own)) => Ok(Targets::labels(classes::among(own, names)?)),
            _ => Ok(targets),
        }
    }
}

/// The columns by role of a block, with what stands in for missing values.
pub fn split(table: Table, roles: &Roles<'_>, fill: Option<&Encoding>) -> Result<Chosen> {
    let (chosen, _, _) = columns::split(table, roles)?;
    filled(chosen, fill)
}

/// The same rows with what stands in for missing values.
fn filled(chosen: Chosen, fill: Option<&Encoding>) -> Result<Chosen> {
    let Some(encoding) = fill else { return Ok(chosen) };
    let (features, _) = encoding.apply(chosen.features)?;
    Ok(Chosen { features, ..chosen })
}

/// The columns by role of the first block that has rows to use.
fn first_rows(stream: &mut TableStream, roles: &Roles<'_>) -> Result<(Chosen, Targets)> {
    stream.rewind();
    let wanted = Roles { kind: of_block(roles.kind), in_blocks: true, ..*roles };
    while let Some(table) = stream.next_table()? {
        let (chosen, targets, _) = columns::split(table, &wanted)?;
        if chosen.features.n_rows() > 0 {
            return Ok((chosen, targets));
        }
    }
    Err(about(stream.head(), "all rows have a missing value: leave columns out".into()))
}

/// The kind of the targets of the first rows.
fn of_block(kind: TargetKind) -> TargetKind {
    match kind {
        TargetKind::Classes => TargetKind::ClassesOfBlock,
        kind => kind,
    }
}

/// The kind of the targets of all rows, given those of the first ones.
fn decided(kind: TargetKind, first: &Targets) -> TargetKind {
    match kind {
        TargetKind::Unsupervised => kind,
        _ if first.class_labels().is_some() => TargetKind::ClassesOfBlock,
        _ => TargetKind::ValuesOfBlock,
    }
}

impl RowBlocks for FitRows<'_> {
    fn rewind(&mut self, _: usize) -> Result<()> {
        self.stream.rewind();
        self.reading = Reading { passes: self.reading.passes, ..Reading::default() };
        (self.dropped, self.variance) = (0, TargetVariance::default());
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        let Some((chosen, targets)) = self.next_chosen()? else { return Ok(None) };
        self.block(&chosen, targets).map(Some).map_err(in_block)
    }

    fn rows(&self) -> Option<u64> {
        self.stream.rows().filter(|_| !self.drops())
    }

    fn share(&self) -> Option<f64> {
        self.stream.share()
    }
}

/// Refuses what has to be learned from all rows at once.
fn check(roles: &Roles<'_>) -> Result<()> {
    let message = "not available for a table that is read in blocks: raise --memory";
    let encoding = roles.encoding;
    let fills = encoding.missing == Some(Missing::MostFrequent);
    let given = [
        (encoding.categories.is_some(), "--categories"),
        (!encoding.ordered.is_empty(), "--ordered"),
        (fills, "--missing"),
        (encoding.dates == Dates::Expand, "--dates"),
        (roles.groups.is_some(), "--groups"),
    ];
    if let Some((_, flag)) = given.into_iter().find(|(is_given, _)| *is_given) {
        return Err(Error::parameter(flag, message));
    }
    match roles.input_kind {
        InputKind::Groups(_) | InputKind::Categories => {
            let message = "kernels on categories or groups of columns need the whole table in memory: raise --memory";
            Err(Error::parameter("--kernel", message))
        }
        _ => Ok(()),
    }
}
