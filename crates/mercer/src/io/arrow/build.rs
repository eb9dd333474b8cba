//! FlatBuffers from front to back: whatever points elsewhere is written first and filled in when that place is known.

/// A field of a table.
#[derive(Debug, Clone, Copy)]
pub(super) enum Slot {
    /// Absent.
    None,
    U8(u8),
    I16(i16),
    I64(i64),
    /// Filled in by [`Build::point`].
    Offset,
}

/// Where a table stands, and with it its fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Placed(usize);

impl Placed {
    /// Where field `slot` stands.
    pub fn slot(self, slot: usize) -> usize {
        self.0 + 8 + 8 * slot
    }
}

/// A buffer that grows. The first bytes point to the root.
pub(super) struct Build(Vec<u8>);

impl Build {
    /// The root table, with its place.
    pub fn new(slots: &[Slot]) -> (Self, Placed) {
        let mut build = Self(vec![0; 4]);
        let root = build.table(0, slots);
        (build, root)
    }

    /// Fills up so that `ahead` bytes later comes a multiple of `unit`.
    fn align(&mut self, unit: usize, ahead: usize) {
        while !(self.0.len() + ahead).is_multiple_of(unit) {
            self.0.push(0);
        }
    }

    fn point(&mut self, from: usize, to: usize) {
        self.0[from..from + 4].copy_from_slice(&((to - from) as u32).to_le_bytes());
    }

    /// A table to which `from` points. Every field takes 8 bytes.
    pub fn table(&mut self, from: usize, slots: &[Slot]) -> Placed {
        let places = 4 + 2 * slots.len();
        self.align(8, places);
        self.0.extend((places as u16).to_le_bytes());
        self.0.extend(((8 + 8 * slots.len()) as u16).to_le_bytes());
        for (i, slot) in slots.iter().enumerate() {
            let place = if matches!(slot, Slot::None) { 0 } else { 8 + 8 * i };
            self.0.extend((place as u16).to_le_bytes());
        }
        let at = self.0.len();
        self.point(from, at);
        self.0.extend((places as i32).to_le_bytes());
        self.0.extend([0; 4]);
        for slot in slots {
            let value = match *slot {
                Slot::None | Slot::Offset => 0,
                Slot::U8(value) => value.into(),
                Slot::I16(value) => value.into(),
                Slot::I64(value) => value,
            };
            self.0.extend(value.to_le_bytes());
        }
        Placed(at)
    }

    /// A text to which `from` points.
    pub fn text(&mut self, from: usize, text: &str) {
        self.align(4, 0);
        self.point(from, self.0.len());
        self.0.extend((text.len() as u32).to_le_bytes());
        self.0.extend(text.as_bytes());
        self.0.push(0);
    }

    /// A list of `count` tables to which `from` points: where each is to be filled in.
    pub fn tables(&mut self, from: usize, count: usize) -> Vec<usize> {
        self.align(4, 0);
        self.point(from, self.0.len());
        self.0.extend((count as u32).to_le_bytes());
        let first = self.0.len();
        self.0.resize(first + 4 * count, 0);
        (0..count).map(|i| first + 4 * i).collect()
    }

    /// A list of structs of `N` numbers to which `from` points.
    pub fn structs<const N: usize>(&mut self, from: usize, all: &[[i64; N]]) {
        self.align(8, 4);
        self.point(from, self.0.len());
        self.0.extend((all.len() as u32).to_le_bytes());
        self.0.extend(all.iter().flatten().flat_map(|number| number.to_le_bytes()));
    }

    /// The bytes, a multiple of 8.
    pub fn finish(mut self) -> Vec<u8> {
        self.align(8, 0);
        self.0
    }
}
