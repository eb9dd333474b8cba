//! Sample sets put one behind the other.

use crate::error::{Error, Result};
use crate::points::{AnySamples, Csr, Dense, Part, Parts, Samples, Strings};
use crate::real::Real;

impl AnySamples {
    /// The samples of all sets, which are of one kind and number type with the same columns. One set is a cheap clone.
    #[doc(hidden)]
    pub fn concat(sets: &[Self]) -> Result<Self> {
        let single: Vec<Samples<f32>> = sets.iter().filter_map(|set| set.get().cloned()).collect();
        let double: Vec<Samples<f64>> = sets.iter().filter_map(|set| set.get().cloned()).collect();
        match (single.len(), double.len()) {
            (_, 0) => Samples::concat(&single).map(AnySamples::F32),
            (0, _) => Samples::concat(&double).map(AnySamples::F64),
            _ => {
                Err(Error::Shape("some samples are in single and some in double precision".into()))
            }
        }
    }
}

impl<T: Real> Samples<T> {
    /// The samples of all sets, which are of one kind with the same columns. One set is a cheap clone.
    #[doc(hidden)]
    pub fn concat(sets: &[Self]) -> Result<Self> {
        let Some(first) = sets.first() else {
            return Err(Error::Shape("there are no samples".into()));
        };
        if sets.len() == 1 {
            return Ok(first.clone());
        }
        sets.iter().try_for_each(|set| first.check_like(set))?;
        match first {
            Samples::Dense(x) => Ok(dense(sets, x.d())?.into()),
            Samples::Sparse(x) => Ok(sparse(sets, x.d())?.into()),
            Samples::Strings(_) => {
                let texts = sets.iter().filter_map(|set| match set {
                    Samples::Strings(texts) => Some(texts.iter()),
                    _ => None,
                });
                Ok(Strings::new(texts.flatten())?.into())
            }
            Samples::Parts(parts) => {
                let part = |part: &Part<T>| -> Result<Part<T>> {
                    let own: Vec<Self> = sets.iter().filter_map(|set| named(set, part)).collect();
                    Ok(Part { names: part.names.clone(), samples: Self::concat(&own)? })
                };
                let joined = parts.all().iter().map(part).collect::<Result<_>>()?;
                Ok(Parts::new(joined)?.into())
            }
            Samples::Items(_) => Err(Error::Shape(
                "samples of a user-defined type cannot be read in blocks: pass them as one set"
                    .into(),
            )),
        }
    }
}

impl<T: Real> Samples<T> {
    /// As [`Samples::concat`], without more memory than the sets and the largest of them where they are rows of numbers: each is dropped when it was copied.
    #[doc(hidden)]
    pub fn join(sets: Vec<Self>) -> Result<Self> {
        let Some(Samples::Dense(first)) = sets.first() else { return Self::concat(&sets) };
        if sets.len() == 1 {
            return Ok(first.clone().into());
        }
        let (d, n) = (first.d(), sets.iter().map(Samples::n).sum::<usize>());
        sets.iter().try_for_each(|set| sets[0].check_like(set))?;
        let mut data = Vec::with_capacity(n * d);
        for set in sets {
            data.extend_from_slice(set.need_dense("a block of rows")?.data());
        }
        Ok(Dense::from_vec(data, n, d)?.into())
    }
}

fn named<T: Real>(set: &Samples<T>, part: &Part<T>) -> Option<Samples<T>> {
    match set {
        Samples::Parts(parts) => parts.named(&part.names).cloned(),
        _ => None,
    }
}

fn dense<T: Real>(sets: &[Samples<T>], d: usize) -> Result<Dense<T>> {
    let n = sets.iter().map(Samples::n).sum::<usize>();
    let mut data = Vec::with_capacity(n * d);
    for set in sets {
        data.extend_from_slice(set.need_dense("a block of rows")?.data());
    }
    Dense::from_vec(data, n, d)
}

fn sparse<T: Real>(sets: &[Samples<T>], d: usize) -> Result<Csr<T>> {
    let (mut starts, mut columns, mut values) = (vec![0_usize], Vec::new(), Vec::new());
    for set in sets {
        let Samples::Sparse(x) = set else {
            return Err(Error::Shape("some blocks of rows are sparse and others are not".into()));
        };
        let before = values.len();
        starts.extend(x.starts()[1..].iter().map(|end| before + end));
        columns.extend_from_slice(x.columns());
        values.extend_from_slice(x.values());
    }
    Csr::new(starts.len() - 1, d, &starts, &columns, &values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::points::Points;

    fn halves(x: &Samples<f64>) -> Samples<f64> {
        let n = x.n();
        let part = |from: usize, to: usize| x.select(&(from..to).collect::<Vec<_>>());
        Samples::concat(&[part(0, 2), part(2, n - 1), part(n - 1, n)]).unwrap()
    }

    #[test]
    fn parts_of_a_set_are_the_set() {
        let rows = Dense::from_vec((0..12).map(f64::from).collect(), 6, 2).unwrap();
        let x = Samples::from(&rows);
        assert_eq!(halves(&x).dense().unwrap().data(), rows.data());
        let joined = Samples::join(vec![x.select(&[0, 1]), x.select(&[2, 3, 4, 5])]).unwrap();
        assert_eq!(joined.dense().unwrap().data(), rows.data());
        let sparse =
            Csr::new(4, 3, &[0, 1, 1, 3, 4], &[2, 0, 1, 1], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        let Samples::Sparse(joined) = halves(&Samples::Sparse(sparse.clone())) else { panic!() };
        assert_eq!((joined.starts(), joined.values()), (sparse.starts(), sparse.values()));
        let texts = Samples::from(Strings::new(["a", "", "ccc", "d"]).unwrap());
        let Samples::Strings(joined) = halves(&texts) else { panic!() };
        assert_eq!(joined.iter().collect::<Vec<_>>(), ["a", "", "ccc", "d"]);
        let part = |name: &str, samples: &Samples<f64>| Part {
            names: vec![name.into()],
            samples: samples.select(&[0, 1, 2, 3]),
        };
        let parts = Parts::new(vec![part("x", &x), part("t", &texts)]).unwrap();
        assert_eq!(halves(&parts.into()).n(), 4);
    }

    #[test]
    fn sets_that_do_not_fit_are_refused() {
        let a = Samples::from(Dense::from_vec(vec![1.0, 2.0], 1, 2).unwrap());
        let b = Samples::from(Dense::from_vec(vec![1.0], 1, 1).unwrap());
        assert!(Samples::concat(&[a.clone(), b.clone()]).is_err());
        assert!(Samples::join(vec![a.clone(), b]).is_err());
        let texts = Samples::from(Strings::new(["a"]).unwrap());
        assert!(Samples::concat(&[a, texts]).is_err());
    }
}
