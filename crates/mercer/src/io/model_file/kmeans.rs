//! The file form of kernel k-means.

use serde_json::Value;

use super::check::{Checked, count, finite, kernel};
use super::frame::Fault;
use super::header::{self, Header};
use super::persist::{Metadata, Persist};
use super::samples::{self, SampleKind};
use super::tensors::{Tensor, Tensors};
use super::unpack::params;
use crate::kernel::{KernelSpec, Recentred, SpecKernel};
use crate::model::kernel_kmeans::KernelKMeans;
use crate::points::{AnySamples, Samples, with_samples};
use crate::real::Real;

impl Persist for KernelKMeans {
    fn metadata(&self) -> Metadata<'_> {
        Metadata {
            estimator: header::KERNEL_KMEANS,
            n: self.anchors.as_ref().map_or(self.n(), AnySamples::n),
            d: self.anchors.as_ref().map(AnySamples::features),
            samples: self.anchors.as_ref().and_then(SampleKind::of),
            k: self.k(),
            precision: self.dtype,
            report: &self.report,
        }
    }

    fn kernel(&self) -> Option<(&KernelSpec, Option<&AnySamples>)> {
        Some((&self.params.kernel, self.anchors.as_ref()))
    }

    fn kernel_mut(&mut self) -> Option<(&mut KernelSpec, &mut Option<AnySamples>)> {
        Some((&mut self.params.kernel, &mut self.anchors))
    }

    fn params(&self) -> serde_json::Result<Value> {
        serde_json::to_value(&self.params)
    }

    fn tensors(&self) -> Vec<Tensor<'_>> {
        let (n, k) = (self.n(), self.k());
        let pairs = self.stand_ins.iter().flat_map(|&(c, i)| [c as u64, i as u64]);
        let mut tensors = vec![
            Tensor::places("labels", &[n], self.labels.iter().map(|&c| c as u64)),
            Tensor::real("shares", &[self.shares.len()], &self.shares),
            Tensor::real("norms", &[k], &self.norms),
            Tensor::number("inertia", &self.inertia),
            Tensor::places("rounds", &[1], std::iter::once(self.rounds as u64)),
            Tensor::places("stand_ins", &[2 * self.stand_ins.len()], pairs),
        ];
        tensors.extend(self.centre_coef.iter().map(|coef| Tensor::matrix("centre_coef", coef)));
        if let Some(point) = &self.point {
            tensors.push(Tensor::rounded("point", &[point.len()], point, self.dtype));
        }
        tensors
            .extend(self.anchors.iter().flat_map(|anchors| samples::tensors("anchors", anchors)));
        tensors
    }

    fn check(&self) -> Checked {
        let (n, k) = (self.n(), self.k());
        if k == 0 || n == 0 {
            return Err(format!("{k} clusters of {n} samples are impossible"));
        }
        count("clusters", self.params.clusters, k)?;
        let is_low_rank = self.centre_coef.is_some();
        if is_low_rank != self.report.landmarks.is_some() {
            return Err("landmarks and the report on them do not belong together".into());
        }
        count("shares", self.shares.len(), if is_low_rank { 0 } else { n })?;
        finite("shares", &self.shares)?;
        finite("norms of centres", &self.norms)?;
        finite("inertia", &[self.inertia])?;
        if let Some(label) = self.labels.iter().find(|&&c| c >= k) {
            return Err(format!("a sample is in cluster {label} of {k}"));
        }
        if let Some(pair) = self.stand_ins.iter().find(|(c, i)| *c >= k || *i >= n) {
            return Err(format!("cluster {} has sample {} as its centre", pair.0, pair.1));
        }
        match &self.anchors {
            None if is_low_rank => Err("there are centres, but no landmarks".into()),
            None if self.point.is_some() => Err("there is a point, but no samples".into()),
            None => Ok(()),
            Some(anchors) => {
                match &self.centre_coef {
                    None => count("training samples", anchors.n(), n)?,
                    Some(coef) => {
                        count("landmarks", coef.rows(), anchors.n())?;
                        finite("centres", coef.data())?;
                    }
                }
                kernel(&self.params.kernel, self.dtype)?;
                let spec = &self.params.kernel;
                let point = self.point.as_deref();
                point.map_or(
                    Ok(()),
                    |point| with_samples!(anchors, anchors => check_point(spec, anchors, point)),
                )
            }
        }
    }
}

/// Whether the kernel can be seen from `point` on these samples.
fn check_point<T: Real>(spec: &KernelSpec, anchors: &Samples<T>, point: &[f64]) -> Checked {
    let kernel = SpecKernel::<T>::new(spec).map_err(|error| error.to_string())?;
    let point: &[T] = &point.iter().map(|&v| T::from_f64(v)).collect::<Vec<_>>();
    let rows =
        anchors.dense().ok_or("there is a point for samples that are not rows of numbers")?;
    count("numbers of the point", point.len(), rows.d())?;
    rows.less(point).map_err(|error| error.to_string())?;
    let seen = Recentred::new(&kernel, point).map(drop);
    seen.ok_or_else(|| "there is a point, but the kernel cannot be recentred".into())
}

/// Clusters. Whether their parts fit together is for `check` to say.
pub fn unpack(header: &Header, tensors: &mut Tensors<'_>) -> Result<KernelKMeans, Fault> {
    let (n, k, d) = (header.n, header.k, header.d.unwrap_or(0));
    let point = tensors.has("point").then(|| tensors.widened("point", &[d], header.precision));
    let pairs = tensors.length("stand_ins")?;
    let stand_ins = tensors.counts("stand_ins", pairs)?;
    // Of a low-rank model, the header counts the landmarks; labels belong to the rows.
    let is_low_rank = header.report.landmarks.is_some();
    let rows = if is_low_rank { tensors.length("labels")? } else { n };
    let centre_coef = is_low_rank.then(|| tensors.matrix("centre_coef", n, k)).transpose()?;
    Ok(KernelKMeans {
        params: params(&header.params)?,
        labels: tensors.counts("labels", rows)?,
        inertia: tensors.number("inertia")?,
        rounds: tensors.counts("rounds", 1)?[0],
        shares: tensors.real("shares", &[if is_low_rank { 0 } else { n }])?,
        stand_ins: stand_ins.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect(),
        norms: tensors.real("norms", &[k])?,
        point: point.transpose()?,
        centre_coef,
        anchors: samples::anchors(header, tensors, n)?,
        dtype: header.precision,
        report: header.report.clone(),
    })
}
