//! Data sets of lectures.

use mercer::io::Column;
use mercer::{Error, Mat, Result, Strings};
use mercer_serve::explore::{Content, DataSet, Labels};

use crate::demo_data::{Labelled, Shape};
use crate::run::demo::{KNOWN, family};
use crate::sample_tables::SAMPLES;

/// 400 images of handwritten digits of 8 × 8 pixels with 17 shades, 40 of each digit. Each line is the digit and its pixels.
/// E. Alpaydin, C. Kaynak (1998), Optical Recognition of Handwritten Digits, UCI Machine Learning Repository,
/// doi:10.24432/C50P49; CC BY 4.0.
const DIGITS: &str = include_str!("digits.txt");

/// All of them.
pub fn all() -> Result<Vec<DataSet>> {
    let rings = "Two concentric circles, which no straight line separates";
    Ok(vec![
        plane("circles", "Circles", rings, &Shape::Circles.sample(240, 0), "rbf(gamma=2)"),
        plane("moons", "Moons", "Two interleaved half circles", &moons()?, "rbf(gamma=4)"),
        plane(
            "spirals",
            "Spirals",
            "Two spiral arms wound around each other",
            &Shape::Spiral.sample(300, 0),
            "rbf(gamma=20)",
        ),
        plane(
            "blobs",
            "Blobs",
            "Three round groups of points",
            &Shape::Blobs.sample(240, 0),
            "rbf(gamma=1)",
        ),
        parabola(),
        sine(),
        iris()?,
        digits()?,
        names()?,
        messages()?,
    ])
}

fn plane(name: &str, title: &str, about: &str, data: &Labelled, kernel: &str) -> DataSet {
    let values = Mat::from_fn(data.points.len(), 2, |i, j| data.points[i][j]);
    let labels = vec![Labels { name: "class".into(), cells: data.labels.clone() }];
    set(name, title, about, numbers(&["x", "y"], values), labels, kernel)
}

fn numbers(names: &[&str], values: Mat<f64>) -> Content {
    Content::Numbers { names: names.iter().map(|name| name.to_string()).collect(), values }
}

fn set(
    name: &str,
    title: &str,
    about: &str,
    content: Content,
    labels: Vec<Labels>,
    kernel: &str,
) -> DataSet {
    let mut set = DataSet {
        name: name.into(),
        title: title.into(),
        about: about.into(),
        file: format!("{name}.csv"),
        content,
        labels,
        all_rows: 0,
        image: None,
        kernel: kernel.into(),
        scale: false,
    };
    set.all_rows = set.n();
    set
}

/// The four points whose kernel PCA can be followed with pencil and paper.
fn parabola() -> DataSet {
    let points = [[1.0, 1.0], [2.0, 4.0], [-1.0, 1.0], [-2.0, 4.0]];
    let labels = ["right", "right", "left", "left"].map(String::from).to_vec();
    let data = Labelled { points: points.to_vec(), labels };
    let about =
        "Four points of a parabola, on which kernel PCA can be followed with pencil and paper";
    plane("parabola", "Parabola (worked example)", about, &data, "poly(degree=2, gamma=1, coef0=1)")
}

/// A curve with noise, for regression.
fn sine() -> DataSet {
    let mut noise = mercer::context::Stream::new(0, "sine");
    let point = |i: usize| {
        let x = -3.0 + 6.0 * (i as f64 + 0.5) / 80.0;
        [x, (1.7 * x).sin() + 0.3 * x + 0.25 * noise.normal()]
    };
    let points: Vec<[f64; 2]> = (0..80).map(point).collect();
    let labels =
        points.iter().map(|p| if p[1] > 0.0 { "above 0" } else { "below 0" }.into()).collect();
    let about = "A curve with noise, for regression of y on x";
    plane("sine", "Noisy curve", about, &Labelled { points, labels }, "rbf(gamma=1)")
}

fn moons() -> Result<Labelled> {
    let table = sample("moons", 240)?;
    let number = |i: usize, j: usize| table.columns[j].number(i).unwrap_or(f64::NAN);
    let rows = 0..table.n_rows();
    let points = rows.clone().map(|i| [number(i, 0), number(i, 1)]).collect();
    Ok(Labelled { points, labels: rows.map(|i| table.columns[2].text(i)).collect() })
}

fn sample(name: &str, rows: usize) -> Result<mercer::io::Table> {
    let found = SAMPLES.iter().find(|sample| sample.name == name);
    found.ok_or_else(|| Error::Shape(format!("there is no sample {name}")))?.table(rows, 0)
}

fn iris() -> Result<DataSet> {
    let table = sample("iris", 150)?;
    let names: Vec<String> = (0..4).map(|j| table.name(j)).collect();
    let number = |i: usize, j: usize| table.columns[j].number(i).unwrap_or(f64::NAN);
    let values = Mat::from_fn(table.n_rows(), 4, number);
    let cells = (0..table.n_rows()).map(|i| table.columns[4].text(i)).collect();
    let labels = vec![Labels { name: table.name(4), cells }];
    let about = "150 flowers of three species, four lengths in cm (R. A. Fisher, 1936; CC BY 4.0)";
    let content = Content::Numbers { names, values };
    let set = set("iris", "Iris", about, content, labels, "rbf(gamma=0.25)");
    Ok(DataSet { scale: true, ..set })
}

fn digits() -> Result<DataSet> {
    let lines: Vec<&[u8]> = DIGITS.lines().map(str::as_bytes).collect();
    let shade =
        |i: usize, j: usize| char::from(lines[i][1 + j]).to_digit(17).map_or(0.0, f64::from) / 16.0;
    let values = Mat::from_fn(lines.len(), 64, shade);
    let names: Vec<String> = (0..64).map(|j| format!("p{}{}", j / 8, j % 8)).collect();
    let cells = lines.iter().map(|line| char::from(line[0]).to_string()).collect();
    let labels = vec![Labels { name: "digit".into(), cells }];
    let about = "400 handwritten digits of 8 × 8 pixels (E. Alpaydin, C. Kaynak, 1998; CC BY 4.0)";
    let content = Content::Numbers { names, values };
    let set = set("digits", "Digits", about, content, labels, "rbf(gamma=0.08)");
    Ok(DataSet { image: Some((8, 8)), ..set })
}

fn names() -> Result<DataSet> {
    let content = Content::Strings { name: "name".into(), texts: Strings::new(KNOWN)? };
    let cells = KNOWN.iter().map(|name| family(name).to_string()).collect();
    let labels = vec![Labels { name: "family".into(), cells }];
    let about = "35 names, compared by the substrings that they share";
    Ok(set("names", "Names", about, content, labels, "normalize(spectrum(p=3))"))
}

fn messages() -> Result<DataSet> {
    let table = sample("messages", 150)?;
    let texts =
        |column: &Column| (0..column.len()).map(|i| column.text(i)).collect::<Vec<String>>();
    let place = |name: &str| table.find(name);
    let content = Content::Strings {
        name: "text".into(),
        texts: Strings::new(texts(&table.columns[place("text")?]))?,
    };
    let labels =
        vec![Labels { name: "topic".into(), cells: texts(&table.columns[place("topic")?]) }];
    let about = "Short texts about weather, sport and cooking";
    Ok(set("messages", "Messages", about, content, labels, "normalize(spectrum(p=3))"))
}
