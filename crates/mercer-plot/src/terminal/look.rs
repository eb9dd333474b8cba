//! The characters of groups and grounds, and their colours.

use super::super::colour::{CLASSES, Rgb};
use super::super::marks::Shape;
use super::screen::Screen;

/// A character, what takes its place where only ASCII is shown, and its colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub unicode: char,
    pub ascii: char,
    /// One of 256 colours of terminals.
    pub colour: Option<u8>,
}

/// Colours of classes that can be read on dark and on light terminals, in the order of [`CLASSES`].
const COLOURS: [u8; 12] = [33, 208, 35, 178, 176, 80, 99, 168, 142, 245, 180, 71];
/// More groups than shapes are distinguished by letters.
pub(super) const MOST_SHAPES: usize = 7;

impl Look {
    pub const fn of(unicode: char, ascii: char) -> Self {
        Self { unicode, ascii, colour: None }
    }

    /// The look of one of so many groups.
    pub fn of_group(index: usize, count: usize, colour: Rgb) -> Self {
        Self::of_mark(Shape::of(index), index, count, colour, false)
    }

    /// The look of a mark with or without a ring: filled or hollow, or a small or capital letter.
    pub fn of_mark(shape: Shape, index: usize, count: usize, colour: Rgb, is_ringed: bool) -> Self {
        // Beyond the letters, groups are distinguished by colours only.
        let letter = match (count, index) {
            (1, _) => 'o',
            (_, 26..) => '~',
            _ => char::from(b'a' + index as u8),
        };
        let letter = if is_ringed { letter.to_ascii_uppercase() } else { letter };
        let unicode = if count > MOST_SHAPES { letter } else { shape_of(shape, is_ringed) };
        Self { unicode, ascii: letter, colour: Some(nearest(colour)) }
    }

    /// One of ten steps of a scale, as a digit.
    pub fn of_step(step: usize, colour: Rgb) -> Self {
        let digit = char::from(b'0' + step.min(9) as u8);
        Self { unicode: digit, ascii: digit, colour: Some(nearest(colour)) }
    }

    pub fn coloured(mut self, colour: Rgb) -> Self {
        self.colour = Some(nearest(colour));
        self
    }

    /// The character that `screen` shows.
    pub fn glyph(&self, screen: &Screen) -> char {
        if screen.unicode { self.unicode } else { self.ascii }
    }
}

fn shape_of(shape: Shape, is_ringed: bool) -> char {
    let [filled, hollow] = match shape {
        Shape::Circle => ['●', '○'],
        Shape::Square => ['■', '□'],
        Shape::Triangle => ['▲', '△'],
        Shape::Diamond => ['◆', '◇'],
        Shape::Tip => ['▼', '▽'],
        Shape::Cross => ['×', '⊗'],
        Shape::Hexagon => ['⬢', '⬡'],
    };
    if is_ringed { hollow } else { filled }
}

/// The colour of a terminal that stands for a colour of the picture: a class has its own, others the
/// nearest of the cube of 216.
fn nearest(colour: Rgb) -> u8 {
    if let Some(class) = CLASSES.iter().position(|class| *class == colour) {
        return COLOURS[class];
    }
    let step = |channel: u8| match channel {
        0..48 => 0,
        48..115 => 1,
        _ => (channel - 35) / 40,
    };
    let [red, green, blue] = colour.map(step);
    16 + 36 * red + 6 * green + blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_groups_are_shapes_and_many_are_letters() {
        let glyphs = |count: usize, ascii: bool| -> String {
            let look = |index| Look::of_group(index, count, [0; 3]);
            (0..count).map(look).map(|l| if ascii { l.ascii } else { l.unicode }).collect()
        };
        assert_eq!((glyphs(3, false).as_str(), glyphs(3, true).as_str()), ("●■▲", "abc"));
        assert_eq!((glyphs(8, false).as_str(), glyphs(1, true).as_str()), ("abcdefgh", "o"));
        assert_eq!(Look::of_mark(Shape::Square, 1, 2, [0; 3], true).unicode, '□');
        assert_eq!(Look::of_mark(Shape::Square, 1, 2, [0; 3], true).ascii, 'B');
    }

    #[test]
    fn colours_of_pictures_have_colours_of_terminals() {
        assert_eq!((nearest([0; 3]), nearest([255; 3]), nearest([255, 0, 0])), (16, 231, 196));
        assert_eq!(nearest(CLASSES[1]), 208);
    }
}
