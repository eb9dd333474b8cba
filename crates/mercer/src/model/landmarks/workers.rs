//! Rows that lie on other machines: passes over them are made there, part by part, and only what they find comes here.
//!
//! A pass is a [`Packet`]. A machine prepares it once ([`prepared`]) and then reads parts of the rows ([`Work::part`]), which begin where a group of rows does. What parts find
//! is either added up, in any order and on any machine ([`Packet::merge`]), to the bits of one machine, or comes back as it is, in the order of the rows.

use super::basis::{Basis, SumsWork};
use super::candidates::CandidatesWork;
use super::features::ExplainedWork;
use super::full_system::SystemWork;
use super::kernel_kmeans_rows::ClusterWork;
use super::packet::Packet;
use super::rows::{RowBlock, RowBlocks};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::model::detector::{SCORES, ScoresWork};
use crate::model::scaling_passes::ScalingWork;
use crate::points::with_dtype;

/// What holds rows elsewhere.
pub trait Workers {
    /// The first rows: at least 1,024 of them, if there are so many.
    fn head(&mut self) -> Result<RowBlock<'static>>;

    /// How many rows there are.
    fn rows(&self) -> u64;

    /// Runs a pass. What all parts find is added up to one packet if `merged`, else there is one for each part, in the order of the rows. Each part is given
    /// what belongs to its rows of `beside`.
    fn run_beside(
        &mut self,
        ctx: &Context,
        pass: &Packet,
        merged: bool,
        beside: &Beside,
    ) -> Result<Vec<Packet>>;
}

/// Lists of numbers, one for each row, each as so many bytes.
#[derive(Clone, Default)]
pub struct Beside(pub Vec<(usize, Vec<u8>)>);

impl Beside {
    /// Adds a list of numbers.
    #[must_use]
    pub fn with<const N: usize>(mut self, numbers: impl Iterator<Item = [u8; N]>) -> Self {
        self.0.push((N, numbers.flatten().collect()));
        self
    }

    /// The numbers of list `place`.
    pub fn list<T, const N: usize>(&self, place: usize, of: impl Fn([u8; N]) -> T) -> Vec<T> {
        let bytes = self.0.get(place).map_or(&[][..], |(_, bytes)| bytes);
        bytes.as_chunks().0.iter().map(|one| of(*one)).collect()
    }
}

impl dyn Workers + '_ {
    /// Runs a pass that needs nothing beside the rows.
    pub fn run(&mut self, ctx: &Context, pass: &Packet, merged: bool) -> Result<Vec<Packet>> {
        self.run_beside(ctx, pass, merged, &Beside::default())
    }

    /// What all parts of a pass find, added up.
    pub fn sum(&mut self, ctx: &Context, pass: &Packet) -> Result<Packet> {
        let none = || Error::Shape("the workers returned no results".into());
        self.run(ctx, pass, true)?.pop().ok_or_else(none)
    }
}

/// A pass that is ready to be made over parts of the rows.
pub trait Work: Send + Sync {
    /// Reads the rows of a source, the first of which is row `first` of all, with what belongs to them.
    fn part(
        &self,
        ctx: &Context,
        first: u64,
        source: &mut dyn RowBlocks,
        beside: &Beside,
    ) -> Result<Packet>;
}

/// The name of the pass that adds rows up.
pub(super) const SUMS: &str = "sums";
/// The name of the pass that draws a sample of the rows.
pub(super) const SAMPLE: &str = "sample";
/// The name of the pass for the scaling of columns.
pub(in crate::model) const SCALING: &str = "scaling";
/// The name of the pass for the system of all rows.
pub(super) const SYSTEM: &str = "system";
/// The name of the pass for what features explain.
pub(super) const EXPLAINED: &str = "explained";
/// The names of the passes of k-means.
pub(super) const MEASURE: &str = "measure";
pub(super) const ROUND: &str = "round";
pub(super) const VALUES: &str = "values";

/// Prepares a pass.
pub fn prepared(ctx: &Context, pass: &Packet) -> Result<Box<dyn Work>> {
    if pass.name == EXPLAINED {
        return Ok(Box::new(ExplainedWork::new(pass)?));
    }
    if pass.name == SAMPLE {
        return Ok(Box::new(CandidatesWork::new(pass)?));
    }
    if pass.name == SCALING {
        return Ok(Box::new(ScalingWork::new(pass)?));
    }
    if pass.name == SCORES {
        return Ok(Box::new(ScoresWork::new(pass)?));
    }
    with_dtype!(pass.samples("landmarks")?.dtype(), T => {
        let basis = Basis::<T>::of_packet(ctx, pass)?;
        match pass.name.as_str() {
            SUMS => Ok(Box::new(SumsWork::new(ctx, basis, pass)?)),
            SYSTEM => Ok(Box::new(SystemWork::new(basis, pass)?)),
            MEASURE | ROUND | VALUES => Ok(Box::new(ClusterWork::new(basis, pass)?)),
            name => Err(Error::Shape(format!("there is no pass '{name}'"))),
        }
    })
}
