//! A uniform sample of the rows of a source, the same for any division into blocks: every row has a random key that depends on the seed and the row's number
//! alone, and the rows with the smallest keys are kept.

use super::rows::{RowBlock, RowBlocks};
use crate::context::{Context, Step, Stream};
use crate::error::{Error, Result};
use crate::gram::CHUNK;
use crate::points::{AnySamples, Points, Samples};
use crate::real::Real;

/// The rows that landmarks are chosen among.
pub(super) struct Candidates<T: Real> {
    /// In the order of the source.
    pub samples: Samples<T>,
    /// Their weights.
    pub weights: Vec<f64>,
    /// The means of their targets.
    pub target_means: Vec<f64>,
    /// Rows of the source.
    pub rows: u64,
}

/// A row of the sample.
#[derive(Clone)]
pub(super) struct Candidate {
    key: u64,
    row: u64,
    /// The block and the place in it.
    block: usize,
    pub place: usize,
    weight: f64,
    pub targets: Vec<f64>,
}

/// A sample of at most `most` rows of positive weight.
pub(super) fn sample<T: Real>(
    ctx: &Context,
    source: &mut dyn RowBlocks,
    most: usize,
    seed: u64,
) -> Result<Candidates<T>> {
    let (mut kept, mut blocks): (Vec<Candidate>, Vec<Samples<T>>) = (Vec::new(), Vec::new());
    let (mut rows, mut first) = (0_u64, None::<AnySamples>);
    let total = source.rows();
    while let Some(block) = source.next()? {
        check_block(&block, first.as_ref(), rows)?;
        let found = lowest(&block, most, seed, rows, blocks.len());
        let places: Vec<usize> = found.iter().map(|one| one.place).collect();
        let samples = block.samples.to_type::<T>()?;
        // Of a source in one block, rows are selected once, at the end.
        let whole = total == Some(block.samples.n() as u64);
        rows += block.samples.n() as u64;
        if whole {
            kept = found;
            blocks = vec![samples];
            break;
        }
        kept.extend(found.into_iter().enumerate().map(|(place, one)| Candidate { place, ..one }));
        blocks.push(samples.select(&places));
        first.get_or_insert(block.samples);
        if kept.len() > 2 * most {
            (kept, blocks) = reduced(kept, &blocks, most)?;
        }
        let step = Step::new("candidates", rows as f64, total.map_or(f64::NAN, |n| n as f64));
        if total.is_some() {
            ctx.step(step)?
        } else {
            ctx.poll()?
        };
    }
    if kept.is_empty() {
        return Err(Error::Shape("there are no rows of positive weight to fit on".into()));
    }
    let (kept, blocks) = reduced(kept, &blocks, most)?;
    let t = kept[0].targets.len();
    let mean = |j: usize| kept.iter().map(|one| one.targets[j]).sum::<f64>() / kept.len() as f64;
    Ok(Candidates {
        samples: blocks[0].clone(),
        weights: kept.iter().map(|one| one.weight).collect(),
        target_means: (0..t).map(mean).collect(),
        rows,
    })
}

/// The means of the targets of the first rows of a source: numbers near those of all, whatever the division into blocks.
pub(super) fn first_means(block: &RowBlock<'_>) -> Vec<f64> {
    let Some(y) = &block.targets else { return Vec::new() };
    let counts = |row: &usize| block.weights.as_ref().is_none_or(|w| w[*row] > 0.0);
    let rows: Vec<usize> = (0..y.rows().min(CHUNK)).filter(counts).collect();
    let mean = |j: usize| rows.iter().map(|&i| y[(i, j)]).sum::<f64>() / rows.len().max(1) as f64;
    (0..y.cols()).map(mean).collect()
}

/// Refuses a block that does not fit the first one.
pub(super) fn check_block(
    block: &RowBlock<'_>,
    first: Option<&AnySamples>,
    row: u64,
) -> Result<()> {
    let n = block.samples.n();
    let wrong =
        |what: String| Err(Error::Shape(format!("the block that begins at row {row} {what}")));
    if let Some(first) = first {
        if first.dtype() != block.samples.dtype() {
            return wrong("has another number type than the first".into());
        }
        if let Err(error) = first.check_like(&block.samples) {
            return wrong(format!("does not fit the first: {error}"));
        }
    }
    match (&block.targets, &block.weights) {
        (Some(y), _) if y.rows() != n => wrong(format!("has {n} samples but {} targets", y.rows())),
        (_, Some(w)) if w.len() != n => wrong(format!("has {n} samples but {} weights", w.len())),
        _ => Ok(()),
    }
}

/// The rows of a block with the smallest keys.
pub(super) fn lowest(
    block: &RowBlock<'_>,
    most: usize,
    seed: u64,
    from: u64,
    number: usize,
) -> Vec<Candidate> {
    let counts = |place: usize| block.weights.as_ref().is_none_or(|w| w[place] > 0.0);
    let places = (0..block.samples.n()).filter(|&place| counts(place));
    let mut keys: Vec<(u64, usize)> =
        places.map(|place| (key(seed, from + place as u64), place)).collect();
    if keys.len() > most {
        keys.select_nth_unstable(most);
        keys.truncate(most);
    }
    keys.sort_unstable_by_key(|&(_, place)| place);
    let targets =
        |place: usize| block.targets.as_ref().map_or(Vec::new(), |y| y.row(place).to_vec());
    let one = |(key, place): (u64, usize)| Candidate {
        key,
        row: from + place as u64,
        block: number,
        place,
        weight: block.weights.as_ref().map_or(1.0, |w| w[place]),
        targets: targets(place),
    };
    keys.into_iter().map(one).collect()
}

fn key(seed: u64, row: u64) -> u64 {
    Stream::new(seed ^ row.wrapping_mul(0x9e37_79b9_7f4a_7c15), "landmark candidates").bits()
}

/// The rows with the smallest keys, in their order, as one block.
pub(super) fn reduced<T: Real>(
    mut kept: Vec<Candidate>,
    blocks: &[Samples<T>],
    most: usize,
) -> Result<(Vec<Candidate>, Vec<Samples<T>>)> {
    if kept.len() > most {
        kept.select_nth_unstable_by_key(most, |one| (one.key, one.row));
        kept.truncate(most);
    }
    kept.sort_unstable_by_key(|one| one.row);
    let mut parts = Vec::new();
    for (number, block) in blocks.iter().enumerate() {
        let places: Vec<usize> =
            kept.iter().filter(|one| one.block == number).map(|one| one.place).collect();
        if !places.is_empty() {
            parts.push(if places.len() == block.n() {
                block.clone()
            } else {
                block.select(&places)
            });
        }
    }
    let joined = Samples::concat(&parts)?;
    let kept =
        kept.into_iter().enumerate().map(|(place, one)| Candidate { block: 0, place, ..one });
    Ok((kept.collect(), vec![joined]))
}
