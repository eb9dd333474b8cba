//! The rows of a table as a fitted model takes them: its columns, scaled as they were, with targets among its classes and weights.

use std::borrow::Cow;

use mercer::io::encoding::rows_without_missing;
use mercer::io::stream::TableStream;
use mercer::io::{Model, ModelFile, Table};
use mercer::model::landmarks::{RowBlock, RowBlocks};
use mercer::{Error, Input, Result};

use crate::args::ContinueArgs;
use crate::data::{Places, about};
use crate::facts;
use crate::run::Session;
use crate::run::columns::{self, TargetKind};
use crate::run::model_columns;
use crate::run::prediction::model_input;
use crate::run::stream::Reading;

/// Where rows come from.
enum Source {
    /// A table in memory, and whether it was read.
    Table(Table, bool),
    /// A table in blocks.
    Blocks(Box<TableStream>),
}

/// The rows of a table for a model.
pub(super) struct ModelRows<'a> {
    session: &'a Session,
    saved: &'a ModelFile,
    args: &'a ContinueArgs,
    places: Places,
    source: Source,
    /// How the table was read, if it is in blocks.
    pub reading: Option<Reading>,
    /// Rows of the last pass.
    pub added: u64,
}

impl<'a> ModelRows<'a> {
    /// The rows of a table in memory.
    pub fn of_table(
        session: &'a Session,
        saved: &'a ModelFile,
        args: &'a ContinueArgs,
        table: Table,
    ) -> Self {
        let (source, places) =
            (Source::Table(table, false), facts::places(saved).unwrap_or_default());
        Self { session, saved, args, places, source, reading: None, added: 0 }
    }

    /// The rows of a table in blocks.
    pub fn of_blocks(
        session: &'a Session,
        saved: &'a ModelFile,
        args: &'a ContinueArgs,
        stream: TableStream,
    ) -> Self {
        let (source, places) =
            (Source::Blocks(Box::new(stream)), facts::places(saved).unwrap_or_default());
        let reading = Some(Reading::default());
        Self { session, saved, args, places, source, reading, added: 0 }
    }

    fn next_table(&mut self) -> Result<Option<Table>> {
        match &mut self.source {
            Source::Table(table, is_read) => {
                Ok((!std::mem::replace(is_read, true)).then(|| table.clone()))
            }
            Source::Blocks(stream) => {
                let table = stream.next_table()?;
                if let (Some(table), Some(reading)) = (&table, &mut self.reading) {
                    reading.passes += usize::from(reading.blocks == 0);
                    reading.blocks += 1;
                    reading.rows += table.n_rows() as u64;
                }
                Ok(table)
            }
        }
    }

    fn block(&self, table: Table) -> Result<Option<RowBlock<'static>>> {
        let targets = self.target_columns(&table)?;
        let weights = self.weights_column(&table)?;
        let table = match self.places.missing.as_deref() {
            Some("drop") => self.complete_rows(table, &targets, weights),
            _ => table,
        };
        if table.n_rows() == 0 {
            return Ok(None);
        }
        let kind = match &self.saved.model {
            Model::KernelRidge(model) if model.classes.is_some() => TargetKind::ClassesOfBlock,
            Model::KernelRidge(_) => TargetKind::ValuesOfBlock,
            _ => TargetKind::Unsupervised,
        };
        let learned = columns::learned(&table, &targets, weights, kind)?;
        let columns = self.args.columns.as_deref();
        let found = model_columns::find(table, self.saved, false, columns, None)?;
        let (session, saved) = (self.session, self.saved);
        let input = model_input(session, &saved.model, saved.scaling.as_ref(), &found.features)?;
        let Input::Samples(samples) = input else {
            unreachable!("a model on landmarks takes samples");
        };
        let mut block = RowBlock::new(samples);
        if let Model::KernelRidge(model) = &saved.model {
            block.targets = Some(Cow::Owned(model.values_of(&learned)?));
        }
        block.weights = learned.weights.map(Cow::Owned);
        Ok(Some(block))
    }

    /// The target columns of the model, by name or, in a table without names, by position.
    fn target_columns(&self, table: &Table) -> Result<Vec<usize>> {
        let one = |target: &crate::data::Target| {
            let what = format!("the target {:?}", target.name);
            let found = self.find(table, (&target.name, target.column));
            // A table that marks its label need not name it.
            let found = found.or(table.label.filter(|_| self.places.targets.len() == 1));
            found.ok_or_else(|| lacks(table, &what))
        };
        let is_regression = matches!(self.saved.model, Model::KernelRidge(_));
        match (is_regression && self.places.targets.is_empty(), table.label) {
            (false, _) => self.places.targets.iter().map(one).collect(),
            (true, Some(label)) => Ok(vec![label]),
            (true, None) => {
                let message = "the model was not fitted by `mercer krr` and does not name its target: continue it in the program that fitted it";
                Err(about(table, message.into()))
            }
        }
    }

    fn weights_column(&self, table: &Table) -> Result<Option<usize>> {
        let Some(column) = self.places.weights_column else { return Ok(None) };
        let name = self.places.weights.as_deref().unwrap_or_default();
        let found = self.find(table, (name, column));
        found.map(Some).ok_or_else(|| lacks(table, "the weights of the rows"))
    }

    fn find(&self, table: &Table, (name, column): (&str, usize)) -> Option<usize> {
        match &table.names {
            Some(names) if self.saved.feature_names.is_some() => {
                names.iter().position(|other| other == name)
            }
            _ => Some(column).filter(|_| table.n_columns() == self.places.table_columns),
        }
    }

    /// The table without rows that lack a value the model needs.
    fn complete_rows(&self, table: Table, targets: &[usize], weights: Option<usize>) -> Table {
        let names = table.names.as_deref().unwrap_or_default();
        let features: Vec<usize> = match (&self.saved.feature_names, names.is_empty()) {
            (Some(own), false) => {
                own.iter().filter_map(|own| names.iter().position(|name| name == own)).collect()
            }
            _ => self.places.features(),
        };
        let used: Vec<usize> = features.iter().chain(targets).chain(&weights).copied().collect();
        let rows = rows_without_missing(&table, &used);
        if rows.len() == table.n_rows() { table } else { table.take_rows(&rows) }
    }
}

fn lacks(table: &Table, what: &str) -> Error {
    about(table, format!("the table does not have {what}"))
}

impl RowBlocks for ModelRows<'_> {
    fn rewind(&mut self, _: usize) -> Result<()> {
        match &mut self.source {
            Source::Table(_, is_read) => *is_read = false,
            Source::Blocks(stream) => stream.rewind(),
        }
        if let Some(reading) = &mut self.reading {
            *reading = Reading { passes: reading.passes, ..Reading::default() };
        }
        self.added = 0;
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RowBlock<'_>>> {
        loop {
            let Some(table) = self.next_table()? else { return Ok(None) };
            if let Some(block) = self.block(table)? {
                self.added += block.samples.n() as u64;
                return Ok(Some(block));
            }
        }
    }

    fn rows(&self) -> Option<u64> {
        let drops = self.places.missing.as_deref() == Some("drop");
        match &self.source {
            Source::Table(table, _) => Some(table.n_rows() as u64),
            Source::Blocks(stream) => stream.rows(),
        }
        .filter(|_| !drops)
    }

    fn share(&self) -> Option<f64> {
        match &self.source {
            Source::Table(..) => None,
            Source::Blocks(stream) => stream.share(),
        }
    }
}
