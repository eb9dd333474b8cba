//! A kernel model taken apart: each of its functions is f(x) = Σ_i c_i k(x_i, x) + b, a sum over training samples.
//!
//! Of a kernel that counts substrings, the same function is Σ_s w_s φ_s(x) + b with w_s = Σ_i c_i φ_s(x_i).

use super::kernel_ridge::KernelRidge;
use super::svm::Svm;
use crate::context::Context;
use crate::error::{Error, Param, Result};
use crate::gram;
use crate::kernel::{KernelSpec, SpecKernel, StringMap};
use crate::linalg::view::Mat;
use crate::points::{AnySamples, Points, Samples, with_samples};
use crate::real::Real;

/// The functions of a model as sums over training samples.
pub struct Terms {
    kernel: KernelSpec,
    anchors: AnySamples,
    /// The row of the training set of each anchor.
    pub rows: Vec<usize>,
    /// anchors × functions: of a regression one for each target, of classes by kernel ridge one for each class, or a single one for
    /// the second of two, of a support vector machine one for each pair of classes, as in its decisions.
    pub coef: Mat<f64>,
}

impl Terms {
    /// Those of a kernel ridge regression; none if its kernel was precomputed.
    pub fn of_ridge(model: &KernelRidge) -> Option<Self> {
        let anchors = model.anchors.clone()?;
        let (kernel, coef) = (model.params.kernel.clone(), model.coef.clone());
        Some(Self { kernel, anchors, rows: (0..coef.rows()).collect(), coef })
    }

    /// Those of a support vector machine; none if its kernel was precomputed, or if it has cells.
    pub fn of_svm(model: &Svm) -> Option<Self> {
        let anchors = model.anchors.clone().filter(|_| model.cells.is_none())?;
        let kernel = model.params.kernel.clone();
        if let Some(state) = &model.landmarks {
            // Kernel values relative to a point are no terms of the kernel itself.
            if state.landmarks.point.is_some() {
                return None;
            }
            let (m, problems) = (model.coef.cols(), model.coef.rows());
            let coef = Mat::from_fn(m, problems, |i, p| model.coef[(p, i)]);
            return Some(Self { kernel, anchors, rows: (0..m).collect(), coef });
        }
        Some(Self { kernel, anchors, rows: model.support.clone(), coef: pair_coef(model) })
    }

    /// The terms c_i k(x_i, x) of function `which` for each sample of `x`: samples × anchors.
    pub fn of_samples(&self, ctx: &Context, x: &AnySamples, which: usize) -> Result<Mat<f64>> {
        with_samples!(&self.anchors, anchors => self.values(ctx, anchors, &x.to_type()?, which))
    }

    fn values<T: Real>(
        &self,
        ctx: &Context,
        anchors: &Samples<T>,
        x: &Samples<T>,
        which: usize,
    ) -> Result<Mat<f64>> {
        x.check_like(anchors)?;
        let kernel = SpecKernel::<T>::new(&self.kernel)?;
        let mut values = Mat::<T>::try_zeros(x.len(), anchors.len())?;
        gram::matrix(ctx, &kernel, x, Some(anchors), values.view_mut())?;
        let term = |i: usize, j: usize| self.coef[(j, which)] * values[(i, j)].to_f64();
        Ok(Mat::from_fn(x.len(), anchors.len(), term))
    }

    /// The substrings of the training samples, and the weight of each in every function (substrings × functions). An error for a kernel
    /// that has no feature for each substring, or more than `most` of them.
    pub fn substring_weights(&self, most: usize) -> Result<(Vec<String>, Mat<f64>)> {
        with_samples!(&self.anchors, anchors => self.weights(anchors, most))
    }

    fn weights<T: Real>(
        &self,
        anchors: &Samples<T>,
        most: usize,
    ) -> Result<(Vec<String>, Mat<f64>)> {
        let refuse = |message: String| Err(Error::parameter(Param::Kernel, message));
        let Samples::Strings(texts) = anchors else {
            return refuse(format!("{} is not a kernel on strings", self.kernel));
        };
        let map = StringMap::new(&self.kernel, texts)?;
        let dimension = map.dimension()?;
        if dimension > most {
            return refuse(format!("there are {dimension} substrings, more than {most}"));
        }
        let mut weights = Mat::<f64>::try_zeros(dimension, self.coef.cols())?;
        let features = map.apply::<f64>(texts)?;
        for (i, (places, values)) in features.all().iter().enumerate() {
            for (&place, &value) in places.iter().zip(values) {
                for which in 0..self.coef.cols() {
                    weights[(place as usize, which)] += self.coef[(i, which)] * value;
                }
            }
        }
        Ok((map.names()?, weights))
    }
}

/// The coefficients of each problem of a support vector machine: support × problems.
fn pair_coef(model: &Svm) -> Mat<f64> {
    let (support, classes) = (model.support.len(), model.classes.as_ref().map_or(0, Vec::len));
    if classes <= 2 {
        return Mat::from_fn(support, 1, |s, _| model.coef[(0, s)]);
    }
    let of_class: Vec<usize> =
        (0..classes).flat_map(|class| std::iter::repeat_n(class, model.counts[class])).collect();
    let pairs: Vec<(usize, usize)> =
        (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b))).collect();
    let value = |s: usize, p: usize| match pairs[p] {
        // Row r of a class belongs to the r-th of the other classes.
        (a, b) if of_class[s] == a => model.coef[(b - 1, s)],
        (a, b) if of_class[s] == b => model.coef[(a, s)],
        _ => 0.0,
    };
    Mat::from_fn(support, pairs.len(), value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::svm::{SvmParams, Task};
    use crate::model::targets::Targets;
    use crate::points::Strings;

    const WORDS: [&str; 9] =
        ["abab", "baba", "abba", "cdcd", "dcdc", "cddc", "xyxy", "yxyx", "xyyx"];

    fn machine(classes: usize) -> (Svm, Strings) {
        let words = Strings::new(WORDS[..3 * classes].iter()).unwrap();
        let labels: Vec<String> = (0..3 * classes).map(|i| format!("c{}", i / 3)).collect();
        let params = SvmParams::new(Task::CSvc, "spectrum(p=2)".parse().unwrap());
        let targets = Targets::classes(&labels);
        let machine = Svm::fit(&Context::default(), &params, &words, &targets, None).unwrap();
        (machine, words)
    }

    #[test]
    fn terms_and_weights_of_substrings_add_up_to_decisions() {
        for classes in [2, 3] {
            let (model, words) = machine(classes);
            let terms = Terms::of_svm(&model).unwrap();
            let ctx = Context::default();
            let decisions = model.decisions(&ctx, &words).unwrap();
            let (names, weights) = terms.substring_weights(100).unwrap();
            assert_eq!((names.len(), weights.cols()), (weights.rows(), decisions.cols()));
            for which in 0..decisions.cols() {
                let values = terms.of_samples(&ctx, &(&words).into(), which).unwrap();
                for i in 0..words.n() {
                    let sum: f64 = values.row(i).iter().sum::<f64>() + model.offset[which];
                    assert!((sum - decisions[(i, which)]).abs() < 1e-9, "{which} {i}: {sum}");
                    let count = |name: &str| {
                        WORDS[i].as_bytes().windows(2).filter(|at| *at == name.as_bytes()).count()
                    };
                    let sum: f64 = names
                        .iter()
                        .enumerate()
                        .map(|(s, name)| weights[(s, which)] * count(name) as f64)
                        .sum::<f64>()
                        + model.offset[which];
                    assert!((sum - decisions[(i, which)]).abs() < 1e-9, "{which} {i}: {sum}");
                }
            }
            assert!(terms.substring_weights(1).is_err());
        }
    }
}
