//! FlatBuffers, as far as Arrow's metadata needs them. Nothing in them is trusted: whatever points out of the bytes is `None`.

/// A table: fields by their slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flat<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Where the places of fields stand, 2 bytes each.
    places: &'a [u8],
}

/// Elements of one width.
#[derive(Debug, Clone, Copy)]
pub(super) struct List<'a> {
    bytes: &'a [u8],
    at: usize,
    width: usize,
    pub count: usize,
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

fn offset(bytes: &[u8], at: usize) -> Option<usize> {
    at.checked_add(usize::try_from(u32::from_le_bytes(array(bytes, at)?)).ok()?)
}

impl<'a> Flat<'a> {
    /// The table that `bytes` begin with.
    pub fn root(bytes: &'a [u8]) -> Option<Self> {
        Self::at(bytes, offset(bytes, 0)?)
    }

    fn at(bytes: &'a [u8], at: usize) -> Option<Self> {
        let back = i64::from(i32::from_le_bytes(array(bytes, at)?));
        let start = usize::try_from(i64::try_from(at).ok()? - back).ok()?;
        let length = usize::from(u16::from_le_bytes(array(bytes, start)?));
        let places = bytes.get(start.checked_add(4)?..start.checked_add(length)?)?;
        Some(Self { bytes, at, places })
    }

    /// Where a field stands; none that is absent, which then has its default.
    fn place(&self, slot: usize) -> Option<usize> {
        let place = usize::from(u16::from_le_bytes(array(self.places, 2 * slot)?));
        if place == 0 { None } else { self.at.checked_add(place) }
    }

    fn bytes<const N: usize>(&self, slot: usize, default: [u8; N]) -> Option<[u8; N]> {
        self.place(slot).map_or(Some(default), |at| array(self.bytes, at))
    }

    pub fn u8(&self, slot: usize) -> Option<u8> {
        self.bytes(slot, [0]).map(|[byte]| byte)
    }

    pub fn i16(&self, slot: usize, default: i16) -> Option<i16> {
        self.bytes(slot, default.to_le_bytes()).map(i16::from_le_bytes)
    }

    pub fn i32(&self, slot: usize, default: i32) -> Option<i32> {
        self.bytes(slot, default.to_le_bytes()).map(i32::from_le_bytes)
    }

    pub fn i64(&self, slot: usize) -> Option<i64> {
        self.bytes(slot, [0; 8]).map(i64::from_le_bytes)
    }

    /// A count or a length, which is never negative.
    pub fn size(&self, slot: usize) -> Option<usize> {
        usize::try_from(self.i64(slot)?).ok()
    }

    /// A table; the inner option says whether the field is there.
    pub fn table(&self, slot: usize) -> Option<Option<Flat<'a>>> {
        match self.place(slot) {
            None => Some(None),
            Some(at) => Self::at(self.bytes, offset(self.bytes, at)?).map(Some),
        }
    }

    /// A list of elements of `width` bytes; an absent one is empty.
    pub fn list(&self, slot: usize, width: usize) -> Option<List<'a>> {
        let Some(place) = self.place(slot) else {
            return Some(List { bytes: &[], at: 0, width, count: 0 });
        };
        let start = offset(self.bytes, place)?;
        let count = usize::try_from(u32::from_le_bytes(array(self.bytes, start)?)).ok()?;
        let at = start + 4;
        self.bytes.get(at..at.checked_add(count.checked_mul(width)?)?)?;
        Some(List { bytes: self.bytes, at, width, count })
    }

    pub fn text(&self, slot: usize) -> Option<&'a str> {
        let letters = self.list(slot, 1)?;
        std::str::from_utf8(&letters.bytes[letters.at..letters.at + letters.count]).ok()
    }
}

impl<'a> List<'a> {
    fn element(&self, i: usize) -> Option<usize> {
        (i < self.count).then(|| self.at + i * self.width)
    }

    /// The table that element `i` points to.
    pub fn table(&self, i: usize) -> Option<Flat<'a>> {
        Flat::at(self.bytes, offset(self.bytes, self.element(i)?)?)
    }

    /// Two counts, of an element of 16 bytes or of its first.
    pub fn pair(&self, i: usize) -> Option<(usize, usize)> {
        let at = self.element(i)?;
        let number = |at| usize::try_from(i64::from_le_bytes(array(self.bytes, at)?)).ok();
        Some((number(at)?, number(at + 8)?))
    }

    /// A count of 8 bytes.
    pub fn size(&self, i: usize) -> Option<usize> {
        usize::try_from(i64::from_le_bytes(array(self.bytes, self.element(i)?)?)).ok()
    }
}
