//! Kernel ridge regression of one column on another, and its path of penalties.

use mercer::linalg::view::Mat;
use mercer::model::kernel_ridge::KernelRidgeParams;
use mercer::select::{SearchParams, SquaredError, Validation, search};
use mercer::{AnySamples, Context, Dense, KernelRidge, Targets};
use serde_json::json;

use crate::explore::compute::{LANDMARKS, Task, column, refused, short};
use crate::explore::query::{Answer, Refusal, refuse};

/// Points of a curve.
const CURVE: usize = 300;
/// Penalties of a path, from 1e-8 to 1e4.
const PATH: usize = 49;

/// The regression of a page: one column on another.
pub(super) struct Pair {
    x: Vec<f64>,
    y: Vec<f64>,
    landmarks: bool,
}

impl Pair {
    pub fn of(task: &Task<'_>) -> Result<Self, Refusal> {
        let Some(values) = &task.rows.values else {
            return refuse("the curve needs samples that are rows of numbers");
        };
        let most = values.cols() - 1;
        let (from, to) = (task.query.count("from", 0, most)?, task.query.count("to", 0, most)?);
        if from == to {
            return refuse("the target and the input must be different columns");
        }
        let column = |j: usize| (0..values.rows()).map(|i| values[(i, j)]).collect::<Vec<f64>>();
        let mut x = column(from);
        if let Some(scaling) = task.rows.scaling.as_ref() {
            x.iter_mut().for_each(|x| *x = (*x - scaling.shift[from]) * scaling.factor[from]);
        }
        Ok(Self { x, y: column(to), landmarks: task.landmarks().is_some() })
    }

    fn samples(&self) -> Result<AnySamples, Refusal> {
        one_column(self.x.clone())
    }

    /// The fit with penalty `alpha`.
    pub fn fit(
        &self,
        task: &Task<'_>,
        kernel: mercer::KernelSpec,
        alpha: f64,
    ) -> Result<KernelRidge, Refusal> {
        let params = self.params(kernel).alpha(alpha);
        let targets = Targets::values(&self.y);
        KernelRidge::fit(&task.context, &params, &self.samples()?, &targets, None).map_err(refused)
    }

    fn params(&self, kernel: mercer::KernelSpec) -> KernelRidgeParams {
        let mut params = KernelRidgeParams::new(kernel).intercept(true);
        params.landmarks = self.landmarks.then(|| LANDMARKS.into());
        params
    }

    /// The kernel, with widths that depend on the data worked out on the input column.
    pub fn kernel(&self, task: &Task<'_>) -> Result<mercer::KernelSpec, Refusal> {
        task.query.kernel()?.resolve(&self.samples()?).map_err(refused)
    }
}

fn one_column(values: Vec<f64>) -> Result<AnySamples, Refusal> {
    let n = values.len();
    Ok(Dense::from_vec(values, n, 1).map_err(refused)?.into())
}

/// Mean squared errors of leave-one-out along the path, and the curve of the chosen penalty.
pub(in crate::explore) fn ridge(task: &Task<'_>) -> Answer {
    let pair = Pair::of(task)?;
    let kernel = pair.kernel(task)?;
    let alphas: Vec<f64> =
        (0..PATH).map(|i| 10_f64.powf(-8.0 + 12.0 * i as f64 / (PATH - 1) as f64)).collect();
    let found = path(&task.context, &pair, &kernel, &alphas)?;
    let errors: Vec<f64> = (0..alphas.len()).map(|a| -found.tables[0].scores[(a, 0)]).collect();
    let best = found.model.params.alpha[0];
    let alpha = match task.query.more.get("alpha") {
        Some(serde_json::Value::Null) | None => best,
        Some(_) => task.query.number("alpha", 1e-12, 1e8)?,
    };
    let model = pair.fit(task, kernel.clone(), alpha)?;
    let (curve_x, samples) = curve(task, &pair)?;
    let values = model.predict(&task.context, &samples).map_err(refused)?;
    let fitted = model.predict(&task.context, &pair.samples()?).map_err(refused)?;
    let n = pair.y.len() as f64;
    let error =
        pair.y.iter().enumerate().map(|(i, y)| (y - fitted[(i, 0)]).powi(2)).sum::<f64>() / n;
    Ok(json!({
        "kernel": kernel.to_string(), "alphas": alphas, "errors": short(errors), "best": best, "alpha": alpha,
        "trainingError": error, "curve": { "x": short(curve_x), "y": column(&values, 0) }, "method": task.method(),
    }))
}

fn path(
    context: &Context,
    pair: &Pair,
    kernel: &mercer::KernelSpec,
    alphas: &[f64],
) -> Result<mercer::select::Search, Refusal> {
    let params = SearchParams {
        model: pair.params(kernel.clone()),
        kernels: vec![kernel.clone()],
        alphas: Some(alphas.to_vec()),
        validation: Validation::LeaveOneOut,
        per_target: false,
    };
    let y = Mat::from_vec(pair.y.clone(), pair.y.len(), 1);
    let metric = SquaredError { targets: &y, weights: None };
    search(context, &params, &pair.samples()?, &Targets::values(&pair.y), &metric).map_err(refused)
}

/// The points of the curve in units of the table, and as the kernel sees them: a twentieth beyond the rows.
fn curve(task: &Task<'_>, pair: &Pair) -> Result<(Vec<f64>, AnySamples), Refusal> {
    let low = pair.x.iter().copied().fold(f64::INFINITY, f64::min);
    let high = pair.x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let beyond = (high - low).max(f64::MIN_POSITIVE) / 20.0;
    let at = |i: usize| low - beyond + (high - low + 2.0 * beyond) * i as f64 / (CURVE - 1) as f64;
    let x: Vec<f64> = (0..CURVE).map(at).collect();
    let from = task.query.count("from", 0, usize::MAX >> 12)?;
    let units = match &task.rows.scaling {
        None => x.clone(),
        Some(scaling) => x.iter().map(|x| x / scaling.factor[from] + scaling.shift[from]).collect(),
    };
    Ok((units, one_column(x)?))
}
