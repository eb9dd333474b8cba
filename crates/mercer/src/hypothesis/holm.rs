//! Many tests at once.

/// p-values adjusted by Holm's method, in the order given: rejecting those up to a level keeps the probability of any false rejection below
/// it, whatever the dependence between the tests.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let (mut adjusted, mut least) = (vec![0.0; p_values.len()], 0.0_f64);
    for (rank, &test) in order.iter().enumerate() {
        least = least.max((p_values.len() - rank) as f64 * p_values[test]);
        adjusted[test] = least.min(1.0);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::holm;

    #[test]
    fn adjusted_p_values_are_those_of_the_textbook() {
        let found = holm(&[0.01, 0.04, 0.03, 0.005]);
        let expected = [0.03, 0.06, 0.06, 0.02];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?}");
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }
}
