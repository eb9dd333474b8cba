//! Exact text of tiny plots, and laws of all.

mod samples;

use self::samples::{all, drawn_curves, mapped, scattered, sides, words};
use super::super::Drawing;
use super::screen::{Screen, width_of};

fn screen(width: usize) -> Screen {
    Screen { width, unicode: true, colour: false }
}

fn ascii(width: usize) -> Screen {
    Screen { unicode: false, ..screen(width) }
}

#[test]
fn no_line_is_wider_than_the_screen() {
    for (name, drawing) in all() {
        for width in (1..40).chain([47, 63, 64, 65, 80, 100, 120]) {
            for screen in [screen(width), ascii(width)] {
                let text = drawing.text(&screen);
                let widest = text.lines().map(width_of).max().unwrap_or(0);
                assert!(widest <= width, "{name}, {screen:?}:\n{text}");
                assert!(text.lines().all(|line| line.trim_end() == line), "{name}:\n{text}");
            }
        }
    }
}

#[test]
fn numbers_are_numbers_and_plots_are_small() {
    for (name, drawing) in all() {
        let text = drawing.text(&screen(80));
        assert!(!text.contains("NaN") && !text.contains("inf"), "{name}:\n{text}");
        let most = if name == "multiples" { 36 } else { 26 };
        assert!(text.lines().count() <= most, "{name}:\n{text}");
    }
}

#[test]
fn plain_terminals_get_plain_characters() {
    for (name, drawing) in all() {
        let text = drawing.text(&ascii(80));
        assert!(text.is_ascii(), "{name}:\n{text}");
        assert!(!drawing.text(&screen(80)).contains('\x1b'), "{name}");
    }
}

#[test]
fn colours_change_nothing_but_colours() {
    for (name, drawing) in all() {
        let coloured = drawing.text(&Screen { colour: true, ..screen(80) });
        let mut plain = String::new();
        for (index, part) in coloured.split('\x1b').enumerate() {
            plain += if index == 0 { part } else { part.split_once('m').unwrap().1 };
        }
        assert_eq!(plain, drawing.text(&screen(80)), "{name}");
    }
    let (_, classes) = &all()[0];
    assert!(classes.text(&Screen { colour: true, ..screen(80) }).contains("\x1b[38;5;33m●"));
}

fn check(drawing: &Drawing, screen: &Screen, expected: &str) {
    let text = drawing.text(screen);
    assert_eq!(text, expected.trim_start_matches('\n'), "\n{text}");
}

#[test]
fn a_scatter_with_a_cell_of_two_classes() {
    let labels = words(&["a", "b", "a", "b", "b"]);
    let (x, y) = ([1.0, 2.0, 3.0, 1.0, 1.0], [0.0, -1.0, 4.0, 0.0, 0.0]);
    let drawing = scattered(&x, Some(&y), Some(&labels));
    check(
        &drawing,
        &screen(40),
        "
Points of a plane
a few × two
component 2
 4.25┤                                ●
     │
     │
     │
     │
     │
     │
     │
     │
     │
     │
     │
     │
     │ ■
     │
     │
−1.25┤                 ■
     └──────────────────────────────────
      0.9        component 1         3.1
kind:   ● a   ■ b
2 points share a cell with others; each
cell shows its most frequent class
",
    );
}

#[test]
fn a_map_in_ascii() {
    check(
        &mapped(sides()),
        &ascii(30),
        "
Map
y
1+       .....................
 |       ...............B.....
 |       .....................
 |       .....................
 |       .....................
 |       .....................
 |       ....A................
 |       .....................
 |       .....................
 |                     .......
 |                     .......
 |                     .......
 |                     .......
 |  a                  .......
 |                     .......
 |                     .......
0+                     .......
 +----------------------------
  0            x             1
a no   b yes
capital letters: support vect.
. f >= 0
",
    );
}

#[test]
fn curves_with_their_best() {
    check(
        &drawn_curves(),
        &screen(44),
        "
Scores
RMSE
 3.1┤╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌
    │
    │
    │
    │ a······                            ·●
    │        ·········                 ···
    │                 ··a             ··
    │ ●                             ··
    │  ···                        ··
    │    ···                    ···
    │       ···                ··
    │          ···           ··
    │            ···       ··
    │               ···  ···
    │                  ·★·
    │
0.68┤
    └───────────────────────────────────────
     0.0871            alpha            11.5
● rbf   ★ alpha 1, RMSE 1   a linear
╌ the mean
",
    );
}

#[test]
fn bars_of_a_spectrum() {
    let (_, drawing) = all().into_iter().find(|(name, _)| *name == "spectrum").unwrap();
    check(
        &drawing,
        &screen(60),
        "
Spectrum
component 1 ███████████████████        4    40 %  sum   40 %
component 2 ██████████████▎            3    30 %  sum   70 %
component 3 ████▊                      1    10 %  sum   80 %
component 4 ██▍                      0.5     5 %  sum   85 %
4 components explain 85 % of the variance, less than 90 %
",
    );
}
