//! The numbers of a kernel that an optimisation may vary: those above 0 that are no counts, and the weights of sums.
//!
//! A factor that changes nothing but the size of a whole is no parameter of its own: of a sum within a product, the first
//! weight stays; of the kernel as a whole, the size counts only where the caller says so.

use super::input::group_of;
use super::{Expr, KernelSpec, Leaf};
use crate::error::Result;
use crate::kernel::{Domain, Input, Parameter, Value};
use crate::points::{AnySamples, Samples, with_samples};
use crate::real::Real;

/// A number of a kernel that an optimisation may vary. It is above 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Hyperparameter {
    /// Such as `rbf.length[2]`, of the column 2, or `rbf.weight`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Whether it multiplies squared distances or products, so that it moves with the inverse square of a length.
    pub is_rate: bool,
}

/// Where a number stands.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    owner: &'a Expr,
    name: &'static str,
    column: Option<usize>,
}

/// What is done with each number in turn: the number that takes its place.
pub(super) type Varying<'f> = dyn FnMut(Place<'_>, f64) -> f64 + 'f;

impl KernelSpec {
    /// The numbers that may be varied, of a resolved kernel; with that of the whole kernel's size if `size` counts.
    #[doc(hidden)]
    pub fn hyperparameters(&self, size: bool) -> Vec<Hyperparameter> {
        let mut found: Vec<Hyperparameter> = Vec::new();
        self.0.vary(size, &mut |place, value| {
            let name = distinct(place.name(), &found);
            found.push(Hyperparameter { name, value, is_rate: place.name == "gamma" });
            value
        });
        found
    }

    /// The same kernel with other numbers for those of [`KernelSpec::hyperparameters`].
    #[doc(hidden)]
    pub fn with_hyperparameters(&self, size: bool, values: &[f64]) -> KernelSpec {
        let mut next = values.iter();
        let mut take = |_: Place<'_>, old: f64| next.next().copied().unwrap_or(old);
        KernelSpec(self.0.vary(size, &mut take))
    }
}

/// The name, with a number where another has it already.
fn distinct(name: String, found: &[Hyperparameter]) -> String {
    let taken = |name: &str| found.iter().any(|other| other.name == name);
    let numbered = (2..).map(|i| format!("{name} ({i})"));
    std::iter::once(name.clone()).chain(numbered).find(|name| !taken(name)).unwrap_or(name)
}

impl Place<'_> {
    fn name(&self) -> String {
        let owner = match self.owner {
            Expr::Leaf(leaf) => leaf.family().name,
            Expr::Sum(_) => "sum",
            Expr::Product(_) => "product",
            Expr::Normalize(_) => "normalize",
            Expr::Columns(..) => "columns",
            Expr::Custom(custom) => custom.name(),
            Expr::Scale(..) => "kernel",
        };
        match self.column {
            Some(column) => format!("{owner}.{}[{column}]", self.name),
            None => format!("{owner}.{}", self.name),
        }
    }
}

impl Expr {
    /// The same expression with `f` of each number that may be varied, from left to right.
    fn vary(&self, size: bool, f: &mut Varying<'_>) -> Expr {
        match self {
            Expr::Sum(terms) => {
                let mut term = |(k, term): (usize, &Expr)| term.vary_term(size || k > 0, f);
                Expr::sum(terms.iter().enumerate().map(&mut term).collect())
            }
            whole => whole.vary_term(size, f),
        }
    }

    /// A term of a sum, whose weight may be varied or not.
    fn vary_term(&self, weight: bool, f: &mut Varying<'_>) -> Expr {
        let (mut scale, inner) = self.clone().split_scale();
        if weight {
            scale = f(Place { owner: &inner, name: "weight", column: None }, scale);
        }
        inner.vary_within(f).scale(scale)
    }

    /// What is no weighted term.
    fn vary_within(&self, f: &mut Varying<'_>) -> Expr {
        match self {
            Expr::Leaf(leaf) => Expr::Leaf(leaf.vary(self, f)),
            Expr::Sum(_) | Expr::Scale(..) => self.vary(false, f),
            Expr::Product(factors) => {
                Expr::product(factors.iter().map(|factor| factor.vary(false, f)).collect())
            }
            Expr::Normalize(inner) => Expr::Normalize(Box::new(inner.vary(false, f))),
            Expr::Columns(names, inner) => {
                Expr::Columns(names.clone(), Box::new(inner.vary(false, f)))
            }
            Expr::Custom(_) => self.clone(),
        }
    }
}

impl KernelSpec {
    /// The same kernel with a number for each column of `x` where it has one for all, of a resolved kernel.
    #[doc(hidden)]
    pub fn with_widths_per_column(&self, x: impl Into<AnySamples>) -> Result<KernelSpec> {
        Ok(KernelSpec(with_samples!(&x.into(), x => self.0.per_column(x))?))
    }
}

impl Expr {
    fn per_column<T: Real>(&self, x: &Samples<T>) -> Result<Expr> {
        let all =
            |parts: &[Expr]| parts.iter().map(|part| part.per_column(x)).collect::<Result<_>>();
        Ok(match self {
            Expr::Leaf(leaf) => Expr::Leaf(leaf.per_column(x.features())),
            Expr::Sum(parts) => Expr::Sum(all(parts)?),
            Expr::Product(parts) => Expr::Product(all(parts)?),
            Expr::Scale(scale, inner) => Expr::Scale(*scale, Box::new(inner.per_column(x)?)),
            Expr::Normalize(inner) => Expr::Normalize(Box::new(inner.per_column(x)?)),
            Expr::Columns(names, inner) => {
                Expr::Columns(names.clone(), Box::new(inner.per_column(group_of(x, names)?)?))
            }
            Expr::Custom(_) => self.clone(),
        })
    }
}

/// The parameters of a member that may be varied, with their places in the family: numbers that apply to all columns, or one for each.
pub(in crate::kernel) fn varied_of(
    leaf: &Leaf,
) -> impl Iterator<Item = (usize, &'static Parameter, Vec<f64>)> + '_ {
    let is_number = |domain| matches!(domain, Domain::Positive | Domain::NotNegative | Domain::Any);
    let of_vectors = leaf.family().input != Input::Strings;
    leaf.effective().enumerate().filter_map(move |(index, (parameter, value))| {
        let numbers = match value? {
            Value::Number(number) => vec![number],
            Value::PerColumn => leaf.list(parameter.name)?.to_vec(),
            Value::Rule(_) | Value::Word(_) => return None,
        };
        let above = numbers.iter().all(|number| *number > 0.0);
        (of_vectors && above && is_number(parameter.domain)).then_some((index, parameter, numbers))
    })
}

impl Leaf {
    fn per_column(&self, d: usize) -> Leaf {
        let mut wide = self.clone();
        for (index, parameter, numbers) in varied_of(self) {
            // The period of a calendar is that of all its columns, and stays one.
            if parameter.per_column && parameter.name != "period" && numbers.len() == 1 && d > 1 {
                wide.rewrite_list(index, vec![numbers[0]; d]);
            }
        }
        wide
    }

    fn vary(&self, owner: &Expr, f: &mut Varying<'_>) -> Leaf {
        let mut varied = self.clone();
        for (index, parameter, numbers) in varied_of(self) {
            if self.list(parameter.name).is_none() {
                let place = Place { owner, name: parameter.name, column: None };
                varied.write(index, Value::Number(f(place, numbers[0])));
                continue;
            }
            let place = |column| Place { owner, name: parameter.name, column: Some(column) };
            let each = numbers.iter().enumerate().map(|(column, &v)| f(place(column), v)).collect();
            varied.rewrite_list(index, each);
        }
        varied
    }
}
