//! Kernels on vectors, dense or sparse, histograms among them.
//!
//! To add a family: write its file (a [`Profile`]), name its module here and its type in the
//! registry below. Its text form, help, checks and tests follow from the description in the file.

mod formula;
mod gradient;
pub(super) mod measure;
mod measured;
#[cfg(test)]
mod tests;

mod additive_chi2;
mod chi2;
mod constant;
mod cosine;
mod energy;
mod gower;
mod hellinger;
mod intersection;
mod jensen_shannon;
mod laplacian;
mod linear;
mod matern;
mod overlap;
mod periodic;
mod poly;
mod poly_about;
mod rational_quadratic;
mod rbf;
mod row_map;
mod sigmoid;

pub use formula::Formula;
pub use gradient::Gradients;
pub use measured::Measured;
pub(in crate::kernel) use poly_about::PolyAbout;
pub(in crate::kernel) use row_map::RowMap;

use crate::kernel::{Domain, Family, Leaf, Parameter, Rule, Value};
use crate::real::Real;
use measure::Measure;

/// The unit of distance, for families that have one.
const LENGTH: Parameter = Parameter {
    name: "length",
    doc: "The unit of distance, or a list with one for each column.",
    default: Some(Value::Number(1.0)),
    domain: Domain::Positive,
    rules: &[Rule::Median],
    instead_of: None,
    per_column: true,
};

/// One family: how a pair of rows becomes a number, and that number the kernel's value.
trait Profile: Sized {
    /// The family's description.
    const FAMILY: Family;
    /// What is measured between two rows.
    const MEASURE: Measure;

    /// The member with the parameters of `leaf`, which are numbers within their domains.
    fn new(leaf: &Leaf) -> Self;

    /// What is done to both rows before they are measured.
    fn row_map(_leaf: &Leaf) -> Option<RowMap> {
        None
    }

    /// The numbers that `apply` uses, each of which must be finite in the type of the values.
    fn constants(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The same function as a formula, for rows of `d` numbers.
    fn formula(&self, d: usize) -> Formula;

    /// Turns measured values into kernel values, in place.
    fn apply<T: Real>(&self, values: &mut [T]);

    /// Whether the kernel has a gradient everywhere. A profile without one has a kink where two rows meet, just where
    /// a search by gradients would end.
    fn is_smooth(&self) -> bool {
        true
    }

    /// Writes the derivative of the profile by the measured number, given measured numbers and their kernel values.
    fn slopes<T: Real>(&self, measured: &[T], values: &[T], out: &mut [T]);

    /// Writes the derivative of the profile by the logarithm of its parameter `name`, given measured numbers and their kernel values.
    /// Most parameters are factors of the measured number, or units of a distance.
    fn log_slopes(&self, name: &str, measured: &[f64], values: &[f64], out: &mut [f64]) {
        self.slopes(measured, values, out);
        let power = if name == "gamma" { 1.0 } else { -2.0 };
        for (slope, &t) in out.iter_mut().zip(measured) {
            // A profile with a tip has no slope there, but no parameter moves it.
            *slope = if t == 0.0 { 0.0 } else { power * t * *slope };
        }
    }

    /// The measured number that has the kernel value `value`, 0 < value ≤ 1, where there is just one.
    fn measured_from(&self, _value: f64) -> Option<f64> {
        None
    }
}

macro_rules! registry {
    ($($family:ident in $module:ident),* $(,)?) => {
        /// A member of any family.
        #[derive(Debug, Clone)]
        pub(in crate::kernel) enum Member {
            $($family($module::$family)),*
        }

        impl Member {
            pub(in crate::kernel) fn new(leaf: &Leaf) -> Self {
                match leaf.family().name {
                    $(name if name == $module::$family::FAMILY.name => {
                        Member::$family($module::$family::new(leaf))
                    })*
                    name => unreachable!("the family '{name}' is not in the registry"),
                }
            }

            /// What a member does to rows before they are measured.
            pub(in crate::kernel) fn row_map(leaf: &Leaf) -> Option<RowMap> {
                match leaf.family().name {
                    $(name if name == $module::$family::FAMILY.name => $module::$family::row_map(leaf),)*
                    _ => None,
                }
            }

            pub(in crate::kernel) fn measure(&self) -> Measure {
                match self {
                    $(Member::$family(_) => $module::$family::MEASURE),*
                }
            }

            pub(in crate::kernel) fn constants(&self) -> Vec<f64> {
                match self {
                    $(Member::$family(profile) => profile.constants()),*
                }
            }

            pub(in crate::kernel) fn formula(&self, d: usize) -> Formula {
                match self {
                    $(Member::$family(profile) => profile.formula(d)),*
                }
            }

            pub(in crate::kernel) fn apply<T: Real>(&self, values: &mut [T]) {
                match self {
                    $(Member::$family(profile) => profile.apply(values)),*
                }
            }

            pub(in crate::kernel) fn is_smooth(&self) -> bool {
                match self {
                    $(Member::$family(profile) => profile.is_smooth()),*
                }
            }

            pub(in crate::kernel) fn slopes<T: Real>(&self, measured: &[T], values: &[T], out: &mut [T]) {
                match self {
                    $(Member::$family(profile) => profile.slopes(measured, values, out)),*
                }
            }

            pub(in crate::kernel) fn log_slopes(
                &self,
                name: &str,
                measured: &[f64],
                values: &[f64],
                out: &mut [f64],
            ) {
                match self {
                    $(Member::$family(profile) => profile.log_slopes(name, measured, values, out)),*
                }
            }

            pub(in crate::kernel) fn measured_from(&self, value: f64) -> Option<f64> {
                match self {
                    $(Member::$family(profile) => profile.measured_from(value)),*
                }
            }

            pub(in crate::kernel) fn family(&self) -> &'static Family {
                match self {
                    $(Member::$family(_) => &$module::$family::FAMILY),*
                }
            }
        }

        /// All families of kernels on vectors.
        pub(super) fn families() -> &'static [&'static Family] {
            &[$(&$module::$family::FAMILY),*]
        }
    };
}

registry! {
    Linear in linear,
    Poly in poly,
    Rbf in rbf,
    Laplacian in laplacian,
    Matern in matern,
    RationalQuadratic in rational_quadratic,
    Periodic in periodic,
    Cosine in cosine,
    Sigmoid in sigmoid,
    Energy in energy,
    Hellinger in hellinger,
    Intersection in intersection,
    AdditiveChi2 in additive_chi2,
    Chi2 in chi2,
    JensenShannon in jensen_shannon,
    Gower in gower,
    Overlap in overlap,
    Constant in constant,
}
