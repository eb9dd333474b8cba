//! Bodies in chunks.

use super::head::{Refusal, TOO_LARGE};

/// The longest line between chunks.
const LINE: usize = 1024;

/// Puts the chunks of a body together as they come.
#[derive(Debug, Default)]
pub(super) struct Chunks {
    body: Vec<u8>,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq)]
enum State {
    /// A line with the size of a chunk follows.
    #[default]
    Size,
    /// So many bytes of a chunk follow.
    Data(usize),
    /// The end of the line after a chunk follows.
    End,
    /// Lines after the last chunk follow, until an empty one.
    Trailer,
    Done,
}

const BAD: Refusal = (400, "the body is not a valid chunked encoding");

impl Chunks {
    /// Takes what it can from the front of `bytes`; the body once it has ended.
    pub fn take(&mut self, bytes: &mut Vec<u8>, most: usize) -> Result<Option<Vec<u8>>, Refusal> {
        let mut used = 0;
        while self.state != State::Done {
            let Some(step) = self.step(&bytes[used..], most)? else { break };
            used += step;
        }
        bytes.drain(..used);
        Ok((self.state == State::Done).then(|| std::mem::take(&mut self.body)))
    }

    /// The number of bytes that were taken; nothing if more are needed first.
    fn step(&mut self, bytes: &[u8], most: usize) -> Result<Option<usize>, Refusal> {
        if let State::Data(left) = self.state {
            let count = left.min(bytes.len());
            self.body.extend_from_slice(&bytes[..count]);
            self.state = if count == left { State::End } else { State::Data(left - count) };
            return Ok((count > 0).then_some(count));
        }
        let Some(end) = bytes.iter().take(LINE).position(|&byte| byte == b'\n') else {
            return if bytes.len() >= LINE { Err(BAD) } else { Ok(None) };
        };
        let line = bytes[..end].strip_suffix(b"\r").ok_or(BAD)?;
        self.state = match self.state {
            State::Size => self.sized(line, most)?,
            State::End if line.is_empty() => State::Size,
            State::End => return Err(BAD),
            State::Trailer if line.is_empty() => State::Done,
            state => state,
        };
        Ok(Some(end + 1))
    }

    fn sized(&self, line: &[u8], most: usize) -> Result<State, Refusal> {
        let digits = line.split(|&byte| byte == b';').next().unwrap_or_default();
        let text = std::str::from_utf8(digits).map_err(|_| BAD)?.trim_end();
        if text.is_empty() || text.len() > 8 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(BAD);
        }
        match usize::from_str_radix(text, 16).map_err(|_| BAD)? {
            0 => Ok(State::Trailer),
            size if size > most.saturating_sub(self.body.len()) => Err(TOO_LARGE),
            size => Ok(State::Data(size)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str, piece: usize) -> Result<Option<Vec<u8>>, Refusal> {
        let (mut chunks, mut bytes) = (Chunks::default(), Vec::new());
        for part in text.as_bytes().chunks(piece) {
            bytes.extend_from_slice(part);
            if let Some(body) = chunks.take(&mut bytes, 100)? {
                return Ok(Some(body));
            }
        }
        Ok(None)
    }

    #[test]
    fn chunks_come_in_any_pieces() {
        for piece in 1..40 {
            let text = "4;x=y\r\nabcd\r\n3\r\nefg\r\n0\r\nA: b\r\n\r\n";
            assert_eq!(whole(text, piece).unwrap().unwrap(), b"abcdefg");
        }
        assert!(whole("4\r\nab", 3).unwrap().is_none());
    }

    #[test]
    fn what_is_not_in_chunks_is_refused() {
        for text in ["x\r\n", "-1\r\n", "4\nabcd", "2\r\nabcd\r\n", "fffffffff\r\n", "\r\n"] {
            assert_eq!(whole(text, 5).unwrap_err(), BAD, "{text:?}");
        }
        assert_eq!(whole("65\r\n", 5).unwrap_err(), TOO_LARGE);
        assert_eq!(whole(&"1".repeat(2000), 7).unwrap_err(), BAD);
    }
}
