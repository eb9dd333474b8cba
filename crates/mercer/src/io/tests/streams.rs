//! Tables in blocks of rows are the tables in memory, whatever the format and the size of blocks; what is wrong is found with its file and row.

use std::fs;
use std::path::PathBuf;

use super::{encode, options, read};
use crate::io::append::stage_pieces;
use crate::io::stream::{TableStream, is_several};
use crate::io::{Column, Format, Staged, Table};

/// A directory that disappears with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("mercer-streams-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, content).unwrap();
        path
    }

    fn open(&self, name: &str) -> crate::error::Result<TableStream> {
        TableStream::open(&self.0.join(name), &options())
    }

    fn refused(&self, name: &str) -> String {
        let mut stream = match self.open(name) {
            Err(error) => return error.to_string(),
            Ok(stream) => stream,
        };
        loop {
            match stream.next_table() {
                Err(error) => return error.to_string(),
                Ok(Some(_)) => {}
                Ok(None) => panic!("{name} is read"),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A table of numbers and, if wanted, texts.
fn table(rows: usize, texts: bool) -> Table {
    let number = |i: usize| (i as f64 * 0.7).sin();
    let mut names = vec!["a".to_owned(), "b".to_owned()];
    let mut columns = vec![
        Column::F64((0..rows).map(number).collect()),
        Column::F64((0..rows).map(|i| number(i + 3) * 1e3).collect()),
    ];
    if texts {
        names.push("t".to_owned());
        columns.push(Column::Text((0..rows).map(|i| format!("word {}", i % 7)).collect()));
    }
    Table::new(names, columns)
}

/// All blocks put together.
fn all(stream: &mut TableStream) -> Table {
    stream.rewind();
    let mut all: Option<Table> = None;
    while let Some(block) = stream.next_table().unwrap() {
        match &mut all {
            None => all = Some(block),
            Some(all) => all.append(block).unwrap(),
        }
    }
    all.unwrap()
}

#[test]
fn blocks_of_every_format_are_the_table() {
    let folder = Folder::new("formats");
    for (format, name, texts) in [
        (Format::Csv, "t.csv", true),
        (Format::Tsv, "t.tsv", true),
        (Format::Npy, "t.npy", false),
        #[cfg(feature = "parquet")]
        (Format::Parquet, "t.parquet", true),
        (Format::Arrow, "t.arrow", true),
        (Format::ArrowStream, "t.arrows", true),
        (Format::Libsvm, "t.libsvm", false),
    ] {
        let bytes = encode(format, &table(100, texts));
        folder.write(name, &bytes);
        let whole = read(name, &bytes).unwrap();
        for size in [1, 7, 64, 1000] {
            let mut stream = folder.open(name).unwrap();
            stream.set_block_rows(size);
            let found = all(&mut stream);
            assert_eq!(found.columns, whole.columns, "{name} in blocks of {size}");
            assert_eq!(found.names, whole.names, "{name}");
            assert_eq!(found.lines, whole.lines, "{name}");
            assert_eq!(found.label, whole.label, "{name}");
            assert_eq!(stream.rows(), Some(100), "{name}");
            assert_eq!(all(&mut stream).columns, whole.columns, "{name}, once more");
        }
        let mut stream = folder.open(name).unwrap();
        stream.keep(&[1]);
        assert_eq!(all(&mut stream).columns, whole.clone().keep(&[1]).columns, "{name}");
    }
}

#[test]
fn compressed_text_and_other_orders_are_read_too() {
    use std::io::Write;
    let folder = Folder::new("gzip");
    let bytes = encode(Format::Csv, &table(500, true));
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&bytes).unwrap();
    let packed = packed.finish().unwrap();
    folder.write("t.csv.gz", &packed);
    let mut stream = folder.open("t.csv.gz").unwrap();
    stream.set_block_rows(33);
    assert_eq!(all(&mut stream).columns, table(500, true).columns);
    folder.write("cut.csv.gz", &packed[..packed.len() / 2]);
    assert!(folder.refused("cut.csv.gz").contains("cut.csv.gz"));
    // An array in column order: 3 × 2.
    let mut header = super::npy_header("<f8", "(3, 2)");
    let place = header.windows(5).position(|w| w == b"False").unwrap();
    header.splice(place..place + 5, *b"True ");
    for value in [1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0] {
        header.extend(value.to_le_bytes());
    }
    folder.write("f.npy", &header);
    let mut stream = folder.open("f.npy").unwrap();
    stream.set_block_rows(2);
    let columns = vec![Column::F64(vec![1.0, 2.0, 3.0]), Column::F64(vec![4.0, 5.0, 6.0])];
    assert_eq!(all(&mut stream).columns, columns);
}

#[test]
fn a_directory_is_its_files_in_order() {
    let folder = Folder::new("directory");
    fs::create_dir(folder.0.join("parts")).unwrap();
    let whole = table(90, true);
    for (name, rows) in [("b", 30..90), ("a", 0..10), ("aa", 10..30)] {
        let part = whole.take_rows(&rows.collect::<Vec<_>>());
        folder.write(&format!("parts/{name}.csv"), &encode(Format::Csv, &part));
    }
    folder.write("parts/_SUCCESS", b"");
    folder.write("parts/readme.txt", b"no table");
    for name in ["parts", "parts/*.csv", "parts/?*.csv"] {
        assert!(is_several(&folder.0.join(name)));
        let mut stream = folder.open(name).unwrap();
        assert_eq!(stream.files().len(), 3);
        stream.set_block_rows(13);
        assert_eq!(all(&mut stream).columns, whole.columns);
    }
    let mut other = whole.clone().keep(&[0, 1, 2]);
    other.names = Some(vec!["a".into(), "c".into(), "t".into()]);
    folder.write("parts/z.csv", &encode(Format::Csv, &other));
    let error = folder.refused("parts");
    assert!(error.contains("z.csv") && error.contains("column 2 is \"c\""), "{error}");
    folder.write("parts/z.csv", b"");
    assert!(folder.refused("parts").contains("z.csv: the file is empty"));
    assert!(folder.refused("parts/*.parquet").contains("no file matches"));
}

/// Parts that hold a header alone, as some programs write them, add no rows; an empty file may be one that was cut off.
#[test]
fn parts_without_rows_are_passed_over() {
    let folder = Folder::new("headers");
    fs::create_dir(folder.0.join("parts")).unwrap();
    let whole = table(30, true);
    let header = b"a,b,t\n";
    for (name, rows) in [("b", 0..10), ("d", 10..30)] {
        let part = whole.take_rows(&rows.collect::<Vec<_>>());
        folder.write(&format!("parts/{name}.csv"), &encode(Format::Csv, &part));
    }
    for name in ["a", "c", "e"] {
        folder.write(&format!("parts/{name}.csv"), header);
    }
    let mut stream = folder.open("parts").unwrap();
    assert_eq!(all(&mut stream).columns, whole.columns);
    assert_eq!(stream.head().names, whole.names);
    assert_eq!(stream.share(), Some(1.0));
    folder.write("parts/c.csv", b"a,b,x\n");
    assert!(folder.refused("parts").contains("c.csv"));
    folder.write("parts/c.csv", b"");
    assert!(folder.refused("parts").contains("c.csv: the file is empty: remove it"));
    fs::create_dir(folder.0.join("none")).unwrap();
    folder.write("none/a.csv", header);
    folder.write("none/b.csv", header);
    assert!(folder.refused("none").contains("no rows"));
    folder.write("t.csv", header);
    assert!(folder.refused("t.csv").contains("no rows below it"));
}

#[test]
fn the_share_that_was_read_rises_to_the_whole() {
    let folder = Folder::new("share");
    fs::create_dir(folder.0.join("parts")).unwrap();
    for name in ["a", "b"] {
        folder.write(&format!("parts/{name}.csv"), &encode(Format::Csv, &table(20_000, true)));
    }
    let mut stream = folder.open("parts").unwrap();
    stream.set_block_rows(1000);
    for _ in 0..2 {
        stream.rewind();
        let mut shares = Vec::new();
        while stream.next_table().unwrap().is_some() {
            shares.push(stream.share().unwrap());
        }
        assert!(shares.windows(2).all(|pair| pair[0] <= pair[1]), "{shares:?}");
        assert!((0.45..0.55).contains(&shares[19]) && shares[39] == 1.0, "{shares:?}");
    }
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_and_pipes_are_refused_or_read_once() {
    let folder = Folder::new("pipes");
    fs::create_dir(folder.0.join("parts")).unwrap();
    folder.write("parts/a.csv", &encode(Format::Csv, &table(10, false)));
    std::os::unix::fs::symlink("nowhere.csv", folder.0.join("parts/b.csv")).unwrap();
    assert!(folder.refused("parts").contains("b.csv"));
    fs::remove_file(folder.0.join("parts/b.csv")).unwrap();
    let pipe = |name: &str| {
        let path = folder.0.join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        made.is_ok_and(|status| status.success()).then_some(path)
    };
    if pipe("parts/c.csv").is_none() {
        return;
    }
    assert!(folder.refused("parts").contains("read only once"));
    let path = pipe("t.csv").unwrap();
    let bytes = encode(Format::Csv, &table(5000, false));
    let writer = std::thread::spawn(move || fs::write(path, bytes));
    let mut stream = folder.open("t.csv").unwrap();
    assert!(stream.is_once() && stream.check_passes(1).is_ok());
    assert!(stream.check_passes(2).unwrap_err().to_string().contains("read only once"));
    stream.set_block_rows(700);
    assert_eq!(all(&mut stream).columns, table(5000, false).columns);
    writer.join().unwrap().unwrap();
    stream.rewind();
    assert!(stream.next_table().unwrap_err().to_string().contains("read only once"));
}

#[test]
fn what_is_wrong_is_found_with_its_file_and_row() {
    let folder = Folder::new("faults");
    folder.write("t.csv", b"a,b\n1,2\n3,4\n5\n");
    assert!(folder.refused("t.csv").contains("line 4 has 1 cells"));
    folder.write("t.csv", b"a,b\n1,2\n3,\xff\n");
    assert!(folder.refused("t.csv").contains("line 3 is not UTF-8"));
    folder.write("t.libsvm", b"1 1:2\n0 1:x\n");
    assert!(folder.refused("t.libsvm").contains("line 2"));
    let bytes = encode(Format::Npy, &table(100, false));
    folder.write("t.npy", &bytes[..bytes.len() - 8]);
    assert!(folder.refused("t.npy").contains("cut off or damaged"));
    let mut stream = {
        let mut values = vec![0.5; 100];
        values[71] = f64::NAN;
        let holed = Table::new(vec!["a".into()], vec![Column::F64(values)]);
        folder.write("h.npy", &encode(Format::Npy, &holed));
        folder.open("h.npy").unwrap()
    };
    stream.set_block_rows(10);
    let mut found = Ok(());
    while let Some(block) = stream.next_table().unwrap() {
        found = found.and(block.matrix::<f64>().map(drop));
    }
    let error = found.unwrap_err().to_string();
    assert!(error.contains("h.npy") && error.contains("row 72"), "{error}");
}

#[test]
#[cfg(feature = "parquet")]
fn groups_of_rows_do_not_matter_and_damage_is_found() {
    use crate::io::parquet::Groups;
    let folder = Folder::new("groups");
    let whole = table(1000, true);
    let mut bytes = Vec::new();
    let mut groups = Groups::new(&mut bytes, &whole).unwrap();
    for cut in [0..1, 1..300, 300..301, 301..1000] {
        groups.write(&whole, cut).unwrap();
    }
    groups.finish().unwrap();
    folder.write("t.parquet", &bytes);
    for size in [100, 299, 5000] {
        let mut stream = folder.open("t.parquet").unwrap();
        stream.set_block_rows(size);
        assert_eq!(all(&mut stream).columns, whole.columns);
    }
    for place in (0..bytes.len()).step_by(41) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x55;
        let name = format!("d{place}.parquet");
        folder.write(&name, &damaged);
        // Whatever is damaged is refused, or read as other cells; nothing panics.
        if let Ok(mut stream) = folder.open(&name) {
            while let Ok(Some(_)) = stream.next_table() {}
        }
    }
    folder.write("cut.parquet", &bytes[..bytes.len() - 1]);
    assert!(folder.refused("cut.parquet").contains("not a Parquet file"));
}

#[test]
fn pieces_are_the_file_written_whole() {
    let folder = Folder::new("pieces");
    let whole = table(1000, false);
    for name in ["t.csv", "t.csv.gz", "t.tsv", "t.npy", "t.libsvm", "t.parquet"] {
        if name == "t.parquet" && !cfg!(feature = "parquet") {
            continue;
        }
        let path = folder.0.join(name);
        let mut cuts = [0..1, 1..500, 500..1000].into_iter();
        let mut staged = Staged::new();
        let rows = stage_pieces(&mut staged, &path, || {
            Ok(cuts.next().map(|rows| whole.take_rows(&rows.collect::<Vec<_>>())))
        });
        assert_eq!(rows.unwrap(), 1000);
        assert!(!path.exists(), "{name} appears at the end");
        staged.commit().unwrap();
        let found = read(name, &fs::read(&path).unwrap()).unwrap();
        let columns = if name == "t.libsvm" { &found.columns[..2] } else { &found.columns[..] };
        assert_eq!(columns, whole.columns, "{name}");
    }
    let path = folder.0.join("none.csv");
    let mut staged = Staged::new();
    assert!(stage_pieces(&mut staged, &path, || Ok(None)).is_err());
    drop(staged);
    assert!(!path.exists());
}
