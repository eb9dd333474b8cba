//! The models of panels as files.

use mercer::io::{Model, ModelFile, to_bytes};
use mercer::model::ScalingKind;
use mercer::model::detector::Detector;
use mercer::{Components, Dtype};

use super::ridge::Pair;
use super::{clusters, svm};
use crate::explore::compute::{Task, refused};
use crate::explore::query::{Refusal, refuse};

/// The content of the model file of a method.
pub(in crate::explore) fn model(task: &Task<'_>) -> Result<Vec<u8>, Refusal> {
    let is_ridge = task.query.text("method") == Some("krr");
    let model: Model = match task.query.text("method") {
        Some("kpca") => {
            let k = task.query.count("components", 1, 60)?;
            (*task.kernel_pca(k)?).clone().into()
        }
        Some("svc") => svm::fit(task)?.into(),
        Some("kmeans") => clusters::fit(task)?.into(),
        Some("krr") => {
            let pair = Pair::of(task)?;
            let alpha = task.query.number("alpha", 1e-12, 1e8)?;
            pair.fit(task, pair.kernel(task)?, alpha)?.into()
        }
        Some("outliers") => {
            let k = task.query.count("components", 1, 60)?;
            let mut params = Detector::params(task.kernel.clone()).components(Components::Count(k));
            params.pca.landmarks = task.landmarks();
            Detector::fit(&task.context, &params, &task.rows.x).map_err(refused)?.into()
        }
        _ => return refuse("there is no such method"),
    };
    let mut file = ModelFile::new(model, Dtype::F64);
    let names = task.query.more.get("names").cloned().unwrap_or_default();
    let names: Vec<String> = serde_json::from_value(names).unwrap_or_default();
    let inputs = file.model.inputs();
    file.feature_names = (names.len() == inputs).then_some(names);
    file.scaling =
        task.rows.scaling.clone().filter(|scaling| scaling.kind != ScalingKind::None).map(
            |mut scaling| {
                if is_ridge {
                    let from = task.query.count("from", 0, scaling.shift.len() - 1).unwrap_or(0);
                    (scaling.shift, scaling.factor) =
                        (vec![scaling.shift[from]], vec![scaling.factor[from]]);
                }
                scaling
            },
        );
    to_bytes(&file).map_err(refused)
}
