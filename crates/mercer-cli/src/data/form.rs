//! What the columns of a table are to a kernel.

use mercer::io::{Model, Table};
use mercer::kernel::Input;
use mercer::model::ScalingKind;
use mercer::{Error, KernelSpec, Result};

use crate::args::{Kernel, Scale};

/// What the columns of a table are to a kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum Form {
    /// Numbers.
    Numbers,
    /// Numbers of which none is negative.
    Histograms,
    /// One column of texts.
    Texts,
    /// Groups of columns, one group after the other.
    Groups(Vec<Group>),
    /// Kernel values with the rows that are learned from.
    Given,
}

/// The kernel of `model`; PCA has none.
pub fn kernel_of(model: &Model) -> Option<Kernel> {
    let (spec, has_samples) = match model {
        Model::Pca(_) => return None,
        Model::Repair(_) => return Some(Kernel::Precomputed),
        Model::KernelPca32(model) => (&model.params.kernel, model.anchors.is_some()),
        Model::KernelPca64(model) => (&model.params.kernel, model.anchors.is_some()),
        Model::KernelRidge32(model) => (&model.params.kernel, model.anchors.is_some()),
        Model::KernelRidge64(model) => (&model.params.kernel, model.anchors.is_some()),
        Model::Svm32(model) => (&model.params.kernel, model.anchors.is_some()),
        Model::Svm64(model) => (&model.params.kernel, model.anchors.is_some()),
        Model::KernelKMeans32(model) => (&model.params.kernel, model.anchors.is_some()),
        Model::KernelKMeans64(model) => (&model.params.kernel, model.anchors.is_some()),
        Model::Detector32(model) => (&model.pca.params.kernel, model.pca.anchors.is_some()),
        Model::Detector64(model) => (&model.pca.params.kernel, model.pca.anchors.is_some()),
    };
    Some(if has_samples { Kernel::Spec(spec.clone()) } else { Kernel::Precomputed })
}

/// Columns that a kernel names together.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Their names.
    pub names: Vec<String>,
    /// What they are; never groups themselves.
    pub form: Form,
}

impl Form {
    /// The form in which `kernel` wants a table.
    pub fn of(kernel: &Kernel) -> Self {
        match kernel {
            Kernel::Precomputed => Form::Given,
            Kernel::Spec(spec) => Form::of_spec(spec),
        }
    }

    /// The form in which all of `kernels` can take one table.
    pub fn of_all(kernels: &[Kernel]) -> Result<Self> {
        let mut forms = kernels.iter().map(Form::of);
        let first = forms.next().unwrap_or(Form::Numbers);
        forms.try_fold(first, Form::with)
    }

    /// The form in which `model` wants a table.
    pub fn of_model(model: &Model) -> Self {
        kernel_of(model).map_or(Form::Numbers, |kernel| Form::of(&kernel))
    }

    fn of_spec(spec: &KernelSpec) -> Self {
        let group = |names: &[String]| Group {
            form: Form::of_inputs(&spec.on_columns(names).unwrap_or_else(|| spec.clone())),
            names: names.to_vec(),
        };
        match spec.columns()[..] {
            [] => Form::of_inputs(spec),
            ref groups => Form::Groups(groups.iter().map(|names| group(names)).collect()),
        }
    }

    fn of_inputs(spec: &KernelSpec) -> Self {
        match spec.input() {
            Some(Input::Strings) => Form::Texts,
            _ if spec.needs_histograms() => Form::Histograms,
            _ => Form::Numbers,
        }
    }

    /// The form that is both.
    fn with(self, other: Self) -> Result<Self> {
        match (self, other) {
            (a, b) if a == b => Ok(a),
            (Form::Numbers, Form::Histograms) | (Form::Histograms, Form::Numbers) => {
                Ok(Form::Histograms)
            }
            (Form::Groups(mut all), Form::Groups(others)) => {
                for group in others {
                    match all.iter().position(|own| own.names == group.names) {
                        None => all.push(group),
                        Some(at) => all[at].form = all[at].form.clone().with(group.form)?,
                    }
                }
                Ok(Form::Groups(all))
            }
            (a, b) => {
                let message = format!(
                    "one compares {} and another {}: kernels that are compared with each other \
                     must be for the same",
                    a.words(),
                    b.words()
                );
                Err(Error::parameter("kernel", message))
            }
        }
    }

    fn words(&self) -> &'static str {
        match self {
            Form::Numbers => "numbers",
            Form::Histograms => "histograms",
            Form::Texts => "texts",
            Form::Groups(_) => "groups of columns",
            Form::Given => "nothing, for its values are given",
        }
    }

    /// The columns that the kernel names, in the order in which it wants them; none if it takes what
    /// it is given.
    pub fn named(&self) -> Option<Vec<&str>> {
        match self {
            Form::Groups(groups) => {
                Some(groups.iter().flat_map(|group| &group.names).map(String::as_str).collect())
            }
            _ => None,
        }
    }

    /// Whether texts are read, which must stay as they are written.
    pub fn has_texts(&self) -> bool {
        match self {
            Form::Texts => true,
            Form::Groups(groups) => groups.iter().any(|group| group.form.has_texts()),
            _ => false,
        }
    }

    /// The text of every row of `features`, if rows are texts.
    pub fn texts(&self, features: &Table) -> Option<Vec<String>> {
        let cells = features.columns.first().filter(|_| *self == Form::Texts)?;
        Some((0..cells.len()).map(|row| cells.text(row)).collect())
    }

    /// Whether rows are points of a space whose axes are the columns, so that they can be drawn there.
    pub fn is_space(&self) -> bool {
        matches!(self, Form::Numbers | Form::Histograms)
    }

    /// The scaling that is `asked` for, or else the `usual` one where there is something to scale.
    pub fn scaling(&self, asked: Option<Scale>, usual: Scale) -> Result<ScalingKind> {
        let fixed = match self {
            Form::Numbers | Form::Groups(_) => None,
            Form::Histograms => {
                Some("histograms have no negative numbers, and a zero must stay a zero")
            }
            Form::Texts => Some("texts have no scale"),
            Form::Given => Some("the columns hold kernel values, which are taken as they are"),
        };
        match (fixed, asked) {
            (None, asked) => Ok(asked.unwrap_or(usual).into()),
            (Some(_), None | Some(Scale::None)) => Ok(ScalingKind::None),
            (Some(why), Some(_)) => Err(Error::parameter("--scale", why)),
        }
    }

    /// Refuses columns of which the kernel can make nothing.
    pub fn check(&self, features: &Table) -> Result<()> {
        let (rows, columns) = (features.n_rows(), features.n_columns());
        match self {
            Form::Texts if columns != 1 => {
                let names: Vec<String> = (0..columns).map(|i| features.name(i)).collect();
                let message = format!(
                    "the kernel compares texts, and reads one column of them: choose one of {} with --columns, or \
                     several by a kernel for each, as in column(a: spectrum) + column(b: spectrum)",
                    crate::describe::listed(&names)
                );
                Err(super::about(features, message))
            }
            Form::Given if rows != columns => {
                let message = format!(
                    "a matrix of kernel values has a row and a column for each sample, and this one has {rows} rows and \
                     {columns} columns"
                );
                Err(super::about(features, message))
            }
            _ => Ok(()),
        }
    }
}
