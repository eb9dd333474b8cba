//! Kernels and matrices of types that the library does not know: every model takes them.

use std::sync::Arc;

use mercer::gram::{Gram, Operator};
use mercer::kernel::{Tile, conformance};
use mercer::linalg::block::Block;
use mercer::model::Components;
use mercer::model::detector::{Detector, DetectorParams, OutlierScore};
use mercer::model::kernel_kmeans::{KernelKMeans, KernelKMeansParams};
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::svm::{Svm, SvmParams, Task};
use mercer::{
    Context, Dense, Error, Input, Items, Kernel, KernelSpec, Mat, Points, Result, Span, Targets,
};

use crate::naive::{dense, difference, normal};

/// exp(−gamma ‖x − x'‖²), by two loops.
struct Gaussian {
    gamma: f64,
}

impl Kernel<Dense<f64>, f64> for Gaussian {
    fn tile(
        &self,
        rows: Span<'_, Dense<f64>>,
        cols: Span<'_, Dense<f64>>,
        mut out: Tile<'_, f64>,
    ) -> Result<()> {
        for (i, row) in rows.range().enumerate() {
            for (j, col) in cols.range().enumerate() {
                let pairs = rows.points.row(row).iter().zip(cols.points.row(col));
                let square: f64 = pairs.map(|(a, b)| (a - b).powi(2)).sum();
                out.row(i)[j] = (-self.gamma * square).exp();
            }
        }
        Ok(())
    }
}

/// F Fᵀ for a factor F (n × r): what landmarks make of a kernel matrix. It only multiplies.
struct Factored(Mat<f64>);

impl Operator for Factored {
    fn n(&self) -> usize {
        self.0.rows()
    }

    fn apply(&self, ctx: &Context, v: &Block, out: &mut Block) -> Result<()> {
        ctx.poll()?;
        let (n, r) = (self.0.rows(), self.0.cols());
        let mut inner = vec![[0.0; 16]; r];
        for (i, lane) in v.lanes().iter().enumerate() {
            for (sums, f) in inner.iter_mut().zip(self.0.row(i)) {
                sums.iter_mut().zip(lane).for_each(|(sum, v)| *sum += f * v);
            }
        }
        for i in 0..n {
            let lane = &mut out.lanes_mut()[i];
            *lane = [0.0; 16];
            for (sums, f) in inner.iter().zip(self.0.row(i)) {
                lane.iter_mut().zip(sums).for_each(|(v, sum)| *v += f * sum);
            }
        }
        Ok(())
    }
}

impl Gram for Factored {
    fn diag(&self, _: &Context) -> Result<Vec<f64>> {
        Ok((0..self.n()).map(|i| self.0.row(i).iter().map(|f| f * f).sum()).collect())
    }
}

impl Factored {
    fn dense(&self) -> Mat<f64> {
        let dot = |i: usize, j: usize| {
            self.0.row(i).iter().zip(self.0.row(j)).map(|(a, b)| a * b).sum::<f64>()
        };
        Mat::from_fn(self.n(), self.n(), dot)
    }
}

const N: usize = 60;

/// What every model says of `new` after it was fitted on `fit`.
fn said(kernel: &KernelSpec, fit: &Input<'_>, new: &Input<'_>) -> Result<Vec<Vec<f64>>> {
    let ctx = Context::new(2);
    let mut said = Vec::new();
    let params = KernelPcaParams::new(kernel.clone()).components(Components::Count(3));
    let model = KernelPca::fit(&ctx, &params, fit)?;
    said.push(model.eigenvalues.clone());
    said.push(model.transform(&ctx, new)?.into_vec());
    let params = KernelRidgeParams::new(kernel.clone()).intercept(true).alpha(0.1);
    let y: Vec<f64> = (0..N).map(|i| (i as f64 / 7.0).sin()).collect();
    // A sample of weight 0 does not count.
    let weights = (0..N).map(|i| (i % 5) as f64).collect();
    let targets = Targets::values(&y).with_weights(Some(weights));
    said.push(KernelRidge::fit(&ctx, &params, fit, &targets, None)?.predict(&ctx, new)?.into_vec());
    let labels: Vec<&str> = y.iter().map(|y| if *y > 0.0 { "up" } else { "down" }).collect();
    let params = SvmParams::new(Task::CSvc, kernel.clone()).tolerance(1e-9);
    let machine = Svm::fit(&ctx, &params, fit, &Targets::classes(&labels), None)?;
    said.push(machine.decisions(&ctx, new)?.into_vec());
    let params = KernelKMeansParams::new(2, kernel.clone());
    let clusters = KernelKMeans::fit(&ctx, &params, fit, None)?;
    said.push(clusters.predict(&ctx, new)?.into_iter().map(|c| c as f64).collect());
    let params = DetectorParams::new(kernel.clone()).score(OutlierScore::Projections);
    said.push(Detector::fit(&ctx, &params, fit)?.scores(&ctx, new)?);
    Ok(said)
}

#[test]
fn every_model_takes_a_kernel_of_a_foreign_type() {
    let (x, new) = (dense::<f64>(&normal(N, 3, 1), N, 3), dense::<f64>(&normal(9, 3, 2), 9, 3));
    conformance::check(&Gaussian { gamma: 0.3 }, &x).unwrap();
    let own = KernelSpec::from_kernel("gaussian", Gaussian { gamma: 0.3 });
    let known: KernelSpec = "rbf(gamma=0.3)".parse().unwrap();
    let (found, want) = (
        said(&own, &(&x).into(), &(&new).into()).unwrap(),
        said(&known, &(&x).into(), &(&new).into()).unwrap(),
    );
    for (place, (found, want)) in found.iter().zip(&want).enumerate() {
        assert!(difference(found, want) < 1e-6, "{place}: {found:?} {want:?}");
    }
    // Beside a built-in kernel, and on samples that it is not for.
    let sum = own.clone() + "linear".parse().unwrap();
    let want = said(&"rbf(gamma=0.3) + linear".parse().unwrap(), &(&x).into(), &(&new).into());
    let found = said(&sum, &(&x).into(), &(&new).into()).unwrap();
    for (found, want) in found.iter().zip(&want.unwrap()) {
        assert!(difference(found, want) < 1e-6);
    }
    // A store of the caller's: a selection of its items does not lie in one piece.
    let turned: Vec<usize> = (0..N).rev().collect();
    let items = Items::in_store(Arc::new(x.clone()), N).unwrap().select(&turned);
    let stored = Items::in_store(Arc::new(new.clone()), 9).unwrap();
    let found = said(&own, &(&items).into(), &(&stored).into()).unwrap();
    let rows = x.select(&turned);
    for (found, want) in found.iter().zip(&said(&known, &(&rows).into(), &(&new).into()).unwrap()) {
        assert!(difference(found, want) < 1e-6, "{found:?} {want:?}");
    }
    let single = dense::<f32>(&normal(N, 3, 1), N, 3);
    let refused = said(&own, &single.into(), &(&new).into()).unwrap_err();
    assert!(refused.to_string().contains("gaussian: the samples are not"), "{refused}");
}

#[test]
fn every_model_takes_a_matrix_of_a_foreign_type() {
    let factor = Factored(Mat::from_vec(normal(N, 4, 5), N, 4));
    let matrix = factor.dense();
    let rows = Mat::from_fn(11, N, |i, j| matrix[(5 * i, j)]);
    let (kernel, new) = ("linear".parse().unwrap(), Input::precomputed(&rows));
    let found = said(&kernel, &Input::Gram(&factor), &new).unwrap();
    let want = said(&kernel, &Input::precomputed(&matrix), &new).unwrap();
    for (place, (found, want)) in found.iter().zip(&want).enumerate() {
        assert!(difference(found, want) < 1e-6, "{place}: {found:?} {want:?}");
    }
    let ctx = Context::new(1);
    let model = KernelPca::fit(&ctx, &KernelPcaParams::new(kernel), Input::Gram(&factor)).unwrap();
    assert_eq!(model.report.storage, "given");
    let tight = Context::new(1).with_budget(40_000);
    let params = DetectorParams::new("linear".parse().unwrap());
    let refused = Detector::fit(&tight, &params, Input::Gram(&factor)).err().unwrap();
    assert!(matches!(refused, Error::Memory { .. }), "{refused}");
    let refused = model.transform(&ctx, Input::Gram(&factor)).unwrap_err();
    assert!(matches!(refused, Error::Shape(_)), "{refused}");
}
