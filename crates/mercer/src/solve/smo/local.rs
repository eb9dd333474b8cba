//! The small problem inside: some hundred coefficients, all of whose kernel values are in memory, two of them moved at a time.
//!
//! From one set of coefficients to the next, those that stay keep their slot, and only kernel values of new ones are
//! computed.

use std::cmp::Ordering;
use std::ops::Range;

use rayon::prelude::*;

use super::moves::Variable;
use super::newton;
use crate::context::try_pieces;
use crate::error::Result;
use crate::gram::Columns;
use crate::kernel::Tile;
use crate::linalg::alloc;
use crate::linalg::pairs::{Found, LANES, add_columns, follow, partner};
use crate::real::Real;

/// Coefficients whose kernel values lie side by side.
pub struct Local<S> {
    /// The place of each slot's variable in the problem that this one is a part of; [`EMPTY`] for none.
    pub places: Vec<usize>,
    /// The variables.
    pub variables: Vec<Variable>,
    groups: Vec<Range<usize>>,
    kernel: Vec<S>, // slots × slots
    diagonal: Vec<S>,
    least: f64, // stands for a curvature that is not above it
    f: Vec<f64>,
    add_up: Vec<f64>,
    add_down: Vec<f64>,
}

/// The place of a slot without a variable.
pub const EMPTY: usize = usize::MAX;

/// How far a local problem is to be solved.
pub struct Limits {
    /// The violation to reach.
    pub tolerance: f64,
    /// Steps at most.
    pub iterations: u64,
}

/// Stands for a curvature that is not positive, as a share of the largest kernel value, as LIBSVM has it.
const LEAST_CURVATURE: f64 = 1e-12;
/// The same where all kernel values are 0.
const LEAST_OF_ALL: f64 = 1e-30;
/// Steps for each coefficient after which all free ones are moved together.
const PAUSE: u64 = 1;
/// How often all free ones are moved at a time.
const TOGETHER: u64 = 32;
/// Lines of kernel values that are computed at a time: so many that preparing the columns does not show, and in so many pieces.
const LINES: Range<usize> = 64..512;
const PIECES: usize = 16;
/// Lines that are mirrored at a time.
const MIRRORED: usize = 64;

fn at_once(lines: usize) -> usize {
    lines.div_ceil(PIECES).clamp(LINES.start, LINES.end)
}

impl<S: Real> Local<S> {
    /// A problem without variables.
    pub fn new() -> Self {
        Self {
            places: Vec::new(),
            variables: Vec::new(),
            groups: Vec::new(),
            kernel: Vec::new(),
            diagonal: Vec::new(),
            least: LEAST_CURVATURE,
            f: Vec::new(),
            add_up: Vec::new(),
            add_down: Vec::new(),
        }
    }

    /// Makes slots for at most `sizes` variables in each group, and empties them. Memory is used again.
    pub fn reset(&mut self, sizes: &[usize]) -> Result<()> {
        self.groups.clear();
        let mut slots = 0;
        for size in sizes {
            self.groups.push(slots..slots + size.next_multiple_of(LANES));
            slots += size.next_multiple_of(LANES);
        }
        self.places.clear();
        self.places.resize(slots, EMPTY);
        self.variables.resize(slots, Variable::FIXED);
        // Not cleared: values of empty slots are never looked at.
        alloc::resize(&mut self.kernel, slots * slots)?;
        self.diagonal.resize(slots, S::ZERO);
        self.f.resize(slots, 0.0);
        self.add_up.resize(slots, f64::INFINITY);
        self.add_down.resize(slots, f64::NEG_INFINITY);
        Ok(())
    }

    /// Gives each chosen place a slot and computes the kernel values that are new.
    pub fn set(
        &mut self,
        source: &dyn Columns<S>,
        chosen: &[Vec<usize>],
        variables: &[Variable],
        f: &[f64],
    ) -> Result<()> {
        let mut wanted = vec![false; variables.len()];
        chosen.iter().flatten().for_each(|&place| wanted[place] = true);
        for place in self.places.iter_mut().filter(|place| **place != EMPTY) {
            // What stays is no longer wanted: it has its slot.
            if !std::mem::take(&mut wanted[*place]) {
                *place = EMPTY;
            }
        }
        let mut fresh = Vec::new();
        for (group, slots) in chosen.iter().zip(&self.groups) {
            let mut empty = slots.clone().filter(|&slot| self.places[slot] == EMPTY);
            let new: Vec<(usize, usize)> = group
                .iter()
                .filter(|&&place| wanted[place])
                .map(|&p| (empty.next(), p))
                .map(|(slot, place)| (slot.expect("a slot for every variable of a group"), place))
                .collect();
            for (slot, place) in new {
                self.places[slot] = place;
                fresh.push(slot);
            }
        }
        for (slot, &place) in self.places.iter().enumerate() {
            let variable = variables.get(place).copied().unwrap_or(Variable::FIXED);
            self.variables[slot] = variable;
            self.f[slot] = f.get(place).copied().unwrap_or(0.0);
            self.add_up[slot] = variable.add_up();
            self.add_down[slot] = variable.add_down();
        }
        self.fill(source, &fresh)?;
        let inside = self.places.iter().zip(&self.diagonal).filter(|(place, _)| **place != EMPTY);
        let largest = inside.map(|(_, value)| value.to_f64()).fold(0.0, f64::max);
        self.least = (LEAST_CURVATURE * largest).max(LEAST_OF_ALL);
        Ok(())
    }

    /// The kernel values of the fresh slots with all others.
    fn fill(&mut self, source: &dyn Columns<S>, fresh: &[usize]) -> Result<()> {
        let size = self.places.len();
        let at = |slot: usize| if self.places[slot] == EMPTY { 0 } else { self.places[slot] };
        let all: Vec<usize> = (0..size).map(at).collect();
        let block = source.column_block(&all);
        if fresh.len() == self.places.iter().filter(|place| **place != EMPTY).count() {
            let at_once = at_once(size);
            try_pieces(&mut self.kernel, (at_once * size).max(1), &|piece, lines| {
                let count = lines.len() / size;
                let tile = Tile::new(lines, count, size, size);
                block.fill_rows(&all[piece * at_once..][..count], tile)
            })?;
            fresh.iter().for_each(|&slot| self.diagonal[slot] = self.kernel[slot * size + slot]);
            return Ok(());
        }
        let mut is_fresh = vec![false; size];
        fresh.iter().for_each(|&slot| is_fresh[slot] = true);
        let mut lines: Vec<(usize, &mut [S])> = self
            .kernel
            .chunks_exact_mut(size.max(1))
            .enumerate()
            .filter(|(slot, _)| is_fresh[*slot])
            .collect();
        let at_once = at_once(lines.len());
        try_pieces(&mut lines, at_once, &|_, lines| {
            let rows: Vec<usize> = lines.iter().map(|(slot, _)| all[*slot]).collect();
            let mut values = vec![S::ZERO; rows.len() * size];
            block.fill_rows(&rows, Tile::new(&mut values, rows.len(), size, size))?;
            for ((_, line), values) in lines.iter_mut().zip(values.chunks_exact(size)) {
                line.copy_from_slice(values);
            }
            Ok(())
        })?;
        self.mirror(&is_fresh, fresh);
        fresh.iter().for_each(|&slot| self.diagonal[slot] = self.kernel[slot * size + slot]);
        Ok(())
    }

    /// Copies the values of fresh lines into the fresh columns of the other lines.
    fn mirror(&mut self, is_fresh: &[bool], fresh: &[usize]) {
        let size = self.places.len();
        let mut sorted = fresh.to_vec();
        sorted.sort_unstable();
        let (mut new, mut old) = (Vec::new(), Vec::new());
        for (slot, line) in self.kernel.chunks_exact_mut(size.max(1)).enumerate() {
            if is_fresh[slot] { new.push(&*line) } else { old.push((slot, line)) }
        }
        old.par_chunks_mut(MIRRORED).for_each(|old| {
            for (&column, line) in sorted.iter().zip(&new) {
                for (slot, target) in old.iter_mut() {
                    target[column] = line[*slot];
                }
            }
        });
    }

    /// Writes the slopes K β of the slots' variables to their places.
    pub fn write_slopes(&self, f: &mut [f64]) {
        let inside = self.places.iter().zip(&self.f).filter(|(place, _)| **place != EMPTY);
        inside.for_each(|(&place, value)| f[place] = *value);
    }

    /// Moves pairs until no pair violates by more than the tolerance. Returns the steps taken.
    pub fn solve(&mut self, limits: &Limits) -> u64 {
        let size = self.places.len();
        let mut steps = 0;
        let mut last = (0, 0, 0.0);
        let pause = PAUSE * size as u64;
        let mut next = pause;
        loop {
            if steps >= next && steps < limits.iterations {
                // What was moved last is not in the slopes yet.
                for g in 0..self.groups.len() {
                    self.follow(last, self.groups[g].clone());
                }
                last = (0, 0, 0.0);
                let (moves, cost) = self.descend(limits.iterations - steps, steps);
                steps += moves;
                next = steps + pause.max(cost);
            }
            let mut best: Option<(usize, usize, f64)> = None;
            let mut violation = f64::NEG_INFINITY;
            for g in 0..self.groups.len() {
                let range = self.groups[g].clone();
                let lowest = self.follow(last, range.clone());
                if lowest.value == f64::INFINITY {
                    continue;
                }
                let i = range.start + lowest.at;
                let (mut found, mut most) = (Found { at: 0, value: 0.0 }, 0.0);
                partner(
                    &self.f[range.clone()],
                    &self.add_down[range.clone()],
                    &self.kernel[i * size..][range.clone()],
                    &self.diagonal[range.clone()],
                    self.diagonal[i],
                    S::from_f64(self.least),
                    lowest.value,
                    &mut found,
                    &mut most,
                );
                violation = violation.max(most - lowest.value);
                if found.value > best.map_or(0.0, |(_, _, value)| value) {
                    best = Some((i, range.start + found.at, found.value));
                }
            }
            let Some((i, j, _)) = best else { return steps };
            if violation <= limits.tolerance || steps >= limits.iterations {
                return steps;
            }
            last = (i, j, self.step(i, j));
            steps += 1;
        }
    }

    /// Moves all free coefficients together, again where one of them meets an end, as long as that costs less than so many steps of
    /// pairs. Returns the moves made, and what they cost: after so many more steps it may be tried again, so that at most half of
    /// the time is lost where it leads nowhere.
    fn descend(&mut self, most: u64, worth: u64) -> (u64, u64) {
        let (mut moves, mut cost) = (0, 0);
        while moves < most.min(TOGETHER) {
            let free: Vec<usize> = self.free();
            let more = 1 + (free.len().pow(3) / self.places.len()) as u64;
            if free.len() < 2 || free.len() > newton::MOST || cost + more > worth {
                break;
            }
            cost += more;
            let Some(d) = self.direction(&free) else { break };
            moves += 1;
            if !self.go(&free, &d) {
                break;
            }
        }
        (moves, cost)
    }

    fn free(&self) -> Vec<usize> {
        let is_free = |&slot: &usize| self.places[slot] != EMPTY && self.variables[slot].is_free();
        (0..self.places.len()).filter(is_free).collect()
    }

    /// Where the free coefficients would go without ends.
    fn direction(&self, free: &[usize]) -> Option<Vec<f64>> {
        let size = self.places.len();
        let entry = |&i: &usize| free.iter().map(move |&j| self.kernel[i * size + j].to_f64());
        let mut matrix: Vec<f64> = free.iter().flat_map(entry).collect();
        let slopes: Vec<f64> = free.iter().map(|&i| self.f[i] + self.add_up[i]).collect();
        let group_of = |i: &usize| self.groups.iter().position(|range| range.contains(i));
        let group: Vec<usize> = free.iter().filter_map(group_of).collect();
        newton::direction(&mut matrix, &slopes, &group, self.groups.len(), S::EPSILON)
    }

    /// Goes along `d` until an end is met, and says whether one was.
    fn go(&mut self, free: &[usize], d: &[f64]) -> bool {
        let size = self.places.len();
        let room = |(&slot, d): (&usize, &f64)| match d.partial_cmp(&0.0) {
            Some(Ordering::Greater) => self.variables[slot].room_up() / d,
            Some(Ordering::Less) => self.variables[slot].room_down() / -d,
            _ => f64::INFINITY,
        };
        let nearest = free.iter().zip(d).map(room).enumerate();
        let (first, room) =
            nearest.fold(
                (0, 1.0),
                |(at, least), (k, room)| {
                    if room < least { (k, room) } else { (at, least) }
                },
            );
        let mut steps = Vec::with_capacity(free.len());
        for (k, (&slot, d)) in free.iter().zip(d).enumerate() {
            let variable = &mut self.variables[slot];
            let before = variable.beta;
            let by = if k == first && room < 1.0 { f64::INFINITY } else { room * d.abs() };
            match *d > 0.0 {
                true => variable.rise(by.min(variable.room_up())),
                false => variable.fall(by.min(variable.room_down())),
            }
            steps.push(variable.beta - before);
            self.add_up[slot] = variable.add_up();
            self.add_down[slot] = variable.add_down();
        }
        self.balance(free, &mut steps);
        let lines: Vec<&[S]> =
            free.iter().map(|&slot| &self.kernel[slot * size..][..size]).collect();
        add_columns(&mut self.f, &lines, &steps);
        room < 1.0
    }

    /// Makes the steps of each group sum up to 0, which they do but for rounding: the one with most room takes the rest.
    fn balance(&mut self, free: &[usize], steps: &mut [f64]) {
        for range in self.groups.clone() {
            let own: Vec<usize> = (0..free.len()).filter(|&k| range.contains(&free[k])).collect();
            let rest: f64 = own.iter().map(|&k| steps[k]).sum();
            let room = |k: usize| {
                let variable = &self.variables[free[k]];
                variable.room_up().min(variable.room_down())
            };
            // One that has met an end stays there.
            let inside = own.iter().copied().filter(|&k| self.variables[free[k]].is_free());
            let widest = inside.max_by(|&a, &b| room(a).total_cmp(&room(b)));
            let Some(k) = widest.filter(|&k| rest != 0.0 && room(k) > rest.abs()) else { continue };
            let variable = &mut self.variables[free[k]];
            let before = variable.beta;
            match rest > 0.0 {
                true => variable.fall(rest),
                false => variable.rise(-rest),
            }
            steps[k] += variable.beta - before;
        }
    }

    /// Brings the slopes of a group up to date after a step; finds the least of those that can rise.
    fn follow(&mut self, last: (usize, usize, f64), range: Range<usize>) -> Found {
        let size = self.places.len();
        let (i, j, step) = last;
        let line = |slot: usize| &self.kernel[slot * size..][range.clone()];
        let (f, add) = (&mut self.f[range.clone()], &self.add_up[range.clone()]);
        let mut found = Found { at: 0, value: f64::INFINITY };
        follow(f, line(i), line(j), step, add, &mut found);
        found
    }

    /// Moves coefficient i up and j down by the same amount, as far as it pays and their bounds allow.
    fn step(&mut self, i: usize, j: usize) -> f64 {
        let size = self.places.len();
        let slope = (self.f[j] + self.add_down[j]) - (self.f[i] + self.add_up[i]);
        let curvature = self.diagonal[i].to_f64() + self.diagonal[j].to_f64()
            - 2.0 * self.kernel[i * size + j].to_f64();
        let wanted = slope / curvature.max(self.least);
        let step = wanted.min(self.variables[i].room_up()).min(self.variables[j].room_down());
        self.variables[i].rise(step);
        self.variables[j].fall(step);
        for slot in [i, j] {
            self.add_up[slot] = self.variables[slot].add_up();
            self.add_down[slot] = self.variables[slot].add_down();
        }
        step
    }
}
