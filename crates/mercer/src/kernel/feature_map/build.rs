//! The map of a description.

use std::cell::Cell;

use serde::{Deserialize, Serialize};

use super::FeatureMap;
use super::sampled::Homogeneous;
use super::spectrum::Spectrum;
use crate::error::{Error, Param, Result};
use crate::kernel::spec::Expr;
use crate::kernel::{KernelSpec, Leaf};

/// What a description leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureMapOptions {
    /// How often the spectrum of an approximate map is sampled beside 0: a column becomes 2·samples + 1 features.
    pub samples: usize,
    /// The distance between those samples; `None` for the one with the least error.
    pub interval: Option<f64>,
    /// Whether the features of such a map come by samples of the spectrum, each with a feature for every column, and not by columns.
    pub by_sample: bool,
    /// Random features, for kernels that have infinitely many and in the place of all products of features for `poly`; `None` for no
    /// random features.
    pub random: Option<RandomFeatures>,
    /// The names by which the kernel may call columns; empty for 0, 1, ….
    pub columns: Vec<String>,
}

impl Default for FeatureMapOptions {
    fn default() -> Self {
        let (interval, random) = (None, None);
        Self { samples: 3, interval, by_sample: false, random, columns: Vec::new() }
    }
}

/// How many random features a kernel has, and which. The same seed gives the same features.
///
/// ```
/// use mercer::kernel::{FeatureMap, FeatureMapOptions, Frequencies, RandomFeatures};
/// use mercer::{Context, KernelSpec, Mat};
/// let random = RandomFeatures { components: 4000, seed: 0, frequencies: Frequencies::Auto };
/// let options = FeatureMapOptions { random: Some(random), ..FeatureMapOptions::default() };
/// let map = FeatureMap::new(&KernelSpec::rbf_gamma(0.5), 2, &options)?;
/// let x = Mat::from_vec(vec![0.0, 0.0, 1.0, 1.0], 2, 2);
/// let phi = map.matrix(&Context::default(), x.view())?;
/// let product: f64 = phi.row(0).iter().zip(phi.row(1)).map(|(a, b)| a * b).sum();
/// assert!((product - (-1.0_f64).exp()).abs() < 0.05);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RandomFeatures {
    /// Features of each kernel of a description.
    pub components: usize,
    /// The seed.
    pub seed: u64,
    /// The frequencies of kernels of a distance.
    pub frequencies: Frequencies,
}

impl RandomFeatures {
    /// Whether each frequency has a cosine and a sine.
    pub(super) fn paired(&self) -> bool {
        self.frequencies != Frequencies::Independent
    }

    fn check(&self) -> Result<()> {
        match self.components {
            0 => Err(Error::parameter(Param::Components, "must be at least 1, not 0")),
            _ => super::check::check_dimension(self.components as u128),
        }
    }
}

/// How the frequencies of random features are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Frequencies {
    /// Orthogonal ones for kernels of the Euclidean distance, else independent ones; each with a cosine and a sine.
    #[default]
    Auto,
    /// Blocks of orthogonal ones, each with a cosine and a sine.
    Orthogonal,
    /// Independent ones, each with a cosine of a random phase.
    Independent,
}

impl FeatureMap {
    /// The map of the kernel `spec` on rows of `columns` numbers. All its parameters must be numbers; see
    /// [`KernelSpec::resolve`].
    pub fn new(spec: &KernelSpec, columns: usize, options: &FeatureMapOptions) -> Result<Self> {
        spec.check()?;
        if !spec.is_resolved() {
            let message =
                format!("{spec} has a parameter that depends on the data: resolve it first");
            return Err(Error::parameter(Param::Kernel, message));
        }
        options.random.as_ref().map_or(Ok(()), RandomFeatures::check)?;
        of_expr(&spec.0, columns, options, &Cell::new(0))
    }
}

/// `leaves` counts the kernels: each has random numbers of its own, since products of features that share them are biased.
fn of_expr(
    expr: &Expr,
    columns: usize,
    options: &FeatureMapOptions,
    leaves: &Cell<usize>,
) -> Result<FeatureMap> {
    let all = |exprs: &[Expr]| {
        exprs.iter().map(|expr| of_expr(expr, columns, options, leaves)).collect::<Result<Vec<_>>>()
    };
    match expr {
        Expr::Leaf(leaf) => of_leaf(leaf, columns, options, leaves.replace(leaves.get() + 1)),
        Expr::Sum(terms) => FeatureMap::sum(all(terms)?),
        Expr::Product(factors) => FeatureMap::product(all(factors)?),
        Expr::Scale(scale, inner) => of_expr(inner, columns, options, leaves)?.scale(*scale),
        Expr::Normalize(inner) => of_expr(inner, columns, options, leaves)?.normalize(),
        Expr::Columns(names, inner) => {
            let places = names
                .iter()
                .map(|name| place(name, columns, options))
                .collect::<Result<Vec<_>>>()?;
            of_expr(inner, places.len(), options, leaves)?.select(&places, columns)
        }
        Expr::Custom(custom) => Err(Error::parameter(
            Param::Kernel,
            format!("no explicit feature map: {} is a user-defined function", custom.name()),
        )),
    }
}

/// Where the column `name` stands.
fn place(name: &str, columns: usize, options: &FeatureMapOptions) -> Result<usize> {
    let found = match options.columns.is_empty() {
        true => name.parse().ok().filter(|place| *place < columns),
        false => options.columns.iter().position(|column| column == name),
    };
    found.ok_or_else(|| Error::parameter(Param::Kernel, format!("there is no column {name}")))
}

fn of_leaf(
    leaf: &Leaf,
    columns: usize,
    options: &FeatureMapOptions,
    number: usize,
) -> Result<FeatureMap> {
    if let Some(random) = &options.random
        && let Some(spectrum) = Spectrum::of(leaf, columns)
    {
        return FeatureMap::fourier(&spectrum?, random, columns, number);
    }
    let homogeneous = |kernel| FeatureMap::sampled_with(kernel, columns, options);
    match leaf.family().name {
        "constant" => FeatureMap::constant(columns),
        "linear" => FeatureMap::linear(columns),
        "cosine" => FeatureMap::linear(columns)?.normalize(),
        "poly" => {
            let degree = leaf.number("degree") as u32;
            let (gamma, coef0) = (leaf.number("gamma"), leaf.number("coef0"));
            match &options.random {
                None => FeatureMap::poly(columns, degree, gamma, coef0),
                Some(random) => FeatureMap::sketch(columns, (degree, gamma, coef0), random, number),
            }
        }
        "hellinger" => FeatureMap::hellinger(columns),
        "additive_chi2" => homogeneous(Homogeneous::Chi2),
        "intersection" => homogeneous(Homogeneous::Intersection),
        "jensen_shannon" => homogeneous(Homogeneous::JensenShannon),
        "sigmoid" => refuse(leaf, "is not positive definite in general, so it has none"),
        "rbf" | "laplacian" | "matern" | "rational_quadratic" => refuse(
            leaf,
            "has infinitely many features: set a number of random ones, or use the kernel itself",
        ),
        "chi2" => refuse(leaf, "has infinitely many features; use the kernel itself"),
        _ => refuse(leaf, "has none on rows of numbers"),
    }
}

fn refuse(leaf: &Leaf, why: &str) -> Result<FeatureMap> {
    let name = leaf.family().name;
    Err(Error::parameter(Param::Kernel, format!("no explicit feature map: {name} {why}")))
}
