//! One coordinate system of a picture: frame, grid, tick labels and titles.

use super::axis::{Axis, power_of_ten};
use super::svg::{FRAME, GRID, INK, Rect, SOFT_INK, Svg, TextStyle, number, shortened, text_width};

const TICK_SIZE: f64 = 11.5;
const TITLE_SIZE: f64 = 13.0;

/// Two axes laid over a rectangle of the picture.
pub(crate) struct Plane {
    pub frame: Rect,
    pub x: Axis,
    pub y: Axis,
}

impl Plane {
    /// The plane that leaves room inside `outer` for ticks and titles.
    pub fn inside(outer: Rect, x: Axis, y: Axis) -> Self {
        let widest = y.ticks.iter().map(|t| text_width(&t.label, TICK_SIZE)).fold(0.0, f64::max);
        let left = if y.ticks.is_empty() { 30.0 } else { widest + 40.0 };
        let (top, right, bottom) = (14.0, 12.0, 52.0);
        let frame = Rect {
            left: outer.left + left,
            top: outer.top + top,
            width: outer.width - left - right,
            height: outer.height - top - bottom,
        };
        Self { frame, x, y }
    }

    /// Widens one axis so that a unit has the same length along both.
    pub fn with_equal_units(mut self) -> Self {
        let unit_x = (self.x.high - self.x.low) / self.frame.width;
        let unit_y = (self.y.high - self.y.low) / self.frame.height;
        if unit_x < unit_y {
            self.x = widened(&self.x, unit_y * self.frame.width);
        } else {
            self.y = widened(&self.y, unit_x * self.frame.height);
        }
        self
    }

    /// Shrinks the frame, keeping its left upper corner, so that a unit has the same length along
    /// both axes and the ranges stay as they are.
    pub fn with_equal_units_kept_ranges(mut self) -> Self {
        let per_unit_x = self.frame.width / (self.x.high - self.x.low);
        let per_unit_y = self.frame.height / (self.y.high - self.y.low);
        let per_unit = per_unit_x.min(per_unit_y);
        self.frame.width *= per_unit / per_unit_x;
        self.frame.height *= per_unit / per_unit_y;
        self
    }

    /// The pixel position of a point.
    pub fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        [
            self.frame.left + self.x.fraction(x) * self.frame.width,
            self.frame.bottom() - self.y.fraction(y) * self.frame.height,
        ]
    }

    /// Grid lines at the ticks, as one path.
    pub fn draw_grid(&self, svg: &mut Svg) {
        let Rect { left, top, width, height } = self.frame;
        let mut lines = String::new();
        for tick in &self.x.ticks {
            let x = self.place([tick.value, self.y.low])[0];
            lines += &format!("M{} {}v{}", number(x), number(top), number(height));
        }
        for tick in &self.y.ticks {
            let y = self.place([self.x.low, tick.value])[1];
            lines += &format!("M{} {}h{}", number(left), number(y), number(width));
        }
        svg.path(&lines, &format!("stroke=\"{GRID}\" fill=\"none\""));
    }

    /// The frame, the tick labels and the titles of both axes.
    pub fn draw_frame(&self, svg: &mut Svg, x_title: &str, y_title: &str) {
        svg.rect(self.frame, &format!("fill=\"none\" stroke=\"{FRAME}\""));
        self.draw_tick_labels(svg);
        self.draw_powers(svg);
        let Rect { left, top, width, height } = self.frame;
        let style = TextStyle::new(TITLE_SIZE, INK, "middle");
        // Names of columns may be of any length.
        let fitting =
            |title: &str, room: f64| shortened(title, (room / (0.56 * TITLE_SIZE)) as usize);
        if !x_title.is_empty() {
            let x_title = fitting(x_title, width);
            svg.text(left + width / 2.0, self.frame.bottom() + 42.0, style, &x_title);
        }
        let widest =
            self.y.ticks.iter().map(|t| text_width(&t.label, TICK_SIZE)).fold(0.0, f64::max);
        let y_place = left - widest - 18.0;
        if !y_title.is_empty() {
            svg.text(y_place, top + height / 2.0, style.upright(), &fitting(y_title, height));
        }
    }

    fn draw_tick_labels(&self, svg: &mut Svg) {
        let across = TextStyle::new(TICK_SIZE, SOFT_INK, "middle");
        for tick in &self.x.ticks {
            let x = self.place([tick.value, self.y.low])[0];
            svg.text(x, self.frame.bottom() + 18.0, across, &tick.label);
        }
        let along = TextStyle::new(TICK_SIZE, SOFT_INK, "end");
        for tick in &self.y.ticks {
            let y = self.place([self.x.low, tick.value])[1];
            svg.text(self.frame.left - 8.0, y + 4.0, along, &tick.label);
        }
    }

    /// The powers of ten that were taken out of the tick labels, at the ends of the axes.
    fn draw_powers(&self, svg: &mut Svg) {
        if self.x.exponent != 0 {
            let style = TextStyle::new(TICK_SIZE, SOFT_INK, "end");
            let y = self.frame.bottom() + 34.0;
            svg.text(self.frame.right(), y, style, &power_of_ten(self.x.exponent));
        }
        if self.y.exponent != 0 {
            let style = TextStyle::new(TICK_SIZE, SOFT_INK, "start");
            svg.text(self.frame.left, self.frame.top - 6.0, style, &power_of_ten(self.y.exponent));
        }
    }
}

fn widened(axis: &Axis, width: f64) -> Axis {
    let middle = (axis.low + axis.high) / 2.0;
    Axis::over(middle - width / 2.0, middle + width / 2.0, axis.ticks.len().max(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn corners_of_the_range_meet_corners_of_the_frame() {
        let outer = Rect { left: 0.0, top: 0.0, width: 500.0, height: 400.0 };
        let plane = Plane::inside(outer, Axis::over(0.0, 2.0, 5), Axis::over(-1.0, 1.0, 5));
        let frame = plane.frame;
        assert_eq!(plane.place([0.0, -1.0]), [frame.left, frame.bottom()]);
        assert_eq!(plane.place([2.0, 1.0]), [frame.right(), frame.top]);
    }

    #[test]
    fn equal_units_have_equal_lengths() {
        let outer = Rect { left: 0.0, top: 0.0, width: 500.0, height: 400.0 };
        let plane = Plane::inside(outer, Axis::over(0.0, 1.0, 5), Axis::over(0.0, 1.0, 5));
        let plane = plane.with_equal_units();
        let ([x0, y0], [x1, y1]) = (plane.place([0.0, 0.0]), plane.place([1.0, 1.0]));
        assert!((x1 - x0 - (y0 - y1)).abs() < 1e-9);
    }

    #[test]
    fn a_frame_shrinks_to_equal_units() {
        let frame = Rect { left: 5.0, top: 5.0, width: 400.0, height: 300.0 };
        let plane = Plane { frame, x: Axis::over(0.0, 1.0, 5), y: Axis::over(0.0, 2.0, 5) };
        let shrunk = plane.with_equal_units_kept_ranges().frame;
        assert_eq!((shrunk.width, shrunk.height, shrunk.left), (150.0, 300.0, 5.0));
    }
}
