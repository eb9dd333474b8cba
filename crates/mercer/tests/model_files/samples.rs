//! The samples of the golden files: what the models were fitted on, and what the tests project.

/// Training samples.
#[allow(dead_code)] // The tests only read models; the example that writes them fits.
pub const N: usize = 7;
/// Features.
pub const D: usize = 2;
/// New samples, M × D.
pub const NEW: [f64; M * D] = [0.5, -0.25, 2.0, 1.0, -1.5, 0.75];
/// How many.
pub const M: usize = 3;

/// N × D training samples, all of them short binary fractions, so that both number types hold them exactly.
#[allow(dead_code)]
pub fn training() -> Vec<f64> {
    let entry = |i: usize| ((i * i * 37 + i * 11) % 64) as f64 / 16.0 - 2.0;
    (0..N * D).map(entry).collect()
}
