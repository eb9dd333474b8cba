//! The compiled kernels are those of the source.

use std::io::Read;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

#[test]
fn the_compiled_kernels_are_those_of_the_source() {
    let source = include_bytes!("../src/kernels/kernels.cu");
    let mut compiled = String::new();
    let packed = include_bytes!("../src/kernels/kernels.ptx.gz").as_slice();
    GzDecoder::new(packed).read_to_string(&mut compiled).unwrap();
    let sum: String = Sha256::digest(source).iter().map(|byte| format!("{byte:02x}")).collect();
    let first = compiled.lines().next().unwrap();
    assert_eq!(first, format!("// kernels.cu {sum}"), "run `make ptx`");
}
