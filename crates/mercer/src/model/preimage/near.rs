//! The training samples nearest to P in feature space.

use super::space::{Space, Target};

/// For each row of `target`, the `count` nearest training samples, nearest first. As ‖P‖² is the same for all, k(x, x) −
/// 2⟨P, φ(x)⟩ decides; of equally near samples, the one that comes first.
pub(super) fn nearest(space: &Space<'_>, target: &Target, count: usize) -> Vec<Vec<usize>> {
    let n = space.anchors.n();
    let count = count.min(n);
    let one = |r: usize| {
        let inner = target.inner.row(r);
        let distance: Vec<f64> = (0..n).map(|i| space.diagonal[i] - 2.0 * inner[i]).collect();
        let nearer = |i: &usize, j: &usize| distance[*i].total_cmp(&distance[*j]).then(i.cmp(j));
        let mut order: Vec<usize> = (0..n).collect();
        if count < n {
            order.select_nth_unstable_by(count - 1, nearer);
            order.truncate(count);
        }
        order.sort_unstable_by(nearer);
        order
    };
    (0..target.norm.len()).map(one).collect()
}
