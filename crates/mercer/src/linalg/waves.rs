//! Sines and cosines of slices, in place, compiled for the instruction set in use.

use super::simd::{BASE_FUSED, dispatch};
use crate::real::Real;

dispatch! {
    /// `x ← scale·cos x` and `sines ← scale·sin x`, of equal length, for angles that are all [`narrow`].
    fn pairs<T: Real>(x: &mut [T], sines: &mut [T], scale: T) =
        pairs_body: avx512 [T, true], avx2 [T, true], base [T, BASE_FUSED];
}

dispatch! {
    /// `x ← scale·cos(x + phase)`, for angles that are all [`narrow`].
    fn cosines<T: Real>(x: &mut [T], phases: &[T], scale: T) =
        cosines_body: avx512 [T, true], avx2 [T, true], base [T, BASE_FUSED];
}

dispatch! {
    fn narrow<T: Real>(x: &[T], answer: &mut bool) =
        narrow_body: avx512 [T], avx2 [T], base [T];
}

/// `x ← scale·cos x` and `sines ← scale·sin x`, of equal length. False if an angle is not finite.
#[must_use]
pub fn pairs_of<T: Real>(x: &mut [T], sines: &mut [T], scale: T) -> bool {
    assert_eq!(x.len(), sines.len());
    if all_narrow(x) {
        pairs(x, sines, scale);
        return true;
    }
    let mut finite = true;
    for (x, sine) in x.iter_mut().zip(sines) {
        finite &= x.is_finite();
        let (s, c) = any(*x);
        (*x, *sine) = (c * scale, s * scale);
    }
    finite
}

/// `x ← scale·cos(x + phase)`, of equal length, for phases of at most a few turns. False if an angle is not finite.
#[must_use]
pub fn cosines_of<T: Real>(x: &mut [T], phases: &[T], scale: T) -> bool {
    assert_eq!(x.len(), phases.len());
    if all_narrow(x) {
        cosines(x, phases, scale);
        return true;
    }
    let mut finite = true;
    for (x, &phase) in x.iter_mut().zip(phases) {
        finite &= x.is_finite();
        *x = any(*x + phase).1 * scale;
    }
    finite
}

/// Sine and cosine of any angle, the same bits as of the loops where those apply.
fn any<T: Real>(x: T) -> (T, T) {
    if x.abs() <= T::WIDEST_ANGLE {
        let (mut cosine, mut sine) = ([x], [T::ZERO]);
        pairs(&mut cosine, &mut sine, T::ONE);
        return (sine[0], cosine[0]);
    }
    x.any_sin_cos()
}

/// Whether all angles, and the sum of each with a few turns, are within the range of the loops.
fn all_narrow<T: Real>(x: &[T]) -> bool {
    let mut answer = true;
    narrow(x, &mut answer);
    answer
}

#[inline(always)]
fn narrow_body<T: Real>(x: &[T], answer: &mut bool) {
    let widest = T::WIDEST_ANGLE * T::from_f64(0.99);
    // Not a comparison the other way round: an angle that is not a number must not pass.
    *answer = x.iter().fold(true, |all, v| all & (v.abs() <= widest));
}

#[inline(always)]
fn pairs_body<T: Real, const FUSED: bool>(x: &mut [T], sines: &mut [T], scale: T) {
    for (x, sine) in x.iter_mut().zip(sines) {
        let (s, c) = x.sin_cos::<FUSED>();
        (*x, *sine) = (c * scale, s * scale);
    }
}

#[inline(always)]
fn cosines_body<T: Real, const FUSED: bool>(x: &mut [T], phases: &[T], scale: T) {
    for (x, &phase) in x.iter_mut().zip(phases) {
        *x = (*x + phase).sin_cos::<FUSED>().1 * scale;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Real>(angles: &[f64], tolerance: f64) {
        let x: Vec<T> = angles.iter().map(|&v| T::from_f64(v)).collect();
        let phases: Vec<T> = (0..x.len()).map(|i| T::from_f64(0.1 * i as f64 % 6.0)).collect();
        let (mut cosine, mut sine, mut shifted) = (x.clone(), vec![T::ZERO; x.len()], x.clone());
        assert!(pairs_of(&mut cosine, &mut sine, T::from_f64(0.5)));
        assert!(cosines_of(&mut shifted, &phases, T::ONE));
        for (i, x) in x.iter().enumerate() {
            let (s, c) = x.to_f64().sin_cos();
            assert!((cosine[i].to_f64() - 0.5 * c).abs() < tolerance, "cos {x:?}");
            assert!((sine[i].to_f64() - 0.5 * s).abs() < tolerance, "sin {x:?}");
            let moved = (*x + phases[i]).to_f64().cos();
            assert!((shifted[i].to_f64() - moved).abs() < tolerance, "cos {x:?} + phase");
        }
    }

    #[test]
    fn slices_of_every_length_and_of_wide_angles_agree_with_single_numbers() {
        for length in 0..40 {
            let mut angles: Vec<f64> = (0..length).map(|i| f64::from(i) * 7.3 - 90.0).collect();
            check::<f64>(&angles, 1e-15);
            check::<f32>(&angles, 2e-7);
            angles.push(3e12);
            check::<f64>(&angles, 1e-15);
            check::<f32>(&angles, 2e-7);
        }
    }

    #[test]
    fn a_wide_angle_does_not_change_the_others() {
        let mut few = [1.25, -3.5, 100.0];
        let mut more = [1.25, -3.5, 100.0, 1e300];
        assert!(pairs_of(&mut few, &mut [0.0; 3], 0.3) && pairs_of(&mut more, &mut [0.0; 4], 0.3));
        assert_eq!(few, more[..3]);
    }

    #[test]
    fn angles_that_are_not_finite_are_reported() {
        for wrong in [f64::NAN, f64::INFINITY] {
            assert!(!pairs_of(&mut [0.0, wrong], &mut [0.0; 2], 1.0));
            assert!(!cosines_of(&mut [wrong, 0.0], &[0.0; 2], 1.0));
        }
    }
}
