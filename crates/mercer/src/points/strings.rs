//! Strings.

use std::sync::Arc;

use super::memo::{Derived, Memo};
use crate::error::{Error, Result};
use crate::points::{Cost, Points};

/// n ≥ 1 texts in UTF-8, any of which may be empty. Clones share the texts and what kernels derived from them.
#[derive(Clone)]
pub struct Strings(Arc<Store>);

struct Store {
    buffer: String,      // one text after the other
    offsets: Vec<usize>, // n + 1: where each text begins, and where the last ends
    memo: Memo<Store>,
}

/// Places in the texts are kept as 32-bit numbers.
const MOST_BYTES: usize = u32::MAX as usize - 1;

impl Strings {
    /// A copy of `texts`.
    pub fn new(texts: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        let (mut buffer, mut offsets) = (String::new(), vec![0]);
        for text in texts {
            append(&mut buffer, &mut offsets, text.as_ref())?;
        }
        Self::from_parts(buffer, offsets)
    }

    /// A copy of `texts`, each of which must be valid UTF-8.
    #[doc(hidden)]
    pub fn from_bytes(texts: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Result<Self> {
        let (mut buffer, mut offsets) = (String::new(), vec![0]);
        for (row, text) in texts.into_iter().enumerate() {
            let text = std::str::from_utf8(text.as_ref()).map_err(|fault| {
                Error::Shape(format!(
                    "the string at row {row} is not valid UTF-8 at byte {} (zero-based): convert it to UTF-8 first",
                    fault.valid_up_to()
                ))
            })?;
            append(&mut buffer, &mut offsets, text)?;
        }
        Self::from_parts(buffer, offsets)
    }

    /// The texts that lie one after the other in `buffer`; text i is `offsets[i]..offsets[i + 1]`.
    #[doc(hidden)]
    pub fn from_parts(buffer: String, offsets: Vec<usize>) -> Result<Self> {
        let n = offsets.len().saturating_sub(1);
        if n == 0 {
            return Err(Error::Shape(
                "Found array with 0 sample(s) (shape=(0,)) while a minimum of 1 is required."
                    .into(),
            ));
        }
        let whole = offsets[0] == 0 && offsets[n] == buffer.len();
        let ordered = offsets.windows(2).all(|pair| pair[0] <= pair[1]);
        if !whole || !ordered || !offsets.iter().all(|&at| buffer.is_char_boundary(at)) {
            return Err(Error::Shape(format!(
                "the offsets of {n} strings do not fit {} bytes",
                buffer.len()
            )));
        }
        check_size(buffer.len())?;
        Ok(Self(Arc::new(Store { buffer, offsets, memo: Memo::new() })))
    }

    /// How many texts there are.
    pub fn n(&self) -> usize {
        self.0.offsets.len() - 1
    }

    /// Text i.
    pub fn get(&self, i: usize) -> &str {
        &self.0.buffer[self.0.offsets[i]..self.0.offsets[i + 1]]
    }

    /// All texts, in order.
    #[doc(hidden)]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.0.offsets.windows(2).map(|ends| &self.0.buffer[ends[0]..ends[1]])
    }

    /// All texts, one after the other.
    #[doc(hidden)]
    pub fn buffer(&self) -> &str {
        &self.0.buffer
    }

    /// Where in the buffer each text begins, and where the last one ends: n + 1 places.
    #[doc(hidden)]
    pub fn offsets(&self) -> &[usize] {
        &self.0.offsets
    }

    /// Whether both are clones of one set, so that equal indices mean the same text.
    #[doc(hidden)]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What `make` derives from this set, worked out once for each `parameter` and kept in the set.
    #[doc(hidden)]
    pub fn derive<D: Derived>(&self, parameter: u64, make: impl FnOnce() -> D) -> Arc<D> {
        self.0.memo.get(parameter, None, make)
    }

    /// What `make` derives from this set and `other`, worked out once for each `parameter` and kept in this set.
    #[doc(hidden)]
    pub fn derive_with<D: Derived>(
        &self,
        other: &Self,
        parameter: u64,
        make: impl FnOnce() -> D,
    ) -> Arc<D> {
        self.0.memo.get(parameter, Some(&other.0), make)
    }
}

fn append(buffer: &mut String, offsets: &mut Vec<usize>, text: &str) -> Result<()> {
    // Before the copy, so that a set that is refused takes no more memory than one that is not.
    check_size(buffer.len() + text.len())?;
    buffer.push_str(text);
    offsets.push(buffer.len());
    Ok(())
}

fn check_size(bytes: usize) -> Result<()> {
    match bytes > MOST_BYTES {
        false => Ok(()),
        true => Err(Error::Shape(
            "the strings take more than 4 GiB in total: use fewer or shorter ones".into(),
        )),
    }
}

impl Points for Strings {
    fn len(&self) -> usize {
        self.n()
    }

    fn select(&self, idx: &[usize]) -> Self {
        let (mut buffer, mut offsets) = (String::new(), Vec::with_capacity(idx.len() + 1));
        offsets.push(0);
        for &i in idx {
            buffer.push_str(self.get(i));
            offsets.push(buffer.len());
        }
        Self(Arc::new(Store { buffer, offsets, memo: self.0.memo.select(idx) }))
    }

    /// By the mean length in bytes.
    fn cost(&self) -> Cost {
        let length = (self.0.buffer.len() / self.n().max(1)).max(1);
        Cost { eval_cost: length, bytes: 8 * length as u64 }
    }
}

impl std::fmt::Debug for Strings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Strings({} texts, {} bytes)", self.n(), self.0.buffer.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_went_in() {
        let texts = ["", "Grüße, 世界", "a b", "", "🦀"];
        let strings = Strings::new(texts).unwrap();
        assert_eq!((strings.n(), strings.len(), strings.cost().eval_cost), (5, 5, 4));
        assert!(strings.iter().eq(texts));
        assert_eq!(strings.get(4), "🦀");
        let again =
            Strings::from_parts(strings.buffer().into(), strings.offsets().to_vec()).unwrap();
        assert!(again.iter().eq(texts) && !again.is_same(&strings));
        assert!(Strings::from_bytes(texts).unwrap().iter().eq(texts));
        assert!(strings.select(&[4, 0, 4]).iter().eq(["🦀", "", "🦀"]));
        assert_eq!(strings.select(&[]).n(), 0);
        assert!(strings.clone().is_same(&strings));
    }

    #[test]
    fn bad_texts_are_refused_with_the_place() {
        let refused = |result: Result<Strings>, part: &str| {
            let error = result.unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        };
        refused(Strings::new(Vec::<&str>::new()), "0 sample(s)");
        let bytes: [&[u8]; 3] = [b"fine", b"ok\xffno", b""];
        refused(Strings::from_bytes(bytes), "row 1 is not valid UTF-8 at byte 2");
        for offsets in [vec![0, 2, 3], vec![1, 3], vec![0, 2], vec![0, 3, 2, 3], vec![0, 9]] {
            refused(Strings::from_parts("aé".into(), offsets), "do not fit 3 bytes");
        }
        refused(Strings::from_parts(String::new(), vec![]), "0 sample(s)");
    }

    struct Lengths(Vec<usize>);

    impl Derived for Lengths {
        fn select(&self, idx: &[usize]) -> Option<Arc<dyn Derived>> {
            Some(Arc::new(Self(idx.iter().map(|&i| self.0[i]).collect())))
        }
    }

    #[test]
    fn derivations_are_worked_out_once_and_carried_over() {
        let strings = Strings::new(["one", "three", ""]).unwrap();
        let lengths = |set: &Strings| set.derive(7, || Lengths(set.iter().map(str::len).collect()));
        let first = lengths(&strings);
        assert_eq!(first.0, [3, 5, 0]);
        assert!(Arc::ptr_eq(&first, &lengths(&strings.clone())));
        let never = || unreachable!("the selection knows");
        assert_eq!(strings.select(&[1, 1]).derive::<Lengths>(7, never).0, [5, 5]);
        let other = Strings::new(["x"]).unwrap();
        let pair = |other: &Strings| strings.derive_with(other, 7, || Lengths(vec![other.n()]));
        assert_eq!(pair(&other).0, [1]);
        assert!(Arc::ptr_eq(&pair(&other), &pair(&other.clone())));
        assert!(!Arc::ptr_eq(&pair(&other), &pair(&Strings::new(["x"]).unwrap())));
        // Many others push the oldest out, which is then worked out anew.
        (0..60).for_each(|parameter| drop(strings.derive(parameter + 100, || Lengths(vec![]))));
        assert!(!Arc::ptr_eq(&first, &lengths(&strings)));
    }
}
