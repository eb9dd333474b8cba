//! How the time of every method falls with the number of threads: `cargo run --release -p mercer --example cores -- 1 2 4 8 16`.
//!
//! Each line is a method on generated samples: seconds with the first number of threads, then how many times faster it is with each of
//! the others, best of two runs. Results must have the same bits for any number of threads, and this is checked.

use std::time::Instant;

use mercer::context::Stream;
use mercer::gram;
use mercer::model::kernel_kmeans::{KernelKMeans, KernelKMeansParams};
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::model::kernel_ridge::{KernelRidge, KernelRidgeParams};
use mercer::model::pca::{Pca, PcaParams};
use mercer::model::svm::{Svm, SvmParams, Task};
use mercer::{Components, Context, Dense, Labels, Mat, MatMut, Result, SpecKernel, Targets};

fn main() -> Result<()> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let counts: Vec<usize> = given.iter().filter_map(|text| text.parse().ok()).collect();
    let counts = if counts.is_empty() { vec![1, 2] } else { counts };
    let only = given.iter().find(|text| text.parse::<usize>().is_err());
    let wanted = |name: &str| only.is_none_or(|only| name.contains(only.as_str()));
    println!("{:58} {}", "threads", counts.iter().map(|c| format!("{c:>8}")).collect::<String>());
    let x = normal(8_000, 20, 1);
    let y: Vec<f64> = (0..8_000).map(|i| x.row(i)[0].sin() + x.row(i)[1]).collect();
    if wanted("gram") {
        let kernel = SpecKernel::<f64>::new(&"rbf(gamma=0.05)".parse()?)?;
        let mut out = Mat::zeros(8_000, 8_000);
        curve("gram: Gram matrix, 8,000 x 20", &counts, |ctx| {
            gram::matrix(ctx, &kernel, &x, None, MatMut::new(out.data_mut(), 8_000, 8_000, 8_000))?;
            Ok(out.data()[8_000 * 17..8_000 * 18].to_vec())
        })?;
    }
    if wanted("pca") {
        let wide = normal(40_000, 400, 2);
        let view = mercer::MatRef::new(wide.data(), 40_000, 400, 400);
        curve("pca: PCA of 10 components, 40,000 x 400", &counts, |ctx| {
            let params = PcaParams::default().components(Components::Count(10));
            Ok(Pca::fit(ctx, &params, view)?.components.data().to_vec())
        })?;
        curve("kpca: kernel PCA of 10 components, 8,000 x 20", &counts, |ctx| {
            let params =
                KernelPcaParams::new("rbf(gamma=0.05)".parse()?).components(Components::Count(10));
            Ok(KernelPca::fit(ctx, &params, &x)?.eigenvalues.clone())
        })?;
    }
    if wanted("ridge") {
        let targets = Targets::matrix(Mat::from_vec(y.clone(), 8_000, 1));
        curve("ridge: kernel ridge regression, 8,000 x 20", &counts, |ctx| {
            let params = KernelRidgeParams::new("rbf(gamma=0.05)".parse()?).alphas(vec![0.01]);
            Ok(KernelRidge::fit(ctx, &params, &x, &targets, None)?.coef.data().to_vec())
        })?;
    }
    if wanted("kmeans") {
        curve("kmeans: kernel k-means of 10 clusters, 8,000 x 20", &counts, |ctx| {
            let params = KernelKMeansParams::new(10, "rbf(gamma=0.05)".parse()?);
            Ok(vec![KernelKMeans::fit(ctx, &params, &x, None)?.inertia])
        })?;
    }
    if wanted("svc") {
        let (rows, labels) = categories(32_561);
        svc("svc: SVC, 32,561 rows of 14 categories, C = 1", &counts, &rows, labels, 1.0, 0.03)?;
        let (rows, labels) = rings(20_000);
        svc("svc: SVC, 20,000 x 3 on a sphere, C = 10", &counts, &rows, labels, 10.0, 100.0)?;
        let (rows, labels) = clouds(10_000, 100, 10);
        svc("svc: SVC, 10,000 x 100, 10 classes, C = 10", &counts, &rows, labels, 10.0, 0.01)?;
    }
    Ok(())
}

fn svc(
    name: &str,
    counts: &[usize],
    x: &Dense<f64>,
    places: Vec<usize>,
    c: f64,
    gamma: f64,
) -> Result<()> {
    let classes = places.iter().max().map_or(0, |most| most + 1);
    let names = (0..classes).map(|class| class.to_string()).collect();
    let targets = Targets::labels(Labels { names, places });
    let mut params = SvmParams::new(Task::CSvc, format!("rbf(gamma={gamma})").parse()?);
    params.c = c;
    curve(name, counts, |ctx| Ok(Svm::fit(ctx, &params, x, &targets, None)?.coef.data().to_vec()))
}

/// Prints a line; all results must be the same to the last bit.
fn curve(
    name: &str,
    counts: &[usize],
    mut work: impl FnMut(&Context) -> Result<Vec<f64>> + Send,
) -> Result<()> {
    let mut line = format!("{name:58}");
    let (mut first, mut expected): (Option<f64>, Option<Vec<f64>>) = (None, None);
    for &count in counts {
        let ctx = Context::new(count);
        let mut best = f64::INFINITY;
        for _ in 0..2 {
            let started = Instant::now();
            let result = work(&ctx)?;
            best = best.min(started.elapsed().as_secs_f64());
            let expected = expected.get_or_insert_with(|| result.clone());
            let same = expected.iter().zip(&result).all(|(a, b)| a.to_bits() == b.to_bits());
            assert!(same && expected.len() == result.len(), "{name}: other bits");
        }
        let first = *first.get_or_insert(best);
        line += &if line.len() < 60 {
            format!("{first:7.2}s")
        } else {
            format!("{:7.1}x", first / best)
        };
    }
    println!("{line}");
    Ok(())
}

fn normal(n: usize, d: usize, seed: u64) -> Dense<f64> {
    let mut stream = Stream::new(seed, "cores");
    Dense::from_vec((0..n * d).map(|_| stream.normal()).collect(), n, d).expect("n x d numbers")
}

/// 14 categories of each row as 123 columns of 0 and 1, and a class that depends on them with noise.
fn categories(n: usize) -> (Dense<f64>, Vec<usize>) {
    let mut stream = Stream::new(3, "cores");
    let sizes = [5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 41];
    let effects: Vec<f64> = (0..123).map(|_| stream.normal()).collect();
    let (mut rows, mut places) = (vec![0.0; n * 123], Vec::with_capacity(n));
    for row in rows.chunks_exact_mut(123) {
        let (mut start, mut score) = (0, 0.0);
        for size in sizes {
            // Some values are much more frequent than others.
            let at = (stream.normal().abs() * size as f64 / 3.0) as usize % size;
            row[start + at] = 1.0;
            score += effects[start + at];
            start += size;
        }
        places.push(usize::from(score + 1.5 * stream.normal() > 2.0));
    }
    (Dense::from_vec(rows, n, 123).expect("n x 123 numbers"), places)
}

/// Points on the sphere in two classes with a winding border.
fn rings(n: usize) -> (Dense<f64>, Vec<usize>) {
    let mut stream = Stream::new(4, "cores");
    let (mut rows, mut places) = (Vec::with_capacity(3 * n), Vec::with_capacity(n));
    for _ in 0..n {
        let point: [f64; 3] = std::array::from_fn(|_| stream.normal());
        let length = point.iter().map(|v| v * v).sum::<f64>().sqrt();
        let [x, y, z] = point.map(|v| v / length);
        rows.extend([x, y, z]);
        places.push(usize::from((7.0 * x).sin() + (9.0 * y).sin() * (5.0 * z).cos() > 0.3));
    }
    (Dense::from_vec(rows, n, 3).expect("n x 3 numbers"), places)
}

fn clouds(n: usize, d: usize, classes: usize) -> (Dense<f64>, Vec<usize>) {
    let mut stream = Stream::new(5, "cores");
    let centres: Vec<f64> = (0..classes * d).map(|_| 0.35 * stream.normal()).collect();
    let places: Vec<usize> = (0..n).map(|i| i % classes).collect();
    let row = |&place: &usize| (0..d).map(move |j| place * d + j);
    let rows: Vec<f64> =
        places.iter().flat_map(row).map(|at| centres[at] + stream.normal()).collect();
    (Dense::from_vec(rows, n, d).expect("n x d numbers"), places)
}
