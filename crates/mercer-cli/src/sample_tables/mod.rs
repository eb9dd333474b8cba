//! Small tables to try the command on: one that is stored in the binary, and some that are generated from a seed.

mod generated;

use std::path::Path;

use mercer::Result;
use mercer::io::{ReadOptions, Table, parse_table};

/// A sample table.
pub struct Sample {
    /// Its name: the file name without the extension.
    pub name: &'static str,
    /// What it holds.
    pub what: &'static str,
    /// Where it comes from, with the licence.
    pub source: &'static str,
    /// A command to try on it, as `mercer` takes it.
    pub example: &'static str,
    content: Content,
}

enum Content {
    /// CSV.
    Stored(&'static str),
    /// A function of the number of rows and the seed.
    Generated(fn(usize, u64) -> Table),
}

const GENERATED: &str = "generated from --seed; in the public domain (CC0 1.0)";

/// All sample tables.
pub const SAMPLES: [Sample; 4] = [
    Sample {
        name: "iris",
        what: "150 flowers of three species: four lengths in cm, and the species",
        source: "R. A. Fisher (1936), Iris, UCI Machine Learning Repository, doi:10.24432/C56C76; CC BY 4.0",
        example: "svc FILE --target species --test 0.3",
        content: Content::Stored(include_str!("iris.csv")),
    },
    Sample {
        name: "houses",
        what: "prices of houses, with categories and missing values",
        source: GENERATED,
        example: "krr FILE --target price --test 0.3",
        content: Content::Generated(generated::houses),
    },
    Sample {
        name: "moons",
        what: "two interleaved half circles in the plane",
        source: GENERATED,
        example: "kpca FILE --label moon --kernel 'rbf(sigma=0.3)' --plot -",
        content: Content::Generated(generated::moons),
    },
    Sample {
        name: "messages",
        what: "short texts about weather, sport and cooking",
        source: GENERATED,
        example: "svc FILE --target topic --columns text --kernel 'normalize(spectrum(p=3))' --test 0.3",
        content: Content::Generated(generated::messages),
    },
];

impl Sample {
    /// The sample with the name of `path`, without its extensions.
    pub fn of(path: &Path) -> Option<&'static Sample> {
        let name = path.file_name()?.to_string_lossy();
        let stem = name.split('.').next()?;
        SAMPLES.iter().find(|sample| sample.name == stem)
    }

    /// Whether the number of rows can be chosen.
    pub fn is_generated(&self) -> bool {
        matches!(self.content, Content::Generated(_))
    }

    /// The table; `rows` and `seed` are for generated ones.
    pub fn table(&self, rows: usize, seed: u64) -> Result<Table> {
        match self.content {
            Content::Generated(make) => Ok(make(rows, seed)),
            Content::Stored(text) => {
                let path = Path::new(self.name).with_extension("csv");
                parse_table(text.as_bytes().to_vec(), &path, &ReadOptions::default())
            }
        }
    }

    /// The example for the file `path`.
    pub fn example(&self, path: &Path) -> String {
        format!("mercer {}", self.example.replace("FILE", &path.display().to_string()))
    }
}

/// The names of all samples, for messages.
pub fn names() -> String {
    SAMPLES.map(|sample| sample.name).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_has_rows_and_a_seed_decides_them() {
        for sample in &SAMPLES {
            let table = sample.table(60, 3).unwrap();
            let rows = if sample.is_generated() { 60 } else { 150 };
            assert_eq!(table.n_rows(), rows, "{}", sample.name);
            let texts = |table: &Table| {
                (0..rows)
                    .flat_map(|row| table.columns.iter().map(move |cells| cells.text(row)))
                    .collect::<Vec<_>>()
            };
            assert_eq!(texts(&table), texts(&sample.table(60, 3).unwrap()));
            let other = texts(&sample.table(60, 4).unwrap());
            assert_eq!(texts(&table) != other, sample.is_generated(), "{}", sample.name);
        }
    }

    #[test]
    fn the_file_name_says_which() {
        assert_eq!(Sample::of(Path::new("some/iris.csv.gz")).unwrap().name, "iris");
        assert!(Sample::of(Path::new("flowers.csv")).is_none());
    }
}
