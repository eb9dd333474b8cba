//! Files of every format are read for ever. `cargo run -p mercer --example golden` writes those of a new format.

use std::path::Path;

use mercer::Dtype;
use mercer::io::{ModelFile, load};
use mercer::model::svm::{Curve, Stop, Task};

use crate::results::results;
use crate::samples::training;

/// What a golden file says of the new samples.
struct Golden {
    file: &'static str,
    scores: &'static [f64],
    back: Option<&'static [f64]>,
    /// Processors differ in whether they round products and sums together: the last digits may too.
    tolerance: f64,
}

const V1: [Golden; 10] = [
    Golden {
        file: "v1-pca.mercer",
        scores: &[
            0.6675484406616106,
            -0.5404978650550943,
            0.5744709844784025,
            1.9782763536944625,
            -0.8212272595350213,
            -1.035940471640852,
        ],
        back: Some(&[
            0.34165114883782627,
            -0.9147550817044594,
            1.5894205619846704,
            0.5081972676135884,
            -1.3220414020246323,
            0.22360679774997888,
        ]),
        tolerance: 1e-12,
    },
    Golden {
        file: "v1-kpca-f64.mercer",
        scores: &[
            -1.6627598712533205,
            -0.21327520365556174,
            0.9158296225550687,
            -2.798233877475049,
            0.6022857737461764,
            -0.9241580906955233,
            2.220272728211641,
            0.6172912595180611,
            1.2584608435240758,
        ],
        back: Some(&[
            0.45478523880424576,
            0.08799213756906848,
            1.2742151879093233,
            0.3099594990195679,
            -1.085195758157616,
            0.7257179044642755,
        ]),
        tolerance: 1e-12,
    },
    Golden {
        file: "v1-kpca-f32.mercer",
        scores: &[
            0.6250316500663757,
            0.27169737219810486,
            0.48159530758857727,
            0.2165164053440094,
            0.5133136510848999,
            -0.317014217376709,
        ],
        back: None,
        tolerance: 1e-5,
    },
    Golden {
        file: "v1-krr.mercer",
        scores: &[
            0.10327544465343103,
            -1.1582909054072084,
            0.5445492638906324,
            -1.2475947805374645,
            -0.6567833377904879,
            -1.5042677169460505,
        ],
        back: None,
        tolerance: 1e-12,
    },
    Golden {
        file: "v1-svm.mercer",
        scores: &[
            0.07808319082869575,
            0.0984654073706003,
            0.5959224264960794,
            0.18896167170658096,
            -0.022613525439239723,
            0.5845458273475306,
            0.5578604071999831,
            -0.1333584148293282,
            0.4596407184410085,
        ],
        back: None,
        tolerance: 1e-12,
    },
    Golden {
        file: "v1-kmeans.mercer",
        scores: &[
            0.7500386058769808,
            0.24874148559292353,
            0.17693179124412273,
            0.9957731984145037,
            1.3088184948460508,
            0.31226339844414086,
            0.32564757351368545,
            0.5481556980951834,
            1.1779427601805983,
        ],
        back: None,
        tolerance: 1e-12,
    },
    Golden {
        file: "v1-detector.mercer",
        scores: &[0.6930821087802929, 2.4077282591915576, 0.19325838715315666],
        back: None,
        tolerance: 1e-12,
    },
    Golden {
        file: "v1-repair.mercer",
        scores: &[
            -0.556195426770591,
            0.26698218767838655,
            0.41223510287312326,
            0.4153405999435733,
            -0.10240074591418624,
            -0.7504991588219634,
            -1.352536481847905,
            -1.3002487983185231,
            -0.846809587523069,
            -0.310706631532732,
            0.40108556303981036,
            0.7382551347292072,
            0.6262112008886415,
            0.04428941648212631,
            1.0464112773005803,
            2.0151518636805887,
        ],
        back: None,
        tolerance: 1e-12,
    },
    Golden {
        file: "v1-kmeans-far.mercer",
        scores: &[
            68230838.08409289,
            65051722.44140627,
            69976989.18446183,
            68157182.46885851,
            64978981.75000003,
            69901137.69487847,
            68227386.12055121,
            65047957.00390625,
            69972853.9657118,
        ],
        back: None,
        tolerance: 1e-6,
    },
    Golden {
        file: "v1-svm-cells.mercer",
        scores: &[0.03288068794447655, -0.0223284380685168, -0.7560280876892221],
        back: None,
        tolerance: 1e-12,
    },
];

fn read(file: &str) -> ModelFile {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file)).unwrap()
}

fn close(found: &[f64], expected: &[f64], tolerance: f64) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance)
}

#[test]
fn format_1_projects_as_it_did() {
    for golden in V1 {
        let (scores, back) = results(&read(golden.file));
        assert!(close(&scores, golden.scores, golden.tolerance), "{}: {scores:?}", golden.file);
        match (back, golden.back) {
            (None, None) => {}
            (Some(back), Some(expected)) => {
                assert!(close(&back, expected, golden.tolerance), "{}: {back:?}", golden.file);
            }
            _ => panic!("{}: the inverse map appeared or disappeared", golden.file),
        }
    }
}

#[test]
fn format_1_tells_all_that_it_did() {
    let saved = read("v1-pca.mercer");
    assert_eq!(saved.feature_names.unwrap(), ["width", "größe"]);
    assert_eq!((saved.dtype, saved.extra["golden"].as_u64()), (Dtype::F32, Some(1)));
    let mercer::io::Model::KernelPca(model) = read("v1-kpca-f64.mercer").model else {
        panic!("another kind")
    };
    let anchors = model.anchors.unwrap().to_type::<f64>().unwrap();
    assert_eq!(anchors.dense().unwrap().data(), training());
    assert_eq!(model.inverse.unwrap().params.kernel.to_string(), "rbf(sigma=2)");
    assert_eq!(model.report.solver, "full");
    assert_eq!(read("v1-kpca-f32.mercer").dtype, Dtype::F32);
}

#[test]
fn format_1_tells_all_of_a_repair_and_of_a_point() {
    let mercer::io::Model::Repair(model) = read("v1-repair.mercer").model else {
        panic!("another kind")
    };
    assert_eq!((model.correction.method.name(), model.correction.samples), ("flip", 7));
    assert!(model.report.converged && model.change > 1.0, "{}", model.change);
    let mercer::io::Model::KernelKMeans(model) = read("v1-kmeans-far.mercer").model else {
        panic!("another kind")
    };
    assert_eq!(model.point.map(|point| point.len()), Some(2));
}

#[test]
fn format_1_tells_all_of_a_machine() {
    let mercer::io::Model::Svm(model) = read("v1-svm.mercer").model else { panic!("another kind") };
    assert_eq!((model.params.task, model.params.c), (Task::CSvc, 2.0));
    assert_eq!(model.params.kernel.to_string(), "rbf(gamma=0.5)");
    assert_eq!((&model.support[..], &model.counts[..]), (&[0, 3, 1, 5, 6][..], &[2, 1, 2][..]));
    assert_eq!(model.classes.unwrap(), ["1", "2", "größe"]);
    assert_eq!(model.class_weights.unwrap(), [1.0, 2.0, 0.5]);
    let calibration = model.calibration.unwrap();
    let steps = Curve::Steps { at: vec![-1.0, 0.0, 0.5], value: vec![0.125, 0.5, 0.75] };
    assert_eq!((calibration.folds, &calibration.curves[1]), (5, &steps));
    let problem = &model.report.machine.unwrap().problems[1];
    assert_eq!(
        (problem.iterations, problem.gap, problem.stop),
        (11, Some(0.001), Stop::Iterations)
    );
    assert_eq!((problem.certificate(), problem.rounding), (None, None));
}
