//! Descriptions made in Rust: constructors and the operators `+` and `*`.

use std::ops::{Add, Mul};
use std::sync::Arc;

use super::{Expr, KernelSpec, Leaf};
use crate::error::Result;
use crate::kernel::custom::{PairFunction, TileFunction};
use crate::kernel::{Custom, CustomKernel, Kernel, Value, families};
use crate::points::Points;

/// Constructors take numbers as they come; values outside their domains are refused where the
/// description is used.
impl KernelSpec {
    /// A member of the family `name` with the given parameters and defaults for the others.
    #[doc(hidden)]
    pub fn member(name: &str, parameters: &[(&str, Value)]) -> Result<Self> {
        let parameters: Vec<_> = parameters.iter().map(|(name, v)| format!("{name}={v}")).collect();
        format!("{name}({})", parameters.join(", ")).parse()
    }

    /// xᵀx'.
    pub fn linear() -> Self {
        leaf("linear", &[])
    }

    /// (gamma·xᵀx' + coef0)^degree.
    pub fn poly(degree: u32, gamma: f64, coef0: f64) -> Self {
        leaf("poly", &[("degree", f64::from(degree)), ("gamma", gamma), ("coef0", coef0)])
    }

    /// exp(−gamma·‖x − x'‖²).
    pub fn rbf_gamma(gamma: f64) -> Self {
        leaf("rbf", &[("gamma", gamma)])
    }

    /// exp(−‖x − x'‖² / (2·sigma²)).
    #[doc(hidden)]
    pub fn rbf_sigma(sigma: f64) -> Self {
        leaf("rbf", &[("sigma", sigma)])
    }

    /// exp(−‖x − x'‖² / width²).
    #[doc(hidden)]
    pub fn rbf_width(width: f64) -> Self {
        leaf("rbf", &[("width", width)])
    }

    /// exp(−gamma·Σ|x_i − x'_i|).
    #[doc(hidden)]
    pub fn laplacian(gamma: f64) -> Self {
        leaf("laplacian", &[("gamma", gamma)])
    }

    /// The Matérn kernel of smoothness nu (0.5, 1.5 or 2.5).
    #[doc(hidden)]
    pub fn matern(nu: f64, length: f64) -> Self {
        leaf("matern", &[("nu", nu), ("length", length)])
    }

    /// (1 + ‖x − x'‖² / (2·alpha·length²))^−alpha.
    #[doc(hidden)]
    pub fn rational_quadratic(alpha: f64, length: f64) -> Self {
        leaf("rational_quadratic", &[("alpha", alpha), ("length", length)])
    }

    /// The cosine of the angle between two rows.
    #[doc(hidden)]
    pub fn cosine() -> Self {
        leaf("cosine", &[])
    }

    /// tanh(gamma·xᵀx' + coef0); not positive definite in general.
    #[doc(hidden)]
    pub fn sigmoid(gamma: f64, coef0: f64) -> Self {
        leaf("sigmoid", &[("gamma", gamma), ("coef0", coef0)])
    }

    /// A user-defined function on items of the type `S` (see [`crate::points::Items`]). It must be symmetric;
    /// `model::validity` tests whether it is positive semidefinite.
    ///
    /// ```
    /// use mercer::{KernelSpec, points::Items};
    /// let overlap = KernelSpec::custom("overlap", |a: &Vec<u8>, b: &Vec<u8>| {
    ///     a.iter().filter(|v| b.contains(v)).count() as f64
    /// });
    /// let sets = Items::new(vec![vec![1, 2], vec![2, 3], vec![7]])?;
    /// # let _ = (overlap, sets);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn custom<S, F>(name: &str, function: F) -> Self
    where
        S: Send + Sync + 'static,
        F: Fn(&S, &S) -> f64 + Send + Sync + 'static,
    {
        Self::custom_blocks(name, Arc::new(PairFunction::new(name, function)))
    }

    /// A kernel of a type of your own, on samples of the kind `P` in double precision, such as [`crate::Dense`]`<f64>`. Sums and
    /// products with other kernels on the same samples work as with any kernel.
    pub fn from_kernel<P, K>(name: &str, kernel: K) -> Self
    where
        P: Points + 'static,
        K: Kernel<P, f64> + 'static,
    {
        Self::custom_blocks(name, Arc::new(TileFunction::<P, K>::new(name, kernel)))
    }

    /// A user-defined function that is called for a block of pairs at a time.
    #[doc(hidden)]
    pub fn custom_blocks(name: &str, function: Arc<dyn CustomKernel>) -> Self {
        Self(Expr::Custom(Custom::new(name, Some(function))))
    }

    /// This kernel on the columns of these names alone.
    pub fn on(self, names: &[&str]) -> Self {
        Self(Expr::Columns(names.iter().map(|&name| name.into()).collect(), Box::new(self.0)))
    }

    /// Σ √(x_i·x'_i), for histograms.
    #[doc(hidden)]
    pub fn hellinger() -> Self {
        leaf("hellinger", &[])
    }

    /// Σ min(x_i, x'_i), for histograms.
    #[doc(hidden)]
    pub fn intersection() -> Self {
        leaf("intersection", &[])
    }

    /// Σ 2·x_i·x'_i/(x_i + x'_i), for histograms.
    #[doc(hidden)]
    pub fn additive_chi2() -> Self {
        leaf("additive_chi2", &[])
    }

    /// exp(−gamma·Σ (x_i − x'_i)²/(x_i + x'_i)), for histograms.
    #[doc(hidden)]
    pub fn chi2(gamma: f64) -> Self {
        leaf("chi2", &[("gamma", gamma)])
    }

    /// What two histograms have in common in bits.
    #[doc(hidden)]
    pub fn jensen_shannon() -> Self {
        leaf("jensen_shannon", &[])
    }

    /// 1, whatever the samples: an intercept for the kernel it is added to.
    #[doc(hidden)]
    pub fn constant() -> Self {
        leaf("constant", &[])
    }

    /// k(x, x') / √(k(x, x)·k(x', x')), and 0 where k(x, x) is 0.
    pub fn normalize(self) -> Self {
        Self(Expr::Normalize(Box::new(self.0)))
    }
}

fn leaf(name: &str, parameters: &[(&str, f64)]) -> KernelSpec {
    let family = families().iter().find(|family| family.name == name);
    let mut leaf = Leaf::new(family.expect("constructors name families of the registry"));
    for &(name, number) in parameters {
        let (index, _) = leaf.family().parameter(name).expect("a parameter of the family");
        leaf.write(index, Value::Number(number));
    }
    KernelSpec(Expr::Leaf(leaf))
}

impl Add for KernelSpec {
    type Output = KernelSpec;

    fn add(self, other: KernelSpec) -> KernelSpec {
        KernelSpec(Expr::sum(vec![self.0, other.0]))
    }
}

impl Mul for KernelSpec {
    type Output = KernelSpec;

    fn mul(self, other: KernelSpec) -> KernelSpec {
        KernelSpec(Expr::product(vec![self.0, other.0]))
    }
}

impl Mul<KernelSpec> for f64 {
    type Output = KernelSpec;

    fn mul(self, spec: KernelSpec) -> KernelSpec {
        KernelSpec(spec.0.scale(self))
    }
}

impl Mul<f64> for KernelSpec {
    type Output = KernelSpec;

    fn mul(self, scale: f64) -> KernelSpec {
        scale * self
    }
}
