//! Notes on values that were chosen from the ends of a grid.
//!
//! The best value of a grid may be its first or last because better ones lie beyond. Where the score hardly changes from the value
//! before to the last, there is nothing to gain, and nothing is said.

use super::table::{Chosen, Table};
use crate::kernel::{KernelSpec, Leaf};
use crate::model::{Note, NoteCode};

/// Parameters that set a kernel's width.
const WIDTHS: [&str; 4] = ["gamma", "sigma", "width", "length"];

/// The relative change of a score, from one value of a grid to the next, that counts as none.
const FLAT: f64 = 1e-4;

/// The scores of a grid, and what was chosen.
pub(super) struct Edges<'a> {
    pub tables: &'a [Table],
    pub chosen: &'a Chosen,
    pub per_target: bool,
}

fn is_flat(best: f64, next: f64) -> bool {
    (best - next).abs() <= FLAT * best.abs()
}

fn ends(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max))
}

impl Edges<'_> {
    /// Notes on penalties. `asked` says that the grid is the user's; penalties below `stable` are lost in rounding. Large penalties are
    /// flat by nature, and their note says what that means.
    pub fn of_alphas(&self, asked: bool, stable: f64) -> impl Iterator<Item = Note> {
        let alphas = &self.tables[self.chosen.kernel].alphas;
        let (least, most) = ends(alphas.iter().copied());
        let at = |end: f64| {
            let targets = self.chosen.alphas.iter().enumerate();
            targets.filter(move |(_, a)| least < most && alphas[**a] == end)
        };
        let is_low = at(least).any(|(target, &a)| !self.is_flat_above(target, a));
        let advice = match asked {
            _ if least < stable => {
                "smaller values are below the rounding error of the kernel values; scale the columns, or use double precision"
            }
            true => "add smaller values",
            false => "smaller values may be better; set alphas",
        };
        let low = format!("the best alpha is the smallest of the grid, {least:.3e}: {advice}");
        let more = if asked { ", or larger values are better" } else { "" };
        let high = format!(
            "the best alpha is the largest of the grid, {most:.3e}: the features explain next to nothing of a target{more}"
        );
        [(is_low, low), (at(most).next().is_some(), high)]
            .into_iter()
            .filter_map(|(applies, text)| applies.then(|| Note::new(NoteCode::EdgeOfGrid, text)))
    }

    /// Whether the score hardly changes from the smallest penalty, with index `a`, to the next.
    fn is_flat_above(&self, target: usize, a: usize) -> bool {
        let table = &self.tables[self.chosen.kernel];
        let score = |a: usize| match self.chosen.alphas.len() {
            1 => table.compared(a),
            _ => table.scores[(a, target)],
        };
        let larger = (0..table.alphas.len()).filter(|&b| table.alphas[b] > table.alphas[a]);
        let next = larger.min_by(|&b, &c| table.alphas[b].total_cmp(&table.alphas[c]));
        next.is_some_and(|b| is_flat(score(a), score(b)))
    }

    /// A note if the kernel chosen has the smallest or largest width of two or more that differ in nothing else.
    pub fn of_widths(&self, kernels: &[KernelSpec]) -> Option<Note> {
        let best = kernels[self.chosen.kernel].as_leaf()?;
        let (parameter, value) = WIDTHS.into_iter().find_map(|p| Some((p, best.optional(p)?)))?;
        let like: Vec<(f64, usize)> = (kernels.iter().enumerate())
            .filter_map(|(place, spec)| Some((spec.as_leaf()?, place)))
            .filter(|(leaf, _)| differ_in(parameter, leaf, best))
            .filter_map(|(leaf, place)| Some((leaf.optional(parameter)?, place)))
            .collect();
        let (least, most) = ends(like.iter().map(|one| one.0));
        let (end, more) = match value {
            _ if least == most => return None,
            v if v == least => ("smallest", "smaller"),
            v if v == most => ("largest", "larger"),
            _ => return None,
        };
        let others = like.iter().filter(|one| one.0 != value);
        let next = others.min_by(|a, b| (a.0 - value).abs().total_cmp(&(b.0 - value).abs()))?.1;
        let of = |kernel: usize| Chosen::compared(&self.tables[kernel], self.per_target);
        (!is_flat(of(self.chosen.kernel), of(next))).then(|| {
            let text = format!(
                "the best {parameter} is the {end} of those compared, {value:.3e}: {more} values may be better"
            );
            Note::new(NoteCode::EdgeOfGrid, text)
        })
    }
}

/// Whether two kernels of a family differ in no parameter but this one.
fn differ_in(parameter: &str, one: &Leaf, other: &Leaf) -> bool {
    let rest = |leaf: &Leaf| -> Vec<_> {
        leaf.effective().filter(|(p, _)| p.name != parameter).map(|(p, v)| (p.name, v)).collect()
    };
    one.family().name == other.family().name && rest(one) == rest(other)
}
