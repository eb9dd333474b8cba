//! What passes over rows on other machines are given and find, as bytes: arrays behind a header, as in the files of models.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::tensor::Dtype as TensorType;
use serde::{Deserialize, Serialize};

use super::frame::{Fault, Frame};
use super::samples::{self, SampleKind};
use super::tensors::{Content, Tensor, Tensors};
use super::{ModelFile, from_bytes, pack, packed_sums, to_bytes};
use crate::error::{Error, Result};
use crate::gram::ExactSums;
use crate::model::landmarks::Packet;
use crate::points::{AnySamples, Dtype};

/// Everything but arrays.
#[derive(Serialize, Deserialize)]
struct Header {
    name: String,
    texts: BTreeMap<String, String>,
    reals: Vec<String>,
    places: Vec<String>,
    samples: BTreeMap<String, Described>,
    has_sums: bool,
    has_model: bool,
}

/// What samples are.
#[derive(Serialize, Deserialize)]
struct Described {
    n: usize,
    d: usize,
    dtype: Dtype,
    kind: Option<SampleKind>,
}

/// A packet as bytes.
#[doc(hidden)]
pub fn packet_to_bytes(packet: &Packet) -> Result<Vec<u8>> {
    let describe = |x: &AnySamples| Described {
        n: x.n(),
        d: x.features(),
        dtype: x.dtype(),
        kind: SampleKind::of(x),
    };
    let named = |samples: (&String, &AnySamples)| (samples.0.clone(), describe(samples.1));
    let header = Header {
        name: packet.name.clone(),
        texts: packet.texts.clone(),
        reals: packet.reals.keys().cloned().collect(),
        places: packet.places.keys().cloned().collect(),
        samples: packet.samples.iter().map(named).collect(),
        has_sums: packet.sums.is_some(),
        has_model: packet.model.is_some(),
    };
    let refused = |error: &dyn std::fmt::Display| {
        Error::Shape(format!("a part of the work cannot be sent: {error}"))
    };
    let json = serde_json::to_string(&header).map_err(|error| refused(&error))?;
    let packed = pack::laid_out(json, tensors(packet)?)?;
    let mut bytes = Vec::with_capacity(packed.len());
    packed.write_to(&mut bytes).map_err(|error| refused(&error))?;
    Ok(bytes)
}

fn tensors(packet: &Packet) -> Result<Vec<Tensor<'_>>> {
    let reals = packet.reals.iter();
    let mut all: Vec<Tensor<'_>> =
        reals.map(|(name, v)| Tensor::real(format!("reals.{name}"), &[v.len()], v)).collect();
    all.extend(
        packet.places.iter().map(|(name, v)| {
            Tensor::places(format!("places.{name}"), &[v.len()], v.iter().copied())
        }),
    );
    for (name, x) in &packet.samples {
        all.extend(samples::tensors(&format!("samples.{name}"), x));
    }
    if let Some(sums) = &packet.sums {
        let (places, digits) = packed_sums::packed(sums);
        all.extend([bytes_of("tops", places), bytes_of("digits", digits)]);
    }
    if let Some(model) = &packet.model {
        let saved = ModelFile::new((**model).clone().into(), model.dtype);
        all.push(bytes_of("model", to_bytes(&saved)?));
    }
    Ok(all)
}

fn bytes_of<'a>(name: &'static str, bytes: Vec<u8>) -> Tensor<'a> {
    Tensor { name: name.into(), shape: vec![bytes.len()], content: Content::Bytes(bytes) }
}

/// A packet from bytes.
#[doc(hidden)]
pub fn packet_from_bytes(bytes: &[u8]) -> Result<Packet> {
    parsed(bytes).map_err(|fault| {
        let text = fault.text();
        Error::Shape(format!(
            "a part of the work {text}; all machines need the same version of mercer"
        ))
    })
}

fn parsed(bytes: &[u8]) -> std::result::Result<Packet, Fault> {
    let frame = Frame::parse(bytes)?;
    let header: Header = serde_json::from_str(&frame.header)
        .map_err(|error| Fault::Invalid(format!("its header: {error}")))?;
    let mut tensors = Tensors::new(&frame);
    let mut packet = Packet { name: header.name, texts: header.texts, ..Packet::default() };
    for name in header.reals {
        let own = format!("reals.{name}");
        let values = tensors.reported(&own, &[tensors.length(&own)?])?;
        packet.reals.insert(name, values);
    }
    for name in header.places {
        let own = format!("places.{name}");
        let values = tensors.places(&own, &[tensors.length(&own)?])?;
        packet.places.insert(name, values);
    }
    for (name, Described { n, d, dtype, kind }) in header.samples {
        let own = format!("samples.{name}");
        let x = samples::of_type(&own, kind.as_ref(), &mut tensors, (n, d), dtype)?;
        packet.samples.insert(name, x);
    }
    if header.has_sums {
        packet.sums = Some(sums(&mut tensors)?);
    }
    if header.has_model {
        let bytes = tensors.bytes("model", TensorType::U8, None)?;
        let saved = from_bytes(Path::new("a model"), bytes)
            .map_err(|error| Fault::Invalid(error.to_string()))?;
        if let super::Model::KernelPca(model) = saved.model {
            packet.model = Some(Box::new(model));
        }
    }
    tensors.finish()?;
    Ok(packet)
}

fn sums(tensors: &mut Tensors<'_>) -> std::result::Result<ExactSums, Fault> {
    let places = tensors.bytes("tops", TensorType::U8, None)?;
    packed_sums::unpacked(places, tensors.bytes("digits", TensorType::U8, None)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Context;
    use crate::points::{Dense, Strings};

    #[test]
    fn packets_come_back_as_they_were() {
        let ctx = Context::new(1);
        let mut sums = ExactSums::empty(4).unwrap();
        sums.add(&ctx, &[1.0, -2.5e-300, 0.0, 1e300]);
        let dense = Dense::from_vec(vec![1.0_f32, 2.0, 3.0, 4.0], 2, 2).unwrap();
        let texts = Strings::new(vec!["a".to_string(), "β".to_string()]);
        let texts = crate::points::Samples::<f64>::from(texts.unwrap());
        let mut packet = Packet::new("sums")
            .with_reals("a", vec![f64::NAN, 0.1])
            .with_places("b", vec![u64::MAX])
            .with_samples("x", crate::points::Samples::Dense(dense))
            .with_samples("t", texts)
            .with_sums(sums.clone(), 7);
        packet.texts.insert("kernel".into(), "rbf(gamma=0.1)".into());
        let bytes = packet_to_bytes(&packet).unwrap();
        let back = packet_from_bytes(&bytes).unwrap();
        assert_eq!((back.name.as_str(), back.sums), ("sums", Some(sums)));
        assert_eq!((back.reals["a"][0].is_nan(), back.reals["a"][1]), (true, 0.1));
        assert_eq!((&back.places, &back.texts), (&packet.places, &packet.texts));
        assert_eq!((back.samples["x"].n(), back.samples["x"].dtype()), (2, Dtype::F32));
        assert_eq!(back.samples["t"].kind(), packet.samples["t"].kind());
        assert!(packet_from_bytes(&bytes[..bytes.len() - 1]).is_err());
    }
}
