//! Linear algebra and vector maths.

pub mod pairing;
pub mod vmath;
