//! Run-time choice of vector instructions.
//!
//! A hot loop is written once, as a plain generic function over fixed-size arrays, and compiled three times: for
//! AVX-512, for AVX2 with fused multiply-add, and for whatever the target always has (SSE2 on x86-64, NEON on
//! aarch64). The compiler does the vectorising; the alternative, intrinsics, would repeat the same code three times by hand.

use std::ffi::OsStr;
use std::sync::OnceLock;

use crate::error::{Error, Result};

/// The environment variable that forces a level, for support: `avx512`, `avx2` or `plain`. It is read once in a process.
pub const VARIABLE: &str = "MERCER_SIMD";

/// Which compilation of a hot loop this processor runs. A processor that has a level has those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every processor of the target has.
    Base,
    /// 256-bit vectors with fused multiply-add.
    Avx2,
    /// 512-bit vectors.
    Avx512,
}

impl Level {
    /// All levels, the lowest first.
    pub const ALL: [Level; 3] = [Level::Base, Level::Avx2, Level::Avx512];

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

    /// The value of [`VARIABLE`] that forces the level.
    pub fn value(self) -> &'static str {
        match self {
            Level::Base => "plain",
            Level::Avx2 => "avx2",
            Level::Avx512 => "avx512",
        }
    }
}

/// The level that hot loops run at: what [`VARIABLE`] says, else the highest of this processor.
///
/// # Panics
/// If [`VARIABLE`] holds a value that is unknown or that this processor cannot run; programs ask [`chosen`] first.
#[inline]
pub fn level() -> Level {
    match choice() {
        Ok(level) => *level,
        Err(message) => refused(message),
    }
}

#[cold]
fn refused(message: &str) -> ! {
    panic!("{VARIABLE}: {message}")
}

/// The level that hot loops run at, or what is wrong with the value of [`VARIABLE`].
pub fn chosen() -> Result<Level> {
    choice().clone().map_err(|message| Error::parameter(VARIABLE, message))
}

fn choice() -> &'static std::result::Result<Level, String> {
    static CHOICE: OnceLock<std::result::Result<Level, String>> = OnceLock::new();
    CHOICE.get_or_init(|| choose(std::env::var_os(VARIABLE).as_deref(), highest()))
}

/// The level that `value` asks for, of those up to `highest`; an empty value asks for nothing.
fn choose(value: Option<&OsStr>, highest: Level) -> std::result::Result<Level, String> {
    let Some(value) = value.filter(|value| !value.is_empty()) else {
        return Ok(highest);
    };
    let offered: Vec<_> = Level::ALL.into_iter().filter(|level| *level <= highest).collect();
    let values = offered.iter().map(|level| level.value()).collect::<Vec<_>>().join(" or ");
    match Level::ALL.into_iter().find(|level| value == level.value()) {
        Some(level) if level <= highest => Ok(level),
        Some(level) => {
            Err(format!("this processor has no {}; use {values}, or unset it", level.name()))
        }
        None => Err(format!("{:?} is unknown; use {values}, or unset it", value.to_string_lossy())),
    }
}

/// The highest level of this processor.
#[cfg(all(target_arch = "x86_64", not(miri)))]
pub fn highest() -> Level {
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

/// The highest level of this processor.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub fn highest() -> Level {
    Level::Base
}

pub use crate::real::vector::BASE_FUSED;

/// Defines `pub fn name` that runs `body` compiled for the instruction set in use. `body` is an `#[inline(always)]` generic
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
                    // SAFETY: `level` is never above what was detected on this processor, so it has these instructions.
                    $crate::linalg::simd::Level::Avx512 => return unsafe { wide::<T $(, $g)*>($($arg),*) },
                    // SAFETY: as above.
                    $crate::linalg::simd::Level::Avx2 => return unsafe { mid::<T $(, $g)*>($($arg),*) },
                    $crate::linalg::simd::Level::Base => {}
                }
            }
            $body::<$($low)*>($($arg),*)
        }
    };
}
pub(crate) use dispatch;

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(value: &str, highest: Level) -> std::result::Result<Level, String> {
        super::choose(Some(OsStr::new(value)), highest)
    }

    #[test]
    fn a_value_forces_a_level_up_to_that_of_the_processor() {
        for highest in Level::ALL {
            assert_eq!(super::choose(None, highest), Ok(highest));
            assert_eq!(choose("", highest), Ok(highest));
            for level in Level::ALL {
                assert_eq!(
                    choose(level.value(), highest).ok(),
                    (level <= highest).then_some(level)
                );
            }
        }
    }

    #[test]
    fn a_refusal_says_what_to_do() {
        let message = choose("avx512", Level::Avx2).unwrap_err();
        assert_eq!(message, "this processor has no AVX-512; use plain or avx2, or unset it");
        let message = choose("sse9", Level::Base).unwrap_err();
        assert_eq!(message, "\"sse9\" is unknown; use plain, or unset it");
    }

    /// Whoever runs the tests at a level must know that they ran there.
    #[test]
    fn this_process_runs_at_the_level_it_was_told_to() {
        let forced = std::env::var(VARIABLE).unwrap_or_default();
        let want = if forced.is_empty() { highest().value() } else { &forced };
        assert_eq!(level().value(), want);
        assert_eq!(chosen().unwrap(), level());
    }
}
