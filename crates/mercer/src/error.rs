//! One error type for the whole library. Every variant carries the numbers a caller needs to act, and its text says
//! what is wrong, where, and what to do.

use std::borrow::Cow;
use std::path::PathBuf;

/// The result of everything in this library that can fail.
pub type Result<T> = std::result::Result<T, Error>;

macro_rules! params {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// A parameter that an error is about. It prints as the library's field is named; other interfaces print their own names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Param {
            $($(#[$doc])* $variant,)*
            /// Something with a name of its own: a parameter of a kernel, an environment variable, a flag.
            Named(&'static str),
        }

        impl Param {
            /// The name.
            #[doc(hidden)]
            pub fn name(self) -> &'static str {
                match self {
                    $(Param::$variant => $name,)*
                    Param::Named(name) => name,
                }
            }
        }
    };
}

params! {
    /// The ridge penalty.
    Alpha = "alpha",
    /// The penalties to compare.
    Alphas = "alphas",
    /// How the kind of an approximation is chosen.
    Approximation = "approximation",
    /// The penalty of a support vector machine.
    C = "c",
    /// The values of C to compare.
    Cs = "cs",
    /// The cells of support vector machines.
    Cells = "cells",
    /// The weights of classes.
    ClassWeights = "class_weights",
    /// The names of classes.
    Classes = "classes",
    /// The number of clusters.
    Clusters = "clusters",
    /// Columns of a table.
    Columns = "columns",
    /// The number of components.
    Components = "components",
    /// The fraction of outliers.
    Contamination = "contamination",
    /// Kernel values of samples with themselves.
    Diagonal = "diagonal",
    /// The half width of the tube.
    Epsilon = "epsilon",
    /// The folds of a cross-validation.
    Folds = "folds",
    /// Whether the first line of a table holds names.
    Header = "header",
    /// The initialisation of clusters.
    Init = "init",
    /// The map from components back to samples.
    InverseMap = "inverse",
    /// The penalty of that map.
    InverseAlpha = "inverse.alpha",
    /// The kernel.
    Kernel = "kernel",
    /// The landmarks of a low-rank fit.
    Landmarks = "landmarks",
    /// The maximum number of iterations.
    MaxRounds = "max_rounds",
    /// The time limit.
    MaxSeconds = "max_seconds",
    /// The method of pre-images.
    Method = "method",
    /// The number of neighbours.
    Neighbours = "neighbours",
    /// A fraction of samples.
    Nu = "nu",
    /// Whether a low-rank fit continues to the exact solution.
    Polish = "polish",
    /// The repair of a kernel matrix.
    Repair = "repair",
    /// The number of starting points.
    Restarts = "restarts",
    /// The weights of samples.
    SampleWeights = "weights",
    /// Frequencies that a feature map samples.
    Samples = "samples",
    /// The standard deviations of predictions.
    StandardDeviations = "posterior",
    /// The number of starts.
    Starts = "starts",
    /// The targets.
    Targets = "targets",
    /// The tolerance.
    Tolerance = "tolerance",
}

impl std::fmt::Display for Param {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl From<&'static str> for Param {
    fn from(name: &'static str) -> Self {
        Param::Named(name)
    }
}

/// What can go wrong. Each interface (Python, command line) maps a variant to one exception or exit code.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A parameter has a value that its meaning excludes.
    #[error("{name}: {message}")]
    Parameter {
        /// The parameter; each interface has its own name for it.
        name: Param,
        /// What is wrong with the value and which values are right.
        message: String,
    },

    /// A sample set contains NaN or infinity.
    #[error(
        "input contains {} at row {row}, column {column} (zero-based): remove the row or impute the value first",
        if value.is_nan() { "NaN" } else { "infinity" }
    )]
    NotFinite {
        /// Row of the first such value, counted from 0.
        row: usize,
        /// Column of the first such value, counted from 0.
        column: usize,
        /// The value itself.
        value: f64,
    },

    /// A sample set has a shape that cannot be used.
    #[error("{0}")]
    Shape(String),

    /// New samples have another number of features than the samples the model was fitted on.
    #[error("the model was fitted on {expected} features, but the input has {found}")]
    Features {
        /// Features at fit.
        expected: usize,
        /// Features now.
        found: usize,
    },

    /// A kernel's text form cannot be read.
    #[error("{message}\n  {text}\n  {}^", " ".repeat(*position))]
    Spec {
        /// The whole text.
        text: String,
        /// The character (not byte) at fault, counted from 0.
        position: usize,
        /// What is wrong there.
        message: String,
    },

    /// The work needs more memory than is left of the budget.
    #[error("{}", refusal(what, *needed, set_by, *budget, *used, hint))]
    Memory {
        /// What needs the memory.
        what: &'static str,
        /// Bytes needed.
        needed: u64,
        /// What sets the limit: the budget, or a limit of the operating system.
        set_by: &'static str,
        /// Bytes allowed.
        budget: u64,
        /// Bytes of these that are in use already.
        used: u64,
        /// The way out.
        hint: Cow<'static, str>,
    },

    /// The operating system refused memory that the budget allows.
    #[error(
        "the operating system refused to allocate {}: set a memory budget below what is free, use less data, or \
         raise the limit of the process (ulimit -v)",
        bytes(*.0)
    )]
    Allocation(
        /// Bytes asked for.
        u64,
    ),

    /// The monitor asked to stop.
    #[error("interrupted")]
    Interrupted,

    /// The mathematics has no answer for this input.
    #[error("{0}")]
    Numeric(String),

    /// A user-defined kernel failed.
    #[error("kernel {name}: {source}")]
    Custom {
        /// What the kernel is called.
        name: String,
        /// The error it returned. An interface that knows the type passes it on unchanged.
        source: Box<dyn std::error::Error + Send + Sync>,
    },

    /// A file cannot be opened, read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },

    /// A file can be read, but its content cannot be parsed.
    #[error("{}: {message}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where in the file if that is known.
        message: String,
    },

    /// A cell of a table cannot be used as a number.
    #[error("{}: {message}: {}", path.display(), cell_advice(*is_text))]
    Cell {
        /// The file.
        path: PathBuf,
        /// What is wrong, and where in the file.
        message: String,
        /// Whether the cell holds text, so that its column may not be one of numbers at all.
        is_text: bool,
        /// Whether it has no value.
        is_missing: bool,
    },
}

/// What to do about a cell that is not a number, as far as the library knows.
fn cell_advice(is_text: bool) -> &'static str {
    match is_text {
        true => "leave the column out, use it as the label, or use a string kernel",
        false => "impute it or remove the row first, or leave the column out",
    }
}

impl Error {
    /// A [`Error::Parameter`] for `name`.
    #[doc(hidden)]
    pub fn parameter(name: impl Into<Param>, message: impl Into<String>) -> Self {
        Error::Parameter { name: name.into(), message: message.into() }
    }

    /// A [`Error::Memory`] for work that needs more than a budget of which nothing is in use.
    #[doc(hidden)]
    pub fn memory(
        what: &'static str,
        needed: u64,
        budget: u64,
        hint: impl Into<Cow<'static, str>>,
    ) -> Self {
        let hint = hint.into();
        Error::Memory { what, needed, set_by: "the memory budget", budget, used: 0, hint }
    }

    /// Whether memory is what was lacking.
    pub fn is_memory(&self) -> bool {
        matches!(self, Error::Memory { .. } | Error::Allocation(_))
    }

    /// The same with one more way out, if it is a refusal for memory.
    #[doc(hidden)]
    #[must_use]
    pub fn or_hint(self, more: &str) -> Self {
        match self {
            Error::Memory { what, needed, set_by, budget, used, hint } => {
                let hint = format!("{hint}, or {more}").into();
                Error::Memory { what, needed, set_by, budget, used, hint }
            }
            other => other,
        }
    }

    /// A [`Error::File`] for `path`.
    #[doc(hidden)]
    pub fn file(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::File { path: path.into(), source }
    }

    /// A [`Error::Format`] for `path`.
    #[doc(hidden)]
    pub fn format(path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Error::Format { path: path.into(), message: message.into() }
    }
}

/// A byte count for people: `1.50 GiB`.
#[doc(hidden)]
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 6] = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{count} bytes") } else { format!("{value:.2} {}", UNITS[unit]) }
}

/// A refusal in words. Numbers that would look the same are written out in full.
fn refusal(what: &str, needed: u64, set_by: &str, budget: u64, used: u64, hint: &str) -> String {
    let left = budget.saturating_sub(used);
    let alike = bytes(needed) == bytes(left);
    let text = |count: u64| if alike { format!("{} bytes", grouped(count)) } else { bytes(count) };
    let in_use = match used {
        0 => String::new(),
        used => format!(", of which {} are in use", text(used)),
    };
    format!("{what} needs {}, but {set_by} is {}{in_use}: {hint}", text(needed), text(budget))
}

/// A number with commas between thousands.
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let commas = |(at, digit): (usize, char)| {
        let comma = at > 0 && (digits.len() - at).is_multiple_of(3);
        comma.then_some(',').into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(commas).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_never_says_the_same_number_twice() {
        let text = Error::memory("the solver", 200_000_123, 200_000_000, "use less").to_string();
        let want = "the solver needs 200,000,123 bytes, but the memory budget is 200,000,000 bytes: use less";
        assert_eq!(text, want);
        let text = Error::memory("the solver", 3 << 30, 5 << 20, "use less").to_string();
        assert_eq!(text, "the solver needs 3.00 GiB, but the memory budget is 5.00 MiB: use less");
    }

    #[test]
    fn thousands_are_grouped() {
        let texts = [0, 999, 1000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "1,234,567"]);
    }
}
