//! Elementwise functions over slices, in place.

use crate::real::Real;

/// eˣ.
pub fn exp<T: Real>(x: &mut [T]) {
    map(x, |v| T::of(v.f64().exp()));
}

/// The hyperbolic tangent.
pub fn tanh<T: Real>(x: &mut [T]) {
    map(x, |v| T::of(v.f64().tanh()));
}

/// The natural logarithm.
pub fn ln<T: Real>(x: &mut [T]) {
    map(x, |v| T::of(v.f64().ln()));
}

/// xᵖ.
pub fn powi<T: Real>(x: &mut [T], p: u32) {
    map(x, |v| T::of(v.f64().powf(f64::from(p))));
}

/// `f` of every number.
pub fn map<T: Real>(x: &mut [T], f: impl Fn(T) -> T + Copy) {
    for v in x {
        *v = f(*v);
    }
}
