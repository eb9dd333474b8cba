//! A reader of Thrift's compact protocol, in which footers and page headers of Parquet are written.

/// The type of a field's value.
pub(super) enum Shape {
    Bool,
    Byte,
    I16,
    I32,
    I64,
    Double,
    Text,
    /// A list of values of one type.
    List(&'static Shape),
    /// The fields by their numbers. Others may be there too.
    Struct(&'static [(i64, Shape)]),
}

impl Shape {
    /// Whether values of this type are written as `kind`.
    fn is(&self, kind: u8) -> bool {
        match self {
            Shape::Bool => matches!(kind, 1 | 2),
            Shape::Byte => kind == 3,
            Shape::I16 => kind == 4,
            Shape::I32 => kind == 5,
            Shape::I64 => kind == 6,
            Shape::Double => kind == 7,
            Shape::Text => kind == 8,
            Shape::List(_) => kind == LIST,
            Shape::Struct(_) => kind == STRUCT,
        }
    }
}

/// The kind of a list, and of a struct.
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// Structs and lists within one another, at most.
const DEEPEST: u8 = 32;

/// The rest of a text in Thrift's compact protocol. `None` is a text that breaks off or that no writer makes.
pub(super) struct Compact<'a>(pub(super) &'a [u8]);

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    pub(super) fn take(&mut self, count: i64) -> Option<()> {
        self.0 = self.0.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    /// Seven bits a byte, the lowest first.
    fn unsigned(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    /// Signs alternate: 0, −1, 1, −2, …
    pub(super) fn integer(&mut self) -> Option<i64> {
        self.unsigned().map(|value| (value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// Calls `visit` with the number and the type of each field of a struct; it reads or skips the value.
    pub(super) fn fields(
        &mut self,
        mut visit: impl FnMut(&mut Self, i64, u8) -> Option<()>,
    ) -> Option<()> {
        let mut id = 0_i64;
        loop {
            let head = self.byte()?;
            let (step, kind) = (head >> 4, head & 15);
            if kind == 0 {
                return Some(());
            }
            id = if step == 0 { self.integer()? } else { id.saturating_add(step.into()) };
            visit(self, id, kind)?;
        }
    }

    /// Skips a struct with these fields.
    pub(super) fn check_struct(&mut self, known: &[(i64, Shape)]) -> Option<()> {
        self.fields(|input, id, kind| match known.iter().find(|(number, _)| *number == id) {
            Some((_, shape)) => input.check(shape, kind),
            None => input.skip(kind),
        })
    }

    fn check(&mut self, shape: &Shape, kind: u8) -> Option<()> {
        if !shape.is(kind) {
            return None;
        }
        match shape {
            Shape::Struct(known) => self.check_struct(known),
            Shape::List(element) => {
                let (length, kind) = self.list_head()?;
                (0..length).try_for_each(|_| self.check(element, kind))
            }
            _ => self.skip(kind),
        }
    }

    /// Skips the value of a field.
    pub(super) fn skip(&mut self, kind: u8) -> Option<()> {
        self.skip_within(kind, DEEPEST)
    }

    fn skip_within(&mut self, kind: u8, deepest: u8) -> Option<()> {
        let deeper = deepest.checked_sub(1)?;
        match kind {
            1 | 2 => Some(()), // The type of a boolean field is its value.
            3..=8 | 13 => self.skip_plain(kind),
            9 | 10 => self.skip_list(deeper),
            11 => self.skip_map(deeper),
            STRUCT => self.fields(|input, _, kind| input.skip_within(kind, deeper)),
            _ => None,
        }
    }

    fn skip_plain(&mut self, kind: u8) -> Option<()> {
        match kind {
            3 => self.take(1),
            4..=6 => self.unsigned().map(drop),
            7 => self.take(8),
            13 => self.take(16),
            _ => {
                let length = self.unsigned()?;
                self.take(i64::try_from(length).ok()?)
            }
        }
    }

    fn skip_list(&mut self, deepest: u8) -> Option<()> {
        let (length, kind) = self.list_head()?;
        self.skip_entries(length, &[kind], deepest)
    }

    /// The length of a list and the kind of its entries.
    fn list_head(&mut self) -> Option<(u64, u8)> {
        let head = self.byte()?;
        let short = u64::from(head >> 4);
        let length = if short == 15 { self.unsigned()? } else { short };
        self.plausible(length).map(|length| (length, head & 15))
    }

    /// Every entry takes a byte at least, so that a length beyond what is left cannot be right.
    fn plausible(&self, length: u64) -> Option<u64> {
        (length <= self.0.len() as u64).then_some(length)
    }

    fn skip_map(&mut self, deepest: u8) -> Option<()> {
        let length = self.unsigned().and_then(|length| self.plausible(length))?;
        let kinds = if length > 0 { self.byte()? } else { 0 };
        self.skip_entries(length, &[kinds >> 4, kinds & 15], deepest)
    }

    /// Booleans in a list take a byte each, which the crate does not know when it skips them; no footer has lists of them.
    fn skip_entries(&mut self, length: u64, kinds: &[u8], deepest: u8) -> Option<()> {
        if length > 0 && kinds.iter().any(|kind| Shape::Bool.is(*kind)) {
            return None;
        }
        for _ in 0..length {
            kinds.iter().try_for_each(|kind| self.skip_within(*kind, deepest))?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(bytes: &[u8]) -> Option<usize> {
        let mut input = Compact(bytes);
        input.skip(STRUCT).map(|()| bytes.len() - input.0.len())
    }

    #[test]
    fn structs_are_walked_to_their_end() {
        // Field 1: the integer −3; field 2: true; field 3: two bytes; field 20: a list of two integers; stop.
        let bytes = [0x15, 5, 0x11, 0x18, 2, b'a', b'b', 0x09, 40, 0x25, 1, 2, 0, 77];
        assert_eq!(skipped(&bytes), Some(13));
        for end in 0..13 {
            assert_eq!(skipped(&bytes[..end]), None, "cut off at {end}");
        }
    }

    #[test]
    fn integers_alternate_their_signs() {
        let integers: Vec<i64> = [&[0][..], &[1], &[2], &[0xfe, 1]]
            .iter()
            .filter_map(|b| Compact(b).integer())
            .collect();
        assert_eq!(integers, [0, -1, 1, 127]);
    }

    #[test]
    fn lists_longer_than_the_rest_and_deep_ones_are_refused() {
        // A list of 2³¹ − 1 booleans in seven bytes.
        assert_eq!(skipped(&[0x19, 0xf1, 0xff, 0xff, 0xff, 0xff, 7, 0]), None);
        assert_eq!(skipped(&[&[0x1c; 20][..], &[0; 21]].concat()), Some(41));
        assert_eq!(skipped(&[&[0x1c; 40][..], &[0; 41]].concat()), None);
    }

    #[test]
    fn known_fields_have_their_types() {
        const KNOWN: &[(i64, Shape)] = &[(1, Shape::I32), (2, Shape::List(&Shape::I16))];
        let fits = |bytes: &[u8]| Compact(bytes).check_struct(KNOWN).is_some();
        assert!(fits(&[0x15, 5, 0x19, 0x24, 1, 2, 0]));
        assert!(!fits(&[0x16, 5, 0]), "a long integer");
        assert!(!fits(&[0x15, 5, 0x19, 0x25, 1, 2, 0]), "a list of other integers");
        assert!(fits(&[0x35, 5, 0]), "a field that is not known");
    }
}
