//! A self-test of about a second with known answers, and its speed.

use std::time::{Duration, Instant};

use mercer::context::Stream;
use mercer::device::DeviceInfo;
use mercer::linalg::view::Mat;
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::points::{Dense, Samples};
use mercer::{Context, KernelSpec, Result, SpecKernel, gram};
use serde::Serialize;

use crate::facts::counted;

/// A test and its result.
#[derive(Debug, Serialize)]
pub struct Test {
    /// Its name.
    pub name: &'static str,
    /// Whether it passed.
    pub passed: bool,
    /// The result.
    pub found: String,
    /// Seconds of one round.
    pub seconds: f64,
}

/// How long the quickest of several rounds is looked for.
const WHILE: Duration = Duration::from_millis(300);

/// All tests.
pub fn run(context: &Context, devices: &[DeviceInfo]) -> Result<Vec<Test>> {
    let mut tests =
        vec![example(context)?, threads(context)?, matrix(context)?, components(context)?];
    tests.extend(devices.iter().map(|info| on_device(context, info)));
    Ok(tests)
}

/// Components on a device beside those on the processor.
fn on_device(context: &Context, info: &DeviceInfo) -> Test {
    let found = || -> Result<(f64, f64)> {
        let (x, params) = (rows(DEVICE_ROWS, 20)?, params("rbf(gamma=0.05)", 10)?);
        let there = params.clone().device(info.device.parse()?);
        let here = KernelPca::fit(context, &params, &x)?;
        let (seconds, model) = quickest(|| KernelPca::fit(context, &there, &x))?;
        let pairs = here.eigenvalues.iter().zip(&model.eigenvalues);
        let off = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / here.eigenvalues[0];
        Ok((seconds, off))
    };
    let name = "components on a device";
    match found() {
        Ok((seconds, off)) => {
            let passed = off < 1e-10;
            let found = format!(
                "{}: 10 of {DEVICE_ROWS} rows in {seconds:.3} s, eigenvalues differ by {off:.0e} of the largest",
                info.device
            );
            Test { name, passed, found, seconds }
        }
        Err(error) => {
            let found = format!("{}: {error}", info.device);
            Test { name, passed: false, found, seconds: 0.0 }
        }
    }
}

/// Rows of the test on a device.
const DEVICE_ROWS: usize = 5000;

fn params(kernel: &str, count: usize) -> Result<KernelPcaParams> {
    let mut params = KernelPcaParams::new(kernel.parse()?);
    params.components = Components::Count(count);
    Ok(params)
}

fn rows(n: usize, d: usize) -> Result<Dense<f64>> {
    let mut stream = Stream::new(0, "self-test");
    let values: Vec<f64> = (0..n * d).map(|_| stream.normal()).collect();
    Dense::from_rows(&values, n, d)
}

/// The seconds of the quickest round of `work`, and what the last one gave.
fn quickest<R>(mut work: impl FnMut() -> Result<R>) -> Result<(f64, R)> {
    let begun = Instant::now();
    let mut least = f64::INFINITY;
    loop {
        let round = Instant::now();
        let result = work()?;
        least = least.min(round.elapsed().as_secs_f64());
        if begun.elapsed() > WHILE {
            return Ok((least, result));
        }
    }
}

/// Four points on a parabola, whose second eigenvalue under (⟨x, y⟩ + 1)² is 252 by hand.
fn example(context: &Context) -> Result<Test> {
    let x = Dense::from_rows(&[1.0, 1.0, 2.0, 4.0, -1.0, 1.0, -2.0, 4.0], 4, 2)?;
    let begun = Instant::now();
    let model = KernelPca::fit(context, &params("poly(degree=2)", 2)?, &x)?;
    let (seconds, value) = (begun.elapsed().as_secs_f64(), model.eigenvalues[1]);
    Ok(Test {
        name: "known example",
        passed: (value - 252.0).abs() < 1e-9 * 252.0,
        found: format!("eigenvalue {value:.9}, expected 252"),
        seconds,
    })
}

/// Results do not depend on the number of threads.
fn threads(context: &Context) -> Result<Test> {
    let (x, params) = (rows(600, 8)?, params("rbf(gamma=0.125)", 5)?);
    let begun = Instant::now();
    let usual = KernelPca::fit(context, &params, &x)?;
    let seconds = begun.elapsed().as_secs_f64();
    let others = if context.threads() == 1 { 2 } else { 1 };
    let other = KernelPca::fit(&Context::new(others), &params, &x)?;
    let passed = usual.eigenvalues == other.eigenvalues
        && usual.training_scores().data() == other.training_scores().data();
    let (one, another) = (counted(others, "thread"), context.threads());
    let found = match passed {
        true => format!("bit-identical results with {one} and with {another}"),
        false => format!("different results with {one} and with {another}"),
    };
    Ok(Test { name: "threads", passed, found, seconds })
}

/// A whole kernel matrix, against its formula at some places.
fn matrix(context: &Context) -> Result<Test> {
    const N: usize = 2_000;
    const D: usize = 50;
    let x = rows(N, D)?;
    let samples = Samples::Dense(x.clone());
    let kernel = SpecKernel::<f64>::new(&"rbf(gamma=0.02)".parse::<KernelSpec>()?)?;
    let bytes = gram::matrix_bytes::<f64>(N, N);
    let _held = context.reserve("the matrix of the self-test", bytes, "raise the memory budget")?;
    let mut values = Mat::<f64>::try_zeros(N, N)?;
    let (seconds, ()) =
        quickest(|| gram::matrix(context, &kernel, &samples, None, values.view_mut()))?;
    let formula = |i: usize, j: usize| {
        let squares = x.row(i).iter().zip(x.row(j)).map(|(a, b)| (a - b).powi(2));
        (-0.02 * squares.sum::<f64>()).exp()
    };
    let places = (0..N).step_by(37).map(|i| (i, (i * 7 + 3) % N));
    let error = largest(places.map(|(i, j)| (values[(i, j)] - formula(i, j)).abs()));
    let speed = (N * N) as f64 / seconds / 1e9;
    Ok(Test {
        name: "RBF kernel matrix of 2,000 rows × 50 columns",
        passed: error < 1e-12,
        found: format!(
            "{:.1} ms, {speed:.2} billion values per second, error {error:.0e}",
            1e3 * seconds
        ),
        seconds,
    })
}

/// The largest error; NaN if one of them is.
fn largest(errors: impl Iterator<Item = f64>) -> f64 {
    errors.fold(0.0, |largest, error| if error <= largest { largest } else { error })
}

/// Kernel PCA, by its own certificate.
fn components(context: &Context) -> Result<Test> {
    let (x, params) = (rows(2_000, 8)?, params("rbf(gamma=0.125)", 10)?);
    let (seconds, model) = quickest(|| KernelPca::fit(context, &params, &x))?;
    let residual = model.report.residual;
    Ok(Test {
        name: "kernel PCA of 2,000 rows, 10 components",
        passed: residual < 1e-7,
        found: format!("{:.0} ms, residual {residual:.0e}", 1e3 * seconds),
        seconds,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_is_the_largest_error() {
        assert_eq!(largest([1e-3, 2.0, 0.5].into_iter()), 2.0);
        assert!(largest([1e-3, f64::NAN].into_iter()).is_nan());
    }

    #[test]
    fn this_machine_is_healthy() {
        for test in run(&Context::default(), &[]).unwrap() {
            assert!(test.passed, "{}: {}", test.name, test.found);
            assert!(test.seconds > 0.0);
        }
    }
}
