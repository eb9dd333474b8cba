//! The map of a description.

use super::FeatureMap;
use crate::error::{Error, Param, Result};
use crate::kernel::spec::Expr;
use crate::kernel::{KernelSpec, Leaf};

/// What a description leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureMapOptions {
    /// How often the spectrum of an approximate map is sampled beside 0: a column becomes 2·samples + 1 features.
    pub samples: usize,
    /// The names by which the kernel may call columns; empty for 0, 1, ….
    pub columns: Vec<String>,
}

impl Default for FeatureMapOptions {
    fn default() -> Self {
        Self { samples: 3, columns: Vec::new() }
    }
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
        of_expr(&spec.0, columns, options)
    }
}

fn of_expr(expr: &Expr, columns: usize, options: &FeatureMapOptions) -> Result<FeatureMap> {
    let all = |exprs: &[Expr]| {
        exprs.iter().map(|expr| of_expr(expr, columns, options)).collect::<Result<Vec<_>>>()
    };
    match expr {
        Expr::Leaf(leaf) => of_leaf(leaf, columns, options),
        Expr::Sum(terms) => FeatureMap::sum(all(terms)?),
        Expr::Product(factors) => FeatureMap::product(all(factors)?),
        Expr::Scale(scale, inner) => of_expr(inner, columns, options)?.scale(*scale),
        Expr::Normalize(inner) => of_expr(inner, columns, options)?.normalize(),
        Expr::Columns(names, inner) => {
            let places = names
                .iter()
                .map(|name| place(name, columns, options))
                .collect::<Result<Vec<_>>>()?;
            of_expr(inner, places.len(), options)?.select(&places, columns)
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

fn of_leaf(leaf: &Leaf, columns: usize, options: &FeatureMapOptions) -> Result<FeatureMap> {
    match leaf.family().name {
        "constant" => FeatureMap::constant(columns),
        "linear" => FeatureMap::linear(columns),
        "cosine" => FeatureMap::linear(columns)?.normalize(),
        "poly" => {
            let degree = leaf.number("degree") as u32;
            FeatureMap::poly(columns, degree, leaf.number("gamma"), leaf.number("coef0"))
        }
        "hellinger" => FeatureMap::hellinger(columns),
        "additive_chi2" => FeatureMap::additive_chi2(columns, options.samples),
        "intersection" => FeatureMap::intersection(columns, options.samples),
        "jensen_shannon" => FeatureMap::jensen_shannon(columns, options.samples),
        "sigmoid" => refuse(leaf, "is not positive definite in general, so it has none"),
        "rbf" | "laplacian" | "matern" | "rational_quadratic" | "chi2" => refuse(
            leaf,
            "has infinitely many features, and random approximations are not supported; use the kernel itself",
        ),
        _ => refuse(leaf, "has none on rows of numbers"),
    }
}

fn refuse(leaf: &Leaf, why: &str) -> Result<FeatureMap> {
    let name = leaf.family().name;
    Err(Error::parameter(Param::Kernel, format!("no explicit feature map: {name} {why}")))
}
