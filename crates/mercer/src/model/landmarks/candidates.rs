//! A uniform sample of the rows of a source, the same for any division into blocks: every row has a random key that depends on the seed and the row's number
//! alone, and the rows with the smallest keys are kept, as many as there is memory for.

use super::capacity::Capacity;
use super::packet::Packet;
use super::phase;
use super::rows::{RowBlock, RowBlocks};
use super::workers::{Beside, SAMPLE, Work, Workers};
use crate::context::{Context, Reservation, Step, Stream};
use crate::error::{Error, Result};
use crate::gram::CHUNK;
use crate::linalg::view::Mat;
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
    /// How many of them would have been taken with more memory.
    pub usual: usize,
    /// What they take.
    pub reservation: Option<Reservation>,
    /// What blocks of the source take.
    pub blocks: Option<Reservation>,
}

impl<T: Real> Candidates<T> {
    /// Landmarks that the caller gave.
    pub fn given(samples: Samples<T>, target_means: Vec<f64>, blocks: Reservation) -> Self {
        let (weights, usual) = (vec![1.0; samples.n()], samples.n());
        let (reservation, blocks) = (None, Some(blocks));
        Self { samples, weights, target_means, rows: 0, usual, reservation, blocks }
    }

    /// Some of them, and what blocks of the source take.
    pub fn into_few(self, ctx: &Context, rows: &[usize]) -> Result<(Self, Option<Reservation>)> {
        let samples = self.samples.select(rows);
        let weights: Vec<f64> = rows.iter().map(|&row| self.weights[row]).collect();
        let bytes = (0..samples.n()).map(|i| samples.bytes_of(i)).sum();
        drop((self.samples, self.reservation));
        let reservation = Some(ctx.reserve(WHAT, bytes, HINT)?);
        let (target_means, blocks) = (self.target_means, None);
        let (rows, usual) = (self.rows, self.usual);
        let few = Self { samples, weights, target_means, rows, usual, reservation, blocks };
        Ok((few, self.blocks))
    }
}

/// A row of the sample.
#[derive(Clone)]
pub(super) struct Candidate {
    key: u64,
    row: u64,
    bytes: u64,
    /// The piece and the place in it.
    piece: usize,
    place: usize,
    pub weight: f64,
    pub targets: Vec<f64>,
}

/// A sample of the rows of positive weight.
pub(super) fn sample<T: Real>(
    ctx: &Context,
    source: &mut dyn RowBlocks,
    capacity: &mut Capacity<'_>,
    seed: u64,
) -> Result<Candidates<T>> {
    if let Some(workers) = source.workers() {
        return sample_of_workers(ctx, workers, capacity, seed);
    }
    let total = source.rows();
    let (mut rows, mut first, mut blocks) = (0_u64, None::<AnySamples>, None);
    let (mut lowest, mut while_read) = (Lowest::<T>::new(capacity.candidates(), seed), None);
    let progress = ctx.phase(phase::LOOK);
    while let Some(block) = source.next()? {
        check_block(&block, first.as_ref(), rows)?;
        if first.is_none() {
            blocks = Some(capacity.begin(ctx, &block, total)?);
            let bytes = capacity.expected_bytes();
            while_read = Some(ctx.reserve(WHAT, bytes, HINT)?);
        }
        lowest.add(&block, rows, &|n, bytes| capacity.holds(n, bytes))?;
        rows += block.samples.n() as u64;
        first.get_or_insert_with(|| block.samples.select(&[0]));
        drop(block);
        let read = (rows, total, source.share());
        report(&progress, "looking for landmarks", read)?;
    }
    drop(while_read);
    candidates(ctx, lowest, capacity, (rows, blocks))
}

/// The same, of rows that lie elsewhere.
fn sample_of_workers<T: Real>(
    ctx: &Context,
    workers: &mut dyn Workers,
    capacity: &mut Capacity<'_>,
    seed: u64,
) -> Result<Candidates<T>> {
    let rows = workers.rows();
    let blocks = Some(capacity.begin(ctx, &workers.head()?, Some(rows))?);
    let part = ctx.phase(phase::LOOK);
    let while_read = ctx.reserve(WHAT, capacity.expected_bytes(), HINT)?;
    let lowest = lowest_of_workers(&part, workers, (capacity.candidates(), seed))?;
    drop(while_read);
    candidates(ctx, lowest, capacity, (rows, blocks))
}

fn candidates<T: Real>(
    ctx: &Context,
    mut lowest: Lowest<T>,
    capacity: &mut Capacity<'_>,
    (rows, blocks): (u64, Option<Reservation>),
) -> Result<Candidates<T>> {
    let (kept, samples) = lowest.finish(&|n, bytes| capacity.holds(n, bytes))?;
    capacity.end(kept.len(), rows, lowest.is_cut)?;
    let Some(samples) = samples else {
        return Err(Error::Shape("there are no rows of positive weight to fit on".into()));
    };
    let t = kept[0].targets.len();
    let mean = |j: usize| kept.iter().map(|one| one.targets[j]).sum::<f64>() / kept.len() as f64;
    let bytes = capacity.rows_bytes(kept.len(), kept.iter().map(|one| one.bytes).sum());
    Ok(Candidates {
        samples,
        weights: kept.iter().map(|one| one.weight).collect(),
        target_means: (0..t).map(mean).collect(),
        rows,
        usual: if lowest.is_cut { capacity.candidates().min(lowest.seen) } else { kept.len() },
        reservation: Some(ctx.reserve(WHAT, bytes, HINT)?),
        blocks,
    })
}

/// The rows with the smallest keys, `most` of them, of rows that lie elsewhere. Which keys they have follows from the number of rows, so that few others come here.
pub(super) fn lowest_of_workers<T: Real>(
    ctx: &Context,
    workers: &mut dyn Workers,
    (most, seed): (usize, u64),
) -> Result<Lowest<T>> {
    let mut rows = workers.rows();
    loop {
        let drawing = Drawing::of(most, seed, rows);
        let single = u64::from(T::EPSILON > f64::EPSILON);
        let pass = drawing.packet(Packet::new(SAMPLE), FIRST).with_places("single", [single]);
        let lowest = drawing.joined(FIRST, &workers.run(ctx, &pass, false)?)?;
        if drawing.is_whole(&lowest) {
            return Ok(lowest);
        }
        rows = if (lowest.seen as u64) < rows { lowest.seen as u64 } else { 0 };
    }
}

/// The sample that a pass draws, and one that it draws beside.
pub(super) const FIRST: &str = "first";
pub(super) const BESIDE: &str = "beside";

/// A sample that is drawn elsewhere: rows with larger keys than `bound` are not among it.
#[derive(Clone, Copy)]
pub(super) struct Drawing {
    most: usize,
    seed: u64,
    bound: u64,
}

impl Drawing {
    /// Of `most` of so many rows.
    pub fn of(most: usize, seed: u64, rows: u64) -> Self {
        Self { most, seed, bound: bound_for(most, rows) }
    }

    /// Adds it to a pass.
    pub fn packet(&self, pass: Packet, name: &str) -> Packet {
        pass.with_places(name, [self.most as u64, self.seed, self.bound])
    }

    /// The one that a pass has under this name.
    fn of_packet(pass: &Packet, name: &str) -> Result<Self> {
        let wrong = || Error::Shape("a sample of the rows is described by three numbers".into());
        let &[most, seed, bound] = pass.places(name)? else { return Err(wrong()) };
        Ok(Self { most: most as usize, seed, bound })
    }

    /// What parts of the rows have, which come in the order of the rows.
    pub fn joined<T: Real>(&self, name: &str, parts: &[Packet]) -> Result<Lowest<T>> {
        let mut lowest = Lowest::new(self.most, self.seed);
        parts.iter().try_for_each(|part| lowest.absorb(name, part))?;
        Ok(lowest)
    }

    /// Whether no other rows belong to it. Rows of weight 0 do not count, so that there may be fewer keys below the bound than the number of rows says.
    pub fn is_whole<T: Real>(&self, lowest: &Lowest<T>) -> bool {
        self.bound == u64::MAX || lowest.kept.len() >= self.most
    }
}

/// A number that at least `most` of so many random keys lie below, but for a chance of one in 10¹².
fn bound_for(most: usize, rows: u64) -> u64 {
    let most = most as f64;
    let share = (most + 8.0 * most.sqrt() + 16.0) / rows as f64;
    if share < 1.0 { (share * u64::MAX as f64) as u64 } else { u64::MAX }
}

/// The pass that draws a sample of the rows, or two.
pub(super) struct CandidatesWork {
    drawings: Vec<(&'static str, Drawing)>,
    is_single: bool,
    /// Whether all rows count alike.
    is_unweighted: bool,
}

impl CandidatesWork {
    /// As the packet says.
    pub fn new(pass: &Packet) -> Result<Self> {
        let names = [FIRST, BESIDE].into_iter().filter(|name| pass.places.contains_key(*name));
        let drawings = names.map(|name| Ok((name, Drawing::of_packet(pass, name)?)));
        let drawings = drawings.collect::<Result<Vec<_>>>()?;
        let is_unweighted = pass.places.contains_key("unweighted");
        Ok(Self { drawings, is_single: pass.place("single")? == 1, is_unweighted })
    }

    fn draw<T: Real>(&self, first: u64, source: &mut dyn RowBlocks) -> Result<Packet> {
        let empty = |(_, drawing): &(&str, Drawing)| {
            let lowest = Lowest::<T>::new(drawing.most, drawing.seed);
            Lowest { bound: drawing.bound, ..lowest }
        };
        let mut samples: Vec<Lowest<T>> = self.drawings.iter().map(empty).collect();
        let mut rows = first;
        while let Some(block) = source.next()? {
            check_block(&block, None, rows)?;
            let weights = block.weights.filter(|_| !self.is_unweighted);
            let block = RowBlock { weights, ..block };
            for lowest in &mut samples {
                lowest.add(&block, rows, &|_, _| true)?;
            }
            rows += block.samples.n() as u64;
        }
        let mut named = self.drawings.iter().map(|(name, _)| *name).zip(samples);
        named.try_fold(Packet::new(SAMPLE), |found, (name, lowest)| lowest.into_packet(found, name))
    }
}

impl Work for CandidatesWork {
    fn part(
        &self,
        _: &Context,
        first: u64,
        source: &mut dyn RowBlocks,
        _: &Beside,
    ) -> Result<Packet> {
        match self.is_single {
            true => self.draw::<f32>(first, source),
            false => self.draw::<f64>(first, source),
        }
    }
}

const WHAT: &str = "the rows that landmarks are chosen among";
const HINT: &str = "raise the memory budget";

/// Reports how much of a pass was read: so many rows of all, if these are known, or a share.
pub(in crate::model) fn report(
    ctx: &Context,
    stage: &'static str,
    (rows, total, share): (u64, Option<u64>, Option<f64>),
) -> Result<()> {
    match (total, share) {
        (Some(n), _) => ctx.step(Step::new(stage, rows as f64, n as f64)),
        (None, Some(share)) => ctx.step(Step::new(stage, share, 1.0)),
        (None, None) => ctx.poll(),
    }
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
            return wrong("has a different number type than the first".into());
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

/// Whether so many rows whose samples take so many bytes may be held; it is monotone.
type Holds<'a> = &'a dyn Fn(usize, u64) -> bool;

/// The rows with the smallest keys so far. At any time they are those that would be kept if the source ended, and few others: all rows of which fewer have smaller keys
/// than are held.
#[derive(Clone)]
pub(super) struct Lowest<T: Real> {
    most: usize,
    seed: u64,
    /// In the order of the source.
    kept: Vec<Candidate>,
    pieces: Vec<Samples<T>>,
    /// The bytes of the samples.
    bytes: u64,
    /// Rows with larger keys are not among them.
    bound: u64,
    /// Rows of positive weight.
    pub seen: usize,
    /// Whether rows were left out for lack of memory.
    pub is_cut: bool,
}

impl<T: Real> Lowest<T> {
    /// Of no rows, with room for `most`.
    pub fn new(most: usize, seed: u64) -> Self {
        let (kept, pieces, bound) = (Vec::new(), Vec::new(), u64::MAX);
        Self { most, seed, kept, pieces, bytes: 0, bound, seen: 0, is_cut: false }
    }

    /// Adds the rows of a block that begins at row `from`.
    pub fn add(&mut self, block: &RowBlock<'_>, from: u64, holds: Holds<'_>) -> Result<()> {
        let samples = block.samples.to_type::<T>()?;
        let found = self.lowest(block, &samples, from, holds);
        if found.is_empty() {
            return Ok(());
        }
        let places: Vec<usize> = found.iter().map(|&(_, place)| place).collect();
        for (at, (key, place)) in found.into_iter().enumerate() {
            let bytes = samples.bytes_of(place);
            let targets = |y: &std::borrow::Cow<'_, Mat<f64>>| y.row(place).to_vec();
            self.kept.push(Candidate {
                key,
                row: from + place as u64,
                bytes,
                piece: self.pieces.len(),
                place: at,
                weight: block.weights.as_ref().map_or(1.0, |w| w[place]),
                targets: block.targets.as_ref().map_or(Vec::new(), targets),
            });
            self.bytes += bytes;
        }
        self.pieces.push(picked(&samples, &places));
        // A little more than is kept, so that there is something to leave out.
        let (n, bytes) = (self.kept.len(), self.bytes);
        if n > self.most + self.most / 8 || !holds(n - n / 9, bytes - bytes / 9) {
            self.reduce(holds)?;
        }
        Ok(())
    }

    /// Adds what a part of the rows has under this name, behind those before.
    fn absorb(&mut self, name: &str, found: &Packet) -> Result<()> {
        let of = |what: &str| format!("{name}.{what}");
        self.seen += found.place(&of("seen"))? as usize;
        let Some(samples) = found.samples.get(&of("samples")) else { return Ok(()) };
        let samples = samples.to_type::<T>()?;
        let (keys, rows) = (found.places(&of("keys"))?, found.places(&of("rows"))?);
        let (weights, targets) = (found.reals(&of("weights"))?, found.reals(&of("targets"))?);
        let t = targets.len() / samples.n().max(1);
        for place in 0..samples.n() {
            let bytes = samples.bytes_of(place);
            self.bytes += bytes;
            self.kept.push(Candidate {
                key: keys[place],
                row: rows[place],
                bytes,
                piece: self.pieces.len(),
                place,
                weight: weights[place],
                targets: targets[place * t..(place + 1) * t].to_vec(),
            });
        }
        self.pieces.push(samples);
        Ok(())
    }

    /// Adds the sample to what a part of the rows has, under this name.
    fn into_packet(mut self, found: Packet, name: &str) -> Result<Packet> {
        let (kept, samples) = self.finish(&|_, _| true)?;
        let of = |what: &str| format!("{name}.{what}");
        let column = |of: &dyn Fn(&Candidate) -> u64| kept.iter().map(of).collect::<Vec<u64>>();
        let targets: Vec<f64> = kept.iter().flat_map(|one| one.targets.clone()).collect();
        let found = found
            .with_places(&of("seen"), [self.seen as u64])
            .with_places(&of("keys"), column(&|one| one.key))
            .with_places(&of("rows"), column(&|one| one.row))
            .with_reals(&of("weights"), kept.iter().map(|one| one.weight).collect::<Vec<f64>>())
            .with_reals(&of("targets"), targets);
        Ok(match samples {
            Some(samples) => found.with_samples(&of("samples"), samples),
            None => found,
        })
    }

    /// The keys and places of the rows of a block that may be kept, in their order.
    fn lowest(
        &mut self,
        block: &RowBlock<'_>,
        samples: &Samples<T>,
        from: u64,
        holds: Holds<'_>,
    ) -> Vec<(u64, usize)> {
        let counts = |place: &usize| block.weights.as_ref().is_none_or(|w| w[*place] > 0.0);
        let mut seen = 0;
        let keys = (0..block.samples.n()).filter(counts).inspect(|_| seen += 1);
        let keys = keys.map(|place| (key(self.seed, from + place as u64), place));
        let mut keys: Vec<(u64, usize)> = keys.filter(|(key, _)| *key <= self.bound).collect();
        self.seen += seen;
        if keys.len() > self.most {
            keys.select_nth_unstable(self.most);
            keys.truncate(self.most);
        }
        keys.sort_unstable();
        let mut bytes = 0;
        let is_too_much = |(at, (_, place)): (usize, &(u64, usize))| {
            bytes += samples.bytes_of(*place);
            !holds(at + 1, bytes)
        };
        if let Some(cut) = keys.iter().enumerate().position(is_too_much) {
            self.is_cut = true;
            keys.truncate(cut);
        }
        keys.sort_unstable_by_key(|&(_, place)| place);
        keys
    }

    /// Leaves out the rows that cannot be kept.
    fn reduce(&mut self, holds: Holds<'_>) -> Result<()> {
        let all = self.kept.len();
        self.kept.sort_unstable_by_key(|one| (one.key, one.row));
        let mut count = 0;
        self.bytes = 0;
        for one in &self.kept[..all.min(self.most)] {
            if !holds(count + 1, self.bytes + one.bytes) {
                self.is_cut = true;
                break;
            }
            (count, self.bytes) = (count + 1, self.bytes + one.bytes);
        }
        if count < all {
            self.bound = self.kept[count.saturating_sub(1)].key;
        }
        self.kept.truncate(count);
        self.kept.sort_unstable_by_key(|one| one.row);
        self.compact()
    }

    /// Takes the rows that were left out from the pieces, and puts small pieces together.
    fn compact(&mut self) -> Result<()> {
        let mut places = vec![Vec::new(); self.pieces.len()];
        self.kept.iter().for_each(|one| places[one.piece].push(one.place));
        let (mut pieces, mut small) = (Vec::new(), Vec::new());
        let mut size = 0;
        for (piece, places) in std::mem::take(&mut self.pieces).into_iter().zip(&places) {
            if places.is_empty() {
                continue;
            }
            if size + places.len() > self.kept.len() / 16 {
                join(&mut small, &mut pieces)?;
                size = 0;
            }
            size += places.len();
            small.push(picked(&piece, places));
        }
        join(&mut small, &mut pieces)?;
        let mut ends = pieces.iter().map(Samples::n);
        let (mut at, mut left) = ((0, 0), ends.next().unwrap_or(0));
        for one in &mut self.kept {
            if left == 0 {
                (at, left) = ((at.0 + 1, 0), ends.next().unwrap_or(0));
            }
            (one.piece, one.place) = at;
            (at.1, left) = (at.1 + 1, left - 1);
        }
        self.pieces = pieces;
        Ok(())
    }

    /// The rows in the order of the source, and their samples; none if there are no rows.
    pub fn finish(&mut self, holds: Holds<'_>) -> Result<(Vec<Candidate>, Option<Samples<T>>)> {
        self.reduce(holds)?;
        let pieces = std::mem::take(&mut self.pieces);
        let samples = if pieces.is_empty() { None } else { Some(Samples::join(pieces)?) };
        Ok((std::mem::take(&mut self.kept), samples))
    }
}

/// Some samples of a set, which are the set itself if they are all.
fn picked<T: Real>(samples: &Samples<T>, places: &[usize]) -> Samples<T> {
    if places.len() == samples.n() { samples.clone() } else { samples.select(places) }
}

/// Moves the samples of all sets, as one, to the end of `pieces`.
fn join<T: Real>(sets: &mut Vec<Samples<T>>, pieces: &mut Vec<Samples<T>>) -> Result<()> {
    if !sets.is_empty() {
        pieces.push(Samples::join(std::mem::take(sets))?);
    }
    Ok(())
}

fn key(seed: u64, row: u64) -> u64 {
    Stream::new(seed ^ row.wrapping_mul(0x9e37_79b9_7f4a_7c15), "landmark candidates").bits()
}
