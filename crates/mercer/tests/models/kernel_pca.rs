use mercer::Input;
use mercer::gram::{Gram, MatrixFree, Packed};
use mercer::kernel::{KernelSpec, SpecKernel};
use mercer::linalg::view::{Mat, MatRef};
use mercer::model::Components;
use mercer::model::inverse::InverseParams;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::pca::{Pca, PcaParams};
use mercer::points::Dense;
use mercer::real::Real;
use mercer::solve::eigen::Solver;
use mercer::{Context, Error};

use crate::naive::{centred, dense, difference, difference_up_to_sign, eigen, normal};

fn params(kernel: &str, components: Components) -> KernelPcaParams {
    let kernel: KernelSpec = kernel.parse().unwrap();
    KernelPcaParams::new(kernel).components(components)
}

fn transform<T: Real>(model: &KernelPca, ctx: &Context, x: &Dense<T>) -> Vec<f64> {
    let mut out = Mat::<T>::zeros(x.n(), model.k());
    model.transform_into(ctx, x, out.view_mut()).unwrap();
    out.data().iter().map(|v| v.to_f64()).collect()
}

fn kernel_matrix(kernel: &str, x: &Dense<f64>) -> Vec<Vec<f64>> {
    let spec = kernel.parse::<KernelSpec>().unwrap().resolve(x).unwrap();
    let ctx = Context::new(1);
    let lower = Packed::fill(&ctx, &SpecKernel::<f64>::new(&spec).unwrap(), x)
        .unwrap()
        .lower(&ctx)
        .unwrap();
    let n = x.n();
    (0..n).map(|i| (0..n).map(|j| lower[(i.max(j), i.min(j))]).collect()).collect()
}

/// Every figure of the worked example.
#[test]
fn worked_example() {
    let x = dense::<f64>(&[1.0, 1.0, 2.0, 4.0, -1.0, 1.0, -2.0, 4.0], 4, 2);
    let kernel = "poly(degree=2, gamma=1, coef0=1)";
    let k = kernel_matrix(kernel, &x);
    let want: [[f64; 4]; 4] =
        [[9., 49., 1., 9.], [49., 441., 9., 169.], [1., 9., 9., 49.], [9., 169., 49., 441.]];
    let want_centred: [[f64; 4]; 4] = [
        [67., -43., 59., -83.],
        [-43., 199., -83., -73.],
        [59., -83., 67., -43.],
        [-83., -73., -43., 199.],
    ];
    let bar = centred(&k);
    for i in 0..4 {
        assert!(difference(&k[i], &want[i]) < 1e-12);
        assert!(difference(&bar[i], &want_centred[i]) < 1e-12);
    }
    let ctx = Context::new(2);
    let model = KernelPca::fit(&ctx, &params(kernel, Components::Count(4)), &x).unwrap();
    assert!(difference(&model.eigenvalues, &[277.927517, 252.0, 2.072483, 0.0]) < 5e-7);
    assert!((model.trace - 532.0).abs() < 1e-10);
    let (a1, a2, a3) = (0.00621749, 0.0419568, 0.03149704);
    #[rustfmt::skip]
    let coef = [
        a1, -a3, -0.48587288, 0.0,
        a2, a3, 0.0720005, 0.0,
        -a1, -a3, 0.48587288, 0.0,
        -a2, a3, -0.0720005, 0.0,
    ];
    assert!(difference_up_to_sign(model.coef.data(), &coef, 4) < 5e-8);
    #[rustfmt::skip]
    let scores = [
        1.72801191, -7.93725393, -1.00696319, 0.0,
        11.66094908, 7.93725393, 0.14921979, 0.0,
        -1.72801191, -7.93725393, 1.00696319, 0.0,
        -11.66094908, 7.93725393, -0.14921979, 0.0,
    ];
    assert!(difference_up_to_sign(&transform(&model, &ctx, &x), &scores, 4) < 1e-8);
    assert!(difference_up_to_sign(model.training_scores().data(), &scores, 4) < 1e-8);
    assert!(
        model.report.notes.iter().any(|note| note.contains("zero variance")),
        "{:?}",
        model.report.notes
    );
}

#[test]
fn agrees_with_the_definition_for_every_kernel() {
    let (n, d, k) = (60, 3, 5);
    let x = dense::<f64>(&normal(n, d, 1), n, d);
    let new = dense::<f64>(&normal(7, d, 2), 7, d);
    let ctx = Context::new(2);
    let kernels = [
        "linear",
        "poly(degree=2)",
        "rbf(gamma=0.3)",
        "rbf(sigma=median)",
        "laplacian(gamma=0.2)",
        "matern(nu=0.5, length=2)",
        "matern(nu=1.5, length=2)",
        "matern(nu=2.5, length=2)",
        "rational_quadratic(alpha=1.5, length=1)",
        "cosine",
        "0.5*rbf(gamma=0.1) + poly(degree=2)*linear",
        "normalize(poly(degree=3))",
    ];
    for kernel in kernels {
        for center in [true, false] {
            let p = params(kernel, Components::Count(3)).center(center);
            let model = KernelPca::fit(&ctx, &p, &x).unwrap();
            let raw = kernel_matrix(kernel, &x);
            let matrix = if center { centred(&raw) } else { raw };
            let (values, vectors) = eigen(&matrix);
            let scale = values[0];
            assert!(difference(&model.eigenvalues, &values[..3]) < 1e-11 * scale, "{kernel}");
            let trace: f64 = values.iter().sum();
            assert!((model.trace - trace).abs() < 1e-11 * scale * n as f64, "{kernel}");
            let scores: Vec<f64> =
                (0..n * 3).map(|at| vectors[at % 3][at / 3] * values[at % 3].sqrt()).collect();
            let got = transform(&model, &ctx, &x);
            assert!(difference_up_to_sign(&got, &scores, 3) < 1e-8 * scale.sqrt(), "{kernel}");
            // New samples: centred with the training means, by the definition.
            let all = dense::<f64>(&[x.data(), new.data()].concat(), n + 7, d);
            let spec = model.params.kernel.to_string();
            let big = kernel_matrix(&spec, &all);
            let got = transform(&model, &ctx, &new);
            for i in 0..7 {
                for c in 0..3 {
                    let mean = |row: &[f64]| row[..n].iter().sum::<f64>() / n as f64;
                    let total: f64 = (0..n).map(|j| mean(&big[j])).sum::<f64>() / n as f64;
                    let sum: f64 = (0..n)
                        .map(|j| {
                            let raw = big[n + i][j];
                            let bar = raw - mean(&big[n + i]) - mean(&big[j]) + total;
                            model.coef[(j, c)] * if center { bar } else { raw }
                        })
                        .sum();
                    assert!((sum - got[i * 3 + c]).abs() < 1e-8 * scale.sqrt(), "{kernel}");
                }
            }
        }
    }
    assert_eq!(k, 5);
}

#[test]
fn linear_kernel_is_pca() {
    for (n, d) in [(300, 6), (40, 90)] {
        let data = normal(n, d, 3);
        let x = dense::<f64>(&data, n, d);
        let ctx = Context::new(2);
        let k = 5;
        let kernel = KernelPca::fit(&ctx, &params("linear", Components::Count(k)), &x).unwrap();
        let p = PcaParams::default().components(Components::Count(k));
        let pca = Pca::fit(&ctx, &p, MatRef::new(&data, n, d, d)).unwrap();
        let scores = pca.transform(&ctx, MatRef::new(&data, n, d, d)).unwrap();
        assert!(difference_up_to_sign(&transform(&kernel, &ctx, &x), scores.data(), k) < 1e-9);
        let ratio = difference(&kernel.explained_variance_ratio(), &pca.explained_variance_ratio());
        assert!(ratio < 1e-12);
    }
}

#[test]
fn more_components_than_features() {
    let x = dense::<f64>(&normal(100, 2, 4), 100, 2);
    let model =
        KernelPca::fit(&Context::new(2), &params("rbf(gamma=1)", Components::All), &x).unwrap();
    assert!(model.k() > 50, "{} components", model.k());
    assert!((model.explained_variance_ratio().iter().sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn precomputed_is_direct() {
    let (n, d) = (700, 4);
    let x = dense::<f64>(&normal(n, d, 5), n, d);
    let new = dense::<f64>(&normal(33, d, 6), 33, d);
    let ctx = Context::new(2);
    let p = params("rbf(gamma=0.2)", Components::Count(6));
    let direct = KernelPca::fit(&ctx, &p, &x).unwrap();
    let kernel = SpecKernel::<f64>::new(&p.kernel).unwrap();
    let mut k = Mat::zeros(n, n);
    mercer::gram::matrix(&ctx, &kernel, &x, None, k.view_mut()).unwrap();
    let mut k_new = Mat::zeros(33, n);
    mercer::gram::matrix(&ctx, &kernel, &new, Some(&x), k_new.view_mut()).unwrap();
    // Column-major, to prove that strides are honoured.
    let given = KernelPca::fit(&ctx, &p, Input::precomputed(k.view().transposed())).unwrap();
    assert!(difference(&direct.eigenvalues, &given.eigenvalues) < 1e-10);
    let scores = given.transform(&ctx, Input::precomputed(k_new.view())).unwrap();
    assert!(difference(&transform(&direct, &ctx, &new), scores.data()) < 1e-7);
    let error = given.transform(&ctx, &new).unwrap_err();
    assert!(error.to_string().contains("precomputed"), "{error}");
}

#[test]
fn tiled_equals_packed_and_threads_do_not_matter() {
    let (n, d) = (900, 5);
    let x = dense::<f64>(&normal(n, d, 7), n, d);
    let p = params("rbf(gamma=0.1) + linear", Components::Count(20));
    let packed = KernelPca::fit(&Context::new(2), &p, &x).unwrap();
    assert_eq!(packed.report.storage, "packed");
    let one = KernelPca::fit(&Context::new(1), &p, &x).unwrap();
    let three = KernelPca::fit(&Context::new(3), &p, &x).unwrap();
    let small = Context::new(2).with_budget(6 << 20);
    let tiled = KernelPca::fit(&small, &p, &x).unwrap();
    assert_eq!(tiled.report.storage, "tiled", "{}", tiled.report.reason);
    assert!(difference(&packed.eigenvalues, &tiled.eigenvalues) < 1e-11 * packed.eigenvalues[0]);
    let (a, b) = (packed.training_scores(), tiled.training_scores());
    assert!(difference(a.data(), b.data()) < 1e-6);
    for other in [&one, &three] {
        assert_eq!(packed.eigenvalues, other.eigenvalues);
        assert_eq!(packed.coef, other.coef);
        assert_eq!(packed.offset, other.offset);
    }
    let scores = transform(&packed, &Context::new(1), &x);
    assert_eq!(scores, transform(&packed, &Context::new(2), &x));
}

#[test]
fn full_and_krylov_agree() {
    let (n, d) = (400, 6);
    let x = dense::<f64>(&normal(n, d, 8), n, d);
    for k in [1, 3, 16, 17, 60] {
        let with = |solver| {
            let p = params("rbf(gamma=0.1)", Components::Count(k)).solver(solver);
            KernelPca::fit(&Context::new(2), &p, &x).unwrap()
        };
        let (full, krylov) = (with(Solver::Full), with(Solver::Krylov));
        assert_eq!(
            (full.report.solver.as_str(), krylov.report.solver.as_str()),
            ("full", "krylov")
        );
        assert!(krylov.report.converged && krylov.report.residual <= 1e-8);
        assert!(difference(&full.eigenvalues, &krylov.eigenvalues) < 1e-12 * full.eigenvalues[0]);
        let scores = difference(full.training_scores().data(), krylov.training_scores().data());
        assert!(scores < 1e-6, "k = {k}: {scores}");
    }
}

#[test]
fn rows_may_be_permuted() {
    let (n, d) = (600, 3);
    let data = normal(n, d, 9);
    let x = dense::<f64>(&data, n, d);
    let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n).collect();
    let y = mercer::points::Points::select(&x, &order);
    let ctx = Context::new(2);
    let p = params("laplacian(gamma=0.3)", Components::Count(4));
    let (a, b) = (KernelPca::fit(&ctx, &p, &x).unwrap(), KernelPca::fit(&ctx, &p, &y).unwrap());
    assert!(difference(&a.eigenvalues, &b.eigenvalues) < 1e-10 * a.eigenvalues[0]);
    assert!(difference_up_to_sign(&transform(&a, &ctx, &x), &transform(&b, &ctx, &x), 4) < 1e-6);
}

#[test]
fn single_and_mixed_precision_stay_close() {
    let (n, d) = (800, 4);
    let data = normal(n, d, 10);
    let ctx = Context::new(2);
    let p = params("rbf(gamma=0.2)", Components::Count(8));
    let double = KernelPca::fit(&ctx, &p, &dense::<f64>(&data, n, d)).unwrap();
    let single = KernelPca::fit(&ctx, &p, &dense::<f32>(&data, n, d)).unwrap();
    for (a, b) in double.eigenvalues.iter().zip(&single.eigenvalues) {
        assert!((a - b).abs() < 1e-5 * a, "{a} {b}");
    }
    assert_eq!(single.report.precision, "f32");
    assert!(single.report.converged);
}

#[test]
fn a_share_of_the_variance_takes_the_fewest_components() {
    let (n, d) = (500, 4);
    let x = dense::<f64>(&normal(n, d, 11), n, d);
    let ctx = Context::new(2);
    for share in [0.1, 0.5, 0.9, 0.999] {
        let model =
            KernelPca::fit(&ctx, &params("rbf(gamma=0.2)", Components::Share(share)), &x).unwrap();
        let ratio = model.explained_variance_ratio();
        let sum: f64 = ratio.iter().sum();
        assert!(sum >= share && sum - ratio.last().unwrap() < share, "{share}: {sum}");
    }
}

#[test]
fn reconstruction_error_is_the_distance_to_the_span() {
    let (n, d) = (80, 3);
    let x = dense::<f64>(&normal(n, d, 12), n, d);
    let ctx = Context::new(2);
    for center in [true, false] {
        let all = params("poly(degree=2)", Components::All).center(center);
        let model = KernelPca::fit(&ctx, &all, &x).unwrap();
        // With every component, the training samples are reproduced.
        let errors = model.reconstruction_error(&ctx, &x).unwrap();
        assert!(errors.iter().all(|e| *e < 1e-8), "{errors:?}");
        let few = all.components(Components::Count(2));
        let model = KernelPca::fit(&ctx, &few, &x).unwrap();
        // Over the training samples, the errors add up to what the components do not explain.
        let sum: f64 = model.reconstruction_error(&ctx, &x).unwrap().iter().sum();
        let left = model.trace - model.eigenvalues.iter().sum::<f64>();
        assert!((sum - left).abs() < 1e-9 * model.trace, "{sum} {left}");
    }
}

#[test]
fn an_indefinite_kernel_is_named() {
    let (n, d) = (120, 3);
    let x = dense::<f64>(&normal(n, d, 13), n, d);
    let ctx = Context::new(2);
    for components in [Components::All, Components::Count(3)] {
        let p = params("sigmoid(gamma=1, coef0=-1)", components);
        for solver in [Solver::Full, Solver::Krylov] {
            if solver == Solver::Krylov && components == Components::All {
                continue;
            }
            let model = KernelPca::fit(&ctx, &p.clone().solver(solver), &x).unwrap();
            let note: String = model.report.notes.iter().map(|note| note.text.as_str()).collect();
            assert!(note.contains("indefinite"), "{solver:?}: {note}");
            assert!(model.eigenvalues.iter().all(|v| *v >= 0.0));
            assert!(transform(&model, &ctx, &x).iter().all(|v| v.is_finite()));
        }
    }
    let model = KernelPca::fit(&ctx, &params("rbf(gamma=1)", Components::All), &x).unwrap();
    assert!(model.report.notes.is_empty(), "{:?}", model.report.notes);
}

#[test]
fn the_map_back_returns_to_the_samples() {
    let (n, d) = (200, 2);
    let x = dense::<f64>(&normal(n, d, 14), n, d);
    let ctx = Context::new(2);
    let inverse = InverseParams {
        kernel: "rbf(gamma=0.5)".parse().unwrap(),
        alpha: Some(1e-6),
        center: true,
    };
    let p = params("rbf(gamma=0.1)", Components::Count(6)).inverse(inverse);
    let model = KernelPca::fit(&ctx, &p, &x).unwrap();
    let scores = dense::<f64>(&transform(&model, &ctx, &x), n, 6);
    let back = model.inverse_transform(&ctx, &scores).unwrap();
    let mean_square: f64 =
        back.data().iter().zip(x.data()).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
            / (n * d) as f64;
    assert!(mean_square < 1e-3, "{mean_square}");
    let plain = KernelPca::fit(&ctx, &params("linear", Components::Count(2)), &x).unwrap();
    assert!(plain.inverse_transform(&ctx, &scores).is_err());
}

#[test]
fn the_map_back_is_the_same_where_its_square_does_not_fit() {
    let (n, d) = (600, 3);
    let x = dense::<f64>(&normal(n, d, 15), n, d);
    let kernel = "rbf(gamma=0.5)".parse().unwrap();
    let mut p = params("rbf(gamma=0.1)", Components::Count(4)).inverse(InverseParams {
        kernel,
        alpha: Some(0.1),
        center: true,
    });
    let roomy = KernelPca::fit(&Context::new(2), &p, &x).unwrap();
    let narrow = Context::new(2).with_budget(3_500_000);
    let model = KernelPca::fit(&narrow, &p, &x).unwrap();
    let (a, b) = (&roomy.inverse.unwrap().coef, &model.inverse.as_ref().unwrap().coef);
    // Components have the same signs, and residuals of 1e-8 leave this much of the coefficients.
    let worst = a.data().iter().zip(b.data()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-4, "{worst}");
    p.inverse.as_mut().unwrap().alpha = Some(0.0);
    let error = KernelPca::fit(&narrow, &p, &x).err().unwrap().to_string();
    assert!(error.contains("penalty"), "{error}");
}

#[test]
fn awkward_samples_have_documented_results() {
    let ctx = Context::new(2);
    // One row: nothing varies.
    let one = dense::<f64>(&[1.0, 2.0], 1, 2);
    let model = KernelPca::fit(&ctx, &params("rbf(gamma=1)", Components::Count(1)), &one).unwrap();
    assert_eq!(model.eigenvalues, [0.0]);
    assert_eq!(transform(&model, &ctx, &one), [0.0]);
    // All rows equal, and a constant column: the same.
    let equal = dense::<f64>(&[3.0; 40], 20, 2);
    let model = KernelPca::fit(&ctx, &params("rbf(gamma=1)", Components::All), &equal).unwrap();
    assert_eq!(model.k(), 0);
    let model = KernelPca::fit(&ctx, &params("linear", Components::Count(2)), &equal).unwrap();
    assert_eq!(transform(&model, &ctx, &equal), [0.0; 40]);
    // Duplicate rows get equal scores.
    let mut data = normal(300, 2, 15);
    data.extend_from_within(..600);
    let x = dense::<f64>(&data, 600, 2);
    let model = KernelPca::fit(&ctx, &params("rbf(gamma=1)", Components::Count(5)), &x).unwrap();
    let scores = transform(&model, &ctx, &x);
    assert!(difference(&scores[..300 * 5], &scores[300 * 5..]) < 1e-9);
}

#[test]
fn bad_requests_are_refused() {
    let ctx = Context::new(1);
    let x = dense::<f64>(&normal(10, 2, 16), 10, 2);
    let check = |components, part: &str| {
        let error =
            KernelPca::fit(&ctx, &params("linear", components), &x).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    };
    check(Components::Count(0), "at least 1");
    check(Components::Count(11), "at most 10");
    check(Components::Share(1.5), "between 0 and 1");
    let model = KernelPca::fit(&ctx, &params("linear", Components::Count(2)), &x).unwrap();
    let other = dense::<f64>(&normal(4, 3, 17), 4, 3);
    let error = model.transform(&ctx, &other).unwrap_err();
    assert!(matches!(error, Error::Features { expected: 2, found: 3 }), "{error}");
    let tight = Context::new(1).with_budget(1000);
    let error = KernelPca::fit(&tight, &params("linear", Components::Count(2)), &x).err().unwrap();
    assert!(matches!(error, Error::Memory { .. }), "{error}");
    let matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let p = params("linear", Components::Count(1));
    let error =
        KernelPca::fit(&ctx, &p, Input::precomputed(MatRef::new(&matrix, 2, 3, 3))).err().unwrap();
    assert!(error.to_string().contains("square"), "{error}");
}

#[test]
fn subsets_are_matrices_of_their_own() {
    use mercer::gram::{Operator, Tiles};
    use mercer::linalg::block::Block;
    let (n, d) = (520, 3);
    let x = dense::<f64>(&normal(n, d, 18), n, d);
    let kernel = SpecKernel::<f64>::new(&KernelSpec::rbf_gamma(0.4)).unwrap();
    let ctx = Context::new(2);
    let packed = Packed::fill(&ctx, &kernel, &x).unwrap();
    let tiled = MatrixFree::new(&kernel, x.clone());
    let which: Vec<usize> = (0..300).map(|i| (i * 11 + 5) % n).collect();
    let direct = Packed::fill(&ctx, &kernel, &mercer::points::Points::select(&x, &which)).unwrap();
    let v = Block::normal(300, 16, &mut mercer::context::Stream::new(1, "test"));
    let product = |gram: &dyn Operator| {
        let mut out = Block::zeros(300);
        gram.apply(&ctx, &v, &mut out).unwrap();
        out
    };
    let want = product(&direct);
    let near = |a: &Block, b: &Block| {
        difference(a.lanes().as_flattened(), b.lanes().as_flattened()) < 1e-11
    };
    for subset in [packed.subset(&which), tiled.subset(&which)] {
        assert!(near(&product(&*subset), &want));
        assert_eq!(subset.diag(&ctx).unwrap(), direct.diag(&ctx).unwrap());
        assert_eq!(
            subset.columns(&ctx, &[3, 299]).unwrap(),
            direct.columns(&ctx, &[3, 299]).unwrap()
        );
    }
}
