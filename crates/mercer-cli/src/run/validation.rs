//! The folds of a search: stratified for classes, by groups, or in the order of time, possibly repeated.

use std::collections::HashMap;

use mercer::io::Column;
use mercer::select::{self, Criterion, Fold};
use mercer::{Labels, Result};

use crate::args::FoldArgs;
use crate::describe::listed;
use crate::facts::counted;

/// Folds where flags ask for some without a number.
pub const USUAL_FOLDS: usize = 5;

/// How rows are split.
#[derive(Debug, Clone, Copy)]
pub struct Scheme<'a> {
    /// Folds.
    pub folds: usize,
    /// Shuffles.
    pub repeats: usize,
    /// The seed of the first shuffle.
    pub seed: u64,
    /// The group of each row.
    pub groups: Option<&'a [usize]>,
    /// Whether training rows come before test rows.
    pub time_ordered: bool,
}

/// Folds, with what is said of them.
#[derive(Debug, Clone)]
pub struct Folds {
    /// The folds of all repeats.
    pub folds: Vec<Fold>,
    /// Shuffles.
    pub repeats: usize,
    /// `stratified`, `grouped`, `time-ordered` or nothing.
    pub kind: &'static str,
    /// What is unusual about them.
    pub notes: Vec<String>,
}

impl<'a> Scheme<'a> {
    /// What the flags ask for.
    pub fn of(args: &FoldArgs, folds: usize, seed: u64, groups: Option<&'a [usize]>) -> Self {
        let repeats = args.repeats as usize;
        Self { folds, repeats, seed, groups, time_ordered: args.time_ordered }
    }

    /// The folds of n rows, whose classes are those of `labels` if there are any, for scores by `criterion`.
    pub fn folds(
        &self,
        n: usize,
        labels: Option<&Labels>,
        criterion: Option<Criterion>,
    ) -> Result<Folds> {
        let mut notes = Vec::new();
        let count = self.count(&mut notes);
        let by_seed = |seed: u64| match (self.time_ordered, self.groups, labels) {
            (true, _, _) => select::time_ordered_folds(n, count),
            (_, Some(groups), _) => select::grouped_folds(groups, count, seed),
            (_, None, Some(labels)) => select::stratified_folds(&labels.places, count, seed),
            (_, None, None) => select::folds(n, count, seed),
        };
        let mut folds = select::repeated(self.repeats, self.seed, by_seed)?;
        if let Some(labels) = labels {
            notes.extend(self.small_classes(labels, count));
            notes.extend(drop_undefined(&mut folds, labels, criterion));
            notes.extend(unseen(&folds, labels));
        }
        Ok(Folds { folds, repeats: self.repeats, kind: self.kind(labels.is_some()), notes })
    }

    fn kind(&self, is_classifier: bool) -> &'static str {
        match (self.time_ordered, self.groups, is_classifier) {
            (true, _, _) => "time-ordered",
            (_, Some(_), _) => "grouped",
            (_, None, true) => "stratified",
            (_, None, false) => "",
        }
    }

    /// The number of folds: at most one for each group.
    fn count(&self, notes: &mut Vec<String>) -> usize {
        let Some(groups) = self.groups else { return self.folds };
        let present = groups.iter().copied().collect::<std::collections::HashSet<_>>().len();
        if (2..self.folds).contains(&present) {
            notes.push(format!("there are only {}: {present} folds", counted(present, "group")));
            return present;
        }
        self.folds
    }

    /// A note on classes of fewer rows than folds.
    fn small_classes(&self, labels: &Labels, count: usize) -> Option<String> {
        let mut sizes = vec![0; labels.names.len()];
        labels.places.iter().for_each(|&place| sizes[place] += 1);
        let small: Vec<String> = (0..sizes.len())
            .filter(|&place| self.kind(true) == "stratified" && sizes[place] < count)
            .map(|place| format!("{} ({})", labels.names[place], counted(sizes[place], "row")))
            .collect();
        (!small.is_empty()).then(|| {
            format!(
                "fewer rows than the {count} folds: {}; some test sets lack them",
                listed(&small)
            )
        })
    }
}

/// Leaves out the folds whose test rows have no score, and says so. If all have none, they stay, and the search fails.
fn drop_undefined(
    folds: &mut Vec<Fold>,
    labels: &Labels,
    criterion: Option<Criterion>,
) -> Option<String> {
    let criterion = criterion?;
    let is_defined =
        |fold: &Fold| criterion.is_defined_for(fold.test.iter().map(|&row| labels.places[row]));
    let count = folds.iter().filter(|fold| !is_defined(fold)).count();
    if count == 0 || count == folds.len() {
        return None;
    }
    folds.retain(is_defined);
    let folds = counted(count, "fold");
    Some(format!(
        "{folds} without a score: {} needs two classes among the test rows",
        criterion.name()
    ))
}

/// A note on folds whose training rows lack a class.
fn unseen(folds: &[Fold], labels: &Labels) -> Option<String> {
    let lacks = |fold: &Fold| {
        let mut seen = vec![false; labels.names.len()];
        fold.train.iter().for_each(|&row| seen[labels.places[row]] = true);
        seen.contains(&false)
    };
    let count = folds.iter().filter(|fold| lacks(fold)).count();
    let what = "whose training rows lack a class: its test rows count as misclassified";
    (count > 0).then(|| format!("{} {what}", counted(count, "fold")))
}

impl Folds {
    /// `3 × stratified 5-fold cross-validation`.
    pub fn method(&self) -> String {
        let count = (self.folds.len() as f64 / self.repeats as f64).ceil() as usize;
        let repeats =
            if self.repeats > 1 { format!("{} × ", self.repeats) } else { String::new() };
        let kind = if self.kind.is_empty() { String::new() } else { format!("{} ", self.kind) };
        format!("{repeats}{kind}{count}-fold cross-validation")
    }

    /// By what the standard error over all folds is multiplied: repeats show the same rows again and do not make it
    /// smaller.
    pub fn std_error_factor(&self) -> f64 {
        (self.repeats as f64).sqrt()
    }
}

/// A number for each different cell, in the order of their first rows.
pub fn ids(cells: &Column) -> Vec<usize> {
    let mut known: HashMap<String, usize> = HashMap::new();
    let id = |row: usize| {
        let next = known.len();
        *known.entry(cells.text(row)).or_insert(next)
    };
    (0..cells.len()).map(id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme(folds: usize) -> Scheme<'static> {
        Scheme { folds, repeats: 1, seed: 0, groups: None, time_ordered: false }
    }

    #[test]
    fn small_classes_are_a_note_and_no_failure() {
        let names: Vec<&str> = (0..102)
            .map(|i| ["a", "b", "c"][usize::from(i >= 50) + usize::from(i >= 100)])
            .collect();
        let labels = Labels::new(&names);
        let folds = scheme(5).folds(102, Some(&labels), None).unwrap();
        assert_eq!(
            (folds.folds.len(), folds.method().as_str()),
            (5, "stratified 5-fold cross-validation")
        );
        assert!(folds.notes[0].contains("c (2 rows)"), "{:?}", folds.notes);
        let one = Labels::new(&["a", "a", "a", "a", "b", "b", "b", "c"]);
        let folds = scheme(2).folds(8, Some(&one), None).unwrap();
        assert!(folds.notes.iter().any(|note| note.contains("1 fold whose training rows lack")));
    }

    #[test]
    fn folds_without_a_score_are_left_out() {
        let labels = Labels::new(&["a", "b", "a", "b", "a", "a", "a", "b", "b"]);
        let timed = Scheme { time_ordered: true, ..scheme(2) };
        let folds = timed.folds(9, Some(&labels), Some(Criterion::RocAuc)).unwrap();
        assert_eq!(folds.folds.len(), 2);
        let timed = Scheme { time_ordered: true, ..scheme(8) };
        let all = timed.folds(9, Some(&labels), Some(Criterion::Accuracy)).unwrap();
        assert_eq!(all.folds.len(), 8);
        // Where no fold has a score, all stay, and the search fails.
        let none = timed.folds(9, Some(&labels), Some(Criterion::RocAuc)).unwrap();
        assert_eq!(none.folds.len(), 8);
        assert!(none.notes.iter().all(|note| !note.contains("without a score")));
    }

    #[test]
    fn groups_limit_the_folds() {
        let groups = [0, 0, 1, 1, 2, 2];
        let grouped = Scheme { groups: Some(&groups), ..scheme(5) };
        let folds = grouped.folds(6, None, None).unwrap();
        assert_eq!((folds.folds.len(), folds.kind), (3, "grouped"));
        assert!(folds.notes[0].contains("only 3 groups"));
        assert_eq!(ids(&Column::Text(["b", "a", "b"].map(String::from).into())), [0, 1, 0]);
    }
}
