//! Training samples of any kind as arrays, and back.

use safetensors::tensor::Dtype as TensorType;
use serde::{Deserialize, Serialize};

use super::frame::Fault;
use super::header::Header;
use super::tensors::{Tensor, Tensors};
use crate::points::{
    AnySamples, Csr, Dtype, Part, Parts, Points, Samples, Strings, with_dtype, with_samples,
};
use crate::real::Real;

/// What samples are, where they are not rows of numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SampleKind {
    /// Sparse rows of numbers.
    Sparse,
    /// Texts.
    Strings,
    /// Groups of columns.
    Parts {
        /// One by one.
        parts: Vec<PartKind>,
    },
    /// Items of the user's, which no file can hold: they must be put back by whoever reads it.
    Items,
}

/// A group of columns.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PartKind {
    /// The names of its columns.
    pub names: Vec<String>,
    /// Columns of numbers.
    pub d: usize,
    /// What it is, unless it is rows of numbers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<SampleKind>,
}

impl SampleKind {
    /// The kind of `samples`; none for rows of numbers.
    pub fn of(samples: &AnySamples) -> Option<Self> {
        with_samples!(samples, samples => Self::of_samples(samples))
    }

    fn of_samples<T: Real>(samples: &Samples<T>) -> Option<Self> {
        match samples {
            Samples::Dense(_) => None,
            Samples::Sparse(_) => Some(SampleKind::Sparse),
            Samples::Strings(_) => Some(SampleKind::Strings),
            Samples::Items(_) => Some(SampleKind::Items),
            Samples::Parts(parts) => {
                let part = |part: &Part<T>| PartKind {
                    names: part.names.clone(),
                    d: part.samples.features(),
                    samples: SampleKind::of_samples(&part.samples),
                };
                Some(SampleKind::Parts { parts: parts.all().iter().map(part).collect() })
            }
        }
    }
}

/// The arrays of samples, whose names begin with `name`.
pub fn tensors<'a>(name: &str, samples: &'a AnySamples) -> Vec<Tensor<'a>> {
    with_samples!(samples, samples => tensors_of(name, samples))
}

fn tensors_of<'a, T: Real>(name: &str, samples: &'a Samples<T>) -> Vec<Tensor<'a>> {
    match samples {
        Samples::Dense(x) => vec![Tensor::dense(name.to_string(), x)],
        Samples::Sparse(x) => {
            let (n, count) = (x.n(), x.values().len());
            let starts = x.starts().iter().map(|&at| at as u64);
            let columns = x.columns().iter().map(|&at| u64::from(at));
            vec![
                Tensor::places(format!("{name}.starts"), &[n + 1], starts),
                Tensor::places(format!("{name}.columns"), &[count], columns),
                Tensor::real(format!("{name}.values"), &[count], x.values()),
            ]
        }
        Samples::Strings(texts) => {
            let ends = texts.offsets()[1..].iter().map(|&at| at as u64);
            vec![
                Tensor::places(format!("{name}.ends"), &[texts.n()], ends),
                Tensor::text(format!("{name}.text"), texts.buffer()),
            ]
        }
        Samples::Items(_) => Vec::new(),
        Samples::Parts(parts) => {
            let each = parts.all().iter().enumerate();
            each.flat_map(|(i, part)| tensors_of(&format!("{name}.{i}"), &part.samples)).collect()
        }
    }
}

/// The training samples, of which there are `n`; none for a model of a given matrix.
pub fn anchors(
    header: &Header,
    arrays: &mut Tensors<'_>,
    n: usize,
) -> Result<Option<AnySamples>, Fault> {
    let Some(d) = header.d else { return Ok(None) };
    let kind = header.samples.as_ref();
    with_dtype!(header.precision, T => Ok(Some(read::<T>("anchors", kind, arrays, n, d)?.into())))
}

/// Samples whose arrays begin with `name`: n × d.
pub fn of_type(
    name: &str,
    kind: Option<&SampleKind>,
    arrays: &mut Tensors<'_>,
    (n, d): (usize, usize),
    dtype: Dtype,
) -> Result<AnySamples, Fault> {
    with_dtype!(dtype, T => Ok(read::<T>(name, kind, arrays, n, d)?.into()))
}

fn read<T: Real>(
    name: &str,
    kind: Option<&SampleKind>,
    arrays: &mut Tensors<'_>,
    n: usize,
    d: usize,
) -> Result<Samples<T>, Fault> {
    match kind {
        None => Ok(Samples::Dense(arrays.dense(name, n, d)?)),
        Some(SampleKind::Sparse) => sparse(name, arrays, n, d).map(Samples::Sparse),
        Some(SampleKind::Strings) => strings(name, arrays, n).map(Samples::Strings),
        Some(SampleKind::Items) => Ok(Samples::Items(crate::points::Items::missing(n))),
        Some(SampleKind::Parts { parts }) => {
            let part = |(i, part): (usize, &PartKind)| {
                let name = format!("{name}.{i}");
                let samples = read(&name, part.samples.as_ref(), arrays, n, part.d)?;
                Ok(Part { names: part.names.clone(), samples })
            };
            let parts = parts.iter().enumerate().map(part).collect::<Result<Vec<_>, Fault>>()?;
            let wrong = |error| Fault::Invalid(format!("its training samples: {error}"));
            let parts = Parts::new(parts).map_err(wrong)?;
            debug_assert_eq!(parts.len(), n);
            Ok(Samples::Parts(parts))
        }
    }
}

fn sparse<T: Real>(
    name: &str,
    arrays: &mut Tensors<'_>,
    n: usize,
    d: usize,
) -> Result<Csr<T>, Fault> {
    let starts = arrays.places(&format!("{name}.starts"), &[n + 1])?;
    let count = arrays.length(&format!("{name}.values"))?;
    let columns = arrays.places(&format!("{name}.columns"), &[count])?;
    let values = arrays.real(&format!("{name}.values"), &[count])?;
    if n == 0 && d > 0 && starts == [0] && count == 0 {
        return Ok(Csr::empty(d));
    }
    Csr::new(n, d, &starts, &columns, &values)
        .map_err(|error| Fault::Invalid(format!("its sparse rows '{name}': {error}")))
}

fn strings(name: &str, arrays: &mut Tensors<'_>, n: usize) -> Result<Strings, Fault> {
    let wrong = |what: &str| Fault::Invalid(format!("its strings '{name}' {what}"));
    let ends = arrays.counts(&format!("{name}.ends"), n)?;
    let bytes = arrays.bytes(&format!("{name}.text"), TensorType::U8, None)?;
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("are not UTF-8"))?;
    let offsets = std::iter::once(0).chain(ends).collect();
    Strings::from_parts(text.into(), offsets)
        .map_err(|error| wrong(&format!("are broken: {error}")))
}
