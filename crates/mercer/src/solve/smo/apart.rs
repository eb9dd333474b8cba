//! Sums over kernel columns where samples far apart have nothing to do with each other.

use std::sync::Arc;

use rayon::prelude::*;

use super::cache::Change;
use crate::context::Context;
use crate::error::Result;
use crate::gram::{Columns, Patches, Reach};
use crate::kernel::Tile;
use crate::linalg::pairs::{LANES, add_rows};
use crate::real::Real;

/// Columns that are computed at a time.
const COLS: usize = 256;

/// The places of a problem by patch.
pub struct Apart {
    patches: Arc<Patches>,
    /// The row of the full matrix of each place.
    rows: Vec<usize>,
    /// The places of each patch that has some.
    places: Vec<(usize, Vec<usize>)>,
}

impl Apart {
    /// All rows of a matrix, if leaving pairs out pays.
    pub fn new(reach: &Reach) -> Option<Self> {
        let patches = Patches::new(reach)?;
        let n = reach.n();
        Some(Self::of(Arc::new(patches), (0..n).collect()))
    }

    /// Some of the rows of the full matrix.
    pub fn narrow(&self, rows: &[usize]) -> Self {
        Self::of(self.patches.clone(), rows.to_vec())
    }

    fn of(patches: Arc<Patches>, rows: Vec<usize>) -> Self {
        let mut places = vec![Vec::new(); patches.count()];
        rows.iter().enumerate().for_each(|(place, &row)| places[patches.of(row)].push(place));
        let places = places.into_iter().enumerate().filter(|(_, places)| !places.is_empty());
        Self { places: places.collect(), patches, rows }
    }

    /// `f += Σ by · column`, without what is lost in rounding. `source` is the matrix of these places.
    pub fn apply<S: Real>(
        &self,
        ctx: &Context,
        source: &dyn Columns<S>,
        changes: &[Change],
        f: &mut [f64],
    ) -> Result<()> {
        let added = |(patch, places): &(usize, Vec<usize>)| -> Result<Vec<f64>> {
            ctx.poll()?;
            let near = |c: &&Change| self.patches.is_near(*patch, self.rows[c.column]);
            let near: Vec<Change> = changes.iter().filter(near).copied().collect();
            let mut sums = vec![0.0; places.len()];
            near.chunks(COLS).try_for_each(|some| add(source, places, some, &mut sums))?;
            Ok(sums)
        };
        let added: Vec<Vec<f64>> = self.places.par_iter().map(added).collect::<Result<_>>()?;
        for ((_, places), sums) in self.places.iter().zip(added) {
            places.iter().zip(sums).for_each(|(&place, sum)| f[place] += sum);
        }
        Ok(())
    }
}

/// `sums += Σ by · column` for some rows.
fn add<S: Real>(
    source: &dyn Columns<S>,
    places: &[usize],
    changes: &[Change],
    sums: &mut [f64],
) -> Result<()> {
    let columns: Vec<usize> = changes.iter().map(|c| c.column).collect();
    let width = columns.len().next_multiple_of(LANES);
    let mut steps: Vec<f64> = changes.iter().map(|c| c.by).collect();
    steps.resize(width, 0.0);
    let mut values = vec![S::ZERO; places.len() * width];
    let tile = Tile::new(&mut values, places.len(), columns.len(), width);
    source.column_block(&columns).fill_rows(places, tile)?;
    add_rows(sums, &values, &steps);
    Ok(())
}
