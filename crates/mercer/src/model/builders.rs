//! Parameters set one after the other, and fitted: `KernelPca::params(kernel).components(2).fit(&x)`.
//!
//! `fit` uses all cores and the free memory; `fit_in` a context of the caller's.

use super::components::Components;
use super::detector::{Detector, DetectorParams, OutlierScore};
use super::input::Input;
use super::inverse::InverseParams;
use super::kernel_kmeans::{Init, KernelKMeans, KernelKMeansParams};
use super::kernel_pca::{KernelPca, KernelPcaParams};
use super::kernel_ridge::{KernelRidge, KernelRidgeParams};
use super::landmarks::LandmarkParams;
use super::pca::{Decomposition, Pca, PcaParams};
use super::svm::{CellParams, Svm, SvmParams, Task};
use super::targets::Targets;
use crate::context::Context;
use crate::device::Device;
use crate::error::Result;
use crate::kernel::KernelSpec;
use crate::points::AnyMat;
use crate::solve::{eigen, ridge};

/// A method for each field, which takes what the field is made from.
macro_rules! setters {
    ($params:ty { $($(#[$doc:meta])* $name:ident($value:ident: $type:ty) => $($field:ident).+ = $made:expr;)* }) => {
        impl $params {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(mut self, $value: $type) -> Self {
                self.$($field).+ = $made;
                self
            })*
        }
    };
}

setters!(PcaParams {
    /// A number of components, or a fraction of the variance.
    components(count: impl Into<Components>) => components = count.into();
    /// The decomposition.
    decomposition(how: Decomposition) => decomposition = how;
    /// Whether components have variance 1.
    whiten(whiten: bool) => whiten = whiten;
    /// Residuals to reach.
    tolerance(tolerance: f64) => tolerance = Some(tolerance);
    /// The maximum number of passes over the samples.
    max_passes(passes: usize) => max_passes = Some(passes);
    /// Seed of the starting vectors.
    seed(seed: u64) => seed = seed;
});

setters!(KernelPcaParams {
    /// A number of components, or a fraction of the variance.
    components(count: impl Into<Components>) => components = count.into();
    /// Whether to centre the samples in feature space.
    center(center: bool) => center = center;
    /// The eigensolver.
    solver(solver: eigen::Solver) => solver = solver;
    /// Residuals to reach.
    tolerance(tolerance: f64) => tolerance = Some(tolerance);
    /// The maximum number of passes over the matrix.
    max_passes(passes: usize) => max_passes = Some(passes);
    /// Seed of the starting vectors.
    seed(seed: u64) => seed = seed;
    /// Whether components of zero variance are dropped.
    remove_zero(remove: bool) => remove_zero = remove;
    /// Where kernel values are computed.
    device(device: Device) => device = device;
    /// A low-rank fit on so many landmarks, or on those that parameters describe.
    landmarks(landmarks: impl Into<LandmarkParams>) => landmarks = Some(landmarks.into());
    /// The parameters of the inverse map.
    inverse(params: InverseParams) => inverse = Some(params);
});

setters!(KernelRidgeParams {
    /// The ridge penalty for all targets.
    alpha(alpha: f64) => alpha = vec![alpha];
    /// A ridge penalty for each target.
    alphas(alphas: Vec<f64>) => alpha = alphas;
    /// Whether to fit an intercept.
    intercept(intercept: bool) => intercept = intercept;
    /// The solver of the linear system.
    solver(solver: ridge::Solver) => solver = solver;
    /// Residuals to reach.
    tolerance(tolerance: f64) => tolerance = Some(tolerance);
    /// The maximum number of passes over the matrix.
    max_passes(passes: usize) => max_passes = Some(passes);
    /// Seed of the solver's random choices.
    seed(seed: u64) => seed = seed;
    /// Where kernel values are computed.
    device(device: Device) => device = device;
    /// A low-rank fit on so many landmarks, or on those that parameters describe.
    landmarks(landmarks: impl Into<LandmarkParams>) => landmarks = Some(landmarks.into());
});

setters!(SvmParams {
    /// The penalty of a unit on the wrong side.
    c(c: f64) => c = c;
    /// The fraction of samples that may be on the wrong side.
    nu(nu: f64) => nu = nu;
    /// Half the width of the tube.
    epsilon(epsilon: f64) => epsilon = epsilon;
    /// The violation of the optimality conditions at which the solver stops.
    tolerance(tolerance: f64) => tolerance = tolerance;
    /// Whether to use the shrinking heuristic.
    shrinking(shrinking: bool) => shrinking = shrinking;
    /// The size of the cache of kernel columns in bytes.
    cache(bytes: u64) => cache = Some(bytes);
    /// The maximum number of iterations.
    max_iterations(most: u64) => max_iterations = Some(most);
    /// The time limit in seconds.
    max_seconds(seconds: f64) => max_seconds = Some(seconds);
    /// A low-rank fit on so many landmarks, or on those that parameters describe.
    landmarks(landmarks: impl Into<LandmarkParams>) => landmarks = Some(landmarks.into());
    /// Whether a fit on landmarks goes on to the exact machine.
    polish(polish: bool) => polish = polish;
    /// A machine for each cell of at most so many samples, or as parameters describe them.
    cells(cells: impl Into<CellParams>) => cells = Some(cells.into());
});

setters!(KernelKMeansParams {
    /// The initialisation.
    init(init: Init) => init = init;
    /// The number of starts.
    starts(starts: usize) => starts = starts;
    /// The maximum number of iterations.
    max_rounds(rounds: usize) => max_rounds = rounds;
    /// The shift of the centres at which it stops.
    tolerance(tolerance: f64) => tolerance = tolerance;
    /// Seed of the starts.
    seed(seed: u64) => seed = seed;
    /// A low-rank fit on so many landmarks, or on those that parameters describe.
    landmarks(landmarks: impl Into<LandmarkParams>) => landmarks = Some(landmarks.into());
});

setters!(DetectorParams {
    /// A number of components, or a fraction of the variance.
    components(count: impl Into<Components>) => pca.components = count.into();
    /// The score.
    score(score: OutlierScore) => score = score;
    /// The fraction of outliers in the training set.
    contamination(share: f64) => contamination = share;
});

/// The two ways to fit with parameters.
macro_rules! fits {
    ($params:ty, $model:ty, $($given:ident: $type:ty),* => $($passed:expr),*) => {
        impl $params {
            /// Fits with all cores and the free memory.
            pub fn fit<'a>(&self, input: impl Into<Input<'a>>, $($given: $type),*) -> Result<$model> {
                self.fit_in(&Context::default(), input, $($given),*)
            }

            /// Fits in a context.
            pub fn fit_in<'a>(
                &self,
                ctx: &Context,
                input: impl Into<Input<'a>>,
                $($given: $type),*
            ) -> Result<$model> {
                <$model>::fit(ctx, self, input, $($passed),*)
            }
        }
    };
}

fits!(KernelPcaParams, KernelPca, => );
fits!(DetectorParams, Detector, => );
fits!(KernelRidgeParams, KernelRidge, targets: &Targets => targets, None);
fits!(SvmParams, Svm, targets: &Targets => targets, None);
fits!(KernelKMeansParams, KernelKMeans, => None);

impl PcaParams {
    /// Fits with all cores and the free memory.
    pub fn fit<'a>(&self, x: impl Into<AnyMat<'a>>) -> Result<Pca> {
        self.fit_in(&Context::default(), x)
    }

    /// Fits in a context.
    pub fn fit_in<'a>(&self, ctx: &Context, x: impl Into<AnyMat<'a>>) -> Result<Pca> {
        Pca::fit(ctx, self, x)
    }
}

impl Pca {
    /// Parameters to set and to fit with.
    pub fn params() -> PcaParams {
        PcaParams::default()
    }
}

impl KernelPca {
    /// Parameters to set and to fit with.
    pub fn params(kernel: KernelSpec) -> KernelPcaParams {
        KernelPcaParams::new(kernel)
    }
}

impl KernelRidge {
    /// Parameters to set and to fit with.
    pub fn params(kernel: KernelSpec) -> KernelRidgeParams {
        KernelRidgeParams::new(kernel)
    }
}

impl KernelKMeans {
    /// Parameters to set and to fit with.
    pub fn params(clusters: usize, kernel: KernelSpec) -> KernelKMeansParams {
        KernelKMeansParams::new(clusters, kernel)
    }
}

impl Detector {
    /// Parameters to set and to fit with.
    pub fn params(kernel: KernelSpec) -> DetectorParams {
        DetectorParams::new(kernel)
    }
}

impl Svm {
    /// Parameters of any task to set and to fit with.
    pub fn params(task: Task, kernel: KernelSpec) -> SvmParams {
        SvmParams::new(task, kernel)
    }

    /// Parameters of a classifier (C-SVC).
    pub fn classifier(kernel: KernelSpec) -> SvmParams {
        Self::params(Task::CSvc, kernel)
    }

    /// Parameters of a regression (epsilon-SVR).
    pub fn regressor(kernel: KernelSpec) -> SvmParams {
        Self::params(Task::EpsilonSvr, kernel)
    }

    /// Parameters of a one-class machine.
    pub fn one_class(kernel: KernelSpec) -> SvmParams {
        Self::params(Task::OneClass, kernel)
    }
}

impl From<usize> for Components {
    fn from(count: usize) -> Self {
        Components::Count(count)
    }
}

impl From<f64> for Components {
    fn from(share: f64) -> Self {
        Components::Share(share)
    }
}
