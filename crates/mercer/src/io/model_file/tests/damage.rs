//! Every change of a file is found.

use std::path::Path;

use proptest::prelude::*;

use super::super::{from_bytes, to_bytes};
use super::{full, pca, refused};

/// Each byte of a file counts, padding too: the checksum covers all of them.
#[test]
fn every_flipped_byte_is_found() {
    let bytes = to_bytes(&pca()).unwrap();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x20, 0x80, 0xff] {
            let mut altered = bytes.clone();
            altered[at] ^= flip;
            let message = refused(&altered);
            assert!(message.contains("damaged") || at < 40, "byte {at}: {message}");
        }
    }
}

#[test]
fn every_truncation_is_found() {
    let bytes = to_bytes(&pca()).unwrap();
    for length in 0..bytes.len() {
        let message = refused(&bytes[..length]);
        let foreign = length <= 8;
        let part = if foreign { "is not a mercer model" } else { "is damaged" };
        assert!(message.contains(part), "{length} bytes: {message}");
    }
    assert!(refused(b"").contains("it is empty"));
    assert!(refused(&bytes[..bytes.len() - 1]).contains("cut off after"));
    let longer = [bytes.as_slice(), b"\n"].concat();
    assert!(refused(&longer).contains("1 bytes follow its end"), "{}", refused(&longer));
}

#[test]
fn messages_name_the_file_and_the_way_out() {
    let mut bytes = to_bytes(&full()).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let message = refused(&bytes);
    assert!(message.starts_with("m.mercer: is damaged: its checksum does not match"), "{message}");
    assert!(message.contains("copy it again"), "{message}");
    let message = refused(b"a,b\n1,2\n3,4\n5,6\n7,8\n");
    assert!(message.starts_with("m.mercer: is not a mercer model"), "{message}");
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(from_bytes(Path::new("x"), &bytes).is_err());
    }

    /// Bytes after a length that fits, so that the parser of the head sees them.
    #[test]
    fn arbitrary_heads_do_no_harm(head in "[\\[\\]{}\",:0-9a-z_ .-]{0,200}") {
        let mut bytes = (head.len() as u64).to_le_bytes().to_vec();
        bytes.extend(head.as_bytes());
        prop_assert!(from_bytes(Path::new("x"), &bytes).is_err());
    }
}
