//! The frame: which bytes are the header, which are the tensors, and whether they are those that were written.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | length of the head, little endian |
//! | the head | JSON: mercer's header as a text, and name, type, shape and byte range of every tensor |
//! | the rest | the tensors; the last four bytes are the checksum of all bytes before them |

use safetensors::tensor::{Dtype, Metadata};

use super::unique::Unique;

/// Bytes of the head at most. What grows with the data lies in tensors, so that a real head has a few KiB; the bound
/// keeps JSON, which takes many times its length once parsed, from exhausting the memory.
pub const MAX_HEAD: usize = 1 << 20;

/// The key of mercer's header among the metadata of the head.
pub const KEY: &str = "mercer";

/// The name of the tensor that holds the checksum.
pub const CHECKSUM: &str = "checksum";

const LENGTH: usize = 8;

/// How the head of a file written here starts: distinguishes a damaged model from a file of another kind.
const MARK: &[u8] = br#"{"__metadata__":{"mercer":"#;

/// Why bytes are not a model.
#[derive(Debug)]
pub enum Fault {
    /// Something else altogether.
    Foreign(String),
    /// A model that has changed since it was written.
    Damaged(String),
    /// A model of a later format.
    Newer {
        /// Its format.
        format: u64,
        /// The version of mercer that wrote it.
        writer: Option<String>,
    },
    /// Whole, but with a content that no mercer writes.
    Invalid(String),
}

impl Fault {
    /// The message for the user, on one line of bounded length whatever the file holds.
    pub fn text(&self) -> String {
        let text = match self {
            Fault::Foreign(why) => format!("is not a mercer model: {why}"),
            Fault::Damaged(why) => {
                format!(
                    "is damaged: {why}; copy it again from where it was made, or fit the model again"
                )
            }
            Fault::Newer { format, writer } => {
                let writer = writer.as_ref().map(|w| format!(" {w}")).unwrap_or_default();
                format!(
                    "was written by a newer mercer{} (format {format}, this one reads {}): update mercer",
                    shorten(&writer, 20),
                    super::FORMAT
                )
            }
            Fault::Invalid(why) => {
                format!("is not a valid mercer model: {why}; fit the model again")
            }
        };
        shorten(&text, 500)
    }
}

/// At most `most` characters of `text`, none of them a control character.
fn shorten(text: &str, most: usize) -> String {
    let mut short: String =
        text.chars().take(most).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(most).is_some() {
        short.push('…');
    }
    short
}

/// A file whose lengths, byte ranges and checksum agree.
pub struct Frame<'a> {
    /// mercer's header, JSON.
    pub header: String,
    /// Names, types, shapes and byte ranges; the ranges follow one another and fill `data`.
    pub tensors: Metadata,
    /// All tensors.
    pub data: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Takes a file apart.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, Fault> {
        let end = head_end(bytes)?;
        let tensors = head(bytes, end)?;
        let data = &bytes[end..];
        compare_lengths(bytes.len(), total(end, &tensors)?)?;
        let notes = tensors.metadata().as_ref();
        let header = notes.and_then(|notes| notes.get(KEY)).cloned().ok_or_else(|| {
            Fault::Foreign("it is a safetensors file without the header of one".into())
        })?;
        check_sum(bytes, &tensors)?;
        Ok(Self { header, tensors, data })
    }
}

/// Where the head ends, as the first bytes promise: at most [`MAX_HEAD`] behind its start.
pub fn head_end(bytes: &[u8]) -> Result<usize, Fault> {
    if bytes.is_empty() {
        return Err(Fault::Foreign("it is empty".into()));
    }
    let Some(length) = bytes.first_chunk::<LENGTH>().map(|bytes| u64::from_le_bytes(*bytes)) else {
        return Err(Fault::Foreign(format!("it has {} bytes, too few for one", bytes.len())));
    };
    match usize::try_from(length) {
        Ok(length) if length <= MAX_HEAD => Ok(LENGTH + length),
        _ => Err(blame(bytes, "it does not start with the length of a header")),
    }
}

/// The bytes of the whole file, as its head (complete in `bytes`, up to `end`) promises.
pub fn promised(bytes: &[u8], end: usize) -> Result<usize, Fault> {
    total(end, &head(bytes, end)?)
}

fn total(end: usize, tensors: &Metadata) -> Result<usize, Fault> {
    let sum = end.checked_add(tensors.data_len());
    sum.ok_or_else(|| Fault::Invalid("its tensors have more bytes than can be counted".into()))
}

fn head(bytes: &[u8], end: usize) -> Result<Metadata, Fault> {
    let Some(head) = bytes.get(LENGTH..end) else {
        return Err(blame(bytes, "it ends within its header"));
    };
    let unreadable = |error| blame(bytes, &format!("its header cannot be read: {error}"));
    serde_json::from_slice::<Unique>(head).map_err(unreadable)?;
    serde_json::from_slice(head).map_err(unreadable)
}

/// The fault of bytes that cannot be read: damage if they start as a model does.
fn blame(bytes: &[u8], why: &str) -> Fault {
    let start = &bytes[LENGTH.min(bytes.len())..];
    let same = start.iter().zip(MARK).take_while(|(a, b)| a == b).count();
    let is_ours = same > 0 && same == start.len().min(MARK.len());
    if is_ours { Fault::Damaged(why.into()) } else { Fault::Foreign(why.into()) }
}

fn compare_lengths(found: usize, promised: usize) -> Result<(), Fault> {
    if found < promised {
        return Err(Fault::Damaged(format!("it was cut off after {found} of {promised} bytes")));
    }
    if found > promised {
        return Err(Fault::Damaged(format!("{} bytes follow its end", found - promised)));
    }
    Ok(())
}

fn check_sum(bytes: &[u8], tensors: &Metadata) -> Result<(), Fault> {
    let info = tensors.info(CHECKSUM).ok_or_else(|| Fault::Damaged("it has no checksum".into()))?;
    let is_last = info.data_offsets.1 == tensors.data_len();
    if (info.dtype, info.shape.as_slice(), is_last) != (Dtype::U8, &[4], true) {
        return Err(Fault::Damaged("its checksum is not in the last four bytes".into()));
    }
    let (content, sum) = bytes.split_at(bytes.len() - 4);
    if crc32fast::hash(content).to_le_bytes() != sum {
        return Err(Fault::Damaged("its checksum does not match".into()));
    }
    Ok(())
}
