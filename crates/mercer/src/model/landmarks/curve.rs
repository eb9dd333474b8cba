//! The error by the number of landmarks.
//!
//! Feature j of φ̂(x) = L⁻¹ k_Z(x) is what landmark j adds to those before it, so that Σ_{i ≤ j} Σ_x w φ̂_i(x)² is the trace that the first j landmarks
//! explain, whichever way they were chosen.

use super::Curve;

/// Points of a curve between its ends, at most.
const POINTS: usize = 48;

/// The share of `trace` that is left after some numbers of landmarks, given what each of them adds.
pub(crate) fn curve(added: &[f64], trace: f64) -> Curve {
    let (m, mut explained) = (added.len(), 0.0);
    let mut points = vec![(0, 1.0)];
    for (place, more) in added.iter().enumerate() {
        explained += more;
        let count = place + 1;
        if is_shown(count, m) {
            let share = if trace > 0.0 { (1.0 - explained / trace).max(0.0) } else { 0.0 };
            points.push((count, share));
        }
    }
    points
}

/// Whether a curve up to m landmarks has a point at `count`: few, the closer the fewer landmarks there are.
fn is_shown(count: usize, m: usize) -> bool {
    let step = (m as f64).ln() / POINTS as f64;
    let place = |count: usize| ((count as f64).ln() / step).floor();
    m <= POINTS || count == m || count == 1 || place(count) > place(count - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_falls_by_what_landmarks_add_and_has_few_points() {
        let found = curve(&[2.0, 1.0, 0.5], 4.0);
        assert_eq!(found, [(0, 1.0), (1, 0.5), (2, 0.25), (3, 0.125)]);
        let many = curve(&vec![1e-3; 5000], 5.0);
        assert!((20..=POINTS + 3).contains(&many.len()), "{}", many.len());
        assert_eq!((many[0], many[1].0, many[many.len() - 1].0), ((0, 1.0), 1, 5000));
        assert!(many.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[1].1 <= pair[0].1));
        assert_eq!(curve(&[0.0], 0.0), [(0, 1.0), (1, 0.0)]);
    }
}
