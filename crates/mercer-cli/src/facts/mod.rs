//! Description of a fitted model, for the summary and for JSON.

use mercer::io::{Model, ModelFile};
use mercer::model::{Report, ScalingKind};
use serde::{Serialize, Serializer};

use crate::data::{Places, kernel_of};
use mercer::io::encoding::Encoding;

mod clusters;
mod components;
mod detector;
mod features;
mod format;
mod held_out;
mod intervals;
mod nested;
mod regression;
mod repair;
mod svm;

pub use clusters::{ClusterChoice, ClusterFacts, note_clusters};
pub use components::InverseFacts;
pub use detector::DetectorFacts;
pub use features::FeatureFacts;
pub use format::{counted, kernel_in_short};
pub use held_out::{CALIBRATION_BINS, HeldOut, note_held_out, places as class_places};
pub use intervals::{Residuals, margin, margins, note_margins, note_residuals, residuals};
pub use nested::{Nested, note_nested};
pub use regression::{RegressionFacts, note_scores};
pub use repair::RepairFacts;
pub use svm::{FitNotes, SearchNotes, SvmFacts, note_fit, svm_method};

/// The key of [`Places`] among the notes of a model file.
const NOTES: &str = "table";

/// Takes out what was noted of the rows of a fit that more rows were added to since.
pub fn forget_rows(saved: &mut ModelFile) {
    for key in
        [held_out::NOTES, intervals::NOTES, intervals::MARGINS, nested::NOTES, regression::NOTES]
    {
        saved.extra.remove(key);
    }
}

/// Description of a model. Every key is always present; null where it does not apply.
#[derive(Debug, Clone, Serialize)]
pub struct Facts {
    /// `pca`, `kernel_pca`, `kernel_ridge`, `svm`, `kernel_kmeans`, `kernel_pca_detector` or `kernel_repair`.
    pub estimator: &'static str,
    /// Rows it was fitted on; 0 where the file does not say, as in LIBSVM models.
    #[serde(serialize_with = "null_if_zero")]
    pub rows: usize,
    /// Columns it was fitted on.
    pub columns: usize,
    /// Their names, if the table had any.
    pub column_names: Option<Vec<String>>,
    /// The label column, or several, separated by commas.
    pub label: Option<String>,
    /// Columns that the kernel does not name, not used in the fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// How columns became numbers, if any did not hold complete numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// Rows of the table that were left out because a value was missing.
    #[serde(skip_serializing_if = "is_zero")]
    pub dropped_rows: usize,
    /// Scores on rows that the model was not fitted on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test: Option<HeldOut>,
    /// The score of the whole search by nested cross-validation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<Nested>,
    /// The scaling of the columns.
    pub scaling: ScalingKind,
    /// Whether columns were shifted, not only scaled.
    #[serde(skip)]
    pub shifted: bool,
    /// The kernel, with its widths as numbers.
    pub kernel: Option<String>,
    /// Whether rows are centred in feature space.
    pub centered: Option<bool>,
    /// Whether components have variance 1.
    pub whitened: Option<bool>,
    /// Whether components are Nyström features.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub nystroem: bool,
    /// The inverse map from components to rows.
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
    /// Of a kernel ridge regression; none for other models.
    pub regression: Option<RegressionFacts>,
    /// Of a support vector machine; none for other models.
    pub svm: Option<SvmFacts>,
    /// Of a clustering; none for other models.
    pub clustering: Option<ClusterFacts>,
    /// Of an outlier detector; none for other models.
    pub detector: Option<DetectorFacts>,
    /// Of a kernel matrix repair; none for other models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<RepairFacts>,
    /// Of a fitted feature map; none for other models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub features: Option<FeatureFacts>,
    /// The precision of the results.
    pub dtype: &'static str,
    /// How the fit went; null where the file does not say.
    #[serde(serialize_with = "null_if_unknown")]
    pub report: Report,
}

impl Facts {
    /// The description of `saved`.
    pub fn of(saved: &ModelFile) -> Self {
        let facts = match &saved.model {
            Model::Pca(model) => components::of_pca(model),
            Model::KernelPca(model) => components::of_kernel_pca(model),
            Model::KernelRidge(model) => regression::of_kernel_ridge(model, saved),
            Model::Svm(model) => svm::of_machine(model, saved),
            Model::KernelKMeans(model) => clusters::of_clusters(model, saved),
            Model::Detector(model) => detector::of_detector(model),
            Model::Repair(model) => repair::of_repair(model),
            Model::KernelFeatures(model) => features::of_features(model),
        };
        let places = places(saved).unwrap_or_default();
        Self {
            estimator: saved.model.estimator(),
            columns: columns(saved),
            column_names: saved.feature_names.clone(),
            label: places.labels(),
            left_out: places.left_out,
            encoding: places.encoding.filter(is_told),
            dropped_rows: places.dropped_rows,
            test: held_out::held_out(saved),
            nested: nested::nested(saved),
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

    /// The name of the method.
    pub fn method(&self) -> &'static str {
        match self {
            Facts { regression: Some(regression), .. } => regression.method(),
            Facts { svm: Some(svm), .. } => svm.method(),
            Facts { clustering: Some(_), .. } => "kernel k-means",
            Facts { detector: Some(_), .. } => "kernel PCA outlier detector",
            Facts { repair: Some(_), .. } => "kernel matrix repair",
            Facts { features: Some(_), .. } => "kernel feature map",
            Facts { nystroem: true, .. } => "Nyström features",
            Facts { kernel: Some(_), .. } => "kernel PCA",
            _ => "PCA",
        }
    }

    /// The names of the target columns, and of the classes of a classifier; none for a model that
    /// does not predict.
    pub fn predicts(&self) -> Option<(&[String], Option<&[String]>)> {
        match (&self.regression, &self.svm) {
            (Some(r), _) => Some((&r.targets, r.classes.as_deref())),
            (_, Some(svm)) => Some((&svm.targets, svm.classes.as_deref())),
            (None, None) => self.finds().map(|_| (&[][..], None)),
        }
    }

    /// What it predicts, if it is unsupervised.
    pub fn finds(&self) -> Option<&'static str> {
        match (&self.svm, &self.clustering, &self.detector) {
            (Some(svm), _, _) => svm.targets.is_empty().then_some("one-class decisions"),
            (_, Some(_), _) => Some("clusters"),
            (_, _, Some(_)) => Some("outliers"),
            (None, None, None) => None,
        }
    }

    /// `150 rows × 4 columns`, and how they were scaled.
    pub fn extent(&self) -> String {
        let scaling = match self.scaling {
            ScalingKind::None => "",
            ScalingKind::Standard if self.shifted => ", standardised",
            ScalingKind::Standard => ", scaled to unit variance",
            ScalingKind::Minmax if self.shifted => ", scaled to [0, 1]",
            ScalingKind::Minmax => ", scaled to max |x| = 1",
        };
        let columns = counted(self.columns, "column");
        match self.rows {
            0 => columns,
            rows => format!("{} × {columns}{scaling}", counted(rows, "row")),
        }
    }
}

/// The columns of the table that a model takes. One that several groups of a kernel name counts once.
fn columns(saved: &ModelFile) -> usize {
    let names_columns = match saved.model.kernel() {
        Some((spec, _)) => !spec.columns().is_empty(),
        None => false,
    };
    match &saved.feature_names {
        Some(names) if names_columns => {
            names.iter().collect::<std::collections::BTreeSet<_>>().len()
        }
        _ => saved.model.inputs(),
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
        encoding: None,
        dropped_rows: 0,
        test: None,
        nested: None,
        scaling: ScalingKind::None,
        shifted: false,
        kernel: None,
        centered: None,
        whitened: None,
        nystroem: false,
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
        features: None,
        dtype: "",
        report: report.clone(),
    }
}

/// Whether an encoding did anything.
fn is_told(encoding: &Encoding) -> bool {
    !encoding.is_plain() || encoding.columns.iter().any(|column| column.missing > 0)
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// No model is fitted on 0 rows.
fn null_if_zero<S: Serializer>(count: &usize, serializer: S) -> Result<S::Ok, S::Error> {
    Some(*count).filter(|&count| count > 0).serialize(serializer)
}

/// Only the report of a fit that took place has a time.
fn null_if_unknown<S: Serializer>(report: &Report, serializer: S) -> Result<S::Ok, S::Error> {
    Some(report).filter(|report| !report.seconds.is_nan()).serialize(serializer)
}

/// An empty list means that it does not apply.
fn null_if_empty<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    Some(values).filter(|values| !values.is_empty()).serialize(serializer)
}

/// The target names of a model; numbered where another interface fitted it.
fn target_names(saved: &ModelFile, outputs: usize) -> Vec<String> {
    let noted = places(saved).map(|places| places.targets).unwrap_or_default();
    match outputs {
        _ if noted.len() == outputs => noted.into_iter().map(|target| target.name).collect(),
        1 => vec!["prediction".into()],
        _ => (1..=outputs).map(|index| format!("prediction_{index}")).collect(),
    }
}

/// The positions of a model's columns in its table; none where another interface fitted it.
pub fn places(saved: &ModelFile) -> Option<Places> {
    let places: Places = serde_json::from_value(saved.extra.get(NOTES)?.clone()).ok()?;
    places.is_sound().then_some(places)
}

/// Stores the column positions in `saved`.
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
