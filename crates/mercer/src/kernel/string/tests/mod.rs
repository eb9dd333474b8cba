//! Every family against its definition, written out as plain loops, and the laws that all of them keep.

mod laws;
mod map;
mod naive;
mod oracle;
mod worked;

use super::StringMember;
use crate::error::Result;
use crate::kernel::{KernelSpec, Tile};
use crate::points::{Span, Strings};
use crate::real::Real;

fn strings<S: AsRef<str>>(texts: &[S]) -> Strings {
    Strings::new(texts).unwrap()
}

fn try_member(text: &str) -> Result<StringMember> {
    let spec: KernelSpec = text.parse().unwrap_or_else(|error| panic!("{error}"));
    assert!(spec.is_resolved(), "{text} waits for data");
    StringMember::new(spec.as_leaf().unwrap())
}

fn member(text: &str) -> StringMember {
    try_member(text).unwrap_or_else(|error| panic!("{error}"))
}

fn tile<T: Real>(
    member: &StringMember,
    rows: Span<'_, Strings>,
    cols: Span<'_, Strings>,
) -> Vec<T> {
    let mut out = vec![T::from_f64(-7.0); rows.len() * cols.len()];
    let mut target = Tile::new(&mut out, rows.len(), cols.len(), cols.len());
    member.tile(rows, cols, &mut target).unwrap();
    out
}

fn values(member: &StringMember, x: &Strings, y: &Strings) -> Vec<f64> {
    tile(member, Span::all(x), Span::all(y))
}

fn diag(member: &StringMember, x: &Strings) -> Vec<f64> {
    let mut out = vec![-7.0; x.n()];
    member.diag(Span::all(x), &mut out).unwrap();
    out
}
