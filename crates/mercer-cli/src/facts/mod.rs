//! What there is to say about a fitted model, for people and for machines.

use mercer::io::{Model, ModelFile};
use mercer::model::{Report, ScalingKind};
use serde::{Serialize, Serializer};

use crate::data::{Places, kernel_of};
use crate::machine::Machine;

mod clusters;
mod components;
mod detector;
mod regression;
mod repair;
mod svm;
mod words;

pub use clusters::{ClusterFacts, note_clusters};
pub use components::InverseFacts;
pub use detector::DetectorFacts;
pub use regression::{RegressionFacts, note_scores};
pub use repair::RepairFacts;
pub use svm::{FitNotes, SearchNotes, SvmFacts, machine_in_words, note_fit};
pub use words::{counted, kernel_in_short};

/// The key of [`Places`] among the notes of a model file.
const NOTES: &str = "table";

/// A model in numbers and words. Every key is always there; what does not apply is null.
#[derive(Debug, Clone, Serialize)]
pub struct Facts {
    /// `pca`, `kernel_pca`, `kernel_ridge`, `svm`, `kernel_kmeans`, `kernel_pca_detector` or `kernel_repair`.
    pub estimator: &'static str,
    /// Rows it was fitted on.
    pub rows: usize,
    /// Columns it was fitted on.
    pub columns: usize,
    /// Their names, if the table had any.
    pub column_names: Option<Vec<String>>,
    /// The column that was carried along.
    pub label: Option<String>,
    /// Columns that the kernel does not name, so that nothing was learned from them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// What was done to every column.
    pub scaling: ScalingKind,
    /// Whether columns were moved too, and not only stretched.
    #[serde(skip)]
    pub shifted: bool,
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
    /// What clusters are known by; none for other models.
    pub clustering: Option<ClusterFacts>,
    /// What outliers are known by; none for other models.
    pub detector: Option<DetectorFacts>,
    /// What a repair of kernel values does; none for other models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairFacts>,
    /// The number type of results.
    pub dtype: &'static str,
    /// How the fit went.
    pub report: Report,
}

impl Facts {
    /// What `saved` says of itself.
    pub fn of(saved: &ModelFile) -> Self {
        let facts = match &saved.model {
            Model::Pca(model) => components::of_pca(model),
            Model::KernelPca32(model) => components::of_kernel_pca(model),
            Model::KernelPca64(model) => components::of_kernel_pca(model),
            Model::KernelRidge32(model) => regression::of_kernel_ridge(model, saved),
            Model::KernelRidge64(model) => regression::of_kernel_ridge(model, saved),
            Model::Svm32(_) | Model::Svm64(_) => {
                let machine = Machine::of(&saved.model).expect("these are machines");
                svm::of_machine(&machine, saved)
            }
            Model::KernelKMeans32(model) => clusters::of_clusters(model, saved),
            Model::KernelKMeans64(model) => clusters::of_clusters(model, saved),
            Model::Detector32(model) => detector::of_detector(model),
            Model::Detector64(model) => detector::of_detector(model),
            Model::Repair(model) => repair::of_repair(model),
        };
        let places = places(saved).unwrap_or_default();
        Self {
            estimator: saved.model.estimator(),
            columns: saved.model.inputs(),
            column_names: saved.feature_names.clone(),
            label: places.label,
            left_out: places.left_out,
            scaling: saved.scaling.as_ref().map_or(ScalingKind::None, |scaling| scaling.kind),
            shifted: saved
                .scaling
                .as_ref()
                .is_some_and(|scaling| scaling.shift.iter().any(|s| *s != 0.0)),
            kernel: kernel_of(&saved.model).map(|kernel| kernel.to_string()),
            dtype: saved.dtype.name(),
            ..facts
        }
    }

    /// The kind of model in words.
    pub fn method(&self) -> &'static str {
        match self {
            Facts { regression: Some(regression), .. } => regression.method(),
            Facts { svm: Some(svm), .. } => svm.method(),
            Facts { clustering: Some(_), .. } => "kernel k-means",
            Facts { detector: Some(_), .. } => "kernel PCA detector",
            Facts { repair: Some(_), .. } => "repair of kernel values",
            Facts { kernel: Some(_), .. } => "kernel PCA",
            _ => "PCA",
        }
    }

    /// The names of the columns that it predicts, and of the classes in them if it tells classes
    /// apart; none for a model that has components only.
    pub fn predicts(&self) -> Option<(&[String], Option<&[String]>)> {
        match (&self.regression, &self.svm) {
            (Some(r), _) => Some((&r.targets, r.classes.as_deref())),
            (_, Some(svm)) => Some((&svm.targets, svm.classes.as_deref())),
            (None, None) => self.finds().map(|_| (&[][..], None)),
        }
    }

    /// What it tells of rows if it learned without a target.
    pub fn finds(&self) -> Option<&'static str> {
        match (&self.svm, &self.clustering, &self.detector) {
            (Some(svm), _, _) => svm.targets.is_empty().then_some("inside or outside"),
            (_, Some(_), _) => Some("clusters"),
            (_, _, Some(_)) => Some("outliers"),
            (None, None, None) => None,
        }
    }

    /// `150 rows × 4 columns`, and how they were scaled.
    pub fn extent(&self) -> String {
        let scaling = match self.scaling {
            ScalingKind::None => "",
            ScalingKind::Standard if self.shifted => ", scaled to mean 0 and variance 1",
            ScalingKind::Standard => ", scaled to variance 1",
            ScalingKind::Minmax if self.shifted => ", scaled to lie between 0 and 1",
            ScalingKind::Minmax => ", scaled to size 1",
        };
        let (rows, columns) = (counted(self.rows, "row"), counted(self.columns, "column"));
        format!("{rows} × {columns}{scaling}")
    }
}

fn bare(rows: usize, report: &Report) -> Facts {
    Facts {
        estimator: "",
        rows,
        columns: 0,
        column_names: None,
        label: None,
        left_out: Vec::new(),
        scaling: ScalingKind::None,
        shifted: false,
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
        clustering: None,
        detector: None,
        repair: None,
        dtype: "",
        report: report.clone(),
    }
}

/// No model that has components has none, so that an empty list is one that does not apply.
fn null_if_empty<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    Some(values).filter(|values| !values.is_empty()).serialize(serializer)
}

/// The names of what a model predicts. A model that was not made by this command knows none.
fn target_names(saved: &ModelFile, outputs: usize) -> Vec<String> {
    let noted = places(saved).map(|places| places.targets).unwrap_or_default();
    match outputs {
        _ if noted.len() == outputs => noted.into_iter().map(|target| target.name).collect(),
        1 => vec!["prediction".into()],
        _ => (1..=outputs).map(|index| format!("prediction_{index}")).collect(),
    }
}

/// Where the columns of a model lay in its table; none for a model that was not made by this
/// command.
pub fn places(saved: &ModelFile) -> Option<Places> {
    let places: Places = serde_json::from_value(saved.extra.get(NOTES)?.clone()).ok()?;
    places.is_sound().then_some(places)
}

/// Notes down in `saved` where its columns lay.
pub fn note_places(saved: &mut ModelFile, places: &Places) {
    let value = serde_json::to_value(places).expect("counts and names have a JSON form");
    saved.extra.insert(NOTES.into(), value);
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
