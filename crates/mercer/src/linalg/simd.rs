//! Run-time choice of vector instructions.
//!
//! A hot loop is written once, as a plain generic function over fixed-size arrays, and compiled three times: for
//! AVX-512, for AVX2 with fused multiply-add, and for whatever the target always has (SSE2 on x86-64, NEON on
//! aarch64). The compiler does the vectorising; the road not taken, intrinsics, would say the same three times by hand.

use std::sync::OnceLock;

/// Which compilation of a hot loop this processor runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What every processor of the target has.
    Base,
    /// 256-bit vectors with fused multiply-add.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

impl Level {
    /// The level in words.
    pub fn name(self) -> &'static str {
        match self {
            Level::Base if cfg!(target_arch = "x86_64") => "SSE2",
            Level::Base if cfg!(target_arch = "aarch64") => "NEON",
            Level::Base => "no vector instructions that were looked for",
            Level::Avx2 => "AVX2",
            Level::Avx512 => "AVX-512",
        }
    }
}

/// The level of this processor, detected once.
pub fn level() -> Level {
    static LEVEL: OnceLock<Level> = OnceLock::new();
    *LEVEL.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Level {
    let wide = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl");
    let fused = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    match (wide && fused, fused) {
        (true, _) => Level::Avx512,
        (_, true) => Level::Avx2,
        _ => Level::Base,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Level {
    Level::Base
}

pub use crate::real::vector::BASE_FUSED;

/// Defines `pub fn name` that runs `body` compiled for the processor at hand. `body` is an `#[inline(always)]` generic
/// function; the three turbofish lists give its parameters per level, by which it learns lane counts and whether
/// multiply-add is fused.
macro_rules! dispatch {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident<T: Real $(, $g:ident: $bound:path)*>($($arg:ident: $type:ty),* $(,)?) =
            $body:ident: avx512 [$($wide:tt)*], avx2 [$($mid:tt)*], base [$($low:tt)*];
    ) => {
        $(#[$meta])*
        $vis fn $name<T: Real $(, $g: $bound)*>($($arg: $type),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
                fn wide<T: Real $(, $g: $bound)*>($($arg: $type),*) {
                    $body::<$($wide)*>($($arg),*)
                }
                #[target_feature(enable = "avx2,fma")]
                fn mid<T: Real $(, $g: $bound)*>($($arg: $type),*) {
                    $body::<$($mid)*>($($arg),*)
                }
                match $crate::linalg::simd::level() {
                    // SAFETY: the level was detected on this processor.
                    $crate::linalg::simd::Level::Avx512 => return unsafe { wide::<T $(, $g)*>($($arg),*) },
                    // SAFETY: the level was detected on this processor.
                    $crate::linalg::simd::Level::Avx2 => return unsafe { mid::<T $(, $g)*>($($arg),*) },
                    $crate::linalg::simd::Level::Base => {}
                }
            }
            $body::<$($low)*>($($arg),*)
        }
    };
}
pub(crate) use dispatch;
