//! A folder of its own for every test, and the command run in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A new folder that disappears with the value.
pub struct Folder(PathBuf);

/// What a run left behind.
pub struct Run {
    /// The exit code.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl Folder {
    pub fn new() -> Self {
        static COUNTER: AtomicUsize = AtomicUsize::new(0);
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("mercer-command-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).expect("a new folder");
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), content).expect(name);
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect(name)
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.0.join(name)).expect(name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.join(name).exists()
    }

    /// All names in the folder, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("the folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into()).collect();
        names.sort();
        names
    }

    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mercer"));
        command.current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Runs the command with the words of `line`; single quotes keep words together.
    pub fn run(&self, line: &str) -> Run {
        Run::of(self.command().args(words(line)).output().expect("the command starts"))
    }

    /// Runs a line that must succeed.
    pub fn done(&self, line: &str) -> Run {
        let run = self.run(line);
        assert_eq!(run.code, Some(0), "mercer {line}\n{}", run.err);
        run
    }

    /// Runs the command with `input` as its standard input.
    pub fn pipe(&self, line: &str, input: &[u8]) -> Run {
        let mut command = self.command();
        command.args(words(line)).stdin(Stdio::piped());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command starts");
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), input).unwrap();
        Run::of(child.wait_with_output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Run {
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).expect("one JSON object on standard output")
    }
}

/// The words of a shell line without variables: single quotes keep words together.
pub fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (index, part) in line.split('\'').enumerate() {
        match index % 2 {
            0 => words.extend(part.split_whitespace().map(String::from)),
            _ => words.push(part.to_string()),
        }
    }
    words
}

/// A small table with three classes: `x,y,z,kind`.
pub fn small_table(rows: usize) -> String {
    let row = |i: usize| {
        let t = i as f64;
        let kind = ["red", "green", "blue"][i % 3];
        let shift = (i % 3) as f64;
        format!(
            "{},{},{},{kind}\n",
            shift + t.sin() / 3.0,
            (2.0 * t).cos() - shift,
            (t / 7.0).fract()
        )
    };
    "x,y,z,kind\n".to_string() + &(0..rows).map(row).collect::<String>()
}

/// A small table to learn a number from: `id,area,age,rooms,price`.
pub fn houses(rows: usize) -> String {
    let row = |i: usize| {
        let t = i as f64;
        let (area, age, rooms) = (100.0 + 60.0 * t.sin(), (7.3 * t) % 50.0, 1 + i * i % 5);
        let noise = (12.9898 * t).sin() * 8.0;
        let price =
            80.0 + 2.0 * area + 25.0 * (area / 20.0).sin() - age + 9.0 * rooms as f64 + noise;
        format!("h{i},{area:.2},{age:.1},{rooms},{price:.2}\n")
    };
    "id,area,age,rooms,price\n".to_string() + &(0..rows).map(row).collect::<String>()
}

/// Two classes, 1 within a ring of -1, as LIBSVM text.
pub fn rings(rows: usize) -> String {
    let row = |i: usize| {
        let (t, outer) = (i as f64, i % 2 == 1);
        let radius = if outer { 2.0 } else { 0.7 } + 0.3 * (7.0 * t).sin();
        let label = if outer { "-1" } else { "+1" };
        format!("{label} 1:{:.4} 2:{:.4}\n", radius * t.cos(), radius * t.sin())
    };
    (0..rows).map(row).collect()
}

/// The same as a table of comma-separated values: `x,y,side`, with `in` and `out` for the classes.
pub fn ring_table(rows: usize) -> String {
    let cells = |line: &str| {
        let words: Vec<&str> = line.split([' ', ':']).collect();
        let side = if words[0] == "+1" { "in" } else { "out" };
        format!("{},{},{side}\n", words[2], words[4])
    };
    "x,y,side\n".to_string() + &rings(rows).lines().map(cells).collect::<String>()
}

/// Three clouds far from each other, one row of each in turn: `x,y,z,cloud`.
pub fn clouds(rows: usize) -> String {
    let row = |i: usize| {
        let (t, cloud) = (i as f64, i % 3);
        let centre = [[0.0, 0.0, 0.0], [9.0, 1.0, 2.0], [2.0, 8.0, -3.0]][cloud];
        let noise = [(12.9 * t).sin(), (7.7 * t).cos(), (4.3 * t).sin()];
        let [x, y, z] = [0, 1, 2].map(|j| centre[j] + noise[j]);
        format!("{x:.4},{y:.4},{z:.4},{}\n", ["near", "right", "far"][cloud])
    };
    "x,y,z,cloud\n".to_string() + &(0..rows).map(row).collect::<String>()
}

/// The cells of a CSV text, header first.
pub fn cells(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(String::from).collect()).collect()
}

/// The largest difference between the numbers of two CSV texts with the same header and texts.
pub fn difference(a: &str, b: &str) -> f64 {
    let (a, b) = (cells(a), cells(b));
    assert_eq!((a.len(), &a[0]), (b.len(), &b[0]));
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    pairs.fold(0.0f64, |largest, (a, b)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => largest.max((a - b).abs()),
        _ => {
            assert_eq!(a, b);
            largest
        }
    })
}
