//! What a pass over rows is given and what it finds, as values that can travel.

use std::collections::BTreeMap;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::gram::ExactSums;
use crate::linalg::view::Mat;
use crate::model::kernel_pca::KernelPca;
use crate::points::AnySamples;

/// Named values of a pass.
#[derive(Clone, Default)]
pub struct Packet {
    /// The name of the pass.
    pub name: String,
    /// Texts.
    pub texts: BTreeMap<String, String>,
    /// Numbers.
    pub reals: BTreeMap<String, Vec<f64>>,
    /// Whole numbers.
    pub places: BTreeMap<String, Vec<u64>>,
    /// Samples.
    pub samples: BTreeMap<String, AnySamples>,
    /// Sums over rows, which can be added up in any order.
    pub sums: Option<ExactSums>,
    /// A model to be evaluated.
    pub model: Option<Box<KernelPca>>,
}

impl Packet {
    /// Nothing yet, of a pass of this name.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// With numbers.
    #[must_use]
    pub fn with_reals(mut self, name: &str, values: impl Into<Vec<f64>>) -> Self {
        self.reals.insert(name.into(), values.into());
        self
    }

    /// With whole numbers.
    #[must_use]
    pub fn with_places(mut self, name: &str, values: impl Into<Vec<u64>>) -> Self {
        self.places.insert(name.into(), values.into());
        self
    }

    /// With samples.
    #[must_use]
    pub fn with_samples(mut self, name: &str, samples: impl Into<AnySamples>) -> Self {
        self.samples.insert(name.into(), samples.into());
        self
    }

    /// With sums over so many rows.
    #[must_use]
    pub fn with_sums(mut self, sums: ExactSums, rows: u64) -> Self {
        self.sums = Some(sums);
        self.with_places("rows", [rows])
    }

    /// Numbers by their name.
    pub fn reals(&self, name: &str) -> Result<&[f64]> {
        self.reals.get(name).map(Vec::as_slice).ok_or_else(|| missing(name))
    }

    /// A matrix with so many columns.
    pub fn matrix(&self, name: &str, cols: usize) -> Result<Mat<f64>> {
        let values = self.reals(name)?;
        match cols > 0 && values.len() % cols == 0 {
            true => Ok(Mat::from_vec(values.to_vec(), values.len() / cols, cols)),
            false => Err(missing(name)),
        }
    }

    /// Whole numbers by their name.
    pub fn places(&self, name: &str) -> Result<&[u64]> {
        self.places.get(name).map(Vec::as_slice).ok_or_else(|| missing(name))
    }

    /// A whole number by its name.
    pub fn place(&self, name: &str) -> Result<u64> {
        self.places(name)?.first().copied().ok_or_else(|| missing(name))
    }

    /// Samples by their name.
    pub fn samples(&self, name: &str) -> Result<&AnySamples> {
        self.samples.get(name).ok_or_else(|| missing(name))
    }

    /// A text by its name.
    pub fn text(&self, name: &str) -> Result<&str> {
        self.texts.get(name).map(String::as_str).ok_or_else(|| missing(name))
    }

    /// Takes the sums out, of which there are `count`.
    pub fn take_sums(&mut self, count: usize) -> Result<ExactSums> {
        self.sums.take().filter(|sums| sums.len() == count).ok_or_else(|| missing("sums"))
    }

    /// Adds what was found of other rows.
    pub fn merge(&mut self, ctx: &Context, other: &Self) -> Result<()> {
        let rows = self.place("rows")? + other.place("rows")?;
        match (&mut self.sums, &other.sums) {
            (Some(sums), Some(added)) if sums.len() == added.len() => sums.merge(ctx, added),
            _ => return Err(missing("sums")),
        }
        self.places.insert("rows".into(), vec![rows]);
        Ok(())
    }
}

fn missing(name: &str) -> Error {
    Error::Shape(format!(
        "a part of the work has no '{name}': all machines need the same version of mercer"
    ))
}
