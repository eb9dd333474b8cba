//! Nested cross-validation: every outer fold is predicted by a model that was searched and fitted on the other rows alone,
//! from the table on, so that fills, categories and scaling come from those rows too.

use mercer::io::{ModelFile, Table};
use mercer::select::Criterion;
use mercer::{Error, Labels, Result};

use super::validation::{Scheme, ids};
use super::{Session, held_out};
use crate::args::FoldArgs;
use crate::data::InputKind;
use crate::facts::Nested;

/// What is searched.
pub struct Searched<'a> {
    /// The training rows, as read.
    pub table: &'a Table,
    /// The target column of a classifier; none for a regression.
    pub classes: Option<usize>,
    /// The column of groups.
    pub groups: Option<usize>,
    /// The score.
    pub criterion: Criterion,
    /// The flags.
    pub args: &'a FoldArgs,
    /// The seed of the folds.
    pub seed: u64,
}

/// The score of the search that `fit` makes of a part of the table, if one is requested.
pub fn score(
    session: &Session,
    searched: Option<&Searched<'_>>,
    input_kind: &InputKind,
    fit: impl Fn(Table) -> Result<ModelFile>,
) -> Result<Option<Nested>> {
    let Some((searched, count)) = searched.and_then(|s| Some((s, s.args.nested?))) else {
        return Ok(None);
    };
    if *input_kind == InputKind::Precomputed {
        let message = "a kernel matrix cannot be split by rows";
        return Err(Error::parameter("--nested", message));
    }
    let Searched { table, criterion, .. } = *searched;
    let cells = |column: usize| ids(&table.columns[column]);
    let groups = searched.groups.map(cells);
    let labels = searched.classes.map(|column| {
        Labels::new(
            &(0..table.n_rows()).map(|row| table.columns[column].text(row)).collect::<Vec<_>>(),
        )
    });
    // Another seed than that of the inner folds, which are of other rows anyway.
    let scheme = Scheme {
        repeats: 1,
        ..Scheme::of(
            searched.args,
            count as usize,
            searched.seed.wrapping_add(1),
            groups.as_deref(),
        )
    };
    let folds = scheme.folds(table.n_rows(), labels.as_ref(), Some(criterion))?;
    let mut found = Vec::with_capacity(folds.folds.len());
    for fold in &folds.folds {
        session.progress.begin("nested cross-validation");
        let saved = fit(table.take_rows(&fold.train))?;
        let test = table.take_rows(&fold.test);
        found.push(held_out::evaluate(session, &saved, test)?.0);
        session.context.poll()?;
    }
    let nested = Nested::new(folds.method(), criterion, found);
    nested.map(Some).ok_or_else(|| {
        let message = format!("{} is not defined on any outer fold", criterion.name());
        Error::parameter("--nested", message)
    })
}
