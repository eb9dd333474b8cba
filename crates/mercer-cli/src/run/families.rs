//! Kernels of one family, which differ only in their numbers.

/// The places of the best kernel of each family by `scores`, where larger is better, in the order of `kernels`; of the family of
/// the `chosen` kernel that one.
pub fn best(kernels: &[String], scores: &[f64], chosen: usize) -> Vec<usize> {
    let mut kept: Vec<(String, usize)> = vec![(family(&kernels[chosen]), chosen)];
    for (place, kernel) in kernels.iter().enumerate() {
        let name = family(kernel);
        match kept.iter_mut().find(|(other, _)| *other == name) {
            None => kept.push((name, place)),
            Some((_, best)) if *best != chosen && scores[place] > scores[*best] => *best = place,
            Some(_) => {}
        }
    }
    let mut places: Vec<usize> = kept.into_iter().map(|(_, place)| place).collect();
    places.sort_unstable();
    places
}

/// What a picture says about kernels that it leaves out.
pub fn note(shown: usize, all: usize) -> String {
    match shown < all {
        true => format!(
            "; the best {} {all} kernels",
            if shown == 1 { "of" } else { "of each family of" }
        ),
        false => String::new(),
    }
}

/// A kernel without its numbers.
fn family(kernel: &str) -> String {
    let mut name = String::new();
    for character in kernel.chars() {
        let is_digit = character.is_ascii_digit() || character == '.';
        match is_digit {
            true if name.ends_with('#') => {}
            true => name.push('#'),
            false => name.push(character),
        }
    }
    // 1e-5 and 0.1 are one number each.
    name.replace("#e-#", "#").replace("#e#", "#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_of_each_family_is_shown() {
        let kernels = [
            "rbf(gamma=0.1)",
            "rbf(gamma=1e-5)",
            "linear",
            "laplacian(gamma=2)",
            "laplacian(gamma=3)",
        ];
        let kernels = kernels.map(String::from);
        assert_eq!(best(&kernels, &[0.5, 0.9, 0.1, 0.2, f64::NEG_INFINITY], 1), [1, 2, 3]);
        // Of ties the one that was chosen.
        assert_eq!(best(&kernels, &[0.9, 0.9, 0.1, 0.2, 0.2], 1), [1, 2, 3]);
        assert_eq!(note(3, 3), "");
        assert_eq!(note(1, 9), "; the best of 9 kernels");
    }
}
