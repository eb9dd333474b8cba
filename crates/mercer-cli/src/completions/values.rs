//! The values of flags that depend on the table or on the kernels that there are.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use clap::{ArgMatches, Command};
use mercer::io::encoding::infer::{ColumnType, infer};
use mercer::io::{Format, ReadOptions, Source, Table, parse_table};
use mercer::kernel::{Family, families};

use super::Kind;
use crate::args::{Header, InputFormat};

/// Bytes of a text table in which its header is looked for.
const BEGINNING: u64 = 256 << 10;
/// Bytes of a table that must be read whole: Parquet and compressed tables.
const MOST_WHOLE: u64 = 32 << 20;

/// The values that complete word `index` of `line`. Of a word that Bash broke at `=`, what follows the last one.
pub(super) fn values(command: &Command, line: &[String], index: usize) -> Option<Vec<String>> {
    let (line, index, is_broken) = joined(line, index);
    let verb_at = line.iter().take(2).position(|word| command.find_subcommand(word).is_some())?;
    let verb = command.find_subcommand(&line[verb_at])?;
    let (flag_at, name, typed) = flag_before(&line, index)?;
    let flag = verb.get_arguments().find(|flag| flag.get_long() == Some(name))?;
    let typed = typed.trim_start_matches(['\'', '"']);
    let table = || {
        let is_other = |at: &usize| !(flag_at..=index).contains(at);
        let others = (verb_at..line.len()).filter(is_other).map(|at| line[at].clone());
        table(command, others.collect())
    };
    let found = match Kind::of(flag)? {
        Kind::Kernel => kernels(typed),
        Kind::Columns => columns(&table()?.names?, typed),
        Kind::Order => ordered(&table()?, typed),
    };
    let cut = if is_broken { typed.rfind('=').map_or(0, |at| at + 1) } else { 0 };
    Some(found.iter().filter_map(|value| value.get(cut..)).map(String::from).collect())
}

/// The words of a line with those that Bash broke at `=` in one piece, the place of word `index` among them, and whether it
/// was broken.
fn joined(line: &[String], index: usize) -> (Vec<String>, usize, bool) {
    let mut words: Vec<String> = Vec::with_capacity(line.len());
    let (mut place, mut is_broken, mut is_open) = (None, false, false);
    for (at, word) in line.iter().enumerate() {
        let is_more = (word == "=" || is_open) && !words.is_empty();
        match words.last_mut() {
            Some(last) if is_more => last.push_str(word),
            _ => words.push(word.clone()),
        }
        if at == index {
            (place, is_broken) = (Some(words.len() - 1), is_more);
        }
        is_open = word == "=" && at != index;
    }
    let place = place.unwrap_or(words.len());
    (words, place, is_broken)
}

/// The flag whose value word `index` is, with its place and what is typed of the value: `--flag value` or `--flag=value`.
fn flag_before(line: &[String], index: usize) -> Option<(usize, &str, &str)> {
    let current = line.get(index).map_or("", String::as_str);
    if let Some((flag, typed)) = current.strip_prefix("--").and_then(|rest| rest.split_once('=')) {
        return Some((index, flag, typed));
    }
    let at = index.checked_sub(1)?;
    Some((at, line.get(at)?.strip_prefix("--")?, current))
}

/// Names of kernels and, within the parentheses of one, of its parameters.
fn kernels(typed: &str) -> Vec<String> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = typed.trim_end_matches(is_name).len();
    let (before, name) = typed.split_at(start);
    let offered: Vec<String> = match open_family(before) {
        Some(family) => family.parameters.iter().map(|p| format!("{}=", p.name)).collect(),
        None => {
            let others = ["normalize(", "columns(", "precomputed"].into_iter().map(String::from);
            families().iter().map(|family| family.name.to_string()).chain(others).collect()
        }
    };
    let fitting = offered.into_iter().filter(|offer| offer.starts_with(name));
    fitting.map(|offer| format!("{before}{offer}")).collect()
}

/// The family whose parentheses `before` has opened and not closed.
fn open_family(before: &str) -> Option<&'static Family> {
    let open = before.rfind('(')?;
    if before[open..].contains(')') || before.ends_with('=') {
        return None;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = &before[before[..open].trim_end_matches(is_name).len()..open];
    families().iter().copied().find(|family| family.name == name)
}

/// Names that continue what is typed of a list such as `age,inc` or `^id`.
fn columns(names: &[String], typed: &str) -> Vec<String> {
    let start = typed.rfind([',', '^']).map_or(0, |at| at + 1);
    let (before, name) = typed.split_at(start);
    let taken: Vec<&str> = before.split([',', '^']).collect();
    let fitting = names.iter().filter(|other| other.starts_with(name));
    fitting.filter(|n| !taken.contains(&n.as_str())).map(|n| format!("{before}{n}")).collect()
}

/// Names of columns with `=` and, behind that, the categories of the column.
fn ordered(table: &Table, typed: &str) -> Vec<String> {
    let Some((column, listed)) = typed.split_once('=') else {
        let names = columns(table.names.as_deref().unwrap_or_default(), typed);
        return names.into_iter().map(|name| name + "=").collect();
    };
    let Ok(place) = table.find(column) else { return Vec::new() };
    match infer(&table.columns[place]).column_type {
        ColumnType::Category(levels) => {
            columns(&levels, listed).iter().map(|levels| format!("{column}={levels}")).collect()
        }
        _ => Vec::new(),
    }
}

/// The beginning of the table that the words of a command name.
fn table(command: &Command, words: Vec<String>) -> Option<Table> {
    let words = std::iter::once("mercer".to_string()).chain(words);
    let matches = command.clone().ignore_errors(true).try_get_matches_from(words).ok()?;
    let (_, given) = matches.subcommand()?;
    let Source::File(path) = value::<Source>(given, "source")? else { return None };
    let (format, header) =
        (value::<InputFormat>(given, "format"), value::<Header>(given, "header"));
    let options = ReadOptions {
        format: format.and_then(|format| (*format).into()),
        header: header.map_or(mercer::io::Header::Auto, |header| (*header).into()),
        max_bytes: 8 * MOST_WHOLE,
        ..ReadOptions::default()
    };
    let bytes = beginning(path, options.format)?;
    parse_table(bytes, path, &options).ok()
}

fn value<'a, T: Clone + Send + Sync + 'static>(given: &'a ArgMatches, id: &str) -> Option<&'a T> {
    given.try_get_one::<T>(id).ok()?
}

/// The first lines of a text table; another table whole, unless it is large.
fn beginning(path: &Path, format: Option<Format>) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    // A pipe would be emptied, or wait for ever.
    let meta = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
    let format = format.or(Format::of(path));
    let is_text = !matches!(
        format,
        Some(Format::Parquet | Format::Npy | Format::Arrow | Format::ArrowStream)
    );
    let is_compressed = path.extension().is_some_and(|end| end == "gz");
    let mut bytes = Vec::new();
    if !is_text || is_compressed {
        (meta.len() <= MOST_WHOLE).then(|| file.read_to_end(&mut bytes).ok())??;
        return Some(bytes);
    }
    file.take(BEGINNING).read_to_end(&mut bytes).ok()?;
    if meta.len() > BEGINNING {
        bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n')? + 1);
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::args::{Cli, Verb};

    fn completed(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(String::from).collect();
        let index = words.len() - 1;
        values(&Cli::<Verb>::command(), &words, index).unwrap_or_default()
    }

    #[test]
    fn kernels_and_their_parameters() {
        assert_eq!(completed("mercer kpca t.csv --kernel lap"), ["laplacian"]);
        assert_eq!(completed("mercer kpca t.csv --kernel=lap"), ["laplacian"]);
        assert_eq!(completed("mercer kpca t.csv --kernel = lap"), ["laplacian"]);
        assert_eq!(completed("mercer krr --kernel 'rbf(ga"), ["rbf(gamma="]);
        assert_eq!(completed("mercer svc --kernel linear+lap"), ["linear+laplacian"]);
        assert_eq!(completed("mercer svc --kernel pre"), ["precomputed"]);
        assert!(completed("mercer svc --kernel ").len() > families().len());
    }

    #[test]
    fn columns_of_the_table_wherever_it_is_named() {
        let path = std::env::temp_dir().join(format!("mercer-columns-{}.csv", std::process::id()));
        std::fs::write(&path, "age,area,price per m2\n1,2,3\n").unwrap();
        let table = path.display();
        let found = |words: &str| completed(&words.replace("TABLE", &table.to_string()));
        assert_eq!(found("mercer krr TABLE --target pr"), ["price per m2"]);
        assert_eq!(found("mercer krr TABLE --columns age,a"), ["age,area"]);
        assert_eq!(found("mercer kpca -k 2 TABLE --label ^a"), ["^age", "^area"]);
        assert_eq!(found("predict m.mercer TABLE --label ag"), ["age"]);
        let line: Vec<String> =
            format!("mercer kpca --columns ar {table}").split(' ').map(String::from).collect();
        assert_eq!(values(&Cli::<Verb>::command(), &line, 3).unwrap(), ["area"]);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn an_order_is_a_column_and_its_categories() {
        let path = std::env::temp_dir().join(format!("mercer-order-{}.csv", std::process::id()));
        std::fs::write(
            &path,
            "size,price\nsmall,1\nlarge,3\nmid size,2\nsmall,1\nlarge,4\nmid size,2\n",
        )
        .unwrap();
        let table = path.display();
        let found = |words: &str| completed(&format!("mercer krr {table} {words}"));
        assert_eq!(found("--ordered si"), ["size="]);
        assert_eq!(found("--ordered size=s"), ["size=small"]);
        assert_eq!(found("--ordered=size=small,"), ["size=small,large", "size=small,mid size"]);
        assert_eq!(found("--ordered size = small,l"), ["small,large"]);
        assert_eq!(found("--ordered = size = sm"), ["small"]);
        assert_eq!(found("--ordered size ="), ["large", "mid size", "small"]);
        assert!(found("--ordered price=").is_empty());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_wrong_gives_nothing() {
        for line in [
            "mercer kpca no-such.csv --columns a",
            "mercer no-such --kernel r",
            "mercer kpca t.csv --memory 1",
            "mercer",
            "",
        ] {
            assert!(completed(line).is_empty(), "{line}");
        }
    }
}
