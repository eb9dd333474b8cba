//! Suggestions for misspelt names.

/// `: did you mean 'rbf'?` with the nearest of `names`, or nothing if none is near.
pub(super) fn suggestion<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    nearest(word, names).map(|name| format!(": did you mean '{name}'?"))
}

/// The nearest of `names`, upper and lower case alike, or nothing if none is near.
pub(crate) fn nearest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let (distance, name) = names.map(|name| (distance(&word, &name.to_lowercase()), name)).min()?;
    let longest = word.chars().count().max(name.chars().count());
    let is_similar = distance <= 1 + name.len() / 4 && 2 * distance < longest;
    (is_similar || (name.len() > 2 && word.starts_with(name))).then_some(name)
}

/// How many characters must be changed, added, removed or swapped with their neighbour to turn one
/// word into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut above = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = change.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(above[j - 2] + 1);
            }
        }
        above = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
