//! Seconds of fits and predictions on a device, from matrices on the host to matrices on the host; each is done once before it is timed.
//!
//!     rates [rows]

use std::time::Instant;

use mercer::device::{self, Device};
use mercer::prelude::*;

fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..count).map(|_| next()).collect()
}

fn timed<T>(name: &str, work: impl Fn() -> Result<T>) -> Result<T> {
    let first = Instant::now();
    drop(work()?);
    let first = first.elapsed().as_secs_f64();
    let second = Instant::now();
    let found = work()?;
    println!("{name}: {:.3} s (first run {first:.3} s)", second.elapsed().as_secs_f64());
    Ok(found)
}

fn main() -> Result<()> {
    mercer_cuda::provide();
    for device in device::list()? {
        println!("{device:?}");
    }
    let n: usize = std::env::args().nth(1).map_or(20_000, |n| n.parse().expect("a number of rows"));
    let ctx = Context::default();
    println!("{} threads, {n} rows", ctx.threads());
    let x = Dense::from_vec(numbers(n * 50, 1), n, 50)?;
    let kernel = || "rbf(gamma=0.1)".parse();
    let params = KernelPca::params(kernel()?).components(50).device(Device::Cuda(0));
    let model = timed("kernel PCA, 50 components, d = 50", || KernelPca::fit(&ctx, &params, &x))?;
    println!(
        "    residual {:.1e}, {} passes, {}",
        model.report.residual, model.report.passes, model.report.reason
    );
    let y: Vec<f64> = (0..n).map(|i| x.row(i).iter().map(|v| (3.0 * v).sin()).sum()).collect();
    let targets = Targets::values(&y);
    let params = KernelRidge::params(kernel()?).alpha(0.1).device(Device::Cuda(0));
    let ridge =
        timed("ridge regression, d = 50", || KernelRidge::fit(&ctx, &params, &x, &targets, None))?;
    println!("    residual {:.1e}, {}", ridge.report.residual, ridge.report.reason);
    let anchors = Dense::from_vec(numbers(10_000 * 28, 2), 10_000, 28)?;
    let params = KernelRidge::params(kernel()?).alpha(0.1).device(Device::Cuda(0));
    let small =
        KernelRidge::fit(&ctx, &params, &anchors, &Targets::values(&numbers(10_000, 3)), None)?;
    let many = Dense::from_vec(numbers(1_000_000 * 28, 4), 1_000_000, 28)?;
    timed("predict 1,000,000 rows, 10,000 anchors, d = 28", || small.predict(&ctx, &many))?;
    Ok(())
}
