//! What is refused, and in which words.

use mercer::Input;
use mercer::model::Components;
use mercer::model::kernel_pca::KernelPca;
use mercer::model::preimage::{Method, PreimageParams};
use mercer::{Context, Error};

use super::{fit, params_of, scores_of, values};
use crate::naive::{dense, normal};

#[test]
fn what_cannot_be_is_refused() {
    let ctx = Context::new(1);
    let x = dense::<f64>(&normal(15, 2, 22), 15, 2);
    let model = fit("rbf(gamma=1)", Components::Count(3), &x);
    let y = scores_of(&model, &x);
    let said = |model: &KernelPca, params: PreimageParams| {
        model.preimages(&ctx, &params, &y).unwrap_err().to_string()
    };
    let plain = PreimageParams::new(Method::Gradient);
    let with = |change: fn(&mut PreimageParams)| {
        let mut params = PreimageParams::new(Method::Gradient);
        change(&mut params);
        params
    };
    for (params, words) in [
        (with(|params| params.neighbours = 0), "neighbours: must be at least 1"),
        (with(|params| params.restarts = 0), "restarts: must be at least 1"),
        (with(|params| params.max_rounds = 0), "max_rounds: must be at least 1"),
        (with(|params| params.tolerance = 0.0), "tolerance: must be positive"),
        (with(|params| params.tolerance = -1.0), "tolerance: must be positive"),
        (with(|params| params.tolerance = f64::NAN), "tolerance: must be positive"),
        (PreimageParams::new(Method::Ridge), "inverse"),
    ] {
        assert!(said(&model, params).contains(words), "{words}: {}", said(&model, params));
    }
    for (kernel, method, words) in [
        ("laplacian(gamma=1)", Method::Gradient, ["laplacian has a kink", "neighbors"]),
        ("matern(nu=0.5)", Method::Gradient, ["matern with nu=0.5 has a kink", "neighbors"]),
        ("rbf(gamma=1) + laplacian(gamma=1)", Method::Gradient, ["laplacian has", "neighbors"]),
        ("poly(degree=2)", Method::FixedPoint, ["only with the rbf kernel", "use gradient"]),
        ("2*rbf(gamma=1)", Method::FixedPoint, ["only with the rbf kernel", "use gradient"]),
        ("laplacian(gamma=1)", Method::FixedPoint, ["only with the rbf kernel", "use neighbors"]),
    ] {
        let text = said(&fit(kernel, Components::Count(3), &x), PreimageParams::new(method));
        assert!(text.starts_with("method: ") && words.iter().all(|w| text.contains(w)), "{text}");
    }
    let narrow = dense::<f64>(&[0.0; 4], 2, 2);
    let wrong = model.preimages(&ctx, &plain, &narrow).unwrap_err();
    assert!(matches!(wrong, Error::Features { expected: 3, found: 2 }), "{wrong}");
    let wrong = model.preimage_errors(&ctx, &y, &narrow).unwrap_err();
    assert!(matches!(wrong, Error::Shape(_)), "{wrong}");
    let k = values(&"rbf(gamma=1)".parse().unwrap(), &x, &x);
    let given = params_of("rbf(gamma=1)").components(Components::Count(3));
    let given = KernelPca::fit(&ctx, &given, Input::precomputed(k.view())).unwrap();
    assert!(said(&given, plain).starts_with("kernel: the model was fitted on a precomputed"));
}
