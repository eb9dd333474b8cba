//! A model that another process loads gives the same bits.

use std::path::{Path, PathBuf};
use std::process::Command;

use mercer::Dtype;
use mercer::io::{Model, ModelFile, load, save};
use mercer::model::inverse::InverseParams;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::{Scaling, ScalingKind};
use mercer::real::Real;
use mercer::{Context, Dense};

use crate::results::results;
use crate::samples::{D, N, training};

/// Names the model that a second process of this test is to load.
const MODEL: &str = "MERCER_TEST_MODEL";

fn fit<T: Real>() -> KernelPca {
    let inverse = InverseParams { kernel: "rbf".parse().unwrap(), alpha: Some(0.1), center: true };
    let kernel = "rbf(sigma=median)*linear + 0.1*matern".parse().unwrap();
    let params = KernelPcaParams::new(kernel).inverse(inverse);
    let data = training().into_iter().map(T::from_f64).collect();
    KernelPca::fit(&Context::new(1), &params, &Dense::from_vec(data, N, D).unwrap()).unwrap()
}

fn bits(saved: &ModelFile) -> String {
    let (scores, back) = results(saved);
    let all = scores.into_iter().chain(back.into_iter().flatten());
    all.map(|value| format!("{:016x}", value.to_bits())).collect::<Vec<_>>().join(" ")
}

/// The bits that a second process, which runs this same test, computes with the model at `path`.
fn bits_elsewhere(path: &Path) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "--nocapture", "second_process::a_second_process_agrees"])
        .env(MODEL, path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, rest) = text.split_once("bits: ").expect("the second process prints bits");
    rest.lines().next().unwrap().to_owned()
}

#[test]
fn a_second_process_agrees() {
    if let Some(path) = std::env::var_os(MODEL) {
        println!("bits: {}", bits(&load(Path::new(&path)).unwrap()));
        return;
    }
    let models = [Model::KernelPca(fit::<f32>()), Model::KernelPca(fit::<f64>())];
    for (index, model) in models.into_iter().enumerate() {
        let mut saved = ModelFile::new(model, Dtype::F64);
        saved.scaling = Some(Scaling::learn(ScalingKind::Minmax, &training(), D));
        let name = format!("mercer-second-{}-{index}.mercer", std::process::id());
        let path: PathBuf = std::env::temp_dir().join(name);
        save(&path, &saved).unwrap();
        let elsewhere = bits_elsewhere(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(elsewhere, bits(&saved));
    }
}
