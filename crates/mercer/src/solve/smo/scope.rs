//! The coefficients that are worked on: all of them, or those that are not set aside.

use rayon::prelude::*;

use super::apart::Apart;
use super::cache::{Change, apply_once};
use super::moves::Variable;
use super::near::PIECE;
use super::working_set::Extremes;
use super::{Assessment, Problem};
use crate::context::Context;
use crate::error::Result;
use crate::gram::Columns;
use crate::real::Real;

/// Coefficients with their part of the matrix.
pub struct Scope<'a, S> {
    narrowed: Option<Box<dyn Columns<S> + 'a>>,
    full: &'a dyn Columns<S>,
    /// Places in patches, where samples far apart have nothing to do with each other.
    apart: Option<Apart>,
    /// Coefficients that were moved and then set aside, by row of the full matrix.
    left: Vec<(usize, Variable)>,
    /// The row of the full matrix that each belongs to.
    pub rows: Vec<usize>,
    /// The coefficients.
    pub variables: Vec<Variable>,
    /// K β.
    pub f: Vec<f64>,
    /// The group of each.
    pub group: Vec<u8>,
}

impl<'a, S: Real> Scope<'a, S> {
    /// All coefficients. K β is computed where it is not known.
    pub fn all(ctx: &Context, full: &'a dyn Columns<S>, problem: Problem) -> Result<Self> {
        let Problem { variables, group, f } = problem;
        let n = full.size();
        assert!(variables.len() == n && group.len() == n);
        let apart = full.reach().and_then(Apart::new);
        let f = match f {
            Some(f) => f,
            None => {
                let moved = (0..n).filter(|&i| variables[i].beta != 0.0);
                let start: Vec<Change> =
                    moved.map(|column| Change { column, by: variables[column].beta }).collect();
                let mut f = vec![0.0; n];
                add(ctx, full, apart.as_ref(), &start, &mut f)?;
                f
            }
        };
        let rows = (0..n).collect();
        Ok(Self { narrowed: None, full, apart, left: Vec::new(), rows, variables, f, group })
    }

    /// The matrix of these coefficients.
    pub fn source(&self) -> &dyn Columns<S> {
        self.narrowed.as_deref().unwrap_or(self.full)
    }

    /// What is known of places that are far apart.
    pub fn apart(&self) -> Option<&Apart> {
        self.apart.as_ref()
    }

    /// Whether some coefficients are set aside.
    pub fn is_narrow(&self) -> bool {
        self.narrowed.is_some()
    }

    /// How far it is, in words.
    pub fn words(&self, violation: f64) -> String {
        let Scope { variables, f, group, .. } = self;
        let gap = Assessment::new(variables, f, group).gap;
        let gap = gap.map_or(String::new(), |gap| format!("gap {gap:.1e}, "));
        let support = variables.iter().filter(|v| v.beta != 0.0).count();
        let of = if self.is_narrow() { " of those worked on" } else { "" };
        format!("violation {violation:.1e}, {gap}{support} support vectors{of}")
    }

    /// The places whose coefficients are not stuck: stuck are those at an end of their range with a slope that no other
    /// coefficient can meet.
    pub fn unstuck(&self, extremes: &[Extremes]) -> Vec<usize> {
        let is_unstuck = |&place: &usize| {
            let (v, f) = (&self.variables[place], self.f[place]);
            let found = extremes[usize::from(self.group[place])];
            f + v.add_up() <= found.down || f + v.add_down() >= found.up
        };
        (0..self.rows.len()).into_par_iter().with_min_len(PIECE).filter(is_unstuck).collect()
    }

    /// These places alone.
    pub fn narrow(&self, places: &[usize]) -> Scope<'a, S> {
        let rows: Vec<usize> = places.iter().map(|&place| self.rows[place]).collect();
        let mut left = self.left.clone();
        if self.is_narrow() {
            let mut stays = places.iter().copied().peekable();
            let leaves = (0..self.rows.len()).filter(|&place| stays.next_if_eq(&place).is_none());
            left.extend(leaves.map(|place| (self.rows[place], self.variables[place])));
        }
        Scope {
            left,
            narrowed: Some(self.full.restrict(&rows)),
            full: self.full,
            apart: self.apart.as_ref().map(|apart| apart.narrow(&rows)),
            rows,
            variables: places.iter().map(|&place| self.variables[place]).collect(),
            f: places.iter().map(|&place| self.f[place]).collect(),
            group: places.iter().map(|&place| self.group[place]).collect(),
        }
    }

    /// Takes over what became of the coefficients of `part`, a narrower scope of this one, and brings K β up to date.
    pub fn widen(&mut self, ctx: &Context, part: &Scope<'_, S>) -> Result<()> {
        let inside = part.rows.iter().copied().zip(part.variables.iter().copied());
        let after: Vec<(usize, Variable)> = inside.chain(part.left.iter().copied()).collect();
        let change = |&(row, variable): &(usize, Variable)| {
            let by = variable.beta - self.variables[row].beta;
            (by != 0.0).then_some(Change { column: row, by })
        };
        let changes: Vec<Change> = after.iter().filter_map(change).collect();
        let mut f = self.f.clone();
        add(ctx, self.full, self.apart.as_ref(), &changes, &mut f)?;
        // Only now: interrupted, coefficients and slopes stay as they were.
        after.into_iter().for_each(|(row, variable)| self.variables[row] = variable);
        part.rows.iter().zip(&part.f).for_each(|(&row, value)| f[row] = *value);
        self.f = f;
        Ok(())
    }
}

/// `f += Σ by · column` for all rows.
fn add<S: Real>(
    ctx: &Context,
    source: &dyn Columns<S>,
    apart: Option<&Apart>,
    changes: &[Change],
    f: &mut [f64],
) -> Result<()> {
    match apart {
        Some(apart) => apart.apply(ctx, source, changes, f),
        None => apply_once(ctx, source, changes, f),
    }
}
