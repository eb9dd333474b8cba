//! Writes the golden model files of the current format, which tests read for ever, and prints what the models say of
//! the new samples, for the table in `tests/model_files/golden.rs`.
//!
//! Run it when the format's version rises: `cargo run -p mercer --example golden`. Files that exist are left alone,
//! because a golden file that could be rewritten would prove nothing.

#[path = "../tests/model_files/results.rs"]
mod results;
#[path = "../tests/model_files/samples.rs"]
mod samples;

use std::path::Path;

use mercer::Dtype;
use mercer::Targets;
use mercer::io::model_file::FORMAT;
use mercer::io::{Model, ModelFile, load, save};
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::detector::{Detector, DetectorParams};
use mercer::model::inverse::InverseParams;
use mercer::model::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::pca::{Pca, PcaParams};
use mercer::model::svm::{
    Calibration, Curve, ProblemReport, Stop, Svm, SvmParams, SvmReport, Task,
};
use mercer::model::validity::Repair;
use mercer::model::{Components, Prepared, Report, Scaling, ScalingKind};
use mercer::points::Points;
use mercer::{Context, Dense, Result};
use samples::{D, N, training};

fn main() -> Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let models = [
        ("pca", pca()?),
        ("kpca-f64", double()?),
        ("kpca-f32", single()?),
        ("krr", ridge()?),
        ("svm", machine()?),
        ("kmeans", clusters()?),
        ("detector", detector()?),
        ("repair", repair()?),
        ("kmeans-far", far_clusters()?),
    ];
    for (name, saved) in models {
        let path = folder.join(format!("v{FORMAT}-{name}.mercer"));
        if !path.exists() {
            save(&path, &saved)?;
        }
        let (scores, back) = results::results(&load(&path)?);
        println!("{}\n  scores {scores:?}\n  back {back:?}", path.display());
    }
    Ok(())
}

/// PCA with scaling and names, in the notes of which nothing depends on the clock.
fn pca() -> Result<ModelFile> {
    let mut data = training();
    let scaling = Scaling::learn(ScalingKind::Standard, &data, D);
    scaling.apply(&mut data, D)?;
    let params = PcaParams::default().whiten(true);
    let mut model = Pca::fit(&Context::new(1), &params, MatRef::new(&data, N, D, D))?;
    model.report.seconds = 0.0;
    let mut saved = ModelFile::new(Model::Pca(model), Dtype::F32);
    saved.scaling = Some(scaling);
    saved.feature_names = Some(vec!["width".into(), "größe".into()]);
    saved.extra.insert("golden".into(), FORMAT.into());
    Ok(saved)
}

/// Kernel PCA in double precision with a map back.
fn double() -> Result<ModelFile> {
    let kernel = "0.5*rbf(gamma=scale) + poly(degree=2, coef0=1)".parse()?;
    let inverse =
        InverseParams { kernel: "rbf(sigma=2)".parse()?, alpha: Some(0.125), center: true };
    let components = Components::Count(3);
    let params = KernelPcaParams::new(kernel).components(components).inverse(inverse);
    let x = Dense::from_vec(training(), N, D)?;
    let mut model = KernelPca::fit(&Context::new(1), &params, &x)?;
    model.report.seconds = 0.0;
    Ok(ModelFile::new(Model::KernelPca(model), Dtype::F64))
}

/// Kernel PCA in single precision, not centred.
fn single() -> Result<ModelFile> {
    let kernel = "laplacian(gamma=0.5)".parse()?;
    let components = Components::Count(2);
    let params = KernelPcaParams::new(kernel).components(components).center(false);
    let data = training().into_iter().map(|v| v as f32).collect();
    let mut model = KernelPca::fit(&Context::new(1), &params, &Dense::from_vec(data, N, D)?)?;
    model.report.seconds = 0.0;
    Ok(ModelFile::new(Model::KernelPca(model), Dtype::F32))
}

/// Kernel ridge regression of two targets with weights.
fn ridge() -> Result<ModelFile> {
    let kernel = "rbf(sigma=2)".parse()?;
    let params = KernelRidgeParams::new(kernel).alphas(vec![0.5, 2.0]).intercept(true);
    let x = Dense::from_vec(training(), N, D)?;
    let y = Mat::from_fn(N, 2, |i, j| x.row(i)[j] * x.row(i)[0] - 1.0);
    let weights: Vec<f64> = (0..N).map(|i| i as f64 * 0.5).collect();
    let targets = &Targets::matrix(y.clone()).with_weights(Some(weights.to_vec()));
    let mut model = KernelRidge::fit(&Context::new(1), &params, &x, targets, None)?;
    model.report.seconds = 0.0;
    Ok(ModelFile::new(Model::KernelRidge(model), Dtype::F64))
}

/// Three clusters of weighted samples.
fn clusters() -> Result<ModelFile> {
    let init = Init::Labels((0..N).map(|i| i % 3).collect());
    let params = KernelKMeansParams::new(3, "rbf(sigma=2)".parse()?).init(init);
    let weights: Vec<f64> = (0..N).map(|i| 1.0 + i as f64 * 0.5).collect();
    let x = Dense::from_vec(training(), N, D)?;
    let mut model = KernelKMeans::fit(&Context::new(1), &params, &x, Some(&weights))?;
    model.report.seconds = 0.0;
    Ok(ModelFile::new(Model::KernelKMeans(model), Dtype::F64))
}

/// A detector of unusual samples by the reconstruction error.
fn detector() -> Result<ModelFile> {
    let mut params = DetectorParams::new("rbf(sigma=2)".parse()?);
    params.pca.components = Components::Count(2);
    let mut model = Detector::fit(&Context::new(1), &params, &Dense::from_vec(training(), N, D)?)?;
    model.pca.report.seconds = 0.0;
    Ok(ModelFile::new(Model::Detector(model), Dtype::F64))
}

/// A repair of a matrix that is none of a kernel.
fn repair() -> Result<ModelFile> {
    let x = training();
    // The negative distance of samples, an indefinite similarity.
    let value =
        |i: usize, j: usize| -(x[D * i] - x[D * j]).abs() - (x[D * i + 1] - x[D * j + 1]).abs();
    let matrix = Mat::from_fn(N, N, value);
    let repaired = Repair::Flip.fit(&Context::new(1), matrix.view())?;
    Ok(ModelFile::new(Model::Repair(repaired.fitted(Dtype::F64)), Dtype::F64))
}

/// Clusters of samples far from the origin, whose centres are seen from a point.
fn far_clusters() -> Result<ModelFile> {
    let init = Init::Labels((0..N).map(|i| i % 3).collect());
    let params = KernelKMeansParams::new(3, "poly(degree=2)".parse()?).init(init);
    let far = training().into_iter().map(|v| v + 64.0).collect();
    let x = Dense::from_vec(far, N, D)?;
    let mut model = KernelKMeans::fit(&Context::new(1), &params, &x, None)?;
    model.report.seconds = 0.0;
    Ok(ModelFile::new(Model::KernelKMeans(model), Dtype::F64))
}

/// A support vector machine for three classes with a calibration. Its numbers are chosen and not fitted, so that the file holds
/// every part that a machine may have.
fn machine() -> Result<ModelFile> {
    let support = vec![0, 3, 1, 5, 6];
    let params = SvmParams::new(Task::CSvc, "rbf(gamma=0.5)".parse()?).c(2.0).max_iterations(1000);
    let steps = Curve::Steps { at: vec![-1.0, 0.0, 0.5], value: vec![0.125, 0.5, 0.75] };
    let slopes = |below, above| Curve::Slopes { below, above };
    let curves = vec![slopes(2.0, 1.5), steps, slopes(1.0, 3.0)];
    let model = Svm {
        params,
        anchors: Some(Dense::from_vec(training(), N, D)?.select(&support).into()),
        dtype: Dtype::F64,
        computed_in: Dtype::F64,
        support,
        trained_on: N,
        counts: vec![2, 1, 2],
        landmarks: None,
        cells: None,
        coef: Mat::from_fn(2, 5, |i, j| [0.5, 0.75, -1.25, 2.0, -0.5][j] * (1.0 - 1.5 * i as f64)),
        offset: vec![0.25, -0.125, 0.5],
        classes: Some(["1", "2", "größe"].map(String::from).to_vec()),
        class_weights: Some(vec![1.0, 2.0, 0.5]),
        calibration: Some(Calibration { curves, folds: 5 }),
        prepared: Prepared::default(),
        report: machine_report(),
    };
    Ok(ModelFile::new(Model::Svm(model), Dtype::F64))
}

fn machine_report() -> Report {
    let problem = |i: u64| ProblemReport {
        iterations: 10 + i,
        objective: -0.5,
        gap: Some(0.001),
        violation: 0.0009765625,
        rounding: None,
        rows: 0,
        certified_rows: 0,
        precision: String::new(),
        support: 3,
        bounded: 1,
        stop: [Stop::Converged, Stop::Iterations, Stop::Converged][i as usize],
    };
    let mut machine = SvmReport::default();
    machine.problems = (0..3).map(problem).collect();
    machine.precision = "f64".into();
    machine.columns_used = 40;
    machine.cache_hits = 30;
    let mut report = Report::default();
    report.solver = "smo".into();
    report.converged = true;
    report.machine = Some(machine);
    report
}
