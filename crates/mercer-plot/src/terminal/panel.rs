//! One panel: two axes with the numbers at their ends, and what lies between them.

use super::super::axis::Axis;
use super::super::numbers::significant;
use super::canvas::{Canvas, Cell};
use super::layers::Layer;
use super::screen::{Screen, width_of};

/// A panel.
#[derive(Debug, Clone)]
pub(crate) struct Panel {
    /// A line above it; may be empty.
    pub heading: String,
    pub x: Side,
    pub y: Side,
    /// What it shows; later layers cover earlier ones.
    pub layers: Vec<Layer>,
}

/// One axis.
#[derive(Debug, Clone)]
pub(crate) struct Side {
    pub low: f64,
    pub high: f64,
    /// May be empty.
    pub title: String,
    /// What is written at its ends; nothing on an axis without numbers.
    ends: Option<[f64; 2]>,
}

impl Side {
    pub fn of(axis: &Axis, title: &str) -> Self {
        let (low, high) = (axis.low, axis.high);
        Self { low, high, title: title.into(), ends: Some([low, high]) }
    }

    /// An axis of logarithms to base ten, which names numbers.
    pub fn logarithmic(axis: &Axis, title: &str) -> Self {
        let ends = [axis.low, axis.high].map(|end| 10f64.powf(end));
        Self { ends: Some(ends), ..Self::of(axis, title) }
    }

    /// An axis along which places mean nothing.
    pub fn bare(axis: &Axis) -> Self {
        Self { ends: None, ..Self::of(axis, "") }
    }

    /// What is written at the ends.
    fn labels(&self, screen: &Screen) -> [String; 2] {
        let label = |end: f64| screen.plain(&significant(end, 3));
        self.ends.map_or_else(Default::default, |ends| ends.map(label))
    }

    /// The cell of `value` among `count`; none outside of the axis.
    fn cell(&self, value: f64, count: usize) -> Option<usize> {
        // Halves, because the width of a range may exceed the largest number.
        let width = self.high / 2.0 - self.low / 2.0;
        let share = (value / 2.0 - self.low / 2.0) / width;
        let is_inside = (0.0..=1.0).contains(&share) && count > 0;
        is_inside.then(|| ((share * count as f64) as usize).min(count - 1))
    }

    /// The value at the middle of a cell.
    fn value(&self, cell: usize, count: usize) -> f64 {
        let share = (cell as f64 + 0.5) / count as f64;
        self.low * (1.0 - share) + self.high * share
    }
}

/// The part of a canvas that a panel may use, from its top to its bottom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    pub left: usize,
    pub width: usize,
    pub height: usize,
}

/// The cells inside of the axes.
pub(super) struct Inside<'a> {
    pub x: &'a Side,
    pub y: &'a Side,
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Inside<'_> {
    /// The cell of a point, counted inside of the axes from the left and the top.
    pub fn cell(&self, [x, y]: [f64; 2]) -> Option<[usize; 2]> {
        let up = self.y.cell(y, self.height)?;
        Some([self.x.cell(x, self.width)?, self.height - 1 - up])
    }

    /// The point at the middle of a cell.
    pub fn point(&self, [column, row]: [usize; 2]) -> [f64; 2] {
        let up = self.height - 1 - row;
        [self.x.value(column, self.width), self.y.value(up, self.height)]
    }

    pub fn put(&self, canvas: &mut Canvas, [column, row]: [usize; 2], cell: Cell) {
        if column < self.width && row < self.height {
            canvas.put([self.left + column, self.top + row], cell);
        }
    }
}

impl Panel {
    /// Draws the panel; returns how many points are not seen.
    pub(super) fn draw(&self, canvas: &mut Canvas, area: Area, screen: &Screen) -> usize {
        let Area { left, width, height } = area;
        let [low, high] = self.y.labels(screen);
        let labels = width_of(&low).max(width_of(&high)).min(width / 2);
        let heads = [&self.heading, &self.y.title].into_iter().filter(|head| !head.is_empty());
        let mut top = 0;
        for head in heads {
            canvas.write([left, top], &screen.cut(head, width));
            top += 1;
        }
        let inside = Inside {
            x: &self.x,
            y: &self.y,
            left: left + labels + 1,
            top,
            width: width.saturating_sub(labels + 1),
            height: height.saturating_sub(top + 2),
        };
        self.draw_y(canvas, &inside, screen, [&low, &high]);
        self.draw_x(canvas, &inside, screen);
        self.layers.iter().map(|layer| layer.draw(canvas, &inside, screen)).sum()
    }

    fn draw_y(&self, canvas: &mut Canvas, inside: &Inside, screen: &Screen, ends: [&str; 2]) {
        let (line, tick) = if screen.unicode { ('│', '┤') } else { ('|', '+') };
        let column = inside.left - 1;
        let has_numbers = !ends[0].is_empty();
        for row in 0..inside.height {
            let is_end = has_numbers && (row == 0 || row + 1 == inside.height);
            let glyph = if is_end { tick } else { line };
            canvas.put([column, inside.top + row], Cell { glyph, colour: None });
        }
        let bottom = inside.top + inside.height.saturating_sub(1);
        for (text, row) in ends.into_iter().zip([bottom, inside.top]) {
            let start = column.saturating_sub(width_of(text));
            canvas.write([start, row], text);
        }
    }

    fn draw_x(&self, canvas: &mut Canvas, inside: &Inside, screen: &Screen) {
        let (corner, line) = if screen.unicode { ('└', '─') } else { ('+', '-') };
        let row = inside.top + inside.height;
        canvas.put([inside.left - 1, row], Cell { glyph: corner, colour: None });
        for column in 0..inside.width {
            canvas.put([inside.left + column, row], Cell { glyph: line, colour: None });
        }
        let [low, high] = self.x.labels(screen);
        canvas.write([inside.left, row + 1], &low);
        let start = inside.width.saturating_sub(width_of(&high));
        canvas.write([inside.left + start, row + 1], &high);
        let room = start.saturating_sub(width_of(&low) + 2);
        let title = screen.cut(&self.x.title, room);
        let start = width_of(&low) + 1 + (room - width_of(&title)) / 2;
        canvas.write([inside.left + start, row + 1], &title);
    }
}
