//! The kind of input that a kernel takes.

use mercer::error::Param;
use mercer::io::{Model, Table};
use mercer::kernel;
use mercer::model::ScalingKind;
use mercer::{Error, KernelSpec, Result};

use crate::args::{Kernel, Scale};

/// The kind of input that a kernel takes.
#[derive(Debug, Clone, PartialEq)]
pub enum InputKind {
    /// Numbers.
    Numbers,
    /// Numbers with a period, which is in their units.
    Periods,
    /// Non-negative numbers.
    Histograms,
    /// Categories, as codes, and numbers between 0 and 1.
    Categories,
    /// One column of strings.
    Strings,
    /// Groups of columns, one group after the other.
    Groups(Vec<ColumnGroup>),
    /// Kernel values with the training samples.
    Precomputed,
}

/// The kernel of `model`; PCA has none.
pub fn kernel_of(model: &Model) -> Option<Kernel> {
    match (model, model.kernel()) {
        (Model::Repair(_), _) | (_, Some((_, None))) => Some(Kernel::Precomputed),
        (_, Some((spec, Some(_)))) => Some(Kernel::Spec(spec.clone())),
        (_, None) => None,
    }
}

/// The scaling of columns for a method that does not scale them for all kernels: standardised for kernels with a width,
/// which are meaningless on columns of different units.
pub fn usual_scale(kernel: &Kernel) -> Scale {
    match kernel {
        Kernel::Spec(spec) if spec.has_width() => Scale::Standard,
        _ => Scale::None,
    }
}

/// Columns that a kernel names together.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnGroup {
    /// Their names.
    pub names: Vec<String>,
    /// Their kind; never groups.
    pub input_kind: InputKind,
}

impl InputKind {
    /// The input kind of `kernel`.
    pub fn of(kernel: &Kernel) -> Self {
        match kernel {
            Kernel::Precomputed => InputKind::Precomputed,
            Kernel::Spec(spec) => InputKind::of_spec(spec),
        }
    }

    /// The input kind that all of `kernels` share.
    pub fn of_all(kernels: &[Kernel]) -> Result<Self> {
        let mut forms = kernels.iter().map(InputKind::of);
        let first = forms.next().unwrap_or(InputKind::Numbers);
        forms.try_fold(first, InputKind::with)
    }

    /// The input kind of `model`.
    pub fn of_model(model: &Model) -> Self {
        kernel_of(model).map_or(InputKind::Numbers, |kernel| InputKind::of(&kernel))
    }

    fn of_spec(spec: &KernelSpec) -> Self {
        let group = |names: &[String]| ColumnGroup {
            input_kind: InputKind::of_inputs(
                &spec.on_columns(names).unwrap_or_else(|| spec.clone()),
            ),
            names: names.to_vec(),
        };
        match spec.columns()[..] {
            [] => InputKind::of_inputs(spec),
            ref groups => InputKind::Groups(groups.iter().map(|names| group(names)).collect()),
        }
    }

    fn of_inputs(spec: &KernelSpec) -> Self {
        match spec.input() {
            Some(kernel::Input::Strings) => InputKind::Strings,
            _ if spec.needs_categories() => InputKind::Categories,
            _ if spec.needs_histograms() => InputKind::Histograms,
            _ if spec.has_period() => InputKind::Periods,
            _ => InputKind::Numbers,
        }
    }

    /// The kind that fits both.
    fn with(self, other: Self) -> Result<Self> {
        match (self, other) {
            (a, b) if a == b => Ok(a),
            (InputKind::Numbers, InputKind::Histograms)
            | (InputKind::Histograms, InputKind::Numbers) => Ok(InputKind::Histograms),
            (InputKind::Numbers, InputKind::Periods) | (InputKind::Periods, InputKind::Numbers) => {
                Ok(InputKind::Periods)
            }
            (InputKind::Groups(mut all), InputKind::Groups(others)) => {
                for group in others {
                    match all.iter().position(|own| own.names == group.names) {
                        None => all.push(group),
                        Some(at) => {
                            all[at].input_kind =
                                all[at].input_kind.clone().with(group.input_kind)?
                        }
                    }
                }
                Ok(InputKind::Groups(all))
            }
            (a, b) => {
                let message = format!(
                    "cannot compare a kernel on {} with one on {}: all candidates must take \
                     the same input",
                    a.name(),
                    b.name()
                );
                Err(Error::parameter(Param::Kernel, message))
            }
        }
    }

    /// What its samples are called.
    pub fn name(&self) -> &'static str {
        match self {
            InputKind::Numbers => "numbers",
            InputKind::Periods => "numbers with a period",
            InputKind::Histograms => "histograms",
            InputKind::Categories => "categories",
            InputKind::Strings => "strings",
            InputKind::Groups(_) => "groups of columns",
            InputKind::Precomputed => "a precomputed matrix",
        }
    }

    /// The columns that the kernel names, in its order; none if it takes all.
    pub fn named(&self) -> Option<Vec<&str>> {
        match self {
            InputKind::Groups(groups) => {
                Some(groups.iter().flat_map(|group| &group.names).map(String::as_str).collect())
            }
            _ => None,
        }
    }

    /// Whether missing values, categories and dates become numbers.
    pub fn is_encoded(&self) -> bool {
        matches!(self, InputKind::Numbers | InputKind::Periods | InputKind::Categories)
    }

    /// Whether strings are read, which must stay as they are written.
    pub fn has_strings(&self) -> bool {
        match self {
            InputKind::Strings => true,
            InputKind::Groups(groups) => groups.iter().any(|group| group.input_kind.has_strings()),
            _ => false,
        }
    }

    /// The string of every row of `features`, if rows are strings.
    pub fn texts(&self, features: &Table) -> Option<Vec<String>> {
        let cells = features.columns.first().filter(|_| *self == InputKind::Strings)?;
        Some((0..cells.len()).map(|row| cells.text(row)).collect())
    }

    /// Whether rows are vectors whose axes are the columns, so that they can be plotted.
    pub fn is_vector(&self) -> bool {
        matches!(self, InputKind::Numbers | InputKind::Periods | InputKind::Histograms)
    }

    /// The scaling that is `requested`, or else the `usual` one where scaling applies.
    pub fn scaling(&self, requested: Option<Scale>, usual: Scale) -> Result<ScalingKind> {
        let fixed = match self {
            InputKind::Numbers | InputKind::Groups(_) => None,
            InputKind::Periods => Some("the period of the kernel is in the units of the columns"),
            InputKind::Histograms => Some("histograms cannot be scaled: zeros must stay zeros"),
            InputKind::Categories => Some(
                "kernels on categories take numbers between 0 and 1: they are mapped so already",
            ),
            InputKind::Strings => Some("strings cannot be scaled"),
            InputKind::Precomputed => Some("kernel values cannot be scaled"),
        };
        match (fixed, requested) {
            (None, requested) => Ok(requested.unwrap_or(usual).into()),
            (Some(_), None | Some(Scale::None)) => Ok(ScalingKind::None),
            (Some(why), Some(_)) => Err(Error::parameter("--scale", why)),
        }
    }

    /// Refuses columns that the kernel cannot take.
    pub fn check(&self, features: &Table) -> Result<()> {
        let (rows, columns) = (features.n_rows(), features.n_columns());
        match self {
            InputKind::Strings if columns != 1 => {
                let names: Vec<String> = (0..columns).map(|i| features.name(i)).collect();
                let message = format!(
                    "a string kernel takes a single column: choose one of {} with --columns, or use one kernel \
                     per column, as in column(a: spectrum) + column(b: spectrum)",
                    crate::describe::listed(&names)
                );
                Err(super::about(features, message))
            }
            InputKind::Precomputed if rows != columns => {
                let message = format!(
                    "a kernel matrix must be square, but this one has {rows} rows and {columns} columns"
                );
                Err(super::about(features, message))
            }
            _ => Ok(()),
        }
    }
}
