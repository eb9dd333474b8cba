//! Dot products with entries from anywhere.

/// Partial sums side by side, so that additions need not wait for each other.
const LANES: usize = 8;

/// Σ_j a_j b_p, p the place of j.
pub fn dot(a: &[f64], b: &[f64], places: &[u32]) -> f64 {
    assert_eq!(a.len(), places.len());
    let mut sums = [0.0; LANES];
    let whole = a.len() / LANES * LANES;
    let (pieces, ends) = (a[..whole].chunks_exact(LANES), places[..whole].chunks_exact(LANES));
    for (a, places) in pieces.zip(ends) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[places[lane] as usize];
        }
    }
    let rest = a[whole..].iter().zip(&places[whole..]);
    sums.iter().sum::<f64>() + rest.map(|(a, &place)| a * b[place as usize]).sum::<f64>()
}

#[cfg(test)]
mod tests {
    #[test]
    fn entries_are_gathered_by_their_places() {
        for n in [0, 1, 7, 8, 21] {
            let a: Vec<f64> = (0..n).map(|i| f64::from(i) + 0.5).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(i * i)).collect();
            let places: Vec<u32> = (0..n as u32).rev().collect();
            let expected: f64 = (0..n as usize).map(|i| a[i] * b[n as usize - 1 - i]).sum();
            assert!((super::dot(&a, &b, &places) - expected).abs() <= 1e-12 * expected.abs());
        }
    }
}
