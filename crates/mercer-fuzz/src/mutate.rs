//! Mutations of an input that depend on a seed alone.

use mercer::context::Stream;

const VALUES: [u8; 12] = [0, 1, 0x7f, 0x80, 0xff, b'0', b'9', b'-', b',', b'"', b'\n', b':'];

/// `input` with one to four random changes, of which some take a part of `other`.
pub fn mutated(input: &[u8], other: &[u8], seed: u64) -> Vec<u8> {
    let mut stream = Stream::new(seed, "mutation");
    let mut bytes = input.to_vec();
    for _ in 0..=stream.below(4) {
        change(&mut bytes, other, &mut stream);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], stream: &mut Stream) {
    let at = stream.below(bytes.len() + 1);
    let end = (at + 1 + stream.below(16)).min(bytes.len());
    match stream.below(7) {
        0 if at < bytes.len() => bytes[at] ^= 1 << stream.below(8),
        1 if at < bytes.len() => bytes[at] = VALUES[stream.below(VALUES.len())],
        2 => drop(bytes.drain(at.min(end)..end)),
        3 => {
            let copy = bytes[at.min(end)..end].to_vec();
            bytes.splice(at..at, copy);
        }
        4 => bytes.truncate(at),
        5 if !other.is_empty() => {
            let from = stream.below(other.len());
            let to = (from + 1 + stream.below(32)).min(other.len());
            bytes.splice(at..at, other[from..to].iter().copied());
        }
        _ => bytes.insert(at, stream.bits() as u8),
    }
}
