//! Lines from pieces: a contour comes cell by cell, and is drawn as few long lines, so that it can be
//! dashed.

use std::collections::HashMap;

/// A straight piece of a line, by its ends in pixels.
pub(crate) type Piece = [[f64; 2]; 2];

/// Path data of the lines that `pieces` make up, in any order and direction.
pub(crate) fn joined(pieces: &[Piece]) -> String {
    let mut meeting: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
    for (index, piece) in pieces.iter().enumerate() {
        piece.iter().for_each(|end| meeting.entry(key(*end)).or_default().push(index));
    }
    // Open lines first, each from an end of its own; what is left then are rings.
    let is_free = |end: [f64; 2]| meeting[&key(end)].len() != 2;
    let starts = |index: usize| pieces[index].map(|end| (index, end));
    let (open, rings): (Vec<_>, Vec<_>) =
        (0..pieces.len()).flat_map(starts).partition(|(_, end)| is_free(*end));
    let mut used = vec![false; pieces.len()];
    let mut data = String::new();
    for (start, end) in open.into_iter().chain(rings) {
        if !used[start] {
            data += &line_from(start, end, pieces, &meeting, &mut used);
        }
    }
    data
}

/// The line that begins with piece `start` at its end `from`.
fn line_from(
    start: usize,
    from: [f64; 2],
    pieces: &[Piece],
    meeting: &HashMap<[i64; 2], Vec<usize>>,
    used: &mut [bool],
) -> String {
    let mut data = format!("M{:.1} {:.1}", from[0], from[1]);
    let (mut end, mut next) = (from, Some(start));
    while let Some(piece) = next {
        used[piece] = true;
        let [first, second] = pieces[piece];
        end = if key(first) == key(end) { second } else { first };
        data += &format!("L{:.1} {:.1}", end[0], end[1]);
        next = meeting[&key(end)].iter().copied().find(|&index| !used[index]);
    }
    data
}

/// Ends that lie within a hundredth of a pixel are the same.
fn key(point: [f64; 2]) -> [i64; 2] {
    point.map(|value| (100.0 * value).round() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_in_any_order_make_one_line() {
        let at = |i: f64| [i, 0.0];
        let pieces = [[at(3.0), at(2.0)], [at(0.0), at(1.0)], [at(1.0), at(2.0)]];
        assert_eq!(joined(&pieces), "M3.0 0.0L2.0 0.0L1.0 0.0L0.0 0.0");
    }

    #[test]
    fn a_ring_is_closed_and_lines_that_do_not_meet_are_apart() {
        let ring = [[[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 0.0]]];
        assert_eq!(joined(&ring), "M0.0 0.0L1.0 0.0L0.0 1.0L0.0 0.0");
        let apart = [[[0.0, 0.0], [1.0, 0.0]], [[5.0, 0.0], [6.0, 0.0]]];
        assert_eq!(joined(&apart).matches('M').count(), 2);
        assert_eq!(joined(&[]), "");
    }
}
