//! Kernel and parameters of a model.

use mercer::Dtype;
use mercer::io::{Model, ModelFile};
use mercer::model::detector::{Detector, OutlierScore};
use mercer::model::kernel_kmeans::{Init, KernelKMeans};
use mercer::model::kernel_pca::KernelPca;
use mercer::model::kernel_ridge::KernelRidge;
use mercer::model::landmarks::{LandmarkCount, LandmarkMethod, LandmarkParams};
use mercer::model::svm::{Svm, Task};
use mercer::model::{Components, Report};
use mercer::solve::{eigen, ridge};

use super::{Setting, setting, switch};
use crate::data::kernel_of;
use crate::machine::curve_name;

/// Kernel, parameters and precision.
pub(super) fn settings(saved: &ModelFile) -> Vec<Setting> {
    let kernel = kernel_of(&saved.model).map(|kernel| setting("kernel", "kernel", kernel));
    let own = match &saved.model {
        Model::KernelRidge(model) => of_ridge(model),
        Model::Svm(model) => of_machine(model),
        Model::KernelKMeans(model) => of_clusters(model),
        Model::Detector(model) => of_detector(model),
        Model::KernelPca(model) => of_components(model),
        Model::Pca(_) | Model::Repair(_) | Model::KernelFeatures(_) => Vec::new(),
    };
    kernel.into_iter().chain(own).chain([precision(saved)]).collect()
}

fn precision(saved: &ModelFile) -> Setting {
    let work = match &saved.model {
        Model::KernelRidge(model) => model.dtype,
        Model::Svm(model) => model.dtype,
        Model::KernelKMeans(model) => model.dtype,
        Model::KernelPca(model) => model.dtype,
        Model::Detector(model) => model.pca.dtype,
        Model::Pca(_) | Model::Repair(_) | Model::KernelFeatures(_) => saved.dtype,
    };
    let name = match (work, saved.dtype) {
        (Dtype::F64, _) => "f64",
        (Dtype::F32, Dtype::F32) => "f32",
        (Dtype::F32, Dtype::F64) => "mixed",
    };
    setting("precision", "precision", name)
}

fn of_ridge(model: &KernelRidge) -> Vec<Setting> {
    let params = &model.params;
    let alphas: Vec<String> = params.alpha.iter().map(f64::to_string).collect();
    let mut alphas_once = alphas.clone();
    alphas_once.sort();
    alphas_once.dedup();
    let solver = match params.solver {
        ridge::Solver::Cholesky => "cholesky",
        ridge::Solver::Eigen => "eigen",
        ridge::Solver::Cg => "cg",
        _ => "auto",
    };
    let mut all = vec![
        setting("alpha", "alpha", alphas_once.join(",")),
        setting("solver", "solver", solver),
        setting("seed", "seed", params.seed),
    ];
    all.extend(landmarks(params.landmarks.as_ref(), &model.report));
    all.extend(params.tolerance.map(|value| setting("tolerance", "tolerance", value)));
    all.extend(switch("alpha_per_target", "alpha-per-target", alphas_once.len() > 1));
    all.extend(switch("no_intercept", "no-intercept", !params.intercept));
    let task = if model.classes.is_some() { "classification" } else { "regression" };
    all.push(setting("task", "task", task));
    all
}

fn of_machine(model: &Svm) -> Vec<Setting> {
    let params = &model.params;
    let mut all = vec![setting("tolerance", "tolerance", params.tolerance)];
    if matches!(params.task, Task::CSvc | Task::EpsilonSvr | Task::NuSvr) {
        all.push(setting("cost", "cost", params.c));
    }
    if matches!(params.task, Task::NuSvc | Task::NuSvr | Task::OneClass) {
        all.push(setting("nu", "nu", params.nu));
    }
    if params.task == Task::EpsilonSvr {
        all.push(setting("epsilon", "epsilon", params.epsilon));
    }
    // The model holds cost and tube in units of the target.
    let is_regression = matches!(params.task, Task::EpsilonSvr | Task::NuSvr);
    all.extend(switch("absolute", "absolute", is_regression));
    all.extend(switch("no_shrinking", "no-shrinking", !params.shrinking));
    all.extend(params.max_iterations.map(|count| setting("max_iter", "max-iter", count)));
    all.extend(params.max_seconds.map(|limit| setting("max_time", "max-time", limit)));
    all.extend(landmarks(params.landmarks.as_ref(), &model.report));
    all.extend(switch("polish", "polish", params.polish));
    all.extend(switch("one_vs_rest", "one-vs-rest", params.one_vs_rest));
    if let Some(cells) = &params.cells {
        all.push(setting("cells", "cells", cells.rows));
        all.push(setting("cell_overlap", "cell-overlap", cells.overlap));
    }
    let weights = model.class_weights.as_ref().filter(|all| all.iter().any(|w| *w != 1.0));
    if let (Some(classes), Some(weights)) = (&model.classes, weights) {
        let each: Vec<String> =
            classes.iter().zip(weights).map(|(name, weight)| format!("{name}={weight}")).collect();
        all.push(setting("class_weight", "class-weight", each.join(",")));
    }
    let curve = model.calibration.as_ref().map(curve_name);
    all.extend(curve.map(|curve| setting("probability", "probability", curve)));
    all
}

fn of_clusters(model: &KernelKMeans) -> Vec<Setting> {
    let params = &model.params;
    let init = match params.init {
        Init::Random => "random",
        Init::Spectral => "spectral",
        _ => "k-means++",
    };
    let mut all = vec![
        setting("count", "clusters", params.clusters),
        setting("init", "init", init),
        setting("n_init", "n-init", params.starts),
        setting("max_iter", "max-iter", params.max_rounds),
        setting("tolerance", "tolerance", params.tolerance),
        setting("seed", "seed", params.seed),
    ];
    all.extend(landmarks(params.landmarks.as_ref(), &model.report));
    all
}

fn of_detector(model: &Detector) -> Vec<Setting> {
    let score = match model.score {
        OutlierScore::Projections => "projections",
        _ => "reconstruction",
    };
    let mut all = vec![
        setting("score", "score", score),
        setting("contamination", "contamination", model.contamination),
    ];
    all.extend(components("components", model.pca.params.components));
    all.extend(landmarks(model.pca.params.landmarks.as_ref(), &model.pca.report));
    all
}

fn of_components(model: &KernelPca) -> Vec<Setting> {
    let params = &model.params;
    let solver = match params.solver {
        eigen::Solver::Full => "full",
        eigen::Solver::Krylov => "krylov",
        _ => "auto",
    };
    let mut all = vec![setting("solver", "solver", solver), setting("seed", "seed", params.seed)];
    all.extend(components("count", params.components));
    all.extend(params.tolerance.map(|value| setting("tolerance", "tolerance", value)));
    all.extend(switch("no_center", "no-center", !params.center));
    all.extend(landmarks(params.landmarks.as_ref(), &model.report));
    if let Some(inverse) = &params.inverse {
        all.extend(switch("inverse", "inverse", true));
        all.push(setting("inverse_kernel", "inverse-kernel", &inverse.kernel));
        all.extend(inverse.alpha.map(|alpha| setting("inverse_alpha", "inverse-alpha", alpha)));
    }
    all
}

/// The landmarks of a low-rank fit; samples that were given cannot be flags, but their number can.
fn landmarks(params: Option<&LandmarkParams>, report: &Report) -> Vec<Setting> {
    let Some(params) = params else { return Vec::new() };
    // A machine that was polished has no report on landmarks.
    let wanted = if let LandmarkCount::Count(count) = params.count { count } else { 0 };
    let count = report.landmarks.as_ref().map_or(wanted, |landmarks| landmarks.landmarks);
    let mut all = match params.count {
        LandmarkCount::Tolerance(share) => vec![
            setting("landmarks", "landmarks", "auto"),
            setting("landmark_tolerance", "landmark-tolerance", share),
        ],
        _ => vec![setting("landmarks", "landmarks", count)],
    };
    all.extend(switch("keep_sums", "keep-sums", params.keep_sums));
    let method = match params.method {
        LandmarkMethod::Uniform => "uniform",
        LandmarkMethod::KMeans => "kmeans",
        _ => return all,
    };
    all.push(setting("landmark_method", "landmark-method", method));
    all
}

fn components(id: &'static str, components: Components) -> Option<Setting> {
    let text = match components {
        Components::All => "all".to_string(),
        Components::Count(count) => count.to_string(),
        Components::Share(share) => share.to_string(),
        _ => return None,
    };
    Some(setting(id, "components", text))
}
