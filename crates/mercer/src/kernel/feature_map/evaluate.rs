//! The features of one row, and their names.

use super::rows::Rows;
use super::{FeatureMap, Kind, Name};
use crate::linalg::view::MatRef;

impl FeatureMap {
    /// Writes the features of the row `x`.
    pub(super) fn fill(&self, x: &[f64], out: &mut [f64]) {
        match &self.kind {
            Kind::Constant => out[0] = 1.0,
            Kind::Linear => out.copy_from_slice(x),
            Kind::Root => out.iter_mut().zip(x).for_each(|(to, x)| *to = x.sqrt()),
            Kind::Monomials(monomials) => monomials.fill(x, out),
            Kind::Sampled(sampled) => sampled.fill(x, out),
            Kind::Fourier(fourier) => fourier.fill(x, out),
            Kind::Sketch(sketch) => {
                let rows = Rows::Dense(MatRef::new(x, 1, x.len(), x.len()));
                out.copy_from_slice(sketch.row(&rows, 0, &mut sketch.scratch()));
            }
            Kind::Scale(scale, map) => {
                map.fill(x, out);
                let root = scale.sqrt();
                out.iter_mut().for_each(|feature| *feature *= root);
            }
            Kind::Sum(maps) => {
                let mut rest = out;
                for map in maps {
                    let (own, others) = rest.split_at_mut(map.dimension);
                    map.fill(x, own);
                    rest = others;
                }
            }
            Kind::Product(maps) => fill_products(maps, x, out),
            Kind::Normalize(map) => {
                map.fill(x, out);
                let length = out.iter().map(|feature| feature * feature).sum::<f64>().sqrt();
                if length > 0.0 {
                    out.iter_mut().for_each(|feature| *feature /= length);
                }
            }
            Kind::Select(which, map) => {
                let selected: Vec<f64> = which.iter().map(|&column| x[column]).collect();
                map.fill(&selected, out);
            }
        }
    }

    /// The names of the features.
    pub(super) fn list(&self, columns: &[String]) -> Vec<Name> {
        match &self.kind {
            Kind::Constant => vec![Name::constant()],
            Kind::Linear => columns.iter().map(|column| Name::of(column.clone())).collect(),
            Kind::Root => columns.iter().map(|column| Name::of(format!("√{column}"))).collect(),
            Kind::Monomials(monomials) => monomials.names(columns),
            Kind::Sampled(sampled) => sampled.names(columns),
            Kind::Fourier(fourier) => fourier.names(),
            Kind::Sketch(sketch) => sketch.names(),
            Kind::Scale(scale, map) => {
                map.list(columns).into_iter().map(|name| name.scaled(*scale)).collect()
            }
            Kind::Sum(maps) => maps.iter().flat_map(|map| map.list(columns)).collect(),
            Kind::Product(maps) => {
                let lists = maps.iter().map(|map| map.list(columns));
                lists.fold(vec![Name::constant()], |all, list| {
                    all.iter().flat_map(|a| list.iter().map(|b| a.times(b))).collect()
                })
            }
            Kind::Normalize(map) => map.list(columns).iter().map(Name::normalized).collect(),
            Kind::Select(which, map) => {
                let selected: Vec<String> = which.iter().map(|&c| columns[c].clone()).collect();
                map.list(&selected)
            }
        }
    }

    /// Which columns are looked at as histograms and must not be negative.
    pub(super) fn histogram_columns(&self) -> Vec<bool> {
        match &self.kind {
            Kind::Root | Kind::Sampled(_) => vec![true; self.columns],
            Kind::Constant
            | Kind::Linear
            | Kind::Monomials(_)
            | Kind::Fourier(_)
            | Kind::Sketch(_) => {
                vec![false; self.columns]
            }
            Kind::Scale(_, map) | Kind::Normalize(map) => map.histogram_columns(),
            Kind::Sum(maps) | Kind::Product(maps) => {
                let mut needs = vec![false; self.columns];
                for map in maps {
                    let own = map.histogram_columns();
                    needs.iter_mut().zip(own).for_each(|(all, own)| *all |= own);
                }
                needs
            }
            Kind::Select(which, map) => {
                let mut needs = vec![false; self.columns];
                let own = map.histogram_columns();
                which.iter().zip(own).for_each(|(&column, own)| needs[column] |= own);
                needs
            }
        }
    }
}

/// All products of a feature of each map, the last varying fastest.
fn fill_products(maps: &[FeatureMap], x: &[f64], out: &mut [f64]) {
    let mut so_far = vec![1.0];
    for map in maps {
        let mut own = vec![0.0; map.dimension];
        map.fill(x, &mut own);
        so_far = so_far.iter().flat_map(|a| own.iter().map(move |b| a * b)).collect();
    }
    out.copy_from_slice(&so_far);
}
