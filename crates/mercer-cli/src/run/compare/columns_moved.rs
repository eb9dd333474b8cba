//! A test for each column of the table.

use std::ops::Range;

use mercer::hypothesis::{ColumnTest, columns};
use mercer::io::Table;
use mercer::model::ScalingKind;
use mercer::{Dtype, Input, Result, Samples};

use crate::args::CompareArgs;
use crate::data::{InputKind, Prepared, Scales};
use crate::run::{Chosen, Session};

/// The columns of the table, each with its test.
pub struct MovedColumns {
    /// Their names.
    pub names: Vec<String>,
    /// The columns of numbers that each became.
    pub groups: Vec<Range<usize>>,
    /// Their tests.
    pub tests: Vec<ColumnTest>,
}

impl MovedColumns {
    /// The columns by their p-values, the smallest first; of equal ones that with the larger distance.
    pub fn order(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.tests.len()).collect();
        let key = |&i: &usize| (self.tests[i].p_value, -self.tests[i].statistic);
        order.sort_by(|a, b| key(a).partial_cmp(&key(b)).expect("p-values are numbers"));
        order
    }

    /// How many columns moved at a level.
    pub fn count(&self, level: f64) -> usize {
        self.tests.iter().filter(|test| test.adjusted <= level).count()
    }
}

/// The tests, where rows are numbers that are all stored. Columns are standardised, so that their distances can be compared.
pub fn find(
    session: &Session,
    args: &CompareArgs,
    chosen: &Chosen,
    input_kind: &InputKind,
    first: usize,
) -> Result<Option<MovedColumns>> {
    if !input_kind.is_encoded() && *input_kind != InputKind::Histograms {
        return Ok(None);
    }
    let scales = Scales::Learn(ScalingKind::Standard);
    let numbers = InputKind::Numbers;
    let rows = Prepared::of(session, &chosen.features, &numbers, scales, Dtype::F64)?.input;
    let Input::Samples(samples) = rows else { return Ok(None) };
    let Samples::Dense(rows) = samples.to_type::<f64>()? else { return Ok(None) };
    let (names, groups) = groups(chosen, &chosen.features);
    let (permutations, ctx) = (args.permutations as usize, &session.context);
    let tests = columns(ctx, &rows, &groups, first, permutations, args.seed)?;
    Ok(Some(MovedColumns { names, groups, tests }))
}

/// The columns of the table, and what each became.
fn groups(chosen: &Chosen, features: &Table) -> (Vec<String>, Vec<Range<usize>>) {
    let Some(encoding) = &chosen.places.encoding else {
        return (0..features.n_columns()).map(|i| (features.name(i), i..i + 1)).unzip();
    };
    let mut start = 0;
    let each = encoding.columns.iter().map(|column| {
        let range = start..start + column.outputs().len();
        start = range.end;
        (column.name.clone(), range)
    });
    each.unzip()
}
