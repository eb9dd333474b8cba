//! The lines behind `SV`: one for each support vector.

use super::head::{Parsed, at, number, quoted};
use crate::io::read::table_size;
use crate::linalg::alloc;

/// The support vectors as they stand in the text.
pub struct Body {
    /// Coefficients, those of one support vector after those of another.
    pub coef: Vec<f64>,
    /// Index and value, support vector after support vector.
    pairs: Vec<(usize, f64)>,
    /// Where each support vector ends in `pairs`, and its line.
    ends: Vec<(usize, usize)>,
}

/// Support vectors of which each has `d` numbers, one after another.
pub struct Rows {
    /// Support vectors × `d` numbers.
    pub data: Vec<f64>,
    /// Features.
    pub d: usize,
}

impl Body {
    /// Reads `total` support vectors with `rows` coefficients each. `end` is the line of `SV`.
    pub fn read<'a>(
        lines: impl Iterator<Item = (usize, &'a str)>,
        end: usize,
        total: usize,
        rows: usize,
    ) -> Parsed<Self> {
        let mut body = Self { coef: Vec::new(), pairs: Vec::new(), ends: Vec::new() };
        let mut last = end;
        for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
            if body.ends.len() == total {
                return Err(at(line, format!("more support vectors than total_sv, {total}")));
            }
            body.push(line, text, rows)?;
            last = line;
        }
        match body.ends.len() {
            found if found < total => {
                let what = format!("the file ends after {found} of {total} support vectors");
                Err(at(last, format!("{what}: it was cut off")))
            }
            _ => Ok(body),
        }
    }

    fn push(&mut self, line: usize, text: &str, rows: usize) -> Parsed<()> {
        let mut words = text.split_ascii_whitespace();
        for found in 0..rows {
            let Some(word) = words.next().filter(|word| !word.contains(':')) else {
                let what = format!("{found} coefficients, expected {rows}");
                return Err(at(line, what));
            };
            self.coef.push(number(line, word)?);
        }
        let mut before = None;
        for word in words {
            let (index, value) = pair(line, word)?;
            if before.is_some_and(|before| index <= before) {
                let what = format!("{} breaks the ascending order of indices", quoted(word));
                return Err(at(line, what));
            }
            before = Some(index);
            self.pairs.push((index, value));
        }
        self.ends.push((self.pairs.len(), line));
        Ok(())
    }

    /// Each support vector's pairs, with its line.
    fn vectors(&self) -> impl Iterator<Item = (usize, &[(usize, f64)])> {
        let starts = [0].into_iter().chain(self.ends.iter().map(|(end, _)| *end));
        starts.zip(&self.ends).map(|(start, &(end, line))| (line, &self.pairs[start..end]))
    }

    /// The support vectors in full; or, where that is more than `max_bytes`, the bytes needed.
    pub fn rows(&self, max_bytes: u64) -> Result<Rows, u64> {
        let first = self.pairs.iter().map(|(index, _)| *index).min().unwrap_or(1).min(1);
        let last = self.pairs.iter().map(|(index, _)| *index).max().unwrap_or(1).max(1);
        let d = (last - first).saturating_add(1);
        let needed = table_size(self.ends.len(), d, size_of::<f64>()).unwrap_or(u64::MAX);
        if needed > max_bytes {
            return Err(needed);
        }
        let numbers = self.ends.len().checked_mul(d).ok_or(needed)?;
        let mut data = alloc::zeros(numbers).map_err(|_| needed)?;
        for ((_, pairs), row) in self.vectors().zip(data.chunks_exact_mut(d)) {
            pairs.iter().for_each(|&(index, value)| row[index - first] = value);
        }
        Ok(Rows { data, d })
    }

    /// The training samples, counted from 0, that the support vectors of a given kernel matrix are.
    pub fn serials(&self) -> Parsed<Vec<usize>> {
        let serial = |(line, pairs): (usize, &[(usize, f64)])| match pairs {
            &[(0, serial)]
                if serial.fract() == 0.0 && (1.0..=f64::from(i32::MAX)).contains(&serial) =>
            {
                Ok(serial as usize - 1)
            }
            _ => {
                let what = "a support vector of a precomputed kernel must be 0:serial, the one-based number of \
                            its training sample, and nothing else";
                Err(at(line, what))
            }
        };
        self.vectors().map(serial).collect()
    }
}

fn pair(line: usize, word: &str) -> Parsed<(usize, f64)> {
    let wrong =
        || at(line, format!("{} is not index:value (an integer, a colon, a number)", quoted(word)));
    let (index, value) = word.split_once(':').ok_or_else(wrong)?;
    Ok((index.parse().map_err(|_| wrong())?, number(line, value)?))
}
