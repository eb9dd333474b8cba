//! The compiled kernels are those of the source.

use sha2::{Digest, Sha256};

#[test]
fn the_compiled_kernels_are_those_of_the_source() {
    let (source, compiled) =
        (include_bytes!("../src/kernels/kernels.cu"), include_str!("../src/kernels/kernels.ptx"));
    let sum: String = Sha256::digest(source).iter().map(|byte| format!("{byte:02x}")).collect();
    let first = compiled.lines().next().unwrap();
    assert_eq!(first, format!("// kernels.cu {sum}"), "run `make ptx`");
}
