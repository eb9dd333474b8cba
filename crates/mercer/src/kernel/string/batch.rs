//! Sequences side by side: the same place of each in one array, as functions of several pairs at once take them.

use super::coded::Coded;

/// The first, second, … symbols of the sequences `which`, the last of them repeated to fill the lanes. `end` stands where a
/// sequence has ended already.
pub(super) fn lanes<S: Copy, const LANES: usize>(
    texts: &Coded,
    which: &[usize],
    end: S,
    symbol: impl Fn(u32) -> S,
) -> Vec<[S; LANES]> {
    let last = which.len() - 1;
    let texts: [&[u32]; LANES] = std::array::from_fn(|lane| texts.get(which[lane.min(last)]));
    let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
    let mut out = vec![[end; LANES]; longest];
    for (lane, text) in texts.into_iter().enumerate() {
        for (place, &number) in out.iter_mut().zip(text) {
            place[lane] = symbol(number);
        }
    }
    out
}
