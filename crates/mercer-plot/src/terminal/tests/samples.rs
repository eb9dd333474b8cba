//! One drawing of each kind, and some that are odd.

use super::super::super::field::Field;
use super::super::super::labels::LabelColumn;
use super::super::super::*;

pub fn scattered(x: &[f64], y: Option<&[f64]>, labels: Option<&[String]>) -> Drawing {
    scatter(&Scatter {
        title: "Points of a plane",
        subtitle: "a few × two",
        x,
        y,
        x_title: "component 1",
        y_title: "component 2",
        labels: labels.map(|values| LabelColumn { name: "kind", values }),
        names: None,
        rows: None,
        diagonal: false,
    })
}

pub fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

fn marks<'a>(groups: &'a [Group], group: &'a [usize], ringed: &'a [bool]) -> Marks<'a> {
    Marks { points: &[[0.1, 0.2], [0.8, 0.9], [0.4, 0.6]], group, groups, ringed }
}

const VALUES: [f64; 6] = [-2.0, -1.0, 1.5, -1.0, 0.5, 2.0];
const FIELD: Field = Field { x: [0.0, 1.0], y: [0.0, 1.0], columns: 3, rows: 2, values: &VALUES };

pub fn mapped(background: Background) -> Drawing {
    let groups = [Group::of_class(0, "no"), Group::of_class(1, "yes")];
    map(&Map {
        title: "Map",
        subtitle: "",
        x_title: "x",
        y_title: "y",
        key_title: "",
        background,
        marks: marks(&groups, &[0, 1, 0], &[false, true, true]),
        ring_name: "support vector",
    })
}

pub fn sides() -> Background<'static> {
    Background::Sides { field: FIELD, colours: [[0; 3], [255; 3]], full: [1.0; 2], margins: true }
}

pub fn drawn_curves() -> Drawing {
    let curve = |name: &str, points: &[[f64; 2]], mark| Curve {
        name: name.into(),
        points: points.to_vec(),
        spreads: Vec::new(),
        mark,
    };
    let mark = Mark { index: 1, text: "alpha 1, RMSE 1".into() };
    curves(&Curves {
        title: "Scores",
        subtitle: "",
        x_title: "alpha",
        y_title: "RMSE",
        curves: vec![
            curve("rbf", &[[0.1, 2.0], [1.0, 1.0], [10.0, 2.5]], Some(mark)),
            curve("linear", &[[0.1, 2.5], [1.0, 2.2], [10.0, f64::INFINITY]], None),
        ],
        baseline: Some(Baseline { value: 3.0, name: "the mean" }),
        is_error: true,
    })
}

/// One drawing of each kind, and some that are odd.
pub fn all() -> Vec<(&'static str, Drawing)> {
    let labels = words(&["a", "b", "a", "东京的一个很长的名字", "b"]);
    let many: Vec<String> = (0..20).map(|i| format!("name {i}")).collect();
    let numbers: Vec<String> = (0..20).map(|i| format!("{}", 3 * i)).collect();
    let line: Vec<f64> = (0..20).map(f64::from).collect();
    let (x, y) = ([1.0, 2.0, 3.0, 1.0, 1.0], [0.0, -1.0, 4.0, 0.0, 1e9]);
    let row = [Group::of_class(0, "row")];
    let shades: Vec<Group> = (0..24).map(|i| Group::on_scale(f64::from(i) / 23.0)).collect();
    let heights = Map {
        title: "Heights",
        subtitle: "",
        x_title: "a column with a very long name that does not fit anywhere",
        y_title: "y",
        key_title: "price",
        background: Background::Heights {
            field: FIELD,
            ends: [-2.0, 2.0],
            line: Some((0.5, "limit")),
        },
        marks: marks(&shades, &[0, 12, 23], &[false, true, false]),
        ring_name: "support vector",
    };
    let regions = Regions { grid: FIELD, class: &[0, 1, 1, 0, 0, 1], change: &|_, _| 0.5 };
    let panel = |field| multiples::Panel {
        title: "the input",
        x_title: "x",
        y_title: "y",
        points: &[[0.0, 0.0], [1.0, 1.0], [0.5, 0.2], [0.1, 0.1], [0.9, 0.3]],
        field,
        equal_units: true,
    };
    let values = [4.0, 3.0, 1.0, 0.5];
    let ratios = [0.4, 0.3, 0.1, 0.05];
    let long: Vec<f64> = (1..200).map(|i| 1.0 / f64::from(i)).collect();
    let spectrum = |values: &[f64], ratios: &[f64]| {
        super::super::super::spectrum(&Spectrum {
            title: "Spectrum",
            subtitle: "",
            values,
            ratios,
            mark: 0.9,
        })
    };
    vec![
        ("classes", scattered(&x, Some(&y), Some(&labels))),
        ("strip", scattered(&x, None, Some(&labels))),
        ("many classes", scattered(&line, Some(&line), Some(&many))),
        ("scale", scattered(&line, Some(&line), Some(&numbers))),
        ("no point", scattered(&[], Some(&[]), None)),
        ("one point", scattered(&[2.0], Some(&[2.0]), None)),
        ("equal points", scattered(&[0.0; 9], Some(&[0.0; 9]), None)),
        ("not finite", scattered(&[f64::NAN, 1.0], Some(&[1.0, f64::INFINITY]), None)),
        ("extreme", scattered(&[f64::MIN, f64::MAX], Some(&[1e-300, 2e-300]), None)),
        ("sides", mapped(sides())),
        ("regions", mapped(Background::Regions(regions, vec![[0; 3], [9; 3]]))),
        ("heights", map(&heights)),
        ("curves", drawn_curves()),
        (
            "tube",
            tube(&Tube {
                title: "Tube",
                subtitle: "",
                x_title: "area",
                y_title: "price",
                function: &[[0.0, 0.0], [0.5, 0.4], [1.0, 1.0]],
                tube: (0.2, "tube ± 0.2".into()),
                marks: marks(&row, &[0; 3], &[false, true, false]),
                ring_name: "support vector",
            }),
        ),
        (
            "sorted_scores",
            sorted_scores(&SortedScores {
                title: "Outliers",
                subtitle: "",
                x_title: "rank",
                y_title: "score",
                scores: &[3.0, 1.0, 0.5],
                rows: &[7, 0, 3],
                threshold: (2.0, "threshold 2"),
                names: ["outliers: 1 row", "others: 2 rows"],
            }),
        ),
        (
            "multiples",
            multiples(&Multiples {
                title: "Four",
                subtitle: "",
                panels: vec![panel(None), panel(Some(FIELD)), panel(None)],
                labels: Some(LabelColumn { name: "ring", values: &labels }),
            }),
        ),
        ("spectrum", spectrum(&values, &ratios)),
        ("long spectrum", spectrum(&long, &vec![0.001; long.len()])),
        ("spectrum of nothing", spectrum(&[0.0; 2], &[f64::NAN; 2])),
    ]
}
