//! The lines before `SV`.

use std::collections::BTreeMap;

use crate::kernel::KernelSpec;
use crate::model::svm::Task;

/// The outcome of a step of reading: a message that begins with the line at fault.
pub type Parsed<T> = Result<T, String>;

/// All keys that LIBSVM writes.
const KEYS: [&str; 13] = [
    "svm_type",
    "kernel_type",
    "degree",
    "gamma",
    "coef0",
    "nr_class",
    "total_sv",
    "rho",
    "label",
    "probA",
    "probB",
    "prob_density_marks",
    "nr_sv",
];

/// The words behind each key, with the line they stand on.
pub struct Head<'a> {
    entries: BTreeMap<&'a str, (usize, Vec<&'a str>)>,
    /// The line that says `SV`.
    pub end: usize,
}

/// A message about a line.
pub fn at(line: usize, message: impl std::fmt::Display) -> String {
    format!("line {line}: {message}")
}

/// At most 40 characters of a word, in quotes.
pub fn quoted(word: &str) -> String {
    format!("{:?}", word.chars().take(40).collect::<String>())
}

/// A finite number.
pub fn number(line: usize, word: &str) -> Parsed<f64> {
    match word.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(at(line, format!("{} is not a finite number", quoted(word)))),
    }
}

impl<'a> Head<'a> {
    /// Takes lines up to `SV`.
    pub fn read(lines: &mut impl Iterator<Item = (usize, &'a str)>) -> Parsed<Self> {
        let mut entries = BTreeMap::new();
        let mut last = 0;
        for (line, text) in lines {
            last = line;
            let mut words = text.split_ascii_whitespace();
            match words.next() {
                None => {}
                Some("SV") => return Ok(Self { entries, end: line }),
                Some(key) if !KEYS.contains(&key) => {
                    let known = KEYS.join(", ");
                    let what = format!("{} is not a key of a LIBSVM model", quoted(key));
                    return Err(at(line, format!("{what} ({known}, SV)")));
                }
                Some(key) if entries.contains_key(key) => {
                    return Err(at(line, format!("{key} appears twice")));
                }
                Some(key) => drop(entries.insert(key, (line, words.collect()))),
            }
        }
        Err(at(last, "the file ends before its support vectors: it was cut off"))
    }

    /// Whether there is such a line.
    pub fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    fn words(&self, key: &str) -> Parsed<(usize, &[&'a str])> {
        let missing = || at(self.end, format!("the line {key} is missing before this one"));
        self.entries.get(key).map(|(line, words)| (*line, &words[..])).ok_or_else(missing)
    }

    fn word(&self, key: &str) -> Parsed<(usize, &'a str)> {
        match self.words(key)? {
            (line, [word]) => Ok((line, word)),
            (line, words) => Err(at(line, format!("{key} has {} values, expected 1", words.len()))),
        }
    }

    /// The whole number behind `key`, with its line.
    pub fn count(&self, key: &str) -> Parsed<(usize, usize)> {
        let (line, word) = self.word(key)?;
        let wrong = |_| at(line, format!("{key} is {}, which is not a count", quoted(word)));
        Ok((line, word.parse().map_err(wrong)?))
    }

    /// The `count` finite numbers behind `key`.
    pub fn numbers(&self, key: &str, count: usize) -> Parsed<Vec<f64>> {
        let (line, words) = self.listed(key, count)?;
        words.iter().map(|word| number(line, word)).collect()
    }

    /// The `count` integers behind `key`, with their line.
    pub fn integers<I: std::str::FromStr>(
        &self,
        key: &str,
        count: usize,
    ) -> Parsed<(usize, Vec<I>)> {
        let (line, words) = self.listed(key, count)?;
        let wrong =
            |word: &str| at(line, format!("{} after {key} is not an integer", quoted(word)));
        let integers = words.iter().map(|word| word.parse().map_err(|_| wrong(word)));
        Ok((line, integers.collect::<Parsed<_>>()?))
    }

    fn listed(&self, key: &str, count: usize) -> Parsed<(usize, &[&'a str])> {
        let (line, words) = self.words(key)?;
        if words.len() != count {
            let found = words.len();
            return Err(at(line, format!("{key} has {found} values, expected {count}")));
        }
        Ok((line, words))
    }

    /// What the machine learned.
    pub fn task(&self) -> Parsed<Task> {
        let (line, word) = self.word("svm_type")?;
        let known = || Task::ALL.map(Task::name).join(", ");
        Task::ALL.into_iter().find(|task| task.name() == word).ok_or_else(|| {
            at(line, format!("svm_type is {}, expected one of {}", quoted(word), known()))
        })
    }

    /// The kernel; `None` where its matrix was given.
    pub fn kernel(&self) -> Parsed<Option<KernelSpec>> {
        let (line, word) = self.word("kernel_type")?;
        Ok(Some(match word {
            "linear" => KernelSpec::linear(),
            "polynomial" => KernelSpec::poly(self.degree()?, self.gamma()?, self.coef0()?),
            "rbf" => KernelSpec::rbf_gamma(self.gamma()?),
            "sigmoid" => KernelSpec::sigmoid(self.gamma()?, self.coef0()?),
            "precomputed" => return Ok(None),
            other => {
                let known = "linear, polynomial, rbf, sigmoid, precomputed";
                let what = format!("kernel_type is {}, expected one of {known}", quoted(other));
                return Err(at(line, what));
            }
        }))
    }

    fn degree(&self) -> Parsed<u32> {
        let (line, word) = self.word("degree")?;
        let wrong = || at(line, format!("degree is {}, but must be at least 1", quoted(word)));
        word.parse().ok().filter(|degree| *degree > 0).ok_or_else(wrong)
    }

    fn gamma(&self) -> Parsed<f64> {
        let (line, word) = self.word("gamma")?;
        let gamma = number(line, word)?;
        if gamma > 0.0 {
            return Ok(gamma);
        }
        Err(at(line, format!("gamma is {gamma}, but must be positive")))
    }

    fn coef0(&self) -> Parsed<f64> {
        let (line, word) = self.word("coef0")?;
        number(line, word)
    }
}
