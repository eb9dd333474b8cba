//! What the lines are: a stroke and a name each.

use super::super::svg::{INK, SOFT_INK, Svg, TextStyle, number, shortened, text_width};
use super::{Curves, Hue, SIZE};

const LINE: f64 = 22.0;
const LONGEST_NAME: usize = 30;
/// The longest legend that lists every line.
const MOST_LISTED: usize = 9;

/// Lines of the legend: a stroke and its name.
pub(super) struct Legend(Vec<Entry>);

struct Entry {
    name: String,
    /// The attributes of the stroke; none for a mere remark.
    stroke: Option<String>,
    bold: bool,
}

impl Legend {
    pub fn of(picture: &Curves, colours: &[Hue]) -> Self {
        let count = picture.curves.len();
        let is_listed = |index: usize| {
            let is_end = index == 0 || index + 1 == count;
            count <= MOST_LISTED || is_end || picture.curves[index].mark.is_some()
        };
        let mut entries = Vec::new();
        let mut skipped = 0;
        for (index, curve) in picture.curves.iter().enumerate() {
            if !is_listed(index) {
                skipped += 1;
                continue;
            }
            entries.extend(Entry::skipped(&mut skipped));
            let bold = curve.mark.is_some();
            let width = if bold { 2.6 } else { 1.4 };
            let stroke = colours[index].stroke(width);
            let name = shortened(&curve.name, LONGEST_NAME);
            entries.push(Entry { name, stroke: Some(stroke), bold: bold && count > 1 });
        }
        if let Some(baseline) = picture.baseline {
            let stroke = format!("stroke=\"{SOFT_INK}\" stroke-dasharray=\"5 4\"");
            entries.push(Entry { name: baseline.name.into(), stroke: Some(stroke), bold: false });
        }
        Self(entries)
    }

    pub fn width(&self) -> f64 {
        let widest = self.0.iter().map(|entry| 1.08 * text_width(&entry.name, SIZE));
        widest.fold(0.0, f64::max) + 50.0
    }

    pub fn draw(&self, svg: &mut Svg, [left, top]: [f64; 2]) {
        for (index, entry) in self.0.iter().enumerate() {
            let y = top + LINE * index as f64;
            if let Some(stroke) = &entry.stroke {
                svg.path(&format!("M{} {}h20", number(left), number(y - 4.5)), stroke);
            }
            let (colour, left) = match entry.stroke {
                Some(_) => (INK, left + 28.0),
                None => (SOFT_INK, left + 28.0),
            };
            let style = TextStyle::new(SIZE, colour, "start");
            svg.text(left, y, if entry.bold { style.bold() } else { style }, &entry.name);
        }
    }
}

impl Entry {
    fn skipped(count: &mut usize) -> Option<Self> {
        let name = format!("… {count} more");
        (std::mem::take(count) > 0).then_some(Self { name, stroke: None, bold: false })
    }
}
