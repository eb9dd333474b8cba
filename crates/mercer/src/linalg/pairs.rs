//! The loops of a solver that moves two coefficients at a time: follow a step, find the next pair, add columns up.
//!
//! Kernel values are of either type, slopes double. Slices have lengths that are multiples of [`LANES`].

use super::simd::dispatch;
use crate::real::Real;

/// Numbers that are worked on side by side.
pub const LANES: usize = 16;

/// A place and the number found there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    /// The place; meaningless where nothing was found.
    pub at: usize,
    /// The number.
    pub value: f64,
}

dispatch! {
    /// `f += step · (ki − kj)`; then the place where `f + add` is smallest.
    pub fn follow<T: Real>(
        f: &mut [f64], ki: &[T], kj: &[T], step: f64, add: &[f64], found: &mut Found,
    ) = follow_body: avx512 [T], avx2 [T], base [T];
}

#[inline(always)]
fn follow_body<T: Real>(
    f: &mut [f64],
    ki: &[T],
    kj: &[T],
    step: f64,
    add: &[f64],
    found: &mut Found,
) {
    let mut least = [f64::INFINITY; LANES];
    let mut at = [0_u64; LANES];
    let (f, _) = f.as_chunks_mut::<LANES>();
    let (ki, _) = ki.as_chunks::<LANES>();
    let (kj, _) = kj.as_chunks::<LANES>();
    let (add, _) = add.as_chunks::<LANES>();
    let count = f.len();
    let (ki, kj, add) = (&ki[..count], &kj[..count], &add[..count]);
    for c in 0..count {
        for l in 0..LANES {
            let value = f[c][l] + step * (ki[c][l].to_f64() - kj[c][l].to_f64());
            f[c][l] = value;
            let key = value + add[c][l];
            let better = key < least[l];
            least[l] = if better { key } else { least[l] };
            at[l] = if better { c as u64 } else { at[l] };
        }
    }
    *found = Found { at: 0, value: f64::INFINITY };
    for l in 0..LANES {
        if least[l] < found.value {
            *found = Found { at: at[l] as usize * LANES + l, value: least[l] };
        }
    }
}

dispatch! {
    /// Where the step from `from` downwards promises most: the place j with b = f + add − lowest > 0 whose b² / a is largest,
    /// a = k_ii + diagonal_j − 2 k_j, or `least` where that is more; and the largest f + add of all.
    pub fn partner<T: Real>(
        f: &[f64], add: &[f64], k: &[T], diagonal: &[T], k_ii: T, least: T, lowest: f64, found: &mut Found, most: &mut f64,
    ) = partner_body: avx512 [T], avx2 [T], base [T];
}

#[inline(always)]
fn partner_body<T: Real>(
    f: &[f64],
    add: &[f64],
    k: &[T],
    diagonal: &[T],
    k_ii: T,
    least: T,
    lowest: f64,
    found: &mut Found,
    most: &mut f64,
) {
    let mut best = [T::ZERO; LANES];
    let mut at = [0_u32; LANES];
    let mut highest = [T::from_f64(f64::NEG_INFINITY); LANES];
    let (f, _) = f.as_chunks::<LANES>();
    let (k, _) = k.as_chunks::<LANES>();
    let (diagonal, _) = diagonal.as_chunks::<LANES>();
    let (add, _) = add.as_chunks::<LANES>();
    let count = f.len();
    let (k, diagonal, add) = (&k[..count], &diagonal[..count], &add[..count]);
    for c in 0..count {
        for l in 0..LANES {
            let b = T::from_f64(f[c][l] + add[c][l] - lowest);
            highest[l] = if b > highest[l] { b } else { highest[l] };
            let a = k_ii + diagonal[c][l] - (k[c][l] + k[c][l]);
            let a = if a > least { a } else { least };
            let b = if b > T::ZERO { b } else { T::ZERO };
            let score = b * b / a;
            let better = score > best[l];
            best[l] = if better { score } else { best[l] };
            at[l] = if better { c as u32 } else { at[l] };
        }
    }
    *found = Found { at: 0, value: 0.0 };
    *most = f64::NEG_INFINITY;
    for l in 0..LANES {
        if best[l].to_f64() > found.value {
            *found = Found { at: at[l] as usize * LANES + l, value: best[l].to_f64() };
        }
        *most = most.max(highest[l].to_f64() + lowest);
    }
}

dispatch! {
    /// `f += Σ_c steps_c · column_c`, four columns at a time.
    pub fn add_columns<T: Real>(f: &mut [f64], columns: &[&[T]], steps: &[f64]) =
        add_columns_body: avx512 [T], avx2 [T], base [T];
}

#[inline(always)]
fn add_columns_body<T: Real>(f: &mut [f64], columns: &[&[T]], steps: &[f64]) {
    let n = f.len();
    let mut c = 0;
    while c + 4 <= columns.len() {
        let (k0, k1, k2, k3) =
            (&columns[c][..n], &columns[c + 1][..n], &columns[c + 2][..n], &columns[c + 3][..n]);
        let (s0, s1, s2, s3) = (steps[c], steps[c + 1], steps[c + 2], steps[c + 3]);
        for r in 0..n {
            f[r] += s0 * k0[r].to_f64()
                + s1 * k1[r].to_f64()
                + s2 * k2[r].to_f64()
                + s3 * k3[r].to_f64();
        }
        c += 4;
    }
    for (column, step) in columns[c..].iter().zip(&steps[c..]) {
        for (f, k) in f.iter_mut().zip(&column[..n]) {
            *f += step * k.to_f64();
        }
    }
}

dispatch! {
    /// `f_r += Σ_c steps_c · tile_rc` for rows of `width` numbers; `steps` has `width` numbers, a multiple of [`LANES`].
    pub fn add_rows<T: Real>(f: &mut [f64], tile: &[T], steps: &[f64]) =
        add_rows_body: avx512 [T], avx2 [T], base [T];
}

#[inline(always)]
fn add_rows_body<T: Real>(f: &mut [f64], tile: &[T], steps: &[f64]) {
    let (steps, _) = steps.as_chunks::<LANES>();
    for (f, line) in f.iter_mut().zip(tile.chunks_exact(steps.len() * LANES)) {
        let (line, _) = line.as_chunks::<LANES>();
        let mut sums = [0.0_f64; LANES];
        for (line, steps) in line.iter().zip(steps) {
            for l in 0..LANES {
                sums[l] += line[l].to_f64() * steps[l];
            }
        }
        let mut half = LANES / 2;
        while half > 0 {
            for l in 0..half {
                sums[l] += sums[l + half];
            }
            half /= 2;
        }
        *f += sums[0];
    }
}

dispatch! {
    /// Turns rows of `width` numbers into lines: `lines_c[r] = tile_rc` for the first lines.len() columns.
    pub fn turn<T: Real>(tile: &[T], width: usize, lines: &mut [&mut [T]]) =
        turn_body: avx512 [T], avx2 [T], base [T];
}

#[inline(always)]
fn turn_body<T: Real>(tile: &[T], width: usize, lines: &mut [&mut [T]]) {
    let rows = tile.len() / width;
    for top in (0..rows).step_by(LANES) {
        let height = LANES.min(rows - top);
        for (c, line) in lines.iter_mut().enumerate() {
            for r in 0..height {
                line[top + r] = tile[(top + r) * width + c];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Stream;

    #[test]
    fn loops_agree_with_single_numbers() {
        let mut stream = Stream::new(1, "pairs");
        for n in [LANES, 5 * LANES] {
            let mut random = || -> Vec<f64> { (0..n).map(|_| stream.normal()).collect() };
            let single = |v: Vec<f64>| -> Vec<f32> { v.into_iter().map(|v| v as f32).collect() };
            let (mut f, mut up, mut down) = (random(), random(), random());
            let (ki, kj, diagonal) = (single(random()), single(random()), vec![3.0_f32; n]);
            up[3] = f64::INFINITY;
            down[5] = f64::NEG_INFINITY;
            let expected: Vec<f64> =
                (0..n).map(|i| f[i] + 0.7 * (f64::from(ki[i]) - f64::from(kj[i]))).collect();
            let mut found = Found { at: 0, value: 0.0 };
            follow(&mut f, &ki, &kj, 0.7, &up, &mut found);
            assert!(f.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-14));
            let least = (0..n).min_by(|&a, &b| (f[a] + up[a]).total_cmp(&(f[b] + up[b]))).unwrap();
            assert_eq!(found, Found { at: least, value: f[least] + up[least] });

            let lowest = found.value;
            let (mut best, mut most) = (Found { at: 0, value: 0.0 }, 0.0);
            partner(&f, &down, &ki, &diagonal, 3.0, 1e-12, lowest, &mut best, &mut most);
            let score = |j: usize| {
                let b = (f[j] + down[j] - lowest).max(0.0);
                b * b / f64::from(6.0 - 2.0 * ki[j])
            };
            let largest = (0..n).max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap();
            assert!((score(best.at) / score(largest) - 1.0).abs() < 1e-5);
            let highest = (0..n).map(|j| f[j] + down[j]).fold(f64::NEG_INFINITY, f64::max);
            assert!((most - highest).abs() < 1e-5);
        }
    }

    #[test]
    fn sums_over_columns_and_rows_agree() {
        let mut stream = Stream::new(2, "pairs");
        let (rows, width) = (21, 2 * LANES);
        let tile: Vec<f32> = (0..rows * width).map(|_| stream.normal() as f32).collect();
        let steps: Vec<f64> = (0..width).map(|_| stream.normal()).collect();
        let sum = |r: usize| -> f64 {
            (0..width).map(|c| steps[c] * f64::from(tile[r * width + c])).sum()
        };
        let expected: Vec<f64> = (0..rows).map(|r| 1.0 + sum(r)).collect();
        let mut by_rows = vec![1.0; rows];
        add_rows(&mut by_rows, &tile, &steps);
        let mut lines = vec![vec![0.0_f32; rows]; width];
        let mut places: Vec<&mut [f32]> = lines.iter_mut().map(Vec::as_mut_slice).collect();
        turn(&tile, width, &mut places);
        let columns: Vec<&[f32]> = lines.iter().map(Vec::as_slice).collect();
        let mut by_columns = vec![1.0; rows];
        add_columns(&mut by_columns, &columns, &steps);
        for r in 0..rows {
            assert!((by_rows[r] - expected[r]).abs() < 1e-12);
            assert!((by_columns[r] - expected[r]).abs() < 1e-12);
        }
    }
}
