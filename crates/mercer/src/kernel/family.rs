//! How a family of kernels describes itself. The text form, help pages, the Python classes and the
//! tests of invalid values are all made from these descriptions.

use std::fmt;

use crate::kernel::Leaf;

/// A family of kernels, such as all Gaussian kernels.
#[derive(Debug)]
pub struct Family {
    /// The name in the text form.
    pub name: &'static str,
    /// Other names that are understood; printing uses `name`.
    pub aliases: &'static [&'static str],
    /// One line for people.
    pub doc: &'static str,
    /// k(x, x') as a formula.
    pub formula: &'static str,
    /// Its parameters, the one that may be written without its name first.
    pub parameters: &'static [Parameter],
    /// Whether its members are positive definite.
    pub definite: Definite,
    /// What its members compare.
    pub input: Input,
}

/// The samples that a family of kernels compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Rows of numbers.
    Vectors,
    /// Rows of numbers, none of them negative.
    Histograms,
    /// Rows of numbers, of which whole ones may be codes of categories.
    Categories,
    /// Texts.
    Strings,
}

/// A parameter of a family.
#[derive(Debug)]
pub struct Parameter {
    /// The name in the text form.
    pub name: &'static str,
    /// One line for people.
    pub doc: &'static str,
    /// The value when nothing is written. A parameter without one is an alternative to another.
    pub default: Option<Value>,
    /// The numbers it may be.
    pub domain: Domain,
    /// The rules that may stand for a number.
    pub rules: &'static [Rule],
    /// The parameter this one replaces: only one of such a group may be written.
    pub instead_of: Option<&'static str>,
    /// Whether it may be a list with one number for each column, as in `rbf(gamma=[0.1, 2])`.
    pub per_column: bool,
}

/// Whether the members of a family are positive definite.
#[derive(Debug)]
pub enum Definite {
    /// All of them are.
    Always,
    /// In general they are not.
    No,
    /// Those are that satisfy the condition, given in words and as a function.
    When(&'static str, fn(&Leaf) -> bool),
}

/// What a parameter may be. Numbers are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// Any number.
    Any,
    /// Above zero.
    Positive,
    /// Zero and above.
    NotNegative,
    /// Above zero and at most one.
    Share,
    /// 1, 2, 3, …
    PositiveInteger,
    /// 0, 1, 2, …
    Count,
    /// One of a few.
    OneOf(&'static [f64]),
    /// One of a few words, and no number.
    Words(&'static [&'static str]),
}

/// A way to find a parameter's value from the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// 1 / (d · variance of all entries); 1 if the variance is 0.
    Scale,
    /// 1 / d.
    Auto,
    /// The median Euclidean distance between two samples, of at most 1,000 of them.
    Median,
    /// 1 / the mean χ² distance between two samples, of at most 1,000 of them.
    Mean,
}

/// What a parameter is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A rule that finds the number from the data.
    Rule(Rule),
    /// A word, for a choice that is no number.
    Word(&'static str),
    /// One number for each column, which the member holds: see [`Leaf::list`].
    PerColumn,
}

impl Family {
    /// The parameter called `name` and its place.
    #[doc(hidden)]
    pub fn parameter(&self, name: &str) -> Option<(usize, &Parameter)> {
        self.parameters.iter().enumerate().find(|(_, parameter)| parameter.name == name)
    }

    /// All names of the family.
    #[doc(hidden)]
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether a value without a name can only mean the first parameter.
    #[doc(hidden)]
    pub fn takes_positional(&self) -> bool {
        self.parameters.first().is_some_and(|first| {
            self.parameters.iter().all(|other| other.instead_of != Some(first.name))
        })
    }
}

impl Parameter {
    /// The name of the group of alternatives this parameter belongs to.
    #[doc(hidden)]
    pub fn group(&self) -> &'static str {
        self.instead_of.unwrap_or(self.name)
    }

    /// Whether it may be set to `value`.
    #[doc(hidden)]
    pub fn allows(&self, value: Value) -> bool {
        match value {
            Value::Number(number) => self.domain.contains(number),
            Value::Rule(rule) => self.rules.contains(&rule),
            Value::Word(word) => self.domain.words().contains(&word),
            Value::PerColumn => self.per_column,
        }
    }
}

impl Domain {
    /// Whether `number` is one of them.
    #[doc(hidden)]
    pub fn contains(self, number: f64) -> bool {
        let fits = match self {
            Domain::Any => true,
            Domain::Positive => number > 0.0,
            Domain::NotNegative => number >= 0.0,
            Domain::Share => number > 0.0 && number <= 1.0,
            Domain::PositiveInteger => number >= 1.0 && is_count(number),
            Domain::Count => is_count(number),
            Domain::OneOf(numbers) => numbers.contains(&number),
            Domain::Words(_) => false,
        };
        fits && number.is_finite()
    }

    /// The words it may be.
    pub fn words(self) -> &'static [&'static str] {
        match self {
            Domain::Words(words) => words,
            _ => &[],
        }
    }
}

fn is_count(number: f64) -> bool {
    (0.0..=f64::from(u32::MAX)).contains(&number) && number.fract() == 0.0
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Domain::Any => f.write_str("a finite number"),
            Domain::Positive => f.write_str("a positive number"),
            Domain::NotNegative => f.write_str("a number of at least 0"),
            Domain::Share => f.write_str("a positive number up to 1"),
            Domain::PositiveInteger => f.write_str("a positive integer"),
            Domain::Count => f.write_str("0 or a positive integer"),
            Domain::Words(words) => write!(f, "one of {}", words.join(", ")),
            Domain::OneOf(numbers) => {
                let numbers: Vec<_> = numbers.iter().map(f64::to_string).collect();
                write!(f, "one of {}", numbers.join(", "))
            }
        }
    }
}

impl Rule {
    /// All rules.
    pub const ALL: [Rule; 4] = [Rule::Scale, Rule::Auto, Rule::Median, Rule::Mean];

    /// The name in the text form.
    pub fn name(self) -> &'static str {
        match self {
            Rule::Scale => "scale",
            Rule::Auto => "auto",
            Rule::Median => "median",
            Rule::Mean => "mean",
        }
    }

    /// One line for people.
    pub fn doc(self) -> &'static str {
        match self {
            Rule::Scale => "1 / (d · variance of all entries); 1 if the variance is 0",
            Rule::Auto => "1 / d, with d the number of features",
            Rule::Median => "the median distance between two samples (of at most 1,000 of them)",
            Rule::Mean => "1 / the mean χ² distance between two samples (of at most 1,000 of them)",
        }
    }
}

impl fmt::Display for Value {
    /// The shortest text that reads back as the same value.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Rule(rule) => f.write_str(rule.name()),
            Value::Word(word) => f.write_str(word),
            Value::PerColumn => f.write_str("one number per column"),
            Value::Number(number) => {
                let text = format!("{number:?}");
                f.write_str(text.strip_suffix(".0").unwrap_or(&text))
            }
        }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<Rule> for Value {
    fn from(rule: Rule) -> Self {
        Value::Rule(rule)
    }
}
