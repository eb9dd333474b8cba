//! What there is to say about a fitted model, for people and for machines.

use mercer::io::{Model, Saved};
use mercer::model::kernel_pca::KernelPca;
use mercer::model::pca::Pca;
use mercer::model::{Report, ScalingKind};
use mercer::real::Real;
use serde::{Serialize, Serializer};

use crate::data::Places;
use crate::machine::Machine;
use crate::plot::grouped;

mod regression;
mod svm;

pub use regression::{RegressionFacts, note_scores};
pub use svm::{FitNotes, SearchNotes, SvmFacts, machine_in_words, note_fit};

/// The key of [`Places`] among the notes of a model file.
const NOTES: &str = "table";

/// A model in numbers and words. Every key is always there; what does not apply is null.
#[derive(Debug, Clone, Serialize)]
pub struct Facts {
    /// `pca`, `kernel_pca`, `kernel_ridge` or `svm`.
    pub estimator: &'static str,
    /// Rows it was fitted on.
    pub rows: usize,
    /// Columns it was fitted on.
    pub columns: usize,
    /// Their names, if the table had any.
    pub column_names: Option<Vec<String>>,
    /// The column that was carried along.
    pub label: Option<String>,
    /// What was done to every column.
    pub scaling: ScalingKind,
    /// The kernel, with its widths as numbers.
    pub kernel: Option<String>,
    /// Whether rows are centred in feature space.
    pub centered: Option<bool>,
    /// Whether components have variance 1.
    pub whitened: Option<bool>,
    /// The map back from components to rows.
    pub inverse: Option<InverseFacts>,
    /// Components; none for a model that predicts.
    pub components: Option<usize>,
    /// The variance along each.
    #[serde(serialize_with = "null_if_empty")]
    pub explained_variance: Vec<f64>,
    /// Its share of all variance.
    #[serde(serialize_with = "null_if_empty")]
    pub explained_variance_ratio: Vec<f64>,
    /// All variance.
    pub total_variance: Option<f64>,
    /// What a kernel ridge regression knows; none for other models.
    pub regression: Option<RegressionFacts>,
    /// What a support vector machine knows; none for other models.
    pub svm: Option<SvmFacts>,
    /// The number type of results.
    pub dtype: &'static str,
    /// How the fit went.
    pub report: Report,
}

/// A map back from components to rows.
#[derive(Debug, Clone, Serialize)]
pub struct InverseFacts {
    /// Its kernel between components; none for PCA, whose map back is linear.
    pub kernel: Option<String>,
    /// Its ridge penalty.
    pub alpha: Option<f64>,
}

impl Facts {
    /// What `saved` says of itself.
    pub fn of(saved: &Saved) -> Self {
        let facts = match &saved.model {
            Model::Pca(model) => of_pca(model),
            Model::KernelPca32(model) => of_kernel_pca(model),
            Model::KernelPca64(model) => of_kernel_pca(model),
            Model::KernelRidge32(model) => regression::of_kernel_ridge(model, saved),
            Model::KernelRidge64(model) => regression::of_kernel_ridge(model, saved),
            Model::Svm32(_) | Model::Svm64(_) => {
                let machine = Machine::of(&saved.model).expect("these are machines");
                svm::of_machine(&machine, saved)
            }
        };
        Self {
            estimator: saved.model.estimator(),
            columns: saved.model.inputs(),
            column_names: saved.feature_names.clone(),
            label: places(saved).and_then(|places| places.label),
            scaling: saved.scaling.as_ref().map_or(ScalingKind::None, |scaling| scaling.kind),
            dtype: saved.dtype.name(),
            ..facts
        }
    }

    /// The kind of model in words.
    pub fn method(&self) -> &'static str {
        match (&self.regression, &self.svm, &self.kernel) {
            (Some(regression), _, _) => regression.method(),
            (_, Some(svm), _) => svm.method(),
            (None, None, Some(_)) => "kernel PCA",
            (None, None, None) => "PCA",
        }
    }

    /// The names of the columns that it predicts, and of the classes in them if it tells classes
    /// apart; none for a model that has components.
    pub fn predicts(&self) -> Option<(&[String], Option<&[String]>)> {
        match (&self.regression, &self.svm) {
            (Some(r), _) => Some((&r.targets, r.classes.as_deref())),
            (_, Some(svm)) => Some((&svm.targets, svm.classes.as_deref())),
            (None, None) => None,
        }
    }

    /// `150 rows × 4 columns`, and how they were scaled.
    pub fn extent(&self) -> String {
        let scaling = match self.scaling {
            ScalingKind::None => "",
            ScalingKind::Standard => ", scaled to mean 0 and variance 1",
            ScalingKind::Minmax => ", scaled to lie between 0 and 1",
        };
        let (rows, columns) = (counted(self.rows, "row"), counted(self.columns, "column"));
        format!("{rows} × {columns}{scaling}")
    }
}

/// A kernel for people: numbers of many digits, as widths from data have, are cut to six.
pub fn kernel_in_short(spec: &str) -> String {
    let mut short = String::new();
    let mut rest = spec;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let numeral = &rest[start..];
        let is_part = |c: char| c.is_ascii_digit() || c == '.';
        let end = numeral.find(|c: char| !is_part(c)).unwrap_or(numeral.len());
        short += &rest[..start];
        short += &cut_numeral(&numeral[..end]);
        rest = &numeral[end..];
    }
    short + rest
}

fn cut_numeral(numeral: &str) -> String {
    match numeral.parse::<f64>() {
        Ok(value) if numeral.len() > 8 && value > 0.0 => {
            let decimals = (5 - value.log10().floor() as i32).clamp(0, 300) as usize;
            let text = format!("{value:.decimals$}");
            match text.contains('.') {
                true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
                false => text,
            }
        }
        _ => numeral.to_string(),
    }
}

/// `1 row`, `2 rows`.
pub fn counted(count: usize, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

fn of_pca(model: &Pca) -> Facts {
    Facts {
        whitened: Some(model.params.whiten),
        inverse: Some(InverseFacts { kernel: None, alpha: None }),
        explained_variance: model.variance.clone(),
        explained_variance_ratio: model.explained_variance_ratio(),
        total_variance: Some(model.total_variance),
        components: Some(model.k()),
        ..bare(model.n, &model.report)
    }
}

fn of_kernel_pca<T: Real>(model: &KernelPca<T>) -> Facts {
    let n = model.n() as f64;
    let inverse = model.inverse.as_ref().map(|map| InverseFacts {
        kernel: Some(map.params.kernel.to_string()),
        alpha: Some(map.params.alpha),
    });
    Facts {
        kernel: Some(model.params.kernel.to_string()),
        centered: Some(model.params.center),
        inverse,
        explained_variance: model.eigenvalues.iter().map(|eta| eta / n).collect(),
        explained_variance_ratio: model.explained_variance_ratio(),
        total_variance: Some(model.trace / n),
        components: Some(model.k()),
        ..bare(model.n(), &model.report)
    }
}

fn bare(rows: usize, report: &Report) -> Facts {
    Facts {
        estimator: "",
        rows,
        columns: 0,
        column_names: None,
        label: None,
        scaling: ScalingKind::None,
        kernel: None,
        centered: None,
        whitened: None,
        inverse: None,
        components: None,
        explained_variance: Vec::new(),
        explained_variance_ratio: Vec::new(),
        total_variance: None,
        regression: None,
        svm: None,
        dtype: "",
        report: report.clone(),
    }
}

/// No model that has components has none, so that an empty list is one that does not apply.
fn null_if_empty<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    Some(values).filter(|values| !values.is_empty()).serialize(serializer)
}

/// The names of what a model predicts. A model that was not made by this command knows none.
fn target_names(saved: &Saved, outputs: usize) -> Vec<String> {
    let noted = places(saved).map(|places| places.targets).unwrap_or_default();
    match outputs {
        _ if noted.len() == outputs => noted.into_iter().map(|target| target.name).collect(),
        1 => vec!["prediction".into()],
        _ => (1..=outputs).map(|index| format!("prediction_{index}")).collect(),
    }
}

/// Where the columns of a model lay in its table; none for a model that was not made by this
/// command.
pub fn places(saved: &Saved) -> Option<Places> {
    let places: Places = serde_json::from_value(saved.extra.get(NOTES)?.clone()).ok()?;
    places.is_sound().then_some(places)
}

/// Notes down in `saved` where its columns lay.
pub fn note_places(saved: &mut Saved, places: &Places) {
    let value = serde_json::to_value(places).expect("counts and names have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_cut_and_others_stay() {
        let cases = [
            ("rbf(gamma=0.24999999999999994)", "rbf(gamma=0.25)"),
            ("0.5*rbf(sigma=2) + poly(degree=3)", "0.5*rbf(sigma=2) + poly(degree=3)"),
            ("rbf(gamma=1.2345678901e-7)", "rbf(gamma=1.23457e-7)"),
            ("rbf(sigma=1234.5678901)", "rbf(sigma=1234.57)"),
            ("rbf(sigma=0.00012345678)", "rbf(sigma=0.000123457)"),
        ];
        for (whole, short) in cases {
            assert_eq!(kernel_in_short(whole), short);
        }
    }

    #[test]
    fn positions_outside_of_the_table_are_not_believed() {
        let places = |columns: Vec<usize>, label_column| Places {
            table_columns: 3,
            columns,
            label: None,
            label_column,
            ..Places::default()
        };
        assert!(places(vec![0, 2], Some(1)).is_sound());
        assert!(!places(vec![0, 3], None).is_sound() && !places(vec![], Some(3)).is_sound());
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!(
            (counted(1, "row"), counted(1200, "row")),
            ("1 row".into(), "1,200 rows".into())
        );
    }
}
