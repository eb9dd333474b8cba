//! Everything that has unsafe code, once, on sizes that an interpreter of a few thousand steps a second can bear: `make miri` runs
//! these tests under Miri, which sees reads and writes outside of what is borrowed, and races of threads. Results are compared
//! with plain loops.

use mercer::Dtype;
use mercer::context::Stream;
use mercer::io::{Model, ModelFile, from_bytes, to_bytes};
use mercer::linalg::block::Block;
use mercer::linalg::nonzeros::{self, Nonzeros};
use mercer::linalg::pairing::{self, Pairing, Rows};
use mercer::linalg::product::{Onto, multiply, multiply_lower};
use mercer::linalg::skinny::{self, Lane, TileRef, WIDTH};
use mercer::linalg::view::{Mat, MatMut, MatRef};
use mercer::linalg::{cholesky, eigen, packing, subsequences, symmetric};
use mercer::model::Components;
use mercer::model::kernel_pca::{KernelPca, KernelPcaParams};
use mercer::real::Real;
use mercer::{Context, Dense, Strings};

fn random<T: Real>(rows: usize, cols: usize, seed: u64) -> Mat<T> {
    let mut stream = Stream::new(seed, "interpreted");
    let data = (0..rows * cols).map(|_| T::from_f64(stream.normal())).collect();
    Mat::from_vec(data, rows, cols)
}

fn lanes<T: Real>(n: usize, seed: u64) -> Vec<Lane<T>> {
    let numbers = random::<T>(n, WIDTH, seed);
    (0..n).map(|i| numbers.row(i).try_into().expect("WIDTH numbers")).collect()
}

fn assert_close(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-3, "{a} and {b}");
}

#[test]
fn products_of_views() {
    let (a, b) = (random::<f64>(7, 5, 1), random::<f64>(9, 5, 2));
    let turned = MatRef::strided(b.data(), 44, 9, 5, -5, -1).expect("within the data");
    let mut out = Mat::zeros(7, 12);
    let target = MatMut::new(out.data_mut(), 7, 9, 12);
    multiply(a.view(), turned.transposed(), target, Onto::Nothing);
    for (i, j) in (0..7).flat_map(|i| (0..9).map(move |j| (i, j))) {
        let want: f64 = (0..5).map(|k| a[(i, k)] * b[(8 - j, 4 - k)]).sum();
        assert_close(out[(i, j)], want);
    }
    let mut lower = Mat::zeros(7, 7);
    multiply_lower(a.view(), a.view().transposed(), lower.view_mut(), Onto::Sum);
    assert_eq!(lower[(0, 6)], 0.0);
    let empty = MatRef::<f64>::strided(&[], 3, 0, 5, 5, 1).expect("an empty view");
    multiply(empty, turned.transposed(), MatMut::new(&mut [], 0, 9, 9), Onto::Nothing);
}

#[test]
fn a_symmetric_matrix_by_several_threads() {
    let n = 130; // one tile and a little more
    let mut out = Mat::<f32>::zeros(n, n);
    let fill = || {
        symmetric::fill(out.view_mut(), |rows, cols, values| {
            let places = rows.flat_map(|i| cols.clone().map(move |j| (i, j)));
            values
                .iter_mut()
                .zip(places)
                .for_each(|(v, (i, j))| *v = (i.max(j) * 1000 + i.min(j)) as f32);
            Ok(())
        })
    };
    Context::new(3).install(fill).unwrap();
    for (i, j) in [(0, 0), (129, 129), (129, 0), (0, 129), (64, 128), (128, 64), (5, 3), (3, 5)] {
        assert_eq!(out[(i, j)], (i.max(j) * 1000 + i.min(j)) as f32);
    }
}

fn products_of_tiles<T: Real>() {
    let (rows, cols) = (9, 67);
    let tile = random::<T>(rows, cols, 3);
    let (v, w) = (lanes::<T>(cols, 4), lanes::<T>(rows, 5));
    let mut packed = Vec::new();
    packing::pack(tile.data(), cols, &mut packed);
    let mut back = Vec::new();
    packing::unpack(&packed, rows, cols, &mut back);
    assert_eq!(back, tile.data());
    let (mut out, mut mirror) = (vec![[0.0; WIDTH]; rows], vec![[0.0; WIDTH]; cols]);
    packing::multiply(&packed, &v, &w, &mut out, &mut mirror);
    let view = TileRef { data: tile.data(), rows, cols, stride: cols };
    let (mut direct, mut turned) = (vec![[0.0; WIDTH]; rows], vec![[0.0; WIDTH]; cols]);
    skinny::multiply(view, &v, &mut direct);
    skinny::multiply_transposed(view, &w, &mut turned);
    let mut one = vec![0.0; rows];
    let first: Vec<T> = v.iter().map(|lane| lane[0]).collect();
    skinny::multiply_one(view, &first, &mut one);
    for i in 0..rows {
        let want: f64 = (0..cols).map(|j| tile[(i, j)].to_f64() * v[j][0].to_f64()).sum();
        [out[i][0], direct[i][0], one[i]].into_iter().for_each(|found| assert_close(found, want));
    }
    for j in 0..cols {
        let want: f64 = (0..rows).map(|i| tile[(i, j)].to_f64() * w[i][7].to_f64()).sum();
        [mirror[j][7], turned[j][7]].into_iter().for_each(|found| assert_close(found, want));
    }
}

#[test]
fn tiles_times_vectors() {
    products_of_tiles::<f64>();
    products_of_tiles::<f32>();
}

#[test]
fn sums_over_features() {
    let (n, m, d) = (3, 9, 26);
    let positive = |v: Mat<f64>| v.into_vec().into_iter().map(f64::abs).collect::<Vec<_>>();
    let (x, y) = (positive(random(n, d, 6)), positive(random(m, d, 7)));
    let norms = |v: &[f64]| -> Vec<f64> {
        v.chunks_exact(d).map(|row| row.iter().map(|a| a * a).sum()).collect()
    };
    let (x_norms, y_norms) = (norms(&x), norms(&y));
    let rows = Rows { data: &x, dim: d, norms: &x_norms, sparse: None };
    let cols = Rows { data: &y, dim: d, norms: &y_norms, sparse: None };
    type Term = fn(f64, f64) -> f64;
    let formulas: [(Pairing, Term); 5] = [
        (Pairing::Dot, |a, b| a * b),
        (Pairing::SquaredDistance, |a, b| (a - b).powi(2)),
        (Pairing::Manhattan, |a, b| (a - b).abs()),
        (Pairing::Minimum, f64::min),
        (Pairing::ChiDistance, |a, b| (a - b).powi(2) / (a + b)),
    ];
    for (pairing, term) in formulas {
        let mut out = vec![0.0; n * (m + 2)];
        pairing::fill(pairing, rows, cols, &mut out, m + 2);
        for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
            let want = (0..d).map(|k| term(x[i * d + k], y[j * d + k])).sum();
            assert_close(out[i * (m + 2) + j], want);
        }
    }
}

#[test]
fn products_of_sparse_rows() {
    let (n, m, d) = (3, 9, 30);
    let mut x = random::<f32>(n, d, 8);
    x.data_mut().iter_mut().enumerate().filter(|(i, _)| i % 4 > 0).for_each(|(_, v)| *v = 0.0);
    let y = random::<f32>(m, d, 9);
    let rows = Nonzeros::find(x.data(), d).expect("mostly zeros");
    let mut out = vec![0.0; n * m];
    nonzeros::products(rows.all(), y.data(), d, &mut out, m);
    for (i, j) in (0..n).flat_map(|i| (0..m).map(move |j| (i, j))) {
        let want: f32 = (0..d).map(|k| x[(i, k)] * y[(j, k)]).sum();
        assert_close(f64::from(out[i * m + j]), f64::from(want));
    }
}

/// Of equal sequences of one symbol repeated, without decay: the pairs of ways to choose p places of n.
#[test]
fn common_subsequences() {
    for p in [1, 2, 5, 7] {
        let symbols = [[1.0; subsequences::LANES]; 8];
        let sums =
            subsequences::sums(&symbols, &symbols, p, 1.0, &mut subsequences::Workspace::default());
        let choices = (0..p).fold(1, |count, i| count * (8 - i) / (i + 1));
        let want = (choices * choices) as f64;
        // Miri gives powers random errors in their last digits.
        assert!(sums.iter().all(|sum| (sum - want).abs() < 1e-12 * want), "{sums:?} {want}");
    }
}

#[test]
fn blocks_and_small_eigenproblems() {
    let mut block = Block::normal(20, 5, &mut Stream::new(1, "block"));
    block.centre();
    block.orthonormalize().unwrap();
    let gram = block.inner(&block);
    let rank: f64 = (0..WIDTH).map(|c| gram[c][c]).sum();
    assert_close(rank, 5.0);
    let a = Mat::from_fn(6, 6, |i, j| if i == j { i as f64 } else { 0.0 });
    assert_close(eigen::small(&a).unwrap().values[0], 5.0);
}

#[test]
fn systems_of_equations() {
    let (ctx, n) = (Context::new(2), 9);
    let x = random::<f64>(n, n, 10);
    let mut a = Mat::from_fn(n, n, |i, j| if i == j { 9.0 } else { 0.0 });
    multiply(x.view(), x.view().transposed(), a.view_mut(), Onto::Sum);
    let (mut l, mut b) = (a.clone(), Mat::from_fn(n, 2, |i, j| (i + j) as f64));
    cholesky::factor(&ctx, &mut l).unwrap();
    cholesky::solve(&ctx, &l, &mut b).unwrap();
    for i in 0..n {
        let found: f64 = (0..n).map(|k| a[(i, k)] * b[(k, 1)]).sum();
        assert_close(found, (i + 1) as f64);
    }
}

#[test]
fn a_model_from_fit_to_file_and_back() {
    let ctx = Context::new(2);
    let x = Dense::<f64>::from_vec(random::<f64>(8, 3, 11).into_vec(), 8, 3).unwrap();
    let mut params = KernelPcaParams::new("rbf(sigma=1) + linear".parse().unwrap());
    params.components = Components::Count(2);
    let model = KernelPca::fit(&ctx, &params, &x).unwrap();
    let scores = model.transform(&ctx, &x).unwrap();
    let saved = ModelFile::new(Model::KernelPca(model), Dtype::F64);
    let mut bytes = to_bytes(&saved).unwrap();
    let Model::KernelPca(loaded) = from_bytes("x".as_ref(), &bytes).unwrap().model else {
        panic!("another model")
    };
    let again = loaded.transform(&ctx, &x).unwrap();
    assert_eq!(scores, again);
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    assert!(from_bytes("x".as_ref(), &bytes).is_err());
}

/// Equal texts lie in the same place, others elsewhere.
#[test]
fn texts() {
    let ctx = Context::new(2);
    let texts = Strings::new(vec!["abab", "abbc", "cbabab", "abab"]).unwrap();
    for kernel in ["spectrum(p=2)", "subsequences(p=2)", "edit", "mismatch(k=2, m=1)"] {
        let mut params = KernelPcaParams::new(kernel.parse().unwrap());
        params.components = Components::Count(1);
        let model = KernelPca::fit(&ctx, &params, &texts).unwrap();
        let scores = model.transform(&ctx, &texts).unwrap();
        assert_close(scores[(0, 0)], scores[(3, 0)]);
        assert!((scores[(0, 0)] - scores[(1, 0)]).abs() > 1e-3, "{kernel}");
    }
}
